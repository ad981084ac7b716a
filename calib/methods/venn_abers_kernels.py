"""The level set of a new object in isotonic regression, wherever its score falls: O(n).

A new positive of weight 1 lies before some group. It can only be pooled with groups behind it that
have a lower mean and with those groups before it that its level set then undercuts. Put it before
each group in turn, from left to right. Its level set is a window of groups, and both ends of the
window only move right:

* the groups that it has passed leave the window as soon as their mean is lower than that of the
  rest of it, which is the moment when the cumulative sum diagram gets a corner there;
* the window grows by whole blocks of the isotonic regression without the new object.
"""

import numpy as np

from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.compiling import jit
from calib.kernels.fast.step_functions import count_not_above, guide_table


def venn_abers(weights, positives):
    """All Venn-Abers predictions for a new object of weight 1.

    Parameters
    ----------
    weights, positives : ndarray of shape (n,)
        Weight and positive weight of each group, in the order of the scores.

    Returns
    -------
    places : ndarray of shape (k,)
        The places j = 0..n of a new object, beginning with 0, at which p0 or p1 changes.
    p0 : ndarray of shape (k,)
        From there on, isotonic regression at a new negative on group j - 1 or just behind it:
        equal, because a negative is always pooled with the group before it.
    p1 : ndarray of shape (k,)
        The same at a new positive on group j or just before it.
    """
    n = weights.size
    starts, totals, hits = pool_adjacent_violators(weights, positives)
    ahead, hit, total = pool_new_positive(weights, positives, False, starts, totals, hits)
    rising = (hit + 1) / (total + 1)
    # a negative behind j groups is a positive before the others once order and labels are reversed
    blocks = n - starts[::-1], totals[::-1].copy(), (totals - hits)[::-1].copy()
    behind, miss, total = pool_new_positive(weights, positives, True, *blocks)
    falling = ((total - miss) / (total + 1))[::-1]
    behind = n + 1 - np.append(behind[1:], n + 1)[::-1]
    places = np.union1d(ahead, behind)
    p0 = falling[np.searchsorted(behind, places, side="right") - 1]
    return places, p0, rising[np.searchsorted(ahead, places, side="right") - 1]


@jit
def pool_new_positive(weights, positives, backwards, starts, block_totals, block_hits):
    """What a new positive of weight 1, put before group 0, 1, ..., n in turn, is pooled with.

    Parameters
    ----------
    weights, positives : ndarray of shape (n,)
    backwards : bool
        Whether to read the groups from the last to the first, and negatives as positives.
    starts, block_totals, block_hits : ndarray
        Their isotonic regression, from `pool_adjacent_violators`.

    Returns
    -------
    places : ndarray of shape (k,)
        The places, beginning with 0, at which its level set is another one than just before.
    hits, totals : ndarray of shape (k,)
        Positive weight and weight of the level set from there on, its own left out.
    """
    n = weights.size
    places, hits, totals = np.empty(n + 1, np.int64), np.empty(n + 1), np.empty(n + 1)
    k = 0
    hit, total = 0.0, 0.0  # of the level set
    passed_hit, passed_total = 0.0, 0.0  # of its groups before the new object
    b = 0  # the first block behind it
    for j in range(n + 1):
        group = max(n - 1 - j, 0) if backwards else min(j, n - 1)
        weight, positive = weights[group], positives[group]
        if backwards:
            positive = weight - positive
        if j == n or j == starts[b]:
            hit, total = 0.0, 0.0
        elif passed_hit * (total + 1) < (hit + 1) * passed_total:
            total = max(total - passed_total, 0.0)  # rounding, where weights are no counts
            hit = min(max(hit - passed_hit, 0.0), total)
        else:
            passed_hit += positive
            passed_total += weight
            continue
        while b < block_hits.size and (hit + 1) * block_totals[b] >= block_hits[b] * (total + 1):
            hit += block_hits[b]
            total += block_totals[b]
            b += 1
        places[k], hits[k], totals[k] = j, hit, total
        k += 1
        passed_hit, passed_total = positive, weight
    return places[:k].copy(), hits[:k].copy(), totals[:k].copy()


@jit
def look_up(scores, p0, p1, queries):
    """``p0[number of scores <= query]`` and ``p1[number of scores < query]``."""
    lower, upper = np.empty(queries.size), np.empty(queries.size)
    starts, origin, density = guide_table(scores, queries.size)
    for i in range(queries.size):
        reached = count_not_above(scores, starts, origin, density, queries[i])
        on_score = reached > 0 and scores[reached - 1] == queries[i]
        lower[i] = p0[reached]
        upper[i] = p1[reached - np.int64(on_score)]
    return lower, upper
