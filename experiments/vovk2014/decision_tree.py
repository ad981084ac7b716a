"""Weka's decision tree J48, which is C4.5, and ten of them, bagged.

The rule was written down before any result was looked at: every setting is the default of Weka 3's
``J48``. A number is split in two by a threshold, a category into a branch for each of its values.
At least two branches have at least two rows; of a number both have at least a tenth of the mean
number of rows of a class, but no more than 25 are asked for. The gain of information of a number
is reduced by log2(thresholds tried) / rows. Of the columns whose gain is at least the mean gain,
less 0.001, the one of largest gain ratio is taken; its threshold becomes the largest
training value below. Rows that miss the value go down every branch, with weights in proportion to
the others.
Then a subtree that makes no fewer training errors than a leaf becomes one. From the leaves up, a
node takes the place of its subtree, or the subtree of its largest branch does (subtree raising), if
that does not raise the estimated number of errors by more than 0.1; the estimate is the upper 75 %
limit of the errors of a leaf, summed over leaves. Probabilities are the frequencies of the leaf.
Weka's special rule for data sets of nothing but columns with very many categories is left out.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator, ClassifierMixin

from calib.kernels.compiling import jit

CONFIDENCE = 0.25
QUANTILE = float(ndtri(1 - CONFIDENCE))
LEAST_ROWS = 2.0
TOLERANCE = 1e-6  # Weka takes numbers for equal that differ by less
N_BAGS = 10


class DecisionTree(ClassifierMixin, BaseEstimator):
    """Weka's ``J48`` with its defaults, for two classes 0 and 1.

    Parameters
    ----------
    n_categories : tuple of int
        For each column the number of its categories, coded 0, 1, ...; 0 for numbers.
    laplace : bool, default=False
        Weka's option -A: one row of each class is added to every leaf.

    Notes
    -----
    Growing takes O(n_features n log n) steps for every level of the tree.

    References
    ----------
    Quinlan (1993), C4.5: Programs for machine learning, and the documentation of the class
    ``weka.classifiers.trees.J48``.
    """

    def __init__(self, n_categories, *, laplace=False):
        self.n_categories = n_categories
        self.laplace = laplace

    def fit(self, X, y):
        """Grow the tree, then prune it."""
        self.classes_ = np.array([0, 1])
        X, n_categories = np.ascontiguousarray(X), np.array(self.n_categories, np.int64)
        self.tree_ = grow(X, np.asarray(y, np.int64), n_categories)
        collapse(self.tree_)
        prune(self.tree_, X, np.asarray(y, np.int64), 0, np.arange(len(X)), np.ones(len(X)))
        return self

    def predict_proba(self, X):
        """Probabilities of both classes."""
        added = 1.0 if self.laplace else 0.0
        p = positive_shares(self.tree_, np.ascontiguousarray(X), added)
        return np.column_stack([1 - p, p])


class BaggedTrees(ClassifierMixin, BaseEstimator):
    """Weka's ``Bagging`` of ten trees, each on as many rows drawn with replacement.

    Parameters
    ----------
    n_categories, laplace
        As in `DecisionTree`.
    distinct : bool, default=False
        Whether a row that is drawn more than once counts once; Weka counts it as often.
    random_state : int
        Seed of the rows drawn.
    """

    def __init__(self, n_categories, *, laplace=False, distinct=False, random_state=0):
        self.n_categories = n_categories
        self.laplace = laplace
        self.distinct = distinct
        self.random_state = random_state

    def fit(self, X, y):
        """Fit the trees."""
        self.classes_ = np.array([0, 1])
        bags = np.random.default_rng(self.random_state).integers(len(X), size=(N_BAGS, len(X)))
        if self.distinct:
            bags = [np.unique(bag) for bag in bags]
        self.trees_ = [
            DecisionTree(self.n_categories, laplace=self.laplace).fit(X[bag], y[bag])
            for bag in bags
        ]
        return self

    def predict_proba(self, X):
        """Means of the probabilities of the trees."""
        return np.mean([tree.predict_proba(X) for tree in self.trees_], axis=0)


class Tree(NamedTuple):
    """A tree as arrays, a place for each node, the root first.

    Attributes
    ----------
    column, first, branches : int64 ndarrays
        Column that is split, the first of the children, which are neighbours, and their number; 0
        for a leaf.
    threshold : float64 ndarray
        NaN where a category is split.
    counts : float64 ndarray of shape (n_nodes, 2)
        Weights of the training rows of both classes.
    """

    column: np.ndarray
    first: np.ndarray
    branches: np.ndarray
    threshold: np.ndarray
    counts: np.ndarray


@jit
def estimated_errors(n, errors):
    """Pessimistic number of errors of a leaf of weight `n` of which so much is wrong."""
    if n < TOLERANCE:
        return 0.0
    none = n * (1.0 - CONFIDENCE ** (1.0 / n))
    if errors == 0.0:
        return none
    if errors < 1.0:  # on the line from none to one
        return none + errors * (_limit(n, 1.0) - none)
    return _limit(n, errors)


@jit
def _limit(n, errors):
    """Normal approximation of the upper limit, with continuity correction."""
    if errors + 0.5 >= n:
        return n
    rate = (errors + 0.5) / n
    spread = math.sqrt(rate * (1.0 - rate) / n + (QUANTILE / n) ** 2 / 4.0)
    return n * (rate + QUANTILE**2 / (2.0 * n) + QUANTILE * spread) / (1.0 + QUANTILE**2 / n)


@jit
def _x_log2_x(x):
    return x * math.log2(x) if x > TOLERANCE else 0.0


@jit
def _entropy(negatives, positives):
    """Of a set of rows, times its weight."""
    total = negatives + positives
    return _x_log2_x(total) - _x_log2_x(negatives) - _x_log2_x(positives)


@jit
def _counts(y, rows, weights):
    found = np.zeros(2)
    for i in range(rows.size):
        found[y[rows[i]]] += weights[i]
    return found


@jit
def split_of_category(values, y, weights, n_categories):
    """Gain and gain ratio of a branch for each category; gain -1 where there is no such split."""
    bags = np.zeros((n_categories, 2))
    for i in range(values.size):
        if not np.isnan(values[i]):
            bags[int(values[i]), y[i]] += weights[i]
    negatives, positives, large, inside, split = 0.0, 0.0, 0, 0.0, 0.0
    for b in range(n_categories):
        size = bags[b, 0] + bags[b, 1]
        large += size > LEAST_ROWS - TOLERANCE
        inside += _entropy(bags[b, 0], bags[b, 1])
        split -= _x_log2_x(size)
        negatives += bags[b, 0]
        positives += bags[b, 1]
    if large < 2:
        return -1.0, 0.0
    total = weights.sum()
    gain = max(0.0, _entropy(negatives, positives) - inside) / total
    split += _x_log2_x(total) - _x_log2_x(total - negatives - positives)
    return gain, gain / (split / total) if split > TOLERANCE else 0.0


@jit
def split_of_number(values, y, weights):
    """Gain, gain ratio and threshold of the best split in two; gain -1 where there is none."""
    order = np.argsort(values)  # NaN comes last
    n_known = values.size - np.isnan(values).sum()
    right = np.zeros(2)
    for i in order[:n_known]:
        right[y[i]] += weights[i]
    known, total = right[0] + right[1], weights.sum()
    least = min(max(0.1 * known / 2.0, LEAST_ROWS), 25.0)
    nothing = -1.0, 0.0, np.nan
    if n_known < 2.0 * least:
        return nothing
    undivided = _entropy(right[0], right[1])
    left = np.zeros(2)
    best, tried, at = 0.0, 0, 0
    left_size = 0.0
    for k in range(1, n_known):
        before, after = order[k - 1], order[k]
        left[y[before]] += weights[before]
        right[y[before]] -= weights[before]
        if values[before] + 1e-5 >= values[after]:
            continue
        if min(left[0] + left[1], right[0] + right[1]) > least - TOLERANCE:
            inside = _entropy(left[0], left[1]) + _entropy(right[0], right[1])
            gain = (undivided - inside) / total
            tried += 1
            if gain > best + TOLERANCE:
                best, at, left_size = gain, k, left[0] + left[1]
    if at == 0:
        return nothing
    gain = best - math.log2(tried) / total
    if gain <= TOLERANCE:
        return nothing
    split = _x_log2_x(total) - _x_log2_x(total - known)
    split -= _x_log2_x(left_size) + _x_log2_x(known - left_size)
    middle = (values[order[at - 1]] + values[order[at]]) / 2.0
    return gain, gain / (split / total), middle


@jit
def best_split(X, y, n_categories, rows, weights):
    """Column, and threshold of a number, of the best split of some rows; -1 if there is none."""
    n_columns = X.shape[1]
    gains, ratios = np.zeros(n_columns), np.zeros(n_columns)
    middles = np.full(n_columns, np.nan)
    labels = y[rows]
    sum_of_gains, useful = 0.0, 0
    for j in range(n_columns):
        values = X[rows, j]
        if n_categories[j] > 0:
            gains[j], ratios[j] = split_of_category(values, labels, weights, n_categories[j])
        else:
            gains[j], ratios[j], middles[j] = split_of_number(values, labels, weights)
        if gains[j] >= 0.0:
            sum_of_gains += gains[j]
            useful += 1
    best, column = TOLERANCE, -1
    for j in range(n_columns):
        enough = gains[j] >= 0.0 and gains[j] >= sum_of_gains / useful - 1e-3
        if enough and ratios[j] > best:
            best, column = ratios[j] + TOLERANCE, j
    return column, middles[column]


@jit
def _largest_below(values, limit):
    """Largest of the values that is not above the limit."""
    found = -np.inf
    for value in values:
        if value <= limit and value > found:
            found = value
    return found


@jit
def _branch(tree, node, x):
    """Branch of a value; -1 if it is missing."""
    if np.isnan(x):
        return -1
    if np.isnan(tree.threshold[node]):
        return int(x)
    return int(x > tree.threshold[node])


@jit
def branches(tree, X, node, rows, weights):
    """Children of a node with the rows that come to them, and their weights there.

    Rows that miss the value go to every child, with the shares of the other rows.
    """
    column = X[rows, tree.column[node]]
    own = np.empty(rows.size, np.int64)
    shares = np.zeros(tree.branches[node])
    for i in range(rows.size):
        own[i] = _branch(tree, node, column[i])
        if own[i] >= 0:
            shares[own[i]] += weights[i]
    known = shares.sum()
    shares = shares / known if known > TOLERANCE else np.full(shares.size, 1.0 / shares.size)
    found = []
    for b in range(shares.size):
        inside = (own == b) | ((own < 0) & (shares[b] > TOLERANCE))
        carried = np.where(own < 0, shares[b] * weights, weights)
        found.append((tree.first[node] + b, rows[inside], carried[inside]))
    return found


@jit
def grow(X, y, n_categories):
    """An unpruned tree.

    Every split has two branches of at least two rows, so there are less than n / 2 splits.
    """
    widest = max(2, n_categories.max())
    size = 1 + widest * (len(X) // 2 + 1)
    tree = Tree(
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.full(size, np.nan),
        np.zeros((size, 2)),
    )
    n_nodes = 1
    stack = [(0, np.arange(len(X)), np.ones(len(X)))]
    while len(stack) > 0:
        node, rows, weights = stack.pop()
        counts = _counts(y, rows, weights)
        tree.counts[node] = counts
        if counts.sum() < 2.0 * LEAST_ROWS - TOLERANCE or counts.min() < TOLERANCE:
            continue
        column, middle = best_split(X, y, n_categories, rows, weights)
        if column < 0:
            continue
        if n_categories[column] == 0:
            tree.threshold[node] = _largest_below(X[:, column], middle)
        tree.column[node] = column
        tree.branches[node] = max(2, n_categories[column])
        tree.first[node] = n_nodes
        n_nodes += tree.branches[node]
        stack.extend(branches(tree, X, node, rows, weights))
    return tree


@jit
def _errors_below(tree, node, pessimistic):
    """Errors of the leaves below a node on the training rows, counted or estimated."""
    errors = 0.0
    stack = [node]
    while len(stack) > 0:
        place = stack.pop()
        if tree.branches[place] > 0:
            for b in range(tree.branches[place]):
                stack.append(tree.first[place] + b)
        elif pessimistic:
            errors += estimated_errors(tree.counts[place].sum(), tree.counts[place].min())
        else:
            errors += tree.counts[place].min()
    return errors


@jit
def collapse(tree):
    """Make leaves of the subtrees that make no fewer training errors than a leaf."""
    stack = [0]
    while len(stack) > 0:
        node = stack.pop()
        if tree.branches[node] == 0:
            continue
        if _errors_below(tree, node, False) >= tree.counts[node].min() - 1e-3:
            tree.branches[node] = 0
        for b in range(tree.branches[node]):
            stack.append(tree.first[node] + b)


@jit
def _estimated_errors_of(tree, X, y, node, rows, weights):
    """Estimated errors of the leaves below a node if other rows came to it."""
    errors = 0.0
    stack = [(node, rows, weights)]
    while len(stack) > 0:
        place, here, carried = stack.pop()
        if tree.branches[place] == 0:
            counts = _counts(y, here, carried)
            errors += estimated_errors(counts.sum(), counts.min())
        else:
            stack.extend(branches(tree, X, place, here, carried))
    return errors


@jit
def _redistribute(tree, X, y, node, rows, weights):
    """Count the rows that come to a node, and to those below."""
    stack = [(node, rows, weights)]
    while len(stack) > 0:
        place, here, carried = stack.pop()
        tree.counts[place] = _counts(y, here, carried)
        if tree.branches[place] > 0:
            stack.extend(branches(tree, X, place, here, carried))


def prune(tree, X, y, node, rows, weights):
    """Prune what is below a node to which these rows come.

    The one recursion is in Python: compiled ones cannot be kept on disk.
    """
    if tree.branches[node] == 0:
        return
    for branch in branches(tree, X, node, rows, weights):
        prune(tree, X, y, *branch)
    children = tree.first[node] + np.arange(tree.branches[node])
    sizes = tree.counts[children].sum(axis=1)
    largest = children[sizes > sizes.max() - TOLERANCE][-1]
    raised = _estimated_errors_of(tree, X, y, largest, rows, weights)
    leaf = estimated_errors(tree.counts[node].sum(), tree.counts[node].min())
    kept = _errors_below(tree, node, True)
    if leaf <= min(kept, raised) + 0.1 + TOLERANCE:
        tree.branches[node] = 0
    elif raised <= kept + 0.1 + TOLERANCE:
        for places in [tree.column, tree.threshold, tree.first, tree.branches]:
            places[node] = places[largest]
        _redistribute(tree, X, y, node, rows, weights)
        prune(tree, X, y, node, rows, weights)


@jit
def positive_shares(tree, X, added):
    """Probabilities of class 1 by row; `added` rows of each class join every leaf.

    A branch where no training row has been has the probability of the node above it. A row that
    misses the value goes down every branch, with weights in proportion to the training rows.
    """
    found = np.zeros(len(X))
    for i in range(len(X)):
        stack = [(0, 1.0)]
        while len(stack) > 0:
            node, weight = stack.pop()
            branch = -1
            if tree.branches[node] > 0:
                branch = _branch(tree, node, X[i, tree.column[node]])
            child = tree.first[node] + branch
            if branch >= 0 and tree.counts[child].sum() > TOLERANCE:
                stack.append((child, weight))
            elif branch >= 0 or tree.branches[node] == 0:
                positives = tree.counts[node, 1] + added
                found[i] += weight * positives / (tree.counts[node].sum() + 2.0 * added)
            else:
                children = tree.counts[tree.first[node] : tree.first[node] + tree.branches[node]]
                for b in range(tree.branches[node]):
                    share = children[b].sum() / children.sum()
                    if share > TOLERANCE:
                        stack.append((tree.first[node] + b, weight * share))
    return found
