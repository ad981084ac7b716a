"""Figures that more than one paper has."""

import matplotlib.pyplot as plt
import numpy as np

from calib.metrics import reliability_curve
from calibkit import diagrams
from calibkit.datasets import rings
from experiments.contents import Figure
from experiments.naeini2014.protocol import rings_sample

SEED = 8


def scatter_of_the_rings(read):
    """The simulated points: a class that fills a disc and one in the ring around it."""
    X, labels = rings(1000, SEED)
    with plt.rc_context(diagrams.STYLE):
        figure, ax = plt.subplots(figsize=(4.6, 4.6))
        for label, marker, color in [(0, "o", "0.6"), (1, "x", "#0072B2")]:
            points = X[labels == label].T
            ax.scatter(*points, s=10, marker=marker, color=color, label=f"class {label}")
        ax.set(xlabel="First coordinate", ylabel="Second coordinate", aspect="equal")
        ax.legend(loc="upper right", frameon=True)
    rows = [{"x1": x1, "x2": x2, "label": z} for (x1, x2), z in zip(X, labels, strict=True)]
    return figure, rows


def reliability_curve_of_a_score(read):
    """A reliability curve: the raw score of the quadratic SVM on the rings, in ten groups."""
    _, _, margins, labels = rings_sample("quadratic", 0)
    curve = reliability_curve(labels, 1 / (1 + np.exp(-margins)))
    with plt.rc_context(diagrams.STYLE):
        figure, ax = plt.subplots(figsize=(4.2, 4.2))
        ax.plot([0, 1], [0, 1], ":", color="0.5", label="ideal")
        ax.plot(curve.predicted, curve.observed, "o-", color="#0072B2", label="raw score")
        ax.set(xlabel="Mean prediction", ylabel="Share of positives", aspect="equal")
        ax.legend(loc="upper left")
    rows = zip(curve.predicted, curve.observed, strict=True)
    return figure, [{"mean_prediction": p, "share_of_positives": share} for p, share in rows]


# Both papers of Naeini and Cooper have them.
RELIABILITY_CURVE = Figure(
    name="figure1",
    title="a reliability curve; the paper's is hypothetical, ours that of a raw score",
    chapter="02_measuring_it",
    draw=reliability_curve_of_a_score,
)
POINTS_OF_THE_RINGS = Figure(
    name="figure2",
    title="the simulated points: a disc and the ring around it",
    chapter="20_rings",
    draw=scatter_of_the_rings,
)
