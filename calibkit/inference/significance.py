"""Tests of calibration on one sample."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtr

from calib.base.arrays import check_sample
from calib.base.options import RandomState, check_choice, check_flag
from calib.base.probabilities import rescaled
from calibkit.inference.clean_samples import counted_ties_of, is_sampled
from calibkit.inference.label_paths import ranges_of_sums
from calibkit.inference.resampling_tests import counted_outcomes, sampled_outcomes
from calibkit.inference.statistics import bin_totals, starts_of_bins, statistic_of

# Standard deviations of a step, by which the maximum of a path that is read after each step is
# below the maximum of Brownian motion, on average (Chernoff 1965, Siegmund 1979)
OVERSHOOT = 0.5825971579390106

# Limits of the distributions for large samples, chosen by the levels in results/atlas.csv
MAX_SKEWNESS = 0.2  # skewness of Spiegelhalter's Z, above which outcomes are drawn
MIN_VARIANCE_OF_POSITIVES = 25.0  # squared rows, below which Kuiper's test draws outcomes
MIN_EFFECTIVE_STEPS = 1000.0  # steps of a path with ties or weights, below which outcomes are drawn
MIN_DISTINCT_FRACTION = 0.9  # distinct predictions a row, from which ties change little


class TestResult(NamedTuple):
    """A statistic, and the probability of a larger one if the predictions are calibrated."""

    statistic: float
    p_value: float


TestResult.__test__ = False  # type: ignore[attr-defined]  # tells pytest that this is no test


def spiegelhalter_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    null: str = "auto",
    n_resamples: int = 1999,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
    sampling_weight: ArrayLike | None = None,
) -> TestResult:
    r"""Spiegelhalter's Z, two-sided: test the Brier score against its value under calibration.

    .. math:: Z = \frac{\sum (z_i - p_i)(1 - 2 p_i)}{\sqrt{\sum (1 - 2 p_i)^2 p_i (1 - p_i)}}

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    null : {"auto", "draws", "asymptotic"}, default="auto"
        Distribution of the statistic. ``"draws"`` takes it from outcomes drawn from the
        predictions, which is exact. ``"asymptotic"`` takes the distribution for large samples.
        ``"auto"`` takes the distribution for large samples where it is precise enough, and draws
        elsewhere (see Notes).
    n_resamples : int, default=1999
        Largest number of draws. Fewer are made where the p value is not small. If the sample has at
        most this number of possible outcomes, as with ten rows or with few distinct predictions,
        all of them are tried, and the p value is exact.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts, as whole numbers. A row of weight w stands for w rows, each with a separate outcome.
    sampling_weight : array-like of shape (n,), optional
        How many rows of the population a row stands for, because of reweighting or case-control
        sampling. The row still counts as one outcome. Not negative. Only the ratios matter.

    Returns
    -------
    result : TestResult
        Z and the probability of a larger ``|Z|``. Z is standard normal for calibrated predictions,
        and positive if the Brier score is too large, for example if predictions are too far from
        1/2.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The test has no power against errors that leave the Brier score as expected: errors
    of predictions near 1/2, or the same bias on both sides of 1/2. Outcomes are drawn where Z has a
    skewness of more than 0.2, for example with few rows or rare positives. With sampling weights w
    the variance is :math:`\sum w_i^2 (z_i - p_i)^2 (1 - 2 p_i)^2`, and outcomes are drawn as for
    `kuiper_test`.

    References
    ----------
    Spiegelhalter (1986).

    Examples
    --------
    >>> from calibkit.inference import spiegelhalter_test
    >>> result = spiegelhalter_test([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.9, 0.9, 0.9, 0.9])
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (1.905, 0.114)
    """
    sample = _outcomes(labels, probabilities, sample_weight, sampling_weight)
    if sample.has_impossible_outcome():
        return TestResult(statistic=np.inf, p_value=0.0)
    slopes = 1 - 2 * sample.scores
    squares = np.square(slopes)

    def z_score(observed, variances):
        return _standardised_sums((observed - sample.expected) @ slopes, variances @ squares)

    def absolute_z_score(observed, variances):
        return np.abs(z_score(observed, variances))

    z = float(z_score(sample.observed, sample.variances))
    if sample.weighted:
        needed = are_few(sample.variances * squares)
    else:
        needed = is_skewed(sample.scores, sample.variances)
    p_value = float(2 * ndtr(-abs(z)))
    if _needs_draws(null, needed):
        p_value = sample.p_value(abs(z), absolute_z_score, p_value, n_resamples, random_state)
    return TestResult(statistic=z, p_value=p_value)


def hosmer_lemeshow_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    in_sample: bool = False,
    null: str = "auto",
    n_resamples: int = 1999,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
) -> TestResult:
    r"""Hosmer and Lemeshow's chi-squared test over bins of equal size.

    .. math:: \sum_k \frac{(m_k - n_k \bar p_k)^2}{n_k \bar p_k (1 - \bar p_k)}

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    n_bins : int, default=10
        Number K of bins, where ties are not split, and fewer result where they fill several bins.
    in_sample : bool, default=False
        Whether the predictions were fitted to these labels by logistic regression. If they were,
        there are K - 2 degrees of freedom, else K.
    null : {"auto", "draws", "asymptotic"}, default="auto"
        Distribution of the statistic. ``"draws"`` takes it from outcomes drawn from the
        predictions, which is exact. ``"asymptotic"`` takes the distribution for large samples.
        ``"auto"`` takes the distribution for large samples where it is precise enough, and draws
        elsewhere (see Notes).
    n_resamples : int, default=1999
        Largest number of draws. Fewer are made where the p value is not small. If the sample has at
        most this number of possible outcomes, as with ten rows or with few distinct predictions,
        all of them are tried, and the p value is exact.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts, as whole numbers. A row of weight w stands for w rows, each with a separate outcome.

    Returns
    -------
    result : TestResult

    Raises
    ------
    ValueError
        For input that is not as described, or with fewer than three bins and `in_sample`. The
        message names the argument.

    Notes
    -----
    O(n log n). The two usual mistakes are K - 2 degrees of freedom for new data, which rejects
    calibrated predictions too often, and bins that expect few positives or few negatives, where
    chi-squared is no approximation. With rare positives the test rejects two or three times as
    often as it may. Where Cochran's rule forbids chi-squared, outcomes are drawn. The rule counts
    the expected positives and the expected negatives of each bin. The rule forbids chi-squared if
    the smaller number is below one in a bin, or below five in more than a fifth of the bins.
    Outcomes are not drawn for predictions `in_sample`, because the draws would have to repeat the
    fit. The answer depends on the number of bins, and on the cuts where ties or odd rows leave
    a choice. R's ``hoslem.test`` cuts at quantiles of type 7. Its bins are the same where K divides
    n and no predictions are tied. There is no form for sampling weights.

    References
    ----------
    Hosmer and Lemeshow (1980); Cochran (1954).

    Examples
    --------
    >>> from calibkit.inference import hosmer_lemeshow_test
    >>> result = hosmer_lemeshow_test([0, 1, 0, 1], [0.2, 0.2, 0.6, 0.6], n_bins=2)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (1.208, 0.693)
    """
    check_flag(in_sample, "in_sample")
    ties = counted_ties_of(labels, probabilities, sample_weight, only_whole=True)
    starts = starts_of_bins(ties, n_bins, "quantile")
    freedom = starts.size - 2 * in_sample
    if freedom < 1:
        raise ValueError(
            f"n_bins must give three bins or more for predictions in_sample; found {starts.size}: "
            "take more, or break ties"
        )
    sample = counted_outcomes(ties)
    if sample.has_impossible_outcome():
        return TestResult(statistic=np.inf, p_value=0.0)
    chi_squared = statistic_of("hosmer_lemeshow", ties, n_bins, "quantile")
    statistic = float(chi_squared(ties.positives[np.newaxis])[0])
    p_value = float(chdtrc(freedom, statistic))
    counts, expected = bin_totals(ties, starts)
    obstacle = "predictions in_sample" if in_sample else ""
    if _needs_draws(null, are_rare(expected, counts), obstacle):
        p_value = sample.p_value(
            statistic, lambda hits, _: chi_squared(hits), p_value, n_resamples, random_state
        )
    return TestResult(statistic=statistic, p_value=p_value)


def kuiper_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    null: str = "auto",
    n_resamples: int = 1999,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
    sampling_weight: ArrayLike | None = None,
) -> TestResult:
    r"""Kuiper's test: judge the largest bias over an interval of predictions.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    null : {"auto", "draws", "asymptotic"}, default="auto"
        Distribution of the statistic. ``"draws"`` takes it from outcomes drawn from the
        predictions, which is exact. ``"asymptotic"`` takes the distribution for large samples.
        ``"auto"`` takes the distribution for large samples where it is precise enough, and draws
        elsewhere (see Notes).
    n_resamples : int, default=1999
        Largest number of draws. Fewer are made where the p value is not small. If the sample has at
        most this number of possible outcomes, as with ten rows or with few distinct predictions,
        all of them are tried, and the p value is exact.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts, as whole numbers. A row of weight w stands for w rows, each with a separate outcome.
    sampling_weight : array-like of shape (n,), optional
        How many rows of the population a row stands for, because of reweighting or case-control
        sampling. The row still counts as one outcome. Not negative. Only the ratios matter.

    Returns
    -------
    result : TestResult
        The range of the cumulative residuals over :math:`\sqrt{\sum p_i (1 - p_i)}`, and its p
        value.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). In large samples the p value comes from the range of Brownian motion (Feller 1951).
    The residuals are read at n times only, which misses on average 0.58 standard deviations of a
    step at either end. These are added before the p value is looked up, else the test of 200 rows
    rejects 4 calibrated samples of 100 and not 5. With many ties the asymptotic test rejects only a
    third as often as it should. With rare positives it rejects sometimes too seldom, sometimes too
    often. So outcomes are drawn where the number of positives has a variance below 25, or where
    ties leave the path few steps. Every departure from calibration is found as n grows.

    With sampling weights w the variance is :math:`\sum w_i^2 (z_i - p_i)^2`. If it comes from few
    rows (as many as 1000 equal ones, or fewer), outcomes are drawn, given who was sampled. The
    draws are exact if each class has one weight. If not, outcomes are drawn under two assumptions.
    The first assumption is that the weights have nothing to do with the outcomes. The second
    assumption is that an outcome of 0 multiplies the weight of its row by a factor. The factor is
    estimated. The result is the largest of three p values. Two come from these draws, and the third
    is the p value for large samples.

    References
    ----------
    Arrieta-Ibarra et al. (2022); Feller (1951); Siegmund (1979).

    Examples
    --------
    >>> from calibkit.inference import kuiper_test
    >>> result = kuiper_test([0] * 30, [0.1, 0.2, 0.3] * 10)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (2.798, 0.011)
    """
    sample = _outcomes(labels, probabilities, sample_weight, sampling_weight)
    if sample.weighted:
        needed = are_few(sample.variances)
    else:
        needed = has_few_steps(sample.variances, sample.n_rows)
    return _kuiper_test_of(sample, _needs_draws(null, needed), n_resamples, random_state)


def kuiper_of_counts(labels, probabilities, counts):
    """Kuiper's test where rows, for example of clusters, may count less than 1: without draws."""
    ties = counted_ties_of(labels, probabilities, counts)
    sample = counted_outcomes(ties)
    all_whole = np.all(ties.weights == np.rint(ties.weights))
    with_draws = all_whole and has_few_steps(sample.variances, sample.n_rows)
    return _kuiper_test_of(sample, with_draws, n_resamples=1999, random_state=0)


