"""Samples whose weights count rows, and the two kinds of weights."""

import numpy as np

from calib.base.arrays import check_sample
from calib.kernels.ties import Ties, ties

MAX_WHOLE_WEIGHT = 2**53  # rows: larger floats do not hold every whole number


def counted_ties_of(labels, probabilities, sample_weight, *, only_whole=False) -> Ties:
    """Distinct predictions, increasing, where weights are counts, whole ones if `only_whole`."""
    outcomes, predicted, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    if only_whole and weights is not None:
        check_whole_weights(weights)
    return ties(predicted, outcomes, weights)


def is_sampled(sample_weight, sampling_weight):
    """Whether sampling weights were given; raises if both kinds of weights were given."""
    if sample_weight is not None and sampling_weight is not None:
        raise ValueError(
            "sampling_weight and sample_weight exclude each other: give the number of outcomes "
            "that a row counts, or of rows that it stands for"
        )
    return sampling_weight is not None


def check_whole_weights(weights):
    """Return the weights unchanged if they are whole numbers, so that each counts rows."""
    if np.any(weights != np.rint(weights)) or weights.sum() > MAX_WHOLE_WEIGHT:
        raise ValueError(
            "sample_weight must hold whole numbers, at most 2**53 in all: it counts rows, each "
            "with an outcome of its own; weights of a sample are sampling_weight, which "
            "kuiper_test, spiegelhalter_test, mean_interval and recalibration_intervals take"
        )
    return weights
