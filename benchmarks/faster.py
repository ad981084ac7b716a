"""Why some rows of the page *Speed* are faster than ours, in words."""

SIZES = [10**4, 10**5, 10**6]  # that the page shows
FASTER = {
    "Platt scaling": "scikit-learn predicts faster at some sizes: it evaluates the same sigmoid, "
    "and does not look at the scores first.",
    "Platt scaling of logits, scores too extreme": "Others predict faster at some sizes: they take "
    "the logits without keeping scores of 0 and 1 inside, and do not look at the scores first.",
    "Temperature scaling, scores too extreme": "probcal predicts slightly faster at some sizes: it "
    "does not look at the scores first.",
    "Beta calibration, scores too extreme": "Others predict faster at some sizes: they have no "
    "centre about which logarithms are taken, and do not look at the scores first.",
    "Isotonic regression": "Others predict faster: scikit-learn with `np.interp`, probcal with "
    "steps in place of lines; ours keeps plateaus flat to the last bit and scores of any size "
    "apart.",
    "ECE, ten bins of equal width": "relplot is faster: it finds a bin by a quotient, which may "
    "round across an edge, adds up residuals and nothing else, and checks nothing; ours compares "
    "with the edges, and refuses NaN, scores beyond [0, 1] and labels that are none.",
    "Smooth ECE": "probcal is faster up to $10^5$ points: it smooths on logits, which is another "
    "number; ours takes some 6 ms to search its bandwidth, whatever the size.",
    "Vector scaling, five classes": "netcal predicts slightly faster at some sizes: it does not "
    "look at the probabilities first.",
}


def ahead(rows):
    """Methods that fit or predict faster than ours at a size that the page shows, and where."""
    found = []
    for size in SIZES:
        here = [r for r in rows if int(r["n"]) == size]
        ours = [r for r in here if r["method"].startswith("calib")]
        for row in here:
            for what in ("fit", "predict"):
                best = [float(r[what]) for r in ours if r[what] and float(r[what]) > 1e-6]
                if row not in ours and row[what] and best and 1e-6 < float(row[what]) < min(best):
                    found.append(f"{row['method']}: {what} {size}")
    return found
