"""Why some rows of the page *Speed* are faster than ours, in words."""

LARGEST = 10**6
FASTER = {
    "Platt scaling": "scikit-learn predicts faster by a fifth or less: it evaluates the same "
    "sigmoid, and does not look at the scores first.",
    "Platt scaling of logits, scores too extreme": "Others predict faster: they take the logits "
    "without keeping scores of 0 and 1 inside, and do not look at the scores first.",
    "Beta calibration, scores too extreme": "netcal predicts faster: it has no centre about which "
    "logarithms are taken, and does not look at the scores first.",
    "Isotonic regression": "scipy alone fits faster up to $10^5$ points: it pools no ties and "
    "checks nothing, and every point stays a knot, so its predictions are slow. Others predict "
    "faster: scikit-learn with `np.interp`, probcal with steps in place of lines; ours keeps "
    "plateaus flat to the last bit and scores of any size apart.",
    "ECE, ten bins of equal width": "relplot is faster: it finds a bin by a quotient, which may "
    "round across an edge, adds up residuals and nothing else, and checks nothing; ours compares "
    "with the edges, and refuses NaN, scores beyond [0, 1] and labels that are none.",
    "Smooth ECE": "probcal is faster up to $10^5$ points: it smooths on logits, which is another "
    "number; ours takes some 4 ms to search its bandwidth, whatever the size.",
}


def ahead(rows):
    """Methods that fit or predict faster than ours at the largest size, with ours at that."""
    largest = [r for r in rows if int(r["n"]) == LARGEST]
    ours = [r for r in largest if r["method"].startswith("calib")]
    found = []
    for row in largest:
        for what in ("fit", "predict"):
            best = [float(r[what]) for r in ours if r[what] and float(r[what]) > 1e-6]
            if row not in ours and row[what] and best and 0 < float(row[what]) < min(best):
                found.append(f"{row['method']}: {what}")
    return found
