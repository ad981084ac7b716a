"""Measures of calibration and discrimination; arguments are (labels, probabilities) throughout."""

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv

from calib.kernels.binning import (
    equal_frequency_starts,
    label_ordered_sums,
    prefix_sums,
    segment_sums,
    uniform_sums,
)
from calib.kernels.grouping import group_ties
from calib.validation import check_choice, check_integer, check_labels, check_positive, check_scores


class ReliabilityCurve(NamedTuple):
    """Reliability of the predictions in each non-empty bin; arrays of shape (n_bins,).

    Attributes
    ----------
    predicted : ndarray
        Mean prediction e_k.
    observed : ndarray
        Observed fraction of positives o_k.
    counts : ndarray
        Number of points.
    lower, upper : ndarray
        Clopper-Pearson limits for the probability behind `observed`.
    """

    predicted: np.ndarray
    observed: np.ndarray
    counts: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def reliability_curve(
    labels, probabilities, *, n_bins=10, strategy="quantile", ties="group", confidence=0.95
):
    """Observed fraction against mean prediction, bin by bin.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    n_bins : int, default=10
        Number K of bins; empty ones are left out of the result.
    strategy : {"quantile", "uniform"}, default="quantile"
        Bins with equally many predictions (Naeini et al. 2014), or bins of equal width
        [0, 1/K), ..., [(K-1)/K, 1] (Naeini and Cooper 2016).
    ties : {"group", "label"}, default="group"
        What quantile bins do with equal predictions. ``"group"``: a tie is never split; it goes
        where its middle rank falls. ``"label"``: rows are sorted by (prediction, label) and cut
        into bins of equal size, so that a cut through a tie has the negatives below and the
        positives above. That is what the published evaluation code of these papers does; it
        inflates the error of predictors with ties and is offered to reproduce their tables.
        Uniform bins never split a tie.
    confidence : float, default=0.95
        Coverage of the binomial intervals, in (0, 1).

    Returns
    -------
    curve : ReliabilityCurve

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n) time for quantile bins, O(n) for uniform ones.

    Examples
    --------
    >>> from calib import reliability_curve
    >>> curve = reliability_curve([0, 1, 0, 1, 1, 1], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8], n_bins=2)
    >>> curve.predicted, curve.observed.round(3)
    (array([0.2, 0.8]), array([0.333, 1.   ]))
    """
    check_positive(confidence, "confidence", below=1)
    counts, totals, positives = _bin_sums(labels, probabilities, n_bins, strategy, ties)
    lower, upper = _clopper_pearson(counts, positives, confidence)
    return ReliabilityCurve(totals / counts, positives / counts, counts, lower, upper)


def expected_calibration_error(
    labels, probabilities, *, n_bins=10, strategy="quantile", ties="group"
):
    """ECE: the mean over points of ``|observed fraction - mean prediction|`` of their bin.

    Parameters and errors are those of `reliability_curve`.

    Returns
    -------
    error : float
        In [0, 1].

    Examples
    --------
    >>> from calib import expected_calibration_error
    >>> expected_calibration_error([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5])
    0.0
    """
    return _mean_gap(*_bin_sums(labels, probabilities, n_bins, strategy, ties))


def maximum_calibration_error(
    labels, probabilities, *, n_bins=10, strategy="quantile", ties="group"
):
    """MCE: the largest ``|observed fraction - mean prediction|`` over non-empty bins.

    Parameters and errors are those of `reliability_curve`.

    Returns
    -------
    error : float
        In [0, 1].

    Examples
    --------
    >>> from calib import maximum_calibration_error
    >>> maximum_calibration_error([0, 1, 1, 1], [0.5, 0.5, 1.0, 1.0], strategy="uniform")
    0.0
    """
    return _largest_gap(*_bin_sums(labels, probabilities, n_bins, strategy, ties))


def brier_score_loss(labels, probabilities):
    """Mean squared difference of outcome and prediction, in [0, 1]: O(n).

    >>> brier_score_loss([0, 1], [0.5, 1.0])
    0.125
    """
    labels, probabilities = _check(labels, probabilities)
    return float(np.mean(np.square(probabilities - labels)))


def root_mean_squared_error(labels, probabilities):
    """Square root of the Brier score, in [0, 1]: O(n).

    >>> root_mean_squared_error([0, 1], [0.5, 0.5])
    0.5
    """
    return brier_score_loss(labels, probabilities) ** 0.5


def log_loss(labels, probabilities):
    """Mean of -log(probability given to the outcome): O(n).

    Infinite if an outcome was given probability zero; nothing is clipped.

    >>> log_loss([0, 1], [0.0, 0.0])
    inf
    """
    labels, probabilities = _check(labels, probabilities)
    with np.errstate(divide="ignore"):
        return float(-np.mean(np.log(np.where(labels == 1, probabilities, 1 - probabilities))))


