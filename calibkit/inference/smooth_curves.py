"""Smooth calibration curves with a pointwise band: loess, and a spline of the logits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

from calib.base.arrays import check_scores
from calib.base.options import check_positive
from calib.metrics.samples import counted_sample
from calibkit.inference.clusters import Contributions, cluster_codes, cluster_error
from calibkit.inference.coefficients import (
    FittedRegression,
    WeightedRows,
    likeliest_coefficients,
)
from calibkit.inference.loess import loess_fit
from calibkit.inference.mean_intervals import normal_interval, t_interval
from calibkit.inference.recalibration import checked_logits

KNOT_FRACTIONS = (0.05, 0.35, 0.65, 0.95)  # fractions of the rows, Harrell's for four knots

NO_SPLINE = (
    "probabilities separate the classes in part of their range, or too few of them differ: no "
    "finite curve fits; add rows or use loess_curve"
)


class SmoothCurve(NamedTuple):
    """A smooth calibration curve with its pointwise band, as arrays of shape (k,).

    Attributes
    ----------
    predicted : ndarray
        Predictions at which the curve is evaluated.
    observed : ndarray
        Estimated probability of class 1 at each.
    lower, upper : ndarray
        Confidence limits, each by itself.
    """

    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def loess_curve(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    at: ArrayLike | None = None,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> SmoothCurve:
    r"""The flexible calibration curve: R's loess of outcomes on predictions, with limits.

    The curve at a prediction is a weighted sum of outcomes, :math:`\sum_i l_i z_i`. Its variance is
    estimated by :math:`\sum_i l_i^2 r_i^2 / (1 - h_i)^2` with the residuals r and the pull h of a
    row on the curve at itself, or by the sums of :math:`l_i r_i / (1 - h_i)` over clusters.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    at : array-like of shape (k,), optional
        Predictions at which the curve is evaluated. By default the distinct predictions, or the
        means of 1000 groups of neighbours if there are more.
    confidence : float, default=0.95
        Coverage at each place by itself in large samples, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.
    clusters : array-like of shape (n,), optional
        Cluster of each row, such as a patient, where only rows of different ones are independent,
        as numbers or strings.

    Returns
    -------
    curve : SmoothCurve
        A local regression knows no bounds. Curve and limits may leave [0, 1].

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n + k m) for m distinct predictions, at most 1000, and O(k n) with clusters. The curve
    is fitted at each place, as by R's ``surface="direct"``. R's default interpolates. The span is
    three quarters of the rows, upwards, where R takes the whole number of rows below. R's limits
    suppose one variance for all outcomes. These limits do not.

    The band is about the smoothed curve: the loess of the true probabilities. A bend that is
    narrower than the span escapes it. In 300 samples each of 400 rows, or of 600 rows in 15 or 30
    clusters, 95 % limits held that curve in 89 to 96 % at quantiles from 0.05 to 0.95, and least
    often at the lowest of calibrated predictions.

    References
    ----------
    Cleveland, Grosse and Shyu (1992); Austin and Steyerberg (2014); MacKinnon and White (1985) for
    the variance.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.inference import loess_curve
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> loess_curve(rng.random(1000) < p**2, p, at=[0.3, 0.6]).observed.round(2)
    array([0.12, 0.37])
    """
    check_positive(confidence, "confidence", below=1)
    codes = cluster_codes(clusters, np.size(labels), sample_weight, other="labels")
    outcomes, predicted, counts = counted_sample(labels, probabilities, sample_weight)
    fit = loess_fit(outcomes, predicted, counts)
    positions = fit.points if at is None else check_scores(at, name="at", unit=True)
    operator = fit.operator(positions)
    observed = operator @ (fit.positives / fit.counts)
    if codes is None:
        errors = np.sqrt(np.square(operator) @ fit.mean_variances)
        intervals = [
            normal_interval(estimate, error, confidence)
            for estimate, error in zip(observed.tolist(), errors.tolist(), strict=True)
        ]
    else:
        of_row = fit.point_of_row
        on_curve = np.clip(fit.curve, 0, 1)[of_row]
        residuals = (outcomes - fit.curve[of_row]) * fit.freed[of_row]
        intervals = []
        for estimate, weights in zip(observed.tolist(), operator / fit.counts, strict=True):
            contributions = Contributions(
                residuals=weights[of_row] * residuals,
                variances=np.square(weights[of_row]) * on_curve * (1 - on_curve),
                counts=counts,
                codes=codes,
            )
            error = cluster_error(
                np.bincount(codes, counts * contributions.residuals).astype(np.float64)
            )
            freedom = contributions.degrees_of_freedom()
            intervals.append(t_interval(estimate, error, freedom, confidence))
    return SmoothCurve(
        predicted=positions,
        observed=observed,
        lower=np.array([interval.lower for interval in intervals]),
        upper=np.array([interval.upper for interval in intervals]),
    )


def spline_curve(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    at: ArrayLike | None = None,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> SmoothCurve:
    r"""The flexible calibration curve as a restricted cubic spline of the logits, with limits.

    A logistic regression of the outcomes on a cubic spline of the logits with four knots, which is
    linear beyond the outer ones. The limits come from the sandwich variance of
    `recalibration_intervals`.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool, of both classes.
    probabilities : array-like of shape (n,)
        Predictions in (0, 1). Their logits must be finite.
    at : array-like of shape (k,), optional
        Predictions at which the curve is evaluated, in (0, 1). The default is the distinct ones.
    confidence, sample_weight, clusters
        As in `loess_curve`.

    Returns
    -------
    curve : SmoothCurve
        In (0, 1).

    Raises
    ------
    ValueError
        For input that is not as described, or if no finite curve fits. The message names the
        argument.

    Notes
    -----
    O(n + k), and O(k n) with clusters. The knots are the quantiles 0.05, 0.35, 0.65 and 0.95 of the
    logits, of type 7 in R's numbering, as in ``rcspline.eval`` of R's package Hmisc. With fewer
    than 100 rows that function moves the outer knots to the fifth smallest and largest value. This
    function does not. Knots that coincide count once, and with fewer than three the curve is the
    `recalibration_line`. In 300 samples each of 400 rows, or of 600 rows in 15 or 30 clusters, 95 %
    limits held the true curve in 91 to 97 % at quantiles from 0.05 to 0.95.

    References
    ----------
    Harrell (2015), section 2.4.5.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.inference import spline_curve
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> spline_curve(rng.random(1000) < p**2, p, at=[0.3, 0.6]).observed.round(2)
    array([0.13, 0.36])
    """
    check_positive(confidence, "confidence", below=1)
    codes = cluster_codes(clusters, np.size(labels), sample_weight, other="labels")
    outcomes, predicted, counts = counted_sample(labels, probabilities, sample_weight)
    _, logits, _ = checked_logits(outcomes, predicted, None, "curve fits")
    positions = np.unique(predicted) if at is None else check_scores(at, name="at", unit=True)
    if np.any((positions == 0) | (positions == 1)):
        raise ValueError("at must lie strictly between 0 and 1: other logits are infinite")
    knots = np.unique(_quantiles_of_counts(logits, counts, KNOT_FRACTIONS))
    design = _spline_columns(logits, knots)
    rows = WeightedRows(labels=outcomes, weights=counts, counts=counts, codes=codes)
    coefficients = likeliest_coefficients(rows, design, NO_SPLINE)
    regression = FittedRegression(rows=rows, fitted=expit(coefficients @ design), design=design)
    combinations = _spline_columns(logit(positions), knots).T
    estimates = combinations @ coefficients
    intervals = regression.intervals(combinations, estimates.tolist(), confidence)
    return SmoothCurve(
        predicted=positions,
        observed=expit(estimates),
        lower=expit([interval.lower for interval in intervals]),
        upper=expit([interval.upper for interval in intervals]),
    )


def _quantiles_of_counts(values, counts, fractions):
    """Quantiles of type 7, the default of NumPy and R, of values that stand for several rows."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(counts[order])
    positions = (ends[-1] - 1) * np.asarray(fractions)
    below = np.floor(positions)
    first = values[order][np.searchsorted(ends, below, side="right")]
    last_row = ends.size - 1
    second = values[order][np.minimum(np.searchsorted(ends, below + 1, side="right"), last_row)]
    return first + (positions - below) * (second - first)


def _spline_columns(logits, knots):
    """Ones, logits, and the truncated cubes that make a restricted cubic spline of them."""
    columns = [np.ones(logits.size), logits]
    if knots.size > 2:
        *inner, before_last, last = knots
        scale = (last - knots[0]) ** 2
        end = last - before_last
        for knot in inner:
            cubes = (
                _cube(logits - knot)
                - _cube(logits - before_last) * (last - knot) / end
                + _cube(logits - last) * (before_last - knot) / end
            )
            columns.append(cubes / scale)
    return np.stack(columns)


def _cube(values):
    return np.maximum(values, 0) ** 3
