"""The reliability diagram by isotonic regression (CORP), and the parts of a proper score."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.options import check_choice
from calib.contract.validation import check_sample
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.grouping import group_ties
from calib.metrics.losses import logarithmic, squared
from calib.metrics.samples import ties_of


@dataclass(frozen=True, eq=False)
class CORPCurve:
    """Recalibrated probability of each distinct prediction; arrays of shape (k,).

    Attributes
    ----------
    predicted : ndarray
        The distinct predictions, increasing.
    counts, positives : ndarray
        Number of rows with this prediction, and of positives among them, or their weights.
    recalibrated : ndarray
        Isotonic regression of the outcomes on the predictions, at these predictions.
    """

    predicted: NDArray[np.float64]
    counts: NDArray[np.float64]
    positives: NDArray[np.float64]
    recalibrated: NDArray[np.float64]


class ScoreDecomposition(NamedTuple):
    """A mean proper score and its parts: ``score = miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    score : float
        Of the predictions.
    miscalibration : float
        MCB, what the best increasing map of the predictions would gain; at least 0.
    discrimination : float
        DSC, what the recalibrated predictions gain over the base rate; at least 0.
    uncertainty : float
        UNC, the score of the base rate.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def corp_curve(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> CORPCurve:
    """Reliability curve without bins: isotonic regression of the outcomes on the predictions.

    Parameters
    ----------
    {sample}
    {counts}

    Returns
    -------
    curve : CORPCurve

    {raises}

    Notes
    -----
    O(n log n). The fit touches its data: the first block is 0 where the smallest predictions belong
    to negatives, the last is 1 likewise, whatever the truth is there.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021).

    Examples
    --------
    >>> from calib.metrics import corp_curve
    >>> curve = corp_curve([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> curve.predicted, curve.recalibrated
    (array([0.1, 0.3, 0.4, 0.8]), array([0. , 0.5, 0.5, 1. ]))
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    return corp_of(group_ties(probabilities, labels, weights))


def score_decomposition(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    loss: str | Callable[[NDArray, NDArray], NDArray] = "brier",
    sample_weight: ArrayLike | None = None,
) -> ScoreDecomposition:
    """Split a mean proper score into miscalibration, discrimination and uncertainty.

    Parameters
    ----------
    {sample}
    loss : {"brier", "log"} or callable, default="brier"
        ``loss(labels, probabilities)`` returns the loss of each row, smaller for better
        predictions; it must be proper for the parts to have a meaning.
    {ratios}

    Returns
    -------
    decomposition : ScoreDecomposition

    {raises}

    Notes
    -----
    O(n log n). The identity holds to rounding, in every sample; so do the signs, for any proper
    score, because the isotonic fit minimises all of them at once. Miscalibration is biased upwards:
    of calibrated predictions it is not 0, but by the Brier score about 0.58 n^(-2/3) if they are
    uniform (by Chernoff's distribution), and at most K / (4n) on average if they have K values: a
    value p adds p (1 - p) / n at most. The log loss and its miscalibration are infinite if an
    outcome was given probability 0.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021); Groeneboom and Wellner (2001) for the constant.

    Examples
    --------
    >>> from calib.metrics import score_decomposition
    >>> parts = score_decomposition([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> [round(part, 3) for part in parts]
    [0.175, 0.05, 0.125, 0.25]
    """
    groups = ties_of(labels, probabilities, sample_weight)
    curve = corp_of(groups)
    loss = loss_of(loss)
    base_rate = np.full(groups.scores.size, groups.positives.sum() / groups.weights.sum())
    ours, best, base = (
        float(total_loss(loss, values, groups) / groups.weights.sum())
        for values in (groups.scores, curve.recalibrated, base_rate)
    )
    return ScoreDecomposition(ours, ours - best, base - best, base)


def corp_of(groups):
    """The curve of pooled ties."""
    starts, weights, positives = pool_adjacent_violators(groups.weights, groups.positives)
    recalibrated = np.repeat(positives / weights, np.diff(starts))
    return CORPCurve(groups.scores, groups.weights, groups.positives, recalibrated)


def loss_of(loss):
    """The loss of each row, a function of (labels, probabilities)."""
    if callable(loss):
        return loss
    check_choice(loss, ["brier", "log"], "loss")
    return squared if loss == "brier" else logarithmic


def total_loss(loss, probabilities, groups):
    """Sum over the rows; a class that is not there costs nothing, not even 0 times infinity."""
    total = 0.0
    for label, weights in enumerate((groups.weights - groups.positives, groups.positives)):
        there = weights > 0
        here = probabilities[there]
        total += np.dot(weights[there], loss(np.full(here.size, label), here))
    return total
