"""Tests of calibration: on one sample, and on batches that keep coming."""

import math
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, expit, log_expit, logit, ndtr

from calib.contract.validation import check_flag, check_sample
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import group_ties
from calib.metrics.binned import bin_sample

# Of the highest point of a path that is read at n times only: what it lacks to that of Brownian
# motion, in standard deviations of a step (Chernoff 1965, Siegmund 1979)
OVERSHOOT = 0.5825971579390106
PRIOR_PRECISION = 4.0
MOST_EXTREME = 1e-12  # logits of the sequential test are those of probabilities no nearer to 0, 1
MOST_STEPS = 50


class TestResult(NamedTuple):
    """A statistic, and the probability of a larger one if the predictions are calibrated."""

    __test__ = False  # this is no test of pytest's

    statistic: float
    p_value: float


def spiegelhalter_test(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> TestResult:
    r"""Spiegelhalter's Z, two-sided: test whether the Brier score is what calibration implies.

    .. math:: Z = \frac{\sum (z_i - p_i)(1 - 2 p_i)}{\sqrt{\sum (1 - 2 p_i)^2 p_i (1 - p_i)}}

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; they are counts.

    Returns
    -------
    result : TestResult
        Z, standard normal for calibrated predictions: positive if the Brier score is too large,
        as of predictions too far from 1/2; and the probability of a larger ``|Z|``.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n). It has no power against errors that leave the Brier score as expected: those of
    predictions near 1/2, or the same bias on both sides of 1/2.

    References
    ----------
    Spiegelhalter (1986).

    Examples
    --------
    >>> from calib.metrics import spiegelhalter_test
    >>> result = spiegelhalter_test([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.9, 0.9, 0.9, 0.9])
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (1.905, 0.057)
    """
    labels, probabilities, weights = _counted(labels, probabilities, sample_weight)
    if _impossible(labels, probabilities):
        return TestResult(np.inf, 0.0)
    slopes = 1 - 2 * probabilities
    variance = np.dot(weights, slopes**2 * probabilities * (1 - probabilities))
    if variance == 0:  # predictions of 0, 1/2 and 1 only: nothing to be judged
        return TestResult(0.0, 1.0)
    z = np.dot(weights, (labels - probabilities) * slopes) / math.sqrt(variance)
    return TestResult(float(z), float(2 * ndtr(-abs(z))))


def hosmer_lemeshow_test(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_bins: int | str = 10,
    in_sample: bool = False,
    sample_weight: ArrayLike | None = None,
) -> TestResult:
    r"""Hosmer and Lemeshow's chi-squared test over bins of equal size.

    .. math:: \sum_k \frac{(m_k - n_k \bar p_k)^2}{n_k \bar p_k (1 - \bar p_k)}

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    n_bins : int, default=10
        Number K of bins; ties are not split, and fewer result where they fill several bins.
    in_sample : bool, default=False
        Whether these labels are those that the predictions were fitted to, by logistic regression.
        If so, there are K - 2 degrees of freedom, else K.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; they are counts.

    Returns
    -------
    result : TestResult

    Raises
    ------
    ValueError
        For input that is not as described, or with fewer than three bins and `in_sample`; the
        message names the argument.

    Notes
    -----
    O(n log n). The two usual mistakes are K - 2 degrees of freedom for new data, which rejects
    calibrated predictions too often, and bins that expect fewer than about five positives or
    negatives, where chi-squared is no good approximation. The answer depends on the number of bins.

    References
    ----------
    Hosmer and Lemeshow (1980).

    Examples
    --------
    >>> from calib.metrics import hosmer_lemeshow_test
    >>> result = hosmer_lemeshow_test([0, 1, 0, 1], [0.2, 0.2, 0.6, 0.6], n_bins=2)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (1.208, 0.547)
    """
    check_flag(in_sample, "in_sample")
    labels, probabilities, weights = _counted(labels, probabilities, sample_weight)
    curve = bin_sample(
        labels, probabilities, weights, n_bins=n_bins, strategy="quantile", ties="group"
    )
    freedom = curve.counts.size - 2 * in_sample
    if freedom < 1:
        raise ValueError(
            f"n_bins must give three bins or more for predictions in_sample; found "
            f"{curve.counts.size}: take more, or break ties"
        )
    if _impossible(labels, probabilities):
        return TestResult(np.inf, 0.0)
    variance = curve.totals * (1 - curve.predicted)
    there = variance > 0
    deviation = np.square(curve.positives - curve.totals)[there]
    statistic = float(np.sum(deviation / variance[there]))
    return TestResult(statistic, float(chdtrc(freedom, statistic)))


def kuiper_test(
    labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> TestResult:
    r"""Kuiper's test: judge the largest bias over an interval of predictions.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Outcomes, 0/1 or bool.
    probabilities : array-like of shape (n,)
        Predictions in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; they are counts.

    Returns
    -------
    result : TestResult
        The range of the cumulative residuals over :math:`\sqrt{\sum p_i (1 - p_i)}`, and its p
        value.

    Raises
    ------
    ValueError
        For input that is not as described; the message names the argument.

    Notes
    -----
    O(n log n). The p value is that of the range of Brownian motion (Feller 1951). The residuals are
    read at n times only, which misses on average 0.58 standard deviations of a step at either end;
    they are added before the p value is looked up, else the test of 200 rows rejects 4 calibrated
    samples of 100 and not 5. With many ties the test rejects fewer than it may. Every departure
    from calibration is found as n grows.

    References
    ----------
    Arrieta-Ibarra et al. (2022); Feller (1951); Siegmund (1979).

    Examples
    --------
    >>> from calib.metrics import kuiper_test
    >>> result = kuiper_test([0] * 30, [0.1, 0.2, 0.3] * 10)
    >>> round(result.statistic, 3), round(result.p_value, 3)
    (2.798, 0.01)
    """
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    if _impossible(labels, probabilities):
        return TestResult(np.inf, 0.0)
    groups = group_ties(probabilities, labels, weights)
    deviation = math.sqrt(np.dot(groups.weights, groups.scores * (1 - groups.scores)))
    if deviation == 0:
        return TestResult(0.0, 1.0)
    path = prefix_sums(groups.positives - groups.weights * groups.scores)
    statistic = float(np.ptp(path) / deviation)
    correction = 2 * OVERSHOOT / math.sqrt(groups.weights.sum())
    return TestResult(statistic, brownian_range_tail(statistic + correction))


def brownian_range_tail(x: float) -> float:
    """P(range of Brownian motion on [0, 1] > x), by Feller's series or its dual for small x."""
    k = np.arange(1, 20)
    if x > 1.5:
        return float(min(1.0, 8 * np.sum((-1.0) ** (k - 1) * k * ndtr(-k * x))))
    squares = np.square((2 * k - 1) * np.pi)
    if x == 0:
        return 1.0
    return float(1 - np.sum((8 / x**2 + 8 / squares) * np.exp(-squares / (2 * x**2))))


class SequentialCalibrationTest:
    r"""Monitor calibration batch by batch, with a guarantee at every time.

    It bets on each outcome against the predictions p, with probabilities q that it has learned
    from earlier batches. The capital,

    .. math:: E_T = \prod_{i \le T} \Big(\frac{q_i}{p_i}\Big)^{z_i}
                    \Big(\frac{1 - q_i}{1 - p_i}\Big)^{1 - z_i} ,

    is a martingale from 1 if the predictions are calibrated, so it ever reaches
    :math:`1 / \alpha` with probability :math:`\alpha` at most: look as often as you like, stop when
    you like. The bets are ``logit q = logit p + a + b logit p``, with a and b by Bayesian
    logistic regression, whose posterior is carried on as a normal distribution.

    Attributes
    ----------
    n_rows : float
        Rows seen, or their weight.
    log_e_value : float
        Logarithm of the capital.
    largest_log_e_value : float
        The largest so far, after a batch.
    p_value : float
        1 / the largest capital, at most 1: valid at any time.

    Notes
    -----
    O(rows) time for each of a few Newton steps of an update, constant memory. Nothing is bet on
    the first batch, and a batch is bet on with what was learned before it: feed small batches.
    There is power against bias and against a wrong slope, little against errors that bend around
    the diagonal. Outcomes must become known before the next predictions are bet on.

    All batches before count alike, so a new error is found the later, the longer the probabilities
    were right. Rows must be independent; and a fitted map is never exactly calibrated, so with
    many times the rows of its fit the test rejects it, too.

    References
    ----------
    Henzi and Ziegel (2022); Arnold, Henzi and Ziegel (2023).

    Examples
    --------
    >>> import numpy as np
    >>> from calib.metrics import SequentialCalibrationTest
    >>> rng = np.random.default_rng(0)
    >>> test = SequentialCalibrationTest()
    >>> for _ in range(20):
    ...     p = rng.random(50)
    ...     test.update(rng.random(50) < p**2, p)
    SequentialCalibrationTest(n_rows=50.0, p_value=1)
    ...
    >>> test.p_value < 1e-6
    True
    """

    def __init__(self):
        self.n_rows = 0.0
        self.log_e_value = 0.0
        self.largest_log_e_value = 0.0
        self._mean = np.zeros(2)
        self._precision = PRIOR_PRECISION * np.eye(2)

    def __repr__(self):
        return f"{type(self).__name__}(n_rows={self.n_rows}, p_value={self.p_value:.3g})"

    @property
    def p_value(self) -> float:
        """Probability, at most, that calibrated predictions ever look as bad as these have."""
        return math.exp(-self.largest_log_e_value)

    def update(
        self,
        labels: ArrayLike,
        probabilities: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Bet on the outcomes of a batch, then learn from it.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Outcomes, 0/1 or bool.
        probabilities : array-like of shape (n,)
            Predictions in [0, 1], made before the outcomes were known.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; they are counts.

        Returns
        -------
        self : SequentialCalibrationTest

        Raises
        ------
        ValueError
            For input that is not as described; the message names the argument. The test is then as
            it was.
        """
        labels, probabilities, weights = _counted(labels, probabilities, sample_weight)
        logits = logit(np.clip(probabilities, MOST_EXTREME, 1 - MOST_EXTREME))
        design = np.stack([np.ones(logits.size), logits], axis=1)
        if _impossible(labels, probabilities):
            gain = np.inf
        else:
            side = np.where(labels == 1, 1.0, -1.0)
            bets = log_expit(side * (logits + design @ self._mean)) - log_expit(side * logits)
            gain = float(np.dot(weights, bets))
        self.n_rows += float(weights.sum())
        self.log_e_value += gain
        self.largest_log_e_value = max(self.largest_log_e_value, self.log_e_value)
        self._learn(labels, logits, design, weights)
        return self

    def to_dict(self) -> dict:
        """All that the test remembers, as plain numbers for ``json.dumps``; "inf" is a string."""
        values = [self.n_rows, self.log_e_value, self.largest_log_e_value]
        return {
            "totals": [value if math.isfinite(value) else str(value) for value in values],
            "mean": self._mean.tolist(),
            "precision": self._precision.tolist(),
        }

    @classmethod
    def from_dict(cls, stored: dict) -> Self:
        """The test that `to_dict` has turned into `stored`: it goes on where that one was.

        Raises
        ------
        ValueError
            If `stored` is no such dictionary.
        """
        test = cls()
        try:
            test.n_rows, test.log_e_value, test.largest_log_e_value = map(float, stored["totals"])
            test._mean = np.array(stored["mean"], np.float64).reshape(2)
            test._precision = np.array(stored["precision"], np.float64).reshape(2, 2)
            if np.isnan([test.n_rows, test.log_e_value, test.largest_log_e_value]).any():
                raise ValueError("a total is NaN")
            if not np.isfinite(test._mean).all():
                raise ValueError("the mean is not finite")
            np.linalg.cholesky(test._precision)  # raises if it is not positive definite
        except (KeyError, TypeError, ValueError, np.linalg.LinAlgError) as error:
            raise ValueError(f"stored is not what to_dict gives: {error!r}") from None
        return test

    def _learn(self, labels, logits, design, weights):
        """Laplace's approximation, with what is known so far as the prior."""

        def loss(mean):
            margins = np.where(labels == 1, 1.0, -1.0) * (logits + design @ mean)
            apart = mean - self._mean
            return apart @ self._precision @ apart / 2 - np.dot(weights, log_expit(margins))

        mean = self._mean
        for _ in range(MOST_STEPS):
            probabilities = expit(logits + design @ mean)
            gradient = self._precision @ (mean - self._mean)
            gradient -= design.T @ (weights * (labels - probabilities))
            curvature = weights * probabilities * (1 - probabilities)
            precision = self._precision + design.T @ (curvature[:, None] * design)
            step = np.linalg.solve(precision, gradient)
            while loss(mean - step) > loss(mean) and np.abs(step).max() > 1e-12:
                step = step / 2
            mean = mean - step
            if np.abs(step).max() < 1e-9:
                break
        self._mean, self._precision = mean, precision


def _counted(labels, probabilities, sample_weight):
    """A clean sample; weights, which are counts here, are ones where there are none."""
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    return labels, probabilities, np.ones(labels.size) if weights is None else weights


def _impossible(labels, probabilities):
    """Whether an outcome was given probability 0: no calibrated prediction does that."""
    return bool(np.any(probabilities == 1.0 - labels))
