"""The Kuiper error: its interval, its range of predictions, its groups, and its power."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtri

from calib.base.arrays import check_sample, check_scores, counts_of
from calib.base.options import check_positive
from calib.kernels.binning import prefix_sums, segment_sums
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clean_samples import counted_ties_of
from calibkit.inference.clusters import grouped_sample, parts_of, runs_of_neighbours
from calibkit.inference.label_paths import worst_intervals
from calibkit.inference.mean_intervals import binomial_limits
from calibkit.inference.significance import brownian_range_tail, kuiper_of_counts
from calibkit.inference.statistics import MAX_SCANNED_RANGES
from calibkit.inference.unbinned import kuiper_error


def kuiper_interval(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> Interval:
    r"""Kuiper error with limits that also hold for calibrated predictions.

    The path of the cumulative residuals is the sum of the path of the true biases and a path of
    noise, so the observed range differs from the true range by at most the range of the noise. The
    limits are

    .. math:: K \pm q_{1 - \alpha} \sqrt{\max(\mathrm{BS}, \overline{p (1 - p)}) / n} ,

    cut to [0, 1], with the quantile q of the range of Brownian motion.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.95
        Least coverage in large samples, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    interval : Interval
        The `error` of the interval is the square root in the formula above, an upper bound of the
        standard deviation of the mean residual.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The variance of an outcome is at most the expected square of its residual, which the
    Brier score BS estimates. With few positives this estimate is imprecise, so the variance is
    taken to be at least its value for calibrated predictions. With many rows the limits are
    conservative. A bootstrap of such an error has a wrong level if the predictions are calibrated
    or nearly so.

    References
    ----------
    Feller (1951) for the distribution of the range; Arrieta-Ibarra et al. (2022) for the error.

    Examples
    --------
    >>> from calibkit.inference import kuiper_interval
    >>> interval = kuiper_interval([0] * 30 + [1] * 10, [0.5] * 40)
    >>> [round(number, 3) for number in interval]
    [0.25, 0.053, 0.447, 0.079]
    """
    check_positive(confidence, "confidence", below=1)
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    estimate = kuiper_error(labels, probabilities, sample_weight=weights)
    brier = np.average(np.square(labels - probabilities), weights=weights)
    if_calibrated = np.average(probabilities * (1 - probabilities), weights=weights)
    total = labels.size if weights is None else weights.sum()
    error = math.sqrt(max(brier, if_calibrated) / total)
    noise = brownian_range_quantile(confidence) * error
    return Interval(
        estimate=estimate,
        lower=max(estimate - noise, 0.0),
        upper=min(estimate + noise, 1.0),
        error=error,
    )


class BiasedRange(NamedTuple):
    """Neighbouring predictions and their outcomes.

    Attributes
    ----------
    lowest, highest : float
        Smallest and largest prediction.
    count : float
        Number of rows, or their weight.
    predicted, observed : float
        Mean prediction, and fraction of positives.
    """

    lowest: float
    highest: float
    count: float  # type: ignore[assignment]  # the field may hide the method of tuples
    predicted: float
    observed: float


def kuiper_range(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> BiasedRange:
    """Range of the Kuiper error: the predictions over which the residuals add up to most.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    where : BiasedRange
        ``abs(observed - predicted) * count``, divided by the number of all rows, is the Kuiper
        error. If all residuals are 0, the range of all predictions.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The range is chosen because its bias is largest in this sample, so its bias in
    another sample is smaller.

    Examples
    --------
    >>> from calibkit.inference import kuiper_range
    >>> kuiper_range([0, 1, 0, 0, 0], [0.125, 0.25, 0.5, 0.75, 1.0])
    BiasedRange(lowest=0.5, highest=1.0, count=3.0, predicted=0.75, observed=0.0)
    """
    tied = counted_ties_of(labels, probabilities, sample_weight)
    path = prefix_sums(tied.positives - tied.weights * tied.scores)
    first, end = sorted((int(np.argmin(path)), int(np.argmax(path))))
    if first == end:
        return _range_of(tied, 0, tied.scores.size)
    return _range_of(tied, first, end)


def worst_range(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> BiasedRange:
    """Range in which outcomes diverge most from predictions, by the ``"scan"`` statistic.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    where : BiasedRange

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). Neighbouring predictions are put into 50 groups of equal size. If there are at most
    50 distinct predictions, each of them is a group. Among all runs of neighbouring groups, the
    result has the largest product of its number of rows and its Kullback-Leibler divergence. A
    large error of few rows counts more here than for the Kuiper error. `calibration_test` with
    ``statistic="scan"`` tests the divergence.

    References
    ----------
    Berk and Jones (1979); Walther (2010) for intervals.

    Examples
    --------
    >>> from calibkit.inference import worst_range
    >>> worst_range([0, 1] * 45 + [0] * 10, [0.5] * 90 + [0.9] * 10)
    BiasedRange(lowest=0.9, highest=0.9, count=10.0, predicted=0.9, observed=0.0)
    """
    tied = counted_ties_of(labels, probabilities, sample_weight)
    starts = runs_of_neighbours(tied, MAX_SCANNED_RANGES)
    counts, totals, positives = segment_sums(starts, tied.scores, tied.weights, tied.positives)
    _, firsts, lasts = worst_intervals(positives[np.newaxis], counts, totals)
    return _range_of(tied, starts[firsts[0]], starts[lasts[0] + 1])


def _range_of(tied, first, end):
    """The range of the distinct predictions number `first` to `end` - 1."""
    scores = tied.scores[first:end]
    counts = tied.weights[first:end]
    total = counts.sum()
    return BiasedRange(
        lowest=float(scores[0]),
        highest=float(scores[-1]),
        count=float(total),
        predicted=float(np.dot(counts, scores) / total),
        observed=float(tied.positives[first:end].sum() / total),
    )


def detectable_bias(
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    power: float = 0.8,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""A mean bias that Kuiper's test detects with at least the given power.

    By default the test has the level 5 %, and it detects this bias with a probability of at least
    80 %. The mean bias is the true event rate less the mean prediction, without its sign. The
    result is

    .. math:: (q_{1 - \alpha} + z_{\text{power}}) \sqrt{\sum_i p_i (1 - p_i)} \Big/ n

    with the quantile q of the range of Brownian motion and the quantile z of the standard normal
    distribution. The test has the level :math:`\alpha`.

    Parameters
    ----------
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.95
        1 minus the level of the test, in (0, 1).
    power : float, default=0.8
        Least probability of detecting the bias, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    bias : float
        It decreases like the inverse square root of n. If it is 1 or more, the test can miss every
        bias. It is 0 if all predictions are 0 or 1, because one wrong prediction refutes them.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n). The range of the path is at least the absolute value of its end, which is normally
    distributed around the sum of the biases.

    Examples
    --------
    >>> from calibkit.inference import detectable_bias
    >>> round(detectable_bias([0.1] * 10_000), 4)
    0.01
    """
    check_positive(confidence, "confidence", below=1)
    check_positive(power, "power", below=1)
    scores = check_scores(probabilities, name="probabilities", unit=True)
    counts = counts_of(sample_weight, scores.size, "probabilities")
    deviation = math.sqrt(np.dot(counts, scores * (1 - scores)))
    return float((brownian_range_quantile(confidence) + ndtri(power)) * deviation / counts.sum())


