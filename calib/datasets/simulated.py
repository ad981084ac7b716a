"""Laws whose truth is known."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.special import expit

from calib.validation import check_integer, check_scores


def rings(n: int, rng: np.random.Generator | int) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Two classes that share a centre: a disc and the ring around it.

    Half of the points are of class 0 with radius uniform on [0, 2], half of class 1 with radius
    uniform on [2, 4]; angles are uniform. The classes do not overlap, but no line separates them.

    Parameters
    ----------
    n : int
        Number of points; class 1 gets the odd one.
    rng : numpy.random.Generator or int
        Source of random numbers, or the seed of one.

    Returns
    -------
    X : ndarray of shape (n, 2)
    labels : ndarray of shape (n,)
        In random order.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), Figure 2; radii and angles as in the authors' own sample.

    Examples
    --------
    >>> X, labels = rings(1000, np.random.default_rng(0))
    >>> X.shape, labels.mean()
    ((1000, 2), np.float64(0.5))
    """
    check_integer(n, "n", minimum=2)
    rng = np.random.default_rng(rng)
    labels = rng.permutation(np.arange(n) >= n // 2).astype(int)
    radius = rng.uniform(0, 2, n) + 2 * labels
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), labels


class ExactErrors(NamedTuple):
    """Population errors of a fitted step function: no test sample, no estimate.

    Attributes
    ----------
    mce, ece : float
        Largest and mean ``|P(z = 1 | prediction) - prediction|``, over the values predicted.
    auc : float
        AUC of the predictions.
    """

    mce: float
    ece: float
    auc: float


@dataclass(frozen=True)
class ScoreLaw:
    """A score uniform on [0, 1] with a known P(z = 1 | score).

    That the score is uniform costs no generality for methods that see only its ranks, such as
    equal-frequency binning: every continuous score is an increasing function of a uniform one.

    Attributes
    ----------
    name : str
    pi : callable
        P(z = 1 | score), from arrays to arrays.
    integral : callable
        The integral of `pi` from 0 to its argument.

    Examples
    --------
    >>> law = LAWS["overconfident"]
    >>> law.base_rate, float(law.bin_probability(0.0, 0.5))
    (0.5, 0.375)
    """

    name: str
    pi: Callable[[ArrayLike], ArrayLike]
    integral: Callable[[ArrayLike], ArrayLike]

    def sample(
        self, n: int, rng: np.random.Generator | int
    ) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
        """Draw `n` scores and their labels with the generator, or the seed, `rng`."""
        rng = np.random.default_rng(rng)
        scores = rng.random(n)
        return scores, (rng.random(n) < self.pi(scores)).astype(int)

    def bin_probability(self, lower: ArrayLike, upper: ArrayLike) -> ArrayLike:
        """P(z = 1 | lower < score < upper), exactly."""
        return (self.integral(upper) - self.integral(lower)) / (np.asarray(upper) - lower)

    @property
    def base_rate(self) -> float:
        """P(z = 1)."""
        return float(self.integral(1.0))

    @property
    def auc(self) -> float:
        """AUC of the score, to about 1e-12."""
        # for a positive at score y: the mass of the negatives below it is y - integral(y)
        mass, _ = quad(lambda y: float(self.pi(y) * (y - self.integral(y))), 0, 1, limit=200)
        return mass / (self.base_rate * (1 - self.base_rate))

    def exact_errors(self, cuts: ArrayLike, values: ArrayLike) -> ExactErrors:
        """Population errors of the step function with `values` between `cuts`.

        Parameters
        ----------
        cuts : ndarray of shape (k,)
            Increasing, in (0, 1).
        values : ndarray of shape (k + 1,)
            Predictions; equal ones count as one prediction, whatever lies between them.

        Returns
        -------
        errors : ExactErrors

        Raises
        ------
        ValueError
            If `cuts` do not increase within (0, 1), or `values` are not one more.
        """
        cuts, values = check_scores(cuts, name="cuts", allow_empty=True), np.asarray(values)
        if np.any(np.diff(cuts, prepend=0.0, append=1.0) <= 0):
            raise ValueError("cuts must increase strictly within (0, 1)")
        if values.shape != (cuts.size + 1,):
            raise ValueError(
                f"values has shape {values.shape}: one for each of {cuts.size + 1} bins"
            )
        edges = np.concatenate([[0.0], cuts, [1.0]])
        width = np.diff(edges)
        positive = np.diff(self.integral(edges))
        predicted, group = np.unique(values, return_inverse=True)
        mass = np.bincount(group, width)
        positive = np.bincount(group, positive)
        gap = np.abs(positive / mass - predicted)
        negative = mass - positive
        below = np.cumsum(negative) - negative
        auc = np.dot(positive, below + negative / 2) / (positive.sum() * negative.sum())
        return ExactErrors(float(gap.max()), float(np.dot(mass, gap)), float(auc))


LAWS = {
    law.name: law
    for law in [
        ScoreLaw("calibrated", lambda y: y, lambda y: y**2 / 2),
        ScoreLaw("overconfident", lambda y: 0.25 + y / 2, lambda y: y / 4 + y**2 / 4),
        ScoreLaw(
            "underconfident",
            lambda y: expit(12 * (y - 0.5)),
            lambda y: (np.logaddexp(0, 12 * (y - 0.5)) - np.logaddexp(0, -6.0)) / 12,
        ),
        ScoreLaw("rare", lambda y: 0.1 * y**2, lambda y: 0.1 * y**3 / 3),
        ScoreLaw(
            "wave",
            lambda y: 0.5 - 0.4 * np.cos(3 * np.pi * y),
            lambda y: 0.5 * y - 0.4 * np.sin(3 * np.pi * y) / (3 * np.pi),
        ),
        ScoreLaw("useless", lambda y: 0.5 + 0 * y, lambda y: 0.5 * y),
    ]
}
