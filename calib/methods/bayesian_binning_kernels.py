"""Averages over binnings, weighted by their Beta-binomial evidence.

A bin is a run of neighbouring ties. Its labels have the evidence `log_bin_evidence`, and its
frequency has the posterior mean `posterior_mean`. The bins of a binning are independent, so that
their log evidences add up to the log evidence of the binning. `binning_log_scores` and
`binning_average` are the two halves of BBQ. `average_over_all_binnings` is ABB.
"""

import math
from typing import NamedTuple

import numpy as np

from calib.kernels.binning import equal_frequency_starts
from calib.kernels.compiling import jit

PRIOR_WEIGHT = 2.0  # a + b of a bin's Beta prior, in observations; Gamma(2) = 1 drops out
PRIOR_MARGIN = 0.005  # distance of the prior means from 0 and 1 at least


class TieSums(NamedTuple):
    """Ties 0, ..., K - 1 as prefix sums, K + 1 numbers each: any run is a bin in constant time."""

    edges: np.ndarray  # tie k lies in [edges[k], edges[k + 1]]
    weights: np.ndarray  # weight of the ties before tie k
    positives: np.ndarray  # positive weight of the ties before tie k


@jit
def bin_sums(sums, start, end):
    """Weight and positive weight of the bin of the ties start, ..., end - 1, and its prior a.

    The prior Beta(a, b) of the bin's frequency has its mean at the middle of the bin.
    """
    middle = 0.5 * (sums.edges[start] + sums.edges[end])
    return (
        sums.weights[end] - sums.weights[start],
        sums.positives[end] - sums.positives[start],
        PRIOR_WEIGHT * min(max(middle, PRIOR_MARGIN), 1.0 - PRIOR_MARGIN),
    )


@jit
def log_bin_evidence(weight, positive, a):
    """Log probability of a bin's labels, their frequency integrated over Beta(a, b)."""
    b = PRIOR_WEIGHT - a
    return (
        math.lgamma(positive + a)
        - math.lgamma(a)
        + math.lgamma(weight - positive + b)
        - math.lgamma(b)
        - math.lgamma(weight + PRIOR_WEIGHT)
    )


@jit
def posterior_mean(weight, positive, a):
    """Posterior mean of a bin's frequency."""
    return (positive + a) / (weight + PRIOR_WEIGHT)


@jit
def binning_log_scores(sums, sizes):
    """Log evidence of the equal-frequency binnings of these `sizes`."""
    scores = np.zeros(sizes.size)
    for k in range(sizes.size):
        starts = equal_frequency_starts(sums.weights, sizes[k])
        for i in range(starts.size - 1):
            weight, positive, a = bin_sums(sums, starts[i], starts[i + 1])
            scores[k] += log_bin_evidence(weight, positive, a)
    return scores


def binning_average(sums, sizes, model_weights):
    """Per tie: posterior means of equal-frequency binnings, averaged with these weights."""
    rises = _average_rises(sums, sizes, model_weights)
    return np.cumsum(rises, out=rises)


@jit
def _average_rises(sums, sizes, model_weights):
    """By how much the average rises from the tie before to each tie.

    A model of B bins rises at B ties only. The rises of all models are added up, which takes less
    time than the values of all models at all ties.
    """
    rises = np.zeros(sums.edges.size - 1)
    for k in range(sizes.size):
        if model_weights[k] == 0.0:
            continue
        starts = equal_frequency_starts(sums.weights, sizes[k])
        value_before = 0.0
        for i in range(starts.size - 1):
            weight, positive, a = bin_sums(sums, starts[i], starts[i + 1])
            value = model_weights[k] * posterior_mean(weight, positive, a)
            rises[starts[i]] += value - value_before
            value_before = value
    return rises


@jit
def average_over_all_binnings(sums, positions, strength):
    """Average over all binnings of the ties: O(K^2) time, O(K) memory.

    `positions` are the scores, moved and scaled to [0, 1]. Neighbours are cut with the prior
    probability 1 - exp(-strength gap).

    Returns the posterior mean per tie, the posterior probability of each of the K - 1 cuts and the
    log evidence of the labels.
    """
    n_ties = positions.size
    terms = np.empty(n_ties)
    # forward: log_prefix[end] adds up every binning of the first `end` ties, cut behind them
    log_prefix = np.zeros(n_ties + 1)
    for end in range(1, n_ties + 1):
        largest = last_bin_terms(sums, positions, strength, log_prefix, end, terms)
        total = 0.0
        for start in range(end):
            total += math.exp(terms[start] - largest)
        log_prefix[end] = largest + math.log(total)
        if end < n_ties:
            gap = strength * (positions[end] - positions[end - 1])
            # a gap that underflows is never cut
            log_prefix[end] += math.log(-math.expm1(-gap)) if gap > 0.0 else -np.inf
    # backward: given a cut behind tie end - 1, the terms are proportional to the probabilities of
    # the places where the bin before the cut starts
    values = np.zeros(n_ties)
    cuts = np.zeros(n_ties + 1)
    cuts[n_ties] = 1.0
    for end in range(n_ties, 0, -1):
        largest = last_bin_terms(sums, positions, strength, log_prefix, end, terms)
        total = 0.0
        for start in range(end):
            terms[start] = math.exp(terms[start] - largest)
            total += terms[start]
        value = 0.0  # part of the mean at tie `start` that is due to bins that end at `end`
        for start in range(end):
            probability = cuts[end] * (terms[start] / total)
            weight, positive, a = bin_sums(sums, start, end)
            cuts[start] += probability
            value += probability * posterior_mean(weight, positive, a)
            values[start] += value
    return values, cuts[1:-1].copy(), log_prefix[n_ties]


@jit
def last_bin_terms(sums, positions, strength, log_prefix, end, terms):
    """Fill ``terms[start]``: log weight of all binnings of the first `end` ties by last bin.

    The last bin is start, ..., end - 1. Its neighbours are not cut. Returns the largest term.
    """
    largest = -np.inf
    for start in range(end):
        weight, positive, a = bin_sums(sums, start, end)
        log_uncut = -strength * (positions[end - 1] - positions[start])
        terms[start] = log_prefix[start] + log_uncut + log_bin_evidence(weight, positive, a)
        largest = max(largest, terms[start])
    return largest
