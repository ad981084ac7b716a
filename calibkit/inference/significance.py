"""Tests of calibration on one sample."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtr

from calib.base.arrays import check_sample
from calib.base.options import RandomState, check_choice, check_flag
from calib.base.probabilities import rescaled
from calib.metrics.samples import counted_ties_of, impossible, is_sampled
from calibkit.inference.label_paths import ranges_of_sums
from calibkit.inference.resampling_tests import counted_outcomes, sampled_outcomes
from calibkit.inference.statistics import bins_of, starts_of_bins, statistic_of

# Of the highest point of a path that is read at n times only: what it lacks to that of Brownian
# motion, in standard deviations of a step (Chernoff 1965, Siegmund 1979)
OVERSHOOT = 0.5825971579390106

# Where the law for large samples serves: what the levels of results/atlas.csv ask for
MOST_SKEWED = 0.2  # skewness of Spiegelhalter's Z
LEAST_VARIANCE = 25.0  # of the number of positives, for Kuiper's test
FEW_STEPS = 1000.0  # of Kuiper's path, if ties make them
MOSTLY_APART = 0.9  # share of distinct predictions from which ties change little


class TestResult(NamedTuple):
    """A statistic, and the probability of a larger one if the predictions are calibrated."""

    __test__ = False  # this is no test of pytest's

    statistic: float
    p_value: float


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
    r"""Spiegelhalter's Z, two-sided: test whether the Brier score is what calibration implies.

    .. math:: Z = \frac{\sum (z_i - p_i)(1 - 2 p_i)}{\sqrt{\sum (1 - 2 p_i)^2 p_i (1 - p_i)}}

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    null : {"auto", "draws", "asymptotic"}, default="auto"
        Law of the statistic: that of outcomes drawn from the predictions, which is exact;
        that of large samples; or the latter where it serves, see Notes.
    n_resamples : int, default=1999
        Most draws; fewer are made where the p value is not small.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts, whole numbers: a row of weight w stands for w rows, each with an
        outcome of its own.
    sampling_weight : array-like of shape (n,), optional
        How many rows of the population a row stands for, though it is one outcome: by
        reweighting or case-control sampling. Not negative; only the ratios matter.

    Returns
    -------
    result : TestResult
        Z, standard normal for calibrated predictions: positive if the Brier score is too large,
        as of predictions too far from 1/2; and the probability of a larger ``|Z|``.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n). It has no power against errors that leave the Brier score as expected: those of
    predictions near 1/2, or the same bias on both sides of 1/2. Outcomes are drawn where Z has a
    skewness of more than 0.2, as for few rows or rare positives. Of sampling weights w the variance
    is :math:`\sum w_i^2 (z_i - p_i)^2 (1 - 2 p_i)^2`, and outcomes are drawn as for `kuiper_test`.

    References
    ----------
    Spiegelhalter (1986).

    Examples
    --------
    >>> from calibkit.inference import spiegelhalter_test
    >>> result = spiegelhalter_test([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.9, 0.9, 0.9, 0.9])
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (1.905, 0.141)
    """
    scores, sample = _tested(labels, probabilities, sample_weight, sampling_weight)
    if _impossible(scores, sample):
        return TestResult(np.inf, 0.0)
    slopes, given = 1 - 2 * scores, sample.variances
    squares = np.square(slopes)

    def statistic(hits, variances):
        return _over((hits - sample.expected) @ slopes, variances @ squares)

    z = float(statistic(sample.found, given))
    needed = are_few(given * squares) if sample.weighted else is_skewed(scores, given)
    p_value = float(2 * ndtr(-abs(z)))
    if _drawn(null, needed):
        draws = lambda *block: np.abs(statistic(*block)), p_value, n_resamples, random_state
        p_value = sample.p_value(abs(z), *draws)
    return TestResult(z, p_value)


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
        Number K of bins; ties are not split, and fewer result where they fill several bins.
    in_sample : bool, default=False
        Whether these labels are those that the predictions were fitted to, by logistic regression.
        If so, there are K - 2 degrees of freedom, else K.
    null : {"auto", "draws", "asymptotic"}, default="auto"
        Law of the statistic: that of outcomes drawn from the predictions, which is exact;
        that of large samples; or the latter where it serves, see Notes.
    n_resamples : int, default=1999
        Most draws; fewer are made where the p value is not small.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts, whole numbers: a row of weight w stands for w rows, each with an
        outcome of its own.

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
    calibrated predictions too often, and bins that expect few positives or few negatives, where
    chi-squared is no approximation: of rare positives it rejects two or three times as often as it
    may. Outcomes are drawn by Cochran's rule, where a bin expects fewer than one, or more than a
    fifth of the bins fewer than five; not for predictions `in_sample`, whose fit the draws would
    have to repeat. The answer depends on the number of bins. There is no form for sampling weights.

    References
    ----------
    Hosmer and Lemeshow (1980); Cochran (1954).

    Examples
    --------
    >>> from calibkit.inference import hosmer_lemeshow_test
    >>> result = hosmer_lemeshow_test([0, 1, 0, 1], [0.2, 0.2, 0.6, 0.6], n_bins=2)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (1.208, 0.694)
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
    if impossible(ties):
        return TestResult(np.inf, 0.0)
    of_ties = statistic_of("hosmer_lemeshow", ties, n_bins, "quantile")
    statistic = float(of_ties(ties.positives[np.newaxis])[0])
    counts, expected = bins_of(ties, starts)
    if _drawn(null, are_rare(expected, counts), in_sample and "predictions in_sample"):
        draws = lambda hits, _: of_ties(hits), None, n_resamples, random_state
        return TestResult(statistic, counted_outcomes(ties).p_value(statistic, *draws))
    return TestResult(statistic, float(chdtrc(freedom, statistic)))


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
        Law of the statistic: that of outcomes drawn from the predictions, which is exact;
        that of large samples; or the latter where it serves, see Notes.
    n_resamples : int, default=1999
        Most draws; fewer are made where the p value is not small.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Counts, whole numbers: a row of weight w stands for w rows, each with an
        outcome of its own.
    sampling_weight : array-like of shape (n,), optional
        How many rows of the population a row stands for, though it is one outcome: by
        reweighting or case-control sampling. Not negative; only the ratios matter.

    Returns
    -------
    result : TestResult
        The range of the cumulative residuals over :math:`\sqrt{\sum p_i (1 - p_i)}`, and its p
        value.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n). In large samples the p value is that of the range of Brownian motion (Feller 1951).
    The residuals are read at n times only, which misses on average 0.58 standard deviations of a
    step at either end; they are added before the p value is looked up, else the test of 200 rows
    rejects 4 calibrated samples of 100 and not 5. Of many ties it would reject a third of what it
    may, and of rare positives now too few, now too many: outcomes are drawn where the number of
    positives has a variance below 25, or where ties leave the path few steps. Every departure from
    calibration is found as n grows. Of sampling weights w the variance is
    :math:`\sum w_i^2 (z_i - p_i)^2`. If it comes from few rows (as many as 1000 equal ones, or
    fewer), outcomes are drawn, given who was sampled. That is exact if each class has one weight.
    If not, they are drawn as if the weights had nothing to do with the outcomes, and as if an
    outcome of 0 multiplied them by a factor, which is estimated; the p value is the largest one of
    these two and of the law for large samples.

    References
    ----------
    Arrieta-Ibarra et al. (2022); Feller (1951); Siegmund (1979).

    Examples
    --------
    >>> from calibkit.inference import kuiper_test
    >>> result = kuiper_test([0] * 30, [0.1, 0.2, 0.3] * 10)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (2.798, 0.007)
    """
    scores, sample = _tested(labels, probabilities, sample_weight, sampling_weight)
    variances = sample.variances
    few = are_few(variances) if sample.weighted else has_few_steps(variances, sample.n_rows)
    return _kuiper(scores, sample, _drawn(null, few), n_resamples, random_state)


