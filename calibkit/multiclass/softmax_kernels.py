"""Cross entropy of a softmax as a function of its inverse temperature."""

import math

import numpy as np

from calib.kernels.compiling import jit


@jit
def gaps_below_largest(scores, labels):
    """Return how far each row's scores lie below its largest score, halved to avoid overflow.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
    labels : ndarray of shape (n,)
        The number of a column for each row.

    Returns
    -------
    gaps : ndarray of shape (n, k - 1)
        The gaps of all scores but the largest, or but the first of several largest. None is
        negative.
    missed : ndarray of shape (n,)
        The gap of the labelled class: 0 where its score is the largest.
    """
    n, k = scores.shape
    gaps = np.empty((n, k - 1))
    missed = np.empty(n)
    for i in range(n):
        best = 0
        for j in range(1, k):
            if scores[i, j] > scores[i, best]:
                best = j
        largest = 0.5 * scores[i, best]
        for j in range(best):
            gaps[i, j] = largest - 0.5 * scores[i, j]
        for j in range(best + 1, k):
            gaps[i, j - 1] = largest - 0.5 * scores[i, j]
        missed[i] = largest - 0.5 * scores[i, labels[i]]
    return gaps, missed


@jit
def slope_derivatives(gaps, missed, weights, slope):
    """Return the loss and its first two derivatives in the factor `slope` of all gaps.

    `gaps_below_largest` returns `gaps` and `missed`. The loss is the weighted sum of
    ``slope * missed + log(1 + sum(exp(-slope * gaps)))``, which is accurate however small it is.
    """
    n, k = gaps.shape
    loss = 0.0
    gradient = 0.0
    curvature = 0.0
    for i in range(n):
        others = 0.0
        first = 0.0
        second = 0.0
        for j in range(k):
            gap = gaps[i, j]
            share = math.exp(-slope * gap)
            others += share
            share *= gap
            first += share
            second += share * gap
        total = 1.0 + others
        mean = first / total
        loss += weights[i] * (slope * missed[i] + math.log1p(others))
        gradient += weights[i] * (missed[i] - mean)
        curvature += weights[i] * (second / total - mean * mean)
    return loss, gradient, curvature
