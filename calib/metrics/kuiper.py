"""The Kuiper error in detail: its limits, where it lies, each group's, what its test cannot see."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import ndtri

from calib.contract.options import check_positive
from calib.contract.validation import check_sample, check_scores, counts_of
from calib.kernels.binning import prefix_sums, segment_sums
from calib.kernels.label_paths import worst_intervals
from calib.metrics.intervals import Interval
from calib.metrics.limits import binomial_limits
from calib.metrics.samples import counted_ties_of, grouped_sample, neighbours, parts_of
from calib.metrics.significance import brownian_range_tail, kuiper_of_counts
from calib.metrics.statistics import MOST_RANGES
from calib.metrics.unbinned import kuiper_error


def kuiper_interval(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> Interval:
    r"""Kuiper error with limits that hold for calibrated predictions as well.

    The path of the cumulative residuals is that of the true biases and a noise; its range differs
    from theirs by the range of the noise at most. So the limits are

    .. math:: K \pm q_{1 - \alpha} \sqrt{\max(\mathrm{BS}, \overline{p (1 - p)}) / n} ,

    cut to [0, 1], with the quantile q of the range of Brownian motion.

    Parameters
    ----------
    {sample}
    confidence : float, default=0.95
        Coverage, at least, in large samples, in (0, 1).
    {counts}

    Returns
    -------
    interval : Interval
        Its `error` is the root above: the standard deviation of the mean residual, at most.

    {raises}

    Notes
    -----
    O(n log n). The variance of an outcome is at most the expected square of its residual, which the
    Brier score BS estimates. Of few positives that tells little, so what calibrated predictions
    would have is the least that is taken. With many rows the limits err on the safe side. A
    bootstrap of such an error has no right level where the predictions are calibrated or nearly so.

    References
    ----------
    Feller (1951) for the law of the range; Arrieta-Ibarra et al. (2022) for the error.

    Examples
    --------
    >>> from calib.metrics import kuiper_interval
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
    noise = critical_range(confidence) * error
    return Interval(estimate, max(estimate - noise, 0.0), min(estimate + noise, 1.0), error)


class BiasedRange(NamedTuple):
    """Neighbouring predictions and their outcomes.

    Attributes
    ----------
    lowest, highest : float
        Of the predictions.
    count : float
        Number of rows, or their weight.
    predicted, observed : float
        Mean prediction, and share of positives.
    """

    lowest: float
    highest: float
    count: float
    predicted: float
    observed: float


