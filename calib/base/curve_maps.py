"""Fitted maps that are curves in the logarithms or in pieces of the score, and their mixtures."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calib.base.arrays import check_scores
from calib.base.maps import CalibrationMap, LogisticMap, finite_numbers
from calib.base.options import check_positive
from calib.base.probabilities import SMALLEST_PROBABILITY, inside, log_odds, times_odds
from calib.kernels.spline import piecewise_cubic


@dataclass(frozen=True, eq=False)
class BetaMap(LogisticMap):
    """Log-odds ``level + a * log(s / centre) - b * log((1 - s) / (1 - centre))``.

    The score s is kept within [2**-53, 1 - 2**-53] first.

    Attributes
    ----------
    a, b : float
    level : float
        The log-odds at `centre`.
    centre : float
        In (0, 1).
    """

    a: float
    b: float
    level: float
    centre: float
    kind: ClassVar[str] = "beta"

    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds of the probabilities."""
        columns = self.columns(scores, self.centre)
        return self.level + self.a * columns[0] + self.b * columns[1]

    @staticmethod
    def columns(scores: NDArray[np.float64], centre: float) -> NDArray[np.float64]:
        """The two logarithms that are multiplied by a and b, of shape (2, n)."""
        values = inside(scores)
        columns = np.empty((2, values.size))
        np.log(values / centre, out=columns[0])
        np.log((1 - values) / (1 - centre), out=columns[1])
        np.negative(columns[1], out=columns[1])
        return columns

    @classmethod
    def _from_entries(cls, entries):
        map_ = super()._from_entries(entries)
        if not SMALLEST_PROBABILITY <= map_.centre <= 1 - SMALLEST_PROBABILITY:
            raise ValueError(f"centre must lie in [2**-53, 1 - 2**-53]; found {map_.centre}")
        return map_


@dataclass(frozen=True, eq=False)
class SplineMap(LogisticMap):
    """Log-odds that are cubic pieces of the score, of equal width, and lines beyond them.

    The score s is kept within [least, greatest] first. With ``t = k * (s - low) / (high - low)``
    the piece is ``j = clip(floor(t) + 1, 0, k + 1)`` and the log-odds are
    ``sum(c * (t - max(j - 1, 0)) ** i for i, c in enumerate(coefficients[j]))``. Probabilities are
    kept within [2**-53, 1 - 2**-53].

    Attributes
    ----------
    least, greatest : float
        Beyond them the map is constant.
    low, high : float
        The outer knots.
    coefficients : ndarray of shape (k + 2, 4)
        Coefficients of the line below `low`, of the k pieces, and of the line above `high`.
    """

    least: float
    greatest: float
    low: float
    high: float
    coefficients: np.ndarray
    kind: ClassVar[str] = "spline"

    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log-odds of the curve, before probabilities are kept within [2**-53, 1 - 2**-53]."""
        return piecewise_cubic(self.places(scores), self.coefficients)

    def places(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Positions of `values` on the scale that is 0 at `low` and k at `high`.

        The map has k pieces of equal width between `low` and `high`. A piece is one unit wide.
        """
        # halves: the range from least to greatest may be beyond all floats
        half = np.minimum(np.maximum(values, self.least), self.greatest) / 2
        share = (half - self.low / 2) / (self.high / 2 - self.low / 2)
        return (len(self.coefficients) - 2) * share

    def _evaluate(self, scores):
        return inside(super()._evaluate(scores))

    @classmethod
    def _from_entries(cls, entries):
        ends = finite_numbers(entries, ["least", "greatest", "low", "high"])
        for low, high in (("low", "high"), ("least", "greatest")):
            if not ends[low] < ends[high]:
                raise ValueError(f"{low} must be below {high}; found {ends[low]} and {ends[high]}")
        rows = entries["coefficients"]
        if not isinstance(rows, list) or len(rows) < 3:
            raise ValueError("coefficients must be a list of at least 3 pieces")
        pieces = [check_scores(row, name="coefficients") for row in rows]
        if any(piece.size != 4 for piece in pieces):
            raise ValueError("coefficients must be four numbers for each piece")
        return cls(**ends, coefficients=np.stack(pieces))


