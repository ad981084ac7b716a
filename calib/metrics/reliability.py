"""The reliability curve, the calibration errors computed from it, and a table of measures."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_sample
from calib.base.options import MAX_UNIFORM_BINS, check_choice, check_positive, number_of_bins
from calib.kernels import ties as grouping
from calib.kernels.binning import (
    MAX_USEFUL_BINS,
    equal_frequency_starts,
    label_ordered_sums,
    prefix_sums,
    segment_sums,
    split_sizes,
    uniform_sums,
)
from calib.metrics.auc import roc_auc_score
from calib.metrics.limits import clopper_pearson
from calib.metrics.losses import accuracy, root_mean_squared_error


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Predictions and outcomes in each non-empty bin, as arrays of shape (n_bins,).

    The curve, its intervals and both errors are computed from one binning.

    Attributes
    ----------
    counts : ndarray
        Number N_k of points in each bin, or their weight.
    totals : ndarray
        Sum of the predictions in each bin.
    positives : ndarray
        Number of positives in each bin, or their weight.
    confidence : float
        Coverage of the intervals.
    predicted : ndarray
        Mean prediction e_k.
    observed : ndarray
        Observed fraction of positives o_k.
    lower, upper : ndarray
        Clopper-Pearson limits for the probability behind `observed`.
    ece, mce : float
        Mean of ``|o_k - e_k|`` over the points, and its maximum over the bins.
    """

    counts: NDArray[np.float64]
    totals: NDArray[np.float64]
    positives: NDArray[np.float64]
    confidence: float = 0.95

    @property
    def predicted(self) -> NDArray[np.float64]:
        """Mean prediction in each bin."""
        return self.totals / self.counts

    @property
    def observed(self) -> NDArray[np.float64]:
        """Observed fraction of positives in each bin."""
        return self.positives / self.counts

    @property
    def lower(self) -> NDArray[np.float64]:
        """Lower Clopper-Pearson limit in each bin."""
        return self._limits[0]

    @property
    def upper(self) -> NDArray[np.float64]:
        """Upper Clopper-Pearson limit in each bin."""
        return self._limits[1]

    @property
    def ece(self) -> float:
        """Expected calibration error, in [0, 1]."""
        return float(np.abs(self.positives - self.totals).sum() / self.counts.sum())

    @property
    def mce(self) -> float:
        """Maximum calibration error, in [0, 1]."""
        return float((np.abs(self.positives - self.totals) / self.counts).max())

    @cached_property
    def _limits(self):
        tail = (1 - self.confidence) / 2
        return clopper_pearson(self.positives, self.counts, tail)


def reliability_curve(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    ties: str = "group",
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> ReliabilityCurve:
    """Observed fraction against mean prediction, bin by bin.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    n_bins : int or "cube_root", default=10
        Number K of bins. Empty bins are left out of the result. ``"cube_root"`` takes
        round(N^(1/3)), for N points or their weight.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins with equally many predictions (Naeini et al. 2014), or bins of equal width
        [0, 1/K), ..., [(K-1)/K, 1] (Naeini and Cooper 2016).
    ties : {"group", "label"}, default="group"
        Treatment of equal predictions by quantile bins. ``"group"``: a tie is never split. It goes
        to the bin of its middle rank. ``"label"``: rows are sorted by (prediction, label) and cut
        into bins of equal size, so that a cut through a tie has the negatives below and the
        positives above. The published evaluation code of these papers uses ``"label"``. This
        treatment inflates the error of predictors with ties. It is offered to reproduce the tables
        of the papers. Uniform bins never split a tie.
    confidence : float, default=0.95
        Coverage of the binomial intervals, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Non-negative weights. Weights are counts. A row of weight w stands for w copies of the row,
        and the intervals take the sum of the weights as the number of points. With
        ``ties="label"`` a cut may divide the copies of a row. If all weights are whole numbers and
        K does not divide their sum, the first bins hold one copy more. With other weights all bins
        hold exactly equal weight.

    Returns
    -------
    curve : ReliabilityCurve

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Warns
    -----
    UserWarning
        If the weights sum to one. They have probably been normalised, and the intervals would be
        as wide as for one point. The calibration errors do not depend on the sum, so their
        functions do not warn.

    Notes
    -----
    O(n log n) time for quantile bins, O(n) for uniform ones.

    Examples
    --------
    >>> from calib.metrics import reliability_curve
    >>> curve = reliability_curve([0, 1, 0, 1, 1, 1], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8], n_bins=2)
    >>> curve.predicted, curve.observed.round(3)
    (array([0.2, 0.8]), array([0.333, 1.   ]))
    >>> round(curve.ece, 3), round(curve.mce, 3)
    (0.167, 0.2)
    """
    check_positive(confidence, "confidence", below=1)
    narrow = strategy == "quantile"
    sample = check_sample(labels, probabilities, sample_weight, counts=True, narrow=narrow)
    return bin_sample(
        *sample, n_bins=n_bins, strategy=strategy, ties=ties, confidence=float(confidence)
    )


def expected_calibration_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    ties: str = "group",
    sample_weight: ArrayLike | None = None,
) -> float:
    """ECE: the mean over points of ``|observed fraction - mean prediction|`` of their bin.

    Parameters and exceptions as in `reliability_curve`, whose result has the attribute `ece`.

    Returns
    -------
    error : float
        In [0, 1].

    Examples
    --------
    >>> from calib.metrics import expected_calibration_error
    >>> expected_calibration_error([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5])
    0.0
    """
    sample = check_sample(labels, probabilities, sample_weight, narrow=strategy == "quantile")
    return bin_sample(*sample, n_bins=n_bins, strategy=strategy, ties=ties).ece


