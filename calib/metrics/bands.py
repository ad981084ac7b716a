"""How far the CORP curve may stray by chance, and where the true curve can be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.options import check_integer, check_positive
from calib.contract.randomness import RandomState, check_random_state
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import prefix_sums
from calib.metrics.drawn import draws_of
from calib.metrics.limits import clopper_pearson
from calib.metrics.samples import counted_ties_of, neighbours

MOST_KNOTS = 1000  # at which a consistency band is stored


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
