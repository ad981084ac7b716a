"""Statistics of calibration, the larger the further from it, of many draws of outcomes at once.

Each is made for a sample and takes an array of shape (n_draws, n_ties), the numbers of positives
at the distinct predictions.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calib.base.options import check_choice, number_of_bins
from calib.base.probabilities import log_odds
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import (
    MAX_USEFUL_BINS,
    equal_frequency_starts,
    prefix_sums,
    uniform_sums,
)
from calibkit.inference.clusters import runs_of_neighbours
from calibkit.inference.label_paths import ranges_of_sums, worst_intervals
from calibkit.inference.total_variation import least_total_variation
from calibkit.inference.unbinned import smoothed_error

MAX_SCANNED_RANGES = 50  # ranges of neighbouring predictions, whose runs are compared
BINNED_STATISTICS = ("hosmer_lemeshow", "ece")

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def statistic_of(statistic, ties, n_bins, strategy) -> Statistic:
    """Make the statistic of a name, or of a function of the user, for the sample of `ties`."""
    if callable(statistic):
        return _of_each_draw(lambda hits: statistic(*rows_of(ties, hits)))
    check_choice(statistic, list(STATISTICS), "statistic")
    if statistic in BINNED_STATISTICS:
        return STATISTICS[statistic](ties, starts_of_bins(ties, n_bins, strategy))
    return STATISTICS[statistic](ties)


def rows_of(ties, hits):
    """Labels and predictions, a row for each that a weight stands for, by prediction and label."""
    label_counts = np.column_stack([ties.weights - hits, hits]).ravel().astype(np.int64)
    labels = np.tile(np.array([0, 1], np.uint8), ties.scores.size)
    return np.repeat(labels, label_counts), np.repeat(ties.scores, ties.weights.astype(np.int64))


def starts_of_bins(ties, n_bins, strategy):
    """Return the first tie of each bin that is not empty."""
    n_bins = number_of_bins(n_bins, strategy, ties.weights.sum())
    if strategy == "quantile":
        ranks = prefix_sums(ties.weights)
        return equal_frequency_starts(ranks, min(n_bins, MAX_USEFUL_BINS))[:-1]
    check_choice(strategy, ["quantile", "uniform"], "strategy")
    sizes = uniform_sums(ties.scores, np.zeros(ties.scores.size, np.uint8), None, n_bins)[0]
    return prefix_sums(sizes)[:-1][sizes > 0].astype(np.int64)


def bin_totals(ties, starts):
    """Return the number of rows of each bin, and the expected number of positives among them."""
    counts = np.add.reduceat(ties.weights, starts)
    expected = np.add.reduceat(ties.weights * ties.scores, starts)
    return counts, expected


def _kuiper_statistic(ties):
    expected = ties.weights * ties.scores
    total = ties.weights.sum()
    return lambda hits: ranges_of_sums(hits, expected) / total


def _spiegelhalter_statistic(ties):
    return _standardised(ties, 1 - 2 * ties.scores)


def _bias_statistic(ties):
    return _standardised(ties, np.ones(ties.scores.size))


def _slope_statistic(ties):
    """Rao's score of the slope, where the intercept is free."""
    logits = log_odds(ties.scores)
    variances = _variances(ties)
    centre = np.dot(variances, logits) / max(variances.sum(), np.finfo(float).tiny)
    return _standardised(ties, logits - centre)


def _standardised(ties, factors):
    """Absolute sum of the residuals times the factors, over its standard deviation."""
    deviation = np.sqrt(np.dot(_variances(ties), np.square(factors)))
    if deviation == 0:
        return lambda hits: np.zeros(len(hits))
    factors = factors / deviation
    expected = np.dot(ties.weights * ties.scores, factors)
    return lambda hits: np.abs(hits @ factors - expected)


def _variances(ties):
    """Variances of the numbers of positives at the distinct predictions."""
    return ties.weights * ties.scores * (1 - ties.scores)


def _hosmer_lemeshow_statistic(ties, starts):
    counts, expected = bin_totals(ties, starts)
    variances = expected * (1 - expected / counts)
    inverse = np.divide(1, variances, out=np.zeros(starts.size), where=variances > 0)
    return lambda hits: np.square(np.add.reduceat(hits, starts, axis=1) - expected) @ inverse


def _ece_statistic(ties, starts):
    total = ties.weights.sum()
    _, expected = bin_totals(ties, starts)
    return lambda hits: np.abs(np.add.reduceat(hits, starts, axis=1) - expected).sum(1) / total


def _averaged_two_bin_statistic(ties):
    expected = ties.weights * ties.scores
    total = ties.weights.sum()
    widths = np.diff(ties.scores, prepend=0.0, append=1.0)

    def error(hits):
        below = np.pad(np.cumsum(hits - expected, axis=1) / total, ((0, 0), (1, 0)))
        return (below**2 + (below[:, -1:] - below) ** 2) @ widths

    return error


def _scan_statistic(ties):
    starts = runs_of_neighbours(ties, MAX_SCANNED_RANGES)[:-1]
    counts, expected = bin_totals(ties, starts)
    return lambda hits: worst_intervals(np.add.reduceat(hits, starts, axis=1), counts, expected)[0]


def _miscalibration_statistic(ties):
    """Brier score of the predictions minus the Brier score of the isotonic fit."""
    scores, weights, _ = ties

    def excess(hits):
        _, totals, pooled = pool_adjacent_violators(weights, hits)
        of_predictions = np.dot(scores, weights * scores - 2 * hits)
        return (of_predictions + np.dot(pooled, pooled / totals)) / weights.sum()

    return _of_each_draw(excess)


def _smooth_ece_statistic(ties):
    scores, weights, _ = ties
    return _of_each_draw(
        lambda hits: smoothed_error(scores, hits - weights * scores, weights.sum())
    )


def _smooth_calibration_error_statistic(ties):
    costs = np.diff(ties.scores)
    expected = ties.weights * ties.scores
    total = ties.weights.sum()
    return _of_each_draw(
        lambda hits: least_total_variation(np.cumsum(hits - expected), costs) / total
    )


def _of_each_draw(statistic):
    """Make a statistic of many draws from the statistic of one draw."""
    return lambda draws: np.array([float(statistic(hits)) for hits in draws])


STATISTICS: dict[str, Callable[..., Statistic]] = {
    "kuiper": _kuiper_statistic,
    "scan": _scan_statistic,
    "bias": _bias_statistic,
    "slope": _slope_statistic,
    "spiegelhalter": _spiegelhalter_statistic,
    "hosmer_lemeshow": _hosmer_lemeshow_statistic,
    "ece": _ece_statistic,
    "averaged_two_bin": _averaged_two_bin_statistic,
    "smooth_ece": _smooth_ece_statistic,
    "smooth_calibration_error": _smooth_calibration_error_statistic,
    "miscalibration": _miscalibration_statistic,
}
