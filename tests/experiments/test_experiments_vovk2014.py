"""The recorded results of Vovk and Petej (2014), what they printed, and the parts of the runs."""

import os

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from calib import CalibratedClassifier, PlattScaling, VennAbers
from calibkit.datasets import load
from experiments import read_table, recorded
from experiments.recording import RESULTS, n_missing
from experiments.vovk2014 import trained
from experiments.vovk2014.bagging import BaggedTrees, drawn_by_sums
from experiments.vovk2014.classifiers import (
    CLASSIFIERS,
    SHORT,
    TRAININGS,
    VARIANTS,
    make_classifier,
)
from experiments.vovk2014.data import Sample, sample, split
from experiments.vovk2014.decision_tree import DecisionTree
from experiments.vovk2014.echocardiogram import ECHO, reading_of, run_split
from experiments.vovk2014.naive_bayes import MixedNaiveBayes
from experiments.vovk2014.network import BackPropagationNetwork, train
from experiments.vovk2014.protocol import (
    FULL,
    METHODS,
    N_FULL_SPLITS,
    SPLITS,
    compare,
    full_losses,
    losses,
    overconfidence,
    predictions,
    run_block,
    run_full,
)
from experiments.vovk2014.pruning import estimated_errors
from experiments.vovk2014.rep_tree import RepTree, grow, split_of
from experiments.vovk2014.splitting import split_of_category, split_of_number
from experiments.vovk2014.tables import ranking
from experiments.vovk2014.trained import TRAINED, TRAINED_FULL

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


@pytest.mark.parametrize("experiment, n_methods", [(SPLITS, 8), (FULL, 3)])
def test_every_case_is_recorded(experiment, n_methods):
    rows = recorded(experiment.name)
    of_variants = np.isin(rows["classifier"], list(VARIANTS))
    cases = {tuple(map(str, case.values())) for case in experiment.cases()}
    keys = [rows[key] for key in experiment.cases()[0]]
    found = {(str(d), str(c), f"{number:.0f}") for d, c, number in zip(*keys, strict=True)}
    n_variants = sum(case["classifier"] in VARIANTS for case in experiment.cases())
    assert found == cases and of_variants.sum() == 3 * n_variants
    assert np.sum(~of_variants) == n_methods * (len(cases) - n_variants)
    assert np.all(rows["lower"] <= rows["upper"])
    assert np.all((rows["RMSE"] > 0) & (rows["RMSE"] < 1))


def test_every_case_of_echocardiogram_is_recorded():
    rows, cases = recorded(ECHO.name), ECHO.cases()
    with_full = sum(case["split"] < N_FULL_SPLITS for case in cases)
    assert rows["method"].size == 3 * len(cases) + with_full
    keys = zip(rows["reading"], rows["classifier"], rows["split"], strict=True)
    assert {(r, c, int(n)) for r, c, n in keys} == {tuple(case.values()) for case in cases}


def test_merged_probabilities_have_finite_log_loss():
    for name in ["vovk2014_splits", "vovk2014_full"]:
        rows = recorded(name)
        merged = np.isin(rows["method"], ["VA", "SVA", "IVAP", "CVAP", "OOF", "BASE"])
        assert np.all(np.isfinite(rows["log_loss"][merged]))
    rows = recorded("vovk2014_splits")
    np.testing.assert_array_equal(np.isinf(rows["log_loss"]), rows["infinite"] > 0)
    direct = rows["method"] == "DIR"
    assert np.mean(rows["infinite"][direct]) > 5  # of ten splits


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize(
    "dataset, classifier, block",
    [
        ("labor", "NB", 3),
        ("hepatitis", "LR", 0),
        ("echocardiogram", "J48", 9),
        ("breast_cancer_ljubljana", "J48 Bagging categories", 4),
        ("labor", "NN", 7),
    ],
)
def test_a_slice_of_the_splits_comes_out_again(dataset, classifier, block):
    case = {"dataset": dataset, "classifier": classifier, "block": block}
    for again, saved in zip(run_block(case), rows_of("vovk2014_splits", **case), strict=True):
        for key, value in again.items():
            assert value == (saved[key] if key == "method" else pytest.approx(saved[key], rel=1e-3))


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("classifier", ["J48", "J48 Bagging", "NB", "NN"])
def test_a_slice_of_the_full_predictor_comes_out_again(classifier):
    case = {"dataset": "labor", "classifier": classifier, "split": 2}
    for again, saved in zip(run_full(case), rows_of("vovk2014_full", **case), strict=True):
        assert again["method"] == saved["method"]
        for key in ["log_loss", "RMSE", "lower", "upper"]:
            assert again[key] == pytest.approx(saved[key], rel=1e-3)


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("reading, size", [("one year", 74), ("all columns", 131)])
def test_a_slice_of_echocardiogram_comes_out_again(reading, size):
    assert reading_of(reading).y.size == size
    case = {"reading": reading, "classifier": "J48", "split": 5}
    for again, saved in zip(run_split(case), rows_of(ECHO.name, **case), strict=True):
        assert again["method"] == saved["method"]
        for key in ["log_loss", "RMSE"]:
            assert again[key] == pytest.approx(saved[key], rel=1e-3)


