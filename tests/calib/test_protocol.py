"""Calibrators and classifiers from anywhere: which are taken, and how others are refused."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.isotonic import IsotonicRegression
from sklearn.naive_bayes import GaussianNB

from calib import (
    CalibratedClassifier,
    CalibratorCV,
    HeterogeneousCalibrator,
    NearIsotonicPath,
    PlattScaling,
)
from calibkit.groups import MondrianVennAbers
from calibkit.prediction_intervals import AdaptiveCalibrator

X, Y = make_classification(300, 5, n_informative=3, flip_y=0.2, random_state=0)
ONE_GROUP = np.zeros(300)


def fits(calibrator, weights=None):
    """Both ways to use a calibrator, as functions without arguments."""
    yield lambda: CalibratedClassifier(GaussianNB(), calibrator).fit(X, Y, weights)
    yield lambda: HeterogeneousCalibrator(calibrator=calibrator).fit(
        X[:, 0], Y, sample_weight=weights, groups=ONE_GROUP
    )


class Constant(BaseEstimator):
    """A calibrator of another package: no tags, no weights."""

    def __init__(self, probabilities):
        self.probabilities = probabilities

    def fit(self, scores, labels):
        return self

    def predict(self, scores):
        return self.probabilities


@pytest.mark.parametrize(
    "calibrator, message",
    [
        ("isotonic", r"calibrator must be .* PlattScaling\(\) or Iso.*; found 'isotonic'"),
        (PlattScaling, "calibrator must be an estimator with .*; found <class"),
        (AdaptiveCalibrator(), "AdaptiveCalibrator.predict asks for .* 'lower'.*: use it by"),
        (NearIsotonicPath(), "NearIsotonicPath.predict asks for something else .* 'lam'"),
        (HeterogeneousCalibrator(), "HeterogeneousCalibrator asks for the groups of the rows"),
        (MondrianVennAbers(), "MondrianVennAbers asks for the groups of the rows, which are not"),
        (CalibratorCV([MondrianVennAbers()]), "CalibratorCV asks for the groups of the rows"),
    ],
)
def test_what_is_no_calibrator_is_refused_at_fit(calibrator, message):
    for fit in fits(calibrator):
        with pytest.raises(ValueError, match=message):
            fit()


@pytest.mark.parametrize("estimator", ["logistic", GaussianNB, IsotonicRegression()], ids=str)
def test_what_is_no_classifier_is_refused_at_fit(estimator):
    with pytest.raises(ValueError, match="estimator must be a classifier with decision_function"):
        CalibratedClassifier(estimator).fit(X, Y)


@pytest.mark.parametrize(
    "calibrator, message",
    [
        (IsotonicRegression(), r"IsotonicRegression predicts nan for .*out_of_bounds='clip'"),
        (Constant(np.full(300, 1.5)), "calibrator Constant predicts 1.5 for the score"),
        (Constant(np.full(300, -1e-9)), "calibrator Constant predicts -1e-09 for the score"),
        (Constant(np.zeros((300, 2))), r"predicts an array of shape \(300, 2\) for 300 scores"),
    ],
)
def test_predictions_that_are_no_probabilities_are_refused(calibrator, message):
    classifier, heterogeneous = (fit() for fit in fits(calibrator))
    for predict in [
        lambda: classifier.predict_proba(9 * X),
        lambda: heterogeneous.predict(9 * X[:, 0], groups=ONE_GROUP),
    ]:
        with pytest.raises(ValueError, match=message):
            predict()


def test_a_calibrator_that_takes_no_weights_is_refused_with_weights():
    constant = Constant(np.full(300, 0.5))
    for fit in fits(constant, weights=np.ones(300)):
        with pytest.raises(ValueError, match="calibrator Constant.fit takes no sample_weight"):
            fit()
    classifier, heterogeneous = (fit() for fit in fits(constant))
    np.testing.assert_array_equal(classifier.predict_proba(X), 0.5)
    np.testing.assert_array_equal(heterogeneous.predict(X[:, 0], groups=ONE_GROUP), 0.5)
