"""How well scores order positives and negatives: the area under the ROC curve, its intervals."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from calib.contract.options import check_positive
from calib.contract.validation import (
    check_both_classes,
    check_labels,
    check_scores,
    check_size,
    check_weights,
    counts_of,
    rescaled,
)
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import sum_runs, ties
from calib.kernels.sorting import argsort
from calib.metrics.intervals import Interval
from calib.metrics.samples import cluster_codes, cluster_error, codes_of, parts_of, quantile

FEW = 20  # rows of a class in pairs of the wrong order, below which DeLong's error is uncertain


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
    why = "the AUC compares positives with negatives"
    check_both_classes(columns[0], f"{why}, so add rows of the other class or leave it out")
    return *columns, weights


def _class_weights(labels, weights):
    """Weight of each row as a negative and as a positive."""
    return (1 - labels, labels) if weights is None else (weights * (1 - labels), weights * labels)


def won_pairs(labels, scores, weights):
    """Pairs of a negative and a positive in which the positive is above (ties: half), and all."""
    if weights is None:
        _, negatives, positives = ties(scores, labels)
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


def auc_interval(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Interval:
    """AUC with DeLong's standard error, and limits that are symmetric in its log-odds.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, two or more of each class.
    scores : array-like of shape (n,)
        Finite real numbers; probabilities or not.
    confidence : float, default=0.95
        Coverage, in (0, 1).
    {counts}
    {clusters}

    Returns
    -------
    interval : Interval

    {raises}

    Notes
    -----
    O(n log n). An AUC is the mean over positives of the share of negatives that a positive beats,
    and the mean over negatives of the share of positives that beat it; the variances of the two
    shares give that of the mean; over clusters, those of their sums do.

    Where fewer than 20 rows of a class (or clusters with such rows) are in a pair of the wrong
    order, those variances are too uncertain, and 0 if there is none. Then the limit towards 1/2 is
    also that of a score interval, in which the smaller of two numbers of observations is meant to
    have shown the area: that which DeLong's error tells, and that of exponential scores. In
    simulations (6000 samples of normal scores) 95 % intervals held an area of .961 of 10 and 10
    rows in 97 %, of .99 of 50 and 50 rows in 97 %, of .8 of 40 and 80 rows in 95 %, and the least
    found was 94 %.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988); Obuchowski (1997) for clusters; Newcombe (2006) for
    the score interval.

    Examples
    --------
    >>> from calib.metrics import auc_interval
    >>> [round(value, 3) for value in auc_interval([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])]
    [0.889, 0.261, 0.995, 0.157]
    """
    check_positive(confidence, "confidence", below=1)
    codes = cluster_codes(clusters, np.size(scores), sample_weight, other="scores")
    labels, scores, weights = _two_of_each(labels, {"scores": scores}, sample_weight)
    shares = _shares(labels, scores, weights)
    area, error = _mean_and_error(shares, labels, weights, codes)
    if area < 0.5:  # as of the reverse scores
        shares = 1 - shares
    lower, upper = _limits(shares, error, labels, weights, codes, confidence)
    if area < 0.5:
        lower, upper = 1 - upper, 1 - lower
    return Interval(area, lower, upper, error)


def auc_difference(
    labels: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Interval:
    """AUC of one score less that of another on the same rows, by DeLong's method.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, two or more of each class.
    first, second : array-like of shape (n,)
        Two scores for each row: finite real numbers, probabilities or not.
    confidence : float, default=0.95
        Coverage, in (0, 1).
    {counts}
    {clusters}

    Returns
    -------
    interval : Interval

    {raises}

    Notes
    -----
    O(n log n). As in `auc_interval`, with the differences of the shares; pairing removes what both
    scores have in common. Of two scores that both separate the classes the interval is a point.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988).

    Examples
    --------
    >>> from calib.metrics import auc_difference
    >>> interval = auc_difference([0, 0, 1, 1], [1, 2, 3, 4], [1, 3, 2, 4])
    >>> print(round(interval.estimate, 3), round(interval.error, 3))
    0.25 0.354
    """
    check_positive(confidence, "confidence", below=1)
    codes = cluster_codes(clusters, np.size(first), sample_weight, other="first")
    named = {"first": first, "second": second}
    labels, first, second, weights = _two_of_each(labels, named, sample_weight)
    shares = _shares(labels, first, weights) - _shares(labels, second, weights)
    difference, error = _mean_and_error(shares, labels, weights, codes)
    reach = quantile(confidence, weights, codes) * error
    return Interval(difference, difference - reach, difference + reach, error)


def _two_of_each(labels, named, sample_weight):
    """Clean labels, scores and weights, with more than one point of each class."""
    scores, names = [check_scores(named[name], name=name) for name in named], list(named)
    check_size(scores[-1].size, scores[0].size, names[-1], names[0])
    labels = check_labels(labels, size=scores[0].size, other=names[0])
    weights = counts_of(sample_weight, labels.size, names[0])
    for label in (0, 1):
        found = weights[labels == label].sum()
        if found <= 1:
            raise ValueError(
                f"labels must hold more than one row of each class; found {found:.6g} of class "
                f"{label}: a variance needs two"
            )
    kept = weights > 0
    return labels[kept], *(column[kept] for column in scores), weights[kept]


def _shares(labels, scores, weights):
    """For each positive the share of negatives below it, for each negative of positives above."""
    shares = np.empty(labels.size)
    for label in (0, 1):
        rows, others = labels == label, labels != label
        order = np.argsort(scores[others])
        sums = prefix_sums(weights[others][order])
        values, both = scores[others][order], ("left", "right")
        left, right = (sums[np.searchsorted(values, scores[rows], side)] for side in both)
        below = (left + right) / (2 * sums[-1])  # ties: half
        shares[rows] = below if label == 1 else 1 - below
    return shares


def _mean_and_error(shares, labels, weights, codes):
    """Mean over the positives, and its standard error, to which both classes contribute."""
    if codes is not None:
        totals = np.bincount(labels, weights)
        mean = np.dot(weights * labels, shares) / totals[1]
        return float(mean), cluster_error(weights * (shares - mean) / totals[labels], codes)
    variance = 0.0
    for label in (0, 1):
        values, counts = shares[labels == label], weights[labels == label]
        total = counts.sum()
        mean = np.dot(counts, values) / total
        variance += np.dot(counts, np.square(values - mean)) / (total - 1) / total
    return float(mean), math.sqrt(variance)


def _limits(shares, error, labels, weights, codes, confidence):
    """Limits of an area of 1/2 or more."""
    area = float(np.average(shares[labels == 1], weights=weights[labels == 1]))
    z = quantile(confidence, weights, codes)
    lower = upper = area
    if area < 1:
        odds, reach = area / (1 - area), math.exp(z * error / (area * (1 - area)))
        lower, upper = odds / (odds + reach), odds * reach / (odds * reach + 1)
    sizes = [_independent(weights, labels == label, codes) for label in (0, 1)]
    wrong = [_independent(weights, (labels == label) & (shares < 1), codes) for label in (0, 1)]
    if min(wrong) >= FEW:
        return lower, upper
    # pairs that share a positive, or a negative, and that are both right: of exponential scores
    others = (sum(sizes) / 2 - 1) * ((1 - area) / (2 - area) + area / (1 + area))
    told = sizes[0] * sizes[1] / (1 + others)
    if error > 0:
        told = min(told, area * (1 - area) / error**2)
    spread = z * math.sqrt(area * (1 - area) / told + (z / told / 2) ** 2)
    return min(lower, (area + z**2 / told / 2 - spread) / (1 + z**2 / told)), upper


def _independent(weights, here, codes):
    """Weight of these rows, or the number of clusters that have one."""
    return float(weights[here].sum()) if codes is None else np.unique(codes[here]).size
