"""Tests of calibration where rows of one cluster, such as a patient, are not independent."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, hstack
from scipy.special import stdtr

from calib.base.options import RandomState, check_integer, check_random_state
from calib.kernels.ties import ties
from calib.metrics.samples import counted_sample
from calibkit.inference.clusters import cluster_codes, effective_clusters, runs_of_neighbours
from calibkit.inference.resampling_tests import resampling_p_values
from calibkit.inference.signed_range import signed_range
from calibkit.inference.significance import TestResult

MIN_EFFECTIVE_CLUSTERS = 20  # clusters of equal size, below which tests lose their level
MIN_RARE_CLUSTERS = 10  # equal clusters of the rarer class, below which tests lose their level
MAX_SCANNED_BLOCKS = 20  # blocks of neighbours, whose runs are scanned
MAX_SIGN_BUNDLES = 4000  # bundles of clusters, one drawn sign each
MIN_RARE_ROWS_IN_RUN = 10  # independent rows of the rarer class expected in a run that is scanned
RANGE_ROUNDING = 1e-12  # relative difference between ranges that differ by rounding only


class ClusterTests(NamedTuple):
    """Three tests of calibration for independent clusters, whose rows need not be independent.

    Attributes
    ----------
    bias, spiegelhalter : TestResult
        The sum of the residuals over its standard deviation, and the same with the residuals
        weighted as in `spiegelhalter_test`. The p values come from the t distribution. Its degrees
        of freedom are the number of clusters less one.
    kuiper : TestResult
        The range of the cumulative residuals over the standard deviation of their sum. Its p value
        comes from paths in which the residuals of a cluster change their signs together.
    effect : float
        Variance of the sum of the residuals, over its variance if the rows were independent; 1 or
        more. So many rows carry as much information as one independent row.
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

    with the correlation :math:`\hat\rho` computed with all :math:`a_i = 1`.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    clusters : array-like of shape (n,)
        Cluster of each row, as numbers or strings.
    n_resamples : int, default=999
        Number of paths for Kuiper's test.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the signs.
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows, all of one cluster. Not negative.

    Returns
    -------
    results : ClusterTests

    Raises
    ------
    ValueError
        For input that is not as described, and if there are too few clusters. Then the effective
        number of clusters, :math:`n^2 / \sum_c n_c^2`, is below 20, or it is below 10 when it is
        multiplied by the mean prediction or by 1 minus the mean prediction. The message names the
        argument.

    Notes
    -----
    O(n log n + n_resamples n). The second estimate is for rare positives. If few are observed by
    chance, the first estimate is too small just when the sum is low. The tests were tried on 1200
    to 5000 calibrated samples of each of 11 settings, with clusters whose rows are a little alike
    or equal. Each test rejected at most 6.5 % at the 5 % level; where the function refuses, up to
    14 %.

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
    >>> tests = cluster_tests(labels, probabilities, patients)
    >>> tests.kuiper.p_value > 0.05, kuiper_test(labels, probabilities).p_value < 0.05
    (True, True)
    """
    check_integer(n_resamples, "n_resamples")
    codes = cluster_codes(clusters, np.size(probabilities), sample_weight, other="probabilities")
    assert codes is not None  # because the clusters are not None
    outcomes, predicted, weights = counted_sample(labels, probabilities, sample_weight)
    sample = _ClusteredSample(
        labels=outcomes, probabilities=predicted, weights=weights, codes=codes
    )
    _check_enough_clusters(sample)
    bias = _test_of_sum(sample, np.ones(sample.labels.size))
    spiegelhalter = _test_of_sum(
        sample, 1 - 2 * sample.probabilities, correlation=bias.correlation
    ).result
    if_rows = np.dot(sample.weights, sample.probabilities * (1 - sample.probabilities))
    effect = max(1.0, bias.deviation**2 / if_rows) if if_rows > 0 else 1.0
    if np.any(sample.probabilities == 1.0 - sample.labels):
        refuted = TestResult(statistic=np.inf, p_value=0.0)
        return ClusterTests(bias=refuted, spiegelhalter=refuted, kuiper=refuted, effect=effect)
    if bias.deviation == 0:
        kuiper = TestResult(statistic=0.0, p_value=1.0)
    else:
        kuiper = _kuiper_by_signs(sample, bias, n_resamples, check_random_state(random_state))
    return ClusterTests(bias=bias.result, spiegelhalter=spiegelhalter, kuiper=kuiper, effect=effect)


class _ClusteredSample(NamedTuple):
    """Clean rows with counts, and the number of the cluster of each row, from 0."""

    labels: NDArray[np.uint8]
    probabilities: NDArray[np.float64]
    weights: NDArray[np.float64]
    codes: NDArray[np.int64]

    def part(self, rows):
        """Return some of the rows. Their clusters keep their numbers."""
        return _ClusteredSample(
            labels=self.labels[rows],
            probabilities=self.probabilities[rows],
            weights=self.weights[rows],
            codes=self.codes[rows],
        )


class _TestOfSum(NamedTuple):
    """The test of a sum of residuals.

    Attributes
    ----------
    result : TestResult
    deviation : float
        Standard deviation of the sum, the larger one of the two estimates.
    excess : float
        This deviation over the first estimate.
    correlation : float
        Correlation of the residuals within clusters.
    """

    result: TestResult
    deviation: float
    excess: float
    correlation: float


def _kuiper_by_signs(sample, bias, n_resamples, rng):
    """Kuiper's test by paths in which the residuals of a cluster change their signs together."""
    order = np.lexsort([sample.codes, sample.probabilities])
    steps = (sample.weights * (sample.labels - sample.probabilities))[order]
    ends_tie = np.append(np.diff(sample.probabilities[order]) > 0, True)
    codes = sample.codes[order]
    n_clusters = codes.max() + 1
    observed = signed_range(steps, ends_tie, codes, np.ones(n_clusters, np.int8))
    # with few clusters, as in the variance of a mean: one degree of freedom less
    limit = observed / bias.excess * math.sqrt(1 - 1 / n_clusters) * (1 - RANGE_ROUNDING)
    n_as_large = 0
    for _ in range(n_resamples):
        signs = 2 * rng.integers(0, 2, n_clusters, np.int8) - 1
        n_as_large += signed_range(steps, ends_tie, codes, signs) >= limit
    p_value = (1 + n_as_large) / (1 + n_resamples)
    return TestResult(statistic=float(observed / bias.deviation), p_value=float(p_value))


