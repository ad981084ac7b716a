"""Distributions whose true calibration function is known."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.special import expit

from calib.base.arrays import check_scores
from calib.base.options import RandomState, check_integer, check_random_state


def rings(n: int, random_state: RandomState) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Two classes with the same centre, a disc and the ring around it.

    Half of the points are of class 0 with radius uniform on [0, 2], half of class 1 with radius
    uniform on [2, 4]. Angles are uniform. The classes do not overlap, but no line separates them.

    Parameters
    ----------
    n : int
        Number of points. Class 1 gets the odd point.
    random_state : None, int, numpy Generator or RandomState
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
    rng = check_random_state(random_state)
    labels = rng.permutation(np.arange(n) >= n // 2).astype(int)
    radius = rng.uniform(0, 2, n) + 2 * labels
    angle = rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), labels


class ExactErrors(NamedTuple):
    """Population errors of a fitted step function, without a test sample and without estimates.

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


RankFunction = Callable[[Any], NDArray[np.float64]]  # its argument: ranks, a number or an array


@dataclass(frozen=True)
class ScoreLaw:
    """A score on [0, 1] with a known P(z = 1 | score), continuous or with atoms.

    The score is the rank u, uniform on [0, 1], except that all ranks of an atom share one score,
    the middle of the atom. That the ranks are uniform costs no generality for methods that see
    only the order of the scores, such as equal-frequency binning.

    Attributes
    ----------
    name : str
    pi : callable
        P(z = 1 | u), from arrays to arrays.
    integral : callable
        The integral of `pi` from 0 to its argument.
    atoms : tuple of (float, float)
        Disjoint intervals of ranks in increasing order. Each is one score, whose probability is
        the mean of `pi` over it. None by default.

    Examples
    --------
    >>> law = LAWS["overconfident"]
    >>> law.base_rate, float(law.bin_probability(0.0, 0.5))
    (0.5, 0.375)
    >>> tied = ScoreLaw("tied", law.pi, law.integral, atoms=((0.25, 0.75),))
    >>> tied.sample(5, 0)[0].round(2)
    array([0.5 , 0.5 , 0.04, 0.02, 0.81])
    """

    name: str
    pi: RankFunction
    integral: RankFunction
    atoms: tuple[tuple[float, float], ...] = ()

    def sample(
        self, n: int, random_state: RandomState
    ) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
        """Draw `n` scores and their labels with the generator, or the seed, `random_state`."""
        rng = check_random_state(random_state)
        ranks = rng.random(n)
        scores = ranks.copy()
        for lower, upper in self.atoms:
            scores[(lower <= ranks) & (ranks < upper)] = (lower + upper) / 2
        return scores, (rng.random(n) < self.pi(ranks)).astype(int)

    def bin_probability(self, lower: ArrayLike, upper: ArrayLike) -> NDArray[np.float64]:
        """P(z = 1 | lower < u < upper), exactly."""
        return (self.integral(upper) - self.integral(lower)) / (
            np.asarray(upper) - np.asarray(lower)
        )

    def mass_below(self, cuts: ArrayLike) -> NDArray[np.float64]:
        """P(score < cut), exactly: the cut itself, or the end of an atom that holds it."""
        masses = np.array(cuts, float)
        for lower, upper in self.atoms:
            end = np.where(masses <= (lower + upper) / 2, lower, upper)
            masses = np.where((lower < masses) & (masses < upper), end, masses)
        return masses

    @property
    def base_rate(self) -> float:
        """P(z = 1)."""
        return float(self.integral(1.0))

    @property
    def auc(self) -> float:
        """AUC of the score, to about 1e-12 where `pi` is smooth between atoms."""
        ends = np.unique([0.0, *np.ravel(self.atoms), 1.0])
        atoms = {lower for lower, _ in self.atoms}
        won = 0.0  # P(a positive is above a negative); a tie counts half
        for lower, upper in zip(ends[:-1], ends[1:], strict=True):
            below = lower - self.integral(lower)
            positive = self.integral(upper) - self.integral(lower)
            if lower in atoms:
                won += positive * (below + (upper - lower - positive) / 2)
            else:
                # for a positive at rank u: the mass of the negatives below it is u - integral(u)
                area, _ = quad(
                    lambda u: float(self.pi(u) * (u - self.integral(u))), lower, upper, limit=200
                )
                won += area
        return float(won / (self.base_rate * (1 - self.base_rate)))

    def exact_errors(self, cuts: ArrayLike, values: ArrayLike) -> ExactErrors:
        """Population errors of the step function with `values` between `cuts`.

        Parameters
        ----------
        cuts : ndarray of shape (k,)
            Increasing, in (0, 1). A score on a cut belongs to the right.
        values : ndarray of shape (k + 1,)
            Predictions. Equal predictions count as one prediction, whatever lies between them.

        Returns
        -------
        errors : ExactErrors

        Raises
        ------
        ValueError
            If `cuts` do not increase within (0, 1), or `values` are not one more, or no score
            lies between two cuts.
        """
        inner_edges = check_scores(cuts, name="cuts", allow_empty=True)
        bin_values = np.asarray(values)
        if np.any(np.diff(inner_edges, prepend=0.0, append=1.0) <= 0):
            raise ValueError("cuts must increase strictly within (0, 1)")
        if bin_values.shape != (inner_edges.size + 1,):
            raise ValueError(
                f"values has shape {bin_values.shape}: one for each of {inner_edges.size + 1} bins"
            )
        edges = np.concatenate([[0.0], self.mass_below(inner_edges), [1.0]])
        bin_mass = np.diff(edges)
        if np.any(bin_mass <= 0):
            raise ValueError("cuts must leave a score in each bin; found two inside one atom")
        predicted, code = np.unique(bin_values, return_inverse=True)
        mass = np.bincount(code, bin_mass)
        positive = np.bincount(code, np.diff(self.integral(edges)))
        error = np.abs(positive / mass - predicted)
        negative = mass - positive
        below = np.cumsum(negative) - negative
        auc = np.dot(positive, below + negative / 2) / (positive.sum() * negative.sum())
        return ExactErrors(mce=float(error.max()), ece=float(np.dot(mass, error)), auc=float(auc))


