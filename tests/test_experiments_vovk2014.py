"""The recorded results of Vovk and Petej (2014), what they printed, and the parts of the runs."""

import os

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from calib import CalibratedClassifier, VennAbers
from calib.experiments import read_table, recorded
from calib.experiments.recording import RESULTS
from calib.experiments.vovk2014.classifiers import CLASSIFIERS, SHORT, VARIANTS, make_classifier
from calib.experiments.vovk2014.data import Sample, sample, split
from calib.experiments.vovk2014.protocol import (
    FULL,
    METHODS,
    SPLITS,
    compare,
    full_losses,
    losses,
    overconfidence,
    predictions,
    run_block,
    run_full,
)
from calib.experiments.vovk2014.tables import ranking
from calib.experiments.vovk2014.weka import MixedNaiveBayes, PessimisticTree, estimated_errors

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


@pytest.mark.parametrize("experiment, n_methods", [(SPLITS, 7), (FULL, 3)])
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
        merged = np.isin(rows["method"], ["VA", "SVA", "IVAP", "CVAP", "OOF", "BASE"])
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
    for again, saved in zip(run_full(case), rows_of("vovk2014_full", **case), strict=True):
        assert again["method"] == saved["method"]
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
@pytest.mark.parametrize("classifier", [*CLASSIFIERS, *VARIANTS])
def test_every_classifier_runs_through_every_method(classifier):
    data = made_up()
    train, test = np.split(np.arange(90), [60])
    found = compare(data, classifier, train, test, seed=0)
    full = full_losses(data, classifier, train, test, seed=0)
    assert list(found) == ["W", "SVA", "DIR", "BASE", "IVAP", "CVAP", "OOF"]
    assert list(full) == ["VA", "W", "SVA"]
    for method in ["W", "SVA"]:
        assert full[method] == {key: found[method][key] for key in full[method]}
    for method, row in (found | {"VA": full["VA"]}).items():
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


def test_overconfidence_is_zero_for_the_means_of_classes_and_positive_for_extremes():
    y, ones = np.array([0, 0, 1, 0, 1, 1]), np.ones(3)
    p = np.concatenate([ones / 3, 2 * ones / 3])
    assert overconfidence(y, p, p) == pytest.approx(0)
    assert overconfidence(y, p > 0.5, p > 0.5) == pytest.approx(1 / 3)
    pair = overconfidence(np.array([0, 1]), np.array([0.2, 0.6]), np.array([0.4, 0.8]))
    assert pair == pytest.approx(-0.2)


def test_inductive_and_cross_predictors_are_those_of_calibrated_classifier():
    data = made_up()
    train, test = np.split(np.random.default_rng(3).permutation(90), [60])
    found = predictions(data, "NB", train, test, seed=5)
    template = make_classifier("NB", data, 5)
    folds = StratifiedKFold(5, shuffle=True, random_state=5)
    last_third = [(np.arange(40), np.arange(40, 60))]
    for method, cv in [("OOF", folds), ("IVAP", last_third)]:
        model = CalibratedClassifier(template, VennAbers(), cv=cv)
        model.fit(data.columns[train], data.y[train])
        scores = model.estimator_.predict_proba(data.columns[test])[:, 1]
        np.testing.assert_array_equal(model.calibrators_[0].predict_interval(scores), found[method])
    model = CalibratedClassifier(template, VennAbers(), cv=folds, ensemble=True)
    p = model.fit(data.columns[train], data.y[train]).predict_proba(data.columns[test])[:, 1]
    odds = found["CVAP"][1] / (1 - found["CVAP"][0])
    np.testing.assert_allclose(p, 1 / (1 + 1 / stats.gmean(odds)), rtol=1e-9)


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


def test_naive_bayes_of_kernels_is_a_mean_of_normal_distributions():
    X, y = np.array([[0.0], [1.0], [3.0], [5.0], [9.0], [9.0]]), np.array([0, 0, 0, 1, 1, 1])
    found = MixedNaiveBayes((0,), kernel=True).fit(X, y).predict_proba(np.array([[4.5]]))[0]
    ends = np.array([4.5 - 1.125, 4.5 + 1.125])  # the mean distance of 0, 1, 3, 5, 9 is 2.25
    likelihood = []
    for values in [[0, 0, 2.25], [4.5, 9, 9]]:  # rounded to its multiples; 1 is nearest to 0
        deviation = np.ptp(values) / np.sqrt(3)
        likelihood.append(np.mean([np.diff(stats.norm.cdf(ends, v, deviation)) for v in values]))
    np.testing.assert_allclose(found, likelihood / np.sum(likelihood), rtol=1e-9)


def test_naive_bayes_leaves_missing_values_out():
    data = made_up()
    model = MixedNaiveBayes(data.n_categories).fit(data.columns, data.y)
    empty = model.predict_proba(np.full((1, 3), np.nan))[0]
    np.testing.assert_allclose(empty, model.priors_ / model.priors_.sum(), rtol=1e-12)
    outlier = np.array([[1e9, np.nan, np.nan]])  # out of reach of both distributions
    np.testing.assert_allclose(model.predict_proba(outlier)[0], empty, rtol=1e-12)


def test_estimated_errors_are_an_upper_confidence_limit():
    for n, printed in [(6, 0.206), (9, 0.143), (1, 0.75)]:  # Quinlan (1993), section 4.2
        assert estimated_errors(n, 0) / n == pytest.approx(printed, abs=5e-4)
    for n, errors in [(16, 1), (30, 4), (100, 20)]:
        p = estimated_errors(n, errors) / n
        below = (errors + 0.5 - n * p) / np.sqrt(n * p * (1 - p))  # in standard deviations
        assert stats.norm.cdf(below) == pytest.approx(0.25)
        assert p == pytest.approx(stats.beta.ppf(0.75, errors + 1, n - errors), rel=0.05)
    assert estimated_errors(4, 4) == estimated_errors(4, 3.5) == 4
    assert estimated_errors(9, 0) < estimated_errors(9, 0.5) < estimated_errors(9, 1)


def test_the_pessimistic_tree_prunes_noise_and_keeps_a_clear_split():
    rng = np.random.default_rng(4)
    X = rng.random((300, 3))
    noise = (rng.random(300) < 0.2).astype(int)
    pruned = PessimisticTree(min_samples_leaf=2, random_state=0).fit(X, noise)
    leaves = np.unique(pruned.apply(X))
    assert leaves.size < pruned.tree_.n_leaves / 2
    for leaf in leaves:
        inside = pruned.apply(X) == leaf
        np.testing.assert_allclose(pruned.predict_proba(X[inside])[:, 1], noise[inside].mean())
    clear = (X[:, 0] > 0.5).astype(int)
    np.testing.assert_array_equal(PessimisticTree(random_state=0).fit(X, clear).predict(X), clear)


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
