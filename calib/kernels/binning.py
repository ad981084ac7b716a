"""Counts and sums per bin."""

import numpy as np

from calib.kernels.compiling import jit


@jit
def rank_bins(weights, n_bins):
    """Equal-frequency bin of each group of ties, by the middle rank of the group.

    Groups come in increasing order. A group that occupies the ranks (c, c + w] of W goes to bin
    floor(n_bins (c + w/2) / W): a tie is never split, and distinct scores of weight one fall into
    bins whose sizes differ by at most one. Bins are numbered from 0; some may stay empty.
    """
    bins = np.empty(weights.size, np.int64)
    total = weights.sum()
    below = 0.0
    for g in range(weights.size):
        bins[g] = min(int(n_bins * (below + 0.5 * weights[g]) / total), n_bins - 1)
        below += weights[g]
    return bins


@jit
def uniform_bin(score, n_bins):
    """Bin of a score in [0, 1] among [0, 1/n), [1/n, 2/n), ..., [(n-1)/n, 1]."""
    k = min(int(score * n_bins), n_bins - 1)
    # the product may round across an edge; the edges k / n decide
    if score < k / n_bins:
        return k - 1
    if k + 1 < n_bins and score >= (k + 1) / n_bins:
        return k + 1
    return k


@jit
def uniform_sums(scores, labels, n_bins):
    """Per equal-width bin of [0, 1]: count, sum of scores, number of positives."""
    counts, totals, positives = np.zeros(n_bins), np.zeros(n_bins), np.zeros(n_bins)
    for i in range(scores.size):
        k = uniform_bin(scores[i], n_bins)
        counts[k] += 1.0
        totals[k] += scores[i]
        positives[k] += labels[i]
    return counts, totals, positives


@jit
def weighted_uniform_sums(scores, labels, weights, n_bins):
    """Per equal-width bin of [0, 1]: total weight and positive weight."""
    totals, positives = np.zeros(n_bins), np.zeros(n_bins)
    for i in range(scores.size):
        k = uniform_bin(scores[i], n_bins)
        totals[k] += weights[i]
        positives[k] += weights[i] * labels[i]
    return totals, positives


@jit
def grouped_sums(bins, n_bins, scores, weights, positives):
    """Per bin of groups of ties: weight, weighted sum of scores, positive weight."""
    counts, totals, hits = np.zeros(n_bins), np.zeros(n_bins), np.zeros(n_bins)
    for g in range(bins.size):
        k = bins[g]
        counts[k] += weights[g]
        totals[k] += weights[g] * scores[g]
        hits[k] += positives[g]
    return counts, totals, hits


@jit
def label_ordered_sums(n_bins, scores, weights, positives):
    """Equal-size bins of rows sorted by (score, label): the convention of the papers' code.

    Inside a tie all negatives come before all positives, so a cut through the tie separates them.
    The first ``n % n_bins`` bins hold one row more than the others, as in ``np.array_split``.
    """
    counts, totals, hits = np.zeros(n_bins), np.zeros(n_bins), np.zeros(n_bins)
    n = int(round(weights.sum()))
    k = 0
    room = n // n_bins + (1 if n % n_bins > 0 else 0)
    for g in range(scores.size):
        for label in range(2):
            left = positives[g] if label == 1 else weights[g] - positives[g]
            while left > 0:
                while room == 0:
                    k += 1
                    room = n // n_bins + (1 if k < n % n_bins else 0)
                taken = min(left, room)
                counts[k] += taken
                totals[k] += taken * scores[g]
                hits[k] += taken * label
                left -= taken
                room -= taken
    return counts, totals, hits
