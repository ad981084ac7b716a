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

from calib.contract.calibrator import Calibrator
from calib.contract.options import check_choice, check_integer, check_positive
from calib.contract.validation import check_scores


def bin_bounds(
    counts: ArrayLike | Calibrator,
    alpha: float,
    *,
    strategy: str = "quantile",
    n_bins: int | None = None,
    n_values: int | None = None,
) -> NDArray[np.float64]:
    r"""With probability 1 - alpha each ``|theta^_i - theta_i|`` is at most this, for all i at once.

    .. math::
        \sqrt{\frac{\log(2J/\alpha)}{2 N_i}} + \frac{2}{N_i - 2}

    Parameters
    ----------
    counts : HistogramBinning, or array-like of shape (B,)
        The fitted bins; or their ``counts_``, from left to right, where each unit is a case of
        its own, independent of the others.
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
        At most 1, where they say nothing.

    Raises
    ------
    ValueError
        If `counts` are not whole numbers or bins of weighted rows, or an argument is out of range.

    Notes
    -----
    Else J = N (N + 1) / 2, the number of pairs of ranks between which a bin may lie: ties decide
    which ranks it holds, and the union bound covers them all. O(B + n_bins).

    Examples
    --------
    >>> bin_bounds([100] * 10, 0.05, n_bins=10)[0].round(3)
    np.float64(0.203)
    >>> bin_bounds([20, 980], 0.05).round(3)
    array([0.759, 0.095])
    >>> bin_bounds([400, 600], 0.05, n_values=12).round(3)
    array([0.1  , 0.082])
    """
    counts = _counts(counts)
    check_positive(alpha, "alpha", below=1)
    check_choice(strategy, ["quantile", "uniform"], "strategy")
    cut_from_scores = strategy == "quantile" and n_values is None
    if strategy == "uniform":
        possible = counts.size
    elif n_values is not None:
        check_integer(n_values, "n_values", minimum=counts.size)
        possible = n_values * (n_values + 1) / 2
    else:
        possible = _pairs_of_ranks(counts, n_bins)
    with np.errstate(divide="ignore"):
        bounds = np.sqrt(np.log(2 * possible / alpha) / (2 * counts))
        if cut_from_scores:
            bounds += np.where(counts > 2, 2 / np.abs(counts - 2), np.inf)
    return np.minimum(bounds, 1.0)


