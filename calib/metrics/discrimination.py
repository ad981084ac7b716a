"""How well scores order positives and negatives."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from calib.contract.validation import (
    check_labels,
    check_scores,
    check_weights,
    one_dimensional,
    rescaled,
)
from calib.kernels.grouping import group_ties, sum_runs
from calib.kernels.sorting import argsort


def roc_auc_score(
    labels: ArrayLike, scores: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """P(score of a positive > score of a negative) + 1/2 P(equal), in [0, 1]: O(n log n).

    Unlike scikit-learn's, it is for two classes only and raises where labels are of one class.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    scores : array-like of shape (n,)
        Finite real numbers; probabilities or not.
    {ratios}

    Examples
    --------
    >>> roc_auc_score([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    return share(*won_pairs(*_check(labels, scores, sample_weight=sample_weight)))


class PartsAUC(NamedTuple):
    """The AUC as pairs within parts and pairs across parts contribute to it.

    Attributes
    ----------
    auc : float
        ``share_within * within + (1 - share_within) * across``.
    within, across : float
        AUC over the pairs of a positive and a negative of the same part, of different parts; NaN
        where there is no such pair.
    share_within : float
        Share of the pairs that lie in one part.
    """

    auc: float
    within: float
    across: float
    share_within: float


def auc_by_parts(
    labels: ArrayLike,
    scores: ArrayLike,
    parts: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
) -> PartsAUC:
    """How well scores order a positive and a negative of the same part, and of different parts.

    Increasing maps, a different one for each part, change the order across parts only: `across` is
    all that heterogeneous calibration by Platt scaling of positive slope can gain or lose.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    scores : array-like of shape (n,)
        Finite real numbers; probabilities or not.
    parts : array-like of shape (n,)
        Part of each row: numbers or strings.
    {ratios}

    Returns
    -------
    decomposition : PartsAUC

    Notes
    -----
    O(n log n). Without weights the numbers of pairs are exact; with them `across`, from a
    difference, loses as many digits as the share of its pairs has zeros.

    Examples
    --------
    >>> from calib.metrics import auc_by_parts
    >>> auc_by_parts([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], ["a", "a", "b", "b"])
    PartsAUC(auc=0.75, within=1.0, across=0.5, share_within=0.5)
    """
    labels, scores, parts, weights = _check(labels, scores, parts, sample_weight=sample_weight)
    negatives, positives = (np.bincount(parts, w) for w in _class_weights(labels, weights))
    outside = np.dot(positives, negatives.sum() - negatives)
    won, n_pairs = won_pairs(labels, scores, weights)
    won_inside = inside = 0.0
    samples = parts_of((labels, scores, weights), parts)
    for part, n_pairs_here in zip(samples, positives * negatives, strict=True):
        if n_pairs_here > 0:
            here = won_pairs(*part)
            won_inside, inside = won_inside + here[0], inside + here[1]
    return PartsAUC(
        share(won, n_pairs),
        share(won_inside, inside),
        share(won - won_inside, outside),
        share(inside, n_pairs),
    )


def _check(labels, scores, *parts, sample_weight):
    """Clean labels, scores, codes of the parts if there are any, and weights, none of them zero."""
    scores = check_scores(scores, narrow=sample_weight is None)
    labels = check_labels(labels, size=scores.size)
    columns, weights = [labels, scores, *(codes_of(p, scores.size)[1] for p in parts)], None
    if sample_weight is not None:
        weights = rescaled(check_weights(sample_weight, size=scores.size, counts=False))
        kept = weights > 0
        columns, weights = [column[kept] for column in columns], weights[kept]
    check_both_classes(columns[0].min(), columns[0].max())
    return *columns, weights


def check_both_classes(smallest, largest):
    """Raise if these, of all labels, are equal."""
    if smallest == largest:
        raise ValueError(
            f"labels holds one class only ({smallest}): the AUC compares positives with "
            "negatives, so add rows of the other class or leave it out"
        )


def codes_of(parts, size, *, name="parts", other="scores"):
    """The distinct `parts`, and for each row the number of its own among them."""
    parts = one_dimensional(parts, name)
    if parts.size != size:
        raise ValueError(f"{name} has {parts.size} rows but {other} has {size}: they must match")
    try:
        return np.unique(parts, return_inverse=True)
    except TypeError:  # strings beside numbers, or None
        raise ValueError(f"{name} must be all numbers or all strings: convert them") from None


def parts_of(columns, codes):
    """Yield the rows of each part of `columns`, one of which may be None, by their `codes`."""
    order, ends = np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))
    for rows in np.split(order, ends[:-1]):
        yield tuple(None if column is None else column[rows] for column in columns)


def _class_weights(labels, weights):
    """Weight of each row as a negative and as a positive."""
    return (1 - labels, labels) if weights is None else (weights * (1 - labels), weights * labels)


def won_pairs(labels, scores, weights):
    """Pairs of a negative and a positive in which the positive is above (ties: half), and all."""
    if weights is None:
        _, negatives, positives = group_ties(scores, labels)
        negatives -= positives
    else:  # by class from the start: the weight of one must not drown in that of the other
        order = argsort(scores)
        by_class = (w[order] for w in _class_weights(labels, weights))
        _, negatives, positives = sum_runs(scores[order], *by_class)
    return won_by_groups(negatives, positives), negatives.sum() * positives.sum()


def won_by_groups(negatives, positives):
    """Pairs in which the positive is above (ties: half), of groups by increasing scores."""
    return np.dot(positives, np.cumsum(negatives)) - np.dot(positives, negatives) / 2


def share(part, whole):
    """Quotient, in [0, 1] whatever was rounded; NaN of nothing."""
    return float(np.clip(part / whole, 0.0, 1.0)) if whole > 0 else np.nan
