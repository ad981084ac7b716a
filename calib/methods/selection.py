"""A calibrator chosen among several by cross-validation."""

import numpy as np

from calib.base import protocol
from calib.methods.out_of_fold import OutOfFoldCalibrator
from calib.methods.platt import PlattScaling
from calib.methods.venn_abers import VennAbers


class CalibratorCV(OutOfFoldCalibrator):
    r"""The calibrator of smallest log loss on scores that it has not seen.

    Each candidate learns from all folds but one and predicts that one, in turn. The candidate of
    smallest mean loss then learns from all rows.

    Parameters
    ----------
    calibrators : sequence of Calibrator, default=(PlattScaling(), VennAbers())
        Candidates, each with ``fit(scores, labels, sample_weight=...)`` and ``predict(scores)``.
        If some of them take groups, `fit` and `predict` need groups, and hand them to these
        candidates. If none does, groups may be given to `fit`. No fold then splits a group.
    cv : int, default=5
        Number of folds, into which the rows of each class are split at random, equally many in
        each. The order of the rows does not matter. With more than 100,000 observations only one
        fold is held out.

    Attributes
    ----------
    losses_ : ndarray of shape (n_candidates,)
        Mean log loss of each, or NaN if a class has fewer than `cv` observations (or groups).
    calibrator_ : Calibrator
        The chosen one, fitted to all rows. If nothing could be compared it is the first.
    map_ : CalibrationMap
        The map of the chosen calibrator, if it has one.

    Raises
    ------
    ValueError
        If `cv` is no integer of at least 2, a candidate is no calibrator that takes weights, or
        there are fewer groups than folds (when `fit` is called).

    Notes
    -----
    Logits of probabilities are kept within [-36.8, 36.8], as in `predict_logit`. A wrong prediction
    of 0 or 1, for example by isotonic regression, then has a large but finite loss. An integer
    weight stands for that many copies, which are split independently. The loss of the chosen
    candidate is smaller than its loss on new data, and the difference grows with the number of
    candidates.

    `cv` + 1 fits for the chosen candidate and `cv` for each other candidate, O(`cv` N) memory, and
    N for each candidate.

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

    @property
    def map_(self):
        """The map of the chosen calibrator."""
        return self.calibrator_.map_

    def _default(self):
        return PlattScaling(), VennAbers()

    def _fit(self, scores, labels, weights, groups=None):
        candidates = self._checked_candidates()
        scores, labels, weights, groups = self._in_order(scores, labels, weights, groups)
        self.losses_ = np.full(len(candidates), np.nan)
        if self._class_counts(labels, weights, groups)[0] >= self.cv:
            copies, losses = self._held_out_losses(candidates, scores, labels, weights, groups)
            self.losses_ = np.average(losses, axis=0, weights=copies)
        best = int(np.argmin(self.losses_))  # the first candidate if all are NaN
        self.calibrator_ = protocol.fitted(candidates[best], scores, labels, weights, groups)

    def _predict(self, scores, groups=None):
        return protocol.calibrated(self.calibrator_, scores, groups)

    def _predict_logit(self, scores, groups=None):
        return protocol.calibrated_logits(self.calibrator_, scores, groups)