def mce_bound(
    counts: ArrayLike | Calibrator,
    alpha: float,
    *,
    strategy: str = "quantile",
    n_bins: int | None = None,
    n_values: int | None = None,
) -> float:
    """With probability 1 - alpha the maximum calibration error is at most this.

    The largest of `bin_bounds`, whose parameters these are, for any distribution of the scores.

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
    known = {"strategy": strategy, "n_bins": n_bins, "n_values": n_values}
    return float(bin_bounds(counts, alpha, **known).max())


def ece_bound(
    counts: ArrayLike | Calibrator,
    alpha: float,
    *,
    strategy: str = "quantile",
    n_bins: int | None = None,
    n_values: int | None = None,
) -> float:
    r"""With probability 1 - alpha the expected calibration error is at most this.

    .. math::
        &\sum_i \frac{N_i}{N} \epsilon_i + t \sum_i \lvert \epsilon_{i+1} - \epsilon_i \rvert,

        &t = \sqrt{\frac{\log(4/\alpha)}{2N}}

    with the `bin_bounds` epsilon_i for alpha/2, or the largest of them if that is smaller.
    Parameters are those of `bin_bounds`; it holds for any distribution of the scores.

    Returns
    -------
    bound : float

    Notes
    -----
    The masses eta_i are not known; the second term is what they can differ from N_i/N, by the
    inequality of Dvoretzky, Kiefer and Wolfowitz. For continuous scores the mean error is several
    times smaller.

    Examples
    --------
    >>> print(round(ece_bound([20, 980], 0.05), 3))
    0.142
    """
    known = {"strategy": strategy, "n_bins": n_bins, "n_values": n_values}
    return _weighted(bin_bounds(counts, alpha / 2, **known), _counts(counts), alpha)


def auc_loss_bound(
    counts: ArrayLike | Calibrator,
    alpha: float,
    *,
    base_rate: float,
    strategy: str = "quantile",
    n_bins: int | None = None,
    n_values: int | None = None,
) -> float:
    r"""With probability 1 - alpha, AUC(score) - AUC(calibrated score) is at most this.

    .. math::
        &\frac12 \max_i \frac{N_i}{N} + t
        + \frac{\min(\bar\epsilon, \tfrac12 \max_i \epsilon_i)}{p (1 - p)},

        &t = \sqrt{\frac{\log(4/\alpha)}{2N}}

    with the `bin_bounds` epsilon_i for alpha/2 and their mean as in `ece_bound`.

    Parameters
    ----------
    base_rate : float
        p = P(z = 1), in (0, 1), of the population; with the fraction of the sample in its place the
        bound is approximate. The others are those of `bin_bounds`.

    Returns
    -------
    bound : float
        May exceed 1, where it says nothing.

    Notes
    -----
    Pairs inside one bin, and pairs of bins in the wrong order, whose loss is at most the expected
    calibration error, and half of the largest error, over p (1 - p). For any distribution.

    Examples
    --------
    >>> print(round(auc_loss_bound([10_000] * 100, 0.05, base_rate=0.5, n_bins=100), 3))
    0.051
    """
    check_positive(base_rate, "base_rate", below=1)
    known = {"strategy": strategy, "n_bins": n_bins, "n_values": n_values}
    bounds, counts = bin_bounds(counts, alpha / 2, **known), _counts(counts)
    error = min(_weighted(bounds, counts, alpha), bounds.max() / 2)
    largest = counts.max() / counts.sum()
    spread = base_rate * (1 - base_rate)
    return float(largest / 2 + _uniform_deviation(counts.sum(), alpha) + error / spread)


def clopper_pearson_limits(
    counts: ArrayLike, positives: ArrayLike, alpha: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Simultaneous intervals of Clopper and Pearson for the probabilities of the bins.

    Parameters
    ----------
    counts, positives : array-like of shape (B,)
        ``HistogramBinning.counts_`` and ``positives_``.
    alpha : float
        Probability that some interval misses, in (0, 1); each has alpha/B of it.

    Returns
    -------
    lower, upper : ndarray of shape (B,)
        In [0, 1]; an empty bin has [0, 1].

    Notes
    -----
    Without a remainder, for two targets. For theta_i if the bins were fixed in advance, as with
    ``strategy="uniform"``. And, for any bins cut from the scores and any distribution, given the
    scores, for the mean of P(z = 1 | score) over the calibration scores in the bin, if alpha is
    at most 1/2: the labels are then independent with different probabilities, and their sum has
    lighter tails than with equal ones (Hoeffding, 1956), but for a single positive or negative,
    where the union bound replaces Clopper and Pearson's limit. Narrower than `bin_bounds` where
    positives are rare.

    References
    ----------
    Clopper and Pearson (1934). Hoeffding (1956), Annals of Mathematical Statistics 27.

    Examples
    --------
    >>> lower, upper = clopper_pearson_limits([100, 100], [0, 50], 0.05)
    >>> lower.round(3), upper.round(3)
    (array([0.   , 0.385]), array([0.043, 0.615]))
    """
    counts, positives = _counts(counts), _counts(positives, "positives", least=0)
    check_positive(alpha, "alpha", below=1)
    if positives.shape != counts.shape or np.any(positives > counts):
        raise ValueError("positives must be as many as counts, and none larger than its count")
    tail = alpha / (2 * counts.size)
    negatives = counts - positives
    return _lower_limit(counts, positives, tail), 1 - _lower_limit(counts, negatives, tail)


def _lower_limit(counts, successes, tail):
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = beta.ppf(tail, successes, counts - successes + 1)
        union = tail / counts  # for one success: P(any) is at most the sum of the probabilities
    return np.select([successes > 1, successes == 1], [exact, union], 0.0)


def _pairs_of_ranks(counts, n_bins):
    """How many possible bins the union bound of each bin counts."""
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


def _weighted(bounds, counts, alpha):
    """Bound of the mean of `bounds` over the unknown masses of the bins."""
    variation = np.abs(np.diff(bounds)).sum()
    total = counts.sum()
    mean = np.dot(counts, bounds) / total + variation * _uniform_deviation(total, alpha)
    return float(min(mean, bounds.max()))


def _uniform_deviation(n, alpha):
    """What the empirical distribution function leaves the true one by, but for alpha/2."""
    return np.sqrt(np.log(4 / alpha) / (2 * n))


def _counts(counts, name="counts", least=1):
    if isinstance(counts, Calibrator):
        counts = _counts_of_bins(counts)
    counts = check_scores(counts, name=name)
    if np.any(counts < 0) or np.any(counts != np.round(counts)) or counts.sum() < least:
        raise ValueError(
            f"{name} must be whole numbers of calibration points{', not all zero' * least}; found "
            f"{counts[:5].tolist()}...: the bounds are for samples without weights"
        )
    return counts


def _counts_of_bins(binning):
    """Counts of fitted bins, if they are counts of rows: a weight makes no row more certain."""
    check_is_fitted(binning, ["counts_", "weighted_"])
    if binning.weighted_:
        raise ValueError(
            "counts must be bins of rows without weights: the bounds count independent cases; "
            "if each unit of weight is a case of its own, pass counts_"
        )
    return binning.counts_