def accuracy(labels, probabilities):
    """Share of outcomes on the right side of 1/2; a prediction of 1/2 counts as class 1: O(n).

    >>> accuracy([0, 1, 1], [0.5, 0.5, 0.9]).__round__(3)
    0.667
    """
    labels, probabilities = _check(labels, probabilities)
    return float(np.mean((probabilities >= 0.5) == labels))


def roc_auc_score(labels, scores):
    """P(score of a positive > score of a negative) + 1/2 P(equal), in [0, 1]: O(n log n).

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    scores : array-like of shape (n,)
        Finite real numbers; probabilities or not.

    Examples
    --------
    >>> roc_auc_score([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    scores = check_scores(scores)
    labels = check_labels(labels, size=scores.size)
    groups = group_ties(scores, labels)
    negatives = groups.weights - groups.positives
    n_pairs = negatives.sum() * groups.positives.sum()
    if n_pairs == 0:
        raise ValueError("labels holds one class only: the AUC needs both")
    below = np.cumsum(negatives) - negatives
    return float(np.dot(groups.positives, below + negatives / 2) / n_pairs)


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


def auc_by_parts(labels, scores, parts):
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

    Returns
    -------
    decomposition : PartsAUC

    Notes
    -----
    O(n log n).

    Examples
    --------
    >>> from calib import auc_by_parts
    >>> auc_by_parts([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], ["a", "a", "b", "b"])
    PartsAUC(auc=0.75, within=1.0, across=0.5, share_within=0.5)
    """
    scores = check_scores(scores)
    labels = check_labels(labels, size=scores.size)
    _, parts = np.unique(parts, return_inverse=True)
    if parts.shape != scores.shape:
        raise ValueError(f"parts has shape {parts.shape}: one for each of {scores.size} scores")
    auc = roc_auc_score(labels, scores)
    sizes, positives = np.bincount(parts), np.bincount(parts, labels)
    pairs = positives * (sizes - positives)
    n_pairs = positives.sum() * (labels.size - positives.sum())
    order = np.argsort(parts, kind="stable")
    groups = np.split(order, np.cumsum(sizes)[:-1])
    won = sum(
        roc_auc_score(labels[rows], scores[rows]) * count
        for rows, count in zip(groups, pairs, strict=True)
        if count > 0
    )
    inside, outside = pairs.sum(), n_pairs - pairs.sum()
    within = won / inside if inside > 0 else np.nan
    across = (auc * n_pairs - won) / outside if outside > 0 else np.nan
    return PartsAUC(auc, float(within), float(across), float(inside / n_pairs))


def evaluate(labels, probabilities, *, n_bins=10, strategy="quantile", ties="group"):
    """Compute the five measures of Naeini et al. (2014): RMSE, AUC, ACC, MCE and ECE.

    Returns
    -------
    measures : dict of str to float

    Examples
    --------
    >>> evaluate([0, 1], [0.0, 1.0])
    {'RMSE': 0.0, 'AUC': 1.0, 'ACC': 1.0, 'MCE': 0.0, 'ECE': 0.0}
    """
    sums = _bin_sums(labels, probabilities, n_bins, strategy, ties)
    return {
        "RMSE": root_mean_squared_error(labels, probabilities),
        "AUC": roc_auc_score(labels, probabilities),
        "ACC": accuracy(labels, probabilities),
        "MCE": _largest_gap(*sums),
        "ECE": _mean_gap(*sums),
    }


def _check(labels, probabilities):
    probabilities = check_scores(probabilities, name="probabilities", unit=True)
    return check_labels(labels, size=probabilities.size), probabilities


def _bin_sums(labels, probabilities, n_bins, strategy, ties):
    """Count, sum of predictions and number of positives of the non-empty bins."""
    labels, probabilities = _check(labels, probabilities)
    check_integer(n_bins, "n_bins")
    check_choice(strategy, ["quantile", "uniform"], "strategy")
    check_choice(ties, ["group", "label"], "ties")
    if strategy == "uniform":
        sums = uniform_sums(probabilities, labels, n_bins)
    else:
        groups = group_ties(probabilities, labels)
        if ties == "group":
            sums = segment_sums(
                equal_frequency_starts(prefix_sums(groups.weights), n_bins), *groups
            )
        else:
            sums = label_ordered_sums(n_bins, *groups)
    return np.stack(sums)[:, sums[0] > 0]


def _mean_gap(counts, totals, positives):
    return float(np.abs(positives - totals).sum() / counts.sum())


def _largest_gap(counts, totals, positives):
    return float((np.abs(positives - totals) / counts).max())


def _clopper_pearson(counts, positives, confidence):
    """Exact binomial limits; 0 and 1 where no smaller or larger value is possible."""
    tail = (1 - confidence) / 2
    negatives = counts - positives
    lower = betaincinv(np.maximum(positives, 1), negatives + 1, tail)
    upper = betaincinv(positives + 1, np.maximum(negatives, 1), 1 - tail)
    return np.where(positives > 0, lower, 0.0), np.where(negatives > 0, upper, 1.0)
