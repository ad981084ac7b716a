"""Self-calibrating conformal prediction: Venn-Abers prediction of a bounded outcome.

The search for the outcomes that conform stands in conformal_kernels.py.
"""

import numbers
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from calib.base.arrays import check_scores, check_size, refuse
from calib.base.calibrator import OneDimensional
from calib.base.failures import restored_on_failure
from calib.base.options import check_positive
from calibkit.prediction_intervals.conformal_kernels import (
    minorant_corners,
    self_calibrating_intervals,
)

MAX_BOUND = 1e150  # absolute value of a bound, up to which sums of outcomes stay finite


class SelfCalibratingConformal(OneDimensional):
    r"""Isotonic regression with every outcome that the new object may have.

    .. math:: p_c(y) = g_c(y), \quad c \in [l, h],

    :math:`g_c` the isotonic regression of the outcomes of the calibration sample and (y, c). The
    value that belongs to the true outcome is perfectly calibrated. The outcome c conforms if its
    residual :math:`|c - p_c(y)|` is not among the largest in its level set, the points where
    :math:`g_c` has the same value. The set of the outcomes that conform holds the true one with
    probability of at least :math:`1 - \alpha`, given the value that belongs to it.

    Parameters
    ----------
    alpha : float, default=0.1
        Fraction of the new outcomes that the interval may miss, in (0, 1).
    bounds : pair of float, default=(0.0, 1.0)
        All outcomes lie between the bounds, new ones included. Where few points are left of a
        score, or right of it, the interval may reach a bound.

    Attributes
    ----------
    scores_ : ndarray of shape (k,)
        The distinct calibration scores, in increasing order.
    middle_ : float
        Middle between the smallest and the largest outcome.
    counts_, sums_ : ndarray of shape (k + 1,)
        The points of the cumulative sum diagram: number of the outcomes at the first i scores, and
        sum of their differences from the middle.

    Notes
    -----
    Scores are predictions of the outcome, or anything that increases with it, by a model that was
    not trained on the calibration sample. For labels 0 and 1 the range of values is the pair of
    `VennAbers`.

    The outcomes that conform are found exactly, without a grid. `predict_interval` gives the
    smallest interval that holds them all, whose ends are rounded outward by 1e-9 of half the range
    of the outcomes. The guarantee needs exchangeable data and nothing else, whatever the ties. If
    alpha is at most 1/2 and outcomes are continuous, the coverage exceeds 1 - alpha by at most
    E K / (N + 1), where K is the number of level sets, in each of which at most one point too many
    is covered.

    All outcomes conform to a level set smaller than 1 / alpha, so that an interval is long where
    such level sets are possible. Isotonic regression has them. Scores that are rounded before, so
    that each value has several times 1 / alpha points, keep the guarantee and make short intervals.

    Fit O(N log N). An interval costs one step for each level set that the new object may have, and
    one pass over its points where an outcome may conform to it. Scores between the same neighbours
    have the same interval, which is computed once. Memory O(N).

    References
    ----------
    van der Laan and Alaa (2024), "Self-calibrating conformal prediction", who compute the set on a
    grid of outcomes.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.prediction_intervals import SelfCalibratingConformal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(1000).round(1)
    >>> outcomes = np.clip(scores**2 + 0.1 * rng.normal(size=1000), -1, 2)
    >>> predictor = SelfCalibratingConformal(bounds=(-1, 2)).fit(scores, outcomes)
    >>> lower, upper = predictor.predict_interval([0.2, 0.8])
    >>> lower.round(2), upper.round(2)
    (array([-0.12,  0.48]), array([0.21, 0.77]))
    """

    def __init__(self, *, alpha: float = 0.1, bounds: tuple[float, float] = (0.0, 1.0)):
        self.alpha = alpha
        self.bounds = bounds

    def fit(self, scores: ArrayLike, outcomes: ArrayLike) -> Self:
        """Learn from scores and outcomes.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite real numbers.
        outcomes : array-like of shape (n,)
            Real numbers between the bounds.

        Returns
        -------
        self : SelfCalibratingConformal

        Raises
        ------
        ValueError
            If an argument is not as described. The previous fit is then kept.
        """
        with restored_on_failure(self):
            check_positive(self.alpha, "alpha", below=1)
            self._alpha = float(self.alpha)
            lowest, highest = _check_bounds(self.bounds)
            self._bounds = lowest, highest
            scores = check_scores(scores)
            outcomes = check_scores(outcomes, name="outcomes")
            check_size(outcomes.size, scores.size, "outcomes", "scores")
            must = f"outcomes must lie between the bounds {lowest:g} and {highest:g}"
            outside = (outcomes < lowest) | (outcomes > highest)
            refuse(outcomes, outside, must, "pass the bounds of all possible outcomes")
            order = np.lexsort((outcomes, scores))
            self.scores_, starts = np.unique(scores[order], return_index=True)
            self.middle_ = float(outcomes.min() / 2 + outcomes.max() / 2)
            self._outcomes = outcomes[order] - self.middle_  # a large offset would hide the rest
            self.counts_ = np.append(starts, scores.size)
            self.sums_ = np.append(0.0, np.cumsum(self._outcomes))[self.counts_]
            self._left_corners, self._right_corners = minorant_corners(self.counts_, self.sums_)
        return self

    # scores and outcomes stand where others have X and y: no metadata
    __metadata_request__fit: ClassVar[dict] = {"scores": UNUSED, "outcomes": UNUSED}
    __metadata_request__predict: ClassVar[dict] = {"scores": UNUSED}

    def predict_range(self, scores: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Range of the values, one of which is calibrated.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Finite scores on the scale that was used in `fit`. `n` may be 0.

        Returns
        -------
        lower, upper : ndarray of shape (n,)
            The value if the new object has the lowest outcome, and if it has the highest. Any
            outcome between them has a value between these.
        """
        ranges, _ = self._predict(scores)
        return ranges[:, 0], ranges[:, 1]

    def predict_interval(
        self, scores: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The smallest interval that holds all outcomes that conform.

        Parameters
        ----------
        scores : array-like of shape (n,)
            As in `predict_range`.

        Returns
        -------
        lower, upper : ndarray of shape (n,)
            Between the bounds.
        """
        _, intervals = self._predict(scores)
        return intervals[:, 0], intervals[:, 1]

    def predict(self, scores: ArrayLike) -> NDArray[np.float64]:
        """The middle of `predict_range`, as near as can be to every value that may be calibrated.

        Parameters
        ----------
        scores : array-like of shape (n,)
            As in `predict_range`.

        Returns
        -------
        values : ndarray of shape (n,)
            Between the bounds.
        """
        lower, upper = self.predict_range(scores)
        return lower / 2 + upper / 2

    def _predict(self, scores):
        """Ranges and intervals, both of shape (n, 2)."""
        check_is_fitted(self)
        scores = check_scores(scores, allow_empty=True)
        # twice the number of smaller scores, plus 1 where a score is equal
        places = np.searchsorted(self.scores_, scores, "left")
        places += np.searchsorted(self.scores_, scores, "right")
        places, place_of = np.unique(places, return_inverse=True)
        lowest, highest = self._bounds
        ranges, intervals = self_calibrating_intervals(
            outcomes=self._outcomes,
            starts=self.counts_,
            sums=self.sums_,
            left=self._left_corners,
            right=self._right_corners,
            lows=places // 2,
            highs=(places + 1) // 2,
            miscoverage=self._alpha,
            lowest=lowest - self.middle_,
            highest=highest - self.middle_,
        )
        return self._with_offset(ranges)[place_of], self._with_offset(intervals)[place_of]

    def _with_offset(self, values):
        """Outcomes from their differences to the middle. A bound is restored to its last bit."""
        outcomes = values + self.middle_
        for bound in self._bounds:
            outcomes[values == bound - self.middle_] = bound
        return np.clip(outcomes, *self._bounds)


def _check_bounds(bounds):
    """The bounds as two numbers."""
    try:
        lowest, highest = bounds
    except (TypeError, ValueError):
        raise ValueError(f"bounds must be a pair of numbers; found {bounds!r}") from None
    numeric = all(isinstance(b, numbers.Real) and abs(b) <= MAX_BOUND for b in (lowest, highest))
    if not (numeric and lowest < highest):
        raise ValueError(
            "bounds must be two numbers in increasing order, the least and the greatest outcome "
            f"that is possible, of a size of at most {MAX_BOUND:.0e}; found {bounds!r}"
        )
    return float(lowest), float(highest)