def kuiper_range(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> BiasedRange:
    """Where the Kuiper error lies: the predictions over which the residuals add up to most.

    Parameters
    ----------
    {sample}
    {counts}

    Returns
    -------
    where : BiasedRange
        ``abs(observed - predicted) * count``, over all rows, is the Kuiper error. Where no residual
        is left, the range of all predictions.

    {raises}

    Notes
    -----
    O(n log n). The range was chosen because it looks worst: the bias in it is that of this sample,
    larger than that of another one.

    Examples
    --------
    >>> from calib.metrics import kuiper_range
    >>> kuiper_range([0, 1, 0, 0, 0], [0.125, 0.25, 0.5, 0.75, 1.0])
    BiasedRange(lowest=0.5, highest=1.0, count=3.0, predicted=0.75, observed=0.0)
    """
    groups = counted_ties_of(labels, probabilities, sample_weight)
    path = prefix_sums(groups.positives - groups.weights * groups.scores)
    first, last = sorted((int(np.argmin(path)), int(np.argmax(path))))
    return _range_of(groups, first, last) if first < last else _range_of(groups, 0, path.size - 1)


def worst_range(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> BiasedRange:
    """Where outcomes diverge most from the predictions: the range of the ``"scan"`` statistic.

    Parameters
    ----------
    {sample}
    {counts}

    Returns
    -------
    where : BiasedRange

    {raises}

    Notes
    -----
    O(n log n). Predictions are put into 50 groups of neighbours of equal size, or of ties if there
    are no more; of all runs of groups this one has the largest divergence of Kullback and Leibler
    times its number of rows. A steep error of few rows counts more here than for the Kuiper error;
    `calibration_test` judges it with ``statistic="scan"``.

    References
    ----------
    Berk and Jones (1979); Walther (2010) for intervals.

    Examples
    --------
    >>> from calib.metrics import worst_range
    >>> worst_range([0, 1] * 45 + [0] * 10, [0.5] * 90 + [0.9] * 10)
    BiasedRange(lowest=0.9, highest=0.9, count=10.0, predicted=0.9, observed=0.0)
    """
    groups = counted_ties_of(labels, probabilities, sample_weight)
    starts = neighbours(groups, MOST_RANGES)
    counts, totals, positives = segment_sums(starts, *groups)
    _, (first,), (last,) = worst_intervals(positives[np.newaxis], counts, totals)
    return _range_of(groups, starts[first], starts[last + 1])


def _range_of(groups, first, last):
    scores, counts, positives = (column[first:last] for column in groups)
    total = counts.sum()
    means = (np.dot(counts, scores) / total, positives.sum() / total)
    return BiasedRange(*map(float, (scores[0], scores[-1], total, *means)))


def detectable_bias(
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    power: float = 0.8,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""A bias of all predictions that Kuiper's test finds with a given probability, at least.

    .. math:: (q_{1 - \alpha} + z_{\text{power}}) \sqrt{\sum_i p_i (1 - p_i)} \Big/ n

    with the quantile q of the range of Brownian motion.

    Parameters
    ----------
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.95
        One less the level of the test, in (0, 1).
    power : float, default=0.8
        Probability of finding the bias, in (0, 1).
    {counts}

    Returns
    -------
    bias : float
        It falls with the root of n. From 1 on every bias can escape the test; 0 is that of
        predictions of 0 and 1, which the first one that is wrong refutes.

    {raises}

    Notes
    -----
    O(n). The range of the path is at least the distance of its end, which is normal around the sum
    of the biases.

    Examples
    --------
    >>> from calib.metrics import detectable_bias
    >>> round(detectable_bias([0.1] * 10_000), 4)
    0.01
    """
    check_positive(confidence, "confidence", below=1)
    check_positive(power, "power", below=1)
    scores = check_scores(probabilities, name="probabilities", unit=True)
    counts = counts_of(sample_weight, scores.size, "probabilities")
    deviation = math.sqrt(np.dot(counts, scores * (1 - scores)))
    return float((critical_range(confidence) + ndtri(power)) * deviation / counts.sum())


def critical_range(confidence: float) -> float:
    """What the range of Brownian motion stays below with probability `confidence`."""
    return brentq(lambda x: brownian_range_tail(x) - (1 - confidence), 0.1, 40.0)


class GroupCalibration(NamedTuple):
    """Calibration in one group.

    Attributes
    ----------
    count, positives : float
        Numbers of rows, or weights.
    predicted, observed : float
        Mean prediction, and share of positives.
    bias, lower, upper : float
        `observed` less `predicted`, with limits that hold in all groups at once.
    p_value : float
        Of Kuiper's test, made for as many groups as there are.
    """

    count: float
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
    {sample}
    groups : array-like of shape (n,)
        Group of each row: numbers or strings.
    confidence : float, default=0.95
        Probability, at least, that all limits hold, in (0, 1).
    {counts}

    Returns
    -------
    found : dict of group to GroupCalibration
        In the order of the groups.

    {raises}

    Notes
    -----
    O(n log n). Groups share no row, so with G groups each has the exact binomial limits of
    confidence ``confidence ** (1 / G)`` around its share of positives, and its p value p becomes
    ``1 - (1 - p) ** G`` (Sidak). The limits take the outcomes of a group as equally likely, which
    makes them too wide, if anything, where they are not. A group can be miscalibrated without a
    bias: the test sees that.

    References
    ----------
    Sidak (1967); Clopper and Pearson (1934).

    Examples
    --------
    >>> from calib.metrics import calibration_by_group
    >>> labels, groups = [0, 0, 0, 1, 0, 1, 1, 1] * 10, ["a"] * 40 + ["b"] * 40
    >>> found = calibration_by_group(labels, [0.5] * 40 + [0.2] * 40, groups)
    >>> [round(number, 2) for number in found["b"][3:7]]
    [0.5, 0.3, 0.12, 0.48]
    """
    check_positive(confidence, "confidence", below=1)
    sample, names, codes = grouped_sample(labels, probabilities, groups, sample_weight, counts=True)
    labels, probabilities, weights = sample
    counts = np.ones(labels.size) if weights is None else weights
    columns = (1, probabilities, labels)
    totals, predicted, positives = (np.bincount(codes, counts * column) for column in columns)
    predicted, observed = predicted / totals, positives / totals
    hits, level = np.minimum(positives, totals), confidence ** (1 / names.size)
    limits = binomial_limits(hits, totals, confidence=level)
    tests = (kuiper_of_counts(z, p, w) for z, p, w in parts_of(sample, codes))
    biases = (side - predicted for side in (observed, *limits))
    columns = (column.tolist() for column in (totals, positives, predicted, observed, *biases))
    p_values = (_for_all(test.p_value, names.size) for test in tests)
    return dict(zip(names.tolist(), map(GroupCalibration, *columns, p_values), strict=True))


def _for_all(p_value, n_tests):
    """The p value of a test that is one of several independent ones."""
    return float(-np.expm1(n_tests * np.log1p(-p_value))) if p_value < 1 else 1.0
