"""Why some rows of the page *Speed* are faster than ours, in words."""

SIZES = [10**4, 10**5, 10**6]  # that the page shows
NOTHING = 1e-5  # seconds, below which a call did nothing but be timed
UNCHECKED = (
    "The plain line of NumPy is faster: it checks nothing. Ours refuses NaN, scores beyond [0, 1] "
    "and labels that are none."
)
QUOTIENT = (
    "relplot and NumPy are faster at some sizes: they find a bin by a quotient, which may round "
    "across an edge, and they check nothing. Ours compares with the edges, and refuses NaN, scores "
    "beyond [0, 1] and labels that are none."
)
BY_INTERP = (
    "Others predict faster: scikit-learn with `np.interp`, probcal with steps in place of lines. "
    "Ours keeps plateaus flat to the last bit, and keeps scores of any size apart."
)
UNSEEN = "Others predict faster at some sizes: they do not look at the scores first."
FASTER = {
    "Platt scaling": "scikit-learn predicts faster at some sizes: it evaluates the same sigmoid, "
    "and does not look at the scores first.",
    "Platt scaling of logits, scores too extreme": "Others predict faster at some sizes: they take "
    "the logits without keeping scores of 0 and 1 inside, and do not look at the scores first.",
    "Beta calibration, scores too extreme": "Others predict faster at some sizes: they have no "
    "centre about which logarithms are taken, and do not look at the scores first.",
    "Quadratic logit, scores too extreme": UNSEEN,
    "Isotonic regression": f"{BY_INTERP} NumPy's sort with scipy's regression fits faster at "
    "$10^4$ points: it does not pool ties.",
    "Isotonic regression, two decimals": BY_INTERP,
    "Isotonic regression, float32": "probcal predicts faster: it has steps in place of lines. "
    "NumPy's sort with scipy's regression fits faster at $10^4$ points: it does not pool ties.",
    "ECE, ten bins of equal width": QUOTIENT,
    "ECE, ten bins of equal width, two decimals": QUOTIENT,
    "ECE, ten bins of equal width, float32": QUOTIENT,
    "Smooth ECE": "probcal is faster up to $10^5$ points: it smooths on logits, which is another "
    "number. Ours takes some milliseconds to search its bandwidth, whatever the size.",
    "Log loss": UNCHECKED,
    "Brier score": UNCHECKED,
    "Accuracy": UNCHECKED,
    "Temperature scaling, five classes": UNSEEN,
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
                best = [float(r[what]) for r in ours if r[what] and float(r[what]) > NOTHING]
                if (
                    row not in ours
                    and row[what]
                    and best
                    and NOTHING < float(row[what]) < min(best)
                ):
                    found.append(f"{row['method']}: {what} {size}")
    return found
