"""Groups and clusters of rows, and runs of neighbouring predictions."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def cluster_error(sums: NDArray[np.float64]) -> float:
    """Standard error of the total of the clusters' sums of deviations from a mean."""
    return math.sqrt(np.dot(sums, sums) * sums.size / (sums.size - 1))


def jackknifed_sums(
    deviations: NDArray[np.float64], weights: NDArray[np.float64], codes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How far a weighted mean moves without each cluster, by the rows' deviations from it."""
    fractions = np.bincount(codes, weights) / weights.sum()
    moved = (1 - 1 / fractions.size) / (1 - fractions)
    return moved * np.bincount(codes, weights * deviations) / weights.sum()


def effective_clusters(weights: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """Effective number of clusters: as many of equal size carry the same information."""
    sizes = np.bincount(codes, weights)
    return float(sizes.sum() ** 2 / np.dot(sizes, sizes))


class Contributions(NamedTuple):
    """Contributions of the rows to the error of an estimate.

    Attributes
    ----------
    residuals, variances : ndarray of shape (n,)
        The residual of one row, and its variance by a model in which rows are independent.
    counts : ndarray of shape (n,)
        Number of rows of the same cluster that each row stands for.
    codes : ndarray of shape (n,) of int
        Number of the cluster of each row.
    """

    residuals: NDArray[np.float64]
    variances: NDArray[np.float64]
    counts: NDArray[np.float64]
    codes: NDArray[np.int64]

    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of the estimate of variance that sums squares over clusters.

        They are the effective number of clusters, less one and at least one. As in Satterthwaite's
        approximation, a cluster counts by its part of the variance. That part lies between its
        values for rows without correlation and for equal rows, as far up as all clusters are.
        """
        apart = np.bincount(self.codes, self.counts * self.variances)
        together = apart * np.bincount(self.codes, self.counts)
        excess = np.sum(together - apart)
        sums = np.bincount(self.codes, self.counts * self.residuals)
        products = np.dot(sums, sums) - np.dot(self.counts, np.square(self.residuals))
        correlation = min(max(products / excess, 0.0), 1.0) if excess > 0 else 0.0
        parts = apart + correlation * (together - apart)
        squares = np.dot(parts, parts)
        return max(parts.sum() ** 2 / squares - 1, 1.0) if squares > 0 else 1.0
