"""Finite-sample bounds for histogram binning.

`bin_bounds`, `mce_bound`, `ece_bound` and `auc_loss_bound` hold with probability 1 - alpha for the
bins that `HistogramBinning` makes, whatever the distribution of the scores: continuous, with atoms
(trees, forests, rounded scores), or mixed. `clopper_pearson_limits` is their sister for bins fixed
in advance, or given the scores. The papers write delta for alpha.

Write N_i for the calibration points in bin i, theta_i = P(z = 1 | bin i), eta_i = P(bin i), hats
for their estimates, B for the number of bins, N for the size of the sample.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_scores
from calib.base.calibrator import Calibrator
from calib.base.options import check_choice, check_integer, check_positive


def bin_bounds(
    counts: ArrayLike | Calibrator,
    alpha: float,
    *,
    strategy: str = "quantile",
    n_bins: int | None = None,
    n_values: int | None = None,
) -> NDArray[np.float64]:
    r"""Bound all ``|theta^_i - theta_i|`` at once, with probability 1 - alpha.

    .. math::
        \sqrt{\frac{\log(2J/\alpha)}{2 N_i}} + \frac{2}{N_i - 2}

    for a bin i that holds N_i of the N calibration points. The probability theta_i = P(z = 1 | bin
    i) is estimated by theta^_i, the fraction of positives among these points. J counts the possible
    bins.

    Parameters
    ----------
    counts : HistogramBinning, or array-like of shape (B,)
        The fitted bins; or their ``counts_``, from left to right, where each unit is a case that is
        independent of the others.
    alpha : float
        Probability of failure, in (0, 1).
    strategy : {"quantile", "uniform"}, default="quantile"
        How the bins were made. ``"uniform"``: they were fixed in advance, so J = B and the last
        term is not needed.
    n_bins : int, optional
        The number of bins asked for, if it was chosen without the sample. Half of alpha then goes
        to the bins that hold just the ranks they hold without ties: J = 2B for these, and
        J = N (N + 1) for the others.
    n_values : int, optional
        The number G of different scores that the classifier can give, if it is known without the
        sample, as the leaves of a tree are. There are J = G (G + 1) / 2 possible bins, and the
        last term is not needed.

    Returns
    -------
    bounds : ndarray of shape (B,)
        At most 1. A bound of 1 says nothing.

    Raises
    ------
    ValueError
        If `counts` are not whole numbers or bins of weighted rows, or an argument is out of range.

    Notes
    -----
    Otherwise J = N (N + 1) / 2, the number of pairs of ranks between which a bin may lie. Ties
    decide which ranks it holds, and the union bound covers all pairs. O(B + n_bins).

    Examples
    --------
    >>> bin_bounds([100] * 10, 0.05, n_bins=10)[0].round(3)
    np.float64(0.203)
    >>> bin_bounds([20, 980], 0.05).round(3)
    array([0.759, 0.095])
    >>> bin_bounds([400, 600], 0.05, n_values=12).round(3)
    array([0.1  , 0.082])
    """
    n_points = _whole_counts(counts)
    check_positive(alpha, "alpha", below=1)
    check_choice(strategy, ["quantile", "uniform"], "strategy")
    cut_from_scores = strategy == "quantile" and n_values is None
    if strategy == "uniform":
        n_possible: float | NDArray[np.float64] = n_points.size
    elif n_values is not None:
        check_integer(n_values, "n_values", minimum=n_points.size)
        n_possible = n_values * (n_values + 1) / 2
    else:
        n_possible = _pairs_of_ranks(n_points, n_bins)
    with np.errstate(divide="ignore"):
        bounds = np.sqrt(np.log(2 * n_possible / alpha) / (2 * n_points))
        if cut_from_scores:
            bounds += np.where(n_points > 2, 2 / np.abs(n_points - 2), np.inf)
    return np.minimum(bounds, 1.0)


def mce_bound(
    counts: ArrayLike | Calibrator,
    alpha: float,
    *,
    strategy: str = "quantile",
    n_bins: int | None = None,
    n_values: int | None = None,
) -> float:
    """Bound the maximum calibration error, with probability 1 - alpha.

    The bound is the largest of the `bin_bounds`, for any distribution of the scores. The parameters
    are the same as in `bin_bounds`.

    Returns
    -------
    bound : float

    Examples
    --------
    >>> print(round(mce_bound([100] * 10, 0.05, n_bins=10), 3))
    0.203
    >>> from calib import HistogramBinning
    >>> scores, labels = [i / 1000 for i in range(1000)], [0, 1] * 500
    >>> print(round(mce_bound(HistogramBinning(n_bins=10).fit(scores, labels), 0.05, n_bins=10), 3))
    0.203
    """
    bounds = bin_bounds(counts, alpha, strategy=strategy, n_bins=n_bins, n_values=n_values)
    return float(bounds.max())


def ece_bound(
    counts: ArrayLike | Calibrator,
    alpha: float,
    *,
    strategy: str = "quantile",
    n_bins: int | None = None,
    n_values: int | None = None,
) -> float:
    r"""Bound the expected calibration error, with probability 1 - alpha.

    .. math::
        &\sum_i \frac{N_i}{N} \epsilon_i + t \sum_i \lvert \epsilon_{i+1} - \epsilon_i \rvert,

        &t = \sqrt{\frac{\log(4/\alpha)}{2N}}

    where bin i holds :math:`N_i` of the N calibration points, and :math:`\epsilon_i` is the number
    that `bin_bounds` returns for bin i and alpha/2. If the largest :math:`\epsilon_i` is smaller
    than this sum, the largest :math:`\epsilon_i` is the bound. The bound holds for any distribution
    of the scores. The parameters are the same as in `bin_bounds`.

    Returns
    -------
    bound : float

    Notes
    -----
    The expected calibration error weights bin i by its probability eta_i = P(bin i), which is not
    known. The first term takes the fraction N_i/N in its place. The second term bounds the effect
    of the differences between these fractions and the probabilities, by the inequality of
    Dvoretzky, Kiefer and Wolfowitz. For continuous scores the mean error is several times smaller.

    Examples
    --------
    >>> print(round(ece_bound([20, 980], 0.05), 3))
    0.142
    """
    bounds = bin_bounds(counts, alpha / 2, strategy=strategy, n_bins=n_bins, n_values=n_values)
    return _mean_bound(bounds, _whole_counts(counts), alpha)


def auc_loss_bound(
    counts: ArrayLike | Calibrator,
    alpha: float,
    *,
    base_rate: float,
    strategy: str = "quantile",
    n_bins: int | None = None,
    n_values: int | None = None,
) -> float:
    r"""Bound the loss AUC(score) - AUC(calibrated score), with probability 1 - alpha.

    .. math::
        &\frac12 \max_i \frac{N_i}{N} + t
        + \frac{\min(\bar\epsilon, \tfrac12 \max_i \epsilon_i)}{p (1 - p)},

        &t = \sqrt{\frac{\log(4/\alpha)}{2N}}

    where bin i holds :math:`N_i` of the N calibration points, and p is the base rate. The number
    :math:`\epsilon_i` is returned by `bin_bounds` for bin i and alpha/2, and :math:`\bar\epsilon`
    is the `ece_bound`.

    Parameters
    ----------
    base_rate : float
        p = P(z = 1), in (0, 1), of the population. If you pass the fraction of positives of the
        sample, the bound is approximate. The other parameters are the same as in `bin_bounds`.

    Returns
    -------
    bound : float
        May exceed 1, where it says nothing.

    Notes
    -----
    The bound adds up two losses: pairs inside one bin, and pairs of bins in the wrong order. The
    loss by pairs of bins in the wrong order is at most the expected calibration error over p (1 -
    p), and at most half of the largest error over p (1 - p). The bound holds for any distribution.

    Examples
    --------
    >>> print(round(auc_loss_bound([10_000] * 100, 0.05, base_rate=0.5, n_bins=100), 3))
    0.051
    """
    check_positive(base_rate, "base_rate", below=1)
    bounds = bin_bounds(counts, alpha / 2, strategy=strategy, n_bins=n_bins, n_values=n_values)
    n_points = _whole_counts(counts)
    error = min(_mean_bound(bounds, n_points, alpha), bounds.max() / 2)
    largest = n_points.max() / n_points.sum()
    label_variance = base_rate * (1 - base_rate)
    return float(largest / 2 + _uniform_deviation(n_points.sum(), alpha) + error / label_variance)


def clopper_pearson_limits(
    counts: ArrayLike, positives: ArrayLike, alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Simultaneous intervals of Clopper and Pearson for the probabilities of the bins.

    Parameters
    ----------
    counts, positives : array-like of shape (B,)
        ``HistogramBinning.counts_`` and ``positives_``.
    alpha : float
        Probability that some interval misses, in (0, 1). Each interval misses with probability at
        most alpha/B.

    Returns
    -------
    lower, upper : ndarray of shape (B,)
        In [0, 1]. An empty bin has [0, 1].

    Notes
    -----
    The intervals are valid for two targets, without a remainder term. The first target is
    theta_i = P(z = 1 | bin i). The intervals hold for it if the bins were fixed in advance, as with
    ``strategy="uniform"``. The second target is the mean of P(z = 1 | score) over the calibration
    scores in the bin. If alpha is at most 1/2, the intervals hold for it given the scores, for any
    distribution and for any bins cut from the scores. The reason is that the labels, given the
    scores, are independent with different probabilities. Their sum has lighter tails than with
    equal probabilities (Hoeffding, 1956). A single positive or negative is the exception, where the
    union bound replaces the limit of Clopper and Pearson. The intervals are narrower than
    `bin_bounds` where positives are rare.

    References
    ----------
    Clopper and Pearson (1934). Hoeffding (1956), Annals of Mathematical Statistics 27.

    Examples
    --------
    >>> lower, upper = clopper_pearson_limits([100, 100], [0, 50], 0.05)
    >>> lower.round(3), upper.round(3)
    (array([0.   , 0.385]), array([0.043, 0.615]))
    """
    n_points = _whole_counts(counts)
    n_positive = _whole_counts(positives, "positives", least=0)
    check_positive(alpha, "alpha", below=1)
    if n_positive.shape != n_points.shape or np.any(n_positive > n_points):
        raise ValueError("positives must be as many as counts, and none larger than its count")
    tail = alpha / (2 * n_points.size)
    return _lower_limit(n_points, n_positive, tail), 1 - _lower_limit(
        n_points, n_points - n_positive, tail
    )


