"""HeterogeneousCalibrator against fits by hand, its partitions, its edges and refusals."""

import pickle
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import get_tags

from calib import (
    BBQ,
    AUCSplitTree,
    HeterogeneousCalibrator,
    HistogramBinning,
    IsotonicCalibrator,
    OneClassWarning,
    PlattScaling,
)
from calib.heterogeneous.partitions import GivenGroups
from calib.heterogeneous.parts import effective_size_of
from calib.heterogeneous.shifted import fit_offset
from calib.methods.folds import deal
from calibkit import diagrams
from calibkit.groups import PooledHeterogeneousCalibrator
from calibkit.groups.pooling import Blended
from calibkit.inference import auc_by_parts


def sample(n=1200, seed=0):
    """A feature with three groups that the score ignores, and one of noise."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    group = np.clip(rng.integers(0, 3, n) + labels * (rng.random(n) < 0.5), 0, 2)
    scores = (1 + group) * rng.normal(labels - 0.5, 1)
    return np.column_stack([group, rng.normal(size=n)]), scores, labels


X, SCORES, LABELS = sample()
X_NEW, SCORES_NEW, LABELS_NEW = sample(500, seed=1)
TIMES = np.datetime64("2026-01-01") + X[:, 0].astype(int)
FRAME = pd.DataFrame({"region": np.array(["n", "s", "w"])[X[:, 0].astype(int)], "noise": X[:, 1]})
TREE = DecisionTreeClassifier(max_depth=2, min_samples_leaf=60, random_state=0).fit(X, LABELS)
FOREST = RandomForestClassifier(7, max_depth=2, min_samples_leaf=60, random_state=0)
BOOSTING = GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=0)


GIVEN = "given"  # in the place of a partition: the groups, or the first column of the rows


def beside(given, rows):
    if given:
        return {"groups": rows if np.ndim(rows) == 1 else np.asarray(rows)[:, 0]}
    return {"features": rows}


def fitted(partition=None, *arguments, weights=None, data=(X, SCORES, LABELS), **settings):
    given = isinstance(partition, str) and partition == GIVEN
    cls = PooledHeterogeneousCalibrator if "pooling" in settings else HeterogeneousCalibrator
    model = cls(None if given else partition, *arguments, **settings)
    rows, scores, labels = data
    return model.fit(scores, labels, sample_weight=weights, **beside(given, rows))


def predict(model, rows, scores):
    return model.predict(scores, **beside(isinstance(model.partition_, GivenGroups), rows))


def by_hand(parts, parts_new, scores, scores_new, calibrator=None):
    """Each part fitted and predicted by itself."""
    result = np.empty(scores_new.size)
    for part in np.unique(parts_new):
        here, there = parts == part, parts_new == part
        own = PlattScaling() if calibrator is None else calibrator
        result[there] = own.fit(scores[here], LABELS[here]).predict(scores_new[there])
    return result


# Parts


def test_given_groups_equal_separate_fits():
    p = predict(fitted(GIVEN), X_NEW, SCORES_NEW)
    np.testing.assert_array_equal(p, by_hand(X[:, 0], X_NEW[:, 0], SCORES, SCORES_NEW))
    assert np.any(p != PlattScaling().fit(SCORES, LABELS).predict(SCORES_NEW))


@pytest.mark.parametrize("calibrator", [IsotonicCalibrator(), HistogramBinning(n_bins=5)])
def test_any_calibrator_per_part(calibrator):
    np.testing.assert_array_equal(
        predict(fitted(GIVEN, calibrator), X_NEW, SCORES_NEW),
        by_hand(X[:, 0], X_NEW[:, 0], SCORES, SCORES_NEW, calibrator),
    )


@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
@pytest.mark.parametrize("partition", [GIVEN, TREE, FOREST, BOOSTING])
def test_isotonic_regression_of_scikit_learn(partition, weights):
    theirs = fitted(partition, IsotonicRegression(out_of_bounds="clip"), weights=weights)
    ours = fitted(partition, IsotonicCalibrator(), weights=weights)
    np.testing.assert_allclose(
        predict(theirs, X_NEW, SCORES_NEW), predict(ours, X_NEW, SCORES_NEW), rtol=0, atol=1e-12
    )
    assert len(theirs.parts_) == len(ours.parts_) > 1


@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
def test_groups_of_polars(weights):
    polars = pytest.importorskip("polars")
    groups = polars.Series("region", FRAME["region"].tolist())
    model = fitted(GIVEN, weights=weights, data=(groups, SCORES, LABELS))
    expected = fitted(GIVEN, weights=weights, data=(FRAME["region"], SCORES, LABELS))
    np.testing.assert_array_equal(
        predict(model, groups, SCORES), predict(expected, FRAME["region"], SCORES)
    )
    assert [part.rule for part in model.parts_] == [part.rule for part in expected.parts_]


@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
def test_groups_of_any_form(weights):
    expected = predict(fitted(GIVEN, weights=weights), X, SCORES)
    region = FRAME["region"]
    for groups in [region, region.tolist(), region.to_numpy(str), region.astype("category")]:
        model = fitted(GIVEN, weights=weights, data=(groups, SCORES, LABELS))
        np.testing.assert_array_equal(predict(model, groups, SCORES), expected)


def test_a_series_gives_the_groups_their_name():
    rules = [part.rule for part in fitted(GIVEN, data=(FRAME["region"], SCORES, LABELS)).parts_]
    assert rules == ["region = n", "region = s", "region = w"]
    rules = [part.rule for part in fitted(GIVEN, data=(X[:, 0], SCORES, LABELS)).parts_]
    assert rules == ["x0 = 0.0", "x0 = 1.0", "x0 = 2.0"]


def test_a_fitted_tree_is_used_as_it_is():
    threshold = TREE.tree_.threshold.copy()
    p = predict(fitted(TREE), X_NEW, SCORES_NEW)
    np.testing.assert_array_equal(p, by_hand(TREE.apply(X), TREE.apply(X_NEW), SCORES, SCORES_NEW))
    np.testing.assert_array_equal(TREE.tree_.threshold, threshold)
    frozen = clone(HeterogeneousCalibrator(FrozenEstimator(TREE))).fit(SCORES, LABELS, features=X)
    np.testing.assert_array_equal(predict(frozen, X_NEW, SCORES_NEW), p)


def test_a_tree_that_is_not_fitted_is_trained_on_the_calibration_points():
    template = DecisionTreeClassifier(max_depth=2, min_samples_leaf=60, random_state=0)
    np.testing.assert_array_equal(
        predict(fitted(template), X_NEW, SCORES_NEW), predict(fitted(TREE), X_NEW, SCORES_NEW)
    )
    assert not hasattr(template, "tree_")
    weights = np.linspace(0.1, 3, LABELS.size)
    weighted = clone(template).fit(X, LABELS, sample_weight=weights)
    np.testing.assert_array_equal(
        predict(fitted(template, weights=weights), X_NEW, SCORES_NEW),
        predict(fitted(weighted, weights=weights), X_NEW, SCORES_NEW),
    )


def test_the_default_partition():
    template = DecisionTreeClassifier(max_depth=3, min_samples_leaf=80, random_state=0)
    np.testing.assert_array_equal(
        predict(fitted(min_part_size=80), X, SCORES),
        predict(fitted(template, min_part_size=80), X, SCORES),
    )


def test_an_auc_split_tree_sees_the_scores():
    template = AUCSplitTree(max_depth=2, min_samples_leaf=60)
    prefit = clone(template).fit(X, SCORES, LABELS)
    model = fitted(template)
    np.testing.assert_array_equal(
        predict(model, X_NEW, SCORES_NEW),
        by_hand(prefit.apply(X), prefit.apply(X_NEW), SCORES, SCORES_NEW),
    )
    assert {part.number for part in model.parts_} == set(prefit.apply(X))


@pytest.mark.parametrize(
    "forest", [FOREST, ExtraTreesClassifier(5, max_depth=3, min_samples_leaf=60, random_state=0)]
)
def test_a_forest_is_the_average_of_its_trees(forest):
    forest = clone(forest).fit(X, LABELS)
    single = [predict(fitted(tree), X_NEW, SCORES_NEW) for tree in forest.estimators_]
    np.testing.assert_allclose(
        predict(fitted(forest), X_NEW, SCORES_NEW), np.mean(single, axis=0), rtol=1e-12
    )


@pytest.mark.parametrize(
    "boosting", [BOOSTING, GradientBoostingRegressor(n_estimators=3, max_depth=1, random_state=0)]
)
def test_boosting_is_a_composition(boosting):
    boosting = clone(boosting).fit(X, LABELS)
    scores, scores_new = SCORES, SCORES_NEW
    for tree in boosting.estimators_[:, 0]:
        parts, parts_new = tree.apply(X), tree.apply(X_NEW)
        scores, scores_new = (
            logit(by_hand(parts, queries, scores, given))
            for queries, given in [(parts, scores), (parts_new, scores_new)]
        )
    np.testing.assert_allclose(
        predict(fitted(boosting, min_part_size=2), X_NEW, SCORES_NEW), expit(scores_new), rtol=1e-8
    )


def clipped_logit(p):
    return logit(np.clip(p, 2**-53, 1 - 2**-53))


@pytest.mark.parametrize(
    "calibrator, output",
    [
        (IsotonicCalibrator(), clipped_logit),
        (HistogramBinning(n_bins=5, strategy="uniform"), np.asarray),
    ],
    ids=["logits", "probabilities"],
)
def test_boosting_with_calibrators_that_predict_0_and_1(calibrator, output):
    boosting = clone(BOOSTING).set_params(n_estimators=2, max_depth=1).fit(X, LABELS)
    parts = np.column_stack([tree.apply(X) for tree in boosting.estimators_[:, 0]])
    scores = expit(SCORES)
    first = by_hand(parts[:, 0], parts[:, 0], scores, scores, calibrator)
    assert first.min() == 0 or first.max() == 1 or output is np.asarray
    second = by_hand(parts[:, 1], parts[:, 1], output(first), output(first), calibrator)
    model = fitted(boosting, calibrator, data=(X, scores, LABELS), min_part_size=2)
    np.testing.assert_array_equal(predict(model, X, scores), second)


def test_boosting_hands_on_logits_that_no_probability_holds():
    scores = np.concatenate([SCORES, 60 + np.arange(LABELS.size)])  # sigmoid rounds these to 1
    labels = np.concatenate([LABELS, np.ones_like(LABELS)])
    features = np.concatenate([X, X])
    boosting = clone(BOOSTING).set_params(max_depth=1).fit(features, labels)
    model = fitted(boosting, data=(features, scores, labels))
    leaves = boosting.estimators_[0, 0].apply(features)
    entering = np.empty(scores.size)
    for part in model.parts_[:2]:
        rows = leaves == part.number
        entering[rows] = part.slope * scores[rows] + part.intercept
    second = PlattScaling().fit(entering, labels)
    assert expit(entering).max() == 1
    assert model.fallbacks_[1].slope_ == second.slope_ != model.fallbacks_[0].slope_


def test_a_pipeline_encodes_categories():
    region = FRAME[["region"]]
    tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    model = fitted(make_pipeline(encoder, tree), data=(region, SCORES, LABELS))
    groups = fitted(GIVEN, data=(FRAME["region"], SCORES, LABELS))
    np.testing.assert_array_equal(
        predict(model, region, SCORES), predict(groups, FRAME["region"], SCORES)
    )
    assert any("region_n" in part.rule for part in model.parts_)
    unknown = pd.DataFrame({"region": ["east"]})  # all zeros to the tree: some leaf
    assert model.partition_.parts_of(unknown)[0, 0] in {part.number for part in model.parts_}


def test_a_pipeline_imputes_and_takes_weights():
    holes = np.where(np.arange(LABELS.size) % 7 == 0, np.nan, X[:, 1])[:, np.newaxis]
    weights = np.linspace(1, 2, LABELS.size)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    filled = SimpleImputer().fit_transform(holes)
    expected = predict(fitted(tree, weights=weights, data=(filled, SCORES, LABELS)), filled, SCORES)
    model = fitted(
        make_pipeline(SimpleImputer(), tree), weights=weights, data=(holes, SCORES, LABELS)
    )
    np.testing.assert_array_equal(predict(model, holes, SCORES), expected)
    assert fitted(make_pipeline(tree), data=(filled, SCORES, LABELS)).parts_


@pytest.mark.parametrize("weights", [None, np.linspace(1, 2, LABELS.size)])
def test_a_pipeline_hands_the_scores_to_an_auc_split_tree(weights):
    tree = AUCSplitTree(max_depth=2)
    np.testing.assert_array_equal(
        predict(fitted(make_pipeline(SimpleImputer(), tree), weights=weights), X, SCORES),
        predict(fitted(tree, weights=weights), X, SCORES),
    )


def test_trees_see_missing_values_themselves():
    holes = np.where(np.arange(LABELS.size) % 7 == 0, np.nan, X[:, 1])[:, np.newaxis]
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(holes, LABELS)
    p = predict(fitted(tree, data=(holes, SCORES, LABELS)), holes, SCORES)
    np.testing.assert_array_equal(p, by_hand(tree.apply(holes), tree.apply(holes), SCORES, SCORES))


# What can be inspected


def test_parts_tell_rule_points_and_coefficients():
    model = fitted(TREE)
    assert [part.number for part in model.parts_] == sorted(set(TREE.apply(X)))
    for part in model.parts_:
        rows = TREE.apply(X) == part.number
        own = PlattScaling().fit(SCORES[rows], LABELS[rows])
        assert (part.n_points, part.n_positive) == (rows.sum(), LABELS[rows].sum())
        assert (part.slope, part.intercept) == (own.slope_, own.intercept_)
        assert part.score_range == (SCORES[rows].min(), SCORES[rows].max())
        assert not part.fallback and part.tree == 0
    assert fitted(TREE, IsotonicCalibrator()).parts_[0].slope is None


@pytest.mark.parametrize("data", [X, FRAME[["noise"]]], ids=["array", "frame"])
def test_rules_say_who_is_in_a_part(data):
    """Each rule, evaluated as a Python expression, finds the rows of its leaf."""
    tree = DecisionTreeRegressor(max_depth=4, min_samples_leaf=60, random_state=0).fit(data, SCORES)
    model = fitted(tree, data=(data, SCORES, LABELS))
    values = pd.DataFrame(data, columns=None if hasattr(data, "columns") else ["x0", "x1"])
    values = values.round(9)
    for part in model.parts_:
        conditions = [eval(c, None, dict(values)) for c in expand(part.rule)]
        found = np.logical_and.reduce(conditions)
        assert np.mean(found == (tree.apply(data) == part.number)) > 0.999  # rules show 4 digits
    assert len(model.parts_) > 8


def test_rules_say_where_missing_values_go():
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X + rng.normal(0, 0.1, X.shape))
    labels = np.where(np.isnan(gaps[:, 0]), rng.random(LABELS.size) < 0.9, LABELS).astype(int)
    tree = DecisionTreeClassifier(max_depth=5, min_samples_leaf=30, random_state=0)
    model = fitted(tree.fit(gaps, labels), data=(gaps, SCORES, labels))
    rules = [part.rule for part in model.parts_]
    assert any("or missing)" in rule for rule in rules) and len(rules) > 8
    for part in model.parts_:
        found = np.ones(len(gaps), bool)
        for condition in part.rule.split(" and "):
            found &= holds(condition, gaps)
        assert np.mean(found == (tree.apply(gaps) == part.number)) > 0.999  # rules show 4 digits


def holds(condition, values):
    """Rows for which '(1 < x0 <= 2 or missing)', 'x0 missing' or the like is true."""
    words = condition.strip("()").removesuffix(" or missing")
    column = values[:, int(words[words.index("x") + 1])]
    if words.endswith(" missing"):
        return ~np.isnan(column) if " not " in words else np.isnan(column)
    with np.errstate(invalid="ignore"):
        inside = np.logical_and.reduce(
            [eval(c, None, {"x0": column, "x1": column}) for c in expand(words)]
        )
    return inside | (np.isnan(column) if condition.endswith("or missing)") else False)


def test_a_split_between_missing_and_present_values():
    column = np.where(np.arange(LABELS.size) % 3 == 0, np.nan, 1.0).reshape(-1, 1)
    labels = np.isnan(column[:, 0]).astype(int)
    tree = DecisionTreeClassifier(max_depth=1).fit(column, labels)
    rules = [part.rule for part in fitted(tree, data=(column, SCORES, LABELS)).parts_]
    assert rules == ["x0 not missing", "x0 missing"]
    pipeline = make_pipeline(SimpleImputer(), DecisionTreeClassifier(max_depth=1))
    rules = [
        p.rule for p in fitted(pipeline, data=(np.where(X > 1, np.nan, X), SCORES, LABELS)).parts_
    ]
    assert not any("missing" in rule for rule in rules)


def expand(rule):
    """'1 < x <= 2 and y > 0' as the list 'x > 1', 'x <= 2', 'y > 0'."""
    for condition in rule.split(" and "):
        words = condition.split()
        if len(words) == 5:
            yield f"{words[2]} > {words[0]}"
            yield f"{words[2]} <= {words[4]}"
        else:
            yield condition


def test_the_number_and_names_of_the_features():
    for data, width in [(X, 2), (X.tolist(), 2)]:
        model = fitted(data=(data, SCORES, LABELS))
        assert model.n_features_in_ == width
        assert not hasattr(model, "feature_names_in_")
    model.fit(SCORES, LABELS, features=FRAME[["noise"]])
    assert model.feature_names_in_.tolist() == ["noise"]
    model.fit(SCORES, LABELS, groups=FRAME["region"])
    assert not hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_")


def test_tags_tell_that_there_is_one_score_for_each_row():
    tags = get_tags(HeterogeneousCalibrator())
    assert tags.input_tags.one_d_array and tags.estimator_type == "classifier"


def test_a_tree_without_splits_is_platt_scaling():
    stump = DecisionTreeClassifier(max_depth=1, min_samples_leaf=10**6).fit(X, LABELS)
    model = fitted(stump)
    assert [part.rule for part in model.parts_] == ["all"]
    np.testing.assert_array_equal(
        predict(model, X, SCORES), PlattScaling().fit(SCORES, LABELS).predict(SCORES)
    )


def test_partition_map_draws_every_part():
    ax = diagrams.partition_map(fitted(GIVEN, min_part_size=420))
    n_parts = [int((X[:, 0] == g).sum()) for g in range(3)]
    assert [line.get_label() for line in ax.get_lines()] == [
        "all points",
        *(f"x0 = {g:.1f} ({n})" for g, n in enumerate(n_parts)),
    ]
    styles = [line.get_linestyle() for line in ax.get_lines()][1:]
    assert styles == ["--" if n < 420 else "-" for n in n_parts] and len(set(styles)) == 2
    line = ax.get_lines()[1]
    model = fitted(GIVEN, min_part_size=420)
    np.testing.assert_array_equal(
        line.get_ydata(), model.parts_[0].calibrator.predict(line.get_xdata())
    )
    diagrams.partition_map(fitted(FOREST), tree=6, ax=ax)
    with pytest.raises(ValueError, match="tree must be an integer from 0 to 6; found 7"):
        diagrams.partition_map(fitted(FOREST), tree=7)
    with pytest.raises(ValueError, match="not fitted"):
        diagrams.partition_map(HeterogeneousCalibrator())


# Edges


def test_a_part_is_large_by_what_it_tells():
    """Half of 50 points are as good as 50; of more points with fewer positives it takes more."""
    groups = np.repeat([0, 1, 2, 3, 4], [500, 50, 48, 400, 160])
    labels = np.concatenate(
        [LABELS[:500], *(np.arange(n) < m for n, m in [(50, 25), (48, 24), (400, 13), (160, 14)])]
    )
    model = fitted(GIVEN, data=(groups, SCORES[: groups.size], labels))
    sizes = [part.effective_size for part in model.parts_]
    np.testing.assert_allclose(sizes[1:], [50, 48, 4 * 13 * 387 / 400, 4 * 14 * 146 / 160])
    assert [part.fallback for part in model.parts_] == [False, False, True, False, False]
    fewer = fitted(GIVEN, data=(groups, SCORES[: groups.size], labels), min_part_size=52)
    assert [part.fallback for part in fewer.parts_] == [False, True, True, True, True]
    assert model.parts_[3].effective_size < 51 < model.parts_[4].effective_size
    large = np.isin(groups, [0, 3, 4])
    np.testing.assert_array_equal(
        predict(model, groups, SCORES[: groups.size])[large],
        predict(
            fitted(GIVEN, data=(groups[large], SCORES[: groups.size][large], labels[large])),
            groups[large],
            SCORES[: groups.size][large],
        ),
    )


@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
@pytest.mark.parametrize(
    "calibrator", [PlattScaling(), IsotonicCalibrator(), IsotonicRegression(out_of_bounds="clip")]
)
def test_small_parts_shift_the_common_calibrator(calibrator, weights):
    """The offset is where the residuals of the part balance the prior."""
    groups = np.repeat([0, 1, 2, 3], [600, 501, 49, 50])
    labels = LABELS.copy()
    labels[groups == 1] = 1
    labels[groups == 2] = 0
    model = fitted(GIVEN, calibrator, data=(groups, SCORES, labels), weights=weights)
    assert [part.fallback for part in model.parts_] == [False, True, True, True]
    w = np.ones(labels.size) if weights is None else weights
    options = {} if weights is None else {"sample_weight": weights}
    common = clone(calibrator).fit(SCORES, labels, **options)
    for part, sign in zip(model.parts_[1:3], [1, -1], strict=True):
        rows = groups == part.number
        p = predict(model, groups[rows], SCORES[rows])
        np.testing.assert_array_equal(part.calibrator.predict(SCORES[rows]), p)
        offset = part.calibrator.offset
        assert w[rows] @ (labels[rows] - p) == pytest.approx(offset, rel=1e-6)
        assert sign * offset > 0.5
        before = np.clip(common.predict(SCORES[rows]), 2.0**-53, 1 - 2.0**-53)
        np.testing.assert_allclose(expit(logit(before) + offset), p, rtol=1e-9)


def test_a_shifted_sigmoid_is_a_sigmoid():
    part = fitted(GIVEN, min_part_size=10**6).parts_[0]
    assert part.fallback and part.calibrator.offset != 0
    assert part.slope == PlattScaling().fit(SCORES, LABELS).slope_
    np.testing.assert_allclose(
        part.calibrator.predict(SCORES_NEW), expit(part.slope * SCORES_NEW + part.intercept)
    )


def test_a_part_without_positives_is_ranked_where_it_belongs():
    """The common map alone gives such a part the order of the score, as if it were like others."""
    rng = np.random.default_rng(0)

    def draw(n):
        rare, y = rng.random(n) < 0.1, rng.normal(-1, 1.2, n)
        return rare.astype(int), y, (rng.random(n) < expit(y - 4 * rare)).astype(int)

    new = draw(50_000)
    truth = roc_auc_score(new[2], expit(new[1] - 4 * new[0]))
    for _ in range(5):
        groups, scores, labels = draw(2000)
        labels[groups == 1] = 0
        model = fitted(GIVEN, data=(groups, scores, labels))
        assert roc_auc_score(new[2], predict(model, *new[:2])) > truth - 0.002
        common = model.fallbacks_[0].predict(new[1])
        assert roc_auc_score(new[2], common) < truth - 0.03


def test_boosting_passes_shifted_scores_on():
    boosting = clone(BOOSTING).fit(X, LABELS)
    ours = fitted(boosting, min_part_size=10**6)
    scores = SCORES_NEW
    for tree, numbers in enumerate(boosting.apply(X_NEW).reshape(len(X_NEW), -1).T):
        parts = {p.number: p for p in ours.parts_ if p.tree == tree}
        assert len({p.intercept for p in parts.values()}) == len(parts) > 1
        scores = np.array(
            [parts[n].slope * s + parts[n].intercept for n, s in zip(numbers, scores, strict=True)]
        )
    np.testing.assert_allclose(predict(ours, X_NEW, SCORES_NEW), expit(scores))
    unit = fitted(boosting, BBQ(), data=(X, expit(SCORES), LABELS), min_part_size=10**6)
    p = predict(unit, X_NEW, expit(SCORES_NEW))
    assert p.min() >= 0 and p.max() <= 1 and np.ptp(p) > 0.3


def test_a_leaf_without_calibration_points():
    inside = X[:, 0] > 0.5
    model = fitted(
        DecisionTreeClassifier(max_depth=1).fit(X[:, :1] > 0.5, X[:, 0] > 0.5),
        data=(X[inside, :1], SCORES[inside], LABELS[inside]),
    )
    empty = model.parts_[0]
    assert (empty.n_points, empty.fallback) == (0, True) and np.isnan(empty.score_range).all()
    common = PlattScaling().fit(SCORES[inside], LABELS[inside])
    np.testing.assert_array_equal(
        predict(model, np.zeros((3, 1)), [-1, 0, 1]), common.predict([-1, 0, 1])
    )
    assert len(diagrams.partition_map(model).get_lines()) == 2


def test_one_class_in_all():
    with pytest.warns(OneClassWarning, match="one class"):
        model = fitted(TREE, data=(X, SCORES, np.ones_like(LABELS)))
    assert all(part.fallback for part in model.parts_)
    assert (predict(model, X, SCORES) > 0.99).all()


def test_a_group_that_was_not_there():
    common = PlattScaling().fit(SCORES, LABELS).predict([0.3])
    model = fitted(GIVEN, data=(FRAME["region"], SCORES, LABELS))
    np.testing.assert_array_equal(predict(model, ["east"], [0.3]), common)
    np.testing.assert_array_equal(predict(fitted(GIVEN), [[7, 0.0]], [0.3]), common)
    np.testing.assert_array_equal(predict(model, [None], [0.3]), common)


def test_groups_of_another_type_were_not_there():
    common = PlattScaling().fit(SCORES, LABELS).predict([0.3, 0.7])
    strings, numbers = FRAME["region"], X[:, 0]
    for groups, others in [(strings, [1, 2]), (strings, [np.nan, 1.5]), (numbers, ["0", "n"])]:
        model = fitted(GIVEN, data=(groups, SCORES, LABELS))
        np.testing.assert_array_equal(predict(model, others, [0.3, 0.7]), common)


def test_probabilities_logits_and_score_are_those_of_predict():
    for partition in [GIVEN, TREE]:
        model, given = fitted(partition), beside(partition == GIVEN, X_NEW)
        p = model.predict(SCORES_NEW, **given)
        both = model.predict_proba(SCORES_NEW, **given)
        np.testing.assert_array_equal(both, np.column_stack([1 - p, p]))
        np.testing.assert_allclose(expit(model.predict_logit(SCORES_NEW, **given)), p, rtol=1e-12)
        weights = np.arange(LABELS_NEW.size) % 3
        brier = np.average((p - LABELS_NEW) ** 2, weights=weights)
        found = model.score(SCORES_NEW, LABELS_NEW, sample_weight=weights, **given)
        assert found == pytest.approx(-brier, rel=1e-12)


def test_either_groups_or_features():
    model = fitted(TREE)
    for given in [{}, {"groups": X[:, 0], "features": X}]:
        for method in (model.predict, model.predict_proba, model.predict_logit):
            with pytest.raises(ValueError, match="pass either groups, .* or features"):
                method(SCORES, **given)
        with pytest.raises(ValueError, match="pass either groups, .* or features"):
            model.fit(SCORES, LABELS, **given)
    with pytest.raises(ValueError, match="groups are given, but fit was given features"):
        model.predict(SCORES, groups=X[:, 0])
    with pytest.raises(ValueError, match="features are given, but fit was given groups"):
        fitted(GIVEN).predict(SCORES, features=X)
    with pytest.raises(ValueError, match="partition makes parts of features, but groups are given"):
        model.fit(SCORES, LABELS, groups=X[:, 0])
    with pytest.raises(ValueError, match="features must be two-dimensional; found 1 dim"):
        model.fit(SCORES, LABELS, features=X[:, 0])


def test_groups_are_no_times_in_a_query_either():
    model = fitted(GIVEN, data=(X[:, 0], SCORES, LABELS))
    for unit in ("s", "ns"):
        with pytest.raises(ValueError, match="write times and other objects as strings"):
            predict(model, TIMES.astype(f"datetime64[{unit}]"), SCORES)


@pytest.mark.parametrize("none", [None, np.nan])
def test_a_missing_value_is_a_group(none):
    groups = FRAME["region"].astype(object).where(FRAME["region"] != "s", none)
    model = fitted(GIVEN, data=(groups, SCORES, LABELS))
    np.testing.assert_array_equal(
        predict(model, groups, SCORES), by_hand(X[:, 0], X[:, 0], SCORES, SCORES)
    )
    numbers = np.where(X[:, 0] == 1, np.nan, X[:, 0])
    model = fitted(GIVEN, data=(numbers, SCORES, LABELS))
    np.testing.assert_array_equal(
        predict(model, numbers, SCORES), by_hand(X[:, 0], X[:, 0], SCORES, SCORES)
    )


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean", "string"])
def test_a_missing_value_of_a_nullable_column_is_a_group(dtype):
    value = {"boolean": True, "string": "n"}.get(dtype, 1)
    some = X[:, 0] > 0
    frame = pd.DataFrame({"g": pd.array(np.where(some, value, None), dtype=dtype)})
    p = predict(fitted(GIVEN, data=(frame["g"], SCORES, LABELS)), frame["g"], SCORES)
    np.testing.assert_array_equal(p, by_hand(some, some, SCORES, SCORES))
    objects = frame["g"].tolist()
    assert any(value is pd.NA for value in objects)
    np.testing.assert_array_equal(
        predict(fitted(GIVEN, data=(objects, SCORES, LABELS)), objects, SCORES), p
    )


@pytest.mark.parametrize("partition", [None, GIVEN, FOREST, BOOSTING, AUCSplitTree()])
def test_no_queries(partition):
    assert predict(fitted(partition), np.empty((0, 2)), []).shape == (0,)


@pytest.mark.parametrize("partition", [None, GIVEN, TREE, FOREST, BOOSTING, AUCSplitTree()])
def test_order_of_rows_does_not_matter(partition):
    order = np.random.default_rng(3).permutation(LABELS.size)
    if partition is FOREST:  # bootstrap samples depend on the order: fix the forest
        partition = clone(FOREST).fit(X, LABELS)
    ours = predict(fitted(partition), X_NEW, SCORES_NEW)
    theirs = fitted(partition, data=(X[order], SCORES[order], LABELS[order]))
    np.testing.assert_allclose(predict(theirs, X_NEW, SCORES_NEW), ours, rtol=1e-8)
    shuffled = predict(fitted(partition), X_NEW[::-1], SCORES_NEW[::-1])
    np.testing.assert_array_equal(shuffled[::-1], ours)


@pytest.mark.parametrize("partition", [GIVEN, TREE, BOOSTING])
def test_weights_are_repetitions(partition):
    weights = np.random.default_rng(4).integers(0, 4, LABELS.size)
    partition = partition if partition is GIVEN else clone(partition).fit(X, LABELS)
    repeated = (np.repeat(a, weights, axis=0) for a in (X, SCORES, LABELS))
    np.testing.assert_allclose(
        predict(fitted(partition, weights=weights), X_NEW, SCORES_NEW),
        predict(fitted(partition, data=tuple(repeated)), X_NEW, SCORES_NEW),
        rtol=1e-7,
    )


def test_weights_reach_a_frame():
    weights, noise = np.arange(LABELS.size) % 2, FRAME[["noise"]]
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    kept = weights == 1
    np.testing.assert_array_equal(
        predict(fitted(tree, weights=weights, data=(noise, SCORES, LABELS)), noise, SCORES),
        predict(fitted(tree, data=(noise[kept], SCORES[kept], LABELS[kept])), noise, SCORES),
    )


@pytest.mark.parametrize("partition", [GIVEN, None, BOOSTING])
def test_pickle_clone_and_repr(partition):
    data = FRAME["region"] if partition is GIVEN else X
    model = fitted(
        partition, BBQ() if partition is GIVEN else None, data=(data, expit(SCORES), LABELS)
    )
    p = predict(model, data, expit(SCORES))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(predict(again, data, expit(SCORES)), p)
    copy = clone(model)
    assert not hasattr(copy, "parts_")
    np.testing.assert_array_equal(
        predict(
            copy.fit(expit(SCORES), LABELS, **beside(partition is GIVEN, data)), data, expit(SCORES)
        ),
        p,
    )
    assert repr(HeterogeneousCalibrator(min_part_size=9)) == (
        "HeterogeneousCalibrator(min_part_size=9)"
    )
    parameters = {"partition", "calibrator", "min_part_size"}
    assert set(model.get_params(deep=False)) == parameters
    pooled = PooledHeterogeneousCalibrator()
    assert set(pooled.get_params(deep=False)) == parameters | {"pooling"}
    assert HeterogeneousCalibrator(TREE).set_params(partition__max_depth=1)


def test_input_is_left_alone():
    features, scores, labels, frame = X.copy(), SCORES.copy(), LABELS.copy(), FRAME.copy()
    predict(fitted(BOOSTING), X, SCORES)
    predict(fitted(GIVEN, data=(FRAME["region"], SCORES, LABELS)), FRAME["region"], SCORES)
    assert all(map(np.array_equal, (features, scores, labels), (X, SCORES, LABELS)))
    pd.testing.assert_frame_equal(frame, FRAME)


# Refusals


@pytest.mark.parametrize("partition", [GIVEN, None, BOOSTING])
def test_a_failed_fit_changes_nothing(partition):
    given = partition is GIVEN
    model = HeterogeneousCalibrator(None if given else partition)
    with pytest.raises(ValueError, match="scores must be finite"):
        model.fit(SCORES * np.nan, LABELS, **beside(given, X))
    with pytest.raises(NotFittedError):
        model.predict(SCORES, **beside(given, X))
    before = predict(model.fit(SCORES, LABELS, **beside(given, X)), X_NEW, SCORES_NEW)
    for _ in "first", "second":  # the last refusal comes after the partition is there
        with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]"):
            model.set_params(calibrator=BBQ()).fit(SCORES, LABELS, **beside(given, X[::-1]))
        np.testing.assert_array_equal(predict(model, X_NEW, SCORES_NEW), before)


@pytest.mark.parametrize(
    "partition, data, message",
    [
        (GIVEN, np.array(["n", 1] * 600, object), "numbers only or strings only; found int, str"),
        (GIVEN, [None, 1, "n"] * 400, "numbers only or strings only; found int, str"),
        (GIVEN, TIMES.astype("datetime64[ns]"), "numbers only or strings only; found datetime64"),
        (GIVEN, pd.Series(TIMES), "only; found datetime64: write times and other objects as"),
        (GIVEN, TIMES - TIMES[0], "numbers only or strings only; found timedelta64"),
        (GIVEN, pd.Series(pd.to_datetime(TIMES, utc=True)), "only; found Timestamp"),
        (GIVEN, TIMES.astype(object), "numbers only or strings only; found date"),
        (GIVEN, FRAME["region"].head(3), "groups has 3 rows but scores has 1200"),
        (True, X, "partition must be .* found True"),
        (0, X, "partition must be .* found 0"),
        (TREE, X[:3], "features has 3 rows but scores has 1200"),
        (LogisticRegression(), X, "partition must be .* found LogisticRegression"),
        (HistGradientBoostingClassifier(), X, "do not tell the leaves"),
        (make_pipeline(SimpleImputer()), X, "partition must be"),
        (TREE, X[:, :1], "1 features, but .* expecting 2"),
    ],
)
def test_bad_partitions_and_features(partition, data, message):
    with pytest.raises(ValueError, match=message):
        fitted(partition, data=(data, SCORES, LABELS))


@pytest.mark.parametrize(
    "settings, arguments, message",
    [
        ({"min_part_size": 0}, (X, SCORES, LABELS), "min_part_size must be an integer"),
        ({}, (X, SCORES[:3], LABELS), "labels has 1200 rows but scores has 3"),
        ({}, (X, SCORES, LABELS + 1), "labels must be 0/1"),
        ({}, (X, SCORES * np.nan, LABELS), "scores must be finite"),
        ({}, (X, SCORES, LABELS, -(SCORES**2)), "sample_weight must not be negative"),
        ({"calibrator": BBQ()}, (X, SCORES, LABELS), r"scores must lie in \[0, 1\]"),
    ],
)
def test_bad_arguments(settings, arguments, message):
    with pytest.raises(ValueError, match=message):
        rows, scores, labels, weights = (*arguments, None)[:4]
        HeterogeneousCalibrator(**settings).fit(
            scores, labels, sample_weight=weights, features=rows
        )


@pytest.mark.parametrize(
    "partition, data, queries, message",
    [
        (None, X, X[:, :1], "1 features, but .* expecting 2"),
        (FOREST, X, X[:, :1], "1 features, but .* expecting 2"),
        (BOOSTING, X, X[:, :1], "1 features, but .* expecting 2"),
        (AUCSplitTree(), X, X[:, :1], "1 features, but .* expecting 2"),
        *(
            (partition, FRAME.assign(region=X[:, 0]), FRAME[["noise"]], "(?s)feature names.*region")
            for partition in [None, FOREST, BOOSTING, AUCSplitTree()]
        ),
        (BOOSTING, FRAME.assign(region=X[:, 0]), FRAME[["noise", "region"]], "same order"),
    ],
)
def test_a_column_missing_at_predict(partition, data, queries, message):
    model = fitted(partition, data=(data, SCORES, LABELS))
    with pytest.raises(ValueError, match=message):
        predict(model, queries, SCORES)


def test_boosting_of_three_classes():
    three = GradientBoostingClassifier(n_estimators=2).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="more than two classes"):
        fitted(three)


# The point of it


def test_a_feature_that_the_score_ignores_raises_the_auc():
    train, test = train_test_split(np.arange(LABELS.size), test_size=0.5, random_state=0)
    model = fitted(data=(X[train], SCORES[train], LABELS[train]))
    p = predict(model, X[test], SCORES[test])
    assert roc_auc_score(LABELS[test], p) > roc_auc_score(LABELS[test], SCORES[test]) + 0.02


def test_auc_by_parts():
    parts = np.array(["n", "s", "w"])[X[:, 0].astype(int)]
    result = auc_by_parts(LABELS, SCORES, parts)
    assert result.auc == roc_auc_score(LABELS, SCORES)
    positive, negative = LABELS == 1, LABELS == 0
    wins = np.heaviside(SCORES[positive][:, None] - SCORES[negative], 0.5)
    same = parts[positive][:, None] == parts[negative]
    assert result.within == pytest.approx(wins[same].mean(), rel=1e-12)
    assert result.across == pytest.approx(wins[~same].mean(), rel=1e-12)
    assert result.share_within == pytest.approx(same.mean(), rel=1e-12)
    calibrated = auc_by_parts(LABELS, predict(fitted(GIVEN), X, SCORES), parts)
    assert calibrated.within == pytest.approx(result.within, abs=1e-12)
    assert calibrated.across > result.across
    assert np.isnan(auc_by_parts(LABELS, SCORES, LABELS).within)
    assert np.isnan(auc_by_parts(LABELS, SCORES, np.zeros(LABELS.size)).across)
    with pytest.raises(ValueError, match="parts has"):
        auc_by_parts(LABELS, SCORES, parts[1:])


# Partial pooling


def small_groups(n=1500, spread=0.3, seed=0, k=12):
    """Groups whose offsets differ by a normal distribution of standard deviation `spread`."""
    rng = np.random.default_rng(seed)
    offsets = spread * rng.normal(size=k)
    groups, scores = rng.integers(0, k, n), rng.normal(-0.5, 1.5, n)
    return groups, scores, (rng.random(n) < expit(scores + offsets[groups])).astype(int)


@pytest.mark.parametrize("partition", [GIVEN, TREE, FOREST, BOOSTING])
@pytest.mark.parametrize("calibrator", [None, IsotonicCalibrator()])
def test_no_pooling_and_full_pooling(partition, calibrator):
    """The limits: every part by itself, and the common calibrator for all."""
    alone = fitted(partition, calibrator)
    np.testing.assert_array_equal(
        predict(fitted(partition, calibrator, pooling=0.0), X_NEW, SCORES_NEW),
        predict(alone, X_NEW, SCORES_NEW),
    )
    model = fitted(partition, calibrator, pooling=np.inf)
    assert all(part.calibrator in model.fallbacks_ for part in model.parts_)
    if partition is not BOOSTING:
        common = PlattScaling() if calibrator is None else clone(calibrator)
        np.testing.assert_allclose(
            predict(model, X_NEW, SCORES_NEW),
            common.fit(SCORES, LABELS).predict(SCORES_NEW),
            rtol=1e-12,
        )
    if partition is BOOSTING and calibrator is not None:
        return  # ties of the scores of the second tree hang on the last digit
    nearly = predict(fitted(partition, calibrator, pooling=1e-12), X_NEW, SCORES_NEW)
    np.testing.assert_allclose(nearly, predict(alone, X_NEW, SCORES_NEW), atol=1e-9)
    nearly = predict(fitted(partition, calibrator, pooling=1e15), X_NEW, SCORES_NEW)
    np.testing.assert_allclose(nearly, predict(model, X_NEW, SCORES_NEW), atol=1e-9)


@pytest.mark.parametrize("calibrator", [PlattScaling(), IsotonicRegression(out_of_bounds="clip")])
@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
def test_pooling_draws_log_odds_towards_the_common_ones(calibrator, weights):
    """By n / (n + k), and the offset of a small part by a prior of precision 1 + k / 4."""
    groups = np.repeat([0, 1, 2], [600, 560, 40])
    data = groups, SCORES, LABELS
    alone, model = (
        fitted(GIVEN, calibrator, weights=weights, data=data, pooling=k) for k in (0, 80)
    )
    common = model.fallbacks_[0]
    for own, part in zip(alone.parts_[:2], model.parts_[:2], strict=True):
        share = own.effective_size / (own.effective_size + 80)
        one, other = (
            logit(np.clip(c.predict(SCORES_NEW), 2.0**-53, 1 - 2.0**-53))
            for c in (common, own.calibrator)
        )
        np.testing.assert_allclose(
            part.calibrator.predict(SCORES_NEW), expit((1 - share) * one + share * other)
        )
        if part.slope is not None:
            np.testing.assert_allclose(
                part.calibrator.predict_logit(SCORES_NEW),
                part.slope * SCORES_NEW + part.intercept,
            )
        assert not part.fallback
    small, rows = model.parts_[2], groups == 2
    w = np.ones(LABELS.size) if weights is None else weights
    residuals = w[rows] @ (LABELS[rows] - small.calibrator.predict(SCORES[rows]))
    assert small.fallback and residuals == pytest.approx(21 * small.calibrator.offset, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("spread, expected", [(0.0, [1000, 3000, np.inf]), (2.0, [0, 10])])
def test_cross_validation_chooses_the_strength(spread, expected):
    data = small_groups(6000, spread)
    model = fitted(GIVEN, data=data, pooling="cv")
    assert model.pooling_ in expected
    np.testing.assert_array_equal(
        predict(model, *data[:2]),
        predict(fitted(GIVEN, data=data, pooling=model.pooling_), *data[:2]),
    )


def test_cross_validation_of_pooling_by_hand():
    """The folds are those of `CalibratorCV`."""
    groups, scores, labels = small_groups(600)
    fold = deal(scores, labels, np.ones(labels.size), 5).argmax(axis=0)
    losses = {}
    for k in [0, 10, 30, 100, 300, 1000, 3000, np.inf]:
        p = np.empty(labels.size)
        for f in range(5):
            inside = fold != f
            model = fitted(GIVEN, data=(groups[inside], scores[inside], labels[inside]), pooling=k)
            p[~inside] = predict(model, groups[~inside], scores[~inside])
        losses[k] = -np.sum(np.log(np.where(labels, p, 1 - p)))
    assert fitted(GIVEN, data=(groups, scores, labels), pooling="cv").pooling_ == min(
        losses, key=losses.get
    )


@pytest.mark.slow
def test_cross_validated_pooling_whatever_the_form_of_the_rows():
    weights = np.random.default_rng(4).integers(0, 4, LABELS.size)
    repeated = tuple(np.repeat(a, weights, axis=0) for a in (X, SCORES, LABELS))
    for partition in [GIVEN, clone(BOOSTING).set_params(n_estimators=2)]:
        weighted = fitted(partition, weights=weights, pooling="cv")
        assert weighted.pooling_ == fitted(partition, data=repeated, pooling="cv").pooling_
    order = np.random.default_rng(5).permutation(LABELS.size)
    shuffled = fitted(data=(X[order], SCORES[order], LABELS[order]), pooling="cv")
    assert shuffled.pooling_ == fitted(pooling="cv").pooling_
    with pytest.warns(OneClassWarning):
        one = fitted(GIVEN, data=(X, SCORES, np.ones_like(LABELS)), pooling="cv")
    assert one.pooling_ == np.inf
    few = fitted(GIVEN, data=(X[:3], SCORES[:3], np.array([0, 1, 1])), pooling="cv")
    assert np.isfinite(predict(few, X, SCORES)).all()


@pytest.mark.parametrize("seed", [0, 2])
def test_order_of_rows_with_tied_scores_does_not_change_the_chosen_strength(seed):
    rng = np.random.default_rng(seed)
    scores, groups = rng.normal(size=600).round(), rng.integers(0, 6, 600)
    labels = rng.random(600) < expit(scores + 0.25 * (groups - 2.5))
    orders = [np.random.default_rng(k).permutation(600) for k in range(4)]
    models = [fitted(GIVEN, data=(groups[i], scores[i], labels[i]), pooling="cv") for i in orders]
    assert len({model.pooling_ for model in models}) == 1


def test_too_few_observations_leave_nothing_to_compare():
    for weights, data in [
        (np.full(LABELS.size, 1e-3), (X, SCORES, LABELS)),
        (np.full(LABELS.size, 1e-3), (X[:, 0], SCORES, LABELS)),
        (None, (X[:8], SCORES[:8], np.arange(8) < 4)),
    ]:
        model = fitted(GIVEN, data=data, weights=weights, pooling="cv")
        assert model.pooling_ == np.inf
        common = PlattScaling().fit(*data[1:], sample_weight=weights)
        np.testing.assert_allclose(predict(model, *data[:2]), common.predict(data[1]), rtol=1e-12)
    with pytest.warns(OneClassWarning):
        assert fitted(GIVEN, data=(X[:1], SCORES[:1], [1]), pooling="cv").pooling_ == np.inf


def test_one_observation_of_each_class_a_fold_is_enough():
    groups = np.repeat([0, 1], [200, 10])
    labels = np.arange(210) >= 205  # five, all in the second group
    model = fitted(GIVEN, data=(groups, np.zeros(210), labels), pooling="cv")
    assert model.pooling_ < np.inf


def test_no_points_tell_nothing():
    assert effective_size_of(np.zeros(0, np.int64)) == 0
    assert effective_size_of(np.array([0, 1, 1])) == pytest.approx(8 / 3)


@pytest.mark.parametrize("weight", [1e-100, 1.0, 1e6, 1e60, 1e100, 1e140])
@pytest.mark.parametrize("precision", [1.0, 1e9, 1e300])
@pytest.mark.parametrize("spread", [1.0, 1e6])
def test_an_offset_for_every_weight(weight, precision, spread):
    rng = np.random.default_rng(7)
    logits, labels = spread * rng.normal(size=40), np.zeros(40)
    for sign in (1, -1):
        offset = fit_offset(sign * logits, labels + (sign < 0), np.full(40, weight), precision)
        assert sign * offset <= 1e-12
        # the slope changes its sign within the error that is promised
        step = 1e-12 + 1e-14 * abs(offset)
        below, above = (
            weight * (labels + (sign < 0) - expit(sign * logits + c)).sum() - precision * c
            for c in (offset - step, offset + step)
        )
        assert below >= 0 >= above


def test_a_group_of_one_class_and_huge_weight():
    groups, labels = np.repeat([0, 1], 600), LABELS * (np.arange(1200) < 600)
    for weight in [1e60, 1e140]:
        model = fitted(GIVEN, data=(groups, SCORES, labels), weights=np.full(1200, weight))
        shifted = model.parts_[1]
        assert shifted.fallback and -400 < shifted.calibrator.offset < -100


class Steep(NamedTuple):
    """Log-odds as large as they get."""

    slope_: float

    def predict_logit(self, scores):
        with np.errstate(over="ignore"):
            return self.slope_ * scores


def test_pooling_of_infinite_log_odds():
    scores = np.array([1e306, -1e306, 1.0])
    alone = Blended(Steep(1e3), Steep(-1.0), 1.0)
    np.testing.assert_array_equal(alone.predict(scores), expit(-scores))
    between = Blended(Steep(1e3), Steep(-1e3), 0.5)
    np.testing.assert_array_equal(between.predict(scores), [0.5, 0.5, 0.5])
    scores = np.append(SCORES, 1e306)
    own = fitted(GIVEN, data=(X, 1e3 * SCORES, LABELS), pooling=0)
    for k in [0, 1e-20]:
        with np.errstate(over="ignore"):
            model = fitted(GIVEN, data=(X, SCORES, LABELS), pooling=k)
            assert np.isfinite(predict(model, np.append(X, X[:1], axis=0), scores)).all()
    assert own.pooling_ == 0


@pytest.mark.parametrize("pooling", [-1, "loo", None, True, np.nan, np.array([1, 2.0])])
def test_bad_pooling(pooling):
    with pytest.raises(ValueError, match="pooling must be 'cv' or a number of at least 0"):
        fitted(GIVEN, pooling=pooling)
