"""AUCSplitTree: the criterion by brute force, what it finds and Gini does not, and its edges."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from calib import AUCSplitTree
from calib.heterogeneous.auc_split_kernels import linear_map
from calib.heterogeneous.auc_split_tree import split_criterion


def sample(n=60, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    X = np.column_stack([rng.integers(0, 12, n), rng.normal(size=n)])
    return X, rng.normal(labels * (1 + X[:, 1]), 1 + 0.1 * X[:, 0]), labels


X, SCORES, LABELS = sample()


def map_of_side(scores, labels, spread):
    """Means, deviations, slope and intercept of one side, as section 12 has them."""
    m, n = labels.sum(), (1 - labels).sum()
    prior = np.log((m + 1) / (n + 1))
    laws = [(0.0, spread**0.5), (0.0, spread**0.5)]
    for label in (0, 1):
        own = scores[labels == label]
        if own.size:
            variance = (own.size * own.var() + spread) / (own.size + 1)
            laws[label] = own.mean(), variance**0.5
    if m == 0 or n == 0:
        return laws, 0.0, prior
    middle = (laws[0][0] + laws[1][0]) / 2
    step = np.sqrt((laws[0][1] ** 2 + laws[1][1] ** 2) / 2) / 2
    points = np.array([middle - step, middle + step])
    log_odds = prior + norm.logpdf(points, *laws[1]) - norm.logpdf(points, *laws[0])
    slope, intercept = np.polyfit(points, log_odds, 1)
    return laws, slope, intercept


def criterion_by_integration(scores, labels, left):
    """Area under TPR over FPR of the calibrated normal laws of both sides."""
    scores = (scores - scores.mean()) / scores.std()
    spread = sum(scores[labels == c].var() * np.mean(labels == c) for c in (0, 1))
    sides = []
    for side in (left, ~left):
        laws, slope, intercept = map_of_side(scores[side], labels[side], spread)
        shares = [np.mean(side[labels == c]) for c in (0, 1)]
        mapped = [(slope * mean + intercept, abs(slope) * sd) for mean, sd in laws]
        sides.append((shares, mapped))

    def rate(threshold, label):
        return sum(shares[label] * norm.sf(threshold, *laws[label]) for shares, laws in sides)

    def density(threshold):
        return sum(shares[0] * norm.pdf(threshold, *laws[0]) for shares, laws in sides)

    breaks = [mean for _, laws in sides for mean, _ in laws]
    low, high = min(breaks) - 40, max(breaks) + 40
    area, _ = quad(lambda t: rate(t, 1) * density(t), low, high, points=breaks, limit=500)
    return area


# The criterion


@pytest.mark.parametrize("feature", [0, 1], ids=["ties", "distinct"])
def test_every_split_by_integration(feature):
    values = X[:, feature]
    thresholds, aucs = split_criterion(values, SCORES, LABELS, min_samples_leaf=8)
    expected = [
        (low + high) / 2
        for low, high in zip(np.unique(values)[:-1], np.unique(values)[1:], strict=True)
        if 8 <= np.sum(values <= low) <= values.size - 8
    ]
    np.testing.assert_allclose(thresholds, expected)
    by_hand = [criterion_by_integration(SCORES, LABELS, values <= t) for t in thresholds]
    np.testing.assert_allclose(aucs, by_hand, rtol=1e-7)
    assert np.ptp(aucs) > 0.01


def test_the_map_is_exact_for_equal_variances():
    slope, intercept = linear_map(199, -0.3, 0.8, 99, 0.9, 0.8)
    points = np.linspace(-5, 5, 11)
    log_odds = norm.logpdf(points, 0.9, 0.8**0.5) - norm.logpdf(points, -0.3, 0.8**0.5)
    np.testing.assert_allclose(slope * points + intercept, log_odds + np.log(100 / 200))


def test_the_slope_does_not_depend_on_how_close_the_two_points_are():
    slope, _ = linear_map(10, -0.3, 0.5, 10, 0.9, 1.7)
    for step in [1e-3, 0.1, 3.0]:
        points = 0.3 + np.array([-step, step])
        parabola = norm.logpdf(points, 0.9, 1.7**0.5) - norm.logpdf(points, -0.3, 0.5**0.5)
        assert np.diff(parabola)[0] / (2 * step) == pytest.approx(slope, rel=1e-9)


def test_a_side_of_one_class_has_one_value():
    labels = np.array([0, 0, 0, 0, 0, 1, 0, 1])
    scores = np.array([3.0, 1, 2, 5, 1, 4, 2, 7])
    thresholds, aucs = split_criterion(np.arange(8.0), scores, labels)
    assert thresholds.tolist() == [1.5, 2.5, 3.5, 4.5, 5.5]
    scores = (scores - scores.mean()) / scores.std()
    spread = (6 * scores[labels == 0].var() + 2 * scores[labels == 1].var()) / 8
    (negative, positive), slope, intercept = map_of_side(scores[4:], labels[4:], spread)
    below = (slope * positive[0] + intercept - np.log(1 / 5)) / (slope * positive[1])
    among = (positive[0] - negative[0]) / np.hypot(positive[1], negative[1])
    assert aucs[2] == pytest.approx(4 / 6 * norm.cdf(below) + 2 / 6 * norm.cdf(among), rel=1e-9)


def test_equal_scores_leave_the_balance_of_labels():
    values, labels = np.arange(6.0), np.array([0, 0, 1, 0, 1, 1])
    _, aucs = split_criterion(values, np.full(6, 7.0), labels)
    np.testing.assert_allclose(aucs, [5 / 6, 2 / 3, 5 / 6])  # of the two values of the sides


def test_separable_scores_are_perfect():
    _, aucs = split_criterion(np.arange(8.0), [1e200, -1e200] * 4, [1, 0] * 4)
    np.testing.assert_allclose(aucs, 1, atol=1e-6)


# The tree


def by_hand(tree, row):
    node = 0
    while tree.feature[node] >= 0:
        left = row[tree.feature[node]] <= tree.threshold[node]
        node = (tree.children_left if left else tree.children_right)[node]
    return node


def test_the_root_is_the_best_of_all_splits():
    data = sample(400, seed=1)
    model = AUCSplitTree(max_depth=3, min_samples_leaf=20).fit(*data)
    tree = model.tree_
    criteria = [split_criterion(data[0][:, j], *data[1:], min_samples_leaf=20) for j in range(2)]
    feature = int(np.argmax([aucs.max() for _, aucs in criteria]))
    thresholds, aucs = criteria[feature]
    assert tree.feature[0] == feature
    assert tree.threshold[0] == thresholds[np.argmax(aucs)]
    leaves = model.apply(data[0])
    np.testing.assert_array_equal(leaves, [by_hand(tree, row) for row in data[0]])
    ends = {(tree.children_left[k], tree.children_right[k], tree.feature[k]) for k in leaves}
    assert ends == {(-1, -1, -2)}
    assert set(leaves) == set(np.flatnonzero(tree.feature < 0))
    np.testing.assert_array_equal(
        tree.n_node_samples[np.unique(leaves)], np.unique(leaves, return_counts=True)[1]
    )
    assert tree.n_node_samples[np.unique(leaves)].min() >= 20
    assert 4 < len(set(leaves)) <= 8
    inner = tree.feature >= 0
    assert (tree.gain[inner] > 0).all() and (tree.gain[~inner] == 0).all()


def test_a_child_is_split_as_if_it_were_alone():
    data = sample(400, seed=2)
    whole = AUCSplitTree(max_depth=2, min_samples_leaf=20).fit(*data)
    left = data[0][:, whole.tree_.feature[0]] <= whole.tree_.threshold[0]
    alone = AUCSplitTree(max_depth=1, min_samples_leaf=20).fit(*(a[left] for a in data))
    child = whole.tree_.children_left[0]
    assert whole.tree_.feature[child] == alone.tree_.feature[0]
    assert whole.tree_.threshold[child] == alone.tree_.threshold[0]
    assert whole.tree_.gain[child] == pytest.approx(alone.tree_.gain[0], rel=1e-9)


def root(model, *data):
    return model.fit(*data).tree_.feature[0]


def law(kind, n=4000):
    """Two features: the first is of interest, the second shifts the labels a little."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 2))
    if kind == "turned":  # the score is turned around where x0 < 0
        labels = rng.random(n) < 0.5 + 0.05 * np.sign(X[:, 1])
        scores = rng.normal((2 * labels - 1) * np.sign(X[:, 0]), 1)
    else:  # x0 decides the labels, and the score knows: log-odds plus a calibrated remainder
        offset, signal = 2.0 * np.sign(X[:, 0]), rng.normal(size=n)
        labels = rng.random(n) < 1 / (1 + np.exp(-(offset + signal + np.sign(X[:, 1]))))
        scores = offset + signal
    return X, scores, labels.astype(int)


