"""The sets of multicalibration: a group and a run of neighbouring levels of the prediction."""

import math

import numpy as np

from calib.kernels.compiling import jit

MAX_SHIFT_STEPS = 200  # steps by Newton's method, or halvings where a step leaves the bracket
MAX_SHIFT = 200.0  # log-odds, more than any shift of logits within 37 of 0
MIN_MEAN = 2.0**-53  # least mean prediction of a set in the divergence


@jit
def cell_sums(members, levels, predictions, complements, labels, weights, n_levels):
    """Sums of the weights of each class, observed and predicted, of each group at each level.

    Class 0 has separate sums, because a difference of other sums would lose small digits.

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
        Observed positives, observed negatives, expected positives, expected negatives.
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
def shrunk(total, observed, expected):
    """Goal for a sum over a set: the observed sum, shrunk to the expected by one pseudo-label."""
    return (expected + total * observed) / (total + 1.0)


@jit
def evidence(positive, negative, expected_positive, expected_negative, logarithmic):
    """Total weight times the divergence of the mean asked for from the mean predicted.

    The Kullback-Leibler divergence if `logarithmic`, otherwise twice the squared difference.
    """
    total = positive + negative
    if not logarithmic:
        bias = (positive - expected_positive) / (total + 1.0)
        return total * 2.0 * bias * bias
    divergence = 0.0
    for count, expected in ((positive, expected_positive), (negative, expected_negative)):
        goal = shrunk(total, count, expected)
        if goal > 0.0:
            divergence += goal * math.log(goal / total / max(expected / total, MIN_MEAN))
    return divergence


@jit
def most_evident(sums, logarithmic):
    """Group, first and last level of the set with the largest evidence, and that evidence."""
    _, n_groups, n_levels = sums.shape
    best = (0, 0, n_levels - 1)
    largest = 0.0
    for g in range(n_groups):
        for first in range(n_levels):
            positive = 0.0
            negative = 0.0
            expected_positive = 0.0
            expected_negative = 0.0
            for last in range(first, n_levels):
                positive += sums[0, g, last]
                negative += sums[1, g, last]
                expected_positive += sums[2, g, last]
                expected_negative += sums[3, g, last]
                if not positive + negative > 0.0:
                    continue
                set_evidence = evidence(
                    positive, negative, expected_positive, expected_negative, logarithmic
                )
                if set_evidence > largest:
                    best = (g, first, last)
                    largest = set_evidence
    return best, largest


@jit
def shift_to_sum(logits, weights, goal, start):
    """Shift of the logits at which the weighted sum of the probabilities is `goal`.

    Newton's method from `start`, inside a bracket that every step makes smaller. The logits belong
    to probabilities within [2**-53, 1 - 2**-53], and `goal` to a mean that is nearly within them.
    """
    low = -MAX_SHIFT
    high = MAX_SHIFT
    shift = start
    for _ in range(MAX_SHIFT_STEPS):
        excess = -goal
        slope = 0.0
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
