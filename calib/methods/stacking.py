"""The average of several calibrators, with weights learned by cross-validation."""

import warnings
from collections.abc import Sequence

import numpy as np

from calib.base import protocol
from calib.base.calibrator import Calibrator
from calib.base.curve_maps import MixtureMap, mixed
from calib.base.maps import CalibrationMap
from calib.base.options import check_flag, check_positive
from calib.methods.identity import IdentityCalibrator
from calib.methods.isotonic_regression import IsotonicCalibrator
from calib.methods.out_of_fold import OutOfFoldCalibrator
from calib.methods.quadratic import QuadraticLogit
from calib.methods.spline import SplineCalibrator
from calib.methods.stacking_weights import MIN_CAUTIOUS_PRIOR, likeliest_weights, weights_of_sum_one
from calib.methods.temperature import TemperatureScaling
from calib.methods.venn_abers import VennAbers

KEPT_WEIGHT = 0.99  # the rest keeps probabilities above 0 and hardly changes the mean loss


def default_members() -> list[Calibrator]:
    """The members of a `StackedCalibrator` to which none are given."""
    return [
        IdentityCalibrator(),
        TemperatureScaling(),
        QuadraticLogit(),
        SplineCalibrator(),
        IsotonicCalibrator(centred=True, smoothing=0.5),
        VennAbers(),
    ]