def test_gini_does_not_see_a_score_that_is_turned_around():
    X, scores, labels = law("turned")
    assert root(DecisionTreeClassifier(max_depth=1), X, labels) == 1
    assert root(AUCSplitTree(max_depth=1), X, scores, labels) == 0


def test_the_criterion_does_not_see_what_the_score_knows():
    X, scores, labels = law("known")
    assert root(DecisionTreeClassifier(max_depth=1), X, labels) == 0
    assert root(AUCSplitTree(max_depth=1), X, scores, labels) == 1


@pytest.mark.parametrize("scale, shift", [(3.0, 1e4), (1e-200, 0.0), (1e150, -1e150), (-1.0, 0.0)])
def test_linear_functions_of_the_score_give_the_same_tree(scale, shift):
    data = sample(300, seed=3)
    ours = AUCSplitTree(min_samples_leaf=20).fit(*data).tree_
    theirs = AUCSplitTree(min_samples_leaf=20).fit(data[0], scale * data[1] + shift, data[2]).tree_
    np.testing.assert_array_equal(theirs.feature, ours.feature)
    np.testing.assert_array_equal(theirs.threshold, ours.threshold)


def test_order_of_rows_does_not_matter():
    data = sample(300, seed=4)
    order = np.random.default_rng(0).permutation(300)
    ours = AUCSplitTree(min_samples_leaf=20).fit(*data).tree_
    theirs = AUCSplitTree(min_samples_leaf=20).fit(*(a[order] for a in data)).tree_
    for name in ["feature", "threshold", "children_left", "n_node_samples"]:
        np.testing.assert_array_equal(getattr(theirs, name), getattr(ours, name))


