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

from calib.base.maps import LinearMap
from calib.classifier.calibrated_classifier import CalibratedClassifier
from calib.methods.near_isotonic import ENIR
from calib.methods.platt import PlattScaling
from calib.metrics import evaluate
from calibkit.prediction_intervals.adaptive import logistic_intervals
from experiments import ledger, read_table, recorded
from experiments.contents import select
from experiments.naeini2016 import adaptive, search, tables
from experiments.naeini2016 import data as naeini2016_data
from experiments.naeini2016 import protocol as naeini2016
from experiments.naeini2016 import settings as naeini2016_settings
from experiments.naeini2016.data import DATA_SETS, MISSING, MixedNaiveBayes
from experiments.recording import RESULTS

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
    assert keys == set(cases)
    small = [one.name for one in naeini2016_settings.SMALLER]
    methods = sum(5 if dataset in small else 4 for dataset, *_ in cases)  # ABB on the smaller sets
    assert len(rows["AUC"]) == methods * 2  # folds and pooled


def test_the_study_is_one_of_the_settings():
    settings, study = recorded("naeini2016_settings"), recorded("naeini2016_data_sets")
    for classifier in ["LR", "SVM", "NB"]:
        for method in ["Raw", "Isotonic", "BBQ", "ENIR"]:
            chosen = (settings["classifier"] == classifier) & (settings["setting"] == "study")
            chosen &= (settings["method"] == method) & (settings["over"] == "pooled")
            expected = (study["classifier"] == classifier) & (study["method"] == method)
            expected &= (study["over"] == "pooled") & (study["scored"] == "same")
            expected &= (study["run"] == 0) & np.isin(study["dataset"], settings["dataset"][chosen])
            np.testing.assert_allclose(settings["RMSE"][chosen], study["RMSE"][expected], atol=2e-3)


@pytest.mark.parametrize(("classifier", "setting"), naeini2016_settings.SETTINGS)
def test_settings_change_what_they_name(classifier, setting):
    pipeline = naeini2016_settings.classifier_of(classifier, setting, 2)
    *before, (name, model) = pipeline.steps
    scalers = [step for step, _ in before if step.endswith("scaler")]
    assert scalers == (
        [] if "raw" in setting else ["minmaxscaler" if "range" in setting else "standardscaler"]
    )
    assert name == {"LR": "logisticregression", "NB": "mixednaivebayes"}.get(
        classifier, "svc" if "kernel" in setting else "linearsvc"
    )
    parameters = model.get_params()
    assert parameters.get("C", 1.0) == (1e4 if "weak" in setting else 1.0)
    assert parameters.get("class_weight") == ("balanced" if "balanced" in setting else None)
    if "kernel" in setting:
        assert model.kernel == {"rbf": "rbf", "quadratic": "poly"}[setting.split()[0]]
    assert parameters.get("fit_intercept", True) == ("no intercept" not in setting)
    if classifier == "NB":
        assert model.n_numeric == (None if setting == "normal columns" else 2)


def test_all_columns_normal_is_gaussian_naive_bayes():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 3)).astype(float), np.arange(200) % 2
    joint = GaussianNB(var_smoothing=0.01).fit(X, y).predict_joint_log_proba(X)
    found = MixedNaiveBayes(None).fit(X, y).decision_function(X)
    np.testing.assert_allclose(found, joint[:, 1] - joint[:, 0])


def test_a_setting_changes_the_sets_it_was_tried_on_and_no_others():
    read = ledger.reader()
    rows = read("naeini2016_settings")
    how = {"setting": "rbf kernel"}
    tried = select(rows, "dataset", classifier="SVM", **how)
    study, varied = (
        tables.values_of(read, "SVM", "RMSE", ["Raw"], "label", **options) for options in [{}, how]
    )
    sets = np.unique(read("naeini2016_data_sets")["dataset"])
    assert 0 < np.unique(tried).size < sets.size
    np.testing.assert_array_equal((study != varied)[:, 0], np.isin(sets, tried))


# ACP, and the search


@pytest.mark.slow
@needs_data
def test_acp_as_recorded():
    case = {"dataset": "heart_statlog"}
    assert_as_recorded("naeini2016_adaptive", case, adaptive.run_data_set(case), tolerance=2e-3)


