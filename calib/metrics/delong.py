"""Intervals of areas under the ROC curve, by DeLong's method."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from calib.contract.options import check_positive
from calib.contract.validation import check_labels, check_scores
from calib.kernels.binning import prefix_sums
from calib.metrics.intervals import Interval, check_same_size
from calib.metrics.limits import normal_interval
from calib.metrics.samples import counts_of


def auc_interval(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
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

    Returns
    -------
    interval : Interval

    {raises}

    Notes
    -----
    O(n log n). An AUC is the mean over positives of the share of negatives that a positive beats,
    and the mean over negatives of the share of positives that beat it; the variances of the two
    shares give that of the mean. Of scores that separate the classes the error is 0 and the
    interval a point, which says too much.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988).

    Examples
    --------
    >>> from calib.metrics import auc_interval
    >>> [round(value, 3) for value in auc_interval([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6])]
    [0.889, 0.261, 0.995, 0.157]
    """
    check_positive(confidence, "confidence", below=1)
    labels, scores, weights = _two_of_each(
        labels, scores, names=["scores"], sample_weight=sample_weight
    )
    area, error = _mean_and_error(_shares(labels, scores, weights), labels, weights)
    if not 0 < area < 1:
        return Interval(area, area, area, error)
    reach = math.exp(float(ndtri((1 + confidence) / 2)) * error / (area * (1 - area)))
    odds = area / (1 - area)
    return Interval(area, odds / (odds + reach), odds * reach / (odds * reach + 1), error)


def auc_difference(
    labels: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
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

    Returns
    -------
    interval : Interval

    {raises}

    Notes
    -----
    O(n log n). As in `auc_interval`, with the differences of the shares; pairing removes what both
    scores have in common.

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
    labels, first, second, weights = _two_of_each(
        labels, first, second, names=["first", "second"], sample_weight=sample_weight
    )
    shares = _shares(labels, first, weights) - _shares(labels, second, weights)
    return normal_interval(*_mean_and_error(shares, labels, weights), confidence)


def _two_of_each(labels, *scores, names, sample_weight):
    """Clean labels, scores and weights, with more than one point of each class."""
    scores = [check_scores(column, name=name) for column, name in zip(scores, names, strict=True)]
    check_same_size(*scores)
    labels = check_labels(labels, size=scores[0].size, other=names[0])
    weights = counts_of(sample_weight, labels, names[0])
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
        left, right = (
            sums[np.searchsorted(scores[others][order], scores[rows], side=side)]
            for side in ("left", "right")
        )
        below = (left + right) / (2 * sums[-1])  # ties: half
        shares[rows] = below if label == 1 else 1 - below
    return shares


def _mean_and_error(shares, labels, weights):
    """Mean over the positives, and its standard error, to which both classes contribute."""
    variance = 0.0
    for label in (0, 1):
        values, counts = shares[labels == label], weights[labels == label]
        total = counts.sum()
        mean = np.dot(counts, values) / total
        variance += np.dot(counts, np.square(values - mean)) / (total - 1) / total
    return float(mean), math.sqrt(variance)
