"""What several calibrators predict for rows that they have not seen."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from calib.contract import protocol
from calib.contract.calibrator import CompositeCalibrator
from calib.contract.options import check_integer
from calib.kernels.dealing import deal

MANY = 100_000  # observations, of which one fold tells enough


class OutOfFoldCalibrator(CompositeCalibrator):
    """Base class of what is made of several calibrators by cross-validation.

    A subclass has ``_default()``, the calibrators if none are given, and its own ``_fit``,
    ``_predict`` and ``map_``.
    """

    def __init__(self, calibrators: Sequence | None = None, *, cv: int = 5):
        self.calibrators = calibrators
        self.cv = cv

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]: for one of the calibrators."""
        return any(getattr(one, "unit_scores", False) for one in self._candidates())

    @property
    def takes_groups(self) -> bool:
        """Whether one of the calibrators asks for the group of each row."""
        return any(map(protocol.takes_groups, self._candidates()))

    @abstractmethod
    def _default(self): ...

    def _candidates(self):
        if self.calibrators is None:
            return self._default()
        if not isinstance(self.calibrators, list | tuple):
            found = self.calibrators
            raise ValueError(f"calibrators must be a list of calibrators; found {found!r}")
        return self.calibrators

    def _checked(self):
        """The calibrators, if they can be compared."""
        check_integer(self.cv, "cv", minimum=2)
        candidates = list(self._candidates())
        if not candidates:
            raise ValueError("calibrators is empty: pass at least one")
        for candidate in candidates:
            protocol.check_calibrator(candidate, weighted=True, grouped=True)
        return candidates

    def _held_out(self, candidates, scores, labels, weights, groups):
        """Weights and minus log-likelihoods, a column for each candidate, of rows held out.

        A row of weight w may be held out in several folds. None if a class has too few rows.
        """
        if weights is None:
            weights = np.ones(scores.size)
        if min(weights[labels == 0].sum(), weights[labels == 1].sum()) < self.cv:
            return None
        ties = () if groups is None else [np.unique(groups, return_inverse=True)[1]]
        folds = deal(scores, labels, weights, self.cv, ties)
        held_out = folds if weights.sum() <= MANY else folds[:1]
        with warnings.catch_warnings():  # what matters of those that are kept they say below
            warnings.simplefilter("ignore")
            losses = [_losses(one, scores, labels, groups, weights, held_out) for one in candidates]
        return held_out[held_out > 0], np.column_stack(losses)


def _losses(candidate, scores, labels, groups, weights, folds):
    """Log loss of each row of each fold, where it is held out."""
    found = []
    for held_out in folds:
        others = weights - held_out
        others[others < 1e-9 * weights] = 0.0  # left by rounding
        fitted = protocol.fitted(candidate, scores, labels, others, groups)
        rows = held_out > 0
        some = None if groups is None else groups[rows]
        logits = protocol.calibrated_logits(fitted, scores[rows], some)
        found.append(np.logaddexp(0, np.where(labels[rows] == 1, -logits, logits)))
    return np.concatenate(found)
