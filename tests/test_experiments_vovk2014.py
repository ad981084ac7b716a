"""The recorded results of Vovk and Petej (2014), what they printed, and the parts of the runs."""

import os

import numpy as np
import pytest
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from calib.experiments import read_table, recorded
from calib.experiments.recording import RESULTS
from calib.experiments.vovk2014 import (
    CLASSIFIERS,
    FULL,
    METHODS,
    SHORT,
    SPLITS,
    MixedNaiveBayes,
    Sample,
    compare,
    full_losses,
    losses,
    make_classifier,
    ranking,
    run_block,
    run_full,
    sample,
    split,
)

needs_data = pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="CALIB_DATA is not set")
TABLES = {"log": "table1_log_loss", "square": "table2_rmse"}


def printed(loss):
    """From data set to (method, classifier) to the printed loss."""
    table = read_table(RESULTS / "published" / f"vovk2014_{TABLES[loss]}.csv")
    found = {}
    for i, dataset in enumerate(table["dataset"].tolist()):
        for method in METHODS:
            own = found.setdefault(dataset, {})
            own[method, table["classifier"][i]] = table[method][i]
    return found


def rows_of(name, **case):
    """Recorded rows of a case."""
    rows = recorded(name)
    chosen = np.flatnonzero(np.all([rows[key] == value for key, value in case.items()], axis=0))
    return [{key: column[i] for key, column in rows.items()} for i in chosen]


# --- the printed tables --------------------------------------------------------------------------


@pytest.mark.parametrize("loss", TABLES)
def test_the_printed_third_table_follows_from_the_other_two(loss):
    table = read_table(RESULTS / "published" / "vovk2014_table3_ranking.csv")
    for dataset, own in printed(loss).items():
        chosen = (table["dataset"] == dataset) & (table["loss"] == loss)
        ranks = zip(table["method"][chosen], table["classifier"][chosen], strict=True)
        assert [(m, SHORT[c]) for m, c in ranking(own)][:3] == list(ranks)


def test_ranking_by_the_best_classifier():
    found = ranking({("A", "x"): 3, ("A", "y"): 1, ("B", "x"): 2, ("B", "y"): 2, ("C", "x"): 0.5})
    assert found == [("C", "x"), ("A", "y"), ("B", "x")]


def test_direct_isotonic_is_printed_infinite_everywhere_and_the_others_never():
    for own in printed("log").values():
        for (method, _), loss in own.items():
            if method != "W":
                assert np.isinf(loss) == (method == "DIR")


# --- the recorded tables -------------------------------------------------------------------------


@pytest.mark.parametrize("experiment, n_methods", [(SPLITS, 5), (FULL, 1)])
def test_every_case_is_recorded(experiment, n_methods):
    rows = recorded(experiment.name)
    cases = {tuple(map(str, case.values())) for case in experiment.cases()}
    keys = [rows[key] for key in experiment.cases()[0]]
    found = {(str(d), str(c), f"{number:.0f}") for d, c, number in zip(*keys, strict=True)}
    assert found == cases and rows["method"].size == n_methods * len(cases)
    assert np.all(rows["lower"] <= rows["upper"])
    assert np.all((rows["RMSE"] > 0) & (rows["RMSE"] < 1))


def test_merged_probabilities_have_finite_log_loss():
    for name in ["vovk2014_splits", "vovk2014_full"]:
        rows = recorded(name)
        merged = np.isin(rows["method"], ["VA", "SVA", "IVAP", "CVAP"])
        assert np.all(np.isfinite(rows["log_loss"][merged]))
    rows = recorded("vovk2014_splits")
    np.testing.assert_array_equal(np.isinf(rows["log_loss"]), rows["infinite"] > 0)
    direct = rows["method"] == "DIR"
    assert np.mean(rows["infinite"][direct]) > 5  # of ten splits


@needs_data
@pytest.mark.parametrize(
    "dataset, classifier, block",
    [("labor", "NB", 3), ("hepatitis", "LR", 0), ("echocardiogram", "J48", 9)],
)
def test_a_slice_of_the_splits_comes_out_again(dataset, classifier, block):
    case = {"dataset": dataset, "classifier": classifier, "block": block}
    for again, saved in zip(run_block(case), rows_of("vovk2014_splits", **case), strict=True):
        for key, value in again.items():
            assert value == (saved[key] if key == "method" else pytest.approx(saved[key], rel=1e-3))


