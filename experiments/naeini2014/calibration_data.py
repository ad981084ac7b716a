"""Which rows to calibrate on, section 5.1 of Naeini, Cooper and Hauskrecht (2014), measured."""

import numpy as np
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from calib import CalibratedClassifier, IsotonicCalibrator, PlattScaling
from calib.metrics import evaluate, log_loss
from experiments.recording import Experiment, grid

SEED = 51
N_RUNS = 10
N_TRAINING = 200
SCHEMES = {"same": "same", "held out": 0.25, "folds": 5, "leave one out": "leave_one_out"}
CALIBRATORS = {"Platt": PlattScaling(), "Isotonic": IsotonicCalibrator()}


def noisy_law(n, rng):
    """Ten standard normal features, two of which matter, and the probabilities of class 1."""
    X = rng.standard_normal((n, 10))
    return X, expit(1.5 * X[:, 0] - X[:, 1])


def sample(dataset, rng):
    """200 training rows of a data set and the others (or 5000), standardised by the former."""
    if dataset == "noisy law":
        X, probabilities = noisy_law(N_TRAINING + 5000, rng)
        y = (rng.random(len(X)) < probabilities).astype(int)
    elif dataset == "breast cancer":
        X, y = load_breast_cancer(return_X_y=True)
    else:
        X, digit = load_digits(return_X_y=True)
        y = digit % 2
    seed = int(rng.integers(2**31))
    X, X_test, y, y_test = train_test_split(
        X, y, train_size=N_TRAINING, stratify=y, random_state=seed
    )
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), scaler.transform(X_test), y, y_test


def classifier(name):
    """A classifier that can hardly overfit 200 rows, and two that fit them without error."""
    if name == "logistic":
        return LogisticRegression(C=0.1)
    if name == "SVM":
        return SVC(C=100.0)
    return DecisionTreeClassifier(random_state=0)


DATASETS = ["noisy law", "breast cancer", "digits"]
CLASSIFIERS = ["logistic", "SVM", "tree"]


def run_case(case):
    """One training sample: every scheme and calibrator, measured on the test rows."""
    rng = np.random.default_rng([SEED, DATASETS.index(case["dataset"]), case["run"]])
    X, X_test, y, y_test = sample(case["dataset"], rng)
    rows = []
    for scheme, cv in SCHEMES.items():
        for name, calibrator in CALIBRATORS.items():
            model = CalibratedClassifier(
                classifier(case["classifier"]), calibrator, cv=cv, random_state=case["run"]
            ).fit(X, y)
            probabilities = model.predict_proba(X_test)[:, 1]
            measures = evaluate(y_test, probabilities)
            loss = log_loss(y_test, probabilities)
            rows.append({"scheme": scheme, "method": name, **measures, "log_loss": loss})
    return rows


CALIBRATION_DATA = Experiment(
    name="naeini2014_calibration_data",
    title="Section 5.1 of Naeini, Cooper and Hauskrecht (2014), measured: data to calibrate on",
    seed=SEED,
    cases=lambda: grid(dataset=DATASETS, classifier=CLASSIFIERS, run=range(N_RUNS)),
    run_case=run_case,
    deviations=(
        "The paper describes the schemes and measures none of them: data, classifiers and sizes "
        "are ours.",
    ),
)
