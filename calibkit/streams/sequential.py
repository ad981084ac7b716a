"""Sequential tests of calibration and of the base rate, valid after each batch of a stream."""

import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, logit, logsumexp, xlogy

from calib.base.arrays import check_labels, counts_of
from calib.metrics.samples import counted_sample
from calibkit.streams.betting import DESIGNS, RANGES, Learners, cells, spread

MIN_DISTANCE_TO_CERTAINTY = 1e-12  # distance of predictions from 0 and 1, so that logits are finite
STORED_ATTRIBUTES = ["n_rows", "n_positives", "log_e_value", "largest_log_e_value"]


class AnytimeTest:
    """A test by an e-value (the capital of a bettor): its mean is at most 1 under the null."""

    def __init__(self) -> None:
        self.log_e_value = 0.0
        self.largest_log_e_value = 0.0

    @property
    def p_value(self) -> float:
        """The p value is 1 / the largest e-value so far, and valid after every batch."""
        return math.exp(-self.largest_log_e_value)

    def _set_log_e_value(self, log_e_value):
        """Set the logarithm of the e-value, and the largest one so far."""
        self.log_e_value = log_e_value
        self.largest_log_e_value = max(self.largest_log_e_value, log_e_value)

    @classmethod
    def from_dict(cls, stored: dict) -> Self:
        """Restore a test from the result of `to_dict`, to continue it.

        Raises
        ------
        ValueError
            If `stored` is no such dictionary.
        """
        test = cls()
        try:
            test._restore(stored)
        except (KeyError, TypeError, ValueError, np.linalg.LinAlgError) as error:
            raise ValueError(f"stored is not a result of to_dict: {error!r}") from None
        return test

    def _restore(self, stored):
        """Take the state from `stored`."""
        raise NotImplementedError


