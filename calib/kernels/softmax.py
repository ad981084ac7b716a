"""Cross entropy of a softmax as a function of its inverse temperature."""

import math

import numpy as np

from calib.kernels.compiling import jit


@jit
def gaps_below_largest(scores, labels):
    """How far each row's scores lie below the largest of them, halved, which cannot overflow.

    Parameters
    ----------
    scores : ndarray of shape (n, k)
    labels : ndarray of shape (n,)
        Numbers of columns.

    Returns
    -------
    gaps : ndarray of shape (n, k - 1)
        Of all but the largest score, or the first of several, not negative.
    missed : ndarray of shape (n,)
        That of the labelled class: 0 where its score is the largest.
    """
    n, k = scores.shape
    gaps, missed = np.empty((n, k - 1)), np.empty(n)
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
    """Loss and its two derivatives in the factor `slope` of what `gaps_below_largest` returns.

    The loss is the weighted sum of ``slope * missed + log(1 + sum(exp(-slope * gaps)))``, which is
    accurate however small it is.
    """
    n, k = gaps.shape
    loss, gradient, curvature = 0.0, 0.0, 0.0
    for i in range(n):
        others, first, second = 0.0, 0.0, 0.0
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
