"""Statistics of calibration, the larger the further from it, of many draws of outcomes at once.

Each is made for a sample and takes an array of shape (n_draws, n_ties), the numbers of positives
at the distinct predictions.
"""

import numpy as np

from calib.base.options import check_choice, number_of_bins
from calib.base.probabilities import log_odds
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import (
    MAX_USEFUL_BINS,
    equal_frequency_starts,
    prefix_sums,
    uniform_sums,
)
from calibkit.inference.clusters import neighbours
from calibkit.inference.label_paths import ranges_of_sums, worst_intervals
from calibkit.inference.total_variation import least_total_variation
from calibkit.inference.unbinned import smoothed_error

MOST_RANGES = 50  # groups of neighbours whose runs are looked through


def statistic_of(statistic, ties, n_bins, strategy):
    """The function of numbers of positives that is meant by a name, or made of a user's."""
    if callable(statistic):
        return _one_by_one(lambda hits: statistic(*rows_of(ties, hits)))
    check_choice(statistic, list(STATISTICS), "statistic")
    if statistic in ("ece", "hosmer_lemeshow"):
        return STATISTICS[statistic](ties, starts_of_bins(ties, n_bins, strategy))
    return STATISTICS[statistic](ties)


def rows_of(ties, hits):
    """Labels and predictions, a row for each that a weight stands for, by prediction and label."""
    of_label = np.column_stack([ties.weights - hits, hits]).ravel().astype(np.int64)
    labels = np.tile(np.array([0, 1], np.uint8), ties.scores.size)
    return np.repeat(labels, of_label), np.repeat(ties.scores, ties.weights.astype(np.int64))


def starts_of_bins(ties, n_bins, strategy):
    """First tie of each bin that is not empty."""
    n_bins = number_of_bins(n_bins, strategy, ties.weights.sum())
    if strategy == "quantile":
        ranks = prefix_sums(ties.weights)
        return equal_frequency_starts(ranks, min(n_bins, MAX_USEFUL_BINS))[:-1]
    check_choice(strategy, ["quantile", "uniform"], "strategy")
    sizes = uniform_sums(ties.scores, np.zeros(ties.scores.size), None, n_bins)[0]
    return prefix_sums(sizes)[:-1][sizes > 0].astype(np.int64)


def _kuiper(ties):
    expected, total = ties.weights * ties.scores, ties.weights.sum()
    return lambda hits: ranges_of_sums(hits, expected) / total


def _spiegelhalter(ties):
    return _standardised(ties, 1 - 2 * ties.scores)


def _bias(ties):
    return _standardised(ties, np.ones(ties.scores.size))


def _slope(ties):
    """Rao's score of the slope, where the intercept is free."""
    logits, variances = log_odds(ties.scores), _variances(ties)
    centre = np.dot(variances, logits) / max(variances.sum(), np.finfo(float).tiny)
    return _standardised(ties, logits - centre)


def _standardised(ties, factors):
    """Sum of residuals times factors, without its sign, over its standard deviation."""
    deviation = np.sqrt(np.dot(_variances(ties), np.square(factors)))
    if deviation == 0:
        return lambda hits: np.zeros(len(hits))
    factors = factors / deviation
    expected = np.dot(ties.weights * ties.scores, factors)
    return lambda hits: np.abs(hits @ factors - expected)


def _variances(ties):
    return ties.weights * ties.scores * (1 - ties.scores)


def bins_of(ties, starts):
    """Rows of each bin, and the positives among them that are expected."""
    columns = ties.weights, ties.weights * ties.scores
    return (np.add.reduceat(column, starts) for column in columns)


def _hosmer_lemeshow(ties, starts):
    counts, expected = bins_of(ties, starts)
    variances = expected * (1 - expected / counts)
    inverse = np.divide(1, variances, out=np.zeros(starts.size), where=variances > 0)
    return lambda hits: np.square(np.add.reduceat(hits, starts, axis=1) - expected) @ inverse


def _ece(ties, starts):
    total, (_, expected) = ties.weights.sum(), bins_of(ties, starts)
    return lambda hits: np.abs(np.add.reduceat(hits, starts, axis=1) - expected).sum(1) / total


def _scan(ties):
    starts = neighbours(ties, MOST_RANGES)[:-1]
    counts, expected = bins_of(ties, starts)
    return lambda hits: worst_intervals(np.add.reduceat(hits, starts, axis=1), counts, expected)[0]


def _miscalibration(ties):
    """Brier score less that of the isotonic fit."""
    scores, weights, _ = ties

    def excess(hits):
        _, totals, pooled = pool_adjacent_violators(weights, hits)
        ours = np.dot(scores, weights * scores - 2 * hits)
        return (ours + np.dot(pooled, pooled / totals)) / weights.sum()

    return _one_by_one(excess)


def _smooth_ece(ties):
    scores, weights, _ = ties
    return _one_by_one(lambda hits: smoothed_error(scores, hits - weights * scores, weights.sum()))


def _smooth_calibration_error(ties):
    costs, expected, total = np.diff(ties.scores), ties.weights * ties.scores, ties.weights.sum()
    return _one_by_one(
        lambda hits: least_total_variation(np.cumsum(hits - expected), costs) / total
    )


def _one_by_one(statistic):
    return lambda draws: np.array([float(statistic(hits)) for hits in draws])


OF_SUMS = [_kuiper, _scan, _bias, _slope, _spiegelhalter, _hosmer_lemeshow, _ece]
OF_CURVES = [_smooth_ece, _smooth_calibration_error, _miscalibration]
STATISTICS = {one.__name__.removeprefix("_"): one for one in OF_SUMS + OF_CURVES}
