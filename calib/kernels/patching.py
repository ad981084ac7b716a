"""The sets of multicalibration: a group and a run of neighbouring levels of the prediction."""

import math

import numpy as np

from calib.kernels.compiling import jit

MOST_STEPS = 200  # of Newton's method, or halvings where a step leaves the bracket
FARTHEST = 200.0  # no shift of logits is larger
NEAREST = 2.0**-53  # probabilities are this far from 0 and 1


@jit
def cell_sums(members, levels, predictions, labels, weights, n_levels):
    """Weight, weighted sum of predictions and positive weight of each group at each level.

    Parameters
    ----------
    members : bool ndarray of shape (g, n)
    levels : int ndarray of shape (n,)
    predictions, labels, weights : ndarray of shape (n,)
    n_levels : int

    Returns
    -------
    totals, predicted, positives : ndarray of shape (g, n_levels)
    """
    n_groups, n = members.shape
    totals = np.zeros((n_groups, n_levels))
    predicted, positives = np.zeros((n_groups, n_levels)), np.zeros((n_groups, n_levels))
    for g in range(n_groups):
        for i in range(n):
            if members[g, i]:
                k = levels[i]
                totals[g, k] += weights[i]
                predicted[g, k] += weights[i] * predictions[i]
                positives[g, k] += weights[i] * labels[i]
    return totals, predicted, positives


@jit
def shrunk_bias(total, predicted, positive):
    """What the labels of a set ask for: the bias if one more label were as predicted."""
    return (positive - predicted) / (total + 1.0)


@jit
def evidence(total, mean, bias, logarithmic):
    """Total weight times the divergence of mean + bias from mean.

    The divergence is that of Kullback and Leibler, or twice the squared bias.
    """
    if not logarithmic:
        return total * 2.0 * bias * bias
    mean = min(max(mean, NEAREST), 1.0 - NEAREST)
    moved = min(max(mean + bias, 0.0), 1.0)
    divergence = 0.0
    if moved > 0.0:
        divergence += moved * math.log(moved / mean)
    if moved < 1.0:
        divergence += (1.0 - moved) * math.log((1.0 - moved) / (1.0 - mean))
    return total * divergence


@jit
def most_evident(totals, predicted, positives, logarithmic):
    """Group, first and last level of the set with the largest evidence, and that evidence."""
    n_groups, n_levels = totals.shape
    best, largest = (0, 0, n_levels - 1), 0.0
    for g in range(n_groups):
        for first in range(n_levels):
            total, prediction, positive = 0.0, 0.0, 0.0
            for last in range(first, n_levels):
                total += totals[g, last]
                prediction += predicted[g, last]
                positive += positives[g, last]
                if not total > 0.0:
                    continue
                bias = shrunk_bias(total, prediction, positive)
                found = evidence(total, prediction / total, bias, logarithmic)
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
