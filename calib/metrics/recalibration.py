"""The recalibration line, and how sure it is."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit, logit

from calib.contract.options import check_positive
from calib.contract.validation import check_both_classes, check_sample, rescaled
from calib.kernels.logistic import fit_logistic
from calib.metrics.intervals import Interval
from calib.metrics.limits import normal_interval
from calib.metrics.samples import cluster_codes, is_sampled


class RecalibrationLine(NamedTuple):
    """Logistic regression of the outcomes on the logits of the predictions.

    Attributes
    ----------
    slope, intercept : float
        1 and 0 if calibrated; a slope below 1 means predictions too far from the base rate.
    in_the_large : float
        Intercept where the slope is fixed at 1: positive if predictions are too low on the whole.
    """

    slope: float
    intercept: float
    in_the_large: float


class RecalibrationIntervals(NamedTuple):
    """The numbers of a `RecalibrationLine`, each with its limits."""

    slope: Interval
    intercept: Interval
    in_the_large: Interval


def recalibration_line(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> RecalibrationLine:
    """Calibration slope and intercept, and calibration in the large.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions in (0, 1): their logits must be finite.
    {ratios}

    Returns
    -------
    line : RecalibrationLine

    Raises
    ------
    ValueError
        For input that is not as described, or if no finite line fits: predictions that are all
        equal, or that separate the classes. The message names the argument.

    Notes
    -----
    O(n) for each of some ten Newton steps. A line of slope 1 and intercept 0 does not mean
    calibration: the truth may bend around it.

    References
    ----------
    Cox (1958).

    Examples
    --------
    >>> from calib.metrics import recalibration_line
    >>> line = recalibration_line([0, 1, 0, 0, 1, 1], [0.1, 0.1, 0.1, 0.9, 0.9, 0.9])
    >>> [round(value, 3) for value in line]
    [0.315, 0.0, 0.0]
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    certain = (probabilities == 0) | (probabilities == 1)
    if certain.any():
        row = int(np.argmax(certain))
        raise ValueError(
            f"probabilities must lie strictly between 0 and 1; found {probabilities[row]} in "
            f"{np.count_nonzero(certain)} rows: their logits are infinite; clip them, for example "
            "with np.clip(probabilities, 1e-6, 1 - 1e-6)"
        )
    weights = np.ones(labels.size) if weights is None else rescaled(weights)
    logits = logit(probabilities)
    remedy = "add rows of the other class or leave it out"
    check_both_classes(labels, f"no finite line fits, so {remedy}")
    negative, positive = logits[labels == 0], logits[labels == 1]
    if negative.max() <= positive.min() or positive.max() <= negative.min():
        raise ValueError(
            "probabilities separate the classes or are all equal: no finite line fits; add rows or "
            "leave it out"
        )
    base = logit(np.dot(weights, labels) / weights.sum())
    scale = np.sqrt(np.average(np.square(logits), weights=weights))
    column = logits[np.newaxis] / scale
    start = np.array([base, 0.0])
    intercept, (slope,), *_ = fit_logistic(column, labels, weights, (0.0, 0.0), start)

    def missing(shift):
        return np.dot(weights, labels - expit(logits + shift))

    ends = base - logits.max() - 1e-9, base - logits.min() + 1e-9
    in_the_large = brentq(missing, *ends, xtol=1e-13)
    return RecalibrationLine(float(slope / scale), float(intercept), float(in_the_large))


def recalibration_intervals(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    sampling_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> RecalibrationIntervals:
    r"""Calibration slope and intercept, and calibration in the large, with their intervals.

    With the fitted probabilities q of `recalibration_line` and the columns X of its regression,
    logits and ones, the variance of the estimates is the "sandwich"

    .. math::
        \begin{aligned}
        &A^{-1} B A^{-1} , \\
        &A = \sum_i q_i (1 - q_i) X_i X_i^\top , \\
        &B = \sum_i (z_i - q_i)^2 X_i X_i^\top .
        \end{aligned}

    Of sampling weights w the terms of A are taken w times and those of B :math:`w^2` times.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions in (0, 1): their logits must be finite.
    confidence : float, default=0.95
        Coverage of each interval in large samples, in (0, 1).
    {counts}
    {sampling}
    {clusters}

    Returns
    -------
    intervals : RecalibrationIntervals

    Raises
    ------
    ValueError
        As `recalibration_line`: for input that is not as described, or if no finite line fits.

    Notes
    -----
    O(n) beside the fit. The usual variance, the inverse of A alone, is right if the truth is such a
    line; the sandwich also where it bends around it, and then holds for the line that is nearest to
    it. Both are for large samples: with fewer than some twenty rows of a class do not trust them.
    Over clusters the middle matrix B holds the products of their sums.

    References
    ----------
    Huber (1967); White (1982); Liang and Zeger (1986).

    Examples
    --------
    >>> from calib.metrics import recalibration_intervals
    >>> labels, probabilities = [0, 1, 0, 0, 1, 1] * 20, [0.1, 0.1, 0.1, 0.9, 0.9, 0.9] * 20
    >>> [round(number, 2) for number in recalibration_intervals(labels, probabilities).slope]
    [0.32, 0.14, 0.49, 0.09]
    """
    check_positive(confidence, "confidence", below=1)
    sampled = is_sampled(sample_weight, sampling_weight)
    weights = sampling_weight if sampled else sample_weight
    name = "sampling_weight" if sampled else "sample_weight"
    sample = check_sample(labels, probabilities, weights, of_weights=name, counts=not sampled)
    line = recalibration_line(*sample[:2], sample_weight=sample[2])
    codes = cluster_codes(clusters, np.size(labels), weights, other="labels")
    labels, probabilities, weights = sample
    weights = np.ones(labels.size) if weights is None else weights
    weights = weights, np.square(weights) if sampled else weights
    logits, ones = logit(probabilities), np.ones(labels.size)
    on_line = expit(line.intercept + line.slope * logits)
    errors = _sandwich(labels, on_line, weights, codes, logits, ones)
    errors += _sandwich(labels, expit(logits + line.in_the_large), weights, codes, ones)
    pairs = zip(line, errors, strict=True)
    return RecalibrationIntervals(*(normal_interval(*pair, confidence) for pair in pairs))


def _sandwich(labels, fitted, weights, codes, *columns):
    """Standard errors of the coefficients of these columns; weights of bread and of filling."""
    design = np.stack(columns)
    bread = (design * (weights[0] * fitted * (1 - fitted))) @ design.T
    if codes is None:
        filling = (design * (weights[1] * np.square(labels - fitted))) @ design.T
    else:
        residuals = weights[0] * (labels - fitted)
        sums = np.array([np.bincount(codes, row) for row in design * residuals])
        filling = sums @ sums.T * sums.shape[1] / (sums.shape[1] - 1)
    inverse = np.linalg.inv(bread)
    return np.sqrt(np.diag(inverse @ filling @ inverse)).tolist()
