"""The two sweeps of Venn-Abers prediction: all pairs (p0, p1) of a sample in O(n).

The loops of `calib.methods.venn_abers`. p1 is the value of isotonic regression at a new positive,
p0 at a new negative: the mean of the level set of the new object, its own label included. The first
sweep finds the level sets of a new positive, wherever its score falls. The second one finds the
pairs of a new negative by the same sweep, from the last score to the first, with labels exchanged.

A new positive of weight 1 lies in front of some tie. It is pooled with ties behind it that have a
lower mean, and with ties in front of it that its level set then undercuts. The sweep puts it in
front of each tie in turn, from left to right. Its level set is a window of ties, and both ends of
the window only move right:

* the ties that the object has passed leave the window as soon as their mean is lower than the mean
  of the rest, which is the moment when the cumulative sum diagram gets a corner there;
* the window grows by whole blocks of the isotonic regression without the new object.
"""

import numpy as np

from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.compiling import jit
from calib.kernels.fast.step_functions import count_not_above, guide_table


def venn_abers_pairs(weights, positives):
    """All Venn-Abers predictions for a new object of weight 1.

    Parameters
    ----------
    weights, positives : ndarray of shape (n,)
        Weight and positive weight of each tie, in the order of the scores.

    Returns
    -------
    places : ndarray of shape (k,)
        The places j = 0..n of a new object, beginning with 0, at which p0 or p1 changes.
    p0 : ndarray of shape (k,)
        From there on, isotonic regression at a new negative on tie j - 1 or just behind it. Both
        are equal, because a negative is always pooled with the tie in front of it.
    p1 : ndarray of shape (k,)
        The same at a new positive on tie j or just in front of it.
    """
    n = weights.size
    starts, totals, hits = pool_adjacent_violators(weights, positives)

    # the sweep for p1: a new positive in front of tie j
    p1_places, level_hits, level_totals = pool_new_positive(
        weights, positives, False, starts, totals, hits
    )
    p1_values = (level_hits + 1) / (level_totals + 1)

    # the sweep for p0: a new negative behind tie j - 1 is a new positive in front of it, once the
    # order and the labels are reversed
    reversed_starts = n - starts[::-1]
    reversed_totals = totals[::-1].copy()
    misses = (totals - hits)[::-1].copy()
    last_places, level_misses, level_totals = pool_new_positive(
        weights, positives, True, reversed_starts, reversed_totals, misses
    )
    p0_values = ((level_totals - level_misses) / (level_totals + 1))[::-1]
    p0_places = n + 1 - np.append(last_places[1:], n + 1)[::-1]

    places = np.union1d(p1_places, p0_places)
    p0 = p0_values[np.searchsorted(p0_places, places, side="right") - 1]
    p1 = p1_values[np.searchsorted(p1_places, places, side="right") - 1]
    return places, p0, p1


@jit
def pool_new_positive(weights, positives, backwards, starts, block_totals, block_hits):
    """Find the ties pooled with a new positive of weight 1 in front of tie 0, 1, ..., n in turn.

    Parameters
    ----------
    weights, positives : ndarray of shape (n,)
    backwards : bool
        Whether to read the ties from the last to the first, and negatives as positives.
    starts, block_totals, block_hits : ndarray
        Their isotonic regression, from `pool_adjacent_violators`.

    Returns
    -------
    places : ndarray of shape (k,)
        The places, beginning with 0, at which the level set of the new object changes.
    hits, totals : ndarray of shape (k,)
        Positive weight and weight of the level set from there on, without the new object.
    """
    n = weights.size
    places = np.empty(n + 1, np.int64)
    hits = np.empty(n + 1)
    totals = np.empty(n + 1)
    k = 0
    level_hits, level_total = 0.0, 0.0  # positive weight and weight of the level set
    passed_hits, passed_total = 0.0, 0.0  # the same of its ties in front of the new object
    b = 0  # the first block behind the level set
    for j in range(n + 1):
        tie = max(n - 1 - j, 0) if backwards else min(j, n - 1)
        weight, positive = weights[tie], positives[tie]
        if backwards:
            positive = weight - positive
        if j == n or j == starts[b]:
            # the object has passed the whole level set
            level_hits, level_total = 0.0, 0.0
        elif passed_hits * (level_total + 1) < (level_hits + 1) * passed_total:
            # the mean of the passed ties is lower: they leave
            level_total = max(level_total - passed_total, 0.0)  # fractional weights are rounded
            level_hits = min(max(level_hits - passed_hits, 0.0), level_total)
        else:
            passed_hits += positive
            passed_total += weight
            continue
        # blocks of a lower mean join, or of the same mean
        while b < block_hits.size and (level_hits + 1) * block_totals[b] >= block_hits[b] * (
            level_total + 1
        ):
            level_hits += block_hits[b]
            level_total += block_totals[b]
            b += 1
        places[k] = j
        hits[k] = level_hits
        totals[k] = level_total
        k += 1
        passed_hits, passed_total = positive, weight
    return places[:k].copy(), hits[:k].copy(), totals[:k].copy()


def look_up(scores, p0, p1, queries):
    """``p0[number of scores <= query]`` and ``p1[number of scores < query]``."""
    lower = np.empty(queries.size)
    upper = np.empty(queries.size)
    _fill_pairs(scores, p0, p1, queries, lower, upper)
    return lower, upper


@jit
def _fill_pairs(scores, p0, p1, queries, lower, upper):
    starts, origin, density = guide_table(scores, queries.size)
    for i in range(queries.size):
        reached = count_not_above(scores, starts, origin, density, queries[i])
        on_score = reached > 0 and scores[reached - 1] == queries[i]
        lower[i] = p0[reached]
        upper[i] = p1[reached - np.int64(on_score)]
