"""Does the base rate stay what it was? A test that may be looked at after every batch."""

import math
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, logsumexp, xlogy

from calib.contract.validation import check_labels, counts_of
from calib.metrics.anytime import AnytimeTest

REMEMBERED = ["n_rows", "n_positives", "log_e_value", "largest_log_e_value"]


class BaseRateTest(AnytimeTest):
    r"""Sequential test of one base rate, against a change between two batches.

    With K positives among the N rows so far, the e-value is

    .. math:: E = \frac{\sum_{b} w_b \, M_{\le b} \, M_{> b}}{(K/N)^K (1 - K/N)^{N - K}} ,

    where b runs over the ends of batches and over "no change yet", :math:`w_b = 1 / (b (b + 1))`
    sum to one, and the M are the probabilities of the labels up to b and after b when the rate has
    Jeffreys's prior. The
    numerator is the probability of all labels under one law that is fixed beforehand, and the
    denominator is at least their probability under any constant rate. So E is at most a martingale
    from 1 if the rate is constant, and ever reaches :math:`1 / \alpha` with probability
    :math:`\alpha` at most, if rows are independent: look as often as you like.

    Attributes
    ----------
    n_rows, n_positives : list of float
        So far, after each batch, or their weight.
    log_e_value, largest_log_e_value : float
        Logarithm of E now, and the largest so far.
    p_value : float
        1 / the largest E, at most 1: valid at any time.

    Notes
    -----
    Each batch takes O(number of batches) time; the memory is two numbers a batch. A change is found
    the sooner, the larger it is and the more rows lie on both sides of it; calibration is judged by
    `SequentialCalibrationTest`, and either can fail without the other.

    References
    ----------
    Wasserman, Ramdas and Balakrishnan (2020), universal inference.

    Examples
    --------
    >>> from calib.metrics import BaseRateTest
    >>> test = BaseRateTest()
    >>> for positives in (30, 28, 31, 70):
    ...     test.update([1] * positives + [0] * (100 - positives))
    BaseRateTest(n_rows=100, p_value=1)
    ...
    >>> test.p_value < 1e-6
    True
    """

    def __init__(self):
        super().__init__()
        self.n_rows, self.n_positives = [], []

    def __repr__(self):
        n_rows = self.n_rows[-1] if self.n_rows else 0
        return f"{type(self).__name__}(n_rows={n_rows:g}, p_value={self.p_value:.3g})"

    def update(self, labels: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Take in the outcomes of a batch.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Outcomes, 0/1 or bool.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights; they are counts.

        Returns
        -------
        self : BaseRateTest

        Raises
        ------
        ValueError
            For input that is not as described; the test is then as it was.
        """
        labels = check_labels(labels)
        weights = counts_of(sample_weight, labels.size, "labels")
        rows = (self.n_rows[-1] if self.n_rows else 0.0) + float(weights.sum())
        positives = (self.n_positives[-1] if self.n_positives else 0.0) + float(weights @ labels)
        before = np.arange(1, len(self.n_rows) + 1)
        early_rows, early = np.array(self.n_rows), np.array(self.n_positives)
        changed = (
            _log_marginal(early_rows, early)
            + _log_marginal(rows - early_rows, positives - early)
            - np.log(before * (before + 1.0))
        )
        unchanged = _log_marginal(rows, positives) - math.log(before.size + 1)
        best = xlogy(positives, positives / rows) + xlogy(rows - positives, 1 - positives / rows)
        self._found(float(logsumexp(np.append(changed, unchanged)) - best))
        self.n_rows.append(rows)
        self.n_positives.append(positives)
        return self

    def to_dict(self) -> dict:
        """All that the test remembers, as plain numbers for ``json.dumps``."""
        return {name: getattr(self, name) for name in REMEMBERED}

    def _restore(self, stored):
        self.n_rows, self.n_positives = list(stored["n_rows"]), list(stored["n_positives"])
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
