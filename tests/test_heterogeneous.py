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
    diagrams,
)
from calib.groups.pooling import Blended, fit_offset
from calib.metrics import auc_by_parts
from calib.wrappers.selection import deal


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


def fitted(*arguments, weights=None, data=(X, SCORES, LABELS), **settings):
    return HeterogeneousCalibrator(*arguments, **settings).fit(*data, sample_weight=weights)


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
    p = fitted(0).predict(X_NEW, SCORES_NEW)
    np.testing.assert_array_equal(p, by_hand(X[:, 0], X_NEW[:, 0], SCORES, SCORES_NEW))
    assert np.any(p != PlattScaling().fit(SCORES, LABELS).predict(SCORES_NEW))


@pytest.mark.parametrize("calibrator", [IsotonicCalibrator(), HistogramBinning(n_bins=5)])
def test_any_calibrator_per_part(calibrator):
    np.testing.assert_array_equal(
        fitted(0, calibrator).predict(X_NEW, SCORES_NEW),
        by_hand(X[:, 0], X_NEW[:, 0], SCORES, SCORES_NEW, calibrator),
    )


@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
@pytest.mark.parametrize("partition", [0, TREE, FOREST, BOOSTING])
def test_isotonic_regression_of_scikit_learn(partition, weights):
    theirs = fitted(partition, IsotonicRegression(out_of_bounds="clip"), weights=weights)
    ours = fitted(partition, IsotonicCalibrator(), weights=weights)
    np.testing.assert_allclose(
        theirs.predict(X_NEW, SCORES_NEW), ours.predict(X_NEW, SCORES_NEW), rtol=0, atol=1e-12
    )
    assert len(theirs.parts_) == len(ours.parts_) > 1


class Frame:
    """A data frame that only knows its columns by name, such as one of polars."""

    def __init__(self, columns):
        self.columns, self.values = list(columns), dict(columns)
        self.shape = len(next(iter(self.values.values()))), len(self.columns)

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, name):
        return self.values[name]


@pytest.mark.parametrize("partition", [0, "region"])
def test_frames_without_positions(partition):
    frame = Frame({name: FRAME[name].to_numpy() for name in FRAME})
    model = fitted(partition, data=(frame, SCORES, LABELS))
    expected = fitted(partition, data=(FRAME, SCORES, LABELS))
    np.testing.assert_array_equal(model.predict(frame, SCORES), expected.predict(FRAME, SCORES))


@pytest.mark.parametrize("partition", [0, "region"])
@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
def test_frames_of_polars(partition, weights):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: FRAME[name].tolist() for name in FRAME})
    model = fitted(partition, weights=weights, data=(frame, SCORES, LABELS))
    expected = fitted(partition, weights=weights, data=(FRAME, SCORES, LABELS))
    np.testing.assert_array_equal(model.predict(frame, SCORES), expected.predict(FRAME, SCORES))
    assert model.feature_names_in_.tolist() == ["region", "noise"]
    groups = fitted(0, weights=weights, data=(frame["region"], SCORES, LABELS))
    np.testing.assert_array_equal(
        groups.predict(frame["region"], SCORES), expected.predict(FRAME, SCORES)
    )


@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
def test_columns_and_frames_and_bare_groups_agree(weights):
    expected = fitted(0, weights=weights).predict(X, SCORES)
    for partition, groups in [("region", FRAME), (0, FRAME), (0, FRAME["region"]), (0, X[:, 0])]:
        model = fitted(partition, weights=weights, data=(groups, SCORES, LABELS))
        np.testing.assert_array_equal(model.predict(groups, SCORES), expected)


def test_a_fitted_tree_is_used_as_it_is():
    threshold = TREE.tree_.threshold.copy()
    p = fitted(TREE).predict(X_NEW, SCORES_NEW)
    np.testing.assert_array_equal(p, by_hand(TREE.apply(X), TREE.apply(X_NEW), SCORES, SCORES_NEW))
    np.testing.assert_array_equal(TREE.tree_.threshold, threshold)
    frozen = clone(HeterogeneousCalibrator(FrozenEstimator(TREE))).fit(X, SCORES, LABELS)
    np.testing.assert_array_equal(frozen.predict(X_NEW, SCORES_NEW), p)


