"""A classifier and its calibrator as one scikit-learn estimator."""

import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    LeaveOneOut,
    StratifiedShuffleSplit,
    check_cv,
)
from sklearn.utils import column_or_1d, get_tags, indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from calib.platt import PlattScaling
from calib.validation import check_choice, check_integer, check_positive, check_weights


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Classify, then calibrate the scores on the calibration set that `cv` makes.

    .. math:: P(z = 1 \mid x) = f(s(x))

    s is the score of `estimator`, f the map of `calibrator`. More than two classes are calibrated
    one against the rest, :math:`P(z = k \mid x) = f_k(s_k(x)) / \sum_j f_j(s_j(x))`, and all are
    equally likely where every :math:`f_j` is 0.

    Parameters
    ----------
    estimator : classifier, default=LogisticRegression()
        Has `decision_function` or `predict_proba`. The default has both, so that every other
        argument may be tried with it (scikit-learn's `CalibratedClassifierCV` takes LinearSVC).
    calibrator : Calibrator, default=PlattScaling()
        Anything with ``fit(scores, labels)`` and ``predict(scores)`` on 1-D arrays. The default,
        as in scikit-learn, suits margins and small samples.
    cv : float, int, str, splitter or iterable of splits, default=5
        Where the scores to calibrate on come from:

        * a float in (0, 1): that share of the rows, drawn at random within each class, is held
          out; the classifier is trained on the others only (data partitioning);
        * an integer k or ``"leave_one_out"``: each row is scored by a classifier trained without
          its fold (consecutive rows within each class), or without itself; then the classifier
          is trained on all rows;
        * ``"prefit"``: `estimator` is fitted already and used as it is; `fit` is given calibration
          rows, which it should not have seen;
        * ``"same"``: the training rows themselves. A classifier that overfits them is then
          taken at its word;
        * a splitter of scikit-learn, or an iterable of (training rows, scored rows): one split is
          data partitioning, the scores of several are pooled as with k folds. To shuffle the
          folds, pass ``StratifiedKFold(5, shuffle=True, random_state=0)``.
    ensemble : bool, default=False
        What becomes of several splits. False: one calibrator learns from all their scores, and
        one classifier, trained on all rows, is calibrated with it. True: each split has a
        calibrated classifier of its own, trained and calibrated on its two parts, and their
        probabilities are averaged, or combined as the calibrator's method `combine` says. With
        `VennAbers` that is the cross Venn-Abers predictor (CVAP). A single split is the same
        either way.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        What the score is; ``"auto"`` prefers the decision function, which does not saturate.
        Calibrators that work on [0, 1] need ``"predict_proba"``.
    random_state : int, RandomState or None, default=None
        Draws the held-out rows if `cv` is a float. Nothing else is random here.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted class labels.
    estimator_ : classifier
        The fitted classifier; with ``"prefit"``, `estimator` itself.
    calibrators_ : list of Calibrator
        One for two classes (it predicts ``classes_[1]``), else one per class.
    members_ : list of (classifier, list of Calibrator)
        ``(estimator_, calibrators_)``, or with ``ensemble=True`` such a pair for each split; of
        several pairs none is called `estimator_`.
    n_features_in_, feature_names_in_ : int, ndarray
        Those of the classifier, where it has them.

    Notes
    -----
    `X` goes to the estimator as it comes (data frames, sparse matrices, text).

    Cost: one training for a share, k + 1 for k folds, n + 1 for leave-one-out, none for
    ``"prefit"``; then the calibrator's, once per class. O(n) further memory.

    An ensemble of k folds costs k trainings, and its predictions k times as much. Every fold needs
    rows of each class to calibrate on.

    Leave-one-out is biased for weak classifiers: without a positive the others' positive rate is
    lower, hence its score too, and conversely; scores of pure noise then look *anti*-correlated
    with the labels. Stratified folds do not have this fault.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2014), section 5.1, describe data partitioning and leave-one-out
    or k folds; their own experiments use ``cv="same"``. ``CalibratedClassifierCV(ensemble=False)``
    of scikit-learn is the k-fold scheme, ``ensemble=True`` its ensemble. Vovk, Petej and
    Fedorova (2015) introduce cross Venn-Abers predictors.

    Examples
    --------
    >>> from calib import CalibratedClassifier, IsotonicCalibrator
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> classifier = CalibratedClassifier(GaussianNB(), IsotonicCalibrator(), cv=5).fit(X, y)
    >>> classifier.predict_proba(X[18:21]).round(3)
    array([[1.   , 0.   ],
           [0.038, 0.962],
           [0.037, 0.963]])
    """

    def __init__(
        self,
        estimator=None,
        calibrator=None,
        *,
        cv=5,
        ensemble=False,
        response_method="auto",
        random_state=None,
    ):
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.ensemble = ensemble
        self.response_method = response_method
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Train the classifier (unless it is prefit) and calibrate it.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, n_features)
            Whatever `estimator` takes.
        y : array-like of shape (n,)
            Class labels, two classes or more.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, used in training, if `estimator` takes weights, and calibration.

        Returns
        -------
        self : CalibratedClassifier

        Raises
        ------
        ValueError
            If an argument is not as described, or if a class is absent from the calibration rows
            or from the training rows of a split: its probability could only be made up.

        Warns
        -----
        UserWarning
            If there are weights that `estimator` does not take, or fewer than k rows of a class.
        """
        self._check_arguments()
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        check_classification_targets(y)
        X, y = indexable(X, column_or_1d(y, warn=True))
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            found = f"one class only ({self.classes_[0]})" if y.size else "no rows"
            raise ValueError(f"y holds {found}: pass rows of at least two classes")
        weights = None if sample_weight is None else check_weights(sample_weight, size=y.size)
        training_weights = self._training_weights(weights)
        parts = self._scored_parts(X, codes, training_weights)
        if not self.ensemble:
            parts = [self._pooled(parts, X, codes, training_weights)]
        self.members_ = [
            (estimator, self._calibrate(scores, codes[rows], _take(weights, rows)))
            for estimator, scores, rows in parts
        ]
        return self

    def predict_proba(self, X):
        """Calibrated probabilities, of shape (n, n_classes); each row sums to 1."""
        check_is_fitted(self)
        members = np.array([self._probabilities(X, *member) for member in self.members_])
        if len(members) == 1:
            return members[0]
        calibrator = self.members_[0][1][0]
        combine = calibrator.combine if hasattr(calibrator, "combine") else _mean
        combined = combine(members)
        return combined / combined.sum(axis=1, keepdims=True)

    def predict(self, X):
        """Class of the largest calibrated probability; of equal ones, the first."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @property
    def estimator_(self):
        """The classifier, if there is only one."""
        return self._only_member()[0]

    @property
    def calibrators_(self):
        """The calibrators, if there is only one classifier."""
        return self._only_member()[1]

    @property
    def n_features_in_(self):
        """Number of features that the classifier was trained on."""
        return self.members_[0][0].n_features_in_

    @property
    def feature_names_in_(self):
        """Names of the features, if the classifier was trained on a data frame."""
        return self.members_[0][0].feature_names_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._template()).input_tags
        return tags

    def _template(self):
        return LogisticRegression() if self.estimator is None else self.estimator

    def _check_arguments(self):
        check_choice(
            self.response_method, ["auto", "decision_function", "predict_proba"], "response_method"
        )
        if not isinstance(self.ensemble, bool | np.bool_):
            raise ValueError(f"ensemble must be True or False; found {self.ensemble!r}")
        if isinstance(self.cv, str):
            check_choice(self.cv, ["leave_one_out", "prefit", "same"], "cv")
        elif isinstance(self.cv, numbers.Integral):
            check_integer(self.cv, "cv", minimum=2)
        elif isinstance(self.cv, numbers.Real):
            check_positive(self.cv, "cv", below=1)

    def _only_member(self):
        if len(self.members_) > 1:
            raise AttributeError("an ensemble has several classifiers and calibrators: members_")
        return self.members_[0]

    def _scored_parts(self, X, codes, weights):
        """For each split the classifier, the scores to calibrate on, the rows they belong to."""
        everything = np.arange(codes.size)
        if self._is_prefit():
            yield self._prefit(), self._scores(self.estimator, X), everything
            return
        n_splits = 0
        for training, scored in self._splits(X, codes):
            n_splits += 1
            training, scored = everything[training], everything[scored]  # masks become indices
            estimator = self._train(X, codes, weights, training)
            X_scored, _ = _safe_split(estimator, X, None, scored, training)
            yield estimator, self._scores(estimator, X_scored), scored
        if n_splits == 0:
            raise ValueError("cv yields no split: pass at least one (a generator works only once)")

    def _pooled(self, parts, X, codes, weights):
        """One part of them all; if they are several, its classifier is trained on all rows."""
        estimator, scores, rows = next(parts)
        scores, rows = [scores], [rows]
        for _, scores_of_part, rows_of_part in parts:
            scores.append(scores_of_part)
            rows.append(rows_of_part)
        if len(rows) > 1:
            estimator = self._train(X, codes, weights, np.arange(codes.size))
        return estimator, np.concatenate(scores), np.concatenate(rows)

    def _calibrate(self, scores, codes, weights):
        """Fit the calibrators, each on its column of scores."""
        self._require_every_class(codes, weights, "the calibration rows")
        positives = [1] if self.classes_.size == 2 else range(self.classes_.size)
        template = PlattScaling() if self.calibrator is None else self.calibrator
        return [
            _fit(clone(template), column, codes == positive, weights)
            for positive, column in zip(positives, scores.T, strict=True)
        ]

    def _probabilities(self, X, estimator, calibrators):
        """Calibrated probabilities of one member."""
        columns = self._scores(estimator, X).T
        probabilities = np.column_stack(
            [f.predict(column) for f, column in zip(calibrators, columns, strict=True)]
        )
        if self.classes_.size == 2:
            return np.hstack([1 - probabilities, probabilities])
        totals = probabilities.sum(axis=1, keepdims=True)
        uniform = np.full_like(probabilities, 1 / self.classes_.size)
        return np.divide(probabilities, totals, out=uniform, where=totals > 0)

    def _prefit(self):
        check_is_fitted(
            self._template(),
            msg='cv="prefit" needs a fitted estimator, found an unfitted %(name)s: fit it first, '
            "and within cross-validation, which clones, pass FrozenEstimator(estimator)",
        )
        known = getattr(self.estimator, "classes_", self.classes_)
        if not np.array_equal(known, self.classes_):
            raise ValueError(
                f"y holds the classes {self.classes_} but estimator was fitted on {known}: pass "
                "calibration rows of each of its classes and of no other"
            )
        return self.estimator

    def _is_prefit(self):
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _training_weights(self, weights):
        if self._is_prefit() or weights is None:
            return weights
        if has_fit_parameter(self._template(), "sample_weight"):
            return weights
        warnings.warn(
            f"{type(self._template()).__name__}.fit takes no sample_weight: it is trained without "
            "weights and only calibrated with them. If it is a pipeline, calibrate its last step "
            "inside it instead",
            stacklevel=3,
        )
        return None

    def _splits(self, X, codes):
        """Pairs of training rows and rows to score."""
        cv = self.cv
        if isinstance(cv, str) and cv == "same":
            return [(slice(None), slice(None))]
        if isinstance(cv, str):
            cv = LeaveOneOut()
        elif isinstance(cv, numbers.Real) and not isinstance(cv, numbers.Integral):
            cv = StratifiedShuffleSplit(1, test_size=float(cv), random_state=self.random_state)
        return check_cv(cv, codes, classifier=True).split(X, codes)

    def _train(self, X, codes, weights, rows):
        weights = _take(weights, rows)
        self._require_every_class(codes[rows], weights, "the training rows of a split")
        estimator = clone(self._template())
        X, y = _safe_split(estimator, X, self.classes_[codes], rows)
        return _fit(estimator, X, y, weights)

    def _scores(self, estimator, X):
        """Scores as columns, one for each calibrator."""
        method = self.response_method
        if method == "auto":
            has_margin = hasattr(estimator, "decision_function")
            method = "decision_function" if has_margin else "predict_proba"
        name = type(estimator).__name__
        if not hasattr(estimator, method):
            raise ValueError(
                f"estimator {name} has no {method}: choose another response_method or classifier"
            )
        scores = np.asarray(getattr(estimator, method)(X))
        if scores.ndim == 1:
            scores = scores[:, np.newaxis]
        n_classes = self.classes_.size
        if n_classes == 2 and scores.shape[1] <= 2:
            return scores[:, -1:]  # of class 1
        if scores.shape[1] != n_classes:
            raise ValueError(
                f"estimator {name}: {method} gives {scores.shape[1]} columns for {n_classes} "
                "classes, but one for each class is needed (SVC: decision_function_shape='ovr')"
            )
        return scores

    def _require_every_class(self, codes, weights, where):
        absent = np.bincount(codes, weights, minlength=self.classes_.size) == 0
        if absent.any():
            raise ValueError(
                f"class {self.classes_[absent][0]} has no row (of positive weight) in {where}: "
                "collect more rows of this class or choose another cv"
            )


def _mean(probabilities):
    return np.mean(probabilities, axis=0)


def _take(weights, rows):
    return None if weights is None else weights[rows]


def _fit(model, X, y, weights):
    return model.fit(X, y) if weights is None else model.fit(X, y, sample_weight=weights)