class StackedCalibrator(OutOfFoldCalibrator):
    r"""An average of calibrators, :math:`\sum_k v_k \hat p_k(s)`, weighted by their skill.

    Each calibrator learns from all folds but one and predicts that one, in turn. The weights are
    chosen so that the average makes the held-out labels most likely, with a Dirichlet prior that
    keeps every weight above 0. Then each calibrator learns from all rows.

    Parameters
    ----------
    calibrators : sequence of Calibrator, optional
        Members, each with ``fit(scores, labels, sample_weight=...)`` and ``predict(scores)``. By
        default the scores themselves (`IdentityCalibrator`), temperature scaling, a quadratic and
        a spline of the log-odds, isotonic regression, centred and smoothed, and Venn-Abers: they
        need scores in [0, 1]. If one takes groups, `fit` and `predict` need groups. If none does,
        groups may be given to `fit`: no fold then splits a group.
    cv : int, default=5
        Number of folds, to which rows are dealt as in `CalibratorCV`. With more than 100,000
        observations only one fold is held out.
    prior : float, default=0.1
        Exponent of each weight in the density of the prior, positive. It has the effect of that
        many additional rows for each member, which this member alone predicts well. It is at least
        1 where a class has fewer observations (or groups) than there are folds.
    cautious : bool, default=False
        Whether the scores, which must be probabilities, keep 0.99 of the weight unless the average
        predicts held-out labels better than the scores, by more than a standard error. This makes
        harm rare and costs a little of the gain.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        Positive, of sum 1. Equal if there is one class only. If the scores keep most of the weight,
        their weight is the last one.
    losses_ : ndarray of shape (n_members,)
        Mean log loss of each out of fold; NaN if there is one class only.
    loss_ : float
        Mean log loss of the average out of fold: a little too small, because the weights were
        learned from it.
    kept_ : bool
        Whether the scores keep most of the weight, for lack of a gain.
    gap_ : float
        Upper bound of the amount by which other weights could reduce the sum of `loss_` and the
        penalty of the prior.
    calibrators_ : list of Calibrator
        The members, fitted to all rows, and `IdentityCalibrator` at the end if `kept_`.
    map_ : MixtureMap
        The average of their maps, if all have one and none is an average itself.

    Raises
    ------
    ValueError
        If `cv` is no integer of at least 2, `prior` is no positive number, `cautious` is no
        bool, a member is no calibrator that takes weights, or there are fewer groups than folds
        (when `fit` is called).

    Notes
    -----
    The weights maximise the concave :math:`\sum_i \log \sum_k v_k q_{ik} + \alpha \sum_k \log v_k`
    by Newton's method. Here q are the predicted probabilities of the observed labels and alpha is
    the prior.
    `cv` + 1 fits of each member, 2 with more than 100,000 observations; O(N) memory for each.

    With fewer than five positives some folds have none. In simulations (nine known truths, 10 to
    200 rows of which at most four were positive) the log loss exceeded the log loss of the truth by
    34 thousandths. The excess was 50 with equal weights, 51 for the spline alone, and 258 for the
    scores.

    The average is never 0 or 1 if one member never is. Warnings of members are not passed on: if
    the cause harms the predictions, the member loses its weight.

    References
    ----------
    Wolpert (1992); Yao, Vehtari, Simpson and Gelman (2018).

    Examples
    --------
    >>> import numpy as np
    >>> from calib import PlattScaling, StackedCalibrator, VennAbers
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 1000)
    >>> labels = rng.random(1000) < 0.1 + 0.8 * scores**2
    >>> stacked = StackedCalibrator([PlattScaling(), VennAbers()]).fit(scores, labels)
    >>> stacked.weights_.round(1)
    array([0.2, 0.8])
    """

    def __init__(
        self,
        calibrators: Sequence | None = None,
        *,
        cv: int = 5,
        prior: float = 0.1,
        cautious: bool = False,
    ):
        super().__init__(calibrators, cv=cv)
        self.prior = prior
        self.cautious = cautious

    @property
    def unit_scores(self) -> bool:
        """Whether scores must lie in [0, 1], for a member or because the scores may be kept."""
        return self.cautious is True or super().unit_scores

    @property
    def map_(self):
        """The average of the maps of the members."""
        if self._mixture is None:
            raise AttributeError("not every member has a map, or one is an average itself")
        return self._mixture

    def _default(self):
        return default_members()

    def _fit(self, scores, labels, weights, groups=None):
        check_positive(self.prior, "prior")
        check_flag(self.cautious, "cautious")
        members = self._checked_candidates()
        shares = self._learn_shares(members, scores, labels, weights, groups)
        if self.kept_:
            members.append(IdentityCalibrator())
            shares = weights_of_sum_one(np.append((1 - KEPT_WEIGHT) * shares, KEPT_WEIGHT))
        self.weights_ = shares
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.calibrators_ = [
                protocol.fitted(member, scores, labels, weights, groups) for member in members
            ]
        self._mixture = _mixture_of(self.calibrators_, self.weights_)

    def _learn_shares(self, members, scores, labels, weights, groups):
        """Weights of the members in their average, and whether the scores are kept.

        The weights are equal if there is nothing to learn them from.
        """
        self.kept_ = self.cautious
        self.losses_ = np.full(len(members), np.nan)
        self.loss_ = np.nan
        self.gap_ = np.nan
        fewer, more = self._class_counts(labels, weights, groups)
        if fewer == 0 or more <= 1:
            return weights_of_sum_one(np.ones(len(members)))
        compared = [*members, IdentityCalibrator()] if self.cautious else members
        copies, losses = self._held_out_losses(compared, scores, labels, weights, groups)
        member_losses = losses[:, : len(members)]
        prior = self.prior if fewer >= self.cv else max(self.prior, MIN_CAUTIOUS_PRIOR)
        shares, self.gap_ = likeliest_weights(member_losses, copies, prior)
        average_losses = -np.log(np.exp(-member_losses) @ shares)
        self.losses_ = np.average(member_losses, axis=0, weights=copies)
        self.loss_ = float(np.average(average_losses, weights=copies))
        if self.cautious:
            score_losses = losses[:, -1]
            self.kept_ = not _is_significant(score_losses - average_losses, copies)
        return shares

    def _predict(self, scores, groups=None):
        if self._mixture is not None:  # the scores are checked already
            return self._mixture._evaluate(scores)
        predictions = (protocol.calibrated(member, scores, groups) for member in self.calibrators_)
        return mixed(self.weights_, predictions)


def _mixture_of(calibrators, weights):
    """The average of the maps of calibrators; None if one has no map or its map is an average."""
    maps = tuple(getattr(calibrator, "map_", None) for calibrator in calibrators)
    plain = all(isinstance(m, CalibrationMap) and not isinstance(m, MixtureMap) for m in maps)
    return MixtureMap(weights, maps) if plain else None


def _is_significant(gains, copies):
    """Whether the mean of the gains is more than its standard error above 0."""
    mean = np.average(gains, weights=copies)
    variance = np.average((gains - mean) ** 2, weights=copies)
    return bool(mean > np.sqrt(variance / copies.sum()))
