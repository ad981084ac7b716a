"""The average of several calibrators, with weights learned by cross-validation: the default."""

import warnings
from collections.abc import Sequence

import numpy as np

from calib.base import protocol
from calib.base.arrays import holds_probabilities
from calib.base.calibrator import Calibrator
from calib.base.curve_maps import MirroredMap, MixtureMap, mixed
from calib.base.failures import warn
from calib.base.maps import CalibrationMap
from calib.base.options import check_flag, check_positive
from calib.base.probabilities import log_odds, times_odds
from calib.kernels.level import level_shift, rate_within
from calib.kernels.ties import ties
from calib.methods.identity import IdentityCalibrator
from calib.methods.isotonic_regression import IsotonicCalibrator
from calib.methods.margins import RankSpline, RisingLine
from calib.methods.out_of_fold import OutOfFoldCalibrator
from calib.methods.path_weights import path_weights, prior_weights
from calib.methods.spline import SplineCalibrator
from calib.methods.temperature import TemperatureScaling
from calib.methods.venn_abers import VennAbers

CLEARLY_REVERSED = 3.0  # standard errors by which the AUC of reversed scores is below 1/2


def default_members(is_probability: bool = True) -> list[Calibrator]:
    """The members of a `StackedCalibrator` to which none are given."""
    rising = [IsotonicCalibrator(centred=True, smoothing=0.5), VennAbers(centred=True)]
    if is_probability:
        return [IdentityCalibrator(), TemperatureScaling(), SplineCalibrator(), *rising]
    return [RisingLine(), SplineCalibrator(scale="score"), RankSpline(), *rising]


