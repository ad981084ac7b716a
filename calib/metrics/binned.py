"""The reliability curve, the calibration errors that are read off it, and a table of measures."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.options import MOST_BINS, check_choice, check_positive, number_of_bins
from calib.contract.validation import check_sample
from calib.kernels import grouping
from calib.kernels.binning import (
    MOST_USEFUL_BINS,
    equal_frequency_starts,
    finest_increasing_bins,
    label_ordered_sums,
    prefix_sums,
    segment_sums,
    split_sizes,
    uniform_sums,
)
from calib.metrics.discrimination import roc_auc_score
from calib.metrics.limits import clopper_pearson
from calib.metrics.losses import accuracy, root_mean_squared_error
from calib.metrics.samples import ties_of


@dataclass(frozen=True, eq=False)
class ReliabilityCurve:
    """Predictions and outcomes in each non-empty bin; arrays of shape (n_bins,).

    One binning serves all that is read off it: the curve, its intervals and both errors.

    Attributes
    ----------
    counts : ndarray
        Number N_k of points, or their weight.
    totals : ndarray
        Sum of their predictions.
    positives : ndarray
        Number of positives among them, or their weight.
    confidence : float
        Coverage of the intervals.
    predicted : ndarray
        Mean prediction e_k.
    observed : ndarray
        Observed fraction of positives o_k.
    lower, upper : ndarray
        Clopper-Pearson limits for the probability behind `observed`.
    ece, mce : float
        Mean over the points, and largest, ``|o_k - e_k|``.
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
    {sample}
    n_bins : int or "cube_root", default=10
        Number K of bins; empty ones are left out of the result. ``"cube_root"`` takes
        round(N^(1/3)), for N points or their weight.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins with equally many predictions (Naeini et al. 2014), or bins of equal width
        [0, 1/K), ..., [(K-1)/K, 1] (Naeini and Cooper 2016).
    ties : {"group", "label"}, default="group"
        What quantile bins do with equal predictions. ``"group"``: a tie is never split; it goes
        where its middle rank falls. ``"label"``: rows are sorted by (prediction, label) and cut
        into bins of equal size, so that a cut through a tie has the negatives below and the
        positives above. That is what the published evaluation code of these papers does; it
        inflates the error of predictors with ties and is offered to reproduce their tables.
        Uniform bins never split a tie.
    confidence : float, default=0.95
        Coverage of the binomial intervals, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Non-negative weights. They are counts: a weight of w stands for w copies of the row, here
        and in the intervals, which are those of as many points as the weights sum to. With
        ``ties="label"`` a cut may divide the copies of a row; if all weights are whole numbers,
        the first bins hold one copy more where K does not divide their sum, else all bins hold
        exactly equal weight.

    Returns
    -------
    curve : ReliabilityCurve

    {raises}

    Warns
    -----
    UserWarning
        If the weights sum to one: they have been normalised, and the intervals are those of one
        point. (The errors, which do not depend on the sum, do not warn.)

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

    Parameters and errors are those of `reliability_curve`, whose result has it as `ece`.

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

    Parameters and errors are those of `reliability_curve`, whose result has it as `mce`.

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


