"""Averages over binnings, weighted by their Beta-binomial evidence.

A bin is a run of neighbouring ties. Its labels have the evidence `log_bin_evidence`, and its
frequency has the posterior mean `posterior_mean`. The bins of a binning are independent, so that
their log evidences add up to the log evidence of the binning. BBQ finds the bins of its binnings
by `bins_of_binnings`, weighs them by `binning_log_scores` and averages them by `binning_average`.
`average_over_all_binnings` is ABB.
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


class BinsOfBinnings(NamedTuple):
    """Bins of several binnings, one binning behind the other."""

    ends: np.ndarray  # number of bins of each binning and those before
    starts: np.ndarray  # first tie of each bin
    weights: np.ndarray  # weight of each bin
    positives: np.ndarray  # positive weight of each bin
    priors: np.ndarray  # a of the prior of each bin


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
    return _log_gammas(weight, positive, a) - math.lgamma(weight + PRIOR_WEIGHT)


@jit
def _log_gammas(weight, positive, a):
    """The part of a bin's evidence that depends on more than its weight."""
    b = PRIOR_WEIGHT - a
    return (
        math.lgamma(positive + a)
        - math.lgamma(a)
        + math.lgamma(weight - positive + b)
        - math.lgamma(b)
    )


@jit
def posterior_mean(weight, positive, a):
    """Posterior mean of a bin's frequency."""
    return (positive + a) / (weight + PRIOR_WEIGHT)


@jit
def bins_of_binnings(sums, sizes):
    """Bins of the equal-frequency binnings of these `sizes`."""
    n_ties = sums.edges.size - 1
    room = np.minimum(sizes, n_ties).sum()
    ends = np.empty(sizes.size, np.int64)
    starts = np.empty(room, np.int64)
    weights, positives, priors = np.empty((3, room))
    n_bins = 0
    for k in range(sizes.size):
        edges = equal_frequency_starts(sums.weights, sizes[k])
        for i in range(edges.size - 1):
            starts[n_bins] = edges[i]
            weight, positive, a = bin_sums(sums, edges[i], edges[i + 1])
            weights[n_bins] = weight
            positives[n_bins] = positive
            priors[n_bins] = a
            n_bins += 1
        ends[k] = n_bins
    return BinsOfBinnings(ends, starts, weights, positives, priors)


@jit
def binning_log_scores(bins):
    """Log evidence of each binning."""
    scores = np.zeros(bins.ends.size)
    last_weight, log_gamma = np.nan, np.nan
    start = 0
    for k in range(scores.size):
        for i in range(start, bins.ends[k]):
            weight = bins.weights[i]
            if weight != last_weight:  # few weights differ if each tie counts once
                last_weight = weight
                log_gamma = math.lgamma(weight + PRIOR_WEIGHT)
            scores[k] += _log_gammas(weight, bins.positives[i], bins.priors[i]) - log_gamma
        start = bins.ends[k]
    return scores


def binning_average(bins, n_ties, model_weights):
    """Per tie: posterior means of the binnings, averaged with these weights."""
    rises = _average_rises(bins, n_ties, model_weights)
    return np.cumsum(rises, out=rises)


@jit
def _average_rises(bins, n_ties, model_weights):
    """By how much the average rises from the tie before to each tie.

    A model of B bins rises at B ties only. The rises of all models are added up, which takes less
    time than the values of all models at all ties.
    """
    rises = np.zeros(n_ties)
    start = 0
    for k in range(bins.ends.size):
        value_before = 0.0
        for i in range(start, bins.ends[k]):
            mean = posterior_mean(bins.weights[i], bins.positives[i], bins.priors[i])
            value = model_weights[k] * mean
            rises[bins.starts[i]] += value - value_before
            value_before = value
        start = bins.ends[k]
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
