"""The reliability diagram by isotonic regression (CORP), and the parts of a proper score."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_sample
from calib.base.options import check_choice
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.ties import ties
from calib.metrics.losses import logarithmic, squared
from calib.metrics.samples import ties_of


@dataclass(frozen=True, eq=False)
class CORPCurve:
    """Recalibrated probability of each distinct prediction, as arrays of shape (k,).

    Attributes
    ----------
    predicted : ndarray
        The distinct predictions, increasing.
    counts, positives : ndarray
        Number of rows with each prediction, and number of positives among these rows. With
        weights, the sums of their weights.
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
        Mean score of the predictions.
    miscalibration : float
        MCB, the gain of the best increasing map of the predictions, at least 0.
    discrimination : float
        DSC, the gain of the recalibrated predictions over the base rate, at least 0.
    uncertainty : float
        UNC, the score of the base rate.

    Notes
    -----
    In the verification of forecasts MCB is called reliability, and DSC resolution. The skill score
    against the base rate, for the Brier score the Brier skill score, is
    ``1 - score / uncertainty``, the same as ``(discrimination - miscalibration) / uncertainty``.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def corp_curve(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> CORPCurve:
    """Reliability curve without bins, by isotonic regression of the outcomes on the predictions.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    curve : CORPCurve

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The first block is 0 if the smallest predictions belong to negatives, and the last
    block is 1 if the largest belong to positives, whatever the true probabilities are.

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
    return corp_of(ties(probabilities, labels, weights))


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
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    loss : {"brier", "log"} or callable, default="brier"
        ``loss(labels, probabilities)`` returns the loss of each row, smaller for better
        predictions. It must be proper for the parts to have a meaning.
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    decomposition : ScoreDecomposition

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The identity holds up to rounding in every sample. The signs hold in every sample
    for any proper score, because the isotonic fit minimises all proper scores at once.
    Miscalibration is biased upwards. For calibrated predictions, the miscalibration of the Brier
    score is about 0.58 n^(-2/3) if they are uniform (by Chernoff's distribution), and at most
    K / (4n) on average if they have K values, because a value p adds at most p (1 - p) / n. The log
    loss and its miscalibration are infinite if an outcome was given probability 0.

    In the verification of forecasts the parts are called reliability, resolution and uncertainty,
    there mostly of bins (Murphy 1973). ``1 - score / uncertainty`` is the skill score against the
    base rate, for the Brier score the Brier skill score.

    References
    ----------
    Murphy (1973); Dimitriadis, Gneiting and Jordan (2021); Groeneboom and Wellner (2001) for the
    constant.

    Examples
    --------
    >>> from calib.metrics import score_decomposition
    >>> parts = score_decomposition([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8])
    >>> [round(part, 3) for part in parts]
    [0.175, 0.05, 0.125, 0.25]
    >>> round(1 - parts.score / parts.uncertainty, 3)
    0.3
    """
    tied = ties_of(labels, probabilities, sample_weight)
    row_loss = loss_of(loss)
    total = tied.weights.sum()
    base_rate = np.full(tied.scores.size, tied.positives.sum() / total)
    score = float(total_loss(row_loss, tied.scores, tied) / total)
    best_score = float(total_loss(row_loss, corp_of(tied).recalibrated, tied) / total)
    base_score = float(total_loss(row_loss, base_rate, tied) / total)
    return ScoreDecomposition(
        score=score,
        miscalibration=score - best_score,
        discrimination=base_score - best_score,
        uncertainty=base_score,
    )


def corp_of(tied):
    """The CORP curve of the distinct predictions."""
    starts, weights, positives = pool_adjacent_violators(tied.weights, tied.positives)
    return CORPCurve(
        predicted=tied.scores,
        counts=tied.weights,
        positives=tied.positives,
        recalibrated=np.repeat(positives / weights, np.diff(starts)),
    )


def loss_of(loss):
    """The loss of each row, a function of (labels, probabilities)."""
    if callable(loss):
        return loss
    check_choice(loss, ["brier", "log"], "loss")
    return squared if loss == "brier" else logarithmic


def total_loss(row_loss, probabilities, tied):
    """Sum of the losses over the rows.

    A class without rows at a prediction adds nothing there, even if its loss is infinite.
    """
    total = 0.0
    for label, weights in enumerate((tied.weights - tied.positives, tied.positives)):
        present = weights > 0
        predicted = probabilities[present]
        total += np.dot(weights[present], row_loss(np.full(predicted.size, label), predicted))
    return total
