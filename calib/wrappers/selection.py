"""One of several calibrators, chosen by cross-validation."""

import warnings
from collections.abc import Sequence

import numpy as np

from calib.contract import protocol
from calib.contract.calibrator import CompositeCalibrator
from calib.contract.options import check_integer
from calib.kernels.dealing import deal
from calib.logistic.platt import PlattScaling
from calib.venn_abers.inductive import VennAbers


class CalibratorCV(CompositeCalibrator):
    r"""The calibrator of smallest log loss on scores that it has not seen.

    Each candidate learns from all folds but one and predicts that one, in turn; the one of
    smallest mean loss learns from all rows.

    Parameters
    ----------
    calibrators : sequence of Calibrator, default=(PlattScaling(), VennAbers())
        Candidates, each with ``fit(scores, labels, sample_weight=...)`` and ``predict(scores)``.
        If one of them takes groups, `fit` and `predict` want these, and hand them to those that do.
    cv : int, default=5
        Number of folds, to which the rows of each class are dealt at random, as many to each; the
        same rows in whatever order are dealt in the same way.

    Attributes
    ----------
    losses_ : ndarray of shape (n_candidates,)
        Mean log loss of each; NaN if a class has fewer than `cv` observations.
    calibrator_ : Calibrator
        The chosen one, fitted to all rows. If nothing could be compared it is the first.
    map_ : CalibrationMap
        Its map, if it has one.

    Raises
    ------
    ValueError
        If `cv` is no integer of at least 2, or a candidate is no calibrator that takes weights
        (when `fit` is called).

    Notes
    -----
    Logits of probabilities are kept within [-36.8, 36.8], as in `predict_logit`, so that a
    certainty that fails, of isotonic regression, say, costs much, but not everything. An integer
    weight is that many copies, each dealt for itself. The loss of the chosen candidate is
    smaller than what it will have on new data, the more so the more candidates there are.

    `cv` + 1 fits for the chosen candidate and `cv` for each other; O(`cv` N) memory.

    References
    ----------
    Stone (1974).

    Examples
    --------
    >>> import numpy as np
    >>> from calib import BetaCalibration, CalibratorCV, PlattScaling
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> labels = rng.random(2000) < scores  # calibrated already: on the logits, a line
    >>> chosen = CalibratorCV([PlattScaling(), BetaCalibration()]).fit(scores, labels)
    >>> chosen.calibrator_
    BetaCalibration()
    """

    def __init__(self, calibrators: Sequence | None = None, *, cv: int = 5):
        self.calibrators = calibrators
        self.cv = cv

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1]: for one of the candidates."""
        return any(getattr(candidate, "unit_scores", False) for candidate in self._candidates())

    @property
    def takes_groups(self) -> bool:
        """Whether one of the candidates asks for the group of each row."""
        return any(map(protocol.takes_groups, self._candidates()))

    @property
    def map_(self):
        """The map of the chosen calibrator."""
        return self.calibrator_.map_

    def _candidates(self):
        if self.calibrators is None:
            return PlattScaling(), VennAbers()
        if not isinstance(self.calibrators, list | tuple):
            found = self.calibrators
            raise ValueError(f"calibrators must be a list of calibrators; found {found!r}")
        return self.calibrators

    def _fit(self, scores, labels, weights, groups=None):
        check_integer(self.cv, "cv", minimum=2)
        candidates = list(self._candidates())
        if not candidates:
            raise ValueError("calibrators is empty: pass at least one")
        for candidate in candidates:
            protocol.check_calibrator(candidate, weighted=True, grouped=True)
        if weights is None:
            weights = np.ones(scores.size)
        self.losses_ = np.full(len(candidates), np.nan)
        if min(weights[labels == 0].sum(), weights[labels == 1].sum()) >= self.cv:
            ties = () if groups is None else [np.unique(groups, return_inverse=True)[1]]
            folds = deal(scores, labels, weights, self.cv, ties)
            with warnings.catch_warnings():  # what matters of the chosen one it says below
                warnings.simplefilter("ignore")
                losses = [_loss(one, scores, labels, groups, folds) for one in candidates]
            self.losses_ = np.array(losses)
        best = int(np.argmin(self.losses_))  # of NaN, the first
        self.calibrator_ = protocol.fitted(candidates[best], scores, labels, weights, groups)

    def _predict(self, scores, groups=None):
        return protocol.calibrated(self.calibrator_, scores, groups)

    def _predict_logit(self, scores, groups=None):
        return protocol.calibrated_logits(self.calibrator_, scores, groups)


def _loss(candidate, scores, labels, groups, folds):
    """Mean log loss out of fold."""
    weights, total = folds.sum(axis=0), 0.0
    for held_out in folds:
        others = weights - held_out
        others[others < 1e-9 * weights] = 0.0  # left by rounding
        fitted = protocol.fitted(candidate, scores, labels, others, groups)
        rows = held_out > 0
        some = None if groups is None else groups[rows]
        logits = protocol.calibrated_logits(fitted, scores[rows], some)
        margins = np.where(labels[rows] == 1, logits, -logits)
        total += held_out[rows] @ np.logaddexp(0, -margins)
    return total / weights.sum()