def _lower_limit(counts, successes, tail):
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = beta.ppf(tail, successes, counts - successes + 1)
        union = tail / counts  # for one success: P(any) is at most the sum of the probabilities
    return np.select([successes > 1, successes == 1], [exact, union], 0.0)


def _pairs_of_ranks(counts, n_bins):
    """Number of possible bins over which the union bound of each bin runs."""
    n = counts.sum()
    if n_bins is None:
        return n * (n + 1) / 2
    check_integer(n_bins, "n_bins", minimum=counts.size)
    ends = np.cumsum(counts)
    # without ties, rank r (from 0) falls into bin floor(B (r + 1/2) / N)
    planned = np.ceil(np.arange(n_bins + 1) * n / n_bins - 0.5)
    start = np.searchsorted(planned, ends - counts)
    end = np.searchsorted(planned, ends)
    as_planned = (planned[start] == ends - counts) & (planned[end] == ends) & (end == start + 1)
    return np.where(as_planned, 2.0 * n_bins, n * (n + 1))


def _mean_bound(bounds, counts, alpha):
    """Bound of the mean of `bounds` over the bins, whose masses are unknown."""
    variation = np.abs(np.diff(bounds)).sum()
    total = counts.sum()
    mean = np.dot(counts, bounds) / total + variation * _uniform_deviation(total, alpha)
    return float(min(mean, bounds.max()))


def _uniform_deviation(n, alpha):
    """Bound of the error of the empirical distribution function, with probability 1 - alpha/2."""
    return np.sqrt(np.log(4 / alpha) / (2 * n))


def _whole_counts(
    counts: ArrayLike | Calibrator, name: str = "counts", least: int = 1
) -> NDArray[np.float64]:
    """Counts as a checked array, with a total of at least `least`."""
    given = _counts_of_bins(counts) if isinstance(counts, Calibrator) else counts
    checked = check_scores(given, name=name)
    if np.any(checked < 0) or np.any(checked != np.round(checked)) or checked.sum() < least:
        condition = ", not all zero" if least else ""
        raise ValueError(
            f"{name} must be whole numbers of calibration points{condition}; found "
            f"{checked[:5].tolist()}...: the bounds are for samples without weights"
        )
    return checked


def _counts_of_bins(binning):
    """Counts of fitted bins, which must be counts of rows: a weight makes no row more certain."""
    check_is_fitted(binning, ["counts_", "weighted_"])
    if binning.weighted_:
        raise ValueError(
            "counts must be bins of rows without weights: the bounds count independent cases; "
            "if each unit of weight is a case of its own, pass counts_"
        )
    return binning.counts_