class LogitSplineMap(SplineMap):
    """A `SplineMap` of the log-odds of the score.

    The score is first kept within [2**-53, 1 - 2**-53], so that its log-odds are finite.

    Attributes
    ----------
    least, greatest, low, high : float
        Log-odds, with the same meaning as in `SplineMap`.
    coefficients : ndarray of shape (k + 2, 4)
        As in `SplineMap`, for k pieces between `low` and `high`.
    """

    kind: ClassVar[str] = "logit_spline"

    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The log-odds of the curve, before probabilities are kept within [2**-53, 1 - 2**-53]."""
        return super().logits(log_odds(scores))


@dataclass(frozen=True, eq=False)
class MixtureMap(CalibrationMap):
    """An average of maps, whose odds are then multiplied by a factor.

    With ``p = sum(w * m(s) for w, m in zip(weights, members))``, added in this order, the value is
    ``1 / (1 + (1 / p - 1) / odds_factor)``, or p itself if the factor is 1.

    Attributes
    ----------
    weights : ndarray of shape (k,)
        Not below 0. Their sum, in this order, is 1 up to rounding, and not above.
    members : tuple of CalibrationMap
        Neither mixtures nor mirrored maps.
    odds_factor : float, default=1.0
        Positive.
    """

    weights: np.ndarray
    members: tuple[CalibrationMap, ...]
    odds_factor: float = 1.0
    kind: ClassVar[str] = "mixture"

    def to_dict(self) -> dict:
        """The kind, the weights, the members as dictionaries, and the factor."""
        members = [member.to_dict() for member in self.members]
        return {
            "kind": self.kind,
            "weights": self.weights.tolist(),
            "members": members,
            "odds_factor": float(self.odds_factor),
        }

    def _evaluate(self, scores):
        values = (member._evaluate(scores) for member in self.members)
        return times_odds(mixed(self.weights, values), self.odds_factor)

    @classmethod
    def _from_entries(cls, entries):
        weights = check_scores(entries["weights"], name="weights", unit=True)
        members = entries["members"]
        if not isinstance(members, list) or len(members) != weights.size:
            raise ValueError(f"members must be a list of {weights.size} maps, one for each weight")
        for member in members:
            message = "members of a mixture must be neither mixtures nor mirrored"
            _refuse_kinds(member, (MixtureMap.kind, MirroredMap.kind), message)
        total = float(np.cumsum(weights)[-1])
        if not 1 - 1e-9 <= total <= 1:
            raise ValueError(f"weights must have the sum 1, and no more; found {total}")
        factor = finite_numbers(entries, ["odds_factor"])["odds_factor"]
        check_positive(factor, "odds_factor")
        maps = tuple(CalibrationMap.from_dict(member) for member in members)
        return cls(weights=weights, members=maps, odds_factor=factor)


@dataclass(frozen=True, eq=False)
class MirroredMap(CalibrationMap):
    """``map(-s)``: a map of the scores turned round.

    Attributes
    ----------
    map : CalibrationMap
        Any map but a mirrored one.
    """

    map: CalibrationMap
    kind: ClassVar[str] = "mirrored"

    def to_dict(self) -> dict:
        """The kind and the map of the negative scores as a dictionary."""
        return {"kind": self.kind, "map": self.map.to_dict()}

    def _evaluate(self, scores):
        return self.map._evaluate(-scores)

    @classmethod
    def _from_entries(cls, entries):
        _refuse_kinds(entries["map"], (cls.kind,), "the map of a mirrored map must not be mirrored")
        return cls(CalibrationMap.from_dict(entries["map"]))


def _refuse_kinds(stored, kinds, message):
    """Raise if a stored map is of one of these kinds."""
    if isinstance(stored, dict) and stored.get("kind") in kinds:
        raise ValueError(message)


def mixed(
    weights: NDArray[np.float64], probabilities: Iterable[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The average of probabilities, an array for each weight."""
    parts = zip(weights.tolist(), probabilities, strict=True)
    return sum((weight * part for weight, part in parts), start=np.zeros(()))
