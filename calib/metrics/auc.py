"""The area under the ROC curve: how well scores order positives and negatives."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.arrays import check_both_classes, check_labels, check_scores, check_weights
from calib.base.probabilities import rescaled
from calib.kernels.fast.sorting import argsort
from calib.kernels.fast.ties import pairs_won, sums_of_runs
from calib.kernels.ties import ties


def roc_auc_score(
    labels: ArrayLike, scores: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """P(score of a positive > score of a negative) + 1/2 P(equal), in [0, 1], in O(n log n).

    Unlike scikit-learn's function, it is for two classes only and raises if all labels are equal.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    scores : array-like of shape (n,)
        Finite real numbers, probabilities or not.
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Examples
    --------
    >>> roc_auc_score([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    rows = check_scored_rows(labels, scores, sample_weight)
    won, n_pairs = won_pairs(rows.labels, rows.scores, rows.weights)
    return fraction_of(won, n_pairs)


class ScoredRows(NamedTuple):
    """The clean rows of positive weight. `selected` picks them from the rows that were given."""

    labels: NDArray[np.uint8]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    selected: slice | NDArray[np.bool_]


def check_scored_rows(
    labels: ArrayLike, scores: ArrayLike, sample_weight: ArrayLike | None
) -> ScoredRows:
    """Return the rows of positive weight, which must be of both classes."""
    clean_scores = check_scores(scores, narrow=sample_weight is None)
    clean_labels = check_labels(labels, size=clean_scores.size)
    weights = None
    selected: slice | NDArray[np.bool_] = slice(None)
    if sample_weight is not None:
        weights = rescaled(check_weights(sample_weight, size=clean_scores.size, counts=False))
        selected = weights > 0
        weights = weights[selected]
    rows = ScoredRows(
        labels=clean_labels[selected],
        scores=clean_scores[selected],
        weights=weights,
        selected=selected,
    )
    why = "the AUC compares positives with negatives"
    check_both_classes(rows.labels, f"{why}, so add rows of the other class or leave it out")
    return rows


def class_weights(labels, weights):
    """Weight of each row as a negative and as a positive."""
    if weights is None:
        return 1 - labels, labels
    return weights * (1 - labels), weights * labels


def won_pairs(labels, scores, weights):
    """Number of (negative, positive) pairs with the positive above (ties: half), and of all pairs.

    With weights, a pair counts with the product of its weights.
    """
    if weights is None:
        counted = pairs_won(scores, labels)  # the same bits, faster
        if counted is not None:
            return counted
        tied = ties(scores, labels)
        positives = tied.positives
        negatives = tied.weights
        negatives -= positives
    else:  # by class from the start, because a large weight of one class would absorb the other's
        order = argsort(scores)
        negative, positive = class_weights(labels, weights)
        _, negatives, positives = sums_of_runs(order, scores, negative, positive)
    return won_by_ties(negatives, positives), negatives.sum() * positives.sum()


def won_by_ties(negatives, positives):
    """Number of pairs with the positive above (ties: half), from the weights at each tied score."""
    return np.dot(positives, np.cumsum(negatives)) - np.dot(positives, negatives) / 2


def fraction_of(part, whole):
    """Fraction `part` / `whole`, in [0, 1] in spite of rounding, or NaN if `whole` is 0."""
    return float(np.clip(part / whole, 0.0, 1.0)) if whole > 0 else np.nan
