"""The calibrators of the benchmark, in one form."""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer
from sklearn.tree import DecisionTreeClassifier

from calib import (
    ABB,
    BBQ,
    ENIR,
    AUCSplitTree,
    BetaCalibration,
    CalibratorCV,
    DirichletProcessCalibrator,
    HeterogeneousCalibrator,
    HistogramBinning,
    IsotonicCalibrator,
    KernelCalibrator,
    PlattScaling,
    QuadraticLogit,
    TemperatureScaling,
    VennAbers,
)
from calib.base.probabilities import log_odds

RAW = "Raw"
CHOSEN = "Chosen by CV"


class Candidate(NamedTuple):
    """A calibrator of the score alone, and the most calibration points on which it is tried."""

    calibrator: Any
    most: float = np.inf


class SplineOnLogits(BaseEstimator):
    """A cubic spline of the logit within logistic regression, both of scikit-learn.

    Six knots at equal distances, linear beyond them, ridge penalty with C = 1. Labels of one class
    give the constant (m + 1) / (n + 2) for m positives of n.
    """

    def fit(self, scores, labels):
        """Learn from probabilities and labels."""
        self.constant_ = None
        if labels.min() == labels.max():  # what LogisticRegression refuses
            self.constant_ = (labels.sum() + 1) / (labels.size + 2)
            return self
        spline = SplineTransformer(n_knots=6, extrapolation="linear", include_bias=False)
        self.model_ = make_pipeline(spline, LogisticRegression(max_iter=1000))
        self.model_.fit(log_odds(scores)[:, np.newaxis], labels)
        return self

    def predict(self, scores):
        """Probabilities of class 1."""
        if self.constant_ is not None:
            return np.full(scores.size, self.constant_)
        return self.model_.predict_proba(log_odds(scores)[:, np.newaxis])[:, 1]


CHOICE = [
    PlattScaling(scale="logit"),
    PlattScaling(),
    BetaCalibration(),
    QuadraticLogit(),
    VennAbers(),
]
CANDIDATES = {
    "Platt": Candidate(PlattScaling()),
    "Platt on logits": Candidate(PlattScaling(scale="logit")),
    "Temperature": Candidate(TemperatureScaling()),
    "Beta": Candidate(BetaCalibration()),
    "Quadratic": Candidate(QuadraticLogit()),
    "Spline": Candidate(SplineOnLogits()),
    "Histogram": Candidate(HistogramBinning(n_bins=10)),
    "Isotonic": Candidate(IsotonicCalibrator()),
    "ENIR": Candidate(ENIR()),
    "Venn-Abers": Candidate(VennAbers()),
    "BBQ": Candidate(BBQ()),
    "ABB": Candidate(ABB(), most=2000),
    "KDE": Candidate(KernelCalibrator()),
    "KDE by likelihood": Candidate(KernelCalibrator(kernel="gaussian", bandwidth="cv")),
    "DPM": Candidate(DirichletProcessCalibrator()),
    CHOSEN: Candidate(CalibratorCV(CHOICE)),
}
WITH_FEATURES = ["Heterogeneous", "AUC-split tree"]
CALIBRATORS = [*CANDIDATES, *WITH_FEATURES]


def predictions(scores, labels, test_scores, candidates=CANDIDATES):
    """Yield name, probabilities of the test rows and seconds to fit and predict."""
    yield RAW, test_scores, 0.0
    for name, (calibrator, most) in candidates.items():
        if labels.size <= most:
            model = clone(calibrator)
            yield name, *timed(lambda model=model: model.fit(scores, labels).predict(test_scores))


def predictions_by_parts(training, calibration, scores, test, test_scores):
    """`predictions` of the calibrators that look at features as well.

    Arguments are samples with ``X`` and ``labels``, and the probabilities of the latter two.
    """
    logits, test_logits = log_odds(scores), log_odds(test_scores)
    tree = DecisionTreeClassifier(max_depth=3, min_samples_leaf=50, random_state=0)
    tree.fit(training.X, training.labels)  # as in the paper: on the rows of the classifier
    for name, partition in zip(WITH_FEATURES, [tree, AUCSplitTree()], strict=True):
        model = HeterogeneousCalibrator(partition)

        def run(model=model):
            model.fit(logits, calibration.labels, features=calibration.X)
            return model.predict(test_logits, features=test.X)

        yield name, *timed(run)


def timed(run):
    """What `run` returns, without its warnings, and the seconds that it takes."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = run()
    return found, time.perf_counter() - start
