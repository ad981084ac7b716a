"""Pool tied scores: the sorted distinct scores with their weights and positive weights."""

from typing import NamedTuple

import numpy as np

from calib.kernels.fast.ties import pool_ties


class Ties(NamedTuple):
    """Distinct scores in increasing order, the weight of each and its positive part."""

    scores: np.ndarray
    weights: np.ndarray
    positives: np.ndarray


def ties(scores, labels, weights=None):
    """Distinct `scores`, the weight of each and the part of it that is positive, in O(n log n).

    Without weights each row has weight 1, and the scores may be of `float32`. Weights are added in
    the order of the rows.
    """
    pooled = pool_ties(scores, labels, weights)  # the same bits, faster
    if pooled is not None:
        distinct, totals, positives = pooled
        return Ties(scores=distinct, weights=totals, positives=positives)
    if weights is None:
        weights = np.ones(labels.size)
    distinct, tie = np.unique(scores, return_inverse=True)
    return Ties(
        scores=np.add(distinct, 0.0, dtype=np.float64),  # -0.0 becomes 0.0
        weights=np.bincount(tie, weights),
        positives=np.bincount(tie, weights * labels),
    )


def smoothed(tied, smoothing):
    """The ties with a positive of weight `smoothing` at the first score, a negative at the last.

    A regression that pools violators then knows no 0 and no 1.
    """
    if smoothing == 0:
        return tied
    weights = tied.weights.copy()
    positives = tied.positives.copy()
    weights[0] += smoothing
    positives[0] += smoothing
    weights[-1] += smoothing
    return Ties(scores=tied.scores, weights=weights, positives=positives)
