"""Trees with logistic regressions in their leaves: pruning by brute force, limits, edges."""

import itertools

import numpy as np
import pytest
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

from experiments.model_trees import (
    LogisticModelTree,
    ProbabilityCalibrationTree,
    fit_node,
    pruned,
)


def sample(n=2000, seed=0, jump=1.5):
    """Log-odds that the score misses by a jump in the first of two features."""
    rng = np.random.default_rng(seed)
    X, margin = rng.random((n, 2)), rng.normal(-0.5, 1.5, n)
    truth = expit(margin + jump * np.where(X[:, 0] > 0.6, 1, -1))
    return X, expit(margin), (rng.random(n) < truth).astype(int), truth


def cuts(tree, node=0):
    """Every way to prune a tree, as its leaves."""
    yield [node]
    left, right = tree.children_left[node], tree.children_right[node]
    if left >= 0:
        for halves in itertools.product(cuts(tree, left), cuts(tree, right)):
            yield sum(halves, [])


@pytest.mark.parametrize("seed", range(20))
def test_pruning_finds_the_best_of_all_subtrees(seed):
    rng = np.random.default_rng(seed)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    tree = tree.fit(rng.random((60, 3)), rng.integers(0, 2, 60)).tree_
    losses = rng.random(tree.node_count) * (1 + (tree.children_left >= 0))
    best = min(cuts(tree), key=lambda leaves: losses[leaves].sum())
    assert pruned(tree, losses) == best


def test_a_split_that_does_not_pay_is_pruned():
    losses = np.array([2.0, 1.0, 1.0])
    stump = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1]).tree_
    assert pruned(stump, losses) == [0]
    assert pruned(stump, losses - [0, 0.1, 0]) == [1, 2]


@pytest.mark.parametrize("model", [ProbabilityCalibrationTree(), LogisticModelTree()])
def test_it_finds_a_jump_and_finds_none_where_there_is_none(model):
    X, scores, labels, _ = sample(4000)
    X_new, scores_new, _, truth = sample(4000, seed=1)
    p = model.fit(scores, labels, features=X).predict(scores_new, features=X_new)
    assert np.mean((p - truth) ** 2) < np.mean((scores_new - truth) ** 2) / 10
    assert len(model.models_) > 1
    plain = sample(4000, jump=0)
    p = model.fit(*plain[1:3], features=plain[0]).predict(scores_new, features=X_new)
    assert np.mean((p - scores_new) ** 2) < 0.001


def test_a_tree_of_one_leaf_is_a_logistic_regression():
    X, scores, labels, _ = sample()
    model = ProbabilityCalibrationTree(max_depth=1, min_samples_leaf=1000)
    model.fit(scores, labels, features=X)
    assert list(model.models_) == [0]
    columns = np.log(scores / (1 - scores))[:, np.newaxis]
    expected = expit(fit_node(columns, labels).decision_function(columns))
    np.testing.assert_allclose(model.predict(scores, features=X), expected)


def test_every_row_has_one_leaf():
    X, scores, labels, _ = sample(3000)
    model = ProbabilityCalibrationTree(min_samples_leaf=5).fit(scores, labels, features=X)
    visits = model.tree_.decision_path(X.astype(np.float32))[:, list(model.models_)]
    np.testing.assert_array_equal(visits.sum(axis=1), 1)


def test_nodes_of_one_class():
    constant = fit_node(np.zeros((8, 1)), np.zeros(8, int))
    np.testing.assert_allclose(expit(constant.decision_function(np.zeros((2, 1)))), 0.1)
    X, scores, labels, _ = sample()
    labels[X[:, 0] > 0.6] = 1
    p = LogisticModelTree().fit(scores, labels, features=X).predict(scores, features=X)
    assert p[X[:, 0] > 0.6].min() > 0.95


def test_lengths_must_match():
    X, scores, labels, _ = sample(600)
    model = ProbabilityCalibrationTree().fit(scores, labels, features=X)
    with pytest.raises(ValueError, match="features has 10 rows but scores has 600"):
        model.predict(scores, features=X[:10])
    with pytest.raises(ValueError, match="features has 600 rows but scores has 10"):
        model.predict(scores[:10], features=X)
    with pytest.raises(ValueError, match="features has 600 rows but scores has 10"):
        model.fit(scores[:10], labels[:10], features=X)
