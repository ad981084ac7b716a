"""Measures of (labels, probabilities) that are dask arrays or series, as in `calib.metrics`."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calib.contract.options import check_choice, check_positive, number_of_bins
from calib.dask.reductions import equal_frequency_bins, merged, range_blocks, uniform_bins
from calib.dask.rows import Column, Sample
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import Groups, group_ties
from calib.metrics.binned import ReliabilityCurve, debiased
from calib.metrics.corp import ScoreDecomposition, loss_of, total_loss
from calib.metrics.discrimination import check_both_classes, won_pairs
from calib.metrics.losses import correct, logarithmic, squared


def brier_score_loss(
    labels: Column, probabilities: Column, *, sample_weight: Column | None = None
) -> float:
    """`calib.metrics.brier_score_loss`: one pass, three numbers from each partition."""
    return _mean(squared, labels, probabilities, sample_weight)


def root_mean_squared_error(
    labels: Column, probabilities: Column, *, sample_weight: Column | None = None
) -> float:
    """`calib.metrics.root_mean_squared_error`: one pass, three numbers from each partition."""
    return _mean(squared, labels, probabilities, sample_weight) ** 0.5


def log_loss(
    labels: Column, probabilities: Column, *, sample_weight: Column | None = None
) -> float:
    """`calib.metrics.log_loss`: one pass, three numbers from each partition."""
    return _mean(logarithmic, labels, probabilities, sample_weight)


def accuracy(
    labels: Column, probabilities: Column, *, sample_weight: Column | None = None
) -> float:
    """`calib.metrics.accuracy`: one pass, three numbers from each partition."""
    return _mean(correct, labels, probabilities, sample_weight)


def reliability_curve(
    labels: Column,
    probabilities: Column,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    confidence: float = 0.95,
    sample_weight: Column | None = None,
) -> ReliabilityCurve:
    """`calib.metrics.reliability_curve`, in which ties stay together.

    Counts and positives are equal to those in memory for whole weights; `totals` are sums of
    predictions. ``"quantile"`` takes three passes, in the last of which the predictions are
    ordered; ``"uniform"`` two, and 3 n_bins numbers from each partition.
    """
    check_positive(confidence, "confidence", below=1)
    sample = _sample(labels, probabilities, sample_weight, counts=True)
    return _curve(sample, n_bins, strategy, float(confidence))


def expected_calibration_error(
    labels: Column,
    probabilities: Column,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    sample_weight: Column | None = None,
) -> float:
    """`calib.metrics.expected_calibration_error`, at the cost of `reliability_curve`."""
    return _curve(_sample(labels, probabilities, sample_weight), n_bins, strategy).ece


def maximum_calibration_error(
    labels: Column,
    probabilities: Column,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    sample_weight: Column | None = None,
) -> float:
    """`calib.metrics.maximum_calibration_error`, at the cost of `reliability_curve`."""
    return _curve(_sample(labels, probabilities, sample_weight), n_bins, strategy).mce


def debiased_squared_error(
    labels: Column,
    probabilities: Column,
    *,
    n_bins: int | str = 10,
    strategy: str = "quantile",
    sample_weight: Column | None = None,
) -> float:
    """`calib.metrics.debiased_squared_error`, at the cost of `reliability_curve`."""
    sample = _sample(labels, probabilities, sample_weight, counts=True)
    return debiased(_curve(sample, n_bins, strategy))


def roc_auc_score(labels: Column, scores: Column, *, sample_weight: Column | None = None) -> float:
    """`calib.metrics.roc_auc_score`: two passes, in the second of which the scores are ordered.

    A range tells its pairs and the weights of its classes; the pairs of two ranges follow. The
    numbers of pairs are exact below 2^53.
    """
    sample = Sample(scores, labels, sample_weight, unit=False)
    check_both_classes(sample.survey.classes[0], sample.survey.classes[-1])
    won, negatives, positives = np.array(sample.each_range(_range_pairs)).T
    below = np.cumsum(negatives) - negatives
    share = (won.sum() + np.dot(positives, below)) / (negatives.sum() * positives.sum())
    return float(np.clip(share, 0.0, 1.0))


def kuiper_error(
    labels: Column, probabilities: Column, *, sample_weight: Column | None = None
) -> float:
    """`calib.metrics.kuiper_error`: two passes, in the second of which the predictions are ordered.

    A range tells where its cumulative residuals end, and their extremes.
    """
    sample = _sample(labels, probabilities, sample_weight)
    lowest, highest, end = np.array(sample.each_range(_range_residuals)).T
    before = prefix_sums(end)[:-1]
    return float((np.max(before + highest) - np.min(before + lowest)) / sample.survey.total)


def score_decomposition(
    labels: Column,
    probabilities: Column,
    *,
    loss: str | Callable[[NDArray, NDArray], NDArray] = "brier",
    sample_weight: Column | None = None,
) -> ScoreDecomposition:
    """`calib.metrics.score_decomposition`: two passes, the second of which orders the predictions.

    A range tells its loss and its isotonic blocks, which are pooled as in `IsotonicCalibrator`.
    """
    loss = loss_of(loss)
    sample = _sample(labels, probabilities, sample_weight)
    losses, blocks = zip(*sample.each_range(_range_loss, [loss] * sample.n_ranges), strict=True)
    *_, weights, positives = merged(blocks)
    total = weights.sum()
    base_rate = np.full(weights.size, positives.sum() / total)
    best, base = (
        total_loss(loss, values, Groups(values, weights, positives)) / total
        for values in (positives / weights, base_rate)
    )
    ours = sum(losses) / total
    return ScoreDecomposition(*map(float, (ours, ours - best, base - best, base)))


def _sample(labels, probabilities, sample_weight, counts=False):
    return Sample(
        probabilities, labels, sample_weight, unit=True, name="probabilities", counts=counts
    )


def _mean(loss, labels, probabilities, sample_weight):
    sample = _sample(labels, probabilities, sample_weight)
    total, weight, n_rows = sample.total(_loss_sums, loss)
    sample.check_total(weight, n_rows)
    return float(total / weight)


def _loss_sums(rows, loss):
    """Loss, weight and number of the rows of a partition."""
    losses = loss(rows.labels, rows.scores)
    if rows.weights is None:
        return np.array([losses.sum(), losses.size, losses.size], np.float64)
    return np.array([np.dot(rows.weights, losses), rows.weights.sum(), losses.size])


def _curve(sample, n_bins, strategy, confidence=0.95):
    check_choice(strategy, ["quantile", "uniform"], "strategy")
    n_bins = number_of_bins(n_bins, strategy, sample.survey.total)
    if strategy == "uniform":
        sums = uniform_bins(sample, n_bins)
        return ReliabilityCurve(*sums[:, sums[0] > 0], confidence)
    bins, totals = equal_frequency_bins(sample, n_bins)
    return ReliabilityCurve(bins.counts, totals, bins.positives, confidence)


def _range_pairs(rows):
    """Pairs won by the positives of a range, and the weight of its negatives and positives."""
    won = won_pairs(rows.labels, rows.scores, rows.weights)[0]
    return won, *np.bincount(rows.labels, rows.weights, minlength=2)


def _range_residuals(rows):
    """Smallest, largest and last of the cumulative residuals of a range."""
    groups = group_ties(*rows)
    path = prefix_sums(groups.positives - groups.weights * groups.scores)
    return path.min(), path.max(), path[-1]


def _range_loss(rows, loss):
    groups = group_ties(*rows)
    return total_loss(loss, groups.scores, groups), range_blocks(rows)
