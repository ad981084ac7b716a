"""Calibration errors that need no bins."""

from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct, idct
from scipy.optimize import brentq

from calib.base.arrays import check_sample
from calib.base.probabilities import rescaled
from calib.kernels.binning import linear_sums, prefix_sums
from calib.metrics.samples import ties_of
from calibkit.inference.loess import loess_fit
from calibkit.inference.total_variation import least_total_variation

SMOOTHING_CELLS = 2**15  # cells of the grid on which residuals are smoothed
WIDTH_PRECISION = 1e-9  # absolute error of the width of the kernel
GAUSSIAN_REACH = 38.7  # standard deviations at which a Gaussian is 0 in floats


def kuiper_error(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Largest bias over an interval of predictions, as a fraction of all rows.

    .. math:: \max_{a \le b} \Big| \frac1n \sum_{a \le p_i \le b} (z_i - p_i) \Big|

    Also called ECCE-R or cutoff calibration error.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    error : float
        In [0, 1].

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The error is the range of the cumulative residuals, read where ties end. For
    calibrated predictions it is about ``1.6 sqrt(mean(p (1 - p)) / n)``. `kuiper_test` tests
    whether it is larger than by chance.

    References
    ----------
    Arrieta-Ibarra et al. (2022); Rossellini et al. (2025).

    Examples
    --------
    >>> from calibkit.inference import kuiper_error
    >>> round(kuiper_error([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75]), 3)
    0.125
    """
    _, residuals, total = tied_residuals(labels, probabilities, sample_weight)
    return float(np.ptp(prefix_sums(residuals)) / total)


def kolmogorov_smirnov_error(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Largest bias of the predictions up to a cut, as a fraction of all rows.

    .. math:: \max_t \Big| \frac1n \sum_{p_i \le t} (z_i - p_i) \Big|

    Also called ECCE-MAD, or the Kolmogorov-Smirnov calibration error.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    error : float
        In [0, 1].

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The cumulative residuals are read where ties end. The error is at most the
    `kuiper_error`, which looks at all intervals, and at least half of the `kuiper_error`. Unlike
    `kuiper_error`, this error looks only at intervals that begin at the lowest prediction. A bias
    in the middle shows less clearly if lower predictions have the opposite bias.

    References
    ----------
    Gupta et al. (2021); Arrieta-Ibarra et al. (2022).

    Examples
    --------
    >>> from calibkit.inference import kolmogorov_smirnov_error
    >>> round(kolmogorov_smirnov_error([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75]), 3)
    0.125
    """
    _, residuals, total = tied_residuals(labels, probabilities, sample_weight)
    return float(np.abs(prefix_sums(residuals)).max() / total)


def averaged_two_bin_error(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Squared biases below and above a cut, averaged over all cuts: a truthful error (ATB).

    .. math::
        \begin{aligned}
        &\int_0^1 b_{<t}^2 + b_{\ge t}^2 \, dt, \\
        &\quad b_{<t} = \frac1n \sum_{p_i < t} (z_i - p_i)
        \end{aligned}

    and :math:`b_{\ge t}` likewise.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    error : float
        In [0, 1].

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The error is truthful: whatever the true probabilities of independent outcomes are,
    no fixed predictions have a smaller mean error than the true probabilities. *Proof.* At each cut
    t, the mean of :math:`n^2 (b_{<t}^2 + b_{\ge t}^2)` has two terms. The first term is the sum of
    the variances of all outcomes, which does not depend on the predictions. The second term is
    :math:`n^2` times the sum of the squares of the two mean biases, which is 0 if the predictions
    are the true probabilities. So the true probabilities have the smallest mean at every cut, and
    therefore on average over the cuts. The proof needs rows of equal weight.

    The mean error of true probabilities is ``sum(p (1 - p)) / n**2`` and not 0. `calibration_test`
    with the statistic ``"averaged_two_bin"`` tests whether the error is larger than by chance, and
    `averaged_two_bin_interval` has limits. The error is also the mean of ``r_i r_j (1 - |p_i -
    p_j|)`` over all pairs of rows, with the residuals ``r = z - p``.

    References
    ----------
    Hartline, Hu and Wu (2026), "A Perfectly Truthful Calibration Measure".

    Examples
    --------
    >>> from calibkit.inference import averaged_two_bin_error
    >>> round(averaged_two_bin_error([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75]), 6)
    0.015625
    """
    scores, residuals, total = tied_residuals(labels, probabilities, sample_weight)
    below = prefix_sums(residuals) / total
    widths = np.diff(scores, prepend=0.0, append=1.0)
    return float(np.dot(widths, below**2 + (below[-1] - below) ** 2))


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
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    error : float
        In [0, 1].

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n), exactly: the dual of this linear program denoises the path of cumulative residuals
    C by total variation, ``min_x sum_i (p_{i+1} - p_i) |C_i - x_i| + sum_i |x_i - x_{i-1}|`` from 0
    to its end. The error is continuous in the predictions. The lower distance to calibrated
    predictions lies between half the error and twice the error (Blasiok et al. 2023).

    References
    ----------
    Blasiok, Gopalan, Hu and Nakkiran (2023).

    Examples
    --------
    >>> from calibkit.inference import smooth_calibration_error
    >>> round(smooth_calibration_error([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75]), 3)
    0.062
    """
    scores, residuals, total = tied_residuals(labels, probabilities, sample_weight)
    return float(least_total_variation(np.cumsum(residuals), np.diff(scores)) / total)


def smooth_ece(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    r"""Expected calibration error by a Gaussian kernel that chooses its own width.

    .. math:: \mathrm{smECE}_s = \int_0^1 \Big| \frac1n \sum_i K_s(t, p_i) (z_i - p_i) \Big| dt

    with a Gaussian :math:`K_s` of standard deviation s, reflected at 0 and 1. The result is the s
    at which :math:`\mathrm{smECE}_s = s`.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    error : float
        In [0, 1].

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n), and a few dozen cosine transforms of 32768 cells, which diagonalise the reflected
    Gaussian. Errors below about 1e-4 are narrower than a few cells and are not resolved. For
    calibrated predictions the error is of order n^(-1/3), so compare it only between samples of
    equal size. Bootstrap intervals of this error contain its true value much less often than their
    level says. Bootstrap intervals of `smooth_calibration_error` contain its true value nearly as
    often as their level says.

    References
    ----------
    Blasiok and Nakkiran (2023).

    Examples
    --------
    >>> from calibkit.inference import smooth_ece
    >>> round(smooth_ece([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]), 3)
    0.0
    >>> round(smooth_ece([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 3)
    0.25
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    weights = np.ones(labels.size) if weights is None else rescaled(weights)
    return smoothed_error(probabilities, weights * (labels - probabilities), weights.sum())


def smoothed_error(probabilities, residuals, total):
    """Smooth ECE of residuals at predictions, as a fraction of the total weight."""
    spectrum = dct(linear_sums(probabilities, residuals, SMOOTHING_CELLS) / total)
    frequencies = np.pi * np.arange(SMOOTHING_CELLS)

    @cache  # because brentq evaluates the ends of the bracket again
    def excess(width):
        """Error with a kernel of this width, less the width."""
        n_frequencies = int(GAUSSIAN_REACH / (np.pi * max(width, WIDTH_PRECISION))) + 1
        kernel = np.exp(-np.square(width * frequencies[:n_frequencies]) / 2)
        smoothed = idct(spectrum[: kernel.size] * kernel, n=SMOOTHING_CELLS)
        return np.abs(smoothed).sum() - width

    if excess(0.0) <= 0:
        return 0.0
    return float(brentq(excess, 0.0, 1.0, xtol=WIDTH_PRECISION))


def integrated_calibration_index(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """ICI: mean distance of the predictions from a smooth calibration curve.

    The curve is R's loess of outcomes on predictions: local quadratic regressions with tricube
    weights on the nearest three quarters of the points.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative counts or sampling weights. Only their ratios matter.

    Returns
    -------
    index : float
        At least 0.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n + m^2) for m distinct predictions. If there are more than 1000, neighbours are pooled
    into 1000 groups of equal size, and the curve is fitted to the groups. With so wide a span the
    curve is stiff. Sharp errors, such as errors of the extreme predictions, are smoothed away.

    Two conventions differ from R's ``loess(y ~ p)``. The curve is fitted at every prediction, as by
    ``surface="direct"``. By default R interpolates it between some of them, which changed the index
    by up to 3 % in 14 files. The neighbours have at least three quarters of the weight; R takes
    the whole number of points below, which changed it by less than 0.1 %. Where three quarters of n
    are a whole number, and no more than 1000 predictions differ, ``surface="direct"`` agrees.

    References
    ----------
    Austin and Steyerberg (2019).

    Examples
    --------
    >>> from calibkit.inference import integrated_calibration_index
    >>> round(integrated_calibration_index([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 3)
    0.25
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight)
    fit = loess_fit(labels, probabilities, None if weights is None else rescaled(weights))
    return float(np.average(np.abs(fit.curve - fit.points), weights=fit.counts))


def tied_residuals(labels, probabilities, sample_weight):
    """Distinct predictions, the sum of ``labels - probabilities`` at each, and the total weight."""
    tied = ties_of(labels, probabilities, sample_weight)
    residuals = tied.weights * tied.scores
    np.subtract(tied.positives, residuals, out=residuals)
    return tied.scores, residuals, tied.weights.sum()