def test_a_tree_that_is_not_fitted_is_trained_on_the_calibration_points():
    template = DecisionTreeClassifier(max_depth=2, min_samples_leaf=60, random_state=0)
    np.testing.assert_array_equal(
        fitted(template).predict(X_NEW, SCORES_NEW), fitted(TREE).predict(X_NEW, SCORES_NEW)
    )
    assert not hasattr(template, "tree_")
    weights = np.linspace(0.1, 3, LABELS.size)
    weighted = clone(template).fit(X, LABELS, sample_weight=weights)
    np.testing.assert_array_equal(
        fitted(template, weights=weights).predict(X_NEW, SCORES_NEW),
        fitted(weighted, weights=weights).predict(X_NEW, SCORES_NEW),
    )


def test_the_default_partition():
    template = DecisionTreeClassifier(max_depth=3, min_samples_leaf=80, random_state=0)
    np.testing.assert_array_equal(
        fitted(min_part_size=80).predict(X, SCORES),
        fitted(template, min_part_size=80).predict(X, SCORES),
    )


def test_an_auc_split_tree_sees_the_scores():
    template = AUCSplitTree(max_depth=2, min_samples_leaf=60)
    prefit = clone(template).fit(X, SCORES, LABELS)
    model = fitted(template)
    np.testing.assert_array_equal(
        model.predict(X_NEW, SCORES_NEW),
        by_hand(prefit.apply(X), prefit.apply(X_NEW), SCORES, SCORES_NEW),
    )
    assert {part.number for part in model.parts_} == set(prefit.apply(X))


@pytest.mark.parametrize(
    "forest", [FOREST, ExtraTreesClassifier(5, max_depth=3, min_samples_leaf=60, random_state=0)]
)
def test_a_forest_is_the_average_of_its_trees(forest):
    forest = clone(forest).fit(X, LABELS)
    single = [fitted(tree).predict(X_NEW, SCORES_NEW) for tree in forest.estimators_]
    np.testing.assert_allclose(
        fitted(forest).predict(X_NEW, SCORES_NEW), np.mean(single, axis=0), rtol=1e-12
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
        fitted(boosting, min_part_size=2).predict(X_NEW, SCORES_NEW), expit(scores_new), rtol=1e-8
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
    np.testing.assert_array_equal(model.predict(X, scores), second)


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
    groups = fitted("region", data=(region, SCORES, LABELS))
    np.testing.assert_array_equal(model.predict(region, SCORES), groups.predict(region, SCORES))
    assert any("region_n" in part.rule for part in model.parts_)
    unknown = pd.DataFrame({"region": ["east"]})  # all zeros to the tree: some leaf
    assert model.partition_.parts_of(unknown)[0, 0] in {part.number for part in model.parts_}


def test_a_pipeline_imputes_and_takes_weights():
    holes = np.where(np.arange(LABELS.size) % 7 == 0, np.nan, X[:, 1])[:, np.newaxis]
    weights = np.linspace(1, 2, LABELS.size)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0)
    filled = SimpleImputer().fit_transform(holes)
    expected = fitted(tree, weights=weights, data=(filled, SCORES, LABELS)).predict(filled, SCORES)
    model = fitted(
        make_pipeline(SimpleImputer(), tree), weights=weights, data=(holes, SCORES, LABELS)
    )
    np.testing.assert_array_equal(model.predict(holes, SCORES), expected)
    assert fitted(make_pipeline(tree), data=(filled, SCORES, LABELS)).parts_


@pytest.mark.parametrize("weights", [None, np.linspace(1, 2, LABELS.size)])
def test_a_pipeline_hands_the_scores_to_an_auc_split_tree(weights):
    tree = AUCSplitTree(max_depth=2)
    np.testing.assert_array_equal(
        fitted(make_pipeline(SimpleImputer(), tree), weights=weights).predict(X, SCORES),
        fitted(tree, weights=weights).predict(X, SCORES),
    )


