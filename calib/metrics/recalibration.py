"""How sure the recalibration line is."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from calib.contract.options import check_positive
from calib.metrics.intervals import Interval
from calib.metrics.limits import normal_interval
from calib.metrics.samples import counted
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

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions in (0, 1): their logits must be finite.
    confidence : float, default=0.95
        Coverage of each interval in large samples, in (0, 1).
    {counts}

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

    References
    ----------
    Huber (1967); White (1982).

    Examples
    --------
    >>> from calib.metrics import recalibration_intervals
    >>> labels, probabilities = [0, 1, 0, 0, 1, 1] * 20, [0.1, 0.1, 0.1, 0.9, 0.9, 0.9] * 20
    >>> [round(number, 2) for number in recalibration_intervals(labels, probabilities).slope]
    [0.32, 0.14, 0.49, 0.09]
    """
    check_positive(confidence, "confidence", below=1)
    line = recalibration_line(labels, probabilities, sample_weight=sample_weight)
    labels, probabilities, counts = counted(labels, probabilities, sample_weight)
    logits, ones = logit(probabilities), np.ones(labels.size)
    errors = (
        *_sandwich(labels, expit(line.intercept + line.slope * logits), counts, logits, ones),
        *_sandwich(labels, expit(logits + line.in_the_large), counts, ones),
    )
    return RecalibrationIntervals(
        *(normal_interval(*pair, confidence) for pair in zip(line, errors, strict=True))
    )


def _sandwich(labels, fitted, counts, *columns):
    """Standard errors of the coefficients of these columns."""
    design = np.stack(columns)
    bread = (design * (counts * fitted * (1 - fitted))) @ design.T
    filling = (design * (counts * np.square(labels - fitted))) @ design.T
    inverse = np.linalg.inv(bread)
    return np.sqrt(np.diag(inverse @ filling @ inverse)).tolist()
