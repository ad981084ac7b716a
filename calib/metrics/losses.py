"""Means over the points: squared error, logarithmic loss, fraction of correct decisions."""

import numpy as np
from numpy.typing import ArrayLike

from calib.base.arrays import check_sample
from calib.base.probabilities import rescaled


def brier_score_loss(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Mean squared difference of outcome and prediction, in [0, 1], in O(n).

    Unlike scikit-learn's function, it takes labels 0/1 only and the probabilities of class 1 only.

    >>> brier_score_loss([0, 1], [0.5, 1.0])
    0.125
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    return mean_of(squared(labels, probabilities), weights)


def root_mean_squared_error(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Square root of the Brier score, in [0, 1], in O(n).

    Unlike scikit-learn's function for any numbers, it takes labels 0/1 and their probabilities.

    >>> root_mean_squared_error([0, 1], [0.5, 0.5])
    0.5
    """
    return brier_score_loss(labels, probabilities, sample_weight=sample_weight) ** 0.5


def log_loss(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Mean of -log(probability given to the outcome), in O(n).

    Unlike scikit-learn's function, it does not clip. An outcome of probability 0 makes it infinite.

    >>> log_loss([0, 1], [0.0, 0.0])
    inf
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    return mean_of(logarithmic(labels, probabilities), weights)


def accuracy(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Fraction of outcomes on the right side of 1/2. A prediction of 1/2 counts as class 1.

    Unlike scikit-learn's `accuracy_score`, it takes probabilities and not decisions.

    >>> accuracy([0, 1, 1], [0.5, 0.5, 0.9]).__round__(3)
    0.667
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    return mean_of(correct(labels, probabilities), weights)


def squared(labels, probabilities):
    """Squared difference of outcome and prediction in each row."""
    differences = probabilities - labels
    return np.square(differences, out=differences)


def logarithmic(labels, probabilities):
    """Minus the logarithm of the probability given to the outcome of each row."""
    given = 1 - probabilities
    np.copyto(given, probabilities, where=labels == 1)
    with np.errstate(divide="ignore"):
        np.log(given, out=given)
    return np.subtract(0.0, given, out=given)  # the negative of 0.0 would be -0.0


def correct(labels, probabilities):
    """Whether the outcome of each row is on the right side of 1/2."""
    return (probabilities >= 0.5) == (labels == 1)


def mean_of(values, weights):
    """Mean weighted by the ratios of the weights."""
    if weights is not None:
        return float(np.average(values, weights=rescaled(weights)))
    total = np.count_nonzero(values) if values.dtype == bool else values.sum()
    return float(total / values.size)  # as np.average, with less to do