def test_trees_see_missing_values_themselves():
    holes = np.where(np.arange(LABELS.size) % 7 == 0, np.nan, X[:, 1])[:, np.newaxis]
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(holes, LABELS)
    p = fitted(tree, data=(holes, SCORES, LABELS)).predict(holes, SCORES)
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
    for partition in ["region", 0]:
        model = fitted(partition, data=(FRAME, SCORES, LABELS))
        assert model.n_features_in_ == 2
        assert model.feature_names_in_.tolist() == ["region", "noise"]
    for data, width in [(FRAME["region"], 1), (X[:, 0].tolist(), 1), (X, 2), (X.tolist(), 2)]:
        model.fit(data, SCORES, LABELS)
        assert model.n_features_in_ == width
        assert not hasattr(model, "feature_names_in_")
    assert fitted(data=(FRAME[["noise"]], SCORES, LABELS)).feature_names_in_.tolist() == ["noise"]


def test_tags_tell_what_x_may_hold():
    groups = get_tags(HeterogeneousCalibrator(0)).input_tags
    assert groups.categorical and groups.string and groups.allow_nan and groups.one_d_array
    assert not get_tags(HeterogeneousCalibrator("region")).input_tags.one_d_array
    assert not get_tags(HeterogeneousCalibrator()).input_tags.string
    assert not get_tags(HeterogeneousCalibrator(AUCSplitTree())).input_tags.sparse


def test_a_tree_without_splits_is_platt_scaling():
    stump = DecisionTreeClassifier(max_depth=1, min_samples_leaf=10**6).fit(X, LABELS)
    model = fitted(stump)
    assert [part.rule for part in model.parts_] == ["all"]
    np.testing.assert_array_equal(
        model.predict(X, SCORES), PlattScaling().fit(SCORES, LABELS).predict(SCORES)
    )


