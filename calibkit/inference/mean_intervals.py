"""Confidence limits of fractions and of means."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from calib.base.arrays import check_scores, check_weights, counts_of
from calib.base.options import check_positive
from calib.base.probabilities import rescaled
from calib.metrics.limits import clopper_pearson
from calibkit.inference.bootstrap import Interval
from calibkit.inference.clean_samples import is_sampled
from calibkit.inference.clusters import cluster_codes, cluster_error, interval_quantile


def binomial_limits(
    positives: ArrayLike, counts: ArrayLike, *, confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Exact limits of Clopper and Pearson for the probability behind a fraction.

    .. math::
        \begin{aligned}
        &B(\alpha/2;\ m, n - m + 1) , \\
        &B(1 - \alpha/2;\ m + 1, n - m) ,
        \end{aligned}

    with the quantiles B of the beta distribution, for m positives among n.

    Parameters
    ----------
    positives : array-like
        Numbers of positives, or their weight; from 0 to `counts`.
    counts : array-like
        Numbers of points, or their weight; positive, of a shape compatible with `positives`.
    confidence : float, default=0.95
        Coverage of each pair of limits, in (0, 1).

    Returns
    -------
    lower, upper : ndarray
        Limits of the common shape.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(1) each. Their coverage is at least `confidence`, whatever the probability is. Weights are
    counts; between whole numbers the beta function itself interpolates the limits.

    References
    ----------
    Clopper and Pearson (1934).

    Examples
    --------
    >>> from calibkit.inference import binomial_limits
    >>> lower, upper = binomial_limits([0, 3], 10)
    >>> lower.round(3), upper.round(3)
    (array([0.   , 0.067]), array([0.308, 0.652]))
    """
    check_positive(confidence, "confidence", below=1)
    numbers = np.asarray(positives, np.float64)
    totals = np.asarray(counts, np.float64)
    if not np.all((totals > 0) & (totals < np.inf)):
        raise ValueError("counts must be positive and finite: leave out what has no points")
    if not np.all((numbers >= 0) & (numbers <= totals)):
        raise ValueError("positives must lie between 0 and counts")
    return clopper_pearson(numbers, totals, (1 - confidence) / 2)


def mean_interval(
    values: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    sampling_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Interval:
    r"""Interval of a mean over independent rows, such as a mean loss or a mean residual.

    .. math:: \bar v \pm z_{1 - \alpha/2}
              \sqrt{\frac{\sum_i w_i (v_i - \bar v)^2}{n (n - 1)}}, \quad n = \sum_i w_i

    Parameters
    ----------
    values : array-like of shape (n,)
        A finite number for each row.
    confidence : float, default=0.95
        Coverage in large samples, in (0, 1).
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
    interval : Interval
        The limits are infinite if there is only one row.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n). The interval relies on the central limit theorem: it is too narrow for few rows, and if a
    few rows have nearly all of the loss. With clusters the variance is a jackknife estimate, which
    leaves out one cluster at a time, and z is a quantile of the t distribution, whose degrees of
    freedom are the effective number of clusters of equal size, less one. In simulations 4 to 5 % of
    95 % intervals of the bias missed 0 with equal clusters, and 7 % with few clusters of very
    unequal size. With sampling weights the error without clusters is
    :math:`\sqrt{\sum w_i^2 (v_i - \bar v)^2\, n / (n - 1)} / \sum w_i` for n rows.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.inference import mean_interval
    >>> labels, probabilities = np.array([0, 0, 1, 1] * 9), np.array([0.1, 0.4, 0.3, 0.8] * 9)
    >>> [round(limit, 3) for limit in mean_interval(np.square(labels - probabilities))]
    [0.175, 0.112, 0.238, 0.032]
    """
    check_positive(confidence, "confidence", below=1)
    numbers = check_scores(values, name="values")
    given = sampling_weight if is_sampled(sample_weight, sampling_weight) else sample_weight
    if sampling_weight is not None:
        weights = rescaled(
            check_weights(
                sampling_weight,
                size=numbers.size,
                name="sampling_weight",
                other="values",
                counts=False,
            )
        )
        total = np.count_nonzero(weights)
        factors = np.square(weights) * (total / weights.sum()) ** 2
    else:
        weights = factors = counts_of(sample_weight, numbers.size, "values")
        total = weights.sum()
    mean = float(np.dot(weights, numbers) / weights.sum())
    if total <= 1:
        return Interval(estimate=mean, lower=-np.inf, upper=np.inf, error=np.inf)
    codes = cluster_codes(clusters, numbers.size, given, other="values")
    if codes is None:
        variance = float(np.dot(factors, np.square(numbers - mean)) / total)
        return normal_interval(mean, math.sqrt(variance / (total - 1)), confidence)
    positive = weights > 0
    fractions = np.bincount(codes, weights[positive]) / weights.sum()
    # Without a cluster the mean changes by the sum of its deviations times this factor.
    jackknife = (1 - 1 / fractions.size) / (1 - fractions)
    deviations = (weights * (numbers - mean))[positive] * jackknife[codes]
    error = cluster_error(deviations, codes) / float(weights.sum())
    reach = interval_quantile(confidence, weights[positive], codes) * error
    return Interval(estimate=mean, lower=mean - reach, upper=mean + reach, error=error)


def normal_interval(estimate: float, error: float, confidence: float) -> Interval:
    """Interval of equally many standard errors on both sides, from the normal distribution."""
    reach = float(ndtri((1 + confidence) / 2)) * error
    return Interval(estimate=estimate, lower=estimate - reach, upper=estimate + reach, error=error)
