"""The score at which a map reaches a probability, to the last digit."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial import polynomial

from calib.base.arrays import check_scores
from calib.base.maps import CalibrationMap
from calib.base.probabilities import log_odds
from calib.kernels.spline import piecewise_cubic

SPLINE_ROUNDING = 1e-12  # relative gap between pieces of a spline, which meet up to rounding
SIGN_BIT = 1 << 63  # the sign bit of a float, as an integer


class ScoresAt(NamedTuple):
    """Where a map reaches a probability.

    Attributes
    ----------
    lower, upper : float
        Ends of the interval of scores, with the ends included.
    increasing : bool
        Whether the map increases. A constant map counts as increasing.
    """

    lower: float
    upper: float
    increasing: bool


def scores_at(map_: CalibrationMap, probability: float) -> ScoresAt:
    """Scores at which a monotone map reaches `probability`, so that a rule needs no map.

    For an increasing map, ``score >= lower`` holds exactly where ``map_(score) >= probability``.
    For a decreasing one, ``score <= upper`` does. The result is exact to the last digit, for all
    finite scores, for the map computed in floats. In floats a line may round to the value of its
    knot a few floats before it, and formulas with logarithms or exponentials may not be monotone in
    their last digit.

    Parameters
    ----------
    map_ : CalibrationMap
        A monotone map. A mixture must have members that are monotone in the same direction.
    probability : float
        In [0, 1].

    Returns
    -------
    lower, upper : float
        For an increasing map, `lower` is the smallest score where the map is at least
        `probability`. `upper` is the largest where it is still equal to `probability`, and
        `lower` if the map jumps over it. Both are infinite, of the same sign, if all scores
        have more (minus infinity) or less (infinity). One is if the map equals `probability`
        up to that end. For a decreasing map, all this is mirrored at score 0.
    increasing : bool
        False for a decreasing map. A constant one counts as increasing.

    Raises
    ------
    ValueError
        If `probability` is outside [0, 1], or the map is not monotone.

    Notes
    -----
    The floats are bisected, with 128 evaluations of the map, after O(N) for its N numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from calib import StepMap
    >>> from calibkit.deployment import scores_at
    >>> map_ = StepMap(np.array([0.25, 0.75]), np.array([0.1, 0.5, 0.9]))
    >>> scores_at(map_, 0.6)
    ScoresAt(lower=0.75, upper=0.75, increasing=True)
    >>> scores_at(map_, 0.5)
    ScoresAt(lower=0.25, upper=0.7499999999999999, increasing=True)
    >>> scores_at(map_, 0.95)
    ScoresAt(lower=inf, upper=inf, increasing=True)
    """
    target = check_scores([probability], name="probability", unit=True)[0]
    signs = CHANGE_SIGNS[map_.kind](map_)
    if len(signs) > 1:
        raise ValueError(
            f"the {map_.kind} map is not monotone, so no score separates probabilities below "
            f"{target} from those above: fit an increasing one, such as isotonic"
        )
    sign = min(signs, default=1.0)

    def value(score):
        """The map, mirrored at score 0 if it decreases."""
        with np.errstate(over="ignore"):  # the log-odds of huge scores are infinite
            return map_([sign * score])[0]

    first = _first_float_where(lambda score: value(score) >= target)
    beyond = _first_float_where(lambda score: value(score) > target)
    last = float(np.nextafter(beyond, -np.inf)) if np.isfinite(beyond) else beyond
    last = max(first, last)
    if sign > 0:
        return ScoresAt(lower=first, upper=last, increasing=True)
    return ScoresAt(lower=-last, upper=-first, increasing=False)


def _first_float_where(holds: Callable[[float], bool]) -> float:
    """The smallest float where `holds` is true, as it is for all larger ones; infinity if none.

    If it is true for all finite floats, minus infinity.
    """
    low = _rank(-np.inf)
    high = _rank(np.inf)
    while high - low > 1:
        middle = (low + high) // 2
        if holds(_float_of(middle)):
            high = middle
        else:
            low = middle
    first = _float_of(high)
    return -np.inf if first == -np.finfo(float).max else first


def _rank(value):
    """Number of a float in the order of all floats. The number of 0 is 0."""
    bits = int(np.float64(value).view(np.uint64))
    return bits if bits < SIGN_BIT else SIGN_BIT - bits


def _float_of(rank):
    """The float of a number in the order of all floats."""
    return float(np.uint64(rank if rank >= 0 else SIGN_BIT - rank).view(np.float64))


def _signs(values, rounding=0.0):
    """Signs of the changes from each of the values to the next; rounding is no change."""
    changes = np.diff(values)
    return set(np.sign(changes[np.abs(changes) > rounding]).tolist())


def _signs_of_table(map_):
    return _signs(map_.probabilities)


def _signs_of_sigmoid(map_):
    return _signs([0.0, map_.slope])


def _signs_of_polynomial(map_):
    ends = log_odds(np.array([0.0, 1.0])) - map_.centre
    turns = _real(polynomial.polyroots(polynomial.polyder(map_.coefficients)))
    positions = np.sort(np.append(ends, turns.clip(ends[0], ends[1])))
    return _signs(polynomial.polyval(positions, map_.coefficients))


def _signs_of_beta(map_):
    turns = [map_.a / (map_.a - map_.b)] if map_.a * map_.b < 0 else []
    return _signs(map_.logits(np.array([0.0, *turns, 1.0])))


def _signs_of_spline(map_):
    ends = map_.places(np.array([map_.least, map_.greatest]))
    positions = [*ends]
    for j, piece in enumerate(map_.coefficients):
        start = max(j - 1, 0)
        turns = start + _real(polynomial.polyroots(polynomial.polyder(piece)))
        positions += [start, np.nextafter(start, -np.inf), *turns]
    positions = np.unique(np.clip(positions, ends[0], ends[1]))
    values = piecewise_cubic(positions, map_.coefficients)
    return _signs(values, SPLINE_ROUNDING * max(1.0, np.abs(values).max()))


def _real(roots):
    """The real ones of complex roots."""
    return np.real(roots[np.isreal(roots)])


def _signs_of_mixture(map_):
    signs = set()
    for weight, member in zip(map_.weights, map_.members, strict=True):
        if weight > 0:
            signs |= CHANGE_SIGNS[member.kind](member)
    return signs


def _signs_of_mirrored(map_):
    return {-sign for sign in CHANGE_SIGNS[map_.map.kind](map_.map)}


# Functions that return the signs of the changes of a map, from left to right; a monotone map has
# one sign or, if it is constant, none.
CHANGE_SIGNS = {
    "step": _signs_of_table,
    "linear": _signs_of_table,
    "sigmoid": _signs_of_sigmoid,
    "logit_polynomial": _signs_of_polynomial,
    "beta": _signs_of_beta,
    "spline": _signs_of_spline,
    "logit_spline": _signs_of_spline,
    "mixture": _signs_of_mixture,
    "mirrored": _signs_of_mirrored,
}
