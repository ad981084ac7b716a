"""The AUC that calibrating both sides of a split would give, for normally distributed scores.

Each side is described, for each label, by its sums of weights, of scores and of squared scores. So
moving one row across the split costs O(1), whatever the size of the sides.
"""

import math

import numpy as np

from calib.kernels.compiling import jit

MIN_SCORE_VARIANCE = 1e-6  # least variance of scores that are standardised in their node
MIN_CLASS_WEIGHT = 1e-9  # a smaller sum of weights may be rounding, left after the last row


def split_aucs(values, scores, labels, weights):
    """Calibrated AUC of the split after each row; NaN between equal values, in O(n).

    Parameters
    ----------
    values : ndarray of shape (n,)
        Feature, increasing.
    scores, labels, weights : ndarray of shape (n,)
        In the same order. The scores have mean about 0 and variance about 1.

    Returns
    -------
    aucs : ndarray of shape (n - 1,)
        Entry i belongs to the split with rows 0, ..., i on the left.
    """
    terms, whole = _moments(scores, labels, weights)
    moments = np.stack([np.zeros((2, 3)), whole])
    spread = _variance_within_classes(whole)
    mean = np.empty((2, 2))
    variance = np.empty((2, 2))
    aucs = np.full(labels.size - 1, np.nan)
    _move_across(values, labels, terms, moments, spread, mean, variance, aucs)
    return aucs


def whole_auc(scores, labels, weights):
    """The same criterion for a node that is not split, in O(n)."""
    _, whole = _moments(scores, labels, weights)
    spread = _variance_within_classes(whole)
    mean = np.empty((1, 2))
    variance = np.empty((1, 2))
    return calibrated_auc(np.stack([whole]), spread, mean, variance)


def _moments(scores, labels, weights):
    """Terms of each row in the sums of weights, of scores and of their squares; sums by label."""
    terms = np.stack([weights, weights * scores, weights * scores * scores])
    return terms, np.stack([np.bincount(labels, term, minlength=2) for term in terms], axis=1)


@jit
def _move_across(values, labels, terms, moments, spread, mean, variance, aucs):
    """Move one row after another from side 1 to side 0, and fill in the AUC after each."""
    for i in range(aucs.size):
        for k in range(3):
            moments[0, labels[i], k] += terms[k, i]
            moments[1, labels[i], k] -= terms[k, i]
        if values[i] < values[i + 1]:
            aucs[i] = calibrated_auc(moments, spread, mean, variance)


@jit
def calibrated_auc(moments, spread, mean, variance):
    """AUC of all sides together, each mapped to its own log-odds: O(1) for a fixed number of sides.

    Parameters
    ----------
    moments : ndarray of shape (n_sides, 2, 3)
    spread : float
        Variance that a single further observation of each distribution is imagined to have.
    mean, variance : ndarray of shape (n_sides, 2)
        Filled with the mean and the variance of the log-odds.
    """
    sides = moments.shape[0]
    for t in range(sides):
        mean0, variance0 = _normal(moments[t, 0], spread)
        mean1, variance1 = _normal(moments[t, 1], spread)
        slope, intercept = linear_map(
            moments[t, 0, 0], mean0, variance0, moments[t, 1, 0], mean1, variance1
        )
        mean[t, 0] = slope * mean0 + intercept
        mean[t, 1] = slope * mean1 + intercept
        variance[t, 0] = slope * slope * variance0
        variance[t, 1] = slope * slope * variance1
    total = 0.0
    pairs = 0.0
    for i in range(sides):
        for j in range(sides):
            weight = moments[i, 1, 0] * moments[j, 0, 0]
            pairs += weight
            total += weight * _above(
                mean[i, 1] - mean[j, 0], math.sqrt(variance[i, 1] + variance[j, 0])
            )
    return total / pairs


@jit
def linear_map(weight0, mean0, variance0, weight1, mean1, variance1):
    """Slope and intercept of the log-odds of two normal distributions, exact for equal variances.

    The log-odds are a parabola. The line through its points half a standard deviation to the left
    and to the right of the middle of the means takes its place.
    """
    prior = math.log((weight1 + 1) / (weight0 + 1))  # finite for one class also
    if min(weight0, weight1) < MIN_CLASS_WEIGHT:  # one class determines no slope
        return 0.0, prior
    distance = mean1 - mean0
    slope = 0.5 * distance * (1 / variance0 + 1 / variance1)
    square = (distance * distance + 0.5 * (variance0 + variance1)) / 4  # mean of (s - mean)^2
    height = prior + 0.5 * (
        math.log(variance0 / variance1) + square * (1 / variance0 - 1 / variance1)
    )
    return slope, height - slope * 0.5 * (mean0 + mean1)


@jit
def _normal(sums, spread):
    """Mean and variance, with one imagined observation of variance `spread` at the mean."""
    weight = sums[0]
    if weight < MIN_CLASS_WEIGHT:
        return 0.0, spread
    mean = sums[1] / weight
    squares = max(sums[2] - weight * mean * mean, 0.0)
    return mean, max((squares + spread) / (weight + 1), MIN_SCORE_VARIANCE)


def _variance_within_classes(side):
    """Variance of the scores within the classes."""
    squares = 0.0
    for label in range(2):
        if side[label, 0] > 0:
            squares += side[label, 2] - side[label, 1] * side[label, 1] / side[label, 0]
    return max(squares / (side[0, 0] + side[1, 0]), MIN_SCORE_VARIANCE)


@jit
def _above(distance, deviation):
    """P(a normal variable of this mean and standard deviation is positive). A tie counts half."""
    if deviation > 0:
        return 0.5 * math.erfc(-distance / (deviation * math.sqrt(2.0)))
    return 0.5 + 0.5 * np.sign(distance)