def kuiper_of_counts(labels, probabilities, counts):
    """Kuiper's test where a row may count as part of one, as of clusters: then nothing is drawn."""
    ties = counted_ties_of(labels, probabilities, counts)
    sample = counted_outcomes(ties)
    in_parts = np.any(ties.weights != np.rint(ties.weights))
    drawn = not in_parts and has_few_steps(sample.variances, sample.n_rows)
    return _kuiper(ties.scores, sample, drawn, 1999, 0)


def _kuiper(scores, sample, drawn, n_resamples, random_state):
    if _impossible(scores, sample):
        return TestResult(np.inf, 0.0)

    def statistic(hits, variances):
        return _over(ranges_of_sums(hits, sample.expected), variances.sum(axis=-1))

    found = float(statistic(sample.found[np.newaxis], sample.variances)[0])
    if not sample.variances.any():
        return TestResult(0.0, 1.0)
    p_value = brownian_range_tail(found + 2 * OVERSHOOT / math.sqrt(sample.n_rows))
    if drawn:
        p_value = sample.p_value(found, statistic, p_value, n_resamples, random_state)
    return TestResult(found, p_value)


def _over(sums, variances):
    """Sums over their standard deviations; 0 where there is none."""
    deviations = np.sqrt(variances)
    return np.divide(sums, deviations, out=np.zeros(np.shape(sums)), where=deviations > 0)