class _Runs(NamedTuple):
    """Runs of neighbouring blocks of predictions, in a part of the rows.

    Attributes
    ----------
    sums : csr_array of shape (n_bundles, n_blocks)
        Sums of the residuals of clusters, or of bundles of clusters, in the blocks.
    first, last : ndarray of shape (n_runs,)
        First block of each run, and the block after its last one.
    plain, variances : ndarray of shape (n_runs,)
        Sums of the squares of the clusters' sums of residuals over the run, and the estimates of
        the variance, which are at least as large.
    """

    sums: csr_array
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    plain: NDArray[np.float64]
    variances: NDArray[np.float64]

    def largest(self, block_sums, variances):
        """Largest sum of a run over its deviation, for each row of the sums of the blocks."""
        paths = np.pad(np.cumsum(block_sums, axis=1), ((0, 0), (1, 0)))
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

    The sum of the residuals in each run of neighbours is divided by its standard deviation, which
    is estimated as in `cluster_tests`. The largest quotient is compared with draws in which the
    residuals of a cluster change their signs together; many clusters are put into random bundles
    that share a sign. Runs and groups with too few rows of a class are left out. One of twenty
    calibrated samples has a p value up to 0.05.
    """
    rng = check_random_state(random_state)
    bundles = np.arange(clusters.max() + 1)
    if bundles.size > MAX_SIGN_BUNDLES:
        bundles = rng.integers(0, MAX_SIGN_BUNDLES, bundles.size)
    sample = _ClusteredSample(
        labels=labels, probabilities=probabilities, weights=weights, codes=clusters
    )
    correlation = _test_of_sum(sample, np.ones(labels.size)).correlation
    runs: dict[int | None, _Runs] = {None: _runs_of(sample, bundles, correlation)}
    if groups.min() < groups.max():
        for group in np.unique(groups).tolist():
            runs[group] = _runs_of(sample.part(groups == group), bundles, correlation)
    runs = {part: part_runs for part, part_runs in runs.items() if part_runs.first.size}
    if not runs:
        return {}
    sums = hstack([part_runs.sums for part_runs in runs.values()])
    signs = 2.0 * rng.integers(0, 2, (n_resamples, sums.shape[0])) - 1
    ends = np.cumsum([part_runs.sums.shape[1] for part_runs in runs.values()])
    drawn = np.split(signs @ sums, ends[:-1], axis=1)
    values = []
    for part_runs, draws in zip(runs.values(), drawn, strict=True):
        observed = part_runs.largest(part_runs.sums.sum(0)[np.newaxis], part_runs.variances)
        values.append(np.append(observed, part_runs.largest(draws, part_runs.plain)))
    _, adjusted = resampling_p_values(np.array(values), np.zeros(len(runs), bool))
    return dict(zip(runs, adjusted, strict=True))


def _runs_of(sample, bundles, correlation):
    """Runs of blocks in which enough rows of the rarer class are expected."""
    labels, probabilities, weights, codes = sample
    tied = ties(probabilities, labels, weights)
    ends = tied.scores[runs_of_neighbours(tied, MAX_SCANNED_BLOCKS)[1:-1]]
    blocks = np.searchsorted(ends, probabilities, side="right")
    spread = np.sqrt(probabilities * (1 - probabilities))
    shape = (bundles.size, ends.size + 1)
    residuals = weights * (labels - probabilities)
    sums = csr_array((residuals, (bundles[codes], blocks)), shape=shape)
    spreads = csr_array((weights * spread, (codes, blocks)), shape=shape)
    first, last = np.triu_indices(ends.size + 2, 1)

    def over_runs(products):
        return _sums_over_runs(products, first, last)

    def over_rows(values):
        return over_runs(np.diag(np.bincount(blocks, values)))

    plain = over_runs((sums.T @ sums).toarray())
    together = over_runs((spreads.T @ spreads).toarray())
    counts = over_rows(weights)
    expected = over_rows(weights * probabilities)
    apart = over_rows(weights * spread**2)
    model = apart + correlation * np.maximum(together - apart, 0)
    rarer = np.minimum(expected, counts - expected)
    tested = (rarer * apart >= MIN_RARE_ROWS_IN_RUN * model) & (plain > 0)
    return _Runs(
        sums=sums[:MAX_SIGN_BUNDLES],
        first=first[tested],
        last=last[tested],
        plain=plain[tested],
        variances=np.maximum(plain, model)[tested],
    )


def _sums_over_runs(products, first, last):
    """Sums over all pairs of blocks of a run, from a matrix with a value for each pair."""
    sums = np.pad(products.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    return sums[last, last] - 2 * sums[first, last] + sums[first, first]


def _check_enough_clusters(sample):
    rate = np.average(sample.probabilities, weights=sample.weights)
    rarer = min(rate, 1 - rate)
    effective = effective_clusters(sample.weights, sample.codes)
    if effective < MIN_EFFECTIVE_CLUSTERS or effective * rarer < MIN_RARE_CLUSTERS:
        raise ValueError(
            f"clusters holds {sample.codes.max() + 1} clusters, which tell as much as "
            f"{effective:.3g} of equal size, and of these {effective * rarer:.3g} of the rarer "
            "class are expected: no test holds its level with fewer than "
            f"{MIN_EFFECTIVE_CLUSTERS}, or {MIN_RARE_CLUSTERS} of a class; collect more"
        )


def _test_of_sum(sample, slopes, *, correlation=None):
    """Test the sum of the residuals times the slopes.

    The correlation of the residuals within clusters is estimated if it is not given.
    """
    labels, probabilities, weights, codes = sample
    residuals = slopes * (labels - probabilities)
    spread = slopes * np.sqrt(probabilities * (1 - probabilities))
    sums = np.bincount(codes, weights * residuals)
    apart = np.dot(weights, spread**2)
    plain = np.dot(sums, sums)
    # the sum over pairs of different rows is less than 0 where slopes of both signs cancel
    together = np.sum(np.bincount(codes, weights * spread) ** 2) - apart
    if correlation is None:
        products = plain - np.dot(weights, np.square(residuals))
        correlation = max(0.0, products) / together if together > 1e-9 * apart else 0.0
    if plain == 0:
        result = TestResult(statistic=0.0, p_value=1.0)
        return _TestOfSum(result=result, deviation=0.0, excess=1.0, correlation=correlation)
    variance = max(plain, apart + correlation * together)
    excess = math.sqrt(variance / plain)
    n_clusters = sums.size
    centred = sums - sums.mean()
    error = math.sqrt(np.dot(centred, centred) * n_clusters / (n_clusters - 1))
    t = sums.sum() / (error * excess) if error > 0 else math.copysign(np.inf, sums.sum())
    p_value = float(2 * stdtr(n_clusters - 1, -abs(t)))
    return _TestOfSum(
        result=TestResult(statistic=float(t), p_value=p_value),
        deviation=math.sqrt(variance),
        excess=excess,
        correlation=correlation,
    )