def test_every_split_of_the_other_trainings_is_recorded():
    assert n_missing(TRAINED) == (0, 100 * 11 * len(TRAININGS))
    rows = recorded(TRAINED.name)
    assert sorted(set(rows["method"].tolist())) == ["DIR", "SVA", "W"]
    assert np.isfinite(rows["log_loss"][rows["method"] == "SVA"]).all()


def test_every_split_of_the_full_predictor_is_recorded():
    assert n_missing(TRAINED_FULL)[0] == 0
    recorded_ones = set(recorded(TRAINED_FULL.name)["classifier"].tolist())
    assert recorded_ones == {case["classifier"] for case in TRAINED_FULL.cases()}


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("classifier", TRAININGS)
@pytest.mark.parametrize("reading", ["study", "one year"])
def test_a_slice_of_the_other_trainings_comes_out_again(classifier, reading):
    case = {"dataset": "echocardiogram", "reading": reading, "classifier": classifier, "split": 3}
    for again, saved in zip(trained.run_split(case), rows_of(TRAINED.name, **case), strict=True):
        assert again["method"] == saved["method"]
        for key in ["log_loss", "RMSE"]:
            assert again[key] == pytest.approx(saved[key], rel=1e-3)


# --- the parts -----------------------------------------------------------------------------------