def maximum_calibration_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    ties: str = "group",
    sample_weight: ArrayLike | None = None,
) -> float:
    """MCE: the largest ``|observed fraction - mean prediction|`` over non-empty bins.

    Parameters and exceptions as in `reliability_curve`, whose result has the attribute `mce`.

    Returns
    -------
    error : float
        In [0, 1].

    Examples
    --------
    >>> from calib.metrics import maximum_calibration_error
    >>> maximum_calibration_error([0, 1, 1, 1], [0.5, 0.5, 1.0, 1.0], strategy="uniform")
    0.0
    """
    sample = check_sample(labels, probabilities, sample_weight, narrow=strategy == "quantile")
    return bin_sample(*sample, n_bins=n_bins, strategy=strategy, ties=ties).mce


def bin_sample(labels, probabilities, weights, *, n_bins, strategy, ties, confidence=0.95):
    """Put a sample, as `check_sample` returns it, into bins, and leave out the empty bins."""
    check_choice(strategy, ["quantile", "uniform"], "strategy")
    check_choice(ties, ["group", "label"], "ties")
    n_bins = number_of_bins(n_bins, strategy, labels.size if weights is None else weights.sum())
    if strategy == "uniform":
        sums = uniform_sums(probabilities, labels, weights, n_bins)
    else:
        tied = grouping.ties(probabilities, labels, weights)
        if ties == "group":
            ranks = prefix_sums(tied.weights)
            starts = equal_frequency_starts(ranks, min(n_bins, MAX_USEFUL_BINS))
            sums = segment_sums(starts, tied.scores, tied.weights, tied.positives)
        else:
            sizes = _label_ordered_sizes(tied, weights, n_bins)
            sums = label_ordered_sums(sizes, tied.scores, tied.weights, tied.positives)
    counts, totals, positives = sums
    filled = counts > 0
    return ReliabilityCurve(
        counts=counts[filled],
        totals=totals[filled],
        positives=positives[filled],
        confidence=confidence,
    )


def _label_ordered_sizes(tied, weights, n_bins):
    """Number of points in each bin of the rows sorted by (prediction, label)."""
    total = tied.weights.sum()
    whole = weights is None or np.array_equal(weights, np.rint(weights))
    if whole:
        n_bins = min(n_bins, int(total))
    if weights is not None and n_bins > max(MAX_UNIFORM_BINS, weights.size):
        raise ValueError(
            f"n_bins must be at most {MAX_UNIFORM_BINS:.0e} for ties='label' with weights; found "
            f"{n_bins}: take fewer, or ties='group'"
        )
    return split_sizes(total, n_bins, whole)


def evaluate(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    ties: str = "group",
    sample_weight: ArrayLike | None = None,
) -> dict[str, float]:
    """Compute the five measures of Naeini et al. (2014): RMSE, AUC, ACC, MCE and ECE.

    Parameters and exceptions as in `calib.metrics.reliability_curve`. Both classes are needed.

    Returns
    -------
    measures : dict of str to float

    Examples
    --------
    >>> evaluate([0, 1], [0.0, 1.0])
    {'RMSE': 0.0, 'AUC': 1.0, 'ACC': 1.0, 'MCE': 0.0, 'ECE': 0.0}
    """
    sample = check_sample(labels, probabilities, sample_weight)
    curve = bin_sample(*sample, n_bins=n_bins, strategy=strategy, ties=ties)
    return {
        "RMSE": root_mean_squared_error(labels, probabilities, sample_weight=sample_weight),
        "AUC": roc_auc_score(labels, probabilities, sample_weight=sample_weight),
        "ACC": accuracy(labels, probabilities, sample_weight=sample_weight),
        "MCE": curve.mce,
        "ECE": curve.ece,
    }
