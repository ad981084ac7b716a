"""The reliability diagram by isotonic regression (CORP), its bands, and the parts of a score."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.options import (
    RandomState,
    check_choice,
    check_integer,
    check_positive,
    check_random_state,
)
from calib.contract.validation import check_sample
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import ties
from calib.metrics.drawn import draws_of
from calib.metrics.limits import clopper_pearson
from calib.metrics.losses import logarithmic, squared
from calib.metrics.samples import counted_ties_of, neighbours, ties_of

MOST_KNOTS = 1000  # at which a consistency band is stored


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
    forecasts, total = (groups.scores, curve.recalibrated, base_rate), groups.weights.sum()
    ours, best, base = (float(total_loss(loss, p, groups) / total) for p in forecasts)
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


@dataclass(frozen=True, eq=False)
class CalibrationBand:
    """Two limits above a grid of predictions; arrays of shape (k,).

    Attributes
    ----------
    predicted : ndarray
        Predictions, increasing.
    lower, upper : ndarray
        Limits at these predictions.
    confidence : float
        Coverage that was asked for.
    """

    predicted: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    confidence: float

    @property
    def holds_diagonal(self) -> bool:
        """Whether perfect calibration lies inside the band."""
        return bool(np.all((self.lower <= self.predicted) & (self.predicted <= self.upper)))

    @property
    def crosses(self) -> bool:
        """Whether no increasing curve fits, as the lower limit is above the upper one somewhere."""
        return bool(np.any(self.lower > self.upper))


def consistency_band(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.9,
    n_resamples: int = 200,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
) -> CalibrationBand:
    """Where the CORP curve lies, point by point, if the predictions are calibrated.

    Outcomes are drawn from the predictions, which stay as they are, and isotonic regression is
    fitted anew; the limits are quantiles over these fits at each prediction.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool; checked, but the band does not depend on them.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.9
        Coverage at one prediction, in (0, 1).
    n_resamples : int, default=200
        Number of fits.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    {whole}

    Returns
    -------
    band : CalibrationBand
        At the distinct predictions, at most 1000 of them.

    {raises}

    Notes
    -----
    O(n log n + n_resamples n). Where the curve is 0, or 1, in more samples than may lie outside on
    that side, as near the smallest and largest predictions, nothing does, and the coverage there is
    ``(1 + confidence) / 2``. Elsewhere the default held 88 to 95 % of curves of new outcomes (asked
    for 90; 2000 samples of each of nine laws and sizes): quantiles of 200 fits fall short a little,
    and short pieces make it wide. The band is not simultaneous: a calibrated forecaster leaves it
    somewhere in most samples. It shows the size of chance and is no test.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), who draw the predictions, too.

    Examples
    --------
    >>> from calib.metrics import consistency_band
    >>> band = consistency_band([0, 1] * 50, [0.5] * 100)
    >>> band.lower, band.upper
    (array([0.41]), array([0.58]))
    """
    check_positive(confidence, "confidence", below=1)
    check_integer(n_resamples, "n_resamples")
    ties = counted_ties_of(labels, probabilities, sample_weight, only_whole=True)
    knots = np.linspace(0, ties.scores.size - 1, MOST_KNOTS).round().astype(np.int64)
    knots = np.unique(knots)
    fits = []
    for hits in draws_of(ties, n_resamples, check_random_state(random_state)):
        for drawn in hits:
            starts, totals, pooled = pool_adjacent_violators(ties.weights, drawn)
            fits.append((pooled / totals)[np.searchsorted(starts, knots, side="right") - 1])
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(fits, [tail, 1 - tail], axis=0)
    return CalibrationBand(ties.scores[knots], lower, upper, float(confidence))


def confidence_band(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    n_groups: int = 50,
    sample_weight: ArrayLike | None = None,
) -> CalibrationBand:
    r"""Where the true calibration curve lies, everywhere at once, if it is increasing.

    Neighbouring predictions are put into K groups of equal size. With :math:`S_{jk}` positives
    among the :math:`n_{jk}` points of groups j to k, :math:`a = \alpha / (K (K + 1))` and the
    exact limits of Clopper and Pearson,

    .. math::
        \begin{aligned}
        &L_i = \max_{j \le k \le i} B(a; S_{jk}, \\
        &\quad n_{jk} - S_{jk} + 1), \\
        &U_i = \min_{i \le j \le k} B(1 - a; \\
        &\quad S_{jk} + 1, n_{jk} - S_{jk}) .
        \end{aligned}

    Parameters
    ----------
    {sample}
    confidence : float, default=0.95
        Probability, at least, that the band holds the whole curve, in (0, 1).
    n_groups : int, default=50
        Most groups K. Every distinct prediction is a group if there are no more than that. More of
        them narrow the bands of large samples a little, and widen those of small ones.
    {whole}

    Returns
    -------
    band : CalibrationBand
        At the distinct predictions. It is a test of calibration (`holds_diagonal`), and of
        monotonicity: if it `crosses`, the true curve does not increase. Each errs with probability
        at most ``1 - confidence``.

    {raises}

    Notes
    -----
    O(n log n + K^2). Coverage is guaranteed in finite samples for independent outcomes, given the
    predictions, and with groups as well: outcomes of a group need not have the same probability,
    because a limit is used only for predictions beyond the group on the side where it holds. The
    guarantee makes the band wide: for small samples it excludes little. It holds for no sampling
    weights, whose outcomes have no binomial law.

    References
    ----------
    Dimitriadis, Duembgen, Henzi, Puke and Ziegel (2023).

    Examples
    --------
    >>> from calib.metrics import confidence_band
    >>> band = confidence_band([0] * 90 + [1] * 10, [0.8] * 100)
    >>> band.lower.round(3), band.upper.round(3), band.holds_diagonal
    (array([0.049]), array([0.176]), False)
    """
    check_positive(confidence, "confidence", below=1)
    check_integer(n_groups, "n_groups")
    ties = counted_ties_of(labels, probabilities, sample_weight, only_whole=True)
    return band_of(ties, confidence, n_groups)


def band_of(ties, confidence=0.95, n_groups=50):
    """The confidence band of counts, which may be parts of rows, as of clusters."""
    starts = neighbours(ties, n_groups)
    points, positives = (prefix_sums(column)[starts] for column in (ties.weights, ties.positives))
    lower, upper = _simultaneous_limits(points, positives, 1 - confidence)
    # A group speaks for predictions from its last one on below, and up to its first one above.
    group = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    first, last = np.zeros((2, ties.scores.size), bool)
    first[starts[:-1]] = last[starts[1:] - 1] = True
    lower = np.append(lower, 0.0)[np.where(last, group, group - 1)]
    upper = np.append(upper, 1.0)[np.where(first, group, group + 1)]
    return CalibrationBand(ties.scores, lower, upper, float(confidence))


def _simultaneous_limits(points, positives, alpha):
    """Limits of each group, from the sums before each group and at the end."""
    k = points.size - 1
    tail = alpha / (k * (k + 1))
    lower, upper = np.zeros(k), np.ones(k)
    for end in range(1, k + 1):  # all intervals that end here
        n, hits = points[end] - points[:end], positives[end] - positives[:end]
        low, high = clopper_pearson(hits, n, tail)
        lower[end - 1] = low.max()
        upper[:end] = np.minimum(upper[:end], high)
    return np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
