"""Why some rows of the page *Speed* are faster than ours, in words."""

SIZES = [10**4, 10**5, 10**6]  # that the page shows
NOTHING = 1e-5  # seconds, below which a call did nothing but be timed
FASTER = {
    "Platt scaling": (
        "scikit-learn predicts faster at some sizes: it evaluates the same sigmoid, and does not "
        "look at the scores first."
    ),
    "Platt scaling of logits, scores too extreme": (
        "Others predict faster at some sizes: they take the logits without keeping scores of 0 "
        "and 1 inside, and do not look at the scores first."
    ),
    "Beta calibration, scores too extreme": (
        "Others predict faster at some sizes: they have no centre about which logarithms are "
        "taken, and do not look at the scores first."
    ),
    "Quadratic logit, scores too extreme": (
        "scikit-learn predicts faster at $10^6$ points: it takes the logits as they come."
    ),
    "Isotonic regression": (
        "Others predict faster: scikit-learn with `np.interp`, probcal with steps in place of "
        "lines. Ours keeps plateaus flat to the last bit, and distinguishes scores of any "
        "magnitude. NumPy's sort with scipy's regression fits faster at $10^4$ points: it does "
        "not pool ties."
    ),
    "Isotonic regression, two decimals": (
        "scikit-learn and probcal also predict faster here, for the reasons given above."
    ),
    "Isotonic regression, float32": (
        "probcal predicts faster, and NumPy with scipy fits faster at $10^4$ points, for the same "
        "reasons."
    ),
    "ECE, ten bins of equal width": (
        "relplot and NumPy are faster at some sizes: they find a bin by a quotient, which may "
        "round across an edge, and they check nothing. Ours compares each score with the edges, "
        "and refuses NaN, scores beyond [0, 1] and labels other than 0 and 1."
    ),
    "ECE, ten bins of equal width, two decimals": (
        "With ties, relplot and NumPy are also faster up to $10^5$ points, by their quotient."
    ),
    "ECE, ten bins of equal width, float32": (
        "relplot and NumPy compute the quotient in four bytes. Ours compares in eight."
    ),
    "Smooth ECE": (
        "probcal is faster up to $10^5$ points: it smooths on logits, which is another number. "
        "Ours takes some milliseconds to search its bandwidth, whatever the size."
    ),
    "Log loss": (
        "The plain line of NumPy is faster: it checks nothing. Our function refuses values that "
        "are not probabilities or labels."
    ),
    "Brier score": "NumPy's line is faster by the time that our checks take.",
    "Accuracy": "Here our checks take as long as the measure.",
    "Temperature scaling, five classes": (
        "Others predict slightly faster at some sizes: they do not check the probabilities."
    ),
    "Vector scaling, five classes": (
        "netcal predicts slightly faster at some sizes: it does not look at the probabilities "
        "first."
    ),
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
