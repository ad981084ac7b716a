"""The recalibration line, and intervals of its coefficients."""

import math
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
from calibkit.inference.clusters import Contributions, cluster_codes, cluster_error
from calibkit.inference.mean_intervals import normal_interval, t_interval

SINGULAR = 1e-12  # fraction of the information left without a cluster, at which no line is found


class RecalibrationLine(NamedTuple):
    """Logistic regression of the outcomes on the logits of the predictions.

    Attributes
    ----------
    slope, intercept : float
        1 and 0 if calibrated. A slope below 1 means predictions too far from the base rate.
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

    The slope and the intercept belong to the logistic regression of the outcomes on the logits of
    the predictions. A slope below 1 says that the predictions are too far from the base rate.
    Calibration in the large is the intercept of the same regression with the slope fixed at 1. A
    positive value says that the predictions are too low on average. Calibrated predictions have
    slope 1, intercept 0 and calibration in the large 0, up to chance.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions in (0, 1). Their logits must be finite.
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    line : RecalibrationLine

    Raises
    ------
    ValueError
        For input that is not as described, or if no finite line fits. No finite line fits if all
        predictions are equal, or if they separate the classes. The message names the argument.

    Notes
    -----
    O(n) for each of about ten Newton steps. A line of slope 1 and intercept 0 does not imply
    calibration. The true curve may bend around the line.

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
    sample = _checked_logits(labels, probabilities, sample_weight, "line fits")
    outcomes, logits, weights = sample
    negative, positive = logits[outcomes == 0], logits[outcomes == 1]
    if negative.max() <= positive.min() or positive.max() <= negative.min():
        raise ValueError(
            "probabilities separate the classes or are all equal: no finite line fits; add rows or "
            "leave it out"
        )
    base = logit(np.dot(weights, outcomes) / weights.sum())
    scale = np.sqrt(np.average(np.square(logits), weights=weights))
    column = logits[np.newaxis] / scale
    start = np.array([base, 0.0])
    intercept, slopes, *_ = fit_logistic(column, outcomes, weights, (0.0, 0.0), start)

    return RecalibrationLine(
        slope=float(slopes[0] / scale),
        intercept=float(intercept),
        in_the_large=level_shift(logits, weights, np.average(outcomes, weights=weights)),
    )


def calibration_in_the_large(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Calibration in the large: what is to be added to the logits so that the mean is right.

    It is the intercept of a logistic regression on the logits whose slope is fixed at 1. Unlike the
    line of `recalibration_line` it also exists where the predictions are all equal, or separate the
    classes.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions in (0, 1): their logits must be finite.
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    shift : float
        Positive if the predictions are too low on average.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n) for each of some six steps.

    References
    ----------
    Cox (1958).

    Examples
    --------
    >>> from calibkit.inference import calibration_in_the_large
    >>> round(calibration_in_the_large([1, 1, 1, 0], [0.5, 0.5, 0.5, 0.5]), 3)
    1.099
    """
    sample = _checked_logits(labels, probabilities, sample_weight, "shift is right")
    outcomes, logits, weights = sample
    return level_shift(logits, weights, np.average(outcomes, weights=weights))