def _impossible(scores, sample):
    """Whether an outcome was given probability 0: no calibrated prediction does that."""
    sure = (scores == 0) | (scores == 1)
    return bool(np.any(sample.found[sure] != sample.expected[sure]))


def is_skewed(scores, variances):
    """Whether Spiegelhalter's Z is too skewed for the normal law."""
    slopes = 1 - 2 * scores
    moments = [np.dot(variances, slopes**power) for power in (2, 4)]
    return moments[1] > MOST_SKEWED * moments[0] ** 1.5


def are_rare(expected, counts):
    """Whether bins expect too few positives or negatives for chi-squared: Cochran's rule."""
    rarer = np.minimum(expected, counts - expected)
    return rarer.min() < 1 or np.mean(rarer < 5) > 0.2


def has_few_steps(variances, n_rows):
    """Whether ties or rare positives leave Kuiper's path few steps for Brownian motion."""
    total = variances.sum()
    tied = variances.size < MOSTLY_APART * n_rows
    return total < LEAST_VARIANCE or (tied and total**2 < FEW_STEPS * np.dot(variances, variances))


def are_few(variances):
    """Whether few outcomes with weights of sampling make up the variance of a sum."""
    return variances.sum() ** 2 < FEW_STEPS * np.dot(variances, variances)


def _tested(labels, probabilities, sample_weight, sampling_weight):
    """Distinct predictions, and the outcomes at them."""
    if not is_sampled(sample_weight, sampling_weight):
        ties = counted_ties_of(labels, probabilities, sample_weight, only_whole=True)
        return ties.scores, counted_outcomes(ties)
    sample = check_sample(labels, probabilities, sampling_weight, of_weights="sampling_weight")
    return np.unique(sample[1]), sampled_outcomes(*sample[:2], rescaled(sample[2]))


def _drawn(null, needed, never=""):
    """Whether to draw outcomes; `never` says, if it is true, why they cannot be."""
    check_choice(null, ["auto", "draws", "asymptotic"], "null")
    if null == "draws" and never:
        raise ValueError(
            f"null must be 'asymptotic' for {never}: given the predictions, the law of such "
            "outcomes is not known"
        )
    return null == "draws" or (null == "auto" and bool(needed) and not never)


def brownian_range_tail(x: float) -> float:
    """P(range of Brownian motion on [0, 1] > x), by Feller's series or its dual for small x."""
    k = np.arange(1, 20)
    if x > 1.5:
        return float(min(1.0, 8 * np.sum((-1.0) ** (k - 1) * k * ndtr(-k * x))))
    squares = np.square((2 * k - 1) * np.pi)
    if x == 0:
        return 1.0
    return float(1 - np.sum((8 / x**2 + 8 / squares) * np.exp(-squares / (2 * x**2))))
