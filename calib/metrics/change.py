"""A test whether a mean stays the same along the rows."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import kolmogorov

from calib.contract.validation import check_scores
from calib.metrics.significance import OVERSHOOT


class ChangeTest(NamedTuple):
    """A test of one mean along the rows, and where it changes most.

    Attributes
    ----------
    statistic : float
        The largest partial sum of the deviations, over its scale.
    p_value : float
        Probability of a larger one if the rows are independent and of one law.
    row : int
        The first row after the largest change: the means to be compared are those of
        ``values[:row]`` and ``values[row:]``; 0 if all values are equal.
    """

    statistic: float
    p_value: float
    row: int


def change_test(values: ArrayLike) -> ChangeTest:
    r"""Test whether the mean of values stays the same along the rows (CUSUM).

    .. math:: \max_k \Big| \sum_{i \le k} (v_i - \bar v) \Big| \Big/ (s \sqrt n)

    with the standard deviation s of the values. Residuals, ``labels - probabilities``, show whether
    calibration drifts, labels whether the base rate does.

    Parameters
    ----------
    values : array-like of shape (n,)
        Finite numbers, in the order in which they came.

    Returns
    -------
    result : ChangeTest

    {raises}

    Notes
    -----
    O(n). The partial sums are those of a Brownian bridge, whose largest distance from 0 has
    Kolmogorov's law. They are read at n times only, which misses 0.58 standard deviations of a step
    on average, added before the p value is looked up (Siegmund 1979); else of 20 rows it would
    reject one sample in 70. Rare outcomes still reject less often than they may. It looks once, at
    all rows: for rows that keep coming there are `SequentialCalibrationTest` and `BaseRateTest`. A
    change in the middle is found most easily, one that comes back hardly.

    References
    ----------
    Ploberger and Kraemer (1992); Siegmund (1979).

    Examples
    --------
    >>> from calib.metrics import change_test
    >>> result = change_test([0, 0, 1, 0] * 10 + [1, 1, 0, 1] * 10)
    >>> round(result.statistic, 2), round(result.p_value, 4), result.row
    (2.24, 0.0001, 38)
    """
    values = check_scores(values, name="values")
    deviation = values.std()
    if deviation == 0:
        return ChangeTest(0.0, 1.0, 0)
    path = np.abs(np.cumsum(values - values.mean())[:-1])
    row = int(np.argmax(path))
    statistic = float(path[row] / (deviation * math.sqrt(values.size)))
    corrected = statistic + OVERSHOOT / math.sqrt(values.size)
    return ChangeTest(statistic, float(kolmogorov(corrected)), row + 1)
