"""Pool tied scores: the sorted distinct scores with their weights and positive weights.

Without weights no `argsort` is needed: the scores of the two classes are sorted by value, which is
several times faster, and merged.
"""

from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit


class Groups(NamedTuple):
    """Distinct scores in increasing order; one group per score."""

    scores: np.ndarray
    weights: np.ndarray
    positives: np.ndarray


def group_ties(scores, labels, weights=None):
    """Distinct `scores`, the weight of each and the part of it that is positive: O(n log n)."""
    if weights is not None:
        order = np.argsort(scores, kind="stable")
        return Groups(*_pool(scores[order], labels[order], weights[order]))
    negative, positive = split_classes(scores, labels)
    negative.sort()
    positive.sort()
    return Groups(*_merge(negative, positive))


@jit
def split_classes(scores, labels):
    """Scores of class 0 and scores of class 1."""
    n_positive = 0
    for label in labels:
        n_positive += np.int64(label)
    # one spare cell each: both are written at every step and only one index moves (no branch)
    negative = np.empty(labels.size - n_positive + 1)
    positive = np.empty(n_positive + 1)
    i, j = 0, 0
    for k in range(labels.size):
        negative[i] = scores[k]
        positive[j] = scores[k]
        i += 1 - np.int64(labels[k])
        j += np.int64(labels[k])
    return negative[:i], positive[:j]


@jit
def _merge(negative, positive):
    n = negative.size + positive.size
    scores, weights, positives = np.empty(n), np.empty(n), np.empty(n)
    i, j, k = 0, 0, 0
    while i < negative.size or j < positive.size:
        below = negative[i] if i < negative.size else np.inf
        above = positive[j] if j < positive.size else np.inf
        score = min(below, above)
        i_start, j_start = i, j
        while i < negative.size and negative[i] == score:
            i += 1
        while j < positive.size and positive[j] == score:
            j += 1
        scores[k] = score
        positives[k] = j - j_start
        weights[k] = i - i_start + j - j_start
        k += 1
    return scores[:k].copy(), weights[:k].copy(), positives[:k].copy()


@jit
def _pool(scores, labels, weights):
    n = scores.size
    distinct, totals, positives = np.empty(n), np.empty(n), np.empty(n)
    k = -1
    for i in range(n):
        if i == 0 or scores[i] != scores[i - 1]:
            k += 1
            distinct[k] = scores[i]
            totals[k] = 0.0
            positives[k] = 0.0
        totals[k] += weights[i]
        positives[k] += weights[i] * labels[i]
    return distinct[: k + 1].copy(), totals[: k + 1].copy(), positives[: k + 1].copy()
