"""Clean samples: their distinct predictions, their weights as counts, their groups."""

import numpy as np

from calib.contract.validation import check_sample, check_weights, one_dimensional, rescaled
from calib.kernels.binning import equal_frequency_starts, prefix_sums
from calib.kernels.grouping import Groups, group_ties
from calib.metrics.discrimination import codes_of

MOST_ROWS = 2**53  # a float counts no further


def ties_of(labels, probabilities, sample_weight) -> Groups:
    """Distinct predictions, increasing, where only the ratios of the weights matter."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, narrow=True)
    return group_ties(probabilities, labels, None if weights is None else rescaled(weights))


def counted_ties_of(labels, probabilities, sample_weight, *, only_whole=False) -> Groups:
    """Distinct predictions, increasing, where weights are counts, if need be whole numbers."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    return group_ties(
        probabilities, labels, whole(weights) if only_whole and weights is not None else weights
    )


def is_sampled(sample_weight, sampling_weight):
    """Whether the weights are those of sampling; not both kinds may be given."""
    if sample_weight is not None and sampling_weight is not None:
        raise ValueError(
            "sampling_weight and sample_weight exclude each other: give the number of outcomes "
            "that a row counts, or of rows that it stands for"
        )
    return sampling_weight is not None


def whole(weights):
    """Weights as they are, if an outcome of its own can be drawn for each row they stand for."""
    if np.any(weights != np.rint(weights)) or weights.sum() > MOST_ROWS:
        raise ValueError(
            "sample_weight must hold whole numbers, at most 2**53 in all: it counts rows, each "
            "with an outcome of its own; weights that mend a sample are sampling_weight, which "
            "kuiper_test, spiegelhalter_test, mean_interval and recalibration_intervals take"
        )
    return weights


def impossible(ties):
    """Whether an outcome was given probability 0: no calibrated prediction does that."""
    wrong = np.where(ties.scores == 1, ties.weights - ties.positives, ties.positives)
    return bool(np.any(wrong[(ties.scores == 0) | (ties.scores == 1)]))


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
