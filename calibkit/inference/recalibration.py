"""The recalibration line, and intervals of its coefficients."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from calib.base.arrays import check_both_classes, check_sample
from calib.base.options import check_positive
from calib.base.probabilities import rescaled
from calib.kernels.level import level_shift
from calib.kernels.logistic import fit_logistic
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clean_samples import is_sampled
from calibkit.inference.clusters import cluster_codes
from calibkit.inference.mean_intervals import normal_interval


class RecalibrationLine(NamedTuple):
    """Logistic regression of the outcomes on the logits of the predictions.

    Attributes
    ----------
    slope, intercept : float
        1 and 0 if calibrated; a slope below 1 means predictions too far from the base rate.
    in_the_large : float
        Intercept with the slope fixed at 1: positive if the predictions are too low on average.
    """

    slope: float
    intercept: float
    in_the_large: float


class RecalibrationIntervals(NamedTuple):
    """The coefficients of a `RecalibrationLine` with their intervals."""

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
    sample_weight : array-like of shape (n,), optional
        Not negative: counts or sampling weights, as only their ratios matter.

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
    O(n) for each of about ten Newton steps. A line of slope 1 and intercept 0 does not imply
    calibration: the true curve may bend around the line.

    References
    ----------
    Cox (1958).

    Examples
    --------
    >>> from calibkit.inference import recalibration_line
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
    intercept, slopes, *_ = fit_logistic(column, labels, weights, (0.0, 0.0), start)

    return RecalibrationLine(
        slope=float(slopes[0] / scale),
        intercept=float(intercept),
        in_the_large=level_shift(logits, weights, np.average(labels, weights=weights)),
    )


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

    With sampling weights w, the terms of A are multiplied by w and the terms of B by :math:`w^2`.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions in (0, 1): their logits must be finite.
    confidence : float, default=0.95
        Coverage of each interval in large samples, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts: a row of weight w stands for w rows. Not negative.
    sampling_weight : array-like of shape (n,), optional
        How many rows of the population a row stands for, though it is one outcome: by
        reweighting or case-control sampling. Not negative; only the ratios matter.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, where only rows of different ones are independent:
        numbers or strings.

    Returns
    -------
    intervals : RecalibrationIntervals

    Raises
    ------
    ValueError
        As in `recalibration_line`: for input that is not as described, or if no finite line fits.

    Notes
    -----
    O(n) in addition to the fit. The usual variance, the inverse of A alone, is right if the true
    curve is such a line. If the true curve bends, the sandwich is right for the best fitting line.
    Both variances are for large samples: do not trust them with fewer than about twenty rows of a
    class. With clusters the middle matrix B is the sum of the products of the cluster sums.

    References
    ----------
    Huber (1967); White (1982); Liang and Zeger (1986).

    Examples
    --------
    >>> from calibkit.inference import recalibration_intervals
    >>> labels, probabilities = [0, 1, 0, 0, 1, 1] * 20, [0.1, 0.1, 0.1, 0.9, 0.9, 0.9] * 20
    >>> [round(number, 2) for number in recalibration_intervals(labels, probabilities).slope]
    [0.32, 0.14, 0.49, 0.09]
    """
    check_positive(confidence, "confidence", below=1)
    sampled = is_sampled(sample_weight, sampling_weight)
    weights = sampling_weight if sampled else sample_weight
    name = "sampling_weight" if sampled else "sample_weight"
    sample = check_sample(labels, probabilities, weights, of_weights=name, counts=not sampled)
    clean_labels, predictions, clean_weights = sample
    line = recalibration_line(clean_labels, predictions, sample_weight=clean_weights)
    codes = cluster_codes(clusters, np.size(labels), weights, other="labels")
    row_weights = np.ones(clean_labels.size) if clean_weights is None else clean_weights
    rows = _WeightedRows(
        labels=clean_labels,
        weights=row_weights,
        variance_weights=np.square(row_weights) if sampled else row_weights,
        codes=codes,
    )
    logits = logit(predictions)
    ones = np.ones(clean_labels.size)
    on_line = expit(line.intercept + line.slope * logits)
    slope_error, intercept_error = _sandwich_errors(rows, on_line, np.stack([logits, ones]))
    shifted = expit(logits + line.in_the_large)
    (in_the_large_error,) = _sandwich_errors(rows, shifted, np.stack([ones]))
    return RecalibrationIntervals(
        slope=normal_interval(line.slope, slope_error, confidence),
        intercept=normal_interval(line.intercept, intercept_error, confidence),
        in_the_large=normal_interval(line.in_the_large, in_the_large_error, confidence),
    )


class _WeightedRows(NamedTuple):
    """Rows of a regression; `variance_weights` are the weights of the squared residuals."""

    labels: NDArray[np.uint8]
    weights: NDArray[np.float64]
    variance_weights: NDArray[np.float64]
    codes: NDArray[np.int64] | None


def _sandwich_errors(rows, fitted, design):
    """Standard errors of the coefficients; `design` has a row for each coefficient."""
    bread = (design * (rows.weights * fitted * (1 - fitted))) @ design.T
    if rows.codes is None:
        squares = rows.variance_weights * np.square(rows.labels - fitted)
        filling = (design * squares) @ design.T
    else:
        residuals = rows.weights * (rows.labels - fitted)
        sums = np.array([np.bincount(rows.codes, row) for row in design * residuals])
        filling = sums @ sums.T * sums.shape[1] / (sums.shape[1] - 1)
    inverse = np.linalg.inv(bread)
    return np.sqrt(np.diag(inverse @ filling @ inverse)).tolist()
