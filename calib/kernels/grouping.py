"""Pool tied scores: the sorted distinct scores with their weights and positive weights.

Without weights no `argsort` is needed: the scores of the two classes are sorted by value, which is
several times faster, and merged.
"""

from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit
from calib.kernels.sorting import sort


class Groups(NamedTuple):
    """Distinct scores in increasing order; one group per score."""

    scores: np.ndarray
    weights: np.ndarray
    positives: np.ndarray


def group_ties(scores, labels, weights=None):
    """Distinct `scores`, the weight of each and the part of it that is positive: O(n log n)."""
    if weights is not None:
        order = np.argsort(scores, kind="stable")
        scores, weights = scores[order], weights[order]
        starts, totals, positives = sum_runs(scores, weights, weights * labels[order])
        return Groups(scores[starts], totals, positives)
    negative, positive = _split_classes(scores, labels.astype(np.uint8, copy=False))
    sort(negative[:-1])
    sort(positive[:-1])
    return Groups(*_merge(negative, positive))


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
    return Groups(groups.scores, weights, positives)


@jit
def _split_classes(scores, labels):
    """Scores of class 0 and scores of class 1, each with infinity behind its end."""
    n_positive = 0
    for label in labels:
        n_positive += np.int64(label)
    negative = np.empty(labels.size - n_positive + 1)
    positive = np.empty(n_positive + 1)
    i, j = 0, 0
    for k in range(labels.size):
        # both are written and one index moves: no branch to be guessed wrong
        negative[i] = scores[k]
        positive[j] = scores[k]
        i += 1 - np.int64(labels[k])
        j += np.int64(labels[k])
    negative[-1] = positive[-1] = np.inf
    return negative, positive


@jit
def _merge(negative, positive):
    n = negative.size + positive.size - 2
    scores, weights, positives = np.empty(n), np.empty(n), np.empty(n)
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
    return scores[: k + 1].copy(), weights[: k + 1].copy(), positives[: k + 1].copy()


@jit
def sum_runs(keys, weights, positives):
    """First row of each run of equal `keys`, and the sums of weights and positives in it."""
    n = keys.size
    starts, totals, hits = np.empty(n, np.int64), np.empty(n), np.empty(n)
    k = -1
    for i in range(n):
        if i == 0 or keys[i] != keys[i - 1]:
            k += 1
            starts[k], totals[k], hits[k] = i, 0.0, 0.0
        totals[k] += weights[i]
        hits[k] += positives[i]
    return starts[: k + 1].copy(), totals[: k + 1].copy(), hits[: k + 1].copy()
