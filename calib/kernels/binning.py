"""Counts and sums per bin."""

import numpy as np

from calib.kernels.compiling import jit
from calib.kernels.searching import cell_of

MOST_USEFUL_BINS = 2**53  # of equal frequency: floating-point ranks tell no more apart


def prefix_sums(values):
    """Sum of the values before each, and of all at the end: shape (n + 1,)."""
    sums = np.zeros(values.size + 1)
    np.cumsum(values, out=sums[1:])
    return sums


@jit
def equal_frequency_starts(ranks, n_bins):
    """First group of each non-empty equal-frequency bin, and the number of groups at the end.

    Groups of ties come in increasing order, as prefix sums of their weights. One that occupies the
    ranks (c, c + w] of W goes to bin floor(n_bins (c + w/2) / W), where its middle rank falls: a
    tie is never split, and distinct scores of weight one fall into bins whose sizes differ by at
    most one.

    The middle ranks never decrease, so the first group of the next bin is found by galloping, in
    O(n_bins log n_groups) altogether: steps that double from the expected size of a bin, then
    bisection.
    """
    n_groups = ranks.size - 1
    starts = np.empty(min(n_bins, n_groups) + 1, np.int64)
    twice_total = 2.0 * ranks[-1]
    n_used, start, bin_, last = 0, 0, -1, n_bins - 1
    while start < n_groups:
        starts[n_used] = start
        n_used += 1
        middle = n_bins * (ranks[start] + ranks[start + 1])  # twice the middle rank
        position = middle / twice_total
        # bins only go up, whatever is rounded: there are never more starts than room for them
        bin_ = max(int(position), bin_ + 1) if position < last else last
        if bin_ == last:
            break
        goal = (bin_ + 1) * twice_total
        low, size = start + 1, max(1, n_groups // n_bins)
        high = start + size
        while high < n_groups and n_bins * (ranks[high] + ranks[high + 1]) < goal:
            low = high + 1
            high += size
            size *= 2
        high = min(high, n_groups)
        while low < high:
            half = (low + high) >> 1
            if n_bins * (ranks[half] + ranks[half + 1]) < goal:
                low = half + 1
            else:
                high = half
        start = low
    starts[n_used] = n_groups
    return starts[: n_used + 1]


@jit
def finest_increasing_bins(ranks, positives):
    """Starts of the largest number of equal-frequency bins up to which their means increase.

    `ranks` and `positives` are prefix sums of groups of ties, of weight and of positive weight.
    """
    n_groups = ranks.size - 1
    finest = np.arange(n_groups + 1)  # its means increase: so do those of all unions
    if _means_increase(finest, ranks, positives):
        return finest
    best, n_bins = equal_frequency_starts(ranks, 1), 1
    while best.size <= n_groups:
        n_bins += 1
        starts = equal_frequency_starts(ranks, n_bins)
        if not _means_increase(starts, ranks, positives):
            break
        best = starts
    return best


@jit
def _means_increase(starts, ranks, positives):
    weight, hits = 0.0, 0.0  # of the bin before
    for k in range(starts.size - 1):
        following = ranks[starts[k + 1]] - ranks[starts[k]]
        following_hits = positives[starts[k + 1]] - positives[starts[k]]
        if k > 0 and following_hits * weight < hits * following:
            return False
        weight, hits = following, following_hits
    return True


@jit
def uniform_sums(scores, labels, weights, n_bins):
    """Per bin [0, 1/n), [1/n, 2/n), ..., [(n-1)/n, 1]: weight, sum of scores, positive weight.

    `weights` may be None: all are one.
    """
    totals, sums, positives = np.zeros(n_bins), np.zeros(n_bins), np.zeros(n_bins)
    edges = np.arange(n_bins + 1) / n_bins
    for i in range(scores.size):
        score = scores[i]
        k = cell_of(score, 0.0, n_bins, n_bins)
        if k > 0 and score < edges[k]:  # the product has been rounded across an edge
            k -= 1
        elif k + 1 < n_bins and score >= edges[k + 1]:
            k += 1
        weight = 1.0
        if weights is not None:
            weight = weights[i]
        totals[k] += weight
        sums[k] += weight * score
        positives[k] += weight * labels[i]
    return totals, sums, positives


@jit
def halfway(left, right, cuts):
    """Fill in cuts c with left < c <= right, halfway where floating point allows: O(n)."""
    for i in range(left.size):
        middle = left[i] / 2 + right[i] / 2
        cuts[i] = middle if middle > left[i] else right[i]
    return cuts


@jit
def linear_sums(scores, values, n_cells):
    """Sums of values over cells of [0, 1], each shared by the two whose middles are next to it.

    Beyond the ends a cell is its own mirror image.
    """
    sums = np.zeros(n_cells)
    for i in range(scores.size):
        position = scores[i] * n_cells - 0.5  # in cells, from the middle of the first
        left = int(np.floor(position))
        share = position - left
        sums[max(left, 0)] += (1 - share) * values[i]
        sums[min(left + 1, n_cells - 1)] += share * values[i]
    return sums


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


def split_sizes(total, n_bins, whole):
    """Sizes of equal bins: if `whole`, the first ``total % n_bins`` hold one more.

    These are the sizes of ``np.array_split``.
    """
    if not whole:
        return np.full(n_bins, total / n_bins)
    size, more = divmod(total, n_bins)
    return size + (np.arange(n_bins) < more)


@jit
def label_ordered_sums(sizes, scores, weights, positives):
    """Bins of given sizes of rows sorted by (score, label): the convention of the papers' code.

    Inside a tie all negatives come before all positives, so a cut through the tie separates them.
    The last bin takes what is left, whatever the sizes were rounded to.
    """
    last = sizes.size - 1
    counts, totals, hits = np.zeros(sizes.size), np.zeros(sizes.size), np.zeros(sizes.size)
    k, room = 0, sizes[0]
    for g in range(scores.size):
        for label in range(2):
            left = positives[g] if label == 1 else weights[g] - positives[g]
            while left > 0:
                while room <= 0 and k < last:
                    k += 1
                    room = sizes[k]
                taken = left if k == last else min(left, room)
                counts[k] += taken
                totals[k] += taken * scores[g]
                hits[k] += taken * label
                left -= taken
                room -= taken
    return counts, totals, hits
