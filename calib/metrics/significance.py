"""Tests of calibration on one sample."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtr

from calib.contract.options import check_flag
from calib.contract.validation import check_sample
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import group_ties
from calib.metrics.binned import bin_sample
from calib.metrics.samples import counted

# Of the highest point of a path that is read at n times only: what it lacks to that of Brownian
# motion, in standard deviations of a step (Chernoff 1965, Siegmund 1979)
OVERSHOOT = 0.5825971579390106


class TestResult(NamedTuple):
    """A statistic, and the probability of a larger one if the predictions are calibrated."""

    __test__ = False  # this is no test of pytest's

    statistic: float
    p_value: float


def spiegelhalter_test(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> TestResult:
    r"""Spiegelhalter's Z, two-sided: test whether the Brier score is what calibration implies.

    .. math:: Z = \frac{\sum (z_i - p_i)(1 - 2 p_i)}{\sqrt{\sum (1 - 2 p_i)^2 p_i (1 - p_i)}}

    Parameters
    ----------
    {sample}
    {counts}

    Returns
    -------
    result : TestResult
        Z, standard normal for calibrated predictions: positive if the Brier score is too large,
        as of predictions too far from 1/2; and the probability of a larger ``|Z|``.

    {raises}

    Notes
    -----
    O(n). It has no power against errors that leave the Brier score as expected: those of
    predictions near 1/2, or the same bias on both sides of 1/2.

    References
    ----------
    Spiegelhalter (1986).

    Examples
    --------
    >>> from calib.metrics import spiegelhalter_test
    >>> result = spiegelhalter_test([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.9, 0.9, 0.9, 0.9])
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (1.905, 0.057)
    """
    labels, probabilities, weights = counted(labels, probabilities, sample_weight)
    if impossible(labels, probabilities):
        return TestResult(np.inf, 0.0)
    slopes = 1 - 2 * probabilities
    variance = np.dot(weights, slopes**2 * probabilities * (1 - probabilities))
    if variance == 0:  # predictions of 0, 1/2 and 1 only: nothing to be judged
        return TestResult(0.0, 1.0)
    z = np.dot(weights, (labels - probabilities) * slopes) / math.sqrt(variance)
    return TestResult(float(z), float(2 * ndtr(-abs(z))))


def hosmer_lemeshow_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    in_sample: bool = False,
    sample_weight: ArrayLike | None = None,
) -> TestResult:
    r"""Hosmer and Lemeshow's chi-squared test over bins of equal size.

    .. math:: \sum_k \frac{(m_k - n_k \bar p_k)^2}{n_k \bar p_k (1 - \bar p_k)}

    Parameters
    ----------
    {sample}
    n_bins : int, default=10
        Number K of bins; ties are not split, and fewer result where they fill several bins.
    in_sample : bool, default=False
        Whether these labels are those that the predictions were fitted to, by logistic regression.
        If so, there are K - 2 degrees of freedom, else K.
    {counts}

    Returns
    -------
    result : TestResult

    Raises
    ------
    ValueError
        For input that is not as described, or with fewer than three bins and `in_sample`; the
        message names the argument.

    Notes
    -----
    O(n log n). The two usual mistakes are K - 2 degrees of freedom for new data, which rejects
    calibrated predictions too often, and bins that expect fewer than about five positives or
    negatives, where chi-squared is no good approximation. The answer depends on the number of bins.

    References
    ----------
    Hosmer and Lemeshow (1980).

    Examples
    --------
    >>> from calib.metrics import hosmer_lemeshow_test
    >>> result = hosmer_lemeshow_test([0, 1, 0, 1], [0.2, 0.2, 0.6, 0.6], n_bins=2)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (1.208, 0.547)
    """
    check_flag(in_sample, "in_sample")
    labels, probabilities, weights = counted(labels, probabilities, sample_weight)
    curve = bin_sample(
        labels, probabilities, weights, n_bins=n_bins, strategy="quantile", ties="group"
    )
    freedom = curve.counts.size - 2 * in_sample
    if freedom < 1:
        raise ValueError(
            f"n_bins must give three bins or more for predictions in_sample; found "
            f"{curve.counts.size}: take more, or break ties"
        )
    if impossible(labels, probabilities):
        return TestResult(np.inf, 0.0)
    variance = curve.totals * (1 - curve.predicted)
    there = variance > 0
    deviation = np.square(curve.positives - curve.totals)[there]
    statistic = float(np.sum(deviation / variance[there]))
    return TestResult(statistic, float(chdtrc(freedom, statistic)))


def kuiper_test(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> TestResult:
    r"""Kuiper's test: judge the largest bias over an interval of predictions.

    Parameters
    ----------
    {sample}
    {counts}

    Returns
    -------
    result : TestResult
        The range of the cumulative residuals over :math:`\sqrt{\sum p_i (1 - p_i)}`, and its p
        value.

    {raises}

    Notes
    -----
    O(n log n). The p value is that of the range of Brownian motion (Feller 1951). The residuals are
    read at n times only, which misses on average 0.58 standard deviations of a step at either end;
    they are added before the p value is looked up, else the test of 200 rows rejects 4 calibrated
    samples of 100 and not 5. With many ties the test rejects fewer than it may. Every departure
    from calibration is found as n grows.

    References
    ----------
    Arrieta-Ibarra et al. (2022); Feller (1951); Siegmund (1979).

    Examples
    --------
    >>> from calib.metrics import kuiper_test
    >>> result = kuiper_test([0] * 30, [0.1, 0.2, 0.3] * 10)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (2.798, 0.01)
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    if impossible(labels, probabilities):
        return TestResult(np.inf, 0.0)
    groups = group_ties(probabilities, labels, weights)
    deviation = math.sqrt(np.dot(groups.weights, groups.scores * (1 - groups.scores)))
    if deviation == 0:
        return TestResult(0.0, 1.0)
    path = prefix_sums(groups.positives - groups.weights * groups.scores)
    statistic = float(np.ptp(path) / deviation)
    correction = 2 * OVERSHOOT / math.sqrt(groups.weights.sum())
    return TestResult(statistic, brownian_range_tail(statistic + correction))


def brownian_range_tail(x: float) -> float:
    """P(range of Brownian motion on [0, 1] > x), by Feller's series or its dual for small x."""
    k = np.arange(1, 20)
    if x > 1.5:
        return float(min(1.0, 8 * np.sum((-1.0) ** (k - 1) * k * ndtr(-k * x))))
    squares = np.square((2 * k - 1) * np.pi)
    if x == 0:
        return 1.0
    return float(1 - np.sum((8 / x**2 + 8 / squares) * np.exp(-squares / (2 * x**2))))


def impossible(labels, probabilities):
    """Whether an outcome was given probability 0: no calibrated prediction does that."""
    return bool(np.any(probabilities == 1.0 - labels))