def _kuiper_test_of(sample, with_draws, n_resamples, random_state):
    if sample.has_impossible_outcome():
        return TestResult(statistic=np.inf, p_value=0.0)

    def standardised_range(observed, variances):
        ranges = ranges_of_sums(observed, sample.expected)
        return _standardised_sums(ranges, variances.sum(axis=-1))

    if not sample.variances.any():
        return TestResult(statistic=0.0, p_value=1.0)
    statistic = float(standardised_range(sample.observed[np.newaxis], sample.variances)[0])
    p_value = brownian_range_tail(statistic + 2 * OVERSHOOT / math.sqrt(sample.n_rows))
    if with_draws:
        p_value = sample.p_value(statistic, standardised_range, p_value, n_resamples, random_state)
    return TestResult(statistic=statistic, p_value=p_value)


def _standardised_sums(sums, variances):
    """Sums over their standard deviations, or 0 where the deviation is 0."""
    deviations = np.sqrt(variances)
    return np.divide(sums, deviations, out=np.zeros(np.shape(sums)), where=deviations > 0)


def is_skewed(scores, variances):
    """Whether Spiegelhalter's Z is too skewed for the normal distribution."""
    slopes = 1 - 2 * scores
    second = np.dot(variances, slopes**2)
    fourth = np.dot(variances, slopes**4)
    return fourth > MAX_SKEWNESS * second**1.5


