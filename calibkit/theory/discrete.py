"""Distributions on finitely many cells: every measure is a finite sum."""

import numbers
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from calib.base.options import RandomState, check_integer, check_positive, check_random_state
from calib.base.probabilities import rescaled


class DiscreteLaw:
    r"""Score levels and parts of feature space, with their masses among positives and negatives.

    An object lies in the cell (s, i) if its score is on level s and its features are in part i. A
    transformation T gives each cell a value; all measures treat T as a classifier. They are exact.
    Nothing is drawn. Parts may be single objects, which is the full partition.

    Parameters
    ----------
    positive, negative : array-like of shape (n_levels, n_parts)
        Weights of the cells among positives and among negatives, levels from the lowest score to
        the highest. Not negative, not all zero. Each array is divided by its sum.
    base_rate : float
        P(z = 1), in (0, 1).

    Attributes
    ----------
    positive, negative : ndarray of shape (n_levels, n_parts)
        P(cell | z = 1) and P(cell | z = 0).
    base_rate : float

    Raises
    ------
    ValueError
        For input that is not as described. The message names the argument.

    Notes
    -----
    Wherever a method takes `values`, these are the T(s, i), numbers or infinite, in an array that
    broadcasts to the shape of the distribution. A column, of shape (n_levels, 1), is a function of
    the score alone. A method costs one sort of the cells. Weights and base rate of type
    ``fractions.Fraction`` are computed with as such, except in `pr_auc` and `log_loss`.

    References
    ----------
    Durfee, Gupta and Basu (2022), sections 4 and 9 to 11.

    Examples
    --------
    Two levels and two parts. The posterior orders the cells better than the score does:

    >>> law = DiscreteLaw([[1, 4], [2, 3]], [[3, 2], [4, 1]], base_rate=0.5)
    >>> print(law.auc(law.levels).round(3), law.auc(law.posterior).round(3))
    0.5 0.72
    """

    def __init__(self, positive: ArrayLike, negative: ArrayLike, base_rate: float):
        self.positive = _distribution_of(positive, "positive")
        self.negative = _distribution_of(negative, "negative")
        if self.positive.shape != self.negative.shape:
            raise ValueError(
                "positive and negative must have one shape; found "
                f"{self.positive.shape} and {self.negative.shape}"
            )
        check_positive(base_rate, "base_rate", below=1)
        self.base_rate = base_rate

    @classmethod
    def random(
        cls, random_state: RandomState, n_levels: int, n_parts: int, *, highest: int = 9
    ) -> Self:
        """Draw a distribution with the generator, or the seed, `random_state`.

        Weights are whole numbers from 0 to `highest`, the base rate is 0.1, 0.2, ... or 0.9. Small
        weights make empty cells and equal likelihood ratios likely, which proofs must survive.
        """
        check_integer(n_levels, "n_levels")
        check_integer(n_parts, "n_parts")
        check_integer(highest, "highest")
        rng = check_random_state(random_state)
        weights = rng.integers(0, highest + 1, (2, n_levels, n_parts))
        weights[:, 0, 0] += weights.sum(axis=(1, 2)) == 0
        return cls(positive=weights[0], negative=weights[1], base_rate=rng.integers(1, 10) / 10)

    @property
    def levels(self) -> NDArray:
        """The score itself, as numbers 0, 1, ... of the levels; shape (n_levels, 1)."""
        return np.arange(len(self.positive))[:, None]

    @property
    def mass(self) -> NDArray:
        """P(cell), shape (n_levels, n_parts)."""
        return self._joint_positive + self._joint_negative

    @property
    def likelihood_ratio(self) -> NDArray:
        """P(cell | z = 1) / P(cell | z = 0), infinite without negatives, 0 for an empty cell."""
        limit = np.where(self.positive > 0, np.inf, 0).astype(self.positive.dtype)
        return np.divide(self.positive, self.negative, out=limit, where=self.negative > 0)

    @property
    def posterior(self) -> NDArray:
        """P(z = 1 | cell), the calibrated probability of each cell, or 0 for an empty cell."""
        return _ratio(self._joint_positive, self.mass)

    def roc(self, values: ArrayLike) -> tuple[NDArray, NDArray]:
        """ROC curve of a transformation.

        Parameters
        ----------
        values : array-like
            T(s, i), as described above.

        Returns
        -------
        fpr, tpr : ndarray of shape (k + 1,)
            From (0, 0) to (1, 1), a step for each of the k values that occur, the highest first.
            On the line between two points lie the classifiers that decide at random on one value.
            Equal values that rounding tells apart add corners on that line, and no area.
        """
        cells = self._check(values)
        positive = _sums_by_value(cells, self.positive)
        negative = _sums_by_value(cells, self.negative)
        occurs = positive + negative > 0
        return _cumulated_from_above(negative[occurs]), _cumulated_from_above(positive[occurs])

    def auc(self, values: ArrayLike) -> float:
        """P(T of a positive > T of a negative) + 1/2 P(equal), the area under `roc`."""
        fpr, tpr = self.roc(values)
        return (np.diff(fpr) * (tpr[1:] + tpr[:-1])).sum() / 2

    def precision_recall(self, values: ArrayLike) -> tuple[NDArray, NDArray]:
        """Precision and recall at the corners of the ROC curve.

        Returns
        -------
        precision, recall : ndarray of shape (k + 1,)
            From recall 0, where the precision is its limit, the precision at the highest value, to
            1.
        """
        fpr, tpr = self.roc(values)
        positive = self.base_rate * tpr[1:]
        negative = (1 - self.base_rate) * fpr[1:]
        precision = positive / (positive + negative)
        return np.append(precision[:1], precision), tpr

    def pr_auc(self, values: ArrayLike) -> float:
        r"""Integral of the precision over the recall, exactly.

        Between two corners the decision is drawn, so the false positive rate is linear in the
        recall r and the precision is a hyperbola. With base rate p and the line FPR = a + b r,

        .. math::
            \int \frac{p\,r}{v + u\,r}\,dr
            = \frac{p}{u} \Bigl(r - \frac{v}{u} \log(v + u\,r)\Bigr),

        where u = p + (1 - p) b and v = (1 - p) a. (scikit-learn's average precision takes the
        precision at the right end of each step instead, which is not the area.)
        """
        exact_fpr, exact_tpr = self.roc(values)
        fpr = exact_fpr.astype(float)
        tpr = exact_tpr.astype(float)
        p = float(self.base_rate)
        q = 1 - p
        rises = np.diff(tpr) > 0
        step = np.diff(tpr)[rises]
        left_tpr = tpr[:-1][rises]
        left_fpr = fpr[:-1][rises]
        slope = np.diff(fpr)[rises] / step
        u = p + q * slope
        v = q * (left_fpr - slope * left_tpr)
        start = p * left_tpr + q * left_fpr
        # from the origin (start = 0) the precision is constant and v = 0
        growth = np.log1p(np.divide(u * step, start, out=0 * start, where=start > 0))
        return float(np.sum(p / u * (step - v / u * growth)))

    def log_loss(self, probabilities: ArrayLike) -> float:
        """Mean of -log T over positives and of -log(1 - T) over negatives; may be infinite."""
        p = self._check(probabilities, "probabilities", unit=True).astype(float)
        positive = self._joint_positive.astype(float)
        negative = self._joint_negative.astype(float)
        return float(-(xlogy(positive, p) + xlogy(negative, 1 - p)).sum())

    def calibration_error(
        self, probabilities: ArrayLike, *, groups: ArrayLike | None = None
    ) -> float:
        """Mean of ``|P(z = 1 | group) - mean of T in the group|``.

        Parameters
        ----------
        probabilities : array-like
            T(s, i), in [0, 1].
        groups : array-like, optional
            Cells with equal entries are one group. By default each cell is one: the error in the
            sense of Definition 11.3 for the full partition. ``groups=law.levels`` groups by the
            score (Definition 11.4), ``groups=probabilities`` by the prediction.
        """
        error = self._joint_positive - self.mass * self._check(
            probabilities, "probabilities", unit=True
        )
        if groups is not None:
            error = _sums_by_value(self._check(groups, "groups"), error)
        return np.abs(error).sum()

    def sample(self, n: int, random_state: RandomState) -> tuple[NDArray, NDArray, NDArray]:
        """Draw levels, parts and labels of `n` objects: three arrays of shape (n,).

        `random_state` is a generator or the seed of one.
        """
        check_integer(n, "n", minimum=0)
        rng = check_random_state(random_state)
        masses = np.stack([self._joint_negative, self._joint_positive]).astype(float)
        draws = rng.choice(masses.size, n, p=masses.ravel())
        labels, levels, parts = np.unravel_index(draws, masses.shape)
        return levels, parts, labels

    @property
    def _joint_positive(self):
        return self.base_rate * self.positive

    @property
    def _joint_negative(self):
        return (1 - self.base_rate) * self.negative

    def _check(self, values, name="values", *, unit=False):
        given = _array_of_cells(values, name)
        shape = self.positive.shape
        try:
            values = np.broadcast_to(given, shape)
        except ValueError:
            raise ValueError(
                f"{name} has shape {given.shape}, which does not broadcast to {shape}, that of "
                "the law: give one value for each level and part"
            ) from None
        if np.any(values != values):
            raise ValueError(f"{name} holds NaN: every cell needs a value, empty ones included")
        if unit and not np.all((values >= 0) & (values <= 1)):
            raise ValueError(f"{name} must lie in [0, 1]")
        return values


