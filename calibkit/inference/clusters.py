"""Groups and clusters of rows, and runs of neighbouring predictions."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from calib.base.arrays import check_sample, check_size, one_dimensional
from calib.kernels.binning import equal_frequency_starts, prefix_sums


def grouped_sample(labels, probabilities, groups, sample_weight, *, counts=False):
    """The result of `check_sample`, the distinct groups, and the number of each row's group."""
    groups = one_dimensional(groups, "groups")
    if sample_weight is not None and groups.size == np.size(sample_weight):
        groups = groups[np.asarray(sample_weight, np.float64) > 0]
    sample = check_sample(labels, probabilities, sample_weight, counts=counts)
    labels, _, _ = sample
    names, codes = codes_of(groups, labels.size, name="groups", other="probabilities")
    return sample, names, codes


def codes_of(parts, size, *, name="parts", other="scores"):
    """The distinct `parts`, and for each row the number of its part among them."""
    parts = one_dimensional(parts, name)
    check_size(parts.size, size, name, other)
    try:
        return np.unique(parts, return_inverse=True)
    except TypeError:  # a mixture of strings and numbers, or None
        raise ValueError(f"{name} must be all numbers or all strings: convert them") from None


def parts_of(columns, codes):
    """Yield the rows of each part of `columns`, one of which may be None, by their `codes`."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes))
    for rows in np.split(order, ends[:-1]):
        yield tuple(None if column is None else column[rows] for column in columns)


def runs_of_neighbours(tied, max_runs):
    """Starts of at most `max_runs` runs of neighbouring predictions, of nearly equal weight."""
    if tied.scores.size <= max_runs:
        return np.arange(tied.scores.size + 1)
    return equal_frequency_starts(prefix_sums(tied.weights), int(max_runs))


def cluster_codes(
    clusters: ArrayLike | None, size: int, sample_weight: ArrayLike | None, *, other: str
) -> NDArray[np.int64] | None:
    """Numbers of the clusters of the rows of positive weight, from 0 without gaps.

    Returns None if there are no clusters.

    Raises
    ------
    ValueError
        If there are not `size` clusters, one for each row of `other`, or if all rows of positive
        weight are in one cluster.
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
    """Standard error of a sum of deviations from a mean, if the clusters are independent."""
    sums = np.bincount(codes, deviations)
    return math.sqrt(np.dot(sums, sums) * sums.size / (sums.size - 1))


def effective_clusters(weights: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """Effective number of clusters: as many of equal size carry the same information."""
    sizes = np.bincount(codes, weights)
    return float(sizes.sum() ** 2 / np.dot(sizes, sizes))


def interval_quantile(
    confidence: float, weights: NDArray[np.float64], codes: NDArray[np.int64] | None
) -> float:
    """Half-width of an interval in standard errors.

    With clusters it is a quantile of the t distribution, else of the normal distribution.
    """
    tail = (1 + confidence) / 2
    if codes is None:
        return float(ndtri(tail))
    return float(stdtrit(effective_clusters(weights, codes) - 1, tail))