class SequentialCalibrationTest(AnytimeTest):
    r"""Monitor calibration batch by batch, with a guarantee at every time.

    The test bets on each outcome against the predictions p, with probabilities q that were learned
    from earlier batches. The capital of one learner,

    .. math:: E_T = \prod_{i \le T} \Big(\frac{q_i}{p_i}\Big)^{z_i}
                    \Big(\frac{1 - q_i}{1 - p_i}\Big)^{1 - z_i} ,

    is a martingale from 1 if the predictions are calibrated. Two new learners begin with each batch
    j; together they get a fraction :math:`1 / (j (j + 1))` of the initial capital. So after a
    change there are learners that have seen few batches from before it. The first learner of a
    batch bets with ``logit q = logit p + a + b logit p``. The second learner shifts the logit by a
    number for each of seven ranges of p. The learners are Bayesian logistic regressions. The whole
    capital is also a martingale from 1. The probability that it ever reaches :math:`1 / \alpha` is
    at most :math:`\alpha`. You may therefore look as often as you like and stop when you like.

    Attributes
    ----------
    n_rows : float
        Number of rows so far, or their weight.
    n_batches : int
        Number of batches so far.
    log_e_value : float
        Logarithm of the capital.
    largest_log_e_value : float
        The largest logarithm of the capital after a batch so far.
    p_value : float
        1 / the largest capital, at most 1: valid at any time.
    since : int
        Batch, from 1, at which the learner with most of the capital began. After an alarm, the
        predictions have been wrong from about this batch on.
    worst_range : tuple of float
        Range of predictions, one of seven, in which the error of the logit since then is largest
        in standard deviations.

    Notes
    -----
    An update takes a few Newton steps of O(rows log(batches)) time each. The memory is
    O(log(batches)), because only a few learners stay for each power of two of their ages, and the
    others leave their capital to an older learner. A learner bets nothing on its first batch, and
    bets on later batches with the map learned before, so small batches are better. Outcomes must
    become known before the next predictions are bet on. Rows must be independent. A fitted map is
    never exactly calibrated, so the test also rejects such a map after many times the rows of its
    fit.

    References
    ----------
    Henzi, Puke, Dimitriadis and Ziegel (2024) for the bet; Arnold, Henzi and Ziegel (2023); Shin,
    Ramdas and Rinaldo (2024) for mixtures of starts.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.streams import SequentialCalibrationTest
    >>> rng = np.random.default_rng(0)
    >>> test = SequentialCalibrationTest()
    >>> for batch in range(40):
    ...     p = rng.random(50)
    ...     test.update(rng.random(50) < (p if batch < 20 else p**2), p)
    SequentialCalibrationTest(n_rows=50.0, p_value=1)
    ...
    >>> test.p_value < 1e-6
    True
    >>> 15 < test.since < 30
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self.n_rows = 0.0
        self.n_batches = 0
        self._learners = [Learners(design) for design in DESIGNS]

    def __repr__(self):
        return f"{type(self).__name__}(n_rows={self.n_rows}, p_value={self.p_value:.3g})"

    @property
    def since(self) -> int:
        """Batch at which the learner with most of the capital began, or 1 before any batch."""
        if not self.n_batches:
            return 1
        log_capitals = [learners.log_capitals for learners in self._learners]
        starts = self._learners[0].starts  # the same for all designs
        return starts[int(np.argmax(np.max(log_capitals, axis=0)))]

    @property
    def worst_range(self) -> tuple[float, float]:
        """Ends of the range of predictions whose error is largest in standard deviations."""
        learners = self._learners[list(DESIGNS).index("ranges")]
        if not self.n_batches:
            return 0.0, 1.0
        richest = int(np.argmax(learners.log_capitals))
        inverse_deviations = np.sqrt(np.diag(learners.precisions[richest]))
        worst = int(np.argmax(np.abs(learners.means[richest]) * inverse_deviations))
        return (0.0, *RANGES)[worst], (*RANGES, 1.0)[worst]

    def update(
        self, labels: ArrayLike, probabilities: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Bet on the outcomes of a batch, then learn from it.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Outcomes, 0/1 or bool.
        probabilities : array-like of shape (n,)
            Predictions in [0, 1], made before the outcomes were known.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights. They are counts.

        Returns
        -------
        self : SequentialCalibrationTest

        Raises
        ------
        ValueError
            For input that is not as described. The message names the argument. The test is then
            unchanged.
        """
        outcomes, predicted, weights = counted_sample(labels, probabilities, sample_weight)
        margin = MIN_DISTANCE_TO_CERTAINTY
        logits = logit(np.clip(predicted, margin, 1 - margin))
        self.n_rows += float(weights.sum())
        self.n_batches += 1
        log_capital = -math.log(len(DESIGNS) * self.n_batches * (self.n_batches + 1.0))
        signs = np.where(outcomes == 1, 1.0, -1.0)
        positives, cell_logits, n_rows = cells(outcomes, logits, weights)
        for learners in self._learners:
            learners.begin(self.n_batches, log_capital)
            learners.bet(signs, logits, weights)
            learners.learn(positives, cell_logits, n_rows)
            learners.thin()
        reserve = -math.log(self.n_batches + 1.0)
        log_capitals = [learners.log_capitals for learners in self._learners]
        total = logsumexp(np.concatenate([[reserve], *log_capitals]))
        refuted = self.log_e_value == np.inf or np.any(predicted == 1.0 - outcomes)
        self._set_log_e_value(np.inf if refuted else float(total))
        return self

    def to_dict(self) -> dict:
        """Return the state of the test as plain numbers for ``json.dumps``; "inf" is a string."""
        values = [self.n_rows, self.log_e_value, self.largest_log_e_value]
        return {
            "totals": [value if math.isfinite(value) else str(value) for value in values],
            "n_batches": self.n_batches,
            "learners": {learners.design: learners.to_dict() for learners in self._learners},
        }

    def _restore(self, stored):
        n_rows, log_e_value, largest = stored["totals"]
        self.n_rows = float(n_rows)
        self.log_e_value = float(log_e_value)
        self.largest_log_e_value = float(largest)
        self.n_batches = int(stored["n_batches"])
        self._learners = [Learners.from_dict(d, stored["learners"][d]) for d in DESIGNS]
        if np.isnan([self.n_rows, self.log_e_value, self.largest_log_e_value]).any():
            raise ValueError("a total is NaN")
        for learners in self._learners:
            starts = learners.starts
            first_and_last = [starts[0], starts[-1]] if starts else [1, 0]
            if spread(sorted(set(starts))) != starts or first_and_last != [1, self.n_batches]:
                raise ValueError("the learners are not those after n_batches")


