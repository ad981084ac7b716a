"""The average of several calibrators of all classes, with weights learned by cross-validation."""

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.base import clone

from calib.base.curve_maps import mixed
from calib.base.options import check_integer, check_positive
from calib.base.probabilities import log_probabilities
from calib.base.protocol import check_is_calibrator, is_multiclass
from calib.methods.folds import deal
from calib.methods.identity import IdentityCalibrator
from calib.methods.out_of_fold import held_out_losses, n_folds_needed
from calib.methods.path_weights import path_weights, prior_weights
from calib.methods.spline import SplineCalibrator
from calibkit.multiclass.base import MulticlassCalibrator
from calibkit.multiclass.linear import TemperatureScaling, VectorScaling
from calibkit.multiclass.reductions import OneVsRestCalibrator


class StackedCalibrator(MulticlassCalibrator):
    r"""An average of calibrators, :math:`\sum_k v_k \hat p_k(p)`, weighted by held-out losses.

    Each calibrator learns from all folds but one and predicts that one, in turn. A calibrator
    weighs the more, the smaller its log loss on the held-out rows is. Then each learns from all
    rows.

    Parameters
    ----------
    calibrators : sequence of MulticlassCalibrator, optional
        Members. By default the probabilities themselves, temperature scaling, vector scaling, and
        a spline for each class against the rest.
    cv : int, default=5
        Number of folds, split at random class by class as in `calib.CalibratorCV`. With more than
        100,000 observations one fold is held out, and no other.
    trust : float, default=0.5
        Prior weight of the probabilities themselves, in (0, 1): of the members that are
        ``OneVsRestCalibrator(IdentityCalibrator())``. The others share the rest equally. If no
        member is one, all have equal prior weights.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
        Positive, of sum 1. The prior weights if there is one class only.
    losses_ : ndarray of shape (n_members,)
        Mean log loss of each out of fold, or NaN if there is one class only.
    calibrators_ : list of MulticlassCalibrator
        The members, fitted to all rows.

    Raises
    ------
    ValueError
        If `cv` is no integer of at least 2, `trust` is not between 0 and 1, or a member is no
        calibrator of all classes that takes weights (when `fit` is called).

    Notes
    -----
    With two classes, and members that agree, the weights are equal to the weights of
    `calib.StackedCalibrator`. Probabilities are kept at or above 2**-53 in the losses. Other
    numbers of the same classes give other folds, and therefore other weights.

    References
    ----------
    Wolpert (1992); Yao, Vehtari, Simpson and Gelman (2018).

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.multiclass import StackedCalibrator
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([1, 1, 1], 1000)
    >>> labels = [rng.choice(3, p=row) for row in truth]
    >>> rows = truth**2 / np.sum(truth**2, axis=1, keepdims=True)  # twice too sure
    >>> StackedCalibrator().fit(rows, labels).weights_.round(1)
    array([0. , 0.5, 0.3, 0.2])
    """

    def __init__(self, calibrators: Sequence | None = None, *, cv: int = 5, trust: float = 0.5):
        self.calibrators = calibrators
        self.cv = cv
        self.trust = trust

    @property
    def unit_scores(self) -> bool:
        """Whether rows must be probabilities: for one of the members."""
        return any(getattr(member, "unit_scores", False) for member in self._members())

    def _members(self):
        if self.calibrators is None:
            return [
                OneVsRestCalibrator(IdentityCalibrator()),
                TemperatureScaling(),
                VectorScaling(),
                OneVsRestCalibrator(SplineCalibrator()),
            ]
        if not isinstance(self.calibrators, list | tuple):
            raise ValueError(
                f"calibrators must be a list of calibrators; found {self.calibrators!r}"
            )
        return self.calibrators

    def _fit(self, probabilities, labels, weights):
        check_integer(self.cv, "cv", minimum=2)
        check_positive(self.trust, "trust", below=1)
        members = list(self._members())
        if not members:
            raise ValueError("calibrators is empty: pass at least one")
        for member in members:
            check_is_calibrator(member, weighted=True, multiclass=True)
            if not is_multiclass(member):
                raise ValueError(
                    f"calibrators holds {member!r}, which takes two classes: pass "
                    "OneVsRestCalibrator of it"
                )
        weights = np.ones(labels.size) if weights is None else weights
        with warnings.catch_warnings():  # a member that harms loses its weight
            warnings.simplefilter("ignore")
            self._learn_weights(members, probabilities, labels, weights)
            self.calibrators_ = [
                clone(member).fit(probabilities, labels, sample_weight=weights)
                for member in members
            ]

    def _learn_weights(self, members, probabilities, labels, weights):
        is_scores = np.array([_keeps_probabilities(member) for member in members])
        self.weights_ = prior_weights(is_scores, self.trust)
        self.losses_ = np.full(len(members), np.nan)
        counts = np.bincount(labels, weights)
        counts = counts[counts > 0]
        if counts.size < 2 or counts.max() <= 1:
            return
        last, *others = probabilities.T[::-1]
        n_needed = n_folds_needed(counts.min(), weights.sum(), self.cv)
        folds = deal(last, labels, weights, self.cv, others, n_needed)
        losses = np.column_stack(
            [
                held_out_losses(_MemberLosses(member, probabilities, labels), weights, folds)
                for member in members
            ]
        )
        copies = folds[folds > 0]
        self.weights_ = path_weights(copies @ losses, self.weights_)
        self.losses_ = np.average(losses, axis=0, weights=copies)

    def _predict_proba(self, probabilities):
        predictions = (member.predict_proba(probabilities) for member in self.calibrators_)
        return mixed(self.weights_, predictions)


def _keeps_probabilities(member):
    """Whether the member is the probabilities themselves."""
    inner = getattr(member, "calibrator", None)
    return isinstance(member, OneVsRestCalibrator) and isinstance(inner, IdentityCalibrator)


class _MemberLosses:
    """Log losses of some rows under a copy of the member that has learned from other rows."""

    def __init__(self, member, probabilities, labels):
        self.member = member
        self.probabilities = probabilities
        self.labels = labels

    def __call__(self, weights, rows):
        fitted = clone(self.member).fit(self.probabilities, self.labels, sample_weight=weights)
        logs = log_probabilities(fitted.predict_proba(self.probabilities[rows]))
        outcomes = self.labels[rows, np.newaxis].astype(np.int64)
        return -np.take_along_axis(logs, outcomes, axis=1)[:, 0]
