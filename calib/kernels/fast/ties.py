"""Pool the tied scores of many rows.

The results are, to the last bit, those of the few lines of NumPy in `calib.kernels.ties.ties`.

Without weights no `argsort` is needed: the scores of the two classes are sorted by value, which is
several times faster, and merged. Two threads share a large sample between them.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit, threads
from calib.kernels.fast.sorting import argsort, sort

MIN_ROWS_FOR_TWO_THREADS = 1_000_000  # rows, below which a second thread gains nothing
_ROWS_PER_BLOCK = 2**17  # rows of float32 that are converted together


def pool_ties(scores, labels, weights=None):
    """Distinct `scores`, the weight of each and its positive part, as three arrays: O(n log n)."""
    if weights is None:
        return _pool_counts(scores, labels.astype(np.uint8, copy=False))
    scores = scores.astype(np.float64, copy=False)
    order = argsort(scores)
    scores, weights = scores[order], weights[order]
    starts, totals, positives = sum_runs(scores, weights, weights * labels[order])
    return scores[starts] + 0.0, totals, positives  # -0.0 becomes 0.0


@jit
def sum_runs(keys, weights, positives):
    """First row of each run of equal `keys`, and the sums of weights and positives in it.

    A row is added after the rows before it, as by `np.bincount`.
    """
    n = keys.size
    starts = np.empty(n, np.int64)
    totals = np.empty(n)
    hits = np.empty(n)
    k = -1
    for i in range(n):
        if i == 0 or keys[i] != keys[i - 1]:
            k += 1
            starts[k] = i
            totals[k] = 0.0
            hits[k] = 0.0
        totals[k] += weights[i]
        hits[k] += positives[i]
    return starts[: k + 1].copy(), totals[: k + 1].copy(), hits[: k + 1].copy()


class _Columns(NamedTuple):
    """Room for ties, one place for each row that may begin one."""

    distinct: np.ndarray
    counts: np.ndarray
    positives: np.ndarray

    def part(self, chosen):
        """The room at a slice `chosen` of the places; no copy."""
        return _Columns(
            distinct=self.distinct[chosen],
            counts=self.counts[chosen],
            positives=self.positives[chosen],
        )


def _pool_counts(scores, labels):
    """Distinct scores, the number of rows of each and of its positives."""
    n = labels.size
    columns = _Columns(distinct=np.empty(n), counts=np.empty(n), positives=np.empty(n))
    if threads == 1 or n < MIN_ROWS_FOR_TWO_THREADS:
        n_ties = _pool_range(scores, labels, -np.inf, np.inf, np.count_nonzero(labels), columns)
    else:
        n_ties = _pool_in_two_threads(scores, labels, columns)
    filled = columns.part(slice(n_ties))
    if 2 * n_ties < n:  # copies free the room behind the ties
        return filled.distinct.copy(), filled.counts.copy(), filled.positives.copy()
    return filled.distinct, filled.counts, filled.positives


def _pool_in_two_threads(scores, labels, columns):
    """Fill in the columns; return the number of ties.

    One thread pools the scores below a cut near the median, the other one pools the others. Equal
    scores lie on the same side of the cut, so that no tie is split.
    """
    some = np.sort(scores[:: scores.size // 1000])
    cut = some[some.size // 2]  # two middle values may have no mean that is finite
    is_low = scores < cut
    n_low = np.count_nonzero(is_low)
    n_low_positive = np.count_nonzero(is_low & (labels == 1))
    n_high_positive = np.count_nonzero(labels) - n_low_positive
    low = columns.part(slice(n_low))
    high = columns.part(slice(n_low, None))
    with ThreadPoolExecutor(1) as pool:
        high_job = pool.submit(_pool_range, scores, labels, cut, np.inf, n_high_positive, high)
        n_low_ties = _pool_range(scores, labels, -np.inf, cut, n_low_positive, low)
        n_high_ties = high_job.result()
    n_ties = n_low_ties + n_high_ties
    for column in columns:  # close the gap behind the low ties
        column[n_low_ties:n_ties] = column[n_low : n_low + n_high_ties]
    return n_ties


def _pool_range(scores, labels, lower, upper, n_positive, columns):
    """Fill in the ties of the scores in [lower, upper); return the number of ties.

    The columns have as many places as there are such scores, of which `n_positive` are positive.
    """
    # infinity stands behind the last score of either class
    negative = np.empty(columns.distinct.size - n_positive + 1)
    positive = np.empty(n_positive + 1)
    i, j = 0, 0
    for start in range(0, labels.size, _ROWS_PER_BLOCK):  # float32 is not copied as a whole
        rows = slice(start, min(start + _ROWS_PER_BLOCK, labels.size))
        block = scores[rows].astype(np.float64, copy=False)
        i, j = _split_classes(block, labels[rows], lower, upper, negative, positive, i, j)
    negative[-1] = positive[-1] = np.inf
    sort(negative[:-1])
    sort(positive[:-1])
    return _merge(negative, positive, columns.distinct, columns.counts, columns.positives)


@jit
def _split_classes(scores, labels, lower, upper, negative, positive, i, j):
    """Append the scores in [lower, upper) to those of their class.

    The first free places are i among the negative and j among the positive scores. Returns the
    first free places afterwards.
    """
    for k in range(labels.size):
        # both are written and one index moves at most: no branch to be guessed wrong
        negative[i] = scores[k]
        positive[j] = scores[k]
        inside = np.int64(lower <= scores[k]) & np.int64(scores[k] < upper)
        i += inside & (1 - np.int64(labels[k]))
        j += inside & np.int64(labels[k])
    return i, j


@jit
def _merge(negative, positive, distinct, counts, positives):
    """Fill in the ties of the sorted scores of both classes; return the number of ties."""
    last = negative.size - 1
    i, j = 0, 0
    k = -1
    score = np.nan
    count, hits = 0.0, 0.0
    for _ in range(distinct.size):
        is_positive = (positive[j] < negative[i]) | (i == last)  # never beyond the end, NaN or not
        following = positive[j] if is_positive else negative[i]
        tied = following == score
        score = following
        count = count * tied + 1.0
        hits = hits * tied + is_positive
        i += 1 - np.int64(is_positive)
        j += np.int64(is_positive)
        k += 1 - np.int64(tied)
        distinct[k] = score + 0.0  # -0.0 becomes 0.0
        counts[k] = count
        positives[k] = hits
    return k + 1