def _distribution_of(weights, name):
    """Weights divided by their sum, as floats or, from fractions, exactly."""
    weights = _array_of_cells(weights, name)
    if weights.ndim != 2 or weights.size == 0:
        raise ValueError(f"{name} must have shape (n_levels, n_parts); found {weights.shape}")
    real = weights.dtype.kind in "fiub"
    if weights.dtype == object:
        real = all(isinstance(weight, numbers.Real) for weight in weights.flat)
    if not real:
        raise ValueError(f"{name} must be real numbers; found dtype {weights.dtype}")
    if weights.dtype != object:
        weights = weights.astype(np.float64)
    if not np.all((weights >= 0) & (weights < np.inf)) or not np.any(weights > 0):
        raise ValueError(f"{name} must be finite, not negative and not all zero")
    if weights.dtype != object:
        weights = rescaled(weights)  # their sum stays finite
    return weights / weights.sum()


def _array_of_cells(values, name):
    if np.ma.is_masked(values):
        raise ValueError(f"{name} holds masked values: every cell needs one")
    try:
        return np.asarray(values)
    except ValueError as error:  # ragged lists
        raise ValueError(f"{name} must have shape (n_levels, n_parts): {error}") from None


def _ratio(numerator, denominator):
    """Quotient, and 0 where the denominator is 0."""
    zero = np.zeros_like(denominator)
    return np.divide(numerator, denominator, out=zero, where=denominator > 0)


def _sums_by_value(values, masses):
    """Sums of the masses of cells with equal values, lowest value first."""
    _, code = np.unique(values.ravel(), return_inverse=True)
    sums = np.zeros(code.max() + 1, masses.dtype)
    np.add.at(sums, code, masses.ravel())
    return sums


def _cumulated_from_above(masses):
    """Cumulative sums from 0, the mass of the highest value first."""
    return np.append(np.zeros(1, int), np.cumsum(masses[::-1]))
