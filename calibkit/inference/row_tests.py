"""Whether rows are what tests take them for: no copies, and of one mean from first to last."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, kolmogorov

from calib.base.arrays import check_labels, check_scores, counts_of
from calib.kernels.ties import ties
from calib.metrics.samples import whole
from calibkit.inference.significance import OVERSHOOT


class CopiesTest(NamedTuple):
    """How often outcomes differ between rows of equal score, and of neighbouring ones.

    Attributes
    ----------
    copies : int
        Rows that repeat another one, of scores whose rows all have one outcome.
    differing, expected : float
        Sums, over the scores that several rows have, of the share of pairs of such rows whose
        outcomes differ; and of the share between these rows and those of the next scores.
    p_value : float
        Probability of so few differences, or fewer, if rows of equal score are independent.
    """

    copies: int
    differing: float
    expected: float
    p_value: float

    @property
    def found(self) -> bool:
        """Whether the p value is below 1/1000, and half of the differences are missing."""
        return self.p_value < 0.001 and self.differing <= self.expected / 2


def copies_test(
    labels: ArrayLike, scores: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> CopiesTest:
    """Test whether rows of equal score are independent, or copies of one another.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    scores : array-like of shape (n,)
        Finite real numbers; probabilities or not.
    sample_weight : array-like of shape (n,), optional
        Whole numbers: a row of weight w is tested as w rows. Sampling weights, which stand for
        cases that nobody saw, are found to be copies.

    Returns
    -------
    result : CopiesTest

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n). Trees, roundings and equal features tie scores; but the outcomes of tied rows then
    differ as often as those of neighbouring scores. Those of copies, or of the equal rows of one
    patient, do not differ. Each score counts once, however many rows have it, so an atom (the
    exact 0 of a forest) has little say. Of d and e differences the p value is that of d or fewer
    heads in d + e tosses of a coin. A few copies among many honest ties are not seen.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.inference import copies_test
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(200)
    >>> labels = rng.random(200) < scores
    >>> copies_test(np.repeat(labels, 2), np.repeat(scores, 2)).found
    True
    >>> tied = scores.round(1)
    >>> copies_test(labels, tied).found
    False
    """
    scores = check_scores(scores)
    labels = check_labels(labels, size=scores.size)
    weights = whole(counts_of(sample_weight, scores.size, "scores"))
    there = weights > 0
    _, counts, positives = ties(scores[there], labels[there], weights[there])
    rates, tied = positives / counts, counts > 1
    steps = rates[1:] + rates[:-1] - 2 * rates[1:] * rates[:-1]
    beside = np.append(0.0, steps) + np.append(steps, 0.0)
    sides = np.full(counts.size, 2)
    sides[[0, -1]] = 1
    expected = float(np.sum((beside / sides)[tied]))
    pairs = counts * (counts - 1) / 2
    shares = positives * (counts - positives) / np.maximum(pairs, 1)
    differing = float(shares[tied].sum())
    pure = tied & (shares == 0)
    p_value = float(betainc(expected, differing + 1, 0.5)) if expected > 0 else 1.0
    return CopiesTest(
        copies=int(np.sum(counts[pure] - 1)),
        differing=differing,
        expected=expected,
        p_value=p_value,
    )


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

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

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
    >>> from calibkit.inference import change_test
    >>> result = change_test([0, 0, 1, 0] * 10 + [1, 1, 0, 1] * 10)
    >>> round(result.statistic, 2), round(result.p_value, 4), result.row
    (2.24, 0.0001, 38)
    """
    values = check_scores(values, name="values")
    deviation = values.std()
    if deviation == 0:
        return ChangeTest(statistic=0.0, p_value=1.0, row=0)
    path = np.abs(np.cumsum(values - values.mean())[:-1])
    row = int(np.argmax(path))
    statistic = float(path[row] / (deviation * math.sqrt(values.size)))
    corrected = statistic + OVERSHOOT / math.sqrt(values.size)
    return ChangeTest(statistic=statistic, p_value=float(kolmogorov(corrected)), row=row + 1)
