"""Heterogeneous calibration with partial pooling: small parts borrow from the whole sample."""

import warnings
from typing import Any

import numpy as np

from calib.base.probabilities import log_odds
from calib.heterogeneous.heterogeneous import HeterogeneousCalibrator, take_rows
from calib.heterogeneous.partitions import part_numbers_of
from calib.heterogeneous.parts import CalibratedParts
from calib.methods.folds import deal
from calibkit.groups.pooling import PooledParts, check_pooling

POOLING_STRENGTHS = (np.inf, 3000.0, 1000.0, 300.0, 100.0, 30.0, 10.0, 0.0)  # points
POOLING_FOLDS = 5  # folds of the cross-validation that chooses among the strengths


class PooledHeterogeneousCalibrator(HeterogeneousCalibrator):
    r"""Calibrate each group, or part of feature space, drawn towards the calibrator of all points.

    A `HeterogeneousCalibrator` leaves each large part alone. This one lets the parts borrow from
    each other. The fewer points a part has, the closer it stays to the calibrator of the whole
    sample.

    Parameters
    ----------
    partition : tree, forest, gradient boosting, pipeline or AUCSplitTree, optional
        As in `HeterogeneousCalibrator`.
    calibrator : Calibrator, default=PlattScaling()
        As in `HeterogeneousCalibrator`.
    min_part_size : int, default=50
        As in `HeterogeneousCalibrator`.
    pooling : float or "cv", default="cv"
        How strongly the parts are drawn towards the calibrator of the whole sample. This calibrator
        counts as so many further points of balanced classes in each part. 0 leaves the parts alone,
        infinity leaves them no difference, and ``"cv"`` chooses among 0, 10, 30, 100, ..., 3000 and
        infinity by the log loss in five-fold cross-validation. With fewer than five observations of
        a class there is nothing to compare, and it is infinity. The order of the rows does not
        matter, except for a tree that is not fitted, if rows of one part tie.

    Attributes
    ----------
    pooling_ : float
        The strength of pooling that was given or chosen.
    parts_, fallbacks_, partition_, n_features_in_, feature_names_in_
        As in `HeterogeneousCalibrator`.

    Notes
    -----
    With ``pooling=k`` a part with the information of n points (`Part.effective_size`) gets the
    log-odds

    .. math:: \frac{n}{n + k}\, \ell_i + \frac{k}{n + k}\, \ell ,

    between the log-odds of its calibrator and the log-odds of the common calibrator. For Platt
    scaling the blend is the posterior mean of a and b, in the normal approximation, if the prior
    has the information of k points about the common values. For the offset of a small part the
    precision of the prior is 1 + k / 4, since the information of one point at probability 1/2 is
    1/4.

    Fit: with a number the cost of `HeterogeneousCalibrator`. With ``"cv"`` six times that, except
    for boosting, where every strength needs its own calibrators.

    References
    ----------
    Gelman and Hill (2007) for partial pooling. Durfee et al. (2022) for the parts, without pooling.

    Examples
    --------
    Twelve groups that do not differ:

    >>> import numpy as np
    >>> from calibkit.groups import PooledHeterogeneousCalibrator
    >>> rng = np.random.default_rng(0)
    >>> groups, labels = rng.integers(0, 12, 2000), rng.integers(0, 2, 2000)
    >>> scores = rng.normal(2 * labels - 1, 2)
    >>> calibrator = PooledHeterogeneousCalibrator().fit(scores, labels, groups=groups)
    >>> calibrator.pooling_
    1000.0
    """

    def __init__(
        self,
        partition: Any = None,
        calibrator: Any = None,
        *,
        min_part_size: int = 50,
        pooling: float | str = "cv",
    ):
        super().__init__(partition, calibrator, min_part_size=min_part_size)
        self.pooling = pooling

    def _fit(self, sample, groups, features):
        check_pooling(self.pooling)
        super()._fit(sample, groups, features)

    def _fit_parts(self, calibrator, sample, groups, features):
        self.pooling_ = self.pooling
        if self.pooling == "cv":
            losses = self._losses_out_of_fold(calibrator, sample, groups, features)
            self.pooling_ = POOLING_STRENGTHS[int(np.argmin(losses))]  # the largest of equal ones
        parts = PooledParts(self.partition_, calibrator, self.min_part_size, self.pooling_)
        return parts.fit(part_numbers_of(self.partition_, groups, features), sample)

    def _losses_out_of_fold(self, calibrator, sample, groups, features):
        """Log loss of each of `POOLING_STRENGTHS`. All 0 if a class is too rare to compare them."""
        losses = np.zeros(len(POOLING_STRENGTHS))
        copies = np.ones(sample.scores.size) if sample.weights is None else sample.weights
        if min(copies[sample.labels == label].sum() for label in (0, 1)) < POOLING_FOLDS:
            return losses
        ties = part_numbers_of(
            self.partition_, groups, features
        ).T  # rows of equal score and label are distinguished by part
        with warnings.catch_warnings():  # the fit to all rows repeats the warnings that matter
            warnings.simplefilter("ignore")
            for held_out in deal(sample.scores, sample.labels, copies, POOLING_FOLDS, ties):
                others = copies - held_out
                others[others < 1e-9 * copies] = 0.0  # left by rounding
                losses += self._losses_of_fold(
                    calibrator, sample, groups, features, others, held_out
                )
        return losses

    def _losses_of_fold(self, calibrator, sample, groups, features, others, held_out):
        """Log loss of each strength on weights that are held out, after a fit to the others."""
        rows = np.flatnonzero(others)
        training = sample.take(rows)
        if sample.weights is not None:
            training = training._replace(weights=others[rows])
        training_groups = take_rows(groups, rows)
        training_features = take_rows(features, rows)
        partition = self._fit_partition(training, training_groups, training_features)
        part_numbers = part_numbers_of(partition, training_groups, training_features)
        unpooled = None
        if not partition.sequential:  # the parts of all strengths share their calibrators
            unpooled = CalibratedParts(partition, calibrator, self.min_part_size)
            unpooled.fit(part_numbers, training)
        tested = np.flatnonzero(held_out)
        tested_numbers = part_numbers_of(
            partition, take_rows(groups, tested), take_rows(features, tested)
        )
        signs = np.where(sample.labels[tested] == 1, 1.0, -1.0)
        losses = np.empty(len(POOLING_STRENGTHS))
        for k, strength in enumerate(POOLING_STRENGTHS):
            parts = PooledParts(partition, calibrator, self.min_part_size, strength, unpooled)
            parts.fit(part_numbers, training)
            logits = log_odds(parts.predict(tested_numbers, sample.scores[tested]))
            losses[k] = held_out[tested] @ np.logaddexp(0, -signs * logits)
        return losses
