"""scikit-learn's own checks of an estimator, for every public estimator.

The checks fit (X, y) with X of two dimensions. What is fitted otherwise meets them as follows.

* Calibrators, fitted to (scores, labels) of one dimension or to rows of probabilities: scikit-learn
  checks that they can be cloned and skips the rest, as with its own `IsotonicRegression`. Here each
  of them goes through all checks inside a `CalibratedClassifier`, too, which hands it its scores.
* `HeterogeneousCalibrator` and `Multicalibration`, which look at features or groups beside the
  score, and `AUCSplitTree`, fitted to (X, scores, labels): a subclass with scores of its own, and
  groups made of X, goes through all checks.
"""

import ast
import inspect
import re

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import _num_samples

import calib
import calibkit
from calib import (
    AUCSplitTree,
    CalibratedClassifier,
    Calibrator,
    HeterogeneousCalibrator,
    IsotonicCalibrator,
    ScoreModel,
    TransductiveVennAbers,
    VennAbers,
)
from calibkit.groups import Multicalibration
from calibkit.multiclass import MulticlassCalibrator, TemperatureScaling
from calibkit.prediction_intervals import SelfCalibratingConformal
from calibkit.streams import OnlineCalibrator

TREE = DecisionTreeClassifier(max_depth=3, random_state=0)  # scores equal to the last digit
ESTIMATORS = [
    value
    for value in (getattr(calib, name) for name in calib.__all__)
    if isinstance(value, type) and issubclass(value, BaseEstimator)
]
BASES = {Calibrator, OnlineCalibrator, ScoreModel}
ONE_DIMENSIONAL = [cls for cls in ESTIMATORS if issubclass(cls, ScoreModel) and cls not in BASES]
CALIBRATORS = [
    cls for cls in ONE_DIMENSIONAL if issubclass(cls, Calibrator) and cls.takes_groups is not True
]
ONE_DIMENSIONAL += [SelfCalibratingConformal]
MULTICLASS = [
    value
    for value in (getattr(calibkit.multiclass, name) for name in calibkit.multiclass.__all__)
    if isinstance(value, type) and value is not MulticlassCalibrator
]


class TwoDimensional:
    """Of features instead of scores, with `fit` and `predict` alone, which gives probabilities."""

    @property
    def score(self):
        raise AttributeError("the checks would call it without scores")

    predict_proba = predict_logit = score

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.one_d_array = True, False
        tags.estimator_type = None
        return tags


@pytest.mark.parametrize("cls", [cls for cls in [*ESTIMATORS, *MULTICLASS] if cls not in BASES])
def test_defaults_are_those_of_the_docstring(cls):
    required = {
        name for name, p in inspect.signature(cls).parameters.items() if p.default is p.empty
    }
    for name, value in cls(**dict.fromkeys(required)).get_params(deep=False).items():
        words = rf"^(?:\w+, )*{name}(?:, \w+)* : .*?(?:default=(.*))?$"
        (shown,) = re.findall(words, inspect.getdoc(cls), re.MULTILINE)
        if name not in required and value is not None:  # what None stands for is shown in its place
            assert ast.literal_eval(shown) == value, name


class Heterogeneous(TwoDimensional, HeterogeneousCalibrator):
    """A `HeterogeneousCalibrator` of scores that are all 0."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()  # what features may hold is the business of the partition
        tags.input_tags = get_tags(self.partition or DecisionTreeClassifier()).input_tags
        return tags

    def fit(self, X, y, sample_weight=None):
        scores = np.zeros(_num_samples(X))
        return super().fit(scores, binary(y), sample_weight=sample_weight, features=X)

    def predict(self, X):
        return super().predict(np.zeros(_num_samples(X)), features=X)


class Multicalibrated(TwoDimensional, Multicalibration):
    """A `Multicalibration` of scores that are all 1/2, for groups of positive features."""

    def fit(self, X, y, sample_weight=None):
        scores = np.full(_num_samples(X), 0.5)
        return super().fit(scores, binary(y), sample_weight=sample_weight, groups=X)

    def predict(self, X):
        return super().predict(np.full(_num_samples(X), 0.5), groups=X)

    def _check_groups(self, groups, size, fitting):
        return self._members_by_column(groups, size, fitting)

    def _columns(self, X, **options):
        return super()._columns(X, **options) > 0


class ScoreTree(AUCSplitTree):
    """An `AUCSplitTree` of the labels as scores."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, binary(y), sample_weight)


def binary(y):
    if y is None:
        return None
    y = np.asarray(y)
    return y == y.max()