def test_acp_sees_the_intervals_of_the_test_rows():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((200, 2))
    labels = (rng.random(200) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    model = naeini2016_data.base_classifier("LR", 2).fit(X[:150], labels[:150])
    found = adaptive.predict_test_rows(model, X[:150], labels[:150], X[150:])
    scaled, scaled_test = (model[:-1].transform(part) for part in [X[:150], X[150:]])
    scores, lower, upper = logistic_intervals(model[-1], scaled_test, scaled)
    training = model[-1].predict_proba(scaled)[:, 1]
    for k in range(5):
        inside = (training >= lower[k]) & (training <= upper[k])
        assert found[k] == pytest.approx(labels[:150][inside].mean())


def test_the_search_covers_every_pair_twice():
    rows = recorded("naeini2016_search")
    cases = [tuple(case.values()) for case in search.SEARCH.cases()]
    for half in search.HALVES:
        chosen = rows["half"] == half
        keys = list(zip(rows["dataset"][chosen], rows["classifier"][chosen], strict=True))
        assert keys == cases
    np.testing.assert_allclose(rows["gain"], rows["isotonic"] - rows["enir"], atol=2e-6)


def invented_table(name):
    """Two columns; the truth rises and falls with the first one."""
    rng = np.random.default_rng(4)
    x = rng.uniform(-2, 2, (600, 2))
    labels = (rng.random(600) < np.exp(-2 * (x[:, 0] - 0.7) ** 2)).astype(np.int8)
    return x, labels, 2


def test_the_halves_of_the_search_share_no_row(monkeypatch):
    monkeypatch.setattr(naeini2016_data, "encoded", invented_table)
    search.halves.cache_clear()
    first, second = search.halves("invented").values()
    rows = [set(map(tuple, half[0])) for half in [first, second]]
    assert not rows[0] & rows[1] and len(rows[0] | rows[1]) == 600
    assert abs(first[1].mean() - second[1].mean()) < 0.01
    search.halves.cache_clear()


def test_the_search_finds_a_truth_that_falls_and_nothing_where_it_rises(monkeypatch):
    monkeypatch.setattr(naeini2016_data, "encoded", invented_table)
    search.halves.cache_clear()
    rows = search.run_search({"dataset": "invented", "classifier": "one column"})
    assert [row["half"] for row in rows] == search.HALVES
    assert all(row["gain"] > 3 * row["gain_se"] for row in rows)
    search.halves.cache_clear()


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("classifier", ["NB", "one column"])
def test_the_search_as_recorded(classifier):
    case = {"dataset": "page_blocks", "classifier": classifier}
    assert_as_recorded("naeini2016_search", case, search.run_search(case), tolerance=2e-3)


@needs_data
@pytest.mark.parametrize(("dataset", "n"), [("satimage", 3218), ("higgs", 5000)])
def test_the_sets_that_were_found_as_recorded(dataset, n):
    case = {"dataset": dataset}
    live = search.run_one_column(case)
    assert_as_recorded("naeini2016_one_column", case, live, tolerance=1e-3)
    assert sum(row["rows"] for row in live) == n


@pytest.mark.slow
@needs_data
def test_a_setting_as_recorded():
    case = {"dataset": "heart_statlog", "classifier": "LR", "setting": "raw columns"}
    live = naeini2016_settings.run_setting(case)
    assert_as_recorded("naeini2016_settings", case, live, tolerance=2e-3)


@pytest.mark.slow
@needs_data
def test_the_nearest_score_as_recorded():
    case = {"dataset": "heart_statlog", "classifier": "NB"}
    live = naeini2016_settings.run_nearest(case)
    assert_as_recorded("naeini2016_nearest", case, live, tolerance=2e-3)


def test_the_nearest_knot_is_one_of_its_two_neighbours():
    linear = LinearMap(np.array([0.0, 0.3, 0.4, 1.0]), np.array([0.1, 0.2, 0.7, 0.9]))
    scores = np.array([0.0, 0.1, 0.2, 0.31, 0.38, 0.69, 0.71, 1.0])
    nearest = naeini2016.nearest_step(linear)(scores)
    assert nearest.tolist() == [0.1, 0.1, 0.2, 0.2, 0.7, 0.7, 0.9, 0.9]
    both = [step(scores) for step in naeini2016.steps(linear).values()]
    assert np.all(np.any([nearest == one for one in both], axis=0))


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
