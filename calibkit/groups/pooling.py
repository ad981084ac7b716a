"""Partial pooling: the calibrator of a part, drawn towards the calibrator of all points."""

import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from calib.base.protocol import calibrated_logits
from calib.heterogeneous.parts import CalibratedParts, effective_size_of, shifted

MAX_BLENDED_LOGIT = 1e300  # log-odds are cut off there, so that two of them always have a mean


class Blended(NamedTuple):
    """A fitted calibrator of a part with log-odds drawn towards the common calibrator.

    Attributes
    ----------
    common, own : fitted calibrator
        The calibrator of all points, and the calibrator of the part.
    share : float
        Weight of `own` in the log-odds, in [0, 1].
    """

    common: Any
    own: Any
    share: float

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]."""
        return getattr(self.common, "unit_scores", False)

    @property
    def slope_(self) -> float:
        """The a of Platt scaling, if both calibrators are Platt scaling."""
        return self._between(self.common.slope_, self.own.slope_)

    @property
    def intercept_(self) -> float:
        """The b of Platt scaling, if both calibrators are Platt scaling."""
        return self._between(self.common.intercept_, self.own.intercept_)

    def predict_logit(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Log-odds between the log-odds of the two calibrators, of shape (n,)."""
        checked = np.asarray(scores, np.float64)
        common = calibrated_logits(self.common, checked)
        of_part = calibrated_logits(self.own, checked)
        return self._between(
            np.clip(common, -MAX_BLENDED_LOGIT, MAX_BLENDED_LOGIT),
            np.clip(of_part, -MAX_BLENDED_LOGIT, MAX_BLENDED_LOGIT),
        )

    def predict(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Probabilities of class 1, of shape (n,)."""
        return expit(self.predict_logit(scores))

    def _between(self, common, of_part):
        return (1 - self.share) * common + self.share * of_part


class PooledParts(CalibratedParts):
    """A calibrator for each part, drawn towards the calibrator of all points.

    Parameters
    ----------
    partition, calibrator, min_part_size
        As in `CalibratedParts`.
    strength : float
        Points of balanced classes that the calibrator of all points counts as, in each part.
    unpooled : CalibratedParts, optional
        Parts without pooling, fitted to the same rows, whose calibrators need not be fitted again.
        Only for trees side by side: in a sequence the scores depend on the strength.
    """

    def __init__(self, partition, calibrator, min_part_size, strength, unpooled=None):
        super().__init__(partition, calibrator, min_part_size)
        self.strength = strength
        self.unpooled = unpooled

    def _fit_common(self, tree, sample):
        if self.unpooled is not None:
            return self.unpooled.fallbacks[tree]
        return super()._fit_common(tree, sample)

    def _fit_large(self, tree, number, common, in_part):
        if self.strength == np.inf:
            return common
        if self.unpooled is not None:
            calibrator = self.unpooled.calibrator_of(tree, number)
        else:
            calibrator = super()._fit_large(tree, number, common, in_part)
        if self.strength == 0:
            return calibrator
        effective_size = effective_size_of(in_part.labels, in_part.weights)
        share = effective_size / (effective_size + self.strength)
        return Blended(common=common, own=calibrator, share=share)

    def _fit_small(self, common, in_part):
        if self.strength == np.inf:
            return common
        return shifted(common, in_part, 1 + self.strength / 4)


def check_pooling(pooling: object) -> None:
    """Raise unless `pooling` is a strength of pooling, or the word for its choice."""
    if isinstance(pooling, numbers.Real) and not isinstance(pooling, bool):
        is_valid = float(pooling) >= 0
    else:
        is_valid = isinstance(pooling, str) and pooling == "cv"
    if not is_valid:
        raise ValueError(
            "pooling must be 'cv' or a number of at least 0, which may be infinite; found "
            f"{pooling!r}"
        )
