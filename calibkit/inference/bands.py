"""Bands for the CORP curve: under calibration at each prediction, and around the true curve."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.options import RandomState, check_integer, check_positive, check_random_state
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import prefix_sums
from calib.metrics.limits import clopper_pearson
from calibkit.inference.clean_samples import counted_ties_of
from calibkit.inference.clusters import runs_of_neighbours
from calibkit.inference.resampling_tests import draws_of

MAX_BAND_POINTS = 1000  # distinct predictions at which a consistency band is stored


@dataclass(frozen=True, eq=False)
class CalibrationBand:
    """Lower and upper limits at k increasing predictions, as arrays of shape (k,).

    Attributes
    ----------
    predicted : ndarray
        Predictions, increasing.
    lower, upper : ndarray
        Limits at these predictions.
    confidence : float
        The requested coverage.
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
        """Whether no increasing curve fits, because somewhere the lower limit exceeds the upper."""
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
    """Limits of the CORP curve at each prediction if the predictions are calibrated.

    Outcomes are drawn from the unchanged predictions, and isotonic regression is fitted to each
    draw. The limits are quantiles over these fits at each prediction.

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
    sample_weight : array-like of shape (n,), optional
        Counts, as whole numbers. A row of weight w stands for w rows, each with a separate outcome.

    Returns
    -------
    band : CalibrationBand
        At the distinct predictions, at most 1000 of them.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n + n_resamples n). Near the smallest predictions the curve may be 0 in more than
    ``(1 - confidence) / 2`` of the samples. Then no curve lies below the band, and its coverage is
    ``(1 + confidence) / 2``. The same holds for 1 near the largest predictions. Elsewhere the
    default band held 88 to 95 % of curves of new outcomes (nominally 90; 2000 samples of each of
    nine distributions and sizes): quantiles of 200 fits are slightly too narrow, and short pieces
    make the band wide. The band is not simultaneous. The curve of a calibrated forecaster leaves
    it somewhere in most samples. The band shows the size of chance and is no test.

    References
    ----------
    Dimitriadis, Gneiting and Jordan (2021), who also draw the predictions.

    Examples
    --------
    >>> from calibkit.inference import consistency_band
    >>> band = consistency_band([0, 1] * 50, [0.5] * 100)
    >>> band.lower, band.upper
    (array([0.41]), array([0.58]))
    """
    check_positive(confidence, "confidence", below=1)
    check_integer(n_resamples, "n_resamples")
    tied = counted_ties_of(labels, probabilities, sample_weight, only_whole=True)
    points = np.linspace(0, tied.scores.size - 1, MAX_BAND_POINTS).round().astype(np.int64)
    points = np.unique(points)
    curves = []
    for draws in draws_of(tied, n_resamples, check_random_state(random_state)):
        for drawn_positives in draws:
            starts, totals, pooled = pool_adjacent_violators(tied.weights, drawn_positives)
            blocks = np.searchsorted(starts, points, side="right") - 1
            curves.append((pooled / totals)[blocks])
    tail = (1 - confidence) / 2
    lower, upper = np.quantile(curves, [tail, 1 - tail], axis=0)
    return CalibrationBand(
        predicted=tied.scores[points], lower=lower, upper=upper, confidence=float(confidence)
    )


def confidence_band(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    n_groups: int = 50,
    sample_weight: ArrayLike | None = None,
) -> CalibrationBand:
    r"""Simultaneous limits of the true calibration curve if it is increasing.

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
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.95
        Least probability that the band contains the whole curve, in (0, 1).
    n_groups : int, default=50
        Largest number K of groups. If there are at most K distinct predictions, each of them is a
        group. A larger K makes the band slightly narrower for large samples and wider for small
        samples.
    sample_weight : array-like of shape (n,), optional
        Counts, as whole numbers. A row of weight w stands for w rows, each with a separate outcome.

    Returns
    -------
    band : CalibrationBand
        At the distinct predictions. The band is a test of calibration (`holds_diagonal`), and of
        monotonicity. If it `crosses`, the true curve does not increase. Each of the two tests errs
        with probability at most ``1 - confidence``.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n + K^2). Coverage is guaranteed in finite samples for independent outcomes, given the
    predictions. The outcomes of a group need not have the same probability. Since the true curve
    increases, a lower limit holds from the largest prediction of its groups on, and an upper limit
    holds up to the smallest prediction of its groups. Each limit is used only there. The guarantee
    makes the band wide. For small samples it excludes few curves. There is no guarantee with
    sampling weights, because the weighted outcomes have no binomial distribution.

    References
    ----------
    Dimitriadis, Duembgen, Henzi, Puke and Ziegel (2023).

    Examples
    --------
    >>> from calibkit.inference import confidence_band
    >>> band = confidence_band([0] * 90 + [1] * 10, [0.8] * 100)
    >>> band.lower.round(3), band.upper.round(3), band.holds_diagonal
    (array([0.049]), array([0.176]), False)
    """
    check_positive(confidence, "confidence", below=1)
    check_integer(n_groups, "n_groups")
    tied = counted_ties_of(labels, probabilities, sample_weight, only_whole=True)
    return band_of(tied, confidence, n_groups)


def band_of(tied, confidence=0.95, n_groups=50):
    """Confidence band from the counts at distinct predictions.

    The counts need not be whole numbers. For clusters, the rows count as fewer independent rows.
    """
    starts = runs_of_neighbours(tied, n_groups)
    points = prefix_sums(tied.weights)[starts]
    positives = prefix_sums(tied.positives)[starts]
    lower, upper = _simultaneous_limits(points, positives, 1 - confidence)
    # The lower limit of a group holds from its last prediction on, and its upper limit holds up to
    # its first prediction. The other predictions of the group take the lower limit of the group
    # before and the upper limit of the group after.
    group = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    is_first = np.zeros(tied.scores.size, bool)
    is_last = np.zeros(tied.scores.size, bool)
    is_first[starts[:-1]] = True
    is_last[starts[1:] - 1] = True
    lower = np.append(lower, 0.0)[np.where(is_last, group, group - 1)]
    upper = np.append(upper, 1.0)[np.where(is_first, group, group + 1)]
    return CalibrationBand(
        predicted=tied.scores, lower=lower, upper=upper, confidence=float(confidence)
    )


def _simultaneous_limits(points, positives, alpha):
    """Limits of each group, from the numbers of points and positives before each and in all."""
    k = points.size - 1
    tail = alpha / (k * (k + 1))
    lower = np.zeros(k)
    upper = np.ones(k)
    for end in range(1, k + 1):  # all runs of groups that end with this one
        run_points = points[end] - points[:end]
        run_positives = positives[end] - positives[:end]
        run_lower, run_upper = clopper_pearson(run_positives, run_points, tail)
        lower[end - 1] = run_lower.max()
        upper[:end] = np.minimum(upper[:end], run_upper)
    return np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
