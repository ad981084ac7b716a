"""Pool tied scores: the sorted distinct scores with their weights and positive weights.

Without weights no `argsort` is needed: the scores of the two classes are sorted by value, which is
several times faster, and merged.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit, threads
from calib.kernels.sorting import argsort, sort

_MANY = 1_000_000  # rows, for which two threads pay
_BLOCK = 2**17


class Ties(NamedTuple):
    """Distinct scores in increasing order; one group per score."""

    scores: np.ndarray
    weights: np.ndarray
    positives: np.ndarray


def ties(scores, labels, weights=None):
    """Distinct `scores`, the weight of each and the part of it that is positive: O(n log n).

    Without weights the scores may be of `float32`.
    """
    if weights is not None:
        order = argsort(scores)
        scores, weights = scores[order], weights[order]
        starts, totals, positives = sum_runs(scores, weights, weights * labels[order])
        return Ties(scores[starts], totals, positives)
    labels = labels.astype(np.uint8, copy=False)
    groups = Ties(*(np.empty(labels.size) for _ in range(3)))
    if threads == 1 or labels.size < _MANY:
        n_groups = _fill(scores, labels, (-np.inf, np.inf), np.count_nonzero(labels), groups)
    else:
        n_groups = _fill_in_threads(scores, labels, groups)
    few = 2 * n_groups < labels.size  # else the room behind the groups is worth no copy
    return Ties(*(v[:n_groups].copy() if few else v[:n_groups] for v in groups))


def _fill_in_threads(scores, labels, groups):
    """`_fill`, the scores below their median and the others side by side: no tie is split."""
    cut = float(np.median(scores[:: scores.size // 1000]))
    low = scores < cut
    room, hits = np.count_nonzero(low), np.count_nonzero(low & (labels == 1))

    def fill(within, n_positive, place):
        here = Ties(*(values[place] for values in groups))
        return _fill(scores, labels, within, n_positive, here)

    with ThreadPoolExecutor(1) as pool:
        rest = np.count_nonzero(labels) - hits
        others = pool.submit(fill, (cut, np.inf), rest, slice(room, None))
        n_low = fill((-np.inf, cut), hits, slice(room))
        n_high = others.result()
    for values in groups:
        values[n_low : n_low + n_high] = values[room : room + n_high]
    return n_low + n_high


def _fill(scores, labels, within, n_positive, groups):
    """Fill in the groups of the scores from the first of `within` to the second; how many."""
    # each class has infinity behind its end
    negative = np.empty(groups.scores.size - n_positive + 1)
    positive = np.empty(n_positive + 1)
    ends = 0, 0
    for start in range(0, labels.size, _BLOCK):  # float32 is not copied as a whole
        here = slice(start, min(start + _BLOCK, labels.size))
        block = scores[here].astype(np.float64, copy=False)
        ends = _split_classes(block, labels[here], *within, negative, positive, *ends)
    negative[-1] = positive[-1] = np.inf
    sort(negative[:-1])
    sort(positive[:-1])
    return _merge(negative, positive, *groups)


def smoothed(groups, smoothing):
    """The groups with a positive of weight `smoothing` at the first score, a negative at the last.

    A regression that pools violators then knows no 0 and no 1.
    """
    if smoothing == 0:
        return groups
    weights, positives = groups.weights.copy(), groups.positives.copy()
    weights[0] += smoothing
    positives[0] += smoothing
    weights[-1] += smoothing
    return Ties(groups.scores, weights, positives)


@jit
def _split_classes(scores, labels, least, below, negative, positive, i, j):
    """Fill in the scores of either class, from i and j on, that are in a range; where they end."""
    for k in range(labels.size):
        # both are written and one index moves at most: no branch to be guessed wrong
        negative[i] = scores[k]
        positive[j] = scores[k]
        inside = np.int64(least <= scores[k]) & np.int64(scores[k] < below)
        i += inside & (1 - np.int64(labels[k]))
        j += inside & np.int64(labels[k])
    return i, j


@jit
def _merge(negative, positive, scores, weights, positives):
    """Fill in the groups of both classes together; how many there are."""
    n = scores.size
    i, j, k, last = 0, 0, -1, negative.size - 1
    score, weight, hits = np.nan, 0.0, 0.0
    for _ in range(n):
        hit = (positive[j] < negative[i]) | (i == last)  # never beyond the end, NaN or not
        following = positive[j] if hit else negative[i]
        tied = following == score
        score = following
        weight = weight * tied + 1.0
        hits = hits * tied + hit
        i += 1 - np.int64(hit)
        j += np.int64(hit)
        k += 1 - np.int64(tied)
        scores[k], weights[k], positives[k] = score, weight, hits
    return k + 1


@jit
def sum_runs(keys, weights, positives):
    """First row of each run of equal `keys`, and the sums of weights and positives in it."""
    n, k = keys.size, -1
    starts, totals, hits = np.empty(n, np.int64), np.empty(n), np.empty(n)
    for i in range(n):
        if i == 0 or keys[i] != keys[i - 1]:
            k += 1
            starts[k], totals[k], hits[k] = i, 0.0, 0.0
        totals[k] += weights[i]
        hits[k] += positives[i]
    return starts[: k + 1].copy(), totals[: k + 1].copy(), hits[: k + 1].copy()