def _checked_logits(labels, probabilities, sample_weight, what):
    """Labels of both classes, finite logits and weights; `what` does not exist for one class."""
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
    check_both_classes(labels, f"no finite {what}, so add rows of the other class or leave it out")
    return labels, logit(probabilities), weights


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
        Predictions in (0, 1). Their logits must be finite.
    confidence : float, default=0.95
        Coverage of each interval in large samples, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.
    sampling_weight : array-like of shape (n,), optional
        How many rows of the population a row stands for, because of reweighting or case-control
        sampling. The row still counts as one outcome. Not negative. Only the ratios matter.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, where only rows of different ones are independent,
        as numbers or strings.

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
    Both variances are for large samples. Do not trust them with fewer than about twenty rows of a
    class.

    With clusters or sampling weights the variance is a jackknife estimate, which leaves out one
    cluster or row at a time by one Newton step, and z is a quantile of the t distribution. Its
    degrees of freedom are the same as in `mean_interval`, for each coefficient by itself. The
    limits are infinite if a single cluster tells the line.

    In simulations of 300 samples each, 95 % intervals held the true value in 95 to 97 % where a few
    clusters have a large part of the rows, and in 97 to 99 % where a few sampling weights are most
    of the total. Their length then says how few rows count.

    References
    ----------
    Huber (1967); White (1982); Liang and Zeger (1986); Bell and McCaffrey (2002), who correct the
    variance and the degrees of freedom for few clusters.

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
    logits = logit(predictions)
    ones = np.ones(clean_labels.size)
    row_weights = ones if clean_weights is None else clean_weights
    if sampled:
        row_weights = rescaled(row_weights)
        codes = np.arange(clean_labels.size) if codes is None else codes  # else each row by itself
    rows = _WeightedRows(
        labels=clean_labels,
        weights=row_weights,
        counts=ones if sampled else row_weights,
        codes=codes,
    )
    on_line = expit(line.intercept + line.slope * logits)
    slope, intercept = _coefficient_intervals(
        rows, on_line, np.stack([logits, ones]), [line.slope, line.intercept], confidence
    )
    shifted = expit(logits + line.in_the_large)
    (in_the_large,) = _coefficient_intervals(
        rows, shifted, ones[np.newaxis], [line.in_the_large], confidence
    )
    return RecalibrationIntervals(slope=slope, intercept=intercept, in_the_large=in_the_large)


class _WeightedRows(NamedTuple):
    """Rows of a regression. `counts` are the numbers of outcomes that they stand for."""

    labels: NDArray[np.uint8]
    weights: NDArray[np.float64]
    counts: NDArray[np.float64]
    codes: NDArray[np.int64] | None


def _coefficient_intervals(rows, fitted, design, coefficients, confidence):
    """Intervals of the coefficients. `design` has a row for each coefficient."""
    information = rows.weights * fitted * (1 - fitted)
    bread = (design * information) @ design.T
    if rows.codes is None:
        squares = rows.weights * np.square(rows.labels - fitted)
        inverse = np.linalg.inv(bread)
        variances = np.diag(inverse @ ((design * squares) @ design.T) @ inverse)
        return [
            normal_interval(coefficient, math.sqrt(variance), confidence)
            for coefficient, variance in zip(coefficients, variances, strict=True)
        ]
    per_row = np.linalg.solve(bread, design * (rows.weights / rows.counts))
    intervals = []
    for coefficient, moved, slopes in zip(
        coefficients, _moved_without(rows, fitted, design, bread), per_row, strict=True
    ):
        contributions = Contributions(
            residuals=slopes * (rows.labels - fitted),
            variances=np.square(slopes) * fitted * (1 - fitted),
            counts=rows.counts,
            codes=rows.codes,
        )
        freedom = contributions.degrees_of_freedom()
        intervals.append(t_interval(coefficient, cluster_error(moved), freedom, confidence))
    return intervals


def _moved_without(rows, fitted, design, bread):
    """How far one Newton step moves each coefficient when a cluster is left out.

    The array has a row for each coefficient. It is infinite if the other clusters tell no line.
    """

    def sums(values):
        return np.bincount(rows.codes, rows.weights * values)

    gradients = np.array([sums(column * (rows.labels - fitted)) for column in design])
    parts = np.array(
        [[sums(a * b * fitted * (1 - fitted)) for b in design] for a in design]
    ).transpose(2, 0, 1)
    others = bread - parts
    n_clusters = len(parts)
    if np.any(np.linalg.det(others) <= SINGULAR * np.linalg.det(bread)):
        return np.full(gradients.shape, np.inf)
    moved = np.linalg.solve(others, gradients.T[:, :, np.newaxis])[:, :, 0]
    return moved.T * (1 - 1 / n_clusters)
