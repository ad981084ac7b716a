"""Statistics of many draws of outcomes at once. A row of `hits` holds the positives of a draw."""

import math

import numpy as np

from calib.kernels.compiling import jit


@jit
def ranges_of_sums(hits, expected):
    """Range of the prefix sums of ``hits - expected``, with the empty sum, for each row."""
    ranges = np.empty(hits.shape[0])
    for draw in range(hits.shape[0]):
        path = 0.0
        lowest = 0.0
        highest = 0.0
        for k in range(hits.shape[1]):
            path += hits[draw, k] - expected[k]
            lowest = min(lowest, path)
            highest = max(highest, path)
        ranges[draw] = highest - lowest
    return ranges


@jit
def worst_intervals(hits, counts, expected):
    """Runs of neighbours whose outcomes diverge most from their expectations: O(n_groups^2) a row.

    Returns
    -------
    divergences : ndarray of shape (n_draws,)
        Largest product of the number of points and the Kullback-Leibler divergence of the
        fraction of positives from its expectation. The exponential of its negative is the bound
        of Chernoff and Hoeffding.
    firsts, lasts : ndarray of shape (n_draws,)
        First and last group of the run.
    """
    n_draws, n_groups = hits.shape
    divergences = np.zeros(n_draws)
    firsts, lasts = np.zeros((2, n_draws), np.int64)
    for draw in range(n_draws):
        lasts[draw] = n_groups - 1
        for first in range(n_groups):
            observed = 0.0
            count = 0.0
            mean = 0.0
            for last in range(first, n_groups):
                observed += hits[draw, last]
                count += counts[last]
                mean += expected[last]
                divergence = 0.0
                if observed > 0:
                    divergence += observed * math.log(observed / mean)
                if observed < count:
                    negative = count - observed
                    divergence += negative * math.log(negative / (count - mean))
                if divergence > divergences[draw]:
                    divergences[draw] = divergence
                    firsts[draw] = first
                    lasts[draw] = last
    return divergences, firsts, lasts


@jit
def same_class_sums(kernel, classes):
    """Sum of a symmetric kernel over the pairs of rows of equal class, for each draw, in O(n^2)."""
    sums = np.zeros(classes.shape[0])
    for draw in range(classes.shape[0]):
        drawn = classes[draw]
        for i in range(drawn.size):
            below = 0.0
            for j in range(i):
                below += kernel[i, j] * (drawn[i] == drawn[j])
            sums[draw] += kernel[i, i] + 2 * below
    return sums