def test_weights_are_repetitions():
    X, scores, labels = sample(120, seed=6)
    weights = np.random.default_rng(0).integers(0, 4, 120)
    repeated = [np.repeat(a, weights, axis=0) for a in (X, scores, labels)]
    ours = split_criterion(X[:, 1], scores, labels, sample_weight=weights)
    theirs = split_criterion(repeated[0][:, 1], *repeated[1:])
    # rows of weight 0 only add thresholds between the others
    same = [np.argmin(np.abs(ours[0] - t)) for t in theirs[0]]
    same = [i for i, t in zip(same, theirs[0], strict=True) if abs(ours[0][i] - t) < 1e-12]
    assert len(same) > 30
    there = [np.argmin(np.abs(theirs[0] - ours[0][i])) for i in same]
    np.testing.assert_allclose(ours[1][same], theirs[1][there], rtol=1e-9)


def test_rows_of_weight_zero_are_not_there():
    data, weights = sample(400, seed=7), np.arange(400) % 2
    model = AUCSplitTree(max_depth=2, min_samples_leaf=20)
    ours = clone(model).fit(*data, weights).tree_
    theirs = clone(model).fit(*(a[weights > 0] for a in data)).tree_
    assert ours.feature.tolist() == theirs.feature.tolist() != [-2]
    np.testing.assert_array_equal(ours.threshold, theirs.threshold)
    np.testing.assert_array_equal(ours.n_node_samples, theirs.n_node_samples)


