"""The score at which a map reaches a probability, to the last digit."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike, NDArray

from calib.contract.validation import check_scores, log_odds
from calib.kernels.spline import piecewise_cubic

ROUNDING = 1e-12  # of a spline, whose pieces meet up to rounding
SIGN = 1 << 63


class ScoresAt(NamedTuple):
    """Where a map reaches a probability.

    Attributes
    ----------
    lower, upper : float
        Ends of the interval of scores; both belong to it.
    increasing : bool
        Whether the probability is reached from the left.
    """

    lower: float
    upper: float
    increasing: bool


class Invertible(ABC):
    """What has a kind, as `CalibrationMap` describes it, and gives probabilities at scores."""

    kind: str

    @abstractmethod
    def __call__(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probabilities at `scores`."""

    def scores_at(self, probability: float) -> ScoresAt:
        """Scores at which a monotone map reaches `probability`, so that a rule needs no map.

        Of an increasing map, ``score >= lower`` holds just where ``map_(score) >= probability``;
        of a decreasing one, ``score <= upper`` does. That is so to the last digit, for all finite
        scores, with the map as it is computed in floats. There a line may round to the value of
        its knot a few floats before it, and formulas with logarithms or exponentials may not be
        monotone in their last digit.

        Parameters
        ----------
        probability : float
            In [0, 1].

        Returns
        -------
        lower, upper : float
            Of an increasing map `lower` is the smallest score where the map is at least
            `probability`. `upper` is the largest where it is still equal to `probability`, and
            `lower` if the map jumps over it. Both are infinite, of the same sign, if all scores
            have more (minus infinity) or less (infinity); one is if the map equals `probability`
            up to that end. Of a decreasing map, all that is mirrored at score 0.
        increasing : bool
            False for a decreasing map; a constant one counts as increasing.

        Raises
        ------
        ValueError
            If `probability` is outside [0, 1], or the map is not monotone. A mixture must have
            members that are monotone in the same direction.

        Notes
        -----
        The floats are bisected: 128 evaluations of the map, after O(N) for its N numbers.

        Examples
        --------
        >>> import numpy as np
        >>> from calib import StepMap
        >>> map_ = StepMap(np.array([0.25, 0.75]), np.array([0.1, 0.5, 0.9]))
        >>> map_.scores_at(0.6)
        ScoresAt(lower=0.75, upper=0.75, increasing=True)
        >>> map_.scores_at(0.5)
        ScoresAt(lower=0.25, upper=0.7499999999999999, increasing=True)
        >>> map_.scores_at(0.95)
        ScoresAt(lower=inf, upper=inf, increasing=True)
        """
        (probability,) = check_scores([probability], name="probability", unit=True)
        signs = DIRECTIONS[self.kind](self)
        if len(signs) > 1:
            raise ValueError(
                f"the {self.kind} map is not monotone, so no score separates probabilities below "
                f"{probability} from those above: fit an increasing one, such as isotonic"
            )
        sign = min(signs, default=1.0)

        def value(score):
            with np.errstate(over="ignore"):  # of the log-odds of huge scores
                return self([sign * score])[0]

        lower = _first(lambda score: value(score) >= probability)
        beyond = _first(lambda score: value(score) > probability)
        last = np.nextafter(beyond, -np.inf) if np.isfinite(beyond) else beyond
        ends = lower, max(lower, float(last))
        return ScoresAt(*(ends if sign > 0 else (-ends[1], -ends[0])), sign > 0)


def _first(holds: Callable[[float], bool]) -> float:
    """The smallest float where `holds` is true, which is so from there on; infinite if none."""
    low, high = _rank(-np.inf), _rank(np.inf)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(_float_of(middle)):
            high = middle
        else:
            low = middle
    first = _float_of(high)
    return -np.inf if first == -np.finfo(float).max else first


def _rank(value):
    """Number of a float in the order of all floats; that of 0 is 0."""
    bits = int(np.float64(value).view(np.uint64))
    return bits if bits < SIGN else SIGN - bits


def _float_of(rank):
    return float(np.uint64(rank if rank >= 0 else SIGN - rank).view(np.float64))


def _signs(values, rounding=0.0):
    """Signs of the changes from each of the values to the next; rounding is no change."""
    changes = np.diff(values)
    return set(np.sign(changes[np.abs(changes) > rounding]).tolist())


def _of_polynomial(map_):
    ends = log_odds(np.array([0.0, 1.0])) - map_.centre
    turns = _real(polynomial.polyroots(polynomial.polyder(map_.coefficients)))
    places = np.sort(np.append(ends, turns.clip(*ends)))
    return _signs(polynomial.polyval(places, map_.coefficients))


def _of_beta(map_):
    turns = [map_.a / (map_.a - map_.b)] if map_.a * map_.b < 0 else []
    return _signs(map_.logits(np.array([0.0, *turns, 1.0])))


def _of_spline(map_):
    ends = map_.places(np.array([map_.least, map_.greatest]))
    places = [*ends]
    for j, piece in enumerate(map_.coefficients):
        start = max(j - 1, 0)
        turns = start + _real(polynomial.polyroots(polynomial.polyder(piece)))
        places += [start, np.nextafter(start, -np.inf), *turns]
    values = piecewise_cubic(np.unique(np.clip(places, *ends)), map_.coefficients)
    return _signs(values, ROUNDING * max(1.0, np.abs(values).max()))


def _real(roots):
    return np.real(roots[np.isreal(roots)])


def _of_mixture(map_):
    members = zip(map_.weights, map_.members, strict=True)
    return set().union(*(DIRECTIONS[m.kind](m) for weight, m in members if weight > 0))


DIRECTIONS = {  # signs of the changes of a map, from left to right: of a monotone map one or none
    "step": lambda map_: _signs(map_.probabilities),
    "linear": lambda map_: _signs(map_.probabilities),
    "sigmoid": lambda map_: _signs([0.0, map_.slope]),
    "logit_polynomial": _of_polynomial,
    "beta": _of_beta,
    "spline": _of_spline,
    "logit_spline": _of_spline,
    "mixture": _of_mixture,
}
