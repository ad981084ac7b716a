"""The sets of multicalibration: a group and a run of neighbouring levels of the prediction."""

import math

import numpy as np

from calib.kernels.compiling import jit

MOST_STEPS = 200  # of Newton's method, or halvings where a step leaves the bracket
FARTHEST = 200.0  # no shift of logits within 37 of 0 is larger
NEAREST = 2.0**-53  # probabilities are this far from 0 and 1


@jit
def cell_sums(members, levels, predictions, complements, labels, weights, n_levels):
    """Weights of the labels, as they are and as predicted, of each group at each level.

    Class 0 has sums of its own: a difference of the others would lose what is small.

    Parameters
    ----------
    members : bool ndarray of shape (g, n)
    levels : int ndarray of shape (n,)
    predictions, complements : ndarray of shape (n,)
        Probabilities of class 1 and of class 0.
    labels, weights : ndarray of shape (n,)
    n_levels : int

    Returns
    -------
    sums : ndarray of shape (4, g, n_levels)
        Of positives and negatives, and of those that are expected.
    """
    n_groups, n = members.shape
    sums = np.zeros((4, n_groups, n_levels))
    for g in range(n_groups):
        for i in range(n):
            if members[g, i]:
                k = levels[i]
                sums[0, g, k] += weights[i] * labels[i]
                sums[1, g, k] += weights[i] * (1 - labels[i])
                sums[2, g, k] += weights[i] * predictions[i]
                sums[3, g, k] += weights[i] * complements[i]
    return sums


@jit
def shrunk(total, found, expected):
    """What the labels of a set ask a sum to be: what is found, but for a label as predicted."""
    return (expected + total * found) / (total + 1.0)


@jit
def evidence(positive, negative, expected_positive, expected_negative, logarithmic):
    """Total weight times the divergence of the mean that is asked for from the one predicted.

    The divergence is that of Kullback and Leibler, or twice the squared difference.
    """
    total = positive + negative
    if not logarithmic:
        bias = (positive - expected_positive) / (total + 1.0)
        return total * 2.0 * bias * bias
    found = 0.0
    for count, expected in ((positive, expected_positive), (negative, expected_negative)):
        goal = shrunk(total, count, expected)
        if goal > 0.0:
            found += goal * math.log(goal / total / max(expected / total, NEAREST))
    return found


@jit
def most_evident(sums, logarithmic):
    """Group, first and last level of the set with the largest evidence, and that evidence."""
    _, n_groups, n_levels = sums.shape
    best, largest = (0, 0, n_levels - 1), 0.0
    for g in range(n_groups):
        for first in range(n_levels):
            positive, negative, expected_positive, expected_negative = 0.0, 0.0, 0.0, 0.0
            for last in range(first, n_levels):
                positive += sums[0, g, last]
                negative += sums[1, g, last]
                expected_positive += sums[2, g, last]
                expected_negative += sums[3, g, last]
                if not positive + negative > 0.0:
                    continue
                found = evidence(
                    positive, negative, expected_positive, expected_negative, logarithmic
                )
                if found > largest:
                    best, largest = (g, first, last), found
    return best, largest


@jit
def shift_to_sum(logits, weights, goal, start):
    """What to add to the logits so that the weighted sum of probabilities is `goal`.

    Newton's method from `start`, inside a bracket that every step makes smaller. The logits are
    those of numbers within [2**-53, 1 - 2**-53], and so is, nearly, the mean that is asked for.
    """
    low, high, shift = -FARTHEST, FARTHEST, start
    for _ in range(MOST_STEPS):
        excess, slope = -goal, 0.0
        for i in range(logits.size):
            e = math.exp(-abs(logits[i] + shift))
            larger = 1.0 / (1.0 + e)
            excess += weights[i] * (larger if logits[i] + shift > 0.0 else e * larger)
            slope += weights[i] * e * larger * larger
        if excess > 0.0:
            high = shift
        else:
            low = shift
        following = shift - excess / slope if slope > 0.0 else low
        if not low < following < high:  # Newton's step is too long
            following = low + 0.5 * (high - low)
        if not abs(following - shift) > 1e-13 * (1.0 + abs(shift)):
            return following
        shift = following
    return shift
