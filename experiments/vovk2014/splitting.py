"""C4.5 grows a tree: which column is split and where, and which rows go down which branch.

A number is split in two by a threshold, a category into a branch for each of its values. At least
two branches have at least two rows; of a number both have at least a tenth of the mean number of
rows of a class, but no more than 25 are asked for. The gain of information of a number is reduced
by log2(thresholds tried) / rows. Of the columns whose gain is at least the mean gain, less 0.001,
the one of largest gain ratio is taken; its threshold becomes the largest training value below. Rows
that miss the value go down every branch, with weights in proportion to the others.
"""

import math
from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit

LEAST_ROWS = 2.0
TOLERANCE = 1e-6  # Weka takes numbers for equal that differ by less


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
def class_weights(y, rows, weights):
    """Weights of some rows, by class."""
    found = np.zeros(2)
    for i in range(rows.size):
        found[y[rows[i]]] += weights[i]
    return found


@jit
def _x_log2_x(x):
    return x * math.log2(x) if x > TOLERANCE else 0.0


@jit
def _entropy(negatives, positives):
    """Of a set of rows, times its weight."""
    total = negatives + positives
    return _x_log2_x(total) - _x_log2_x(negatives) - _x_log2_x(positives)


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
def branch_of(tree, node, x):
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
        own[i] = branch_of(tree, node, column[i])
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
        counts = class_weights(y, rows, weights)
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
