"""What calibration errors would be if the predictions were calibrated: outcomes drawn from them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.options import check_integer
from calib.contract.randomness import RandomState, check_random_state
from calib.contract.validation import check_sample
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import Groups, group_ties
from calib.metrics.unbinned import smoothed_error

SAME = 1e-12  # relative difference of numbers that are equal but for rounding


class Simulated(NamedTuple):
    """A measure, and its values for outcomes that were drawn from the predictions.

    Attributes
    ----------
    estimate : float
        The measure of the sample.
    draws : ndarray of shape (n_resamples,)
        The measure of each draw.
    p_value : float
        ``(1 + number of draws as large as the estimate) / (1 + n_resamples)``; 0 if an outcome was
        given probability 0, which no draw does.
    """

    estimate: float
    draws: NDArray[np.float64]
    p_value: float

    def by_chance(self, confidence: float = 0.95) -> float:
        """What the measure of calibrated predictions exceeds in few draws only."""
        return float(np.quantile(self.draws, confidence, method="higher"))


class SimulatedErrors(NamedTuple):
    """Three calibration errors with their simulated laws.

    Attributes
    ----------
    kuiper_error, smooth_ece : Simulated
        See the functions of these names.
    miscalibration : Simulated
        MCB of the Brier score, see `score_decomposition`.
    """

    kuiper_error: Simulated
    miscalibration: Simulated
    smooth_ece: Simulated


def simulated_errors(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    n_resamples: int = 99,
    random_state: RandomState = 0,
    sample_weight: ArrayLike | None = None,
) -> SimulatedErrors:
    """Calibration errors beside those of outcomes that are drawn from the predictions.

    Parameters
    ----------
    {sample}
    n_resamples : int, default=99
        Number of draws.
    random_state : None, int, numpy Generator or RandomState, default=0
        Source of the draws.
    sample_weight : array-like of shape (n,), optional
        Whole numbers: a row of weight w stands for w rows, each with an outcome of its own.

    Returns
    -------
    errors : SimulatedErrors

    {raises}

    Notes
    -----
    O(n log n + n_resamples n). The predictions stay as they are, so no theory of large samples is
    needed: calibrated predictions have a p value of at most ``k / (n_resamples + 1)`` with just
    that probability, or a smaller one where draws are tied. One p value is right; the smallest of
    three is not.

    References
    ----------
    Broecker and Smith (2007); Davison and Hinkley (1997), section 4.2, for the p value.

    Examples
    --------
    >>> from calib.metrics import simulated_errors
    >>> found = simulated_errors([0] * 30, [0.1, 0.2, 0.3] * 10).kuiper_error
    >>> round(found.estimate, 3), found.p_value, round(found.by_chance(0.95), 3)
    (0.2, 0.02, 0.133)
    """
    check_integer(n_resamples, "n_resamples")
    labels, probabilities, weights = check_sample(labels, probabilities, sample_weight, counts=True)
    if weights is not None and np.any(weights != np.rint(weights)):
        raise ValueError(
            "sample_weight must hold whole numbers: an outcome is drawn for each row that a weight "
            "stands for"
        )
    groups = group_ties(probabilities, labels, weights)
    impossible = np.any(probabilities == 1.0 - labels)
    estimates = _errors(groups)
    rng = check_random_state(random_state)
    draws = [_errors(groups._replace(positives=_drawn(groups, rng))) for _ in range(n_resamples)]
    return SimulatedErrors(*map(_simulated, estimates, np.transpose(draws), [impossible] * 3))


def _simulated(estimate, draws, impossible):
    as_large = np.count_nonzero(draws >= estimate * (1 - SAME))
    p_value = 0.0 if impossible else (1 + as_large) / (1 + draws.size)
    return Simulated(float(estimate), draws, float(p_value))


def _drawn(groups, rng):
    """Numbers of positives at the distinct predictions."""
    if groups.weights.max() == 1:
        return (rng.random(groups.scores.size) < groups.scores).astype(np.float64)
    return rng.binomial(groups.weights.astype(np.int64), groups.scores).astype(np.float64)


def _errors(groups: Groups):
    """Kuiper error, MCB and smooth ECE."""
    scores, weights, positives = groups
    total = weights.sum()
    residuals = positives - weights * scores
    _, totals, hits = pool_adjacent_violators(weights, positives)
    ours = np.dot(scores, weights * scores - 2 * positives)
    return (
        np.ptp(prefix_sums(residuals)) / total,
        (ours + np.dot(hits, hits / totals)) / total,  # Brier score less that of the isotonic fit
        smoothed_error(scores, residuals, total),
    )
