"""Clean samples: their distinct predictions, their weights as counts, their groups."""

import numpy as np

from calib.contract.validation import check_sample, check_weights, one_dimensional, rescaled
from calib.kernels.binning import equal_frequency_starts, prefix_sums
from calib.kernels.grouping import Groups, group_ties
from calib.metrics.discrimination import codes_of


def ties_of(labels, probabilities, sample_weight) -> Groups:
    """Distinct predictions, increasing, where only the ratios of the weights matter."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    return group_ties(probabilities, labels, None if weights is None else rescaled(weights))


def counted_ties_of(labels, probabilities, sample_weight) -> Groups:
    """Distinct predictions, increasing, where weights are counts."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    return group_ties(probabilities, labels, weights)


def neighbours(groups, most):
    """Starts of at most so many runs of neighbouring ties, of equal weight as far as can be."""
    if groups.scores.size <= most:
        return np.arange(groups.scores.size + 1)
    return equal_frequency_starts(prefix_sums(groups.weights), int(most))


def counted(labels, probabilities, sample_weight):
    """A clean sample; weights, which are counts here, are ones where there are none."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    return labels, probabilities, np.ones(labels.size) if weights is None else weights


def counts_of(sample_weight, values, name):
    """Weights of the `values` that the caller calls `name`, which are counts; else ones."""
    if sample_weight is None:
        return np.ones(values.size)
    return check_weights(sample_weight, size=values.size, other=name)


def grouped_sample(labels, probabilities, groups, sample_weight, *, counts=False):
    """What `check_sample` returns, the distinct groups, and for each row the number of its own."""
    groups = one_dimensional(groups, "groups")
    if sample_weight is not None and groups.size == np.size(sample_weight):
        groups = groups[np.asarray(sample_weight, np.float64) > 0]
    sample = check_sample(labels, probabilities, sample_weight, counts=counts)
    return sample, *codes_of(groups, sample[0].size, name="groups", other="probabilities")
