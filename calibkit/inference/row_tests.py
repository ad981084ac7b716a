"""Tests of the rows that other tests assume: no copies, and the same mean from first to last."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, kolmogorov

from calib.base.arrays import check_labels, check_scores, counts_of
from calib.kernels.ties import ties
from calibkit.inference.clean_samples import check_whole_weights
from calibkit.inference.significance import OVERSHOOT


class CopiesTest(NamedTuple):
    """How often outcomes differ between rows of equal scores, and between neighbouring scores.

    Attributes
    ----------
    copies : int
        Rows that repeat another row, at scores whose rows all have the same outcome.
    differing, expected : float
        Sums over the scores that several rows have. `differing` sums the fraction of pairs of these
        rows whose outcomes differ. `expected` sums the fraction of such pairs between these rows
        and the rows of the neighbouring scores.
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
        Finite real numbers, probabilities or not.
    sample_weight : array-like of shape (n,), optional
        Whole numbers. A row of weight w is tested as w rows. Sampling weights stand for cases that
        nobody saw, so the test finds copies.

    Returns
    -------
    result : CopiesTest

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n log n). Independent rows can have equal scores because of trees, rounding or equal features.
    Their outcomes then differ as often as the outcomes of rows with neighbouring scores. The
    outcomes of copies, or of the equal rows of one patient, do not differ. Each score counts once,
    however many rows have it, so an atom (the exact 0 of a forest) has little influence. If the
    outcomes differ d times at equal scores and e times at neighbouring scores, the p value is the
    probability of d or fewer heads in d + e tosses of a coin. The test does not detect a few
    copies among many honest ties.

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
    values = check_scores(scores)
    outcomes = check_labels(labels, size=values.size)
    weights = check_whole_weights(counts_of(sample_weight, values.size, "scores"))
    present = weights > 0
    _, counts, positives = ties(values[present], outcomes[present], weights[present])
    rates = positives / counts
    tied = counts > 1
    # fractions of differing pairs between the rows of neighbouring scores
    steps = rates[1:] + rates[:-1] - 2 * rates[1:] * rates[:-1]
    sums = np.append(0.0, steps) + np.append(steps, 0.0)
    n_neighbours = np.full(counts.size, 2)
    n_neighbours[[0, -1]] = 1
    expected = float(np.sum((sums / n_neighbours)[tied]))
    pairs = counts * (counts - 1) / 2
    fractions = positives * (counts - positives) / np.maximum(pairs, 1)
    differing = float(fractions[tied].sum())
    pure = tied & (fractions == 0)
    p_value = float(betainc(expected, differing + 1, 0.5)) if expected > 0 else 1.0
    return CopiesTest(
        copies=int(np.sum(counts[pure] - 1)),
        differing=differing,
        expected=expected,
        p_value=p_value,
    )


class ChangeTest(NamedTuple):
    """A test of a constant mean along the rows, and the row at which it changes most.

    Attributes
    ----------
    statistic : float
        The largest partial sum of the deviations, over its scale.
    p_value : float
        Probability of a larger statistic if the rows are independent and identically distributed.
    row : int
        The first row after the largest change: compare the means of ``values[:row]`` and
        ``values[row:]``. It is 0 if all values are equal.
    """

    statistic: float
    p_value: float
    row: int


def change_test(values: ArrayLike) -> ChangeTest:
    r"""Test whether the mean of values stays the same along the rows (CUSUM).

    .. math:: \max_k \Big| \sum_{i \le k} (v_i - \bar v) \Big| \Big/ (s \sqrt n)

    with the standard deviation s of the values. Residuals, ``labels - probabilities``, show whether
    calibration drifts. Labels show whether the base rate drifts.

    Parameters
    ----------
    values : array-like of shape (n,)
        Finite numbers, in the order in which they were observed.

    Returns
    -------
    result : ChangeTest

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    O(n). In large samples the partial sums are a Brownian bridge, whose largest distance from 0 has
    Kolmogorov's distribution. They are read at n times only, which misses 0.58 standard deviations
    of a step on average. These are added before the p value is looked up (Siegmund 1979). Without
    them the test of 20 rows would reject one sample in 70. With rare outcomes the test still
    rejects less often than it may. It tests all rows once. For rows that keep arriving there are
    `SequentialCalibrationTest` and `BaseRateTest`. A change in the middle is found most easily. A
    change that is reversed later is hardly found.

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
    series = check_scores(values, name="values")
    deviation = series.std()
    if deviation == 0:
        return ChangeTest(statistic=0.0, p_value=1.0, row=0)
    path = np.abs(np.cumsum(series - series.mean())[:-1])
    row = int(np.argmax(path))
    statistic = float(path[row] / (deviation * math.sqrt(series.size)))
    corrected = statistic + OVERSHOOT / math.sqrt(series.size)
    return ChangeTest(statistic=statistic, p_value=float(kolmogorov(corrected)), row=row + 1)