class StackedCalibrator(OutOfFoldCalibrator):
    r"""An average of calibrators, :math:`\sum_k v_k \hat p_k(s)`, weighted by their skill.

    This is the calibrator to begin with. It takes probabilities and margins, of any number of rows.
    Each member learns from all folds but one and predicts that one, in turn. A member weighs the
    more, the smaller its log loss on the held-out rows is. Then each member learns from all rows.
    Last, the log-odds of the average are moved, if the sum of its probabilities is further from the
    number of positives than chance explains.

    Parameters
    ----------
    calibrators : sequence of Calibrator, optional
        Members, each with ``fit(scores, labels, sample_weight=...)`` and ``predict(scores)``. By
        default, for probabilities: the scores themselves (`IdentityCalibrator`), temperature
        scaling, a spline of the log-odds, isotonic regression, centred and smoothed, and
        Venn-Abers, centred. By default, for other scores: Platt scaling, a spline of the scores
        and one of their ranks, and the same two. If one takes groups, `fit` and `predict` need
        groups. If none does, groups may be given to `fit`. No fold then splits a group.
    cv : int, default=5
        Number of folds, into which rows are split as in `CalibratorCV`. With more than 100,000
        observations only one fold is held out.
    trust : float, default=0.5
        Prior weight of the scores, in (0, 1): of the members that are an `IdentityCalibrator`. The
        others share the rest equally. If no member is one, all have equal prior weights.
    centred : bool, default=False
        Whether the probabilities of the rows of the fit have the number of positives as their sum,
        for users who add probabilities up. Otherwise the sum is within a standard error of it. One
        class alone counts as half an observation less.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        Positive, of sum 1. The prior weights if there is one class only.
    losses_ : ndarray of shape (n_members,)
        Mean log loss of each out of fold, or NaN if there is one class only.
    loss_ : float
        Mean log loss of the average out of fold, before its log-odds are moved. Over all held-out
        rows it is at most ``log(1 / w)`` nats more than the loss of a member of prior weight
        w: 0.69 nats more than the loss of the scores.
    shift_ : float
        The number that is added to the log-odds of the average.
    margins_ : bool
        Whether default members were fitted to scores that are no probabilities, because some are
        beyond [0, 1] by more than 1e-5.
    reversed_ : bool
        Whether such scores were turned round, as positives have the smaller ones.
    calibrators_ : list of Calibrator
        The members, fitted to all rows, of the negative scores if `reversed_`.
    map_ : MixtureMap or MirroredMap
        The average of their maps, if all have one and none is an average itself.

    Raises
    ------
    ValueError
        If `cv` is no integer of at least 2, `trust` is not between 0 and 1, `centred` is no bool, a
        member is no calibrator that takes weights, or there are fewer groups than folds (when `fit`
        is called). If scores are beyond [0, 1] where it was fitted to probabilities.

    Warns
    -----
    UserWarning
        If scores that are no probabilities are turned round, or if probabilities significantly
        order the classes the wrong way round. The order of probabilities is kept, so that the
        result is then nearly constant.

    Notes
    -----
    With the total out-of-fold losses L and the prior weights w, the weights are

    .. math:: v_k = \int_0^1 \frac{w_k e^{-u L_k}}{\sum_j w_j e^{-u L_j}} \, du .

    They need no optimiser, and change little where the losses change little.

    If d is the move of the log-odds that makes the sum of the probabilities p right, and
    :math:`V = 1 / \sum p (1 - p)` its variance, then `shift_` is :math:`d \max(0, 1 - V / d^2)`.

    The default members never fall, and one rises strictly. The order of the scores is kept, except
    that rounding may make close scores equal. The default average is never 0 or 1.

    With fewer than five positives some folds have none. In simulations (nine known calibration
    functions, 10 to 200 rows of which at most four were positive) the log loss exceeded the log
    loss of the true probabilities by 31 thousandths. The excess was 57 with equal weights, 48 for
    the spline alone, and 289 for the scores.

    `cv` + 1 fits of each member, 2 with more than 100,000 observations, O(N) memory for each.
    Warnings of members are not passed on. If the cause harms the predictions, the member loses its
    weight.

    References
    ----------
    Wolpert (1992); Catoni (2004) for the averages of posteriors; Yao, Vehtari, Simpson and Gelman
    (2018).

    Examples
    --------
    >>> import numpy as np
    >>> from calib import PlattScaling, StackedCalibrator, VennAbers
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 1000)
    >>> labels = rng.random(1000) < 0.1 + 0.8 * scores**2
    >>> StackedCalibrator().fit(scores, labels).predict([0.1, 0.5, 0.9]).round(2)
    array([0.16, 0.23, 0.71])
    >>> stacked = StackedCalibrator([PlattScaling(), VennAbers()]).fit(scores, labels)
    >>> stacked.weights_.round(1)
    array([0.1, 0.9])
    """

    def __init__(
        self,
        calibrators: Sequence | None = None,
        *,
        cv: int = 5,
        trust: float = 0.5,
        centred: bool = False,
    ):
        super().__init__(calibrators, cv=cv)
        self.trust = trust
        self.centred = centred

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1], as for a member, or after a fit to probabilities."""
        if self.calibrators is None:
            return not getattr(self, "margins_", True)
        return super().unit_scores

    @property
    def map_(self):
        """The average of the maps of the members."""
        if self._mixture is None:
            raise AttributeError("not every member has a map, or one is an average itself")
        return MirroredMap(self._mixture) if self.reversed_ else self._mixture

    def _default(self):
        return default_members(is_probability=self.unit_scores)

    def _check_rows(self, *rows):
        self.margins_ = True  # any scores are taken, whatever an earlier fit was given
        return super()._check_rows(*rows)

    def _fit(self, scores, labels, weights, groups=None):
        check_positive(self.trust, "trust", below=1)
        check_flag(self.centred, "centred")
        self.margins_ = self.calibrators is None and not holds_probabilities(scores)
        self.reversed_ = False
        if self.calibrators is None:
            scores = self._check_scores(scores)
            self.reversed_ = self._are_reversed(scores, labels, weights)
            scores = self._turned(scores)
        members = self._checked_candidates()
        scores, labels, weights, groups = self._in_order(scores, labels, weights, groups)
        self.weights_ = self._learn_weights(members, scores, labels, weights, groups)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.calibrators_ = [
                protocol.fitted(member, scores, labels, weights, groups) for member in members
            ]
        self.shift_ = 0.0
        self._mixture = self._mixture_of_maps()
        average = self._averaged(scores, groups)
        self.shift_ = self._level_move(average, labels, weights)
        self._mixture = self._mixture_of_maps()

    def _are_reversed(self, scores, labels, weights):
        """Whether scores that are no probabilities order the classes the wrong way round."""
        tied = ties(scores, labels, weights)
        negatives = tied.weights - tied.positives
        n_negative = negatives.sum()
        n_positive = tied.positives.sum()
        if not min(n_negative, n_positive) > 0:
            return False
        ranks = np.cumsum(tied.weights) - tied.weights / 2
        apart = tied.positives @ ranks / n_positive - negatives @ ranks / n_negative
        auc = 0.5 + apart / (n_negative + n_positive)
        if self.margins_ and auc < 0.5:
            warn(f"scores are turned round: their AUC is {auc:.3g}, as positives have smaller ones")
            return True
        with np.errstate(over="ignore"):  # weights may be tiny
            error = np.sqrt((1 / n_negative + 1 / n_positive) / 12)
        if 0.5 - auc > CLEARLY_REVERSED * error:
            warn(
                f"scores order the classes the wrong way round (AUC {auc:.3g}), and the order is "
                "kept: if they are probabilities of class 0, pass 1 - scores"
            )
        return False

    def _turned(self, scores):
        """Scores as the members take them."""
        return -scores if self.reversed_ else scores

    def _learn_weights(self, members, scores, labels, weights, groups):
        """Weights of the members: the prior weights if there is nothing to learn them from."""
        self.losses_ = np.full(len(members), np.nan)
        self.loss_ = np.nan
        is_scores = np.array([isinstance(member, IdentityCalibrator) for member in members])
        prior = prior_weights(is_scores, self.trust)
        fewer, more = self._class_counts(labels, weights, groups)
        if fewer == 0 or more <= 1:
            return prior
        copies, losses = self._held_out_losses(members, scores, labels, weights, groups)
        learned = path_weights(copies @ losses, prior)
        self.losses_ = np.average(losses, axis=0, weights=copies)
        self.loss_ = float(np.average(-np.log(np.exp(-losses) @ learned), weights=copies))
        return learned

    def _mixture_of_maps(self):
        """The average of the maps, or None if a member has none or its map holds others."""
        maps = tuple(getattr(member, "map_", None) for member in self.calibrators_)
        plain = all(
            isinstance(m, CalibrationMap) and not isinstance(m, MixtureMap | MirroredMap)
            for m in maps
        )
        if not plain:
            return None
        factor = float(np.exp(self.shift_))
        return MixtureMap(weights=self.weights_, members=maps, odds_factor=factor)

    def _level_move(self, average, labels, weights):
        """The move of the log-odds to the right sum, less a possible move by chance."""
        weights = np.ones(labels.size) if weights is None else weights
        rate = rate_within(weights @ labels, weights.sum())
        move = level_shift(log_odds(average), weights, rate)
        if self.centred:
            return move
        information = weights @ (average * (1 - average))
        return move * (1 - 1 / (information * move**2)) if information * move**2 > 1 else 0.0

    def _averaged(self, scores, groups):
        if self._mixture is not None:  # the scores are checked already
            return self._mixture._evaluate(scores)
        predictions = (protocol.calibrated(member, scores, groups) for member in self.calibrators_)
        return times_odds(mixed(self.weights_, predictions), np.exp(self.shift_))

    def _predict(self, scores, groups=None):
        return self._averaged(self._turned(scores), groups)