def are_rare(expected, counts):
    """Whether bins expect too few positives or negatives for chi-squared: Cochran's rule."""
    rarer = np.minimum(expected, counts - expected)
    return rarer.min() < 1 or np.mean(rarer < 5) > 0.2


def has_few_steps(variances, n_rows):
    """Whether ties or rare positives leave Kuiper's path few steps for Brownian motion."""
    if variances.sum() < MIN_VARIANCE_OF_POSITIVES:
        return True
    return variances.size < MIN_DISTINCT_FRACTION * n_rows and are_few(variances)


def are_few(variances):
    """Whether the variance of a sum comes from few of its terms."""
    return variances.sum() ** 2 < MIN_EFFECTIVE_STEPS * np.dot(variances, variances)


def _outcomes(labels, probabilities, sample_weight, sampling_weight):
    """Outcomes at the distinct predictions, of rows with counts or with sampling weights."""
    if not is_sampled(sample_weight, sampling_weight):
        ties = counted_ties_of(labels, probabilities, sample_weight, only_whole=True)
        return counted_outcomes(ties)
    outcomes, predicted, weights = check_sample(
        labels, probabilities, sampling_weight, of_weights="sampling_weight"
    )
    return sampled_outcomes(outcomes, predicted, rescaled(weights))


def _needs_draws(null, needed, obstacle=""):
    """Whether to draw outcomes, as `null` says. `obstacle` names predictions that forbid it."""
    check_choice(null, ["auto", "draws", "asymptotic"], "null")
    if null == "draws" and obstacle:
        raise ValueError(
            f"null must be 'asymptotic' for {obstacle}: given the predictions, the distribution of "
            "such outcomes is not known"
        )
    return null == "draws" or (null == "auto" and bool(needed) and not obstacle)


def brownian_range_tail(x: float) -> float:
    """Return P(range of Brownian motion on [0, 1] > x), by Feller's series or its dual."""
    k = np.arange(1, 20)
    if x > 1.5:
        return float(min(1.0, 8 * np.sum((-1.0) ** (k - 1) * k * ndtr(-k * x))))
    squares = np.square((2 * k - 1) * np.pi)
    if x == 0:
        return 1.0
    return float(1 - np.sum((8 / x**2 + 8 / squares) * np.exp(-squares / (2 * x**2))))
