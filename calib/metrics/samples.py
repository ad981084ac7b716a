"""Clean samples: their distinct predictions, and their weights as counts."""

import numpy as np

from calib.base.arrays import check_sample
from calib.base.probabilities import rescaled
from calib.kernels.ties import Ties, ties

MAX_WHOLE_WEIGHT = 2**53  # rows: larger floats do not hold every whole number


def ties_of(labels, probabilities, sample_weight) -> Ties:
    """Distinct predictions, increasing, where only the ratios of the weights matter."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, narrow=True)
    return ties(probabilities, labels, None if weights is None else rescaled(weights))


def counted_ties_of(labels, probabilities, sample_weight, *, only_whole=False) -> Ties:
    """Distinct predictions, increasing, where weights are counts, whole ones if `only_whole`."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    if only_whole and weights is not None:
        whole(weights)
    return ties(probabilities, labels, weights)


def is_sampled(sample_weight, sampling_weight):
    """Whether sampling weights were given; raises if both kinds of weights were given."""
    if sample_weight is not None and sampling_weight is not None:
        raise ValueError(
            "sampling_weight and sample_weight exclude each other: give the number of outcomes "
            "that a row counts, or of rows that it stands for"
        )
    return sampling_weight is not None


def whole(weights):
    """Return the weights unchanged if they are whole numbers, so that each counts rows."""
    if np.any(weights != np.rint(weights)) or weights.sum() > MAX_WHOLE_WEIGHT:
        raise ValueError(
            "sample_weight must hold whole numbers, at most 2**53 in all: it counts rows, each "
            "with an outcome of its own; weights that mend a sample are sampling_weight, which "
            "kuiper_test, spiegelhalter_test, mean_interval and recalibration_intervals take"
        )
    return weights


def impossible(tied):
    """Whether an outcome was given probability 0, which no calibrated prediction does."""
    contrary = np.where(tied.scores == 1, tied.weights - tied.positives, tied.positives)
    return bool(np.any(contrary[(tied.scores == 0) | (tied.scores == 1)]))


def counted(labels, probabilities, sample_weight):
    """Clean labels, predictions and counts; the counts are ones if no weights are given."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    return labels, probabilities, np.ones(labels.size) if weights is None else weights
