"""Distinct predictions, for measures of which only the ratios of the weights matter."""

from calib.contract.validation import check_sample, rescaled
from calib.kernels.grouping import Groups, group_ties


def ties_of(labels, probabilities, sample_weight) -> Groups:
    """Distinct predictions, increasing, with their weights and those of the positives."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    return group_ties(probabilities, labels, None if weights is None else rescaled(weights))
