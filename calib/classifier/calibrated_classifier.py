"""A classifier and its calibrator as one scikit-learn estimator."""

from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_method_params, check_is_fitted

from calib.base import protocol
from calib.base.arrays import check_weights
from calib.base.failures import restored_on_failure
from calib.base.options import RandomState, check_choice, check_flag
from calib.classifier.splitting import TrainingSample, check_splitting, is_prefit
from calib.methods.selection import CalibratorCV
from calib.methods.stacking import StackedCalibrator


class RoutedParams(NamedTuple):
    """Parameters for the fit of the classifier, the splitter, and the fit of the calibrators."""

    training: dict
    splitting: dict
    calibrating: dict


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Classify, then calibrate the scores on the calibration set that `cv` makes.

    .. math:: P(z = 1 \mid x) = f(s(x))

    s is the score of `estimator`, f the map of `calibrator`. More than two classes are calibrated
    together by a calibrator of `calibkit.multiclass`. With any other they are calibrated one
    against the rest, :math:`P(z = k \mid x) = f_k(s_k(x)) / \sum_j f_j(s_j(x))`, and all are
    equally likely where every :math:`f_j` is 0.

    Parameters
    ----------
    estimator : classifier, default=LogisticRegression()
        Has `decision_function` or `predict_proba`. The default has both, so that every other
        argument may be tried with it (scikit-learn's `CalibratedClassifierCV` takes LinearSVC).
    calibrator : Calibrator, MulticlassCalibrator or list of Calibrator, default=StackedCalibrator()
        Any estimator with ``fit(scores, labels)`` and ``predict(scores)`` on 1-D arrays, such as
        scikit-learn's ``IsotonicRegression(out_of_bounds="clip")``. scikit-learn's default is
        `PlattScaling`. From a list `CalibratorCV` chooses one.
    cv : float, int, str, splitter or iterable of splits, default=5
        The source of the scores to calibrate on:

        * a float in (0, 1): that fraction of the rows, drawn at random within each class, is held
          out. The classifier is trained on the others only (data partitioning);
        * an integer k or ``"leave_one_out"``: each row is scored by a classifier trained without
          its fold (consecutive rows within each class), or without itself. Then the classifier
          is trained on all rows;
        * ``"prefit"``: `estimator` is fitted already and is not changed. `fit` is given calibration
          rows, which it should not have seen;
        * ``"same"``: the training rows themselves. If the classifier overfits them, its scores
          are too extreme, and the calibrator cannot see it;
        * a splitter of scikit-learn, or an iterable of (training rows, scored rows): one split is
          data partitioning, the scores of several are pooled as with k folds. To shuffle the
          folds, pass ``StratifiedKFold(5, shuffle=True, random_state=0)``.
    ensemble : bool, default=False
        The use of several splits. False: one calibrator learns from all their scores, and it
        calibrates one classifier, trained on all rows. True: each split has its own calibrated
        classifier, trained and calibrated on its two parts, and the probabilities are averaged,
        or combined by the calibrator's method `combine`. With `VennAbers` that is the cross
        Venn-Abers predictor (CVAP). For a single split both are the same. Members that choose
        among several calibrators may choose differently, and are averaged.
    response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
        The method that gives the scores. ``"auto"`` takes the probability for calibrators that
        work on [0, 1] (`unit_scores`), such as ``PlattScaling(scale="logit")``. For others it
        prefers the decision function, which does not saturate. For the default calibrator it
        prefers the probability, which is itself a member of that average.
    random_state : None, int, numpy Generator or RandomState, default=None
        Draws the held-out rows if `cv` is a float. Nothing else is random here.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted class labels.
    estimator_ : classifier
        The fitted classifier; with ``"prefit"``, `estimator` itself.
    calibrators_ : list of Calibrator
        One for two classes (it predicts ``classes_[1]``) or for all classes at once, else one per
        class.
    members_ : list of (classifier, list of Calibrator)
        ``(estimator_, calibrators_)``, or with ``ensemble=True`` such a pair for each split. With
        several pairs there is no `estimator_`.
    n_features_in_, feature_names_in_ : int, ndarray
        The attributes of the classifier, if it has them.

    Notes
    -----
    `X` goes to the estimator unchanged (data frames, sparse matrices, text).

    With ``sklearn.set_config(enable_metadata_routing=True)`` this is a router. The parameters of
    `fit` go to the methods that request them: the classifier's `fit`, the splitter's `split` and
    the calibrator's `fit`. Calibrators of this package and the two defaults request weights by
    themselves, other estimators by their ``set_fit_request(sample_weight=True)``.

    The cost is one training for a fraction, k + 1 for k folds, n + 1 for leave-one-out, none for
    ``"prefit"``. The calibrator is fitted once per class. O(n) further memory.

    An ensemble of k folds costs k trainings, and its predictions k times as much. Every fold needs
    rows of each class to calibrate on.

    Leave-one-out is biased for weak classifiers. Without a positive row, the positive rate of the
    remaining rows is lower, and therefore the row's score is lower. Negative rows get higher
    scores. Scores of pure noise then look *anti*-correlated with the labels. Stratified folds do
    not have this fault.

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
        estimator: Any = None,
        calibrator: Any = None,
        *,
        cv: Any = 5,
        ensemble: bool = False,
        response_method: str = "auto",
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.ensemble = ensemble
        self.response_method = response_method
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Self:
        """Train the classifier (unless it is prefit) and calibrate it.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n, n_features)
            Whatever `estimator` takes.
        y : array-like of shape (n,)
            Class labels, two classes or more.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights, used in training, if `estimator` takes weights, and calibration.
        groups : array-like of shape (n,), optional
            For the splitter: rows of one group are trained on or scored together, with splitters
            such as ``GroupKFold``.
        **fit_params
            For the classifier's `fit`, such as a setting of early stopping. Arrays of n rows are
            split like X.

        Returns
        -------
        self : CalibratedClassifier

        Raises
        ------
        ValueError
            If an argument is not as described, or if a class is absent from the calibration rows or
            from the training rows of a split. Its probability could only be made up. An earlier fit
            is then kept.
        TypeError
            If nothing takes one of the fit parameters.

        Warns
        -----
        UserWarning
            If there are weights that `estimator` does not take, or fewer than k rows of a class.
        """
        with restored_on_failure(self):
            self._fit(X, y, sample_weight, groups, fit_params)
        return self

    # The user may switch the request of weights off. Groups are for the splitter only.
    __metadata_request__fit: ClassVar[dict] = {"sample_weight": True, "groups": UNUSED}

    def get_metadata_routing(self) -> MetadataRouter:
        """The router of the parameters of `fit` to classifier, splitter and calibrator."""
        fit = MethodMapping().add(caller="fit", callee="fit")
        split = MethodMapping().add(caller="fit", callee="split")
        training = MethodMapping() if is_prefit(self.cv) else fit
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        router.add(estimator=self._classifier(), method_mapping=training)
        router.add(splitter=self.cv, method_mapping=split)
        return router.add(calibrator=self._calibrator(), method_mapping=fit)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Calibrated probabilities, of shape (n, n_classes). Each row sums to 1."""
        check_is_fitted(self)
        predictions = np.array(
            [self._probabilities(X, estimator, fitted) for estimator, fitted in self.members_]
        )
        if len(predictions) == 1:
            return predictions[0]
        calibrator = self.members_[0][1][0]
        if hasattr(calibrator, "combine"):
            combined = calibrator.combine(predictions)
        else:
            combined = np.mean(predictions, axis=0)
        return combined / combined.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> NDArray:
        """Class of the largest calibrated probability, or the first of several such classes."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    @property
    def estimator_(self) -> BaseEstimator:
        """The classifier, if there is only one."""
        return self._only_member()[0]

    @property
    def calibrators_(self) -> list:
        """The calibrators, if there is only one classifier."""
        return self._only_member()[1]

    @property
    def n_features_in_(self) -> int:
        """Number of features that the classifier was trained on."""
        return self.members_[0][0].n_features_in_

    @property
    def feature_names_in_(self) -> NDArray:
        """Names of the features, if the classifier was trained on a data frame."""
        return self.members_[0][0].feature_names_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        classifier_tags = get_tags(self._classifier())
        tags.input_tags = classifier_tags.input_tags
        if classifier_tags.classifier_tags is not None:
            tags.classifier_tags.multi_class = classifier_tags.classifier_tags.multi_class
        return tags

    def _classifier(self):
        return protocol.default_classifier() if self.estimator is None else self.estimator

    def _calibrator(self):
        if isinstance(self.calibrator, list | tuple):
            return CalibratorCV(self.calibrator)
        return StackedCalibrator() if self.calibrator is None else self.calibrator

    def _check_arguments(self):
        check_choice(
            self.response_method, ["auto", "decision_function", "predict_proba"], "response_method"
        )
        check_flag(self.ensemble, "ensemble")
        check_splitting(self.cv)
        if not is_prefit(self.cv):
            protocol.check_classifier(self._classifier())

    def _fit(self, X, y, sample_weight, groups, fit_params):
        self._check_arguments()
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        check_classification_targets(y)
        X, y = indexable(X, column_or_1d(y, warn=True))
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            content = f"one class only ({self.classes_[0]})" if y.size else "no rows"
            raise ValueError(f"y holds {content}: pass rows of at least two classes")
        if sample_weight is not None:
            sample_weight = check_weights(sample_weight, size=y.size, other="y")
        routed = self._routed(sample_weight, groups, fit_params)
        sample = TrainingSample(X=X, codes=codes, classes=self.classes_, params=routed.training)
        classifier = self._classifier()
        parts = sample.parts(classifier, self._scores, self.cv, routed.splitting, self.random_state)
        if not self.ensemble:
            parts = [sample.pooled(classifier, parts)]
        self.members_ = []
        for part in parts:
            params = _check_method_params(X, routed.calibrating, indices=part.rows)
            sample.require_every_class(part.rows, params, "the calibration rows")
            calibrators = self._calibrate(part.scores, codes[part.rows], params)
            self.members_.append((part.estimator, calibrators))

    def _routed(self, sample_weight, groups, fit_params):
        """The parameters of `fit`, given to those that ask for them."""
        if get_config()["enable_metadata_routing"]:
            protocol.check_is_calibrator(self._calibrator(), multiclass=True)
            params = {"sample_weight": sample_weight, "groups": groups} | fit_params
            params = {name: value for name, value in params.items() if value is not None}
            routed = process_routing(self, "fit", **params)
            return RoutedParams(
                training=routed["estimator"].get("fit", {}),  # a prefit classifier has none
                splitting=routed["splitter"]["split"],
                calibrating=routed["calibrator"]["fit"],
            )
        weighted = sample_weight is not None
        protocol.check_is_calibrator(self._calibrator(), weighted=weighted, multiclass=True)
        if groups is not None and isinstance(self.cv, str) and self.cv != "leave_one_out":
            raise ValueError(f"groups are for a splitter, but cv={self.cv!r} splits nothing")
        prefit = is_prefit(self.cv)
        if fit_params and prefit:
            raise ValueError(
                'cv="prefit" trains no classifier, which could take the fit parameters '
                f"{', '.join(fit_params)}: leave them out"
            )
        training = {} if prefit else protocol.training_weights(self._classifier(), sample_weight)
        splitting = {} if groups is None else {"groups": groups}
        calibrating = {} if sample_weight is None else {"sample_weight": sample_weight}
        return RoutedParams(
            training=training | fit_params, splitting=splitting, calibrating=calibrating
        )

    def _only_member(self):
        if len(self.members_) > 1:
            raise AttributeError("an ensemble has several classifiers and calibrators: members_")
        return self.members_[0]

    def _calibrate(self, scores, codes, params):
        """Fit the calibrators, each on its column of scores."""
        if protocol.is_multiclass(self._calibrator()):
            return [clone(self._calibrator()).fit(scores, codes, **params)]
        positives = [1] if self.classes_.size == 2 else range(self.classes_.size)
        return [
            clone(self._calibrator()).fit(column, codes == positive, **params)
            for positive, column in zip(positives, scores.T, strict=True)
        ]

    def _probabilities(self, X, estimator, calibrators):
        """Calibrated probabilities of one member."""
        scores = self._scores(estimator, X)
        if protocol.is_multiclass(calibrators[0]):
            return calibrators[0].predict_proba(scores)
        probabilities = np.column_stack(
            [
                protocol.calibrated(calibrator, column)
                for calibrator, column in zip(calibrators, scores.T, strict=True)
            ]
        )
        if self.classes_.size == 2:
            return np.hstack([1 - probabilities, probabilities])
        return protocol.normalized_rows(probabilities)

    def _scores(self, estimator, X):
        method = self.response_method
        by_default = self.calibrator is None and hasattr(estimator, "predict_proba")
        if method == "auto" and (by_default or protocol.needs_unit_scores(self._calibrator())):
            method = "predict_proba"
        scores = protocol.classifier_scores(estimator, X, method, self.classes_.size)
        return protocol.class_columns(self._calibrator(), scores)