LAWS = {
    law.name: law
    for law in [
        ScoreLaw(name="calibrated", pi=lambda u: u, integral=lambda u: u**2 / 2),
        ScoreLaw(
            name="overconfident",
            pi=lambda u: 0.25 + u / 2,
            integral=lambda u: u / 4 + u**2 / 4,
        ),
        ScoreLaw(
            name="underconfident",
            pi=lambda u: expit(12 * (u - 0.5)),
            integral=lambda u: (np.logaddexp(0, 12 * (u - 0.5)) - np.logaddexp(0, -6.0)) / 12,
        ),
        ScoreLaw(name="rare", pi=lambda u: 0.1 * u**2, integral=lambda u: 0.1 * u**3 / 3),
        ScoreLaw(
            name="wave",
            pi=lambda u: 0.5 - 0.4 * np.cos(3 * np.pi * u),
            integral=lambda u: 0.5 * u - 0.4 * np.sin(3 * np.pi * u) / (3 * np.pi),
        ),
        ScoreLaw(name="useless", pi=lambda u: 0.5 + 0 * u, integral=lambda u: 0.5 * u),
    ]
}


def _steps(name, masses, probabilities, tied):
    """A distribution that is constant on pieces of the ranks. The `tied` pieces are atoms."""
    ends = np.concatenate([[0.0], np.cumsum(masses)])
    ends[-1] = 1.0
    pi_of_piece = np.asarray(probabilities)
    integral_at_ends = np.concatenate([[0.0], np.cumsum(pi_of_piece * np.diff(ends))])
    return ScoreLaw(
        name=name,
        pi=lambda u: pi_of_piece[np.searchsorted(ends[1:-1], u, side="right")],
        integral=lambda u: np.interp(u, ends, integral_at_ends),
        atoms=tuple((float(ends[i]), float(ends[i + 1])) for i in np.flatnonzero(tied)),
    )


# No atom lies on an edge of ten or of fifty equal intervals, because a rounding error would decide
# on which side of the edge the atom is.
LEAVES = [0.03, 0.13, 0.07, 0.09, 0.09, 0.12, 0.05, 0.09, 0.07, 0.11, 0.04, 0.11]
LEAF_PROBABILITIES = [0.02, 0.06, 0.10, 0.16, 0.24, 0.33, 0.43, 0.52, 0.62, 0.74, 0.85, 0.95]

TIED_LAWS = {
    law.name: law
    for law in [
        # a few scores below one score that all others share
        _steps("atom 0.98", [1 - 0.98, 0.98], [0.5, 0.5], [False, True]),
        _steps("atom 0.99", [1 - 0.99, 0.99], [0.5, 0.5], [False, True]),
        _steps("atom 0.995", [1 - 0.995, 0.995], [0.5, 0.5], [False, True]),
        # each cut between ten equal bins falls into an atom that differs from its neighbours
        _steps(
            "mixed",
            [0.085, *[0.04, 0.06] * 8, 0.04, 0.075],
            [0.2, *[0.9, 0.2] * 9],
            [False, *[True, False] * 9],
        ),
        _steps("tree", LEAVES, LEAF_PROBABILITIES, [True] * 12),
    ]
}