@needs_data
@pytest.mark.parametrize("classifier", ["J48", "NB"])
def test_a_slice_of_the_full_predictor_comes_out_again(classifier):
    case = {"dataset": "labor", "classifier": classifier, "split": 2}
    (again,), (saved,) = run_full(case), rows_of("vovk2014_full", **case)
    for key in ["log_loss", "RMSE", "lower", "upper"]:
        assert again[key] == pytest.approx(saved[key], rel=1e-3)


# --- the parts -----------------------------------------------------------------------------------


def made_up(n=90):
    """Two numbers, a category of three, a few missing values."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.4).astype(np.int8)
    columns = np.column_stack([rng.normal(y, 1), rng.normal(size=n), rng.integers(0, 3, n)])
    columns[rng.random((n, 3)) < 0.05] = np.nan
    named = [np.where(np.isnan(columns[:, 2]), np.nan, columns[:, 2] == code) for code in range(3)]
    return Sample(columns, (0, 0, 3), np.column_stack([columns[:, :2], *named]), y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("classifier", [*CLASSIFIERS, "LR indicators"])
def test_every_classifier_runs_through_every_method(classifier):
    data = made_up()
    train, test = np.split(np.arange(90), [60])
    found = compare(data, classifier, train, test, seed=0)
    found["VA"] = full_losses(data, classifier, train, test[:5], seed=0)
    assert list(found) == ["W", "SVA", "DIR", "IVAP", "CVAP", "VA"]
    for method, row in found.items():
        assert 0 <= row["lower"] <= row["upper"] <= 1 and 0 < row["RMSE"] < 1
        assert (row["lower"] == row["upper"]) == (method in ["W", "DIR"])
        assert np.isfinite(row["log_loss"]) or method in ["W", "DIR"]


def test_losses_of_one_probability_and_of_a_pair():
    y, p = np.array([0, 1]), np.array([0.2, 0.6])
    found = losses(y, p, p)
    assert found["log_loss"] == pytest.approx(-np.log([0.8, 0.6]).mean())
    assert found["RMSE"] == pytest.approx(np.sqrt((0.04 + 0.16) / 2))
    pair = losses(y, np.array([0.0, 0.5]), np.array([0.5, 1.0]))
    assert pair["log_loss"] == pytest.approx(-np.log(2 / 3))
    assert pair["RMSE"] == pytest.approx(3 / 8)
    assert (pair["lower"], pair["upper"]) == (0.25, 0.75)


def test_naive_bayes_of_categories_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    X, y = rng.integers(0, 4, (80, 5)), rng.integers(0, 2, 80)
    ours = MixedNaiveBayes((4,) * 5).fit(X.astype(float), y)
    theirs = CategoricalNB(alpha=1, min_categories=4, class_prior=ours.priors_ / 82).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)


def test_naive_bayes_of_numbers_is_nearly_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(y[:, np.newaxis] * [1, -0.5], [1, 2])
    ours = MixedNaiveBayes((0, 0)).fit(X, y).predict_proba(X)
    theirs = GaussianNB().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.01)


def test_naive_bayes_leaves_missing_values_out():
    data = made_up()
    model = MixedNaiveBayes(data.n_categories).fit(data.columns, data.y)
    empty = model.predict_proba(np.full((1, 3), np.nan))[0]
    np.testing.assert_allclose(empty, model.priors_ / model.priors_.sum(), rtol=1e-12)
    outlier = np.array([[1e9, np.nan, np.nan]])  # out of reach of both laws: no evidence
    np.testing.assert_allclose(model.predict_proba(outlier)[0], empty, rtol=1e-12)


def test_the_svm_has_no_probabilities_of_its_own():
    assert not hasattr(make_classifier("SVM Platt", made_up(), 0), "predict_proba")


@needs_data
def test_samples_and_splits():
    data = sample("breast_cancer_ljubljana")
    assert data.columns.shape == (286, 9) and data.indicators.shape[0] == 286
    assert data.indicators.shape[1] == sum(1 if k == 2 else k for k in data.n_categories)
    assert np.isnan(data.columns).sum() == 9
    train, test = split("breast_cancer_ljubljana", 0)
    assert (train.size, test.size) == (190, 96)
    assert sorted([*train, *test]) == list(range(286))
    assert np.any(split("breast_cancer_ljubljana", 1)[0] != train)
