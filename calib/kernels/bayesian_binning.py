"""Averages over binnings, weighted by their Beta-binomial evidence.

The groups of ties come as prefix sums, so that any run of groups is one bin in constant time.
"""

import math
from typing import NamedTuple

import numpy as np

from calib.kernels.binning import equal_frequency_starts
from calib.kernels.compiling import jit

PRIOR_WEIGHT = 2.0  # a + b of a bin's Beta prior, in observations; Gamma(2) = 1 drops out
PRIOR_MARGIN = 0.005  # prior means stay this far from 0 and 1


class Cells(NamedTuple):
    """Groups of ties g = 0, ..., G - 1 as arrays of G + 1 numbers; a bin is a run of groups."""

    edges: np.ndarray  # group g lies in [edges[g], edges[g + 1]]
    weights: np.ndarray  # weight of the groups before g
    positives: np.ndarray  # positive part of it


@jit
def bin_sums(cells, start, end):
    """Weight and positive weight of the groups start, ..., end - 1, and the prior weight a."""
    middle = 0.5 * (cells.edges[start] + cells.edges[end])
    return (
        cells.weights[end] - cells.weights[start],
        cells.positives[end] - cells.positives[start],
        PRIOR_WEIGHT * min(max(middle, PRIOR_MARGIN), 1.0 - PRIOR_MARGIN),
    )


@jit
def log_evidence(weight, positive, a):
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
def binning_log_scores(cells, sizes):
    """Log evidence of the equal-frequency binnings of these `sizes`."""
    scores = np.zeros(sizes.size)
    for k in range(sizes.size):
        starts = equal_frequency_starts(cells.weights, sizes[k])
        for i in range(starts.size - 1):
            weight, positive, a = bin_sums(cells, starts[i], starts[i + 1])
            scores[k] += log_evidence(weight, positive, a)
    return scores


def binning_average(cells, sizes, shares):
    """Per group: posterior means of equal-frequency binnings, averaged with these `shares`."""
    jumps = _average_jumps(cells, sizes, shares)
    return np.cumsum(jumps, out=jumps)


@jit
def _average_jumps(cells, sizes, shares):
    """By how much the average rises from each group to the next."""
    jumps = np.zeros(cells.edges.size - 1)
    for k in range(sizes.size):
        if shares[k] == 0.0:
            continue
        starts = equal_frequency_starts(cells.weights, sizes[k])
        left = 0.0
        for i in range(starts.size - 1):
            weight, positive, a = bin_sums(cells, starts[i], starts[i + 1])
            value = shares[k] * posterior_mean(weight, positive, a)
            jumps[starts[i]] += value - left
            left = value
    return jumps


@jit
def last_bin_terms(cells, positions, strength, log_prefix, end, terms):
    """Fill ``terms[start]``: log weight of all binnings of the first `end` groups by last bin.

    The last bin is start, ..., end - 1; nothing is cut between its neighbours. Returns the largest.
    """
    largest = -np.inf
    for start in range(end):
        weight, positive, a = bin_sums(cells, start, end)
        uncut = -strength * (positions[end - 1] - positions[start])
        terms[start] = log_prefix[start] + uncut + log_evidence(weight, positive, a)
        largest = max(largest, terms[start])
    return largest


@jit
def all_binnings(cells, positions, strength):
    """Average over all binnings of the groups: O(G^2) time, O(G) memory.

    `positions` are the scores, moved and scaled to [0, 1]; neighbours are cut with prior
    probability 1 - exp(-strength gap).

    Returns the posterior mean per group, the posterior probability of each of the G - 1 cuts and
    the log evidence of the labels.
    """
    n_groups = positions.size
    # forward: log_prefix[end] adds up every binning of the first `end` groups, cut behind them
    log_prefix = np.zeros(n_groups + 1)
    terms = np.empty(n_groups)
    for end in range(1, n_groups + 1):
        largest = last_bin_terms(cells, positions, strength, log_prefix, end, terms)
        total = 0.0
        for start in range(end):
            total += math.exp(terms[start] - largest)
        log_prefix[end] = largest + math.log(total)
        if end < n_groups:
            gap = strength * (positions[end] - positions[end - 1])
            # a gap that underflows is never cut
            log_prefix[end] += math.log(-math.expm1(-gap)) if gap > 0.0 else -np.inf
    # backward: given a cut behind group end - 1, the terms share out where its bin starts
    values = np.zeros(n_groups)
    cuts = np.zeros(n_groups + 1)
    cuts[n_groups] = 1.0
    for end in range(n_groups, 0, -1):
        largest = last_bin_terms(cells, positions, strength, log_prefix, end, terms)
        total = 0.0
        for start in range(end):
            terms[start] = math.exp(terms[start] - largest)
            total += terms[start]
        covering = 0.0  # of group `start`, by bins that end at `end`
        for start in range(end):
            share = cuts[end] * (terms[start] / total)
            weight, positive, a = bin_sums(cells, start, end)
            cuts[start] += share
            covering += share * posterior_mean(weight, positive, a)
            values[start] += covering
    return values, cuts[1:-1].copy(), log_prefix[n_groups]
