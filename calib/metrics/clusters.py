"""Sums over clusters of rows, such as those of one patient, where rows are not independent."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri, stdtrit

from calib.metrics.discrimination import codes_of


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
