"""The average of several calibrators, with weights learned by cross-validation."""

import warnings
from collections.abc import Sequence

import numpy as np

from calib.contract import protocol
from calib.contract.options import check_flag, check_positive
from calib.isotonic.regression import IsotonicCalibrator
from calib.kernels.averaging import SHY, likeliest_weights, normalized
from calib.logistic.quadratic import QuadraticLogit
from calib.logistic.spline import SplineCalibrator
from calib.logistic.temperature import TemperatureScaling
from calib.maps.forms import CalibrationMap, MixtureMap, mixed
from calib.venn_abers.inductive import VennAbers
from calib.wrappers.identity import IdentityCalibrator
from calib.wrappers.out_of_fold import OutOfFoldCalibrator

KEPT = 0.99  # of the weight: with the rest no probability is 0, and the mean loss hardly changes


class StackedCalibrator(OutOfFoldCalibrator):
    r"""An average of calibrators, :math:`\sum_k v_k \hat p_k(s)`, weighted by what they foresee.

    Each calibrator learns from all folds but one and predicts that one, in turn. The weights are
    those of the average that makes the held-out labels most likely, with a Dirichlet prior that
    keeps every weight above 0; then each calibrator learns from all rows.

    Parameters
    ----------
    calibrators : sequence of Calibrator, optional
        Members, each with ``fit(scores, labels, sample_weight=...)`` and ``predict(scores)``. By
        default the scores themselves (`IdentityCalibrator`), temperature scaling, a quadratic and
        a spline of the log-odds, isotonic regression, centred and smoothed, and Venn-Abers: they
        need scores in [0, 1]. If one takes groups, `fit` and `predict` want these. If none does,
        groups may be given to `fit`: no fold splits the rows of one.
    cv : int, default=5
        Number of folds, dealt as those of `CalibratorCV`. With more than 100,000 observations one
        fold is held out, and no other.
    prior : float, default=0.1
        Exponent of each weight in the density of the prior, positive: as if so many more rows had
        been foreseen by each member alone. It is at least 1 where a class has fewer observations
        (or groups) than there are folds.
    cautious : bool, default=False
        Whether the scores, which are probabilities then, keep 0.99 of the weight unless the average
        foresees held-out labels better than they do, by more than a standard error. It costs a
        little of the gain, and harm gets rare.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        Positive, of sum 1. Equal if there is one class only. If the scores keep most of the weight,
        that stands at the end.
    losses_ : ndarray of shape (n_members,)
        Mean log loss of each out of fold; NaN if there is one class only.
    loss_ : float
        That of the average: a little too good, since the weights were learned from it.
    kept_ : bool
        Whether the scores keep most of the weight, for lack of a gain.
    gap_ : float
        By how much `loss_` plus the prior's part could be smaller with other weights, at most.
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
    for q the probabilities of what happened and alpha the prior, by Newton's method.
    `cv` + 1 fits of each member, 2 with more than 100,000 observations; O(N) memory for each.

    With fewer than five positives members learn from folds of which some have none. In simulations
    (nine known truths, 10 to 200 rows of which at most four were positive) the log loss was 34
    thousandths above that of the truth, with equal weights 50, of the spline alone 51, and of the
    scores 258.

    The average is never 0 or 1 if one member never is. What a member warns of is not passed on: if
    it harms the predictions, it costs the member its weight.

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
        """Whether scores must lie in [0, 1]: for a member, or because they may be kept."""
        return self.cautious is True or super().unit_scores

    @property
    def map_(self):
        """The average of the maps of the members."""
        if self._mixture is None:
            raise AttributeError("not every member has a map, or one is an average itself")
        return self._mixture

    def _default(self):
        return (
            *[IdentityCalibrator(), TemperatureScaling(), QuadraticLogit(), SplineCalibrator()],
            *[IsotonicCalibrator(centred=True, smoothing=0.5), VennAbers()],
        )

    def _fit(self, scores, labels, weights, groups=None):
        check_positive(self.prior, "prior")
        check_flag(self.cautious, "cautious")
        members = self._checked()
        shares, self.kept_ = normalized(np.ones(len(members))), self.cautious
        self.losses_, self.loss_, self.gap_ = np.full(len(members), np.nan), np.nan, np.nan
        fewer, more = self._counts(labels, weights, groups)
        if fewer > 0 and more > 1:
            compared = [*members, IdentityCalibrator()] if self.cautious else members
            copies, losses = self._held_out(compared, scores, labels, weights, groups)
            of_members, of_scores = losses[:, : len(members)], losses[:, -1]
            prior = self.prior if fewer >= self.cv else max(self.prior, SHY)
            shares, self.gap_ = likeliest_weights(of_members, copies, prior)
            averaged = -np.log(np.exp(-of_members) @ shares)
            self.losses_ = np.average(of_members, axis=0, weights=copies)
            self.loss_ = float(np.average(averaged, weights=copies))
            self.kept_ = self.cautious and not _gains(of_scores - averaged, copies)
        self.weights_ = normalized(np.append((1 - KEPT) * shares, KEPT)) if self.kept_ else shares
        if self.kept_:
            members.append(IdentityCalibrator())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.calibrators_ = [
                protocol.fitted(member, scores, labels, weights, groups) for member in members
            ]
        maps = tuple(getattr(member, "map_", None) for member in self.calibrators_)
        plain = all(isinstance(m, CalibrationMap) and not isinstance(m, MixtureMap) for m in maps)
        self._mixture = MixtureMap(self.weights_, maps) if plain else None

    def _predict(self, scores, groups=None):
        if self._mixture is not None:  # asks each member without checking anew
            return self._mixture._evaluate(scores)
        found = (protocol.calibrated(member, scores, groups) for member in self.calibrators_)
        return mixed(self.weights_, found)


def _gains(gains, copies):
    """Whether the mean of the gains is more than its standard error above 0."""
    mean, total = np.average(gains, weights=copies), copies.sum()
    return bool(mean > np.sqrt(np.average((gains - mean) ** 2, weights=copies) / total))
