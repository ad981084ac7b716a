"""Limits of a gain in net benefit, from the rows whose decision differs from a default.

If the default is to act in no case, the gain is the share of the positives among all rows that are
acted on, less the odds of the threshold times the share of the negatives. Few of these rows may be
of one class, and then its share has a long tail on one side only. So each fraction has its exact
limits. From these the limits of the difference are recovered. Their distances from it are those
that the two variances would have, if they were as large as the limits say.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from calib.metrics.limits import clopper_pearson
from calibkit.inference.clusters import Contributions, effective_clusters, jackknifed_sums


def limits_if_rows(
    positives: NDArray[np.float64],
    negatives: NDArray[np.float64],
    odds: NDArray[np.float64],
    total: float,
    confidence: float,
) -> NDArray[np.float64]:
    """Limits where rows are independent.

    Parameters
    ----------
    positives, negatives : ndarray of shape (k,)
        Shares of all rows that differ from the default, by class, in [0, 1].
    odds : ndarray of shape (k,)
        Odds of the thresholds.
    total : float
        Number of rows.
    confidence : float
        Coverage of each pair of limits, in (0, 1).

    Returns
    -------
    limits : ndarray of shape (2, k)
        Lower and upper limits of `positives - odds * negatives`.
    """
    others = np.maximum(1 - positives, 0) * np.maximum(1 - negatives, 0)
    products = positives * negatives
    # two fractions of one sample, at most -1, where no row is left
    correlation = -np.sqrt(products / np.where(products > 0, np.maximum(others, products), 1.0))
    totals = np.full((2, odds.size), total)
    tails = np.full(odds.size, (1 - confidence) / 2)
    return _limits(np.stack([positives, negatives]), totals, odds, correlation, tails)


def limits_if_clusters(
    differs: NDArray[np.bool_],
    labels: NDArray[np.uint8],
    counts: NDArray[np.float64],
    codes: NDArray[np.int64],
    odds: NDArray[np.float64],
    confidence: float,
) -> NDArray[np.float64]:
    """Limits where clusters of rows are independent.

    Each share has the limits of so many independent rows that their variance is the jackknife
    variance of the clusters, and the confidence of the t distribution. Where this variance is 0,
    the rows of a cluster that differ count as one.

    Parameters
    ----------
    differs : ndarray of bool of shape (k, n)
        Whether the decision differs from the default, at each threshold.
    labels, counts, codes : ndarray of shape (n,)
        Labels, numbers of equal rows, and numbers of the clusters.
    odds : ndarray of shape (k,)
        Odds of the thresholds.
    confidence : float
        Coverage of each pair of limits, in (0, 1).

    Returns
    -------
    limits : ndarray of shape (2, k)
        Lower and upper limits of the gain over acting in no case.
    """
    shares, totals = np.empty((2, 2, odds.size))
    correlation, tails = np.empty((2, odds.size))
    for j, odd in enumerate(odds.tolist()):
        of_class = np.stack([differs[j] & (labels == 1), differs[j] & (labels == 0)])
        shares[:, j] = of_class @ counts / counts.sum()
        covariance = _jackknife_covariance(of_class - shares[:, j, np.newaxis], counts, codes)
        correlation[j] = _correlation(covariance)
        for k, share in enumerate(shares[:, j]):
            totals[k, j] = share * (1 - share) / covariance[k, k] if covariance[k, k] > 0 else 0.0
        totals[totals[:, j] == 0, j] = _fewest_rows(differs[j] * counts, counts, codes)
        worth = of_class[0] - odd * of_class[1]
        worth -= np.dot(counts, worth) / counts.sum()
        variance = np.dot(counts, np.square(worth)) / counts.sum()
        freedom = Contributions(
            residuals=worth,
            variances=np.full(counts.size, variance if variance > 0 else 1.0),
            counts=counts,
            codes=codes,
        ).degrees_of_freedom()
        tails[j] = ndtr(stdtrit(freedom, (1 - confidence) / 2))
    return _limits(shares, totals, odds, correlation, tails)


def _jackknife_covariance(deviations, counts, codes):
    """Covariance of two shares, by leaving out one cluster at a time; of shape (2, 2)."""
    sums = np.stack([jackknifed_sums(row, counts, codes) for row in deviations])
    n_clusters = sums.shape[1]
    return np.inner(sums, sums) * n_clusters / (n_clusters - 1)


def _correlation(covariance):
    product = covariance[0, 0] * covariance[1, 1]
    return covariance[0, 1] / math.sqrt(product) if product > 0 else 0.0


def _fewest_rows(differing, counts, codes):
    """Number of independent rows if the rows of a cluster that differ were all of one class."""
    if not np.any(differing):
        return effective_clusters(counts, codes)
    return effective_clusters(differing, codes) * counts.sum() / differing.sum()


def _limits(shares, totals, odds, correlation, tails):
    """Lower and upper limits of the first shares less the odds times the second ones."""
    lower, upper = clopper_pearson(shares * totals, totals, tails)
    below = np.stack([shares[0] - lower[0], odds * (upper[1] - shares[1])])
    above = np.stack([upper[0] - shares[0], odds * (shares[1] - lower[1])])
    difference = shares[0] - odds * shares[1]
    reach = [
        np.sqrt(first**2 + second**2 - 2 * correlation * first * second)
        for first, second in (below, above)
    ]
    return np.stack([difference - reach[0], difference + reach[1]])