def test_partition_map_draws_every_part():
    ax = diagrams.partition_map(fitted(0, min_part_size=420))
    n_parts = [int((X[:, 0] == g).sum()) for g in range(3)]
    assert [line.get_label() for line in ax.get_lines()] == [
        "all points",
        *(f"x0 = {g:.1f} ({n})" for g, n in enumerate(n_parts)),
    ]
    styles = [line.get_linestyle() for line in ax.get_lines()][1:]
    assert styles == ["--" if n < 420 else "-" for n in n_parts] and len(set(styles)) == 2
    line = ax.get_lines()[1]
    model = fitted(0, min_part_size=420)
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
    model = fitted(0, data=(groups, SCORES[: groups.size], labels))
    sizes = [part.effective_size for part in model.parts_]
    np.testing.assert_allclose(sizes[1:], [50, 48, 4 * 13 * 387 / 400, 4 * 14 * 146 / 160])
    assert [part.fallback for part in model.parts_] == [False, False, True, False, False]
    fewer = fitted(0, data=(groups, SCORES[: groups.size], labels), min_part_size=52)
    assert [part.fallback for part in fewer.parts_] == [False, True, True, True, True]
    assert model.parts_[3].effective_size < 51 < model.parts_[4].effective_size
    large = np.isin(groups, [0, 3, 4])
    np.testing.assert_array_equal(
        model.predict(groups, SCORES[: groups.size])[large],
        fitted(0, data=(groups[large], SCORES[: groups.size][large], labels[large])).predict(
            groups[large], SCORES[: groups.size][large]
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
    model = fitted(0, calibrator, data=(groups, SCORES, labels), weights=weights)
    assert [part.fallback for part in model.parts_] == [False, True, True, True]
    w = np.ones(labels.size) if weights is None else weights
    options = {} if weights is None else {"sample_weight": weights}
    common = clone(calibrator).fit(SCORES, labels, **options)
    for part, sign in zip(model.parts_[1:3], [1, -1], strict=True):
        rows = groups == part.number
        p = model.predict(groups[rows], SCORES[rows])
        np.testing.assert_array_equal(part.calibrator.predict(SCORES[rows]), p)
        offset = part.calibrator.offset
        assert w[rows] @ (labels[rows] - p) == pytest.approx(offset, rel=1e-6)
        assert sign * offset > 0.5
        before = np.clip(common.predict(SCORES[rows]), 2.0**-53, 1 - 2.0**-53)
        np.testing.assert_allclose(expit(logit(before) + offset), p, rtol=1e-9)


def test_a_shifted_sigmoid_is_a_sigmoid():
    part = fitted(0, min_part_size=10**6).parts_[0]
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
        model = fitted(0, data=(groups, scores, labels))
        assert roc_auc_score(new[2], model.predict(*new[:2])) > truth - 0.002
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
    np.testing.assert_allclose(ours.predict(X_NEW, SCORES_NEW), expit(scores))
    unit = fitted(boosting, BBQ(), data=(X, expit(SCORES), LABELS), min_part_size=10**6)
    p = unit.predict(X_NEW, expit(SCORES_NEW))
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
        model.predict(np.zeros((3, 1)), [-1, 0, 1]), common.predict([-1, 0, 1])
    )
    assert len(diagrams.partition_map(model).get_lines()) == 2


def test_one_class_in_all():
    with pytest.warns(OneClassWarning, match="one class"):
        model = fitted(TREE, data=(X, SCORES, np.ones_like(LABELS)))
    assert all(part.fallback for part in model.parts_)
    assert (model.predict(X, SCORES) > 0.99).all()


def test_a_group_that_was_not_there():
    common = PlattScaling().fit(SCORES, LABELS).predict([0.3])
    model = fitted("region", data=(FRAME, SCORES, LABELS))
    unknown = FRAME.head(1).assign(region="east")
    np.testing.assert_array_equal(model.predict(unknown, [0.3]), common)
    np.testing.assert_array_equal(fitted(0).predict([[7, 0.0]], [0.3]), common)
    missing = FRAME.head(1).assign(region=None)
    np.testing.assert_array_equal(model.predict(missing, [0.3]), common)


def test_groups_of_another_type_were_not_there():
    common = PlattScaling().fit(SCORES, LABELS).predict([0.3, 0.7])
    strings, numbers = FRAME["region"], X[:, 0]
    for groups, others in [(strings, [1, 2]), (strings, [np.nan, 1.5]), (numbers, ["0", "n"])]:
        model = fitted(0, data=(groups, SCORES, LABELS))
        np.testing.assert_array_equal(model.predict(others, [0.3, 0.7]), common)


def test_rows_of_a_list_keep_their_types():
    frame = FRAME.assign(number=X[:, 0].astype(int))[["number", "region"]]
    rows = frame.to_numpy().tolist()
    for column, values in [(0, frame[["number"] * 2].to_numpy()), (1, frame)]:
        model = fitted(column, data=(rows, SCORES, LABELS))
        expected = fitted(column, data=(values, SCORES, LABELS)).predict(values, SCORES)
        for queries in (rows, values):
            np.testing.assert_array_equal(model.predict(queries, SCORES), expected)


def test_groups_are_no_times_in_a_query_either():
    model = fitted(0, data=(X[:, 0], SCORES, LABELS))
    for unit in ("s", "ns"):
        with pytest.raises(ValueError, match="write times as strings"):
            model.predict(TIMES.astype(f"datetime64[{unit}]"), SCORES)


@pytest.mark.parametrize("none", [None, np.nan])
def test_a_missing_value_is_a_group(none):
    groups = FRAME["region"].astype(object).where(FRAME["region"] != "s", none)
    model = fitted(0, data=(groups, SCORES, LABELS))
    np.testing.assert_array_equal(
        model.predict(groups, SCORES), by_hand(X[:, 0], X[:, 0], SCORES, SCORES)
    )
    numbers = np.where(X[:, 0] == 1, np.nan, X[:, 0])
    model = fitted(0, data=(numbers, SCORES, LABELS))
    np.testing.assert_array_equal(
        model.predict(numbers, SCORES), by_hand(X[:, 0], X[:, 0], SCORES, SCORES)
    )


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "boolean", "string"])
def test_a_missing_value_of_a_nullable_column_is_a_group(dtype):
    value = {"boolean": True, "string": "n"}.get(dtype, 1)
    some = X[:, 0] > 0
    frame = pd.DataFrame({"g": pd.array(np.where(some, value, None), dtype=dtype)})
    p = fitted("g", data=(frame, SCORES, LABELS)).predict(frame, SCORES)
    np.testing.assert_array_equal(p, by_hand(some, some, SCORES, SCORES))
    objects = frame["g"].tolist()
    assert any(value is pd.NA for value in objects)
    np.testing.assert_array_equal(
        fitted(0, data=(objects, SCORES, LABELS)).predict(objects, SCORES), p
    )


@pytest.mark.parametrize("partition", [None, 0, FOREST, BOOSTING, AUCSplitTree()])
def test_no_queries(partition):
    assert fitted(partition).predict(np.empty((0, 2)), []).shape == (0,)


