"""A test of calibration on batches that keep coming, which may be looked at after each."""

import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, logit

from calib.metrics.anytime import AnytimeTest
from calib.metrics.samples import counted
from calib.metrics.significance import impossible

PRIOR_PRECISION = 4.0
MOST_EXTREME = 1e-12  # logits are those of probabilities no nearer to 0 and 1
MOST_STEPS = 50


class SequentialCalibrationTest(AnytimeTest):
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
    Henzi, Puke, Dimitriadis and Ziegel (2024) for the bet; Arnold, Henzi and Ziegel (2023).

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
        super().__init__()
        self.n_rows = 0.0
        self._mean = np.zeros(2)
        self._precision = PRIOR_PRECISION * np.eye(2)

    def __repr__(self):
        return f"{type(self).__name__}(n_rows={self.n_rows}, p_value={self.p_value:.3g})"

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
        labels, probabilities, weights = counted(labels, probabilities, sample_weight)
        logits = logit(np.clip(probabilities, MOST_EXTREME, 1 - MOST_EXTREME))
        design = np.stack([np.ones(logits.size), logits], axis=1)
        if impossible(labels, probabilities):
            gain = np.inf
        else:
            side = np.where(labels == 1, 1.0, -1.0)
            bets = log_expit(side * (logits + design @ self._mean)) - log_expit(side * logits)
            gain = float(np.dot(weights, bets))
        self.n_rows += float(weights.sum())
        self._found(self.log_e_value + gain)
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

    def _restore(self, stored):
        self.n_rows, self.log_e_value, self.largest_log_e_value = map(float, stored["totals"])
        self._mean = np.array(stored["mean"], np.float64).reshape(2)
        self._precision = np.array(stored["precision"], np.float64).reshape(2, 2)
        if np.isnan([self.n_rows, self.log_e_value, self.largest_log_e_value]).any():
            raise ValueError("a total is NaN")
        if not np.isfinite(self._mean).all():
            raise ValueError("the mean is not finite")
        np.linalg.cholesky(self._precision)  # raises if it is not positive definite

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