def debiased_squared_error(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Squared calibration error (L2) over bins, without what chance adds to it.

    .. math:: \sum_k \frac{n_k}{n} \Big[ (\bar p_k - \bar z_k)^2
              - \frac{\bar z_k (1 - \bar z_k)}{n_k - 1} \Big]

    Parameters
    ----------
    {sample}
    n_bins : int or "cube_root", default=10
        As in `reliability_curve`.
    strategy : {"quantile", "uniform"}, default="quantile"
        As in `reliability_curve`; ties are not split.
    {counts}

    Returns
    -------
    error : float
        The mean square, not its root; negative where chance would make a larger error.

    Raises
    ------
    ValueError
        For input that is not as described, or if a bin holds one point only, whose variance is
        unknown. The message names the argument.

    Notes
    -----
    O(n log n) for quantile bins, O(n) for uniform ones. It is unbiased for the error of the bins,
    whose outcomes vary as those of one probability; the error inside bins, where residuals of both
    signs cancel, stays hidden: a binned error is a lower bound.

    References
    ----------
    Broecker (2012); Ferro and Fricker (2012); Kumar, Liang and Ma (2019).

    Examples
    --------
    >>> from calib.metrics import debiased_squared_error
    >>> round(debiased_squared_error([0, 0, 1, 0, 1, 1], [0.2] * 3 + [0.8] * 3, n_bins=2), 4)
    -0.0933
    """
    sample = check_sample(labels, probabilities, sample_weight, counts=True)
    return debiased(bin_sample(*sample, n_bins=n_bins, strategy=strategy, ties="group"))


def sweep_calibration_error(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """ECE over as many bins of equal size as leave the observed fractions increasing.

    Parameters
    ----------
    {sample}
    {ratios}

    Returns
    -------
    error : float
        In [0, 1].

    {raises}

    Notes
    -----
    The numbers of bins 1, 2, ... are tried until the fraction of a bin is below that of its left
    neighbour; the last number before is taken. O(n log n) to sort and O(B^2 log n) to try B bins,
    of which there are few unless the predictions nearly separate the classes.

    References
    ----------
    Roelofs, Cain, Shlens and Mozer (2022).

    Examples
    --------
    >>> from calib.metrics import sweep_calibration_error
    >>> round(sweep_calibration_error([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.8]), 3)
    0.15
    """
    groups = ties_of(labels, probabilities, sample_weight)
    ranks, positives = prefix_sums(groups.weights), prefix_sums(groups.positives)
    predictions = prefix_sums(groups.weights * groups.scores)
    starts = finest_increasing_bins(ranks, positives)
    gaps = np.diff(positives[starts]) - np.diff(predictions[starts])
    return float(np.abs(gaps).sum() / ranks[-1])


def debiased(curve):
    """Squared error of the bins of a curve, without what chance adds to it."""
    if curve.counts.min() <= 1:
        raise ValueError(
            f"n_bins must leave more than one point in each bin; found {curve.counts.min():.6g}: "
            "take fewer bins, or strategy='quantile'"
        )
    chance = curve.observed * (1 - curve.observed) / (curve.counts - 1)
    squares = np.square(curve.predicted - curve.observed)
    return float(np.average(squares - chance, weights=curve.counts))


def bin_sample(labels, probabilities, weights, *, n_bins, strategy, ties, confidence=0.95):
    """Put what `check_sample` returns into bins, and leave the empty ones out."""
    check_choice(strategy, ["quantile", "uniform"], "strategy")
    check_choice(ties, ["group", "label"], "ties")
    n_bins = number_of_bins(n_bins, strategy, labels.size if weights is None else weights.sum())
    if strategy == "uniform":
        sums = uniform_sums(probabilities, labels, weights, n_bins)
    else:
        tied = grouping.ties(probabilities, labels, weights)
        if ties == "group":
            ranks = prefix_sums(tied.weights)
            starts = equal_frequency_starts(ranks, min(n_bins, MOST_USEFUL_BINS))
            sums = segment_sums(starts, *tied)
        else:
            sums = label_ordered_sums(_label_ordered_sizes(tied, weights, n_bins), *tied)
    return ReliabilityCurve(*np.stack(sums)[:, sums[0] > 0], confidence)


def _label_ordered_sizes(tied, weights, n_bins):
    total = tied.weights.sum()
    whole = weights is None or np.array_equal(weights, np.rint(weights))
    if whole:
        n_bins = min(n_bins, int(total))
    if weights is not None and n_bins > max(MOST_BINS, weights.size):
        raise ValueError(
            f"n_bins must be at most {MOST_BINS:.0e} for ties='label' with weights; found "
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

    Parameters and errors are those of `calib.metrics.reliability_curve`; both classes are needed.

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
