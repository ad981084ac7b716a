"""The weights that a local quadratic regression gives to its points."""

import numpy as np

from calib.kernels.compiling import jit

LEAST_SPREAD = 1e-20  # mean square of a column, below which the columns before it explain it


@jit
def loess_operator(points, weights, at, span):
    """Weights of the points in the value of the local regression at each place.

    Parameters
    ----------
    points : ndarray of shape (m,)
        Increasing.
    weights : ndarray of shape (m,)
        Numbers of observations at each point. Positive.
    at : ndarray of shape (k,)
        Places at which the regression is evaluated.
    span : float
        Fraction of the observations in a local fit.

    Returns
    -------
    operator : ndarray of shape (k, m)
        The value at place j is ``operator[j] @ values``.
    """
    m = points.size
    operator = np.zeros((at.size, m))
    total = weights.sum()
    tricube = np.empty(m)
    linear = np.empty(m)
    quadratic = np.empty(m)
    for j in range(at.size):
        first, last, width = _neighbours(points, weights, at[j], span * total)
        kernel_sum = linear_mean = square_mean = 0.0
        for i in range(first, last):
            u = (points[i] - at[j]) / width if width > 0 else 0.0
            tricube[i] = weights[i] * max(1 - abs(u) ** 3, 0.0) ** 3
            kernel_sum += tricube[i]
            linear_mean += tricube[i] * u
            square_mean += tricube[i] * u * u
        linear_mean /= kernel_sum
        square_mean /= kernel_sum
        linear_spread = product = 0.0
        for i in range(first, last):
            u = (points[i] - at[j]) / width if width > 0 else 0.0
            linear[i] = u - linear_mean
            linear_spread += tricube[i] * linear[i] * linear[i]
            product += tricube[i] * linear[i] * (u * u - square_mean)
        has_slope = linear_spread > LEAST_SPREAD * kernel_sum
        slope = product / linear_spread if has_slope else 0.0
        quadratic_spread = 0.0
        for i in range(first, last):
            u = (points[i] - at[j]) / width if width > 0 else 0.0
            quadratic[i] = u * u - square_mean - slope * linear[i]
            quadratic_spread += tricube[i] * quadratic[i] * quadratic[i]
        has_bend = has_slope and quadratic_spread > LEAST_SPREAD * kernel_sum
        at_linear = -linear_mean / linear_spread if has_slope else 0.0
        at_quadratic = (slope * linear_mean - square_mean) / quadratic_spread if has_bend else 0.0
        for i in range(first, last):
            height = 1 / kernel_sum + at_linear * linear[i] + at_quadratic * quadratic[i]
            operator[j, i] = tricube[i] * height
    return operator


@jit
def _neighbours(points, weights, place, needed):
    """First and last of the nearest points that hold the needed weight, and the largest distance.

    All points at the largest distance or nearer lie between them. Their weight in the kernel is 0
    at the distance itself.
    """
    m = points.size
    right = np.searchsorted(points, place)
    left = right
    held = 0.0
    width = 0.0
    while held < needed and (left > 0 or right < m):
        if right == m or (left > 0 and place - points[left - 1] <= points[right] - place):
            left -= 1
            width = place - points[left]
            held += weights[left]
        else:
            width = points[right] - place
            held += weights[right]
            right += 1
    return left, right, width
