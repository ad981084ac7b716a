"""Fitted maps as plain numbers, to be stored or shipped without this package."""

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from calib.contract.options import check_choice
from calib.contract.validation import NEAREST, check_scores, inside, log_odds
from calib.kernels.adjacent_violators import block_centres
from calib.kernels.searching import interpolate, step
from calib.kernels.spline import piecewise_cubic
from calib.maps.inverse import Invertible


class CalibrationMap(Invertible):
    """A map from scores to probabilities.

    Call it with scores to get probabilities. `to_dict` gives plain numbers, which
    ``json.dumps`` stores exactly, and `from_dict` brings them back. Maps of one kind with the same
    numbers are equal; like arrays, they have no hash.

    Attributes
    ----------
    kind : str
        ``"step"``, ``"linear"``, ``"sigmoid"``, ``"logit_polynomial"``, ``"beta"``, ``"spline"``,
        ``"logit_spline"`` or ``"mixture"``: of a `StepMap`, `LinearMap`, `SigmoidMap`,
        `LogitPolynomialMap`, `BetaMap`, `SplineMap`, `LogitSplineMap` or `MixtureMap`.

    Examples
    --------
    >>> from calib import CalibrationMap, PlattScaling
    >>> platt = PlattScaling().fit([-1.0, 0.0, 1.0], [0, 1, 1])
    >>> stored = platt.map_.to_dict()
    >>> sorted(stored)
    ['intercept', 'kind', 'slope']
    >>> map_ = CalibrationMap.from_dict(stored)
    >>> map_ == platt.map_
    True
    """

    kind: ClassVar[str]

    def __eq__(self, other):
        """Whether both are the same function by the same numbers; no map has a hash."""
        if type(self) is not type(other):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(np.array_equal(ours, theirs) for ours, theirs in pairs)

    def __call__(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of class 1 at finite `scores`, shape (n,).

        Raises
        ------
        ValueError
            If `scores` is not a one-dimensional array of finite numbers.
        """
        return self._evaluate(check_scores(scores, allow_empty=True))

    def to_dict(self) -> dict:
        """The kind and the numbers of the map, as strings, floats and lists of floats."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"kind": self.kind} | {name: np.asarray(v).tolist() for name, v in values.items()}

    @staticmethod
    def from_dict(stored: dict) -> "CalibrationMap":
        """The map that `to_dict` has turned into `stored`.

        Raises
        ------
        ValueError
            If `stored` is not such a dictionary; the message names the entry.
        """
        if not isinstance(stored, dict):
            raise ValueError(f"stored must be a dictionary; found {type(stored).__name__}")
        check_choice(stored.get("kind"), KINDS, "kind")
        form = KINDS[stored["kind"]]
        names = {field.name for field in fields(form)}
        if set(stored) != names | {"kind"}:
            raise ValueError(
                f"a {form.kind} map has the entries kind, {', '.join(sorted(names))}; found "
                f"{', '.join(map(str, stored))}"
            )
        return form._of({name: stored[name] for name in names})

    @abstractmethod
    def _evaluate(self, scores): ...


class _LogisticMap(CalibrationMap):
    @abstractmethod
    def logits(self, scores): ...

    def _evaluate(self, scores):
        return expit(self.logits(scores))

    @classmethod
    def _of(cls, entries):
        return cls(**_numbers(entries, entries))


@dataclass(frozen=True, eq=False)
class SigmoidMap(_LogisticMap):
    """``1 / (1 + exp(-(slope * s + intercept)))``.

    Attributes
    ----------
    slope, intercept : float
    """

    slope: float
    intercept: float
    kind: ClassVar[str] = "sigmoid"

    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds: ``slope * scores + intercept``."""
        with np.errstate(over="ignore"):  # infinite where the probability is 0 or 1
            return self.slope * scores + self.intercept


@dataclass(frozen=True, eq=False)
class LogitPolynomialMap(_LogisticMap):
    """Log-odds that are a polynomial in those of the score, ``l = log(s / (1 - s))``.

    ``1 / (1 + exp(-sum(c * (l - centre) ** k for k, c in enumerate(coefficients))))``, where s is
    kept within [2**-53, 1 - 2**-53] first.

    Attributes
    ----------
    coefficients : ndarray of shape (degree + 1,)
    centre : float
        Powers about it stay accurate where all scores are close together.
    """

    coefficients: np.ndarray
    centre: float
    kind: ClassVar[str] = "logit_polynomial"

    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds of the probabilities."""
        return np.polynomial.polynomial.polyval(log_odds(scores) - self.centre, self.coefficients)

    @classmethod
    def _of(cls, entries):
        coefficients = check_scores(entries["coefficients"], name="coefficients")
        return cls(coefficients, **_numbers(entries, ["centre"]))


@dataclass(frozen=True, eq=False)
class BetaMap(_LogisticMap):
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
        first, second = self.columns(scores, self.centre)
        return self.level + self.a * first + self.b * second

    @staticmethod
    def columns(scores: NDArray[np.float64], centre: float) -> NDArray[np.float64]:
        """What a and b are the factors of, of shape (2, n)."""
        scores, columns = inside(scores), np.empty((2, scores.size))
        np.log(scores / centre, out=columns[0])
        np.log((1 - scores) / (1 - centre), out=columns[1])
        np.negative(columns[1], out=columns[1])
        return columns

    @classmethod
    def _of(cls, entries):
        map_ = super()._of(entries)
        if not NEAREST <= map_.centre <= 1 - NEAREST:
            raise ValueError(f"centre must lie in [2**-53, 1 - 2**-53]; found {map_.centre}")
        return map_


@dataclass(frozen=True, eq=False)
class SplineMap(_LogisticMap):
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
        Of the line below `low`, the k pieces, and the line above `high`.
    """

    least: float
    greatest: float
    low: float
    high: float
    coefficients: np.ndarray
    kind: ClassVar[str] = "spline"

    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds, before they are kept within those of the probabilities."""
        return piecewise_cubic(self.places(scores), self.coefficients)

    def places(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where `values` lie, k parts between the outer knots being 1 each."""
        half = np.minimum(np.maximum(values, self.least), self.greatest) / 2  # may be far apart
        share = (half - self.low / 2) / (self.high / 2 - self.low / 2)
        return (len(self.coefficients) - 2) * share

    def _evaluate(self, scores):
        return inside(super()._evaluate(scores))

    @classmethod
    def _of(cls, entries):
        ends = _numbers(entries, ["least", "greatest", "low", "high"])
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
    """A `SplineMap` of the log-odds of the score, which is kept within [2**-53, 1 - 2**-53] first.

    Attributes
    ----------
    least, greatest, low, high : float
        Log-odds, as those of a `SplineMap`.
    coefficients : ndarray of shape (k + 2, 4)
    """

    kind: ClassVar[str] = "logit_spline"

    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds, before they are kept within those of the probabilities."""
        return super().logits(log_odds(scores))


@dataclass(frozen=True, eq=False)
class _Tabulated(CalibrationMap):
    scores: np.ndarray
    probabilities: np.ndarray

    @classmethod
    def _of(cls, entries):
        probabilities = check_scores(entries["probabilities"], name="probabilities", unit=True)
        scores = check_scores(entries["scores"], name="scores", allow_empty=True)
        if np.any(scores[1:] <= scores[:-1]):  # a difference could overflow
            raise ValueError("scores must increase strictly")
        size = scores.size + cls._more_probabilities
        if probabilities.size != size:
            raise ValueError(
                f"a {cls.kind} map of {scores.size} scores has {size} probabilities; found "
                f"{probabilities.size}"
            )
        return cls(scores, probabilities)


@dataclass(frozen=True, eq=False)
class StepMap(_Tabulated):
    """``probabilities[np.searchsorted(scores, s, side="right")]``.

    Attributes
    ----------
    scores : ndarray of shape (k,)
        Increasing cuts; a score on a cut belongs to the right.
    probabilities : ndarray of shape (k + 1,)
        Values below, between and above the cuts.
    """

    kind: ClassVar[str] = "step"
    _more_probabilities: ClassVar[int] = 1

    def _evaluate(self, scores):
        return step(self.scores, self.probabilities, scores)


@dataclass(frozen=True, eq=False)
class LinearMap(_Tabulated):
    """``np.interp(s, scores, probabilities)``.

    Attributes
    ----------
    scores : ndarray of shape (k,)
        Increasing knots, at least one.
    probabilities : ndarray of shape (k,)
        Values at the knots; beyond them the map is constant.
    """

    kind: ClassVar[str] = "linear"
    _more_probabilities: ClassVar[int] = 0

    @classmethod
    def of_blocks(cls, scores, starts, values) -> "LinearMap":
        """Map with a plateau per block, knots at its first and last score.

        Block i holds the scores from ``starts[i]`` up to the next start; `scores` do not
        decrease.
        """
        ends = np.column_stack([starts, np.append(starts[1:], scores.size) - 1]).ravel()
        knots = scores[ends]
        kept = np.append(True, knots[1:] > knots[:-1])  # a block of one score has one knot
        return cls(knots[kept], np.repeat(values, 2)[kept])

    @classmethod
    def of_centres(cls, scores, weights, starts, values) -> "LinearMap":
        """Map without plateaus: a knot per block, at the weighted mean of its scores."""
        return cls(block_centres(scores, weights, np.append(starts, scores.size)), values)

    def _evaluate(self, scores):
        return interpolate(self.scores, self.probabilities, scores)


@dataclass(frozen=True, eq=False)
class MixtureMap(CalibrationMap):
    """``sum(w * m(s) for w, m in zip(weights, members))``, added in this order.

    Attributes
    ----------
    weights : ndarray of shape (k,)
        Not below 0; their sum, in this order, is 1 up to rounding, and not above.
    members : tuple of CalibrationMap
        No mixtures.
    """

    weights: np.ndarray
    members: tuple[CalibrationMap, ...]
    kind: ClassVar[str] = "mixture"

    def to_dict(self) -> dict:
        """The kind, the weights and the members as dictionaries."""
        members = [member.to_dict() for member in self.members]
        return {"kind": self.kind, "weights": self.weights.tolist(), "members": members}

    def _evaluate(self, scores):
        return mixed(self.weights, (member._evaluate(scores) for member in self.members))

    @classmethod
    def _of(cls, entries):
        weights = check_scores(entries["weights"], name="weights", unit=True)
        members = entries["members"]
        if not isinstance(members, list) or len(members) != weights.size:
            raise ValueError(f"members must be a list of {weights.size} maps, one for each weight")
        for member in members:
            if isinstance(member, dict) and member.get("kind") == cls.kind:
                raise ValueError("members of a mixture must not be mixtures")
        total = float(np.cumsum(weights)[-1])
        if not 1 - 1e-9 <= total <= 1:
            raise ValueError(f"weights must have the sum 1, and no more; found {total}")
        return cls(weights, tuple(map(CalibrationMap.from_dict, members)))


def _numbers(entries, names):
    """Those of the entries that are one finite number each."""
    return {name: float(check_scores([entries[name]], name=name)[0]) for name in names}


def mixed(weights, probabilities) -> NDArray[np.float64]:
    """The average of probabilities, an array for each weight."""
    total = 0.0
    for weight, part in zip(weights.tolist(), probabilities, strict=True):
        total += weight * part
    return total


LOGISTIC = (SigmoidMap, LogitPolynomialMap, BetaMap, SplineMap, LogitSplineMap)
KINDS = {form.kind: form for form in (StepMap, LinearMap, *LOGISTIC, MixtureMap)}
