"""Clean samples with counts, and their distinct predictions."""

import numpy as np

from calib.base.arrays import check_sample
from calib.base.probabilities import rescaled
from calib.kernels.ties import Ties, ties


def ties_of(labels, probabilities, sample_weight) -> Ties:
    """Distinct predictions, increasing, where only the ratios of the weights matter."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, narrow=True)
    return ties(probabilities, labels, None if weights is None else rescaled(weights))


def counted_sample(labels, probabilities, sample_weight):
    """Clean labels, predictions and counts. The counts are ones if no weights are given."""
    outcomes, predicted, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    return outcomes, predicted, np.ones(outcomes.size) if weights is None else weights
