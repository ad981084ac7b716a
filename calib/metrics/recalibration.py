"""How sure the recalibration line is."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from calib.contract.options import check_positive
from calib.contract.validation import check_sample
from calib.metrics.clusters import cluster_codes
from calib.metrics.intervals import Interval
from calib.metrics.limits import normal_interval
from calib.metrics.samples import is_sampled
from calib.metrics.unbinned import recalibration_line


class RecalibrationIntervals(NamedTuple):
    """The numbers of a `RecalibrationLine`, each with its limits."""

    slope: Interval
    intercept: Interval
    in_the_large: Interval


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
    errors = (
        *_sandwich(labels, on_line, weights, codes, logits, ones),
        *_sandwich(labels, expit(logits + line.in_the_large), weights, codes, ones),
    )
    return RecalibrationIntervals(
        *(normal_interval(*pair, confidence) for pair in zip(line, errors, strict=True))
    )


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