TWO_DIMENSIONAL = [
    pytest.param(CalibratedClassifier(), marks=pytest.mark.slow),
    CalibratedClassifier(TREE, cv=3),
    CalibratedClassifier(calibrator=IsotonicCalibrator(), cv=0.3, random_state=0),
    CalibratedClassifier(TREE, VennAbers(), cv=3, ensemble=True),
    *(
        CalibratedClassifier(TREE, calibrator(), cv="same", response_method="predict_proba")
        for calibrator in [*CALIBRATORS, *MULTICLASS]
    ),
    CalibratedClassifier(TREE, TemperatureScaling(scale="score"), cv="same"),
    pytest.param(TransductiveVennAbers(TREE), marks=pytest.mark.slow),
    Heterogeneous(),
    Heterogeneous(AUCSplitTree(min_samples_leaf=5), min_part_size=5),
    Multicalibrated(),
    Multicalibrated(scale="score", alpha=0.9),
    ScoreTree(),
    ScoreTree(min_samples_leaf=2),
]


WEIGHTS_AS_COPIES = "check_sample_weight_equivalence_on_dense_data"


def outcomes(estimator):
    """Names of the checks that pass, and what fails."""
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    passed = {result["check_name"] for result in results if result["status"] == "passed"}
    failed = {
        result["check_name"]: result["exception"]
        for result in results
        if result["status"] == "failed"
    }
    return passed, failed


@pytest.mark.filterwarnings(
    "ignore:The least populated class",  # samples of ten rows
    "ignore:invalid value encountered in cast:RuntimeWarning:sklearn",  # its look at a y of inf
    "ignore::sklearn.exceptions.SkipTestWarning",
    "ignore:scores separate the classes:sklearn.exceptions.ConvergenceWarning",  # as trees do
    "ignore:probabilities separate a class:sklearn.exceptions.ConvergenceWarning",
    "ignore:the labelled class has the largest:sklearn.exceptions.ConvergenceWarning",
)
@pytest.mark.parametrize("estimator", TWO_DIMENSIONAL, ids=lambda e: " ".join(str(e).split()))
def test_all_checks(estimator):
    passed, failed = outcomes(estimator)
    if isinstance(estimator, TransductiveVennAbers) and sklearn.__version__.startswith("1.6"):
        # where these checks call the classes of their two samples by different names
        for form in "dense", "sparse":
            del failed[f"check_sample_weight_equivalence_on_{form}_data"]
    if isinstance(estimator, Heterogeneous) and isinstance(estimator.partition, AUCSplitTree):
        # the smallest leaf is a number of rows: repeated ones may be split where one of weight 5
        # may not; that weights are copies in a given tree is tested with the calibrator
        failed.pop("check_sample_weight_equivalence_on_dense_data")
    if str(estimator) == "CalibratedClassifier()":
        # the model predicts copies with other last digits than the row that has their weight, and
        # rows that nearly tie are dealt to other folds than ties: see the next test
        failed.pop(WEIGHTS_AS_COPIES, None)
    assert not failed
    assert len(passed) > 40


class SixDigits(LogisticRegression):
    """A logistic regression that predicts copies of a row alike."""

    def predict_proba(self, X):
        return np.round(super().predict_proba(X), 6)

    def decision_function(self, X):
        return np.round(super().decision_function(X), 6)


@pytest.mark.slow
def test_weights_are_copies_for_the_default_where_the_model_predicts_copies_alike():
    failed = outcomes(CalibratedClassifier(SixDigits(tol=1e-12, max_iter=100_000)))[1]
    assert WEIGHTS_AS_COPIES not in failed


def test_tags_say_what_is_fitted():
    tags = get_tags(calib.PlattScaling())
    assert tags.target_tags.required and tags.target_tags.one_d_labels
    assert tags.input_tags.one_d_array and not tags.input_tags.two_d_array


@pytest.mark.filterwarnings("ignore:Can't test estimator:sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", [cls() for cls in MULTICLASS], ids=str)
def test_checks_of_estimators_that_take_rows_with_the_sum_one(estimator):
    passed, failed = outcomes(estimator)
    assert passed and not failed


@pytest.mark.filterwarnings("ignore:Can't test estimator:sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("estimator", [cls() for cls in ONE_DIMENSIONAL], ids=str)
def test_checks_of_one_dimensional_estimators(estimator):
    passed, failed = outcomes(estimator)
    assert passed and not failed
    tags = get_tags(estimator)
    assert tags.input_tags.one_d_array and not tags.input_tags.two_d_array
    assert tags.target_tags.required
    if isinstance(estimator, Calibrator):
        assert tags.estimator_type == "classifier" and not tags.classifier_tags.multi_class


def test_every_public_estimator_is_checked():
    checked = {type(getattr(e, "values", [e])[0]) for e in TWO_DIMENSIONAL}
    checked |= {base for cls in checked for base in cls.__bases__}
    assert set(ESTIMATORS) <= checked | {*ONE_DIMENSIONAL} | BASES
