"""Pool adjacent violators, and find the centres of the blocks.

Vovk and Petej (2014) describe the algorithm in the proof of their Lemma 1. A block is one of their
cells, and its mean is a ratio: positive weight over weight.
"""

import numpy as np

from calib.kernels.compiling import jit

MIN_PRODUCT = 1e-290  # product of two weights, below which products lose digits or vanish


@jit
def is_below(hits, total, other_hits, other_total):
    """Whether one mean, hits / total, is below another.

    The means are compared by cross products, which is exact for counts, or by quotients where the
    products underflow.
    """
    left, right = hits * other_total, other_hits * total
    if max(left, right) < MIN_PRODUCT:
        return hits / total < other_hits / other_total
    return left < right


@jit
def pool_adjacent_violators(weights, positives):
    """Blocks of the isotonic regression of ``positives / weights``, in O(n).

    Each score begins as a separate block, equation (8). Two neighbouring blocks are pooled while
    the left mean is not below the right one, equation (9). Equal means are pooled as well, so that
    blocks are level sets.

    Returns
    -------
    starts : ndarray of shape (n_blocks + 1,)
        First score of each block, and the number of scores at the end.
    block_weights, block_positives : ndarray of shape (n_blocks,)
    """
    n = weights.size
    starts = np.empty(n + 1, np.int64)
    totals = np.empty(n)
    hits = np.empty(n)
    b = -1  # the last block so far
    for i in range(n):
        start = i
        weight = weights[i]
        positive = positives[i]
        while b >= 0 and not is_below(hits[b], totals[b], positive, weight):
            start = starts[b]
            weight += totals[b]
            positive += hits[b]
            b -= 1
        b += 1
        starts[b] = start
        totals[b] = weight
        hits[b] = positive
    starts[b + 1] = n
    return starts[: b + 2].copy(), totals[: b + 1].copy(), hits[: b + 1].copy()


@jit
def block_centres(scores, weights, starts):
    """Weighted mean of the increasing scores of each block, never outside the block, in O(n).

    Block i holds the scores from ``starts[i]`` up to ``starts[i + 1]``.
    """
    centres = np.empty(starts.size - 1)
    for b in range(centres.size):
        first = scores[starts[b]]
        last = scores[starts[b + 1] - 1]
        total = 0.0
        half = 0.0  # half the distance from `first`, because the distance itself may overflow
        for i in range(starts[b], starts[b + 1]):
            total += weights[i]
            half += weights[i] / total * (0.5 * scores[i] - 0.5 * first - half)
        centres[b] = min(max(first + half + half, first), last)
    return centres
