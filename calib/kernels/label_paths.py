"""Statistics of many draws of outcomes at once; a row of `hits` holds the positives of a draw."""

import math

import numpy as np

from calib.kernels.compiling import jit


@jit
def ranges_of_sums(hits, expected):
    """Range of the sums from the left of ``hits - expected``, the empty sum among them, by row."""
    ranges = np.empty(hits.shape[0])
    for draw in range(hits.shape[0]):
        path, lowest, highest = 0.0, 0.0, 0.0
        for k in range(hits.shape[1]):
            path += hits[draw, k] - expected[k]
            lowest, highest = min(lowest, path), max(highest, path)
        ranges[draw] = highest - lowest
    return ranges


@jit
def worst_intervals(hits, counts, expected):
    """Runs of neighbours whose outcomes diverge most from what they expect: O(n_groups^2) a row.

    Returns
    -------
    divergences : ndarray of shape (n_draws,)
        Largest Kullback-Leibler divergence of the share of positives from the expected one, times
        the number of points: the bound of Chernoff and Hoeffding is its exponential.
    firsts, lasts : ndarray of shape (n_draws,)
        First group of the run, and last one.
    """
    n_draws, n_groups = hits.shape
    divergences = np.zeros(n_draws)
    firsts, lasts = np.zeros((2, n_draws), np.int64)
    for draw in range(n_draws):
        lasts[draw] = n_groups - 1
        for first in range(n_groups):
            seen, count, mean = 0.0, 0.0, 0.0
            for last in range(first, n_groups):
                seen += hits[draw, last]
                count += counts[last]
                mean += expected[last]
                divergence = 0.0
                if seen > 0:
                    divergence += seen * math.log(seen / mean)
                if seen < count:
                    divergence += (count - seen) * math.log((count - seen) / (count - mean))
                if divergence > divergences[draw]:
                    divergences[draw], firsts[draw], lasts[draw] = divergence, first, last
    return divergences, firsts, lasts


@jit
def same_class_sums(kernel, classes):
    """Sum of a symmetric kernel over the pairs of rows of one class, by draw: O(n^2) each."""
    sums = np.zeros(classes.shape[0])
    for draw in range(classes.shape[0]):
        drawn = classes[draw]
        for i in range(drawn.size):
            below = 0.0
            for j in range(i):
                below += kernel[i, j] * (drawn[i] == drawn[j])
            sums[draw] += kernel[i, i] + 2 * below
    return sums
