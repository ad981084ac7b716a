"""Fitted maps as plain numbers, to be stored or shipped without this package."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from calib.base.arrays import check_scores
from calib.base.options import check_choice
from calib.base.probabilities import log_odds
from calib.kernels.adjacent_violators import block_centres
from calib.kernels.fast.step_functions import interpolate, step

MAP_KINDS: dict[str, type["CalibrationMap"]] = {}  # the class of each kind; subclasses fill it


@dataclass(frozen=True, eq=False)
class CalibrationMap(ABC):
    """A map from scores to probabilities.

    Call it with scores to get probabilities. `to_dict` gives plain numbers, which
    ``json.dumps`` stores exactly, and `from_dict` brings them back. Maps of one kind with the same
    numbers are equal. Like arrays, such maps have no hash.

    Attributes
    ----------
    kind : str
        ``"step"``, ``"linear"``, ``"sigmoid"``, ``"logit_polynomial"``, ``"beta"``, ``"spline"``,
        ``"logit_spline"``, ``"mixture"`` or ``"mirrored"``, the kinds of a `StepMap`, `LinearMap`,
        `SigmoidMap`, `LogitPolynomialMap`, `BetaMap`, `SplineMap`, `LogitSplineMap`, `MixtureMap`
        and `MirroredMap`.

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

    def __init_subclass__(cls, **options: Any):
        """Register the class of a kind, so that `from_dict` finds it."""
        super().__init_subclass__(**options)
        if "kind" in vars(cls):
            MAP_KINDS[cls.kind] = cls

    def __eq__(self, other):
        """Whether both are the same function by the same numbers. No map has a hash."""
        if type(self) is not type(other):
            return NotImplemented
        return all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in self._entries()
        )

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
        values = {name: np.asarray(getattr(self, name)).tolist() for name in self._entries()}
        return {"kind": self.kind} | values

    @staticmethod
    def from_dict(stored: dict) -> "CalibrationMap":
        """Rebuild a map from `stored`, the dictionary that its `to_dict` returned.

        Raises
        ------
        ValueError
            If `stored` is not such a dictionary. The message names the entry.
        """
        if not isinstance(stored, dict):
            raise ValueError(f"stored must be a dictionary; found {type(stored).__name__}")
        check_choice(stored.get("kind"), MAP_KINDS, "kind")
        form = MAP_KINDS[stored["kind"]]
        names = set(form._entries())
        if set(stored) != names | {"kind"}:
            raise ValueError(
                f"a {form.kind} map has the entries kind, {', '.join(sorted(names))}; found "
                f"{', '.join(map(str, stored))}"
            )
        return form._from_entries({name: stored[name] for name in names})

    @abstractmethod
    def _evaluate(self, scores): ...

    @classmethod
    def _entries(cls) -> list[str]:
        """Names of the attributes that define the map."""
        return [field.name for field in fields(cls)]

    @classmethod
    @abstractmethod
    def _from_entries(cls, entries: Mapping[str, Any]) -> Self:
        """The map with these attributes, which are checked."""


@dataclass(frozen=True, eq=False)
class TabulatedMap(CalibrationMap):
    """Base class of the maps that are given by a table of scores and probabilities."""

    scores: np.ndarray
    probabilities: np.ndarray
    _more_probabilities: ClassVar[int]  # number of probabilities less number of scores

    @classmethod
    def _from_entries(cls, entries):
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
class StepMap(TabulatedMap):
    """``probabilities[np.searchsorted(scores, s, side="right")]``.

    Attributes
    ----------
    scores : ndarray of shape (k,)
        Increasing cuts. A score on a cut belongs to the right.
    probabilities : ndarray of shape (k + 1,)
        Values below, between and above the cuts.
    """

    kind: ClassVar[str] = "step"
    _more_probabilities: ClassVar[int] = 1

    def _evaluate(self, scores):
        return step(self.scores, self.probabilities, scores)


@dataclass(frozen=True, eq=False)
class LinearMap(TabulatedMap):
    """``np.interp(s, scores, probabilities)``.

    Attributes
    ----------
    scores : ndarray of shape (k,)
        Increasing knots, at least one.
    probabilities : ndarray of shape (k,)
        Values at the knots. Beyond the knots the map is constant.
    """

    kind: ClassVar[str] = "linear"
    _more_probabilities: ClassVar[int] = 0

    @classmethod
    def of_blocks(cls, scores, starts, values) -> "LinearMap":
        """Map with a plateau per block, knots at its first and last score.

        Block i holds the scores from ``starts[i]`` up to the next start. `scores` do not
        decrease.
        """
        ends = np.column_stack([starts, np.append(starts[1:], scores.size) - 1]).ravel()
        knots = scores[ends]
        distinct = np.append(True, knots[1:] > knots[:-1])  # a block of one score has one knot
        return cls(knots[distinct], np.repeat(values, 2)[distinct])

    @classmethod
    def of_centres(cls, scores, weights, starts, values) -> "LinearMap":
        """Map without plateaus, with a knot per block at the weighted mean of its scores."""
        return cls(block_centres(scores, weights, np.append(starts, scores.size)), values)

    def _evaluate(self, scores):
        return interpolate(self.scores, self.probabilities, scores)


class LogisticMap(CalibrationMap):
    """Base class of the maps that are given by their log-odds."""

    @abstractmethod
    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds of the probabilities at `scores`."""

    def _evaluate(self, scores):
        return expit(self.logits(scores))

    @classmethod
    def _from_entries(cls, entries):
        return cls(**finite_numbers(entries, entries))


@dataclass(frozen=True, eq=False)
class SigmoidMap(LogisticMap):
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
class LogitPolynomialMap(LogisticMap):
    """Log-odds that are a polynomial in the log-odds of the score, ``l = log(s / (1 - s))``.

    ``1 / (1 + exp(-sum(c * (l - centre) ** k for k, c in enumerate(coefficients))))``, where s is
    kept within [2**-53, 1 - 2**-53] first.

    Attributes
    ----------
    coefficients : ndarray of shape (degree + 1,)
    centre : float
        Powers of the distance from it stay accurate where all scores are close together.
    """

    coefficients: np.ndarray
    centre: float
    kind: ClassVar[str] = "logit_polynomial"

    def logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log-odds of the probabilities."""
        return np.polynomial.polynomial.polyval(log_odds(scores) - self.centre, self.coefficients)

    @classmethod
    def _from_entries(cls, entries):
        coefficients = check_scores(entries["coefficients"], name="coefficients")
        return cls(coefficients, **finite_numbers(entries, ["centre"]))


def finite_numbers(entries: Mapping[str, Any], names: Iterable[str]) -> dict[str, float]:
    """The named entries, each of which must be one finite number."""
    return {name: float(check_scores([entries[name]], name=name)[0]) for name in names}