@pytest.mark.parametrize("partition", [None, 0, TREE, FOREST, BOOSTING, AUCSplitTree()])
def test_order_of_rows_does_not_matter(partition):
    order = np.random.default_rng(3).permutation(LABELS.size)
    if partition is FOREST:  # bootstrap samples depend on the order: fix the forest
        partition = clone(FOREST).fit(X, LABELS)
    ours = fitted(partition).predict(X_NEW, SCORES_NEW)
    theirs = fitted(partition, data=(X[order], SCORES[order], LABELS[order]))
    np.testing.assert_allclose(theirs.predict(X_NEW, SCORES_NEW), ours, rtol=1e-8)
    shuffled = fitted(partition).predict(X_NEW[::-1], SCORES_NEW[::-1])
    np.testing.assert_array_equal(shuffled[::-1], ours)


@pytest.mark.parametrize("partition", [0, TREE, BOOSTING])
def test_weights_are_repetitions(partition):
    weights = np.random.default_rng(4).integers(0, 4, LABELS.size)
    partition = partition if partition == 0 else clone(partition).fit(X, LABELS)
    repeated = (np.repeat(a, weights, axis=0) for a in (X, SCORES, LABELS))
    np.testing.assert_allclose(
        fitted(partition, weights=weights).predict(X_NEW, SCORES_NEW),
        fitted(partition, data=tuple(repeated)).predict(X_NEW, SCORES_NEW),
        rtol=1e-7,
    )


def test_weights_reach_a_frame():
    weights = np.arange(LABELS.size) % 2
    kept = weights == 1
    np.testing.assert_array_equal(
        fitted("region", weights=weights, data=(FRAME, SCORES, LABELS)).predict(FRAME, SCORES),
        fitted("region", data=(FRAME[kept], SCORES[kept], LABELS[kept])).predict(FRAME, SCORES),
    )


@pytest.mark.parametrize("partition", ["region", None, BOOSTING])
def test_pickle_clone_and_repr(partition):
    data = FRAME if partition == "region" else X
    model = fitted(
        partition, BBQ() if partition == "region" else None, data=(data, expit(SCORES), LABELS)
    )
    p = model.predict(data, expit(SCORES))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(data, expit(SCORES)), p)
    copy = clone(model)
    assert not hasattr(copy, "parts_")
    np.testing.assert_array_equal(
        copy.fit(data, expit(SCORES), LABELS).predict(data, expit(SCORES)), p
    )
    assert repr(HeterogeneousCalibrator(0, min_part_size=9)) == (
        "HeterogeneousCalibrator(min_part_size=9, partition=0)"
    )
    assert set(model.get_params(deep=False)) == {
        "partition",
        "calibrator",
        "min_part_size",
        "pooling",
    }
    assert HeterogeneousCalibrator(TREE).set_params(partition__max_depth=1)


def test_input_is_left_alone():
    features, scores, labels, frame = X.copy(), SCORES.copy(), LABELS.copy(), FRAME.copy()
    fitted(BOOSTING).predict(X, SCORES)
    fitted("region", data=(FRAME, SCORES, LABELS)).predict(FRAME, SCORES)
    assert all(map(np.array_equal, (features, scores, labels), (X, SCORES, LABELS)))
    pd.testing.assert_frame_equal(frame, FRAME)


# Refusals


@pytest.mark.parametrize("partition", [0, None, BOOSTING])
def test_a_failed_fit_changes_nothing(partition):
    model = HeterogeneousCalibrator(partition)
    with pytest.raises(ValueError, match="scores must be finite"):
        model.fit(X, SCORES * np.nan, LABELS)
    with pytest.raises(NotFittedError):
        model.predict(X, SCORES)
    before = model.fit(X, SCORES, LABELS).predict(X_NEW, SCORES_NEW)
    for _ in "first", "second":  # the last refusal comes after the partition is there
        with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]"):
            model.set_params(calibrator=BBQ()).fit(X[::-1], SCORES, LABELS)
        np.testing.assert_array_equal(model.predict(X_NEW, SCORES_NEW), before)


