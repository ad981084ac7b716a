"""Limits for the averaged two-bin error, which also hold for calibrated predictions."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

from calib.base.options import check_positive
from calib.kernels.binning import prefix_sums
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clean_samples import counted_ties_of
from calibkit.inference.statistics import statistic_of


def averaged_two_bin_interval(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
) -> Interval:
    r"""Averaged two-bin error with limits that also hold for calibrated predictions.

    The root R of the error is a norm of the residuals. The residuals are true biases plus noise, so
    R differs from the root for the true biases by at most the norm of the noise. The limits are

    .. math:: (R \pm q)^2 ,

    cut to [0, 1], where q is the quantile of that norm. They are limits for the error that the true
    probabilities of the rows would have in place of the labels.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    confidence : float, default=0.95
        Least coverage in large samples, in (0, 1).
    sample_weight : array-like of shape (n,), optional
        Counts. A row of weight w stands for w rows. Not negative.

    Returns
    -------
    interval : Interval
        Its `error` is the root of the mean of the squared norm of the noise.

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). The squared norm of the noise is nearly a weighted sum of squares of normal
    variables. A gamma distribution with the same mean and variance stands for it. As in
    `kuiper_interval`, the variances come from the squared residuals, which are too large where the
    predictions are wrong. In sum they are taken to be at least those of calibrated predictions. The
    limits are conservative.

    References
    ----------
    Hartline, Hu and Wu (2026) for the error; Satterthwaite (1946) for the gamma distribution.

    Examples
    --------
    >>> from calibkit.inference import averaged_two_bin_interval
    >>> interval = averaged_two_bin_interval([0] * 30 + [1] * 10, [0.5] * 40)
    >>> [round(number, 4) for number in interval]
    [0.0625, 0.009, 0.164, 0.0791]
    """
    check_positive(confidence, "confidence", below=1)
    ties = counted_ties_of(labels, probabilities, sample_weight)
    scores, weights, positives = ties
    error = statistic_of("averaged_two_bin", ties, None, None)
    estimate = float(error(positives[np.newaxis])[0])
    squares = positives * (1 - scores) ** 2 + (weights - positives) * scores**2
    if_calibrated = np.dot(weights, scores * (1 - scores))
    if squares.sum() > 0:
        squares *= max(1.0, if_calibrated / squares.sum())
    noise = math.sqrt(_squared_noise_quantile(scores, squares / weights.sum() ** 2, confidence))
    return Interval(
        estimate=estimate,
        lower=max(math.sqrt(estimate) - noise, 0.0) ** 2,
        upper=min((math.sqrt(estimate) + noise) ** 2, 1.0),
        error=math.sqrt(squares.sum()) / float(weights.sum()),
    )


def _squared_noise_quantile(scores, variances, confidence):
    """Quantile of the sum of ``e_i e_j (1 - |p_i - p_j|)`` for independent noise e of mean 0.

    Its mean is the sum of the variances, since the factor is 1 where i = j. Its variance is twice
    the sum of ``v_i v_j (1 - |p_i - p_j|)**2``.
    """
    mean = variances.sum()
    if mean == 0:
        return 0.0
    moments = variances * scores
    before = prefix_sums(variances)[:-1]
    moments_before = prefix_sums(moments)[:-1]
    distances = 2 * np.dot(variances, scores * before - moments_before)
    squared_distances = 2 * (mean * np.dot(moments, scores) - moments.sum() ** 2)
    variance = 2 * (mean**2 - 2 * distances + squared_distances)
    scale = variance / mean
    return scale * gammaincinv(mean / scale, confidence)
