"""Tests of calibration where rows of one cluster, such as a patient, are not independent."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, hstack
from scipy.special import stdtr

from calib.base.options import RandomState, check_integer, check_random_state
from calib.kernels.ties import ties
from calib.metrics.samples import counted
from calibkit.inference.clusters import cluster_codes, equal_clusters, neighbours
from calibkit.inference.resampling_tests import p_values_of
from calibkit.inference.signed_range import signed_range
from calibkit.inference.significance import TestResult

MIN_EQUAL_CLUSTERS = 20  # clusters of equal size, below which tests lose their level
MIN_RARE_CLUSTERS = 10  # equal clusters of the rarer class, below which tests lose their level
MAX_SCANNED_BLOCKS = 20  # blocks of neighbours, whose runs are scanned
MAX_SIGN_BUNDLES = 4000  # bundles of clusters, one drawn sign each
MIN_RARE_ROWS_IN_RUN = 10  # independent rows of the rarer class expected in a run that is scanned
RANGE_ROUNDING = 1e-12  # relative difference between ranges that differ by rounding only


class ClusterTests(NamedTuple):
    """Three tests of calibration that take clusters, not rows, as independent.

    Attributes
    ----------
    bias, spiegelhalter : TestResult
        The sum of the residuals, and of those weighted as in `spiegelhalter_test`, over its
        standard deviation, with the p value of the t law of as many degrees of freedom as there are
        clusters less one.
    kuiper : TestResult
        The range of the cumulative residuals over the standard deviation of their sum; its p value
        is that of paths in which the residuals of a cluster change their signs together.
    effect : float
        Variance of the sum of the residuals over that of independent rows, 1 or more: so many rows
        tell as much as one that is independent.
    """

    bias: TestResult
    spiegelhalter: TestResult
    kuiper: TestResult
    effect: float


def cluster_tests(
    labels: ArrayLike,
    probabilities: ArrayLike,
    clusters: ArrayLike,
    *,
    n_resamples: int = 999,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
) -> ClusterTests:
    r"""Test calibration where rows of one cluster (a patient, an account) are not independent.

    The variance of a sum of residuals :math:`r_i = a_i (z_i - p_i)` of calibrated predictions is
    the larger one of two estimates, with :math:`v_i = a_i^2 p_i (1 - p_i)`:

    .. math::
        \begin{aligned}
        &\sum_c \Big(\sum_{i \in c} r_i\Big)^2 , \\
        &\sum_i v_i + \hat\rho \sum_c \sum_{i \ne j \in c} \sqrt{v_i v_j} , \\
        &\hat\rho = \frac{\sum_c \sum_{i \ne j \in c} r_i r_j}
                         {\sum_c \sum_{i \ne j \in c} \sqrt{v_i v_j}} ,
        \end{aligned}

    the correlation with all :math:`a_i = 1`.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    clusters : array-like of shape (n,)
        Cluster of each row: numbers or strings.
    n_resamples : int, default=999
        Number of paths for Kuiper's test.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the signs.
    sample_weight : array-like of shape (n,), optional
        Counts: a row of weight w stands for w rows. Not negative.
        The rows that a weight stands for are of one cluster.

    Returns
    -------
    results : ClusterTests

    Raises
    ------
    ValueError
        For input that is not as described; and if there are too few clusters: if the number of
        clusters of equal size that tell as much, :math:`n^2 / \sum_c n_c^2`, is below 20, or below
        10 when multiplied by the mean prediction or one less it. The message names the argument.

    Notes
    -----
    O(n log n + n_resamples n). The second estimate is for rare positives: where few came by chance,
    the first is too small just when the sum is low. Of 1200 to 5000 calibrated samples of each of
    11 settings, with clusters whose rows are alike a little or equal, each rejected at most 6.5 %
    at the 5 % level; where the function refuses, up to 14 %.

    References
    ----------
    Liang and Zeger (1986) for the variances; Cameron, Gelbach and Miller (2008) for the signs.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.inference import cluster_tests, kuiper_test
    >>> rng = np.random.default_rng(7)
    >>> patients = np.repeat(np.arange(500), 8)  # each with eight equal rows
    >>> probabilities = np.full(4000, 0.3)
    >>> labels = (rng.random(500) < 0.3)[patients]
    >>> found = cluster_tests(labels, probabilities, patients)
    >>> found.kuiper.p_value > 0.05, kuiper_test(labels, probabilities).p_value < 0.05
    (True, True)
    """
    check_integer(n_resamples, "n_resamples")
    codes = cluster_codes(clusters, np.size(probabilities), sample_weight, other="probabilities")
    labels, probabilities, weights = counted(labels, probabilities, sample_weight)
    _check_enough(probabilities, weights, codes)
    ones = np.ones(labels.size)
    bias, deviation, excess, rho = _judged(labels, probabilities, weights, codes, ones)
    brier = _judged(labels, probabilities, weights, codes, 1 - 2 * probabilities, rho)[0]
    if_rows = np.dot(weights, probabilities * (1 - probabilities))
    effect = max(1.0, deviation**2 / if_rows) if if_rows > 0 else 1.0
    if np.any(probabilities == 1.0 - labels):
        return ClusterTests(*[TestResult(np.inf, 0.0)] * 3, effect)
    if deviation == 0:
        return ClusterTests(bias, brier, TestResult(0.0, 1.0), effect)
    order = np.lexsort([codes, probabilities])
    residuals = (weights * (labels - probabilities))[order]
    path = residuals, np.append(np.diff(probabilities[order]) > 0, True), codes[order]
    n_clusters, rng = codes.max() + 1, check_random_state(random_state)
    found = signed_range(*path, np.ones(n_clusters, np.int8))
    # with few clusters, as in the variance of a mean: one degree of freedom less
    least = found / excess * math.sqrt(1 - 1 / n_clusters) * (1 - RANGE_ROUNDING)
    draws = (2 * rng.integers(0, 2, n_clusters, np.int8) - 1 for _ in range(n_resamples))
    as_large = sum(signed_range(*path, signs) >= least for signs in draws)
    p_value = float((1 + as_large) / (1 + n_resamples))
    kuiper = TestResult(float(found / deviation), p_value)
    return ClusterTests(bias, brier, kuiper, effect)


class _Runs(NamedTuple):
    """Runs of neighbours in a part of the rows.

    Attributes
    ----------
    sums : csr_array of shape (n_bundles, n_blocks)
        Of the residuals of clusters, or of bundles of them.
    first, last : ndarray of shape (n_runs,)
        Block of the run that comes first, and the one behind its last.
    plain, variances : ndarray of shape (n_runs,)
        Sums of the squares of these sums of residuals, and what is taken for the variance.
    """

    sums: csr_array
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    plain: NDArray[np.float64]
    variances: NDArray[np.float64]

    def largest(self, sums, variances):
        """Largest of the sums of runs over their deviations, for each row of sums of blocks."""
        paths = np.pad(np.cumsum(sums, axis=1), ((0, 0), (1, 0)))
        sums = np.abs(paths[:, self.last] - paths[:, self.first])
        return np.max(sums / np.sqrt(variances), axis=1)


def cluster_scan(
    labels: NDArray[np.uint8],
    probabilities: NDArray[np.float64],
    clusters: NDArray[np.int64],
    groups: NDArray[np.int64],
    weights: NDArray[np.float64],
    n_resamples: int = 999,
    random_state: RandomState = 0,
) -> dict[int | None, float]:
    """P values of all rows (None) and of the groups, by number: one test of all ranges at once.

    Of each run of neighbours the sum of the residuals is divided by its standard deviation, whose
    estimate is that of `cluster_tests`; the law of the largest one is that of residuals whose
    clusters change their signs, at random bundles of them where they are many. Runs and groups that
    hold too little are left out. Of calibrated samples one of twenty has a p value up to 0.05.
    """
    rng = check_random_state(random_state)
    bundles = np.arange(clusters.max() + 1)
    bundles = (
        bundles
        if bundles.size <= MAX_SIGN_BUNDLES
        else rng.integers(0, MAX_SIGN_BUNDLES, bundles.size)
    )
    rho = _judged(labels, probabilities, weights, clusters, np.ones(labels.size))[3]
    parts = {None: slice(None)}
    if groups.min() < groups.max():
        parts |= {group: groups == group for group in np.unique(groups).tolist()}
    columns = labels, probabilities, weights, clusters
    runs = {
        part: _runs_of(*(column[rows] for column in columns), bundles, rho)
        for part, rows in parts.items()
    }
    runs = {part: found for part, found in runs.items() if found.first.size}
    if not runs:
        return {}
    sums = hstack([part.sums for part in runs.values()])
    signs = 2.0 * rng.integers(0, 2, (n_resamples, sums.shape[0])) - 1
    ends = np.cumsum([part.sums.shape[1] for part in runs.values()])
    drawn = np.split(signs @ sums, ends[:-1], axis=1)
    found = []
    for part, draws in zip(runs.values(), drawn, strict=True):
        ours = part.largest(part.sums.sum(0)[np.newaxis], part.variances)
        found.append(np.append(ours, part.largest(draws, part.plain)))
    adjusted = p_values_of(np.array(found), np.zeros(len(runs), bool))[1]
    return dict(zip(runs, adjusted, strict=True))


def _runs_of(labels, probabilities, weights, clusters, bundles, rho):
    """Runs in which enough of the rarer class is expected."""
    tied = ties(probabilities, labels, weights)
    ends = tied.scores[neighbours(tied, MAX_SCANNED_BLOCKS)[1:-1]]
    blocks = np.searchsorted(ends, probabilities, side="right")
    spread = np.sqrt(probabilities * (1 - probabilities))
    sums, spreads = (
        csr_array((weights * column, (rows, blocks)), shape=(bundles.size, ends.size + 1))
        for column, rows in ((labels - probabilities, bundles[clusters]), (spread, clusters))
    )
    first, last = np.triu_indices(ends.size + 2, 1)
    plain, together = (_sums_over_runs((x.T @ x).toarray(), first, last) for x in (sums, spreads))
    columns = (weights, weights * probabilities, weights * spread**2)
    diagonals = (np.diag(np.bincount(blocks, column)) for column in columns)
    counts, expected, apart = (_sums_over_runs(products, first, last) for products in diagonals)
    model = apart + rho * np.maximum(together - apart, 0)
    rarer = np.minimum(expected, counts - expected)
    known = (rarer * apart >= MIN_RARE_ROWS_IN_RUN * model) & (plain > 0)
    runs = first, last, plain, np.maximum(plain, model)
    return _Runs(sums[:MAX_SIGN_BUNDLES], *(column[known] for column in runs))


def _sums_over_runs(products, first, last):
    """Sums over pairs of blocks of a run, from those of each pair."""
    sums = np.pad(products.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    return sums[last, last] - 2 * sums[first, last] + sums[first, first]


def _check_enough(probabilities, weights, codes):
    rate = np.average(probabilities, weights=weights)
    rarer = min(rate, 1 - rate)
    equal = equal_clusters(weights, codes)
    if equal < MIN_EQUAL_CLUSTERS or equal * rarer < MIN_RARE_CLUSTERS:
        raise ValueError(
            f"clusters holds {codes.max() + 1} clusters, which tell as much as {equal:.3g} of "
            f"equal size, and of these {equal * rarer:.3g} of the rarer class are expected: no "
            f"test holds its level with fewer than {MIN_EQUAL_CLUSTERS}, or {MIN_RARE_CLUSTERS} of "
            "a class; collect more"
        )


def _judged(labels, probabilities, weights, codes, slopes, rho=None):
    """Test of the sum of the residuals times the slopes; its deviation, and that over the plain.

    Last, the correlation `rho` of the residuals within clusters, estimated if it is not given.
    """
    residuals = slopes * (labels - probabilities)
    spread = slopes * np.sqrt(probabilities * (1 - probabilities))
    sums, apart = np.bincount(codes, weights * residuals), np.dot(weights, spread**2)
    plain = np.dot(sums, sums)
    # of pairs of different rows, less than 0 where slopes of both signs cancel
    together = np.sum(np.bincount(codes, weights * spread) ** 2) - apart
    if rho is None:
        products = plain - np.dot(weights, np.square(residuals))
        rho = max(0.0, products) / together if together > 1e-9 * apart else 0.0
    if plain == 0:
        return TestResult(0.0, 1.0), 0.0, 1.0, rho
    variance = max(plain, apart + rho * together)
    excess, n_clusters = math.sqrt(variance / plain), sums.size
    centred = sums - sums.mean()
    about = math.sqrt(np.dot(centred, centred) * n_clusters / (n_clusters - 1))
    t = sums.sum() / (about * excess) if about > 0 else math.copysign(np.inf, sums.sum())
    p_value = float(2 * stdtr(n_clusters - 1, -abs(t)))
    return TestResult(float(t), p_value), math.sqrt(variance), excess, rho
