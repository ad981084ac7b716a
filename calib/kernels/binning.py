"""Equal-frequency bins, and counts and sums per bin."""

import numpy as np

from calib.kernels.compiling import jit
from calib.kernels.fast.step_functions import cell_of

MAX_USEFUL_BINS = 2**53  # equal-frequency bins; floating-point ranks tell no more of them apart


def prefix_sums(values):
    """Sum of the values before each value, and the sum of all at the end: shape (n + 1,)."""
    sums = np.empty(values.size + 1)
    _fill_prefix_sums(values, sums)
    return sums


@jit
def _fill_prefix_sums(values, sums):
    total = 0.0
    sums[0] = total
    for i in range(values.size):
        total += values[i]
        sums[i + 1] = total


@jit
def equal_frequency_starts(ranks, n_bins):
    """First tie of each non-empty equal-frequency bin, and the number of ties at the end.

    `ranks` are the prefix sums of the weights of ties in increasing order. A tie that occupies the
    ranks (c, c + w] of W goes to bin floor(n_bins (c + w/2) / W), where its middle rank falls: a
    tie is never split, and distinct scores of weight one fall into bins whose sizes differ by at
    most one. In NumPy::

        middles = (ranks[:-1] + ranks[1:]) / 2
        bins = np.floor(n_bins * middles / ranks[-1])
        starts = np.append(np.flatnonzero(np.diff(bins, prepend=-1)), middles.size)

    The middle ranks never decrease, so the first tie of the next bin can be searched for. The time
    is O(n_bins log n_ties) altogether.
    """
    n_ties = ranks.size - 1
    starts = np.empty(min(n_bins, n_ties) + 1, np.int64)
    twice_total = 2.0 * ranks[-1]
    last_bin = n_bins - 1
    expected_size = max(1, n_ties // n_bins)

    def gallop(goal, first):  # inside, where numba puts it into the loop: a call a bin costs more
        """First tie, not before `first`, whose middle rank, times 2 n_bins, is `goal` or more.

        Steps double from the end of a bin of the expected size on, first up and then down;
        bisection follows.
        """
        low = first
        high = min(first - 1 + expected_size, n_ties)
        step = 1
        while high < n_ties and n_bins * (ranks[high] + ranks[high + 1]) < goal:
            low = high + 1
            high = min(high + step, n_ties)
            step *= 2
        step = 1
        while high - step >= low and n_bins * (ranks[high - step] + ranks[high - step + 1]) >= goal:
            high -= step
            step *= 2
        low = max(low, high - step + 1)
        while low < high:
            half = (low + high) >> 1
            if n_bins * (ranks[half] + ranks[half + 1]) < goal:
                low = half + 1
            else:
                high = half
        return low

    n_starts, start = 0, 0
    bin_ = -1
    while start < n_ties:
        starts[n_starts] = start
        n_starts += 1
        position = n_bins * (ranks[start] + ranks[start + 1]) / twice_total
        # bins only go up, whatever is rounded: there are never more starts than room for them
        bin_ = max(int(position), bin_ + 1) if position < last_bin else last_bin
        if bin_ == last_bin:
            break
        start = gallop((bin_ + 1) * twice_total, start + 1)
    starts[n_starts] = n_ties
    return starts[: n_starts + 1]


@jit
def finest_increasing_bins(ranks, positives):
    """Starts of the largest number of equal-frequency bins up to which their means increase.

    `ranks` and `positives` are prefix sums over ties of the weights and of the positive weights.
    """
    n_ties = ranks.size - 1
    finest = np.arange(n_ties + 1)  # if its means increase, the means of all coarser bins do
    if _means_increase(finest, ranks, positives):
        return finest
    n_bins = 1
    best = equal_frequency_starts(ranks, n_bins)
    while best.size <= n_ties:
        n_bins += 1
        starts = equal_frequency_starts(ranks, n_bins)
        if not _means_increase(starts, ranks, positives):
            break
        best = starts
    return best


@jit
def _means_increase(starts, ranks, positives):
    """Whether the positive fractions of the bins never decrease."""
    weight, hits = 0.0, 0.0
    for k in range(starts.size - 1):
        next_weight = ranks[starts[k + 1]] - ranks[starts[k]]
        next_hits = positives[starts[k + 1]] - positives[starts[k]]
        if k > 0 and next_hits * weight < hits * next_weight:
            return False
        weight, hits = next_weight, next_hits
    return True


def uniform_sums(scores, labels, weights, n_bins):
    """Per bin [0, 1/n), [1/n, 2/n), ..., [(n-1)/n, 1]: weight, sum of scores, positive weight.

    If `weights` is None, all are one.
    """
    edges = np.arange(n_bins + 1) / n_bins
    edges[0] = np.nan  # no score lies beyond the ends
    edges[-1] = np.nan
    if weights is not None:
        return _uniform_weights(scores, labels, weights, edges)
    negatives, positives, sums = _uniform_counts(scores, labels, edges)
    return (negatives + positives).astype(np.float64), sums, positives.astype(np.float64)


@jit
def _uniform_counts(scores, labels, edges):
    """Per bin: negatives, positives, sum of scores."""
    n_bins = edges.size - 1
    counts = np.zeros((2, n_bins), np.int64)  # whole numbers are added faster than floats
    sums = np.zeros(n_bins)
    for i in range(scores.size):
        k = _uniform_bin(scores[i], edges)
        counts[labels[i], k] += 1
        sums[k] += scores[i]
    return counts[0], counts[1], sums


@jit
def _uniform_weights(scores, labels, weights, edges):
    """Per bin: weight, weighted sum of scores, positive weight."""
    n_bins = edges.size - 1
    totals = np.zeros(n_bins)
    sums = np.zeros(n_bins)
    positives = np.zeros(n_bins)
    for i in range(scores.size):
        k = _uniform_bin(scores[i], edges)
        totals[k] += weights[i]
        sums[k] += weights[i] * scores[i]
        positives[k] += weights[i] * labels[i]
    return totals, sums, positives


@jit
def _uniform_bin(score, edges):
    """Bin of a score in [0, 1] among bins of equal width. The first and last edge are NaN."""
    n_bins = edges.size - 1
    k = cell_of(score, 0.0, n_bins, n_bins)
    # the product may have been rounded across an edge
    return k + np.int64(score >= edges[k + 1]) - np.int64(score < edges[k])


@jit
def halfway(left, right, cuts):
    """Fill in cuts c with left < c <= right, halfway where floating point allows, in O(n)."""
    for i in range(left.size):
        middle = left[i] / 2 + right[i] / 2
        cuts[i] = middle if middle > left[i] else right[i]
    return cuts


@jit
def linear_sums(scores, values, n_cells):
    """Sums of values over cells of [0, 1].

    A value is shared by the two cells whose middles enclose its score, in linear proportion. Before
    the first middle and behind the last one, the end cell gets all of it.
    """
    sums = np.zeros(n_cells)
    for i in range(scores.size):
        position = scores[i] * n_cells - 0.5  # distance from the middle of the first cell, in cells
        left = int(np.floor(position))
        share = position - left
        sums[max(left, 0)] += (1 - share) * values[i]
        sums[min(left + 1, n_cells - 1)] += share * values[i]
    return sums


@jit
def segment_sums(starts, scores, weights, positives):
    """Per bin of neighbouring ties: weight, weighted sum of scores, positive weight."""
    n_bins = starts.size - 1
    counts = np.zeros(n_bins)
    totals = np.zeros(n_bins)
    hits = np.zeros(n_bins)
    for k in range(n_bins):
        for tie in range(starts[k], starts[k + 1]):
            counts[k] += weights[tie]
            totals[k] += weights[tie] * scores[tie]
            hits[k] += positives[tie]
    return counts, totals, hits


def split_sizes(total, n_bins, whole):
    """Sizes of equal bins; if `whole`, whole numbers as the sizes of ``np.array_split``.

    Then the first ``total % n_bins`` bins hold one more than the others.
    """
    if not whole:
        return np.full(n_bins, total / n_bins)
    size, more = divmod(total, n_bins)
    return size + (np.arange(n_bins) < more)


@jit
def label_ordered_sums(sizes, scores, weights, positives):
    """Sums over bins of given sizes of rows sorted by (score, label), as in the papers' code.

    Inside a tie all negatives come before all positives, so a cut through the tie separates them.
    The last bin takes all rows that are left, whatever the sizes were rounded to. Returns weight,
    weighted sum of scores and positive weight per bin.
    """
    last = sizes.size - 1
    counts = np.zeros(sizes.size)
    totals = np.zeros(sizes.size)
    hits = np.zeros(sizes.size)
    k = 0
    room = sizes[0]
    for tie in range(scores.size):
        for label in range(2):
            left = positives[tie] if label == 1 else weights[tie] - positives[tie]
            while left > 0:
                while room <= 0 and k < last:
                    k += 1
                    room = sizes[k]
                taken = left if k == last else min(left, room)
                counts[k] += taken
                totals[k] += taken * scores[tie]
                hits[k] += taken * label
                left -= taken
                room -= taken
    return counts, totals, hits