@pytest.mark.parametrize(
    "partition, data, message",
    [
        ("area", FRAME, r"no column 'area'.*found columns \['region', 'noise'\]"),
        ("region", X, r"no column 'region'.*found columns \[\]"),
        (2, X, "must have 2 columns, and a column 2"),
        (-1, X, "and a column -1"),
        (1, X[:, 0], "must have 1 columns, and a column 1"),
        (0, X[:, :, np.newaxis], r"one or two dimensions; found shape \(1200, 2, 1\)"),
        (0, np.array(["n", 1] * 600, object), "column 0 .* numbers only or strings only"),
        (0, [None, 1, "n"] * 400, "column 0 .* numbers only or strings only"),
        (0, [["n", 0.5], [1, 0.5]] * 600, "column 0 .* numbers only or strings only"),
        (
            0,
            TIMES.astype("datetime64[ns]"),
            r"numbers only or strings only; found datetime64\[ns\]",
        ),
        ("day", pd.DataFrame({"day": TIMES}), "only; found datetime64.*: write times as strings"),
        (0, TIMES - TIMES[0], r"numbers only or strings only; found timedelta64\[D\]"),
        (0, pd.DataFrame({"day": pd.to_datetime(TIMES, utc=True)}), "only; found Timestamp"),
        (0, TIMES.astype(object), "numbers only or strings only; found date"),
        (True, X, "partition must be .* found True"),
        ("noise", FRAME.head(3), "X has 3 rows but scores has 1200"),
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
        HeterogeneousCalibrator(**settings).fit(*arguments)


@pytest.mark.parametrize(
    "partition, data, queries, message",
    [
        ("region", FRAME, FRAME[["noise"]], "no column 'region'"),
        (0, X, X[:, :1], "must have 2 columns"),
        (0, FRAME, FRAME[["noise"]], "must have 2 columns"),
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
        model.predict(queries, SCORES)


def test_boosting_of_three_classes():
    three = GradientBoostingClassifier(n_estimators=2).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="more than two classes"):
        fitted(three)


# The point of it


def test_a_feature_that_the_score_ignores_raises_the_auc():
    train, test = train_test_split(np.arange(LABELS.size), test_size=0.5, random_state=0)
    model = fitted(data=(X[train], SCORES[train], LABELS[train]))
    p = model.predict(X[test], SCORES[test])
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
    calibrated = auc_by_parts(LABELS, fitted(0).predict(X, SCORES), parts)
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


@pytest.mark.parametrize("partition", [0, TREE, FOREST, BOOSTING])
@pytest.mark.parametrize("calibrator", [None, IsotonicCalibrator()])
def test_no_pooling_and_full_pooling(partition, calibrator):
    """The limits: every part by itself, and the common calibrator for all."""
    alone = fitted(partition, calibrator)
    np.testing.assert_array_equal(
        fitted(partition, calibrator, pooling=0.0).predict(X_NEW, SCORES_NEW),
        alone.predict(X_NEW, SCORES_NEW),
    )
    model = fitted(partition, calibrator, pooling=np.inf)
    assert all(part.calibrator in model.fallbacks_ for part in model.parts_)
    if partition is not BOOSTING:
        common = PlattScaling() if calibrator is None else clone(calibrator)
        np.testing.assert_allclose(
            model.predict(X_NEW, SCORES_NEW),
            common.fit(SCORES, LABELS).predict(SCORES_NEW),
            rtol=1e-12,
        )
    if partition is BOOSTING and calibrator is not None:
        return  # ties of the scores of the second tree hang on the last digit
    nearly = fitted(partition, calibrator, pooling=1e-12).predict(X_NEW, SCORES_NEW)
    np.testing.assert_allclose(nearly, alone.predict(X_NEW, SCORES_NEW), atol=1e-9)
    nearly = fitted(partition, calibrator, pooling=1e15).predict(X_NEW, SCORES_NEW)
    np.testing.assert_allclose(nearly, model.predict(X_NEW, SCORES_NEW), atol=1e-9)


@pytest.mark.parametrize("calibrator", [PlattScaling(), IsotonicRegression(out_of_bounds="clip")])
@pytest.mark.parametrize("weights", [None, np.arange(LABELS.size) % 3])
def test_pooling_draws_log_odds_towards_the_common_ones(calibrator, weights):
    """By n / (n + k), and the offset of a small part by a prior of precision 1 + k / 4."""
    groups = np.repeat([0, 1, 2], [600, 560, 40])
    data = groups, SCORES, LABELS
    alone, model = (fitted(0, calibrator, weights=weights, data=data, pooling=k) for k in (0, 80))
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
    model = fitted(0, data=data, pooling="cv")
    assert model.pooling_ in expected
    np.testing.assert_array_equal(
        model.predict(*data[:2]),
        fitted(0, data=data, pooling=model.pooling_).predict(*data[:2]),
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
            model = fitted(0, data=(groups[inside], scores[inside], labels[inside]), pooling=k)
            p[~inside] = model.predict(groups[~inside], scores[~inside])
        losses[k] = -np.sum(np.log(np.where(labels, p, 1 - p)))
    assert fitted(0, data=(groups, scores, labels), pooling="cv").pooling_ == min(
        losses, key=losses.get
    )


@pytest.mark.slow
def test_cross_validated_pooling_whatever_the_form_of_the_rows():
    weights = np.random.default_rng(4).integers(0, 4, LABELS.size)
    repeated = tuple(np.repeat(a, weights, axis=0) for a in (X, SCORES, LABELS))
    for partition in [0, clone(BOOSTING).set_params(n_estimators=2)]:
        weighted = fitted(partition, weights=weights, pooling="cv")
        assert weighted.pooling_ == fitted(partition, data=repeated, pooling="cv").pooling_
    order = np.random.default_rng(5).permutation(LABELS.size)
    shuffled = fitted(data=(X[order], SCORES[order], LABELS[order]), pooling="cv")
    assert shuffled.pooling_ == fitted(pooling="cv").pooling_
    assert (
        fitted("region", data=(FRAME, SCORES, LABELS), pooling="cv").pooling_
        == fitted(0, pooling="cv").pooling_
    )
    with pytest.warns(OneClassWarning):
        one = fitted(0, data=(X, SCORES, np.ones_like(LABELS)), pooling="cv")
    assert one.pooling_ == np.inf
    few = fitted(0, data=(X[:3], SCORES[:3], np.array([0, 1, 1])), pooling="cv")
    assert np.isfinite(few.predict(X, SCORES)).all()


@pytest.mark.parametrize("seed", [0, 2])
def test_order_of_rows_with_tied_scores_does_not_change_the_chosen_strength(seed):
    rng = np.random.default_rng(seed)
    scores, groups = rng.normal(size=600).round(), rng.integers(0, 6, 600)
    labels = rng.random(600) < expit(scores + 0.25 * (groups - 2.5))
    orders = [np.random.default_rng(k).permutation(600) for k in range(4)]
    models = [fitted(0, data=(groups[i], scores[i], labels[i]), pooling="cv") for i in orders]
    assert len({model.pooling_ for model in models}) == 1


def test_too_few_observations_leave_nothing_to_compare():
    for weights, data in [
        (np.full(LABELS.size, 1e-3), (X, SCORES, LABELS)),
        (np.full(LABELS.size, 1e-3), (X[:, 0], SCORES, LABELS)),
        (None, (X[:8], SCORES[:8], np.arange(8) < 4)),
    ]:
        model = fitted(0, data=data, weights=weights, pooling="cv")
        assert model.pooling_ == np.inf
        common = PlattScaling().fit(*data[1:], sample_weight=weights)
        np.testing.assert_allclose(model.predict(*data[:2]), common.predict(data[1]), rtol=1e-12)
    with pytest.warns(OneClassWarning):
        assert fitted(0, data=(X[:1], SCORES[:1], [1]), pooling="cv").pooling_ == np.inf


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
        model = fitted(0, data=(groups, SCORES, labels), weights=np.full(1200, weight))
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
    own = fitted(0, data=(X, 1e3 * SCORES, LABELS))
    for k in [0, 1e-20]:
        with np.errstate(over="ignore"):
            model = fitted(0, data=(X, SCORES, LABELS), pooling=k)
            assert np.isfinite(model.predict(np.append(X, X[:1], axis=0), scores)).all()
    assert own.pooling_ == 0


@pytest.mark.parametrize("pooling", [-1, "loo", None, True, np.nan, np.array([1, 2.0])])
def test_bad_pooling(pooling):
    with pytest.raises(ValueError, match="pooling must be 'cv' or a number of at least 0"):
        fitted(0, pooling=pooling)
