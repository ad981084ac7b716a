"""Weka's ``REPTree``, the trees that its ``Bagging`` takes where no other learner is named.

A tree is grown on two thirds of the rows by the gain of information, pruned by its errors on the
others, and at last counts all of them in its nodes. Every setting is the default of Weka 3; only
numbers are split. A row that misses a value goes down both branches, with weights in proportion.
"""

import math
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from calib.kernels.compiling import jit
from experiments.vovk2014.splitting import class_weights

LEAST_ROWS = 2.0
N_FOLDS = 3  # one of them to prune by
TOLERANCE = 1e-9


class Tree(NamedTuple):
    """A tree as arrays, a place for each node, a node before its children.

    Attributes
    ----------
    column, child : int64 ndarrays
        Column that is split and the first of two children, which are neighbours; 0 for a leaf.
    threshold, share : float64 ndarrays
        Values below it go to the first child, and that share of the rows without one.
    counts, held : float64 ndarrays of shape (n_nodes, 2)
        Weights by class of the rows that the tree is grown on, and of those that prune it.
    """

    column: np.ndarray
    child: np.ndarray
    threshold: np.ndarray
    share: np.ndarray
    counts: np.ndarray
    held: np.ndarray


class RepTree(ClassifierMixin, BaseEstimator):
    """Weka's ``REPTree`` with its defaults, for numbers and two classes 0 and 1.

    Parameters
    ----------
    random_state : int
        Seed of the rows that prune the tree.

    References
    ----------
    The documentation of the class ``weka.classifiers.trees.REPTree``.
    """

    def __init__(self, *, random_state=0):
        self.random_state = random_state

    def fit(self, X, y):
        """Grow the tree, prune it, count all rows."""
        self.classes_ = np.array([0, 1])
        X, y = np.ascontiguousarray(X), np.asarray(y, np.int64)
        order = np.random.default_rng(self.random_state).permutation(len(y))
        order = order[np.argsort(y[order], kind="stable")]
        holds_out = np.arange(len(y)) % N_FOLDS == 0  # as many of each class in every fold
        self.tree_ = grow(X, y, order[~holds_out])
        hold_out(self.tree_, X, y, order[holds_out])
        prune(self.tree_)
        self.tree_.counts[:] += self.tree_.held
        return self

    def predict_proba(self, X):
        """Probabilities of both classes: the shares of their rows in the leaf."""
        p = positive_shares(self.tree_, np.ascontiguousarray(X))
        return np.column_stack([1 - p, p])


@jit
def _entropy(counts):
    """Of a set of rows, times its weight."""
    total, found = counts.sum(), 0.0
    for count in counts:
        if count > TOLERANCE:
            found -= count * math.log2(count / total)
    return found


@jit
def _gain(sides):
    """Information gained by a split, times the weight of the rows."""
    return _entropy(sides[0] + sides[1]) - _entropy(sides[0]) - _entropy(sides[1])


@jit
def split_of(values, y, weights):
    """Best threshold of a column, the share below it, the weights of both sides by class."""
    order = np.argsort(values)  # NaN comes last
    n_known = values.size - np.isnan(values).sum()
    sides = np.zeros((2, 2))
    for i in order[:n_known]:
        sides[1, y[i]] += weights[i]
    best, most, threshold = sides.copy(), -1.0, np.nan
    for k in range(1, n_known):
        before, after = order[k - 1], order[k]
        sides[0, y[before]] += weights[before]
        sides[1, y[before]] -= weights[before]
        if values[after] > values[before]:
            gain = _gain(sides)
            if gain > most + TOLERANCE:
                best, most = sides.copy(), gain
                threshold = (values[before] + values[after]) / 2.0
    known = best.sum()
    share = best[0].sum() / known if known > TOLERANCE else 0.5
    for i in order[n_known:]:
        best[0, y[i]] += share * weights[i]
        best[1, y[i]] += (1.0 - share) * weights[i]
    return threshold, share, best


@jit
def branches(tree, X, node, rows, weights):
    """Children of a node with the rows that come to them, and their weights there."""
    values = X[rows, tree.column[node]]
    missing = np.isnan(values)
    below = values < tree.threshold[node]
    left, right = below | missing, ~below
    split = np.where(missing, tree.share[node] * weights, weights)
    rest = np.where(missing, (1.0 - tree.share[node]) * weights, weights)
    child = tree.child[node]
    return [(child, rows[left], split[left]), (child + 1, rows[right], rest[right])]


@jit
def grow(X, y, rows):
    """An unpruned tree on some rows."""
    size = 2 * rows.size + 1
    tree = Tree(
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.full(size, np.nan),
        np.zeros(size),
        np.zeros((size, 2)),
        np.zeros((size, 2)),
    )
    n_nodes = 1
    stack = [(0, rows, np.ones(rows.size))]
    while len(stack) > 0:
        node, here, weights = stack.pop()
        counts = class_weights(y, here, weights)
        tree.counts[node] = counts
        if counts.sum() < 2.0 * LEAST_ROWS or counts.min() < TOLERANCE or n_nodes + 2 > size:
            continue
        most, smaller = TOLERANCE, 0.0
        for j in range(X.shape[1]):
            threshold, share, sides = split_of(X[here, j], y[here], weights)
            gain = _gain(sides)
            if gain > most + TOLERANCE:
                most, smaller = gain, min(sides[0].sum(), sides[1].sum())
                tree.column[node], tree.threshold[node], tree.share[node] = j, threshold, share
        if smaller < LEAST_ROWS - TOLERANCE:  # only the best split is asked for that
            continue
        tree.child[node] = n_nodes
        n_nodes += 2
        stack.extend(branches(tree, X, node, here, weights))
    return tree


@jit
def hold_out(tree, X, y, rows):
    """Count other rows in every node."""
    stack = [(0, rows, np.ones(rows.size))]
    while len(stack) > 0:
        node, here, weights = stack.pop()
        tree.held[node] = class_weights(y, here, weights)
        if tree.child[node] > 0:
            stack.extend(branches(tree, X, node, here, weights))


@jit
def prune(tree):
    """Make a leaf of each node that makes no more errors on the rows held out than its subtree."""
    errors = np.empty(tree.child.size)
    for node in range(tree.child.size - 1, -1, -1):
        positive = int(tree.counts[node, 1] > tree.counts[node, 0])
        errors[node] = tree.held[node, 1 - positive]
        if tree.child[node] > 0:
            below = errors[tree.child[node]] + errors[tree.child[node] + 1]
            if below >= errors[node] - TOLERANCE:
                tree.child[node] = 0
            else:
                errors[node] = below


@jit
def positive_shares(tree, X):
    """Probabilities of class 1 by row."""
    found = np.zeros(len(X))
    stack = [(0, np.arange(len(X)), np.ones(len(X)))]
    while len(stack) > 0:
        node, rows, weights = stack.pop()
        if tree.child[node] > 0:
            stack.extend(branches(tree, X, node, rows, weights))
        else:
            for i in range(rows.size):
                found[rows[i]] += weights[i] * tree.counts[node, 1] / tree.counts[node].sum()
    return found