def brownian_range_quantile(confidence: float) -> float:
    """Quantile of the range of Brownian motion: the range is smaller with this probability."""
    return brentq(lambda x: brownian_range_tail(x) - (1 - confidence), 0.1, 40.0)


class GroupCalibration(NamedTuple):
    """Calibration in one group.

    Attributes
    ----------
    count, positives : float
        Numbers of rows, or weights.
    predicted, observed : float
        Mean prediction, and fraction of positives.
    bias, lower, upper : float
        `observed` minus `predicted`, with limits that hold in all groups at once.
    p_value : float
        P value of Kuiper's test, adjusted for the number of groups.
    """

    count: float  # type: ignore[assignment]  # the field may hide the method of tuples
    positives: float
    predicted: float
    observed: float
    bias: float
    lower: float
    upper: float
    p_value: float


def calibration_by_group(
    labels: ArrayLike,
    probabilities: ArrayLike,
    groups: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> dict[object, GroupCalibration]:
    r"""Bias and Kuiper's test in each group, with limits that hold in all of them at once.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    groups : array-like of shape (n,)
        Group of each row, as numbers or strings.
    confidence : float, default=0.95
        Least probability that all limits hold, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    calibrations : dict of group to GroupCalibration
        In the order of the groups.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). Groups share no row, so with G groups each has the exact binomial limits of
    confidence ``confidence ** (1 / G)`` around its fraction of positives, and its p value p becomes
    ``1 - (1 - p) ** G`` (Sidak). The limits assume equal probabilities of the outcomes of a group.
    If the probabilities differ, the limits are conservative. A group can be miscalibrated without a
    bias. The test can detect that.

    References
    ----------
    Sidak (1967); Clopper and Pearson (1934).

    Examples
    --------
    >>> from calibkit.inference import calibration_by_group
    >>> labels, groups = [0, 0, 0, 1, 0, 1, 1, 1] * 10, ["a"] * 40 + ["b"] * 40
    >>> found = calibration_by_group(labels, [0.5] * 40 + [0.2] * 40, groups)
    >>> [round(number, 2) for number in found["b"][3:7]]
    [0.5, 0.3, 0.12, 0.48]
    """
    check_positive(confidence, "confidence", below=1)
    sample, names, codes = grouped_sample(labels, probabilities, groups, sample_weight, counts=True)
    clean_labels, predictions, weights = sample
    counts = np.ones(clean_labels.size) if weights is None else weights
    totals = np.bincount(codes, counts)
    positives = np.bincount(codes, counts * clean_labels)
    predicted = np.bincount(codes, counts * predictions) / totals
    observed = positives / totals
    level = confidence ** (1 / names.size)
    lower, upper = binomial_limits(np.minimum(positives, totals), totals, confidence=level)
    calibrations = {}
    samples = parts_of(sample, codes)
    for k, (name, group_sample) in enumerate(zip(names.tolist(), samples, strict=True)):
        test = kuiper_of_counts(*group_sample)
        calibrations[name] = GroupCalibration(
            count=float(totals[k]),
            positives=float(positives[k]),
            predicted=float(predicted[k]),
            observed=float(observed[k]),
            bias=float(observed[k] - predicted[k]),
            lower=float(lower[k] - predicted[k]),
            upper=float(upper[k] - predicted[k]),
            p_value=_sidak_adjusted(test.p_value, names.size),
        )
    return calibrations


def _sidak_adjusted(p_value, n_tests):
    """P value of the smallest of `n_tests` independent p values, if this one is the smallest."""
    return float(-np.expm1(n_tests * np.log1p(-p_value))) if p_value < 1 else 1.0
