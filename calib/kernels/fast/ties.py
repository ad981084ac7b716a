"""Pool the tied scores of many rows, and count ordered pairs.

The results equal, to the last bit, the results of a few lines of NumPy.
`calib.kernels.ties.ties` has them for ties, and `calib.metrics.auc.won_by_ties` for pairs.

Without weights one sort of integers orders scores and labels. With weights one sort finds the order
of the rows, and the weights are added in the order of the rows.
"""

import numpy as np

from calib.kernels.compiling import compiled, jit
from calib.kernels.fast.keys import count_pairs, sorted_rows, unpack
from calib.kernels.fast.sorting import argsort

_MIN_ROWS = 500  # rows, below which NumPy needs a few microseconds more at most


def pool_ties(scores, labels, weights=None):
    """Distinct `scores`, the weight of each and its positive part, or None for NumPy to do it."""
    if not compiled or labels.size < _MIN_ROWS:
        return None
    if weights is not None:
        return _pool_weights(scores, labels, weights)
    rows = sorted_rows(scores, labels)
    if rows is None:
        return _pool_weights(scores, labels, np.ones(labels.size))
    counts = np.empty(labels.size)
    positives = np.empty(labels.size)
    n_ties = unpack(rows.keys, rows.packing.centre, rows.packing.offset, counts, positives)
    distinct = rows.keys[:n_ties].view(f"f{rows.keys.itemsize}").astype(np.float64, copy=False)
    if 2 * n_ties < labels.size:  # copies free the room behind the ties
        return distinct.copy(), counts[:n_ties].copy(), positives[:n_ties].copy()
    return distinct, counts[:n_ties], positives[:n_ties]


def pairs_won(scores, labels):
    """Pairs of a negative and a higher positive (ties: half), and all pairs, or None for NumPy."""
    if not compiled or labels.size < _MIN_ROWS:
        return None
    rows = sorted_rows(scores, labels)
    if rows is None:
        return None
    twice_won, n_negative, n_positive = count_pairs(rows.keys)
    return twice_won / 2, n_negative * n_positive


def _pool_weights(scores, labels, weights):
    """Distinct scores, and the sums of weights and positive weights at each."""
    scores = scores.astype(np.float64, copy=False)
    firsts, totals, positives = sums_of_runs(argsort(scores), scores, weights, weights * labels)
    return scores[firsts] + 0.0, totals, positives  # -0.0 becomes 0.0


def sums_of_runs(order, scores, weights, others):
    """First row of each run of equal scores, and the sums of both columns of weights in it.

    A row is added after the rows before it in the `order`, as by `np.bincount`.
    """
    firsts = np.empty(order.size, np.int64)
    totals = np.empty(order.size)
    sums = np.empty(order.size)
    n_runs = sum_runs(order, scores, weights, others, firsts, totals, sums)
    return firsts[:n_runs], totals[:n_runs], sums[:n_runs]


@jit
def sum_runs(order, scores, weights, others, firsts, totals, sums):
    """Fill in the last three arrays, as `sums_of_runs`; return the number of runs."""
    run = -1
    last = np.nan
    for row in order:
        score = scores[row]
        if score == last:
            totals[run] += weights[row]
            sums[run] += others[row]
        else:
            run += 1
            last = score
            firsts[run] = row
            totals[run] = weights[row]
            sums[run] = others[row]
    return run + 1
