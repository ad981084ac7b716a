"""What several calibrators predict for rows that they have not seen."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

import numpy as np

from calib.contract import protocol
from calib.contract.calibrator import CompositeCalibrator
from calib.contract.options import check_integer
from calib.kernels.dealing import deal, deal_groups

MANY = 100_000  # observations, of which one fold tells enough


class OutOfFoldCalibrator(CompositeCalibrator):
    """Base class of what is made of several calibrators by cross-validation.

    A subclass has ``_default()``, the calibrators if none are given, and its own ``_fit``,
    ``_predict`` and ``map_``. The groups that `fit` is given are those that a calibrator asks for.
    If none asks, rows of a group are not independent, and no fold splits it.
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

    def _beside(self, groups, size, *, fitting):
        if fitting and groups is not None:
            return (self._check_groups(groups, size, fitting),)
        return super()._beside(groups, size, fitting=fitting)

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

    def _counts(self, labels, weights, groups):
        """Numbers of observations of the rarer and of the other class, or of groups with them."""
        if groups is not None and not self.takes_groups:
            found = np.unique(groups).size
            if found < self.cv:
                raise ValueError(
                    f"groups holds {found} groups, fewer than cv={self.cv}: pass a smaller cv"
                )
            return sorted(np.unique(groups[labels == label]).size for label in (0, 1))
        return sorted(np.bincount(labels, weights, minlength=2).tolist())

    def _held_out(self, candidates, scores, labels, weights, groups):
        """Weights and minus log-likelihoods, a column for each candidate, of rows held out.

        A row of weight w may be held out in several folds.
        """
        weights = np.ones(scores.size) if weights is None else weights
        if groups is None or self.takes_groups:
            ties = () if groups is None else [np.unique(groups, return_inverse=True)[1]]
            folds = deal(scores, labels, weights, self.cv, ties)
        else:
            folds = deal_groups(groups, labels, weights, self.cv)
        few = self._counts(labels, weights, groups)[0] < self.cv  # one fold may have none of them
        held_out = folds if few or weights.sum() <= MANY else folds[:1]

        def lost(candidate, others, rows):
            fitted = protocol.fitted(candidate, scores, labels, others, groups)
            some = None if groups is None else groups[rows]
            logits = protocol.calibrated_logits(fitted, scores[rows], some)
            return np.logaddexp(0, np.where(labels[rows] == 1, -logits, logits))

        with warnings.catch_warnings():  # what matters of those that are kept they say below
            warnings.simplefilter("ignore")
            losses = [held_out_losses(partial(lost, one), weights, held_out) for one in candidates]
        return held_out[held_out > 0], np.column_stack(losses)


def held_out_losses(losses, weights, folds):
    """Log losses of the rows of each fold, by ``losses(others, rows)``.

    It is given the weights of the rows outside the fold, to learn from, and which rows are in it.
    """
    found = []
    for held_out in folds:
        others = weights - held_out
        others[others < 1e-9 * weights] = 0.0  # left by rounding
        found.append(losses(others, held_out > 0))
    return np.concatenate(found)
