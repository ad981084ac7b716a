"""Calibration errors that need no bins."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.fft import dct, idct
from scipy.optimize import brentq
from scipy.special import expit, logit

from calib.contract.validation import check_sample, rescaled
from calib.kernels.binning import linear_sums, prefix_sums, segment_sums
from calib.kernels.logistic import fit_logistic
from calib.kernels.total_variation import least_total_variation
from calib.metrics.samples import neighbours, ties_of

CELLS = 2**15  # of the grid on which residuals are smoothed
MOST_LOCAL_FITS = 1000
SPAN = 0.75  # share of the points that a local fit sees: the default of R's loess


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


def kuiper_error(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Largest bias over an interval of predictions, as a share of all rows.

    .. math:: \max_{a \le b} \Big| \frac1n \sum_{a \le p_i \le b} (z_i - p_i) \Big|

    Also called ECCE-R or cutoff calibration error.

    Parameters
    ----------
    {sample}
    {ratios}

    Returns
    -------
    error : float
        In [0, 1].

    {raises}

    Notes
    -----
    O(n log n): it is the range of the cumulative residuals, read where ties end. Of calibrated
    predictions it is about ``1.6 sqrt(mean(p (1 - p)) / n)``; `kuiper_test` judges it.

    References
    ----------
    Arrieta-Ibarra et al. (2022); Rossellini et al. (2025).

    Examples
    --------
    >>> from calib.metrics import kuiper_error
    >>> round(kuiper_error([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75]), 3)
    0.125
    """
    _, residuals, total = grouped_residuals(labels, probabilities, sample_weight)
    return float(np.ptp(prefix_sums(residuals)) / total)


def smooth_calibration_error(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Largest correlation of the residuals with a bounded function of slope at most 1.

    .. math::
        \begin{aligned}
        &\max_w \frac1n \sum_i w(p_i) (z_i - p_i), \\
        &\quad |w| \le 1, \\
        &\quad |w(p) - w(q)| \le |p - q|
        \end{aligned}

    Parameters
    ----------
    {sample}
    {ratios}

    Returns
    -------
    error : float
        In [0, 1].

    {raises}

    Notes
    -----
    O(n log n), exactly: the dual of this linear program denoises the path of cumulative residuals
    C by total variation, ``min_x sum_i (p_{i+1} - p_i) |C_i - x_i| + sum_i |x_i - x_{i-1}|`` from 0
    to its end. It is continuous in the predictions. The lower distance to calibrated predictions
    lies between half of it and twice it (Blasiok et al. 2023).

    References
    ----------
    Blasiok, Gopalan, Hu and Nakkiran (2023).

    Examples
    --------
    >>> from calib.metrics import smooth_calibration_error
    >>> round(smooth_calibration_error([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75]), 3)
    0.062
    """
    scores, residuals, total = grouped_residuals(labels, probabilities, sample_weight)
    return float(least_total_variation(np.cumsum(residuals), np.diff(scores)) / total)


def smooth_ece(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Expected calibration error by a Gaussian kernel that chooses its own width.

    .. math:: \mathrm{smECE}_s = \int_0^1 \Big| \frac1n \sum_i K_s(t, p_i) (z_i - p_i) \Big| dt

    with a Gaussian :math:`K_s` of standard deviation s, reflected at 0 and 1; reported is the s
    at which :math:`\mathrm{smECE}_s = s`.

    Parameters
    ----------
    {sample}
    {ratios}

    Returns
    -------
    error : float
        In [0, 1].

    {raises}

    Notes
    -----
    O(n), and a few dozen cosine transforms of 32768 cells, which diagonalise the reflected
    Gaussian. Errors below some 1e-4, a few cells, are not resolved. Of calibrated predictions it
    is of order n^(-1/3), so compare it between samples of one size.

    References
    ----------
    Blasiok and Nakkiran (2023).

    Examples
    --------
    >>> from calib.metrics import smooth_ece
    >>> round(smooth_ece([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]), 3)
    0.0
    >>> round(smooth_ece([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 3)
    0.25
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    weights = np.ones(labels.size) if weights is None else rescaled(weights)
    return smoothed_error(probabilities, weights * (labels - probabilities), weights.sum())


def smoothed_error(probabilities, residuals, total):
    """Smooth ECE of residuals at predictions, as a share of the total weight."""
    spectrum = dct(linear_sums(probabilities, residuals, CELLS) / total)
    frequencies = np.pi * np.arange(CELLS)

    def excess(width):
        smoothed = idct(spectrum * np.exp(-np.square(width * frequencies) / 2))
        return np.abs(smoothed).sum() - width

    if excess(0.0) <= 0:
        return 0.0
    return float(brentq(excess, 0.0, 1.0, xtol=1e-9))


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
    negative, positive = logits[labels == 0], logits[labels == 1]
    if not negative.size or not positive.size:
        raise ValueError(
            f"labels holds one class only ({labels[0]}): no finite line fits, so add rows of the "
            "other class or leave it out"
        )
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
    in_the_large = brentq(
        lambda shift: np.dot(weights, labels - expit(logits + shift)),
        base - logits.max() - 1e-9,
        base - logits.min() + 1e-9,
        xtol=1e-13,
    )
    return RecalibrationLine(float(slope / scale), float(intercept), float(in_the_large))


def integrated_calibration_index(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """ICI: mean distance of the predictions from a smooth calibration curve.

    The curve is R's loess of outcomes on predictions: local quadratic regressions with tricube
    weights on the nearest three quarters of the points.

    Parameters
    ----------
    {sample}
    {ratios}

    Returns
    -------
    index : float
        At least 0.

    {raises}

    Notes
    -----
    O(n log n + m^2) for m distinct predictions. Beyond 1000 of them neighbours are pooled, into
    1000 groups of equal size, and the curve is fitted to the groups. With so wide a span the curve
    is stiff: sharp errors, such as those of the extreme predictions, are smoothed away.

    References
    ----------
    Austin and Steyerberg (2019).

    Examples
    --------
    >>> from calib.metrics import integrated_calibration_index
    >>> round(integrated_calibration_index([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 3)
    0.25
    """
    groups = ties_of(labels, probabilities, sample_weight)
    counts, totals, positives = segment_sums(neighbours(groups, MOST_LOCAL_FITS), *groups)
    predicted, observed = totals / counts, positives / counts
    smooth = [_loess(x, predicted, observed, counts) for x in predicted]
    return float(np.average(np.abs(smooth - predicted), weights=counts))


def _loess(
    x: float, points: NDArray[np.float64], values: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    """Value at `x` of the local quadratic regression."""
    distances = np.abs(points - x)
    order = np.argsort(distances, kind="stable")
    seen = np.cumsum(weights[order])
    width = distances[order[np.searchsorted(seen, SPAN * seen[-1])]]
    u = (points - x) / width if width > 0 else np.where(distances > 0, 1.0, 0.0)
    near = np.abs(u) < 1
    u = u[near]
    root = np.sqrt(weights[near] * (1 - np.abs(u) ** 3) ** 3)
    design = np.stack([np.ones(u.size), u, u * u], axis=1)
    return np.linalg.lstsq(root[:, None] * design, root * values[near], rcond=1e-10)[0][0]


def grouped_residuals(labels, probabilities, sample_weight):
    """Distinct predictions, the sum of ``labels - probabilities`` at each, and the total weight."""
    groups = ties_of(labels, probabilities, sample_weight)
    residuals = groups.weights * groups.scores
    np.subtract(groups.positives, residuals, out=residuals)
    return groups.scores, residuals, groups.weights.sum()