def made_up(n=90):
    """Two numbers, a category of three, a few missing values."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.4).astype(np.int8)
    columns = np.column_stack([rng.normal(y, 1), rng.normal(size=n), rng.integers(0, 3, n)])
    columns[rng.random((n, 3)) < 0.05] = np.nan
    named = [np.where(np.isnan(columns[:, 2]), np.nan, columns[:, 2] == code) for code in range(3)]
    return Sample(columns, (0, 0, 3), columns, np.column_stack([columns[:, :2], *named]), y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("classifier", [*CLASSIFIERS, *VARIANTS, *TRAININGS])
def test_every_classifier_runs_through_every_method(classifier):
    data = made_up()
    train, test = np.split(np.arange(90), [60])
    found = compare(data, classifier, train, test, seed=0)
    full = full_losses(data, classifier, train, test, seed=0)
    added = [] if classifier not in CLASSIFIERS else ["BASE", "IVAP", "CVAP", "OOF", "PLATT"]
    assert list(found) == ["W", "SVA", "DIR", *added]
    assert list(full) == ["VA", "W", "SVA"]
    for method in ["W", "SVA"]:
        assert full[method] == {key: found[method][key] for key in full[method]}
    for method, row in (found | {"VA": full["VA"]}).items():
        assert 0 <= row["lower"] <= row["upper"] <= 1 and 0 < row["RMSE"] < 1
        assert (row["lower"] == row["upper"]) == (method in ["W", "DIR", "PLATT"])
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
    model = CalibratedClassifier(template, PlattScaling(), cv=folds)
    p = model.fit(data.columns[train], data.y[train]).predict_proba(data.columns[test])[:, 1]
    np.testing.assert_allclose(p, found["PLATT"][0], rtol=1e-12)


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


GOLF = np.array(  # Quinlan (1993), table 1.1: outlook, temperature, humidity, windy, play
    [
        [0, 75, 70, 1, 1], [0, 80, 90, 1, 0], [0, 85, 85, 0, 0], [0, 72, 95, 0, 0],
        [0, 69, 70, 0, 1], [1, 72, 90, 1, 1], [1, 83, 78, 0, 1], [1, 64, 65, 1, 1],
        [1, 81, 75, 0, 1], [2, 71, 80, 1, 0], [2, 65, 70, 1, 0], [2, 75, 80, 0, 1],
        [2, 68, 80, 0, 1], [2, 70, 96, 0, 1],
    ],
    dtype=float,
)  # fmt: skip


def leaves(tree, node=0, path=()):
    """From the splits above each leaf to the weights of the classes in it."""
    if tree.branches[node] == 0:
        return {path: tuple(tree.counts[node].round(2).tolist())}
    found = {}
    for b in range(tree.branches[node]):
        step = (int(tree.column[node]), float(tree.threshold[node]), b)
        step = step if step[1] == step[1] else (step[0], b)
        found |= leaves(tree, tree.first[node] + b, (*path, step))
    return found


def test_the_tree_of_the_golf_data_is_quinlans():
    X, y = GOLF[:, :4], GOLF[:, 4].astype(int)
    model = DecisionTree((3, 0, 0, 2)).fit(X, y)
    assert leaves(model.tree_) == {
        ((0, 0), (2, 75.0, 0)): (0, 2),
        ((0, 0), (2, 75.0, 1)): (3, 0),
        ((0, 1),): (0, 4),
        ((0, 2), (3, 0)): (0, 3),
        ((0, 2), (3, 1)): (2, 0),
    }
    unknown_outlook = model.predict_proba(np.array([[np.nan, 70, 70, 0]]))[0, 1]
    assert unknown_outlook == pytest.approx(1.0)
    unknown = model.predict_proba(np.full((1, 4), np.nan))[0, 1]
    assert unknown == pytest.approx(9 / 14)


def test_gains_of_the_golf_data_are_quinlans():
    y, weights = GOLF[:, 4].astype(int), np.ones(14)
    gain, ratio = split_of_category(GOLF[:, 0], y, weights, 3)
    assert (gain, ratio) == (pytest.approx(0.246, abs=1e-3), pytest.approx(0.156, abs=1e-3))
    outlook = np.where(np.arange(14) == 5, np.nan, GOLF[:, 0])  # sections 3.1 and 3.2
    gain, ratio = split_of_category(outlook, y, weights, 3)
    assert (gain, ratio) == (pytest.approx(0.199, abs=1e-3), pytest.approx(0.110, abs=1e-3))
    assert split_of_category(np.zeros(14), y, weights, 2)[0] == -1.0


def test_the_best_threshold_is_that_of_a_search():
    rng = np.random.default_rng(6)
    values, y = rng.integers(0, 12, 60).astype(float), rng.integers(0, 2, 60)
    weights = rng.random(60) + 0.5

    def information(rows):
        shares = np.array([weights[rows & (y == z)].sum() for z in [0, 1]])
        return shares.sum() * stats.entropy(shares, base=2)

    gains = {}
    everything = np.ones(60, bool)
    for threshold in np.arange(11) + 0.5:
        below = values < threshold
        if min(weights[below].sum(), weights[~below].sum()) >= weights.sum() / 20:
            inside = information(below) + information(~below)
            gains[threshold] = (information(everything) - inside) / weights.sum()
    best = max(gains, key=gains.get)
    penalty = np.log2(len(gains)) / weights.sum()
    gain, ratio, middle = split_of_number(values, y, weights)
    if gains[best] <= penalty:
        assert gain == -1.0
    else:
        share = weights[values < best].sum() / weights.sum()
        assert (gain, middle) == (pytest.approx(gains[best] - penalty), best)
        assert ratio == pytest.approx(gain / stats.entropy([share, 1 - share], base=2))


@needs_data
def test_trees_are_those_that_weka_prints():
    trees = {}
    for dataset in ["labor", "vote", "breast_cancer_ljubljana", "diabetes", "ionosphere"]:
        data = sample(dataset)
        trees[dataset] = leaves(DecisionTree(data.n_categories).fit(data.columns, data.y).tree_)
    wage, holidays = (
        load("labor")[0].columns.get_loc(name)
        for name in ["wage-increase-first-year", "statutory-holidays"]
    )
    assert trees["labor"] == {
        ((wage, 2.5, 0),): (2.27, 13.0),
        ((wage, 2.5, 1), (holidays, 10.0, 0)): (4.77, 6.0),
        ((wage, 2.5, 1), (holidays, 10.0, 1)): (29.96, 1.0),
    }
    printed = {  # weight of a leaf, weight of the rows that it classifies wrongly
        "vote": [(2.21, 0), (5.04, 0.02), (6.03, 1.03), (22.61, 3.32), (145.71, 4), (253.41, 3.75)],
        "breast_cancer_ljubljana": [(1.01, 0.4), (26.2, 8), (30.4, 7.4), (228.39, 53.4)],
    }
    for dataset, expected in printed.items():
        found = sorted((sum(counts), min(counts)) for counts in trees[dataset].values())
        np.testing.assert_allclose(found, expected, atol=0.011)
    assert (len(trees["diabetes"]), len(trees["ionosphere"])) == (20, 18)


def test_the_tree_prunes_noise_and_keeps_a_clear_split():
    rng = np.random.default_rng(4)
    X = rng.random((300, 3))
    noise = (rng.random(300) < 0.2).astype(int)
    noisy = DecisionTree((0,) * 3).fit(X, noise)
    assert len(leaves(noisy.tree_)) < 20
    p = noisy.predict_proba(X)[:, 1]
    for share in np.unique(p):
        assert noise[p == share].mean() == pytest.approx(share)
    clear = (X[:, 0] > 0.5).astype(int)
    np.testing.assert_array_equal(
        DecisionTree((0,) * 3).fit(X, clear).predict_proba(X)[:, 1], clear
    )


def test_bagged_trees_are_a_mean_and_laplace_keeps_them_from_certainty():
    data = made_up()
    tree = DecisionTree(data.n_categories)
    model = BaggedTrees(tree, random_state=3).fit(data.columns, data.y)
    assert len(model.trees_) == 10
    mean = np.mean([tree.predict_proba(data.columns)[:, 1] for tree in model.trees_], axis=0)
    np.testing.assert_array_equal(model.predict_proba(data.columns)[:, 1], mean)
    X, y = GOLF[:, :4], GOLF[:, 4].astype(int)
    corrected = DecisionTree((3, 0, 0, 2), laplace=True).fit(X, y).predict_proba(X)[:, 1]
    assert sorted(set(corrected.round(6))) == [0.2, 0.25, 0.75, 0.8, 0.833333]


def test_bags_of_distinct_rows_hold_each_row_once():
    data = made_up()
    X, y, tree = data.columns, data.y, DecisionTree(data.n_categories)
    model = BaggedTrees(tree, draws="distinct", random_state=3).fit(X, y)
    bags = np.random.default_rng(3).integers(len(X), size=(10, len(X)))
    trees = [DecisionTree(data.n_categories).fit(X[rows], y[rows]) for rows in map(np.unique, bags)]
    mean = np.mean([tree.predict_proba(X) for tree in trees], axis=0)
    np.testing.assert_array_equal(model.predict_proba(X), mean)
    often = BaggedTrees(tree, random_state=3).fit(X, y)
    assert np.any(often.predict_proba(X) != mean)


def test_draws_by_sums_are_even_and_miss_a_quarter_of_the_rows():
    rng = np.random.default_rng(11)
    bags = [drawn_by_sums(400, rng) for _ in range(50)]
    assert all(bag.size == 400 and (0 <= bag.min() <= bag.max() == 399) for bag in bags)
    times = np.mean([np.bincount(bag, minlength=400) for bag in bags], axis=0)
    assert times.mean() == 1 and times[:200].mean() == pytest.approx(1, abs=0.03)
    missed = np.mean([1 - np.unique(bag).size / 400 for bag in bags])
    assert missed == pytest.approx(0.25, abs=0.01)


def rep_leaves(tree, X):
    """The leaf of each row, which misses nothing."""
    node = np.zeros(len(X), int)
    while np.any(tree.child[node] > 0):
        below = X[np.arange(len(X)), tree.column[node]] < tree.threshold[node]
        node = np.where(tree.child[node] > 0, tree.child[node] + ~below, node)
    return node


def test_a_rep_tree_counts_all_rows_and_is_pruned_by_those_held_out():
    rng = np.random.default_rng(8)
    X = rng.random((240, 3))
    y = ((X[:, 0] > 0.5) ^ (rng.random(240) < 0.2)).astype(int)
    model = RepTree(random_state=2).fit(X, y)
    tree = model.tree_
    assert tree.held[0].sum() == 80 and tree.counts[0].tolist() == np.bincount(y).tolist()
    assert tree.column[0] == 0 and tree.threshold[0] == pytest.approx(0.5, abs=0.05)
    leaf = rep_leaves(tree, X)
    p = model.predict_proba(X)[:, 1]
    for node in np.unique(leaf):
        np.testing.assert_allclose(p[leaf == node], y[leaf == node].mean())
    grown = tree.counts - tree.held
    unpruned = grow(X, y, rng.permutation(240)[:160])
    assert np.sum(tree.child > 0) < np.sum(unpruned.child > 0)

    def errors(node):  # on the rows held out
        if tree.child[node] == 0:
            return tree.held[node, np.argmin(grown[node])]
        return errors(tree.child[node]) + errors(tree.child[node] + 1)

    for node in range(leaf.max()):
        if tree.child[node] > 0 and tree.counts[node].sum() > 0:
            assert errors(node) < tree.held[node, np.argmin(grown[node])]


def test_the_best_split_of_a_rep_tree_is_that_of_a_search():
    rng = np.random.default_rng(9)
    values, y = rng.integers(0, 9, 50).astype(float), rng.integers(0, 2, 50)
    weights = rng.random(50) + 0.5
    values[:5] = np.nan

    def left_over(threshold):
        found = 0.0
        for rows in [values < threshold, values >= threshold]:
            shares = np.array([weights[rows & (y == z)].sum() for z in [0, 1]])
            found += shares.sum() * stats.entropy(shares, base=2)
        return found

    threshold, share, sides = split_of(values, y, weights)
    assert threshold == min(np.arange(8) + 0.5, key=left_over)
    known = weights[5:].sum()
    assert share == pytest.approx(weights[values < threshold].sum() / known)
    assert sides.sum(axis=1) == pytest.approx([share * weights.sum(), (1 - share) * weights.sum()])


def test_a_row_that_misses_the_value_goes_down_both_branches_of_a_rep_tree():
    X = np.repeat([[0.0], [1.0]], [30, 60], axis=0)
    y = (X[:, 0] == 1).astype(int)
    model = RepTree().fit(X, y)
    p = model.predict_proba(np.array([[0.0], [1.0], [np.nan]]))[:, 1]
    np.testing.assert_allclose(p, [0, 1, 2 / 3])


@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_the_network_is_trained_row_by_row(rate):
    rng = np.random.default_rng(7)
    X, y = np.column_stack([rng.uniform(-1, 1, (12, 3)), np.ones(12)]), rng.integers(0, 2, 12)
    inner, outer = rng.uniform(-0.05, 0.05, (4, 2)), rng.uniform(-0.05, 0.05, (2, 3))
    weights = [inner.copy(), outer.T.copy()]
    last = [np.zeros_like(w) for w in weights]
    for _ in range(40):
        for x, z in zip(X, y, strict=True):
            hidden = np.append(1 / (1 + np.exp(-x @ weights[0])), 1.0)
            output = 1 / (1 + np.exp(-hidden @ weights[1]))
            delta = (np.eye(2)[z] - output) * output * (1 - output)
            below = (weights[1] @ delta)[:2] * hidden[:2] * (1 - hidden[:2])
            last = [
                rate * np.outer(x, below) + 0.2 * last[0],
                rate * np.outer(hidden, delta) + 0.2 * last[1],
            ]
            weights = [w + change for w, change in zip(weights, last, strict=True)]
    train(X, y, inner, outer, 40, rate)
    np.testing.assert_allclose(inner, weights[0], rtol=1e-10)
    np.testing.assert_allclose(outer, weights[1].T, rtol=1e-10)


@pytest.mark.slow
def test_the_network_learns_an_exclusive_or_and_puts_missing_values_in_the_middle():
    rng = np.random.default_rng(8)
    X = rng.uniform([2, -1], [4, 1], (200, 2))
    y = ((X[:, 0] > 3) ^ (X[:, 1] > 0)).astype(int)
    X = np.column_stack([X, rng.random((200, 3)), np.full(200, 5.0), np.full(200, np.nan)])
    model = BackPropagationNetwork(random_state=0).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert np.mean(p.argmax(axis=1) == y) > 0.95
    few = BackPropagationNetwork(2).fit(X[:9], y[:9])
    assert few.inner_.shape == (8, 2)
    assert np.any(
        few.inner_ != BackPropagationNetwork(2, learning_rate=0.1).fit(X[:9], y[:9]).inner_
    )
    gap, middle = X[:1].copy(), X[:1].copy()
    gap[0, 0], middle[0, 0] = np.nan, (X[:, 0].min() + X[:, 0].max()) / 2
    np.testing.assert_allclose(model.predict_proba(gap), model.predict_proba(middle), rtol=1e-12)


def test_the_svm_has_no_probabilities_of_its_own():
    assert not hasattr(make_classifier("SVM Platt", made_up(), 0), "predict_proba")


@needs_data
def test_samples_and_splits():
    data = sample("breast_cancer_ljubljana")
    assert data.columns.shape == (286, 9) and data.indicators.shape[0] == 286
    assert data.indicators.shape[1] == sum(1 if k == 2 else k for k in data.n_categories)
    assert np.isnan(data.columns).sum() == 9
    credit = sample("australian")
    assert np.unique(credit.numbers[:, 4]).tolist() == list(range(1, 15))
    assert np.unique(credit.columns[:, 4]).tolist() == list(range(14))
    train, test = split("breast_cancer_ljubljana", 0)
    assert (train.size, test.size) == (190, 96)
    assert sorted([*train, *test]) == list(range(286))
    assert np.any(split("breast_cancer_ljubljana", 1)[0] != train)
