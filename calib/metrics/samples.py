"""Clean samples: their distinct predictions, their weights as counts, their groups and clusters."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from calib.contract.validation import check_sample, check_size, one_dimensional, rescaled
from calib.kernels.binning import equal_frequency_starts, prefix_sums
from calib.kernels.grouping import Ties, ties

MOST_ROWS = 2**53  # a float counts no further


def ties_of(labels, probabilities, sample_weight) -> Ties:
    """Distinct predictions, increasing, where only the ratios of the weights matter."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, narrow=True)
    return ties(probabilities, labels, None if weights is None else rescaled(weights))


def counted_ties_of(labels, probabilities, sample_weight, *, only_whole=False) -> Ties:
    """Distinct predictions, increasing, where weights are counts, if need be whole numbers."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    if only_whole and weights is not None:
        whole(weights)
    return ties(probabilities, labels, weights)


def is_sampled(sample_weight, sampling_weight):
    """Whether the weights are those of sampling; not both kinds may be given."""
    if sample_weight is not None and sampling_weight is not None:
        raise ValueError(
            "sampling_weight and sample_weight exclude each other: give the number of outcomes "
            "that a row counts, or of rows that it stands for"
        )
    return sampling_weight is not None


def whole(weights):
    """Weights as they are, if an outcome of its own can be drawn for each row they stand for."""
    if np.any(weights != np.rint(weights)) or weights.sum() > MOST_ROWS:
        raise ValueError(
            "sample_weight must hold whole numbers, at most 2**53 in all: it counts rows, each "
            "with an outcome of its own; weights that mend a sample are sampling_weight, which "
            "kuiper_test, spiegelhalter_test, mean_interval and recalibration_intervals take"
        )
    return weights


def impossible(ties):
    """Whether an outcome was given probability 0: no calibrated prediction does that."""
    wrong = np.where(ties.scores == 1, ties.weights - ties.positives, ties.positives)
    return bool(np.any(wrong[(ties.scores == 0) | (ties.scores == 1)]))


def neighbours(groups, most):
    """Starts of at most so many runs of neighbouring ties, of equal weight as far as can be."""
    if groups.scores.size <= most:
        return np.arange(groups.scores.size + 1)
    return equal_frequency_starts(prefix_sums(groups.weights), int(most))


def counted(labels, probabilities, sample_weight):
    """A clean sample; weights, which are counts here, are ones where there are none."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    return labels, probabilities, np.ones(labels.size) if weights is None else weights


def grouped_sample(labels, probabilities, groups, sample_weight, *, counts=False):
    """What `check_sample` returns, the distinct groups, and for each row the number of its own."""
    groups = one_dimensional(groups, "groups")
    if sample_weight is not None and groups.size == np.size(sample_weight):
        groups = groups[np.asarray(sample_weight, np.float64) > 0]
    sample = check_sample(labels, probabilities, sample_weight, counts=counts)
    return sample, *codes_of(groups, sample[0].size, name="groups", other="probabilities")


def codes_of(parts, size, *, name="parts", other="scores"):
    """The distinct `parts`, and for each row the number of its own among them."""
    parts = one_dimensional(parts, name)
    check_size(parts.size, size, name, other)
    try:
        return np.unique(parts, return_inverse=True)
    except TypeError:  # strings beside numbers, or None
        raise ValueError(f"{name} must be all numbers or all strings: convert them") from None


def parts_of(columns, codes):
    """Yield the rows of each part of `columns`, one of which may be None, by their `codes`."""
    order, ends = np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))
    for rows in np.split(order, ends[:-1]):
        yield tuple(None if column is None else column[rows] for column in columns)


def cluster_codes(
    clusters: ArrayLike | None, size: int, sample_weight: ArrayLike | None, *, other: str
) -> NDArray[np.int64] | None:
    """Number of the cluster of each row that counts, from 0 without gaps; None without clusters.

    Raises
    ------
    ValueError
        If they are not `size`, as many as the rows of `other`, or all rows that count are of one.
    """
    if clusters is None:
        return None
    _, codes = codes_of(clusters, size, name="clusters", other=other)
    if sample_weight is not None:
        _, codes = np.unique(codes[np.asarray(sample_weight) > 0], return_inverse=True)
    if codes.max() == 0:
        raise ValueError("clusters holds one cluster only: nothing tells how much clusters differ")
    return codes


def cluster_error(deviations: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """Standard error of the sum of deviations from their mean, if clusters are independent."""
    sums = np.bincount(codes, deviations)
    return math.sqrt(np.dot(sums, sums) * sums.size / (sums.size - 1))


def equal_clusters(weights: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """Number of clusters of equal size that tell as much."""
    sizes = np.bincount(codes, weights)
    return float(sizes.sum() ** 2 / np.dot(sizes, sizes))


def quantile(
    confidence: float, weights: NDArray[np.float64], codes: NDArray[np.int64] | None
) -> float:
    """Standard errors on each side of an interval: of the t law, or without clusters the normal."""
    tail = (1 + confidence) / 2
    if codes is None:
        return float(ndtri(tail))
    return float(stdtrit(equal_clusters(weights, codes) - 1, tail))