class BaseRateTest(AnytimeTest):
    r"""Sequential test of a constant base rate, against a change between two batches.

    With K positives among the N rows so far, the e-value is

    .. math:: E = \frac{\sum_{b} w_b \, M_{\le b} \, M_{> b}}{(K/N)^K (1 - K/N)^{N - K}} ,

    where b runs over the ends of batches and over "no change yet", :math:`w_b = 1 / (b (b + 1))`
    sum to one, and the M are the probabilities of the labels up to b and after b when the rate has
    Jeffreys's prior. The numerator is the probability of all labels under one distribution that is
    fixed beforehand, and the denominator is at least their probability under any constant rate. So
    E is at most a martingale from 1 if the rate is constant and rows are independent. It then ever
    reaches :math:`1 / \alpha` with probability :math:`\alpha` at most: look as often as you like.

    Attributes
    ----------
    n_rows, n_positives : list of float
        Numbers of rows and of positives so far, or their weights, after each batch.
    log_e_value, largest_log_e_value : float
        Logarithm of E after the last batch, and the largest after any batch so far.
    p_value : float
        1 / the largest E, at most 1: valid at any time.

    Notes
    -----
    Each batch takes O(number of batches) time. The memory is two numbers a batch. A change is found
    the sooner, the larger it is and the more rows lie on both sides of it.
    `SequentialCalibrationTest` tests calibration. Either of the two can change without the other.

    References
    ----------
    Wasserman, Ramdas and Balakrishnan (2020), universal inference.

    Examples
    --------
    >>> from calibkit.streams import BaseRateTest
    >>> test = BaseRateTest()
    >>> for positives in (30, 28, 31, 70):
    ...     test.update([1] * positives + [0] * (100 - positives))
    BaseRateTest(n_rows=100, p_value=1)
    ...
    >>> test.p_value < 1e-6
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self.n_rows: list[float] = []
        self.n_positives: list[float] = []

    def __repr__(self):
        n_rows = self.n_rows[-1] if self.n_rows else 0
        return f"{type(self).__name__}(n_rows={n_rows:g}, p_value={self.p_value:.3g})"

    def update(self, labels: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Update the test with the outcomes of a batch.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Outcomes, 0/1 or bool.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights. They are counts.

        Returns
        -------
        self : BaseRateTest

        Raises
        ------
        ValueError
            For input that is not as described. The test is then unchanged.
        """
        outcomes = check_labels(labels)
        weights = counts_of(sample_weight, outcomes.size, "labels")
        rows = (self.n_rows[-1] if self.n_rows else 0.0) + float(weights.sum())
        positives = (self.n_positives[-1] if self.n_positives else 0.0) + float(weights @ outcomes)
        batch = np.arange(1, len(self.n_rows) + 1)  # the last batch before the change
        early_rows, early_positives = np.array(self.n_rows), np.array(self.n_positives)
        later = _log_marginal(rows - early_rows, positives - early_positives)
        early = _log_marginal(early_rows, early_positives)
        changed = early + later - np.log(batch * (batch + 1.0))
        unchanged = _log_marginal(rows, positives) - math.log(batch.size + 1)
        best = xlogy(positives, positives / rows) + xlogy(rows - positives, 1 - positives / rows)
        self._set_log_e_value(float(logsumexp(np.append(changed, unchanged)) - best))
        self.n_rows.append(rows)
        self.n_positives.append(positives)
        return self

    def to_dict(self) -> dict:
        """Return the state of the test as plain numbers for ``json.dumps``."""
        return {name: getattr(self, name) for name in STORED_ATTRIBUTES}

    def _restore(self, stored):
        self.n_rows = list(stored["n_rows"])
        self.n_positives = list(stored["n_positives"])
        self.log_e_value = float(stored["log_e_value"])
        self.largest_log_e_value = float(stored["largest_log_e_value"])
        counts = np.array([[0, *self.n_rows], [0, *self.n_positives]])
        steps = np.diff(counts) if counts.dtype.kind in "if" else np.array([-1])
        if not np.all(steps >= 0) or np.any(steps[1] > steps[0]):
            raise ValueError("n_rows and n_positives are no running counts")
        if not self.log_e_value <= self.largest_log_e_value:
            raise ValueError("log_e_value exceeds the largest")


def _log_marginal(rows, positives):
    """Log-probability of labels whose rate has the Beta(1/2, 1/2) distribution."""
    return betaln(positives + 0.5, rows - positives + 0.5) - math.log(math.pi)
