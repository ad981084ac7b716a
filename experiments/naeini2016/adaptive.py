"""ACP on the smaller data sets: it needs intervals, which logistic regression has."""

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from calibkit.prediction_intervals import AdaptiveCalibrator, logistic_intervals
from experiments.naeini2016.data import base_classifier, encoded
from experiments.naeini2016.protocol import DIGITS, both_poolings, seed_of_run
from experiments.naeini2016.settings import SMALLER
from experiments.recording import Experiment


def predict_test_rows(model, X, labels, X_test):
    """Probabilities of the test rows by ACP, calibrated on the training rows."""
    *before, (_, regression) = model.steps
    for _, step in before:
        X, X_test = step.transform(X), step.transform(X_test)
    scores = regression.predict_proba(X)[:, 1]
    calibrator = AdaptiveCalibrator().fit(scores, labels)
    return calibrator.predict(*logistic_intervals(regression, X_test, X)).round(DIGITS)


def run_data_set(case):
    """One run on one data set, in the folds of the study: a row for each pooling."""
    X, labels, n_numeric = encoded(case["dataset"])
    template = base_classifier("LR", n_numeric)
    folds, p = np.empty(labels.size, np.int64), np.empty(labels.size)
    seed = seed_of_run(case["dataset"], 0)
    splits = StratifiedKFold(10, shuffle=True, random_state=seed).split(X, labels)
    for k, (training, test) in enumerate(splits):
        folds[test] = k
        model = clone(template).fit(X[training], labels[training])
        p[test] = predict_test_rows(model, X[training], labels[training], X[test])
    return both_poolings({"method": "ACP"}, labels, p, folds)


ADAPTIVE_STUDY = Experiment(
    name="naeini2016_adaptive",
    title=f"ACP after logistic regression on {len(SMALLER)} smaller data sets, one run each",
    seed=2016,
    cases=lambda: [{"dataset": one.name} for one in sorted(SMALLER, key=lambda one: one.rows)],
    run_case=run_data_set,
    deviations=(
        "The paper leaves ACP out; data sets, logistic regression and folds are those of the "
        "setting 'study' in naeini2016_settings.",
        "Intervals of 95 % by the delta method.",
    ),
    datasets=tuple(one.name for one in SMALLER),
)