# Edges and refusals


def test_nothing_to_split():
    one_class = AUCSplitTree(min_samples_leaf=2).fit(X, SCORES, np.zeros_like(LABELS))
    constant = AUCSplitTree(min_samples_leaf=2).fit(np.ones((60, 2)), SCORES, LABELS)
    shallow = AUCSplitTree(max_depth=0).fit(X, SCORES, LABELS)
    small = AUCSplitTree(min_samples_leaf=31).fit(X, SCORES, LABELS)
    single = AUCSplitTree().fit([[1.0]], [0.5], [1])
    for model in [one_class, constant, shallow, small]:
        assert model.tree_.feature.tolist() == [-2]
        assert set(model.apply(X)) == {0}
    assert single.apply([[7.0]]) == [0]


def test_a_failed_fit_changes_nothing():
    model = AUCSplitTree(max_depth=2, min_samples_leaf=10)
    with pytest.raises(ValueError, match="scores must be finite"):
        model.fit(X, SCORES * np.nan, LABELS)
    with pytest.raises(NotFittedError):
        model.apply(X)
    before = model.fit(X, SCORES, LABELS).apply(X)
    with pytest.raises(ValueError, match="labels must be 0/1"):
        model.fit(X[:, :1], SCORES, LABELS + 1)
    np.testing.assert_array_equal(model.apply(X), before)
    assert model.n_features_in_ == 2


def test_neighbouring_floats_are_told_apart():
    values = np.repeat([1 + 2.0**-52, 1 + 2.0**-51], 10)  # their middle rounds to the right one
    thresholds, _ = split_criterion(values, np.arange(20.0), [0, 1] * 10)
    assert np.sum(values <= thresholds[0]) == 10


def test_pickle_clone_and_frames():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = AUCSplitTree(max_depth=2, min_samples_leaf=10).fit(frame, SCORES, LABELS)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).apply(frame), model.apply(frame)
    )
    assert repr(clone(model)) == "AUCSplitTree(max_depth=2, min_samples_leaf=10)"
    with pytest.raises(ValueError, match="feature names"):
        model.apply(frame[["b", "a"]])


@pytest.mark.parametrize(
    "settings, arguments, message",
    [
        ({"max_depth": -1}, (X, SCORES, LABELS), "max_depth must be an integer of at least 0"),
        ({"min_samples_leaf": 1}, (X, SCORES, LABELS), "min_samples_leaf must be an integer of"),
        ({}, (X[:5], SCORES, LABELS), "X has 5 rows but scores has 60"),
        ({}, (X * np.nan, SCORES, LABELS), "contains NaN"),
        ({}, (X, SCORES, LABELS * 2), "labels must be 0/1"),
        ({}, (X, SCORES, LABELS, -np.ones(60)), "sample_weight must not be negative"),
    ],
)
def test_bad_input(settings, arguments, message):
    with pytest.raises(ValueError, match=message):
        AUCSplitTree(**settings).fit(*arguments)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((X[:5, 0], SCORES, LABELS), "feature has 5 rows but scores has 60"),
        ((X[:, 0], SCORES, np.ones(60)), "one class only"),
        ((X[:, 0], SCORES, LABELS, np.ones(5)), "sample_weight has 5 rows"),
    ],
)
def test_bad_input_of_the_criterion(arguments, message):
    *data, weights = arguments if len(arguments) == 4 else (*arguments, None)
    with pytest.raises(ValueError, match=message):
        split_criterion(*data, sample_weight=weights)
