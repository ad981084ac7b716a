"""The experiments of Naeini and Cooper (2016): the protocol, the recorded rows, the tables."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from recorded_rows import assert_as_recorded
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB

from calib.classifier import CalibratedClassifier
from calib.experiments import read_table, recorded
from calib.experiments.naeini2016 import data as naeini2016_data
from calib.experiments.naeini2016 import protocol as naeini2016
from calib.experiments.naeini2016 import settings as naeini2016_settings
from calib.experiments.naeini2016.data import DATA_SETS, MISSING, MixedNaiveBayes
from calib.experiments.recording import RESULTS
from calib.maps import LinearMap
from calib.metrics import evaluate
from calib.near_isotonic import ENIR
from calib.platt import PlattScaling

DATA = os.environ.get("CALIB_DATA")
needs_data = pytest.mark.skipif(not DATA, reason="CALIB_DATA is not set")
TABLES = {"linear": "table1a_svm_linear", "quadratic": "table1b_svm_quadratic"}
NAMES = {"BBQ": "BBQ", "ENIR": "ENIR", "IsoRegC": "Isotonic", "SVM": "Raw"}


@pytest.mark.parametrize("svm", ["linear", "quadratic"])
def test_rings_as_recorded(svm):
    case = {"svm": svm, "run": 4}
    assert_as_recorded("naeini2016_rings", case, naeini2016.run_rings(case), tolerance=2e-3)


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("classifier", ["LR", "SVM", "NB"])
def test_a_data_set_as_recorded(classifier):
    case = {"dataset": "heart_statlog", "classifier": classifier, "run": 0}
    assert_as_recorded("naeini2016_data_sets", case, naeini2016.run_data_set(case), tolerance=2e-3)


def test_every_case_is_recorded():
    rows = recorded("naeini2016_data_sets")
    keys = zip(rows["dataset"], rows["classifier"], rows["run"], strict=True)
    cases = [tuple(case.values()) for case in naeini2016.data_set_cases()]
    assert set(keys) == set(cases)
    methods = 2 * 5 + 4  # two ways to calibrate, and two maps in two readings
    assert len(rows["run"]) == len(cases) * methods * 2


@pytest.mark.parametrize("svm", TABLES)
def test_rings_reproduce_the_printed_table(svm):
    rows = recorded("naeini2016_rings")
    printed = read_table(RESULTS / "published" / f"naeini2016_{TABLES[svm]}.csv")
    for i, short in enumerate(printed["method"].tolist()):
        chosen = (rows["svm"] == svm) & (rows["ties"] == "label") & (rows["method"] == NAMES[short])
        for measure in ["AUC", "ACC", "RMSE", "ECE", "MCE"]:
            values = rows[measure][chosen]
            assert values.size == 10
            distance = max(0, abs(printed[measure][i] - values.mean()) - 0.005)
            if short in ["BBQ", "ENIR"]:
                assert distance <= 2 * values.std(ddof=1), (short, measure)


def test_the_printed_numbers_are_not_those_of_ten_equal_intervals():
    rows = recorded("naeini2016_rings")
    chosen = (rows["svm"] == "linear") & (rows["method"] == "Isotonic")
    ece = {ties: rows["ECE"][chosen & (rows["ties"] == ties)] for ties in naeini2016.PARTITIONS}
    assert abs(ece["label"].mean() - 0.35) < 0.02
    assert ece["width"].max() < 0.05 and ece["group"].max() < 0.05


def test_every_setting_is_recorded():
    rows = recorded("naeini2016_settings")
    keys = set(zip(rows["dataset"], rows["classifier"], rows["setting"], strict=True))
    cases = [tuple(case.values()) for case in naeini2016_settings.SETTINGS_STUDY.cases()]
    assert keys == set(cases) and len(cases) == 7 * len(naeini2016_settings.SMALLER)
    assert len(rows["AUC"]) == len(cases) * 5 * 2  # methods, folds and pooled


def test_the_study_is_one_of_the_settings():
    settings, study = recorded("naeini2016_settings"), recorded("naeini2016_data_sets")
    for classifier in ["LR", "SVM", "NB"]:
        for method in ["Raw", "Isotonic", "BBQ", "ENIR"]:
            chosen = (settings["classifier"] == classifier) & (settings["setting"] == "study")
            chosen &= (settings["method"] == method) & (settings["over"] == "pooled")
            expected = (study["classifier"] == classifier) & (study["method"] == method)
            expected &= (study["over"] == "pooled") & (study["scored"] == "same")
            expected &= (study["run"] == 0) & np.isin(study["dataset"], settings["dataset"])
            np.testing.assert_allclose(settings["RMSE"][chosen], study["RMSE"][expected], atol=2e-3)


@pytest.mark.parametrize(("classifier", "setting"), naeini2016_settings.SETTINGS)
def test_settings_change_what_they_name(classifier, setting):
    *steps, model = naeini2016_settings.classifier_of(classifier, setting, 2).named_steps.items()
    assert ("standardscaler" in dict(steps)) != ("raw columns" in setting)
    name, model = model
    assert name == {"LR": "logisticregression", "NB": "mixednaivebayes"}.get(
        classifier, "svc" if "rbf" in setting else "linearsvc"
    )
    if classifier == "LR":
        assert model.C == (1e4 if "weak" in setting else 1.0)


@pytest.mark.slow
@needs_data
def test_a_setting_as_recorded():
    case = {"dataset": "heart_statlog", "classifier": "LR", "setting": "raw columns"}
    live = naeini2016_settings.run_setting(case)
    assert_as_recorded("naeini2016_settings", case, live, tolerance=2e-3)


def test_equal_means_are_ties_whatever_the_rounding():
    rows = {
        "dataset": np.array(["a"] * 6),
        "method": np.array(["x", "x", "x", "y", "y", "y"]),
        "AUC": np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1]),
    }
    assert sum(rows["AUC"][:3]) != sum(rows["AUC"][3:])
    table = naeini2016.by_data_set(rows, "AUC", ["x", "y"], dataset="a")
    assert table[0, 0] == table[0, 1]


def test_the_list_of_data_sets_is_the_papers():
    assert len(DATA_SETS) + len(MISSING) == 40
    assert len({one.paper for one in DATA_SETS} | set(MISSING)) == 40
    assert len({one.name for one in DATA_SETS}) == 37
    assert all(20 < one.minority <= one.rows / 2 for one in DATA_SETS)


@needs_data
def test_sizes_are_those_of_the_files():
    about = json.loads((Path(DATA) / "manifest.json").read_text())["datasets"]
    for one in DATA_SETS:
        entry = about[one.name]
        positives = entry["n_positive"]
        assert (one.rows, one.features) == (entry["n_rows"], entry["n_features"])
        assert one.minority == min(positives, one.rows - positives)


def test_encoding_keeps_numbers_and_makes_indicators(monkeypatch):
    frame = pd.DataFrame(
        {
            "word": pd.Categorical(["a", None, "b", "a"]),
            "number": [1.0, np.nan, 2.5, 3.0],
            "two values": [0, 1, 1, 0],
            "whole": pd.Series([3, 4, 5, 6], dtype="int8"),
            "text": ["x", "y", "x", "x"],
        }
    )
    labels = np.array([0, 1, 0, 1], np.int8)
    monkeypatch.setattr(naeini2016_data, "load", lambda name: (frame, labels))
    X, y, n_numeric = naeini2016_data.encoded("a data set that exists here only")
    assert n_numeric == 2 and y is labels
    np.testing.assert_array_equal(X[:, :2], [[1, 3], [np.nan, 4], [2.5, 5], [3, 6]])
    indicators = {tuple(column) for column in X[:, 2:].T}
    word = {(1, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0)}  # missing is a word, too
    assert indicators == word | {(0, 1, 1, 0), (0, 1, 0, 0)} and X.shape == (4, 7)


def test_mixed_naive_bayes_multiplies_the_likelihoods():
    rng = np.random.default_rng(0)
    y = (rng.random(200) < 0.3).astype(int)
    numbers = rng.standard_normal((200, 2)) + y[:, None]
    indicators = np.where(rng.random((200, 3)) < 0.2 + 0.3 * y[:, None], 1.0, -0.5)
    X = np.hstack([numbers, indicators])
    odds = MixedNaiveBayes(2).fit(X, y).decision_function(X)

    def one_class(k):
        part = y == k
        variance = numbers[part].var(axis=0) + 0.01 * numbers.var(axis=0).max()
        normal = -0.5 * (
            np.log(2 * np.pi * variance) + (numbers - numbers[part].mean(axis=0)) ** 2 / variance
        )
        share = ((indicators[part] > 0).sum(axis=0) + 1) / (part.sum() + 2)
        bernoulli = np.where(indicators > 0, np.log(share), np.log(1 - share))
        return np.log(part.mean()) + normal.sum(axis=1) + bernoulli.sum(axis=1)

    np.testing.assert_allclose(odds, one_class(1) - one_class(0))
    np.testing.assert_array_equal(MixedNaiveBayes(2).fit(X, y).predict(X), odds >= 0)
    for model, columns, n_numeric in [
        (GaussianNB(var_smoothing=0.01), numbers, 2),
        (BernoulliNB(), indicators, 0),
    ]:
        joint = model.fit(columns, y).predict_joint_log_proba(columns)
        alone = MixedNaiveBayes(n_numeric).fit(columns, y).decision_function(columns)
        np.testing.assert_allclose(alone, joint[:, 1] - joint[:, 0])


class Memory(ClassifierMixin, BaseEstimator):
    """Margin 1 or -1 for the rows that it was trained on, by their labels, and 0 for others."""

    def fit(self, X, y):
        self.classes_, self.known_ = np.unique(y), dict(zip(X[:, 0], 2 * y - 1, strict=True))
        return self

    def decision_function(self, X):
        return np.array([float(self.known_.get(x, 0)) for x in X[:, 0]])


def test_fold_margins_come_from_models_that_have_not_seen_the_row():
    X, labels = np.arange(60.0)[:, None], np.arange(60) % 2
    training, test = np.arange(50), np.arange(50, 60)
    margins, test_margins = naeini2016.fold_margins(
        Memory(), X, labels, training, test, StratifiedKFold(5)
    )
    np.testing.assert_array_equal(margins["same"], 2 * labels[:50] - 1)
    np.testing.assert_array_equal(margins["folds"], 0)
    np.testing.assert_array_equal(test_margins, 0)


def test_cross_validation_calibrates_as_calibrated_classifier_does():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((300, 4))
    labels = (rng.random(300) < 1 / (1 + np.exp(-2 * X[:, 0]))).astype(int)
    folds, found = naeini2016.cross_validate(X, labels, LogisticRegression(), seed=3)
    assert np.bincount(folds).tolist() == [30] * 10
    test = folds == 4
    inner = StratifiedKFold(5, shuffle=True, random_state=3)
    for scored, cv in [("same", "same"), ("folds", inner)]:
        model = CalibratedClassifier(LogisticRegression(), PlattScaling(), cv=cv)
        expected = model.fit(X[~test], labels[~test]).predict_proba(X[test])[:, 1]
        np.testing.assert_allclose(found[scored, "Platt"][test], expected)
        model = CalibratedClassifier(
            LogisticRegression(), ENIR(), cv=cv, response_method="predict_proba"
        )
        expected = model.fit(X[~test], labels[~test]).predict_proba(X[test])[:, 1]
        np.testing.assert_allclose(found[scored, "ENIR"][test], expected, atol=1e-9)
    assert ("same", "ENIR above") in found and ("folds", "ENIR above") not in found
    raw = LogisticRegression().fit(X[~test], labels[~test]).predict_proba(X[test])[:, 1]
    np.testing.assert_allclose(found["folds", "Raw"][test], raw)


def test_measures_of_folds_are_means():
    rng = np.random.default_rng(2)
    labels, p = rng.integers(0, 2, 90), rng.random(90).round(1)
    folds = np.arange(90) % 3
    found = naeini2016.mean_measures(labels, p, folds)
    each = [evaluate(labels[folds == k], p[folds == k], ties="label") for k in range(3)]
    assert found["MCE label"] == pytest.approx(np.mean([one["MCE"] for one in each]))
    assert found["AUC"] == pytest.approx(np.mean([one["AUC"] for one in each]))
    assert naeini2016.measures(labels, p)["ECE width"] == pytest.approx(
        evaluate(labels, p, strategy="uniform")["ECE"]
    )


def test_steps_take_the_value_of_a_neighbouring_knot():
    knots, values = np.array([0.1, 0.4, 0.7]), np.array([0.2, 0.3, 0.9])
    read = naeini2016.steps(LinearMap(knots, values))
    scores = np.array([0.0, 0.1, 0.25, 0.4, 0.5, 0.7, 1.0])
    assert read["below"](scores).tolist() == [0.2, 0.2, 0.2, 0.3, 0.3, 0.9, 0.9]
    assert read["above"](scores).tolist() == [0.2, 0.2, 0.3, 0.3, 0.9, 0.9, 0.9]
