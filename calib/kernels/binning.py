"""Counts and sums per bin."""

import numpy as np

from calib.kernels.compiling import jit


@jit
def equal_frequency_starts(weights, n_bins):
    """First group of each non-empty equal-frequency bin, and the number of groups at the end.

    Groups of ties come in increasing order. One that occupies the ranks (c, c + w] of W goes to
    bin floor(n_bins (c + w/2) / W), where its middle rank falls: a tie is never split, and
    distinct scores of weight one fall into bins whose sizes differ by at most one.
    """
    starts = np.empty(min(n_bins, weights.size) + 1, np.int64)
    twice_total = 2.0 * weights.sum()
    n_used, bin_ = 0, -1
    below = 0.0
    for g in range(weights.size):
        middle = n_bins * (2.0 * below + weights[g])
        if middle >= (bin_ + 1) * twice_total or g == 0:
            bin_ = min(int(middle / twice_total), n_bins - 1)
            starts[n_used] = g
            n_used += 1
        below += weights[g]
    starts[n_used] = weights.size
    return starts[: n_used + 1]


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
def segment_sums(starts, scores, weights, positives):
    """Per segment of groups of ties: weight, weighted sum of scores, positive weight."""
    n_bins = starts.size - 1
    counts, totals, hits = np.zeros(n_bins), np.zeros(n_bins), np.zeros(n_bins)
    for k in range(n_bins):
        for g in range(starts[k], starts[k + 1]):
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
