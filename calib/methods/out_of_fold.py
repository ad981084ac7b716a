"""Losses of several calibrators on rows that they have not seen."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from calib.base import protocol
from calib.base.calibrator import CompositeCalibrator
from calib.base.options import check_integer
from calib.methods.folds import deal, deal_groups

MIN_OBSERVATIONS_FOR_ONE_FOLD = 100_000  # above them, one held-out fold is enough


class OutOfFoldCalibrator(CompositeCalibrator):
    """Base class of calibrators that are made of several calibrators by cross-validation.

    A subclass has ``_default()``, the calibrators if none are given, and its own ``_fit``,
    ``_predict`` and ``map_``. `fit` hands its groups to the calibrators that ask for groups. If
    none asks, the rows of a group are taken to be dependent, and no fold splits a group.
    """

    def __init__(self, calibrators: Sequence | None = None, *, cv: int = 5):
        self.calibrators = calibrators
        self.cv = cv

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1] because a calibrator needs it."""
        return any(protocol.needs_unit_scores(candidate) for candidate in self._candidates())

    @property
    def takes_groups(self) -> bool:
        """Whether one of the calibrators asks for the group of each row."""
        return any(protocol.takes_groups(candidate) for candidate in self._candidates())

    def _groups_taken(self, groups, size, *, fitting):
        if fitting and groups is not None:
            return (self._check_groups(groups, size, fitting),)
        return super()._groups_taken(groups, size, fitting=fitting)

    @abstractmethod
    def _default(self): ...

    def _candidates(self):
        """The calibrators, unchecked."""
        if self.calibrators is None:
            return self._default()
        if not isinstance(self.calibrators, list | tuple):
            raise ValueError(
                f"calibrators must be a list of calibrators; found {self.calibrators!r}"
            )
        return self.calibrators

    def _checked_candidates(self):
        """A new list of the calibrators, which can be compared."""
        check_integer(self.cv, "cv", minimum=2)
        candidates = list(self._candidates())
        if not candidates:
            raise ValueError("calibrators is empty: pass at least one")
        for candidate in candidates:
            protocol.check_is_calibrator(candidate, weighted=True, grouped=True)
        return candidates

    @staticmethod
    def _in_order(scores, labels, weights, groups):
        """The rows by score, label, weight and group: their order then makes no difference."""
        keys = [scores, labels]
        if weights is not None:
            keys.append(weights)
        if groups is not None:
            keys.append(np.unique(groups, return_inverse=True)[1])
        order = np.lexsort(keys[::-1])
        arrays = [scores, labels, weights, groups]
        return [None if array is None else _safe_indexing(array, order) for array in arrays]

    def _class_counts(self, labels, weights, groups):
        """Numbers of observations of the rarer and of the other class.

        Where folds keep groups whole, the numbers of groups that have such observations.
        """
        if groups is not None and not self.takes_groups:
            n_groups = np.unique(groups).size
            if n_groups < self.cv:
                raise ValueError(
                    f"groups holds {n_groups} groups, fewer than cv={self.cv}: pass a smaller cv"
                )
            return sorted(np.unique(groups[labels == label]).size for label in (0, 1))
        return sorted(np.bincount(labels, weights, minlength=2).tolist())

    def _held_out_losses(self, candidates, scores, labels, weights, groups):
        """Weights of held-out rows, and their log losses in a column for each candidate.

        A row of weight w may be held out in several folds.
        """
        weights = np.ones(scores.size) if weights is None else weights
        rarest = self._class_counts(labels, weights, groups)[0]
        n_needed = n_folds_needed(rarest, weights.sum(), self.cv)
        folds = self._folds(scores, labels, weights, groups, n_needed)
        columns = []
        with warnings.catch_warnings():  # the final fit repeats the warnings of the chosen one
            warnings.simplefilter("ignore")
            for candidate in candidates:
                losses = CandidateLosses(candidate, scores=scores, labels=labels, groups=groups)
                columns.append(held_out_losses(losses, weights, folds))
        return folds[folds > 0], np.column_stack(columns)

    def _folds(self, scores, labels, weights, groups, n_needed):
        """The weight of each row in each of the first folds."""
        if groups is None:
            return deal(scores, labels, weights, self.cv, n_needed=n_needed)
        if self.takes_groups:  # group numbers only break ties of scores
            codes = np.unique(groups, return_inverse=True)[1]
            return deal(scores, labels, weights, self.cv, [codes], n_needed)
        return deal_groups(groups, labels, weights, self.cv)[:n_needed]


def n_folds_needed(rarest, total, cv):
    """Return the number of folds to hold out. One is enough with many rows of every class."""
    return 1 if rarest >= cv and total > MIN_OBSERVATIONS_FOR_ONE_FOLD else cv


@dataclass(frozen=True)
class CandidateLosses:
    """The log losses of a calibrator on held-out rows, as `held_out_losses` calls them."""

    calibrator: Any
    scores: NDArray[np.float64]
    labels: NDArray[np.uint8]
    groups: NDArray | None

    def __call__(self, weights: NDArray[np.float64], rows: NDArray[np.bool_]) -> NDArray:
        """Losses of `rows` after a fit to all rows with these weights."""
        fitted = protocol.fitted(self.calibrator, self.scores, self.labels, weights, self.groups)
        groups = None if self.groups is None else self.groups[rows]
        logits = protocol.calibrated_logits(fitted, self.scores[rows], groups)
        return np.logaddexp(0, np.where(self.labels[rows] == 1, -logits, logits))


def held_out_losses(losses, weights, folds):
    """Log losses of the rows of each fold, by ``losses(others, rows)``.

    The function is given the weights of the rows outside the fold, to learn from, and a mask of the
    rows in the fold.
    """
    of_folds = []
    for held_out in folds:
        others = weights - held_out
        others[others < 1e-9 * weights] = 0.0  # rounding may leave such weights
        of_folds.append(losses(others, held_out > 0))
    return np.concatenate(of_folds)
