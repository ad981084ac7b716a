"""C4.5 prunes a tree: a subtree that does not pay becomes a leaf or gives way to its branch.

First a subtree that makes no fewer training errors than a leaf becomes one. Then, from the leaves
up, a node takes the place of its subtree, or the subtree of its largest branch does (subtree
raising), if that does not raise the estimated number of errors by more than 0.1; the estimate is
the upper 75 % limit of the errors of a leaf, summed over leaves.
"""

import math

import numpy as np
from scipy.special import ndtri

from calib.kernels.compiling import jit
from experiments.vovk2014.splitting import TOLERANCE, branches, class_weights

CONFIDENCE = 0.25
QUANTILE = float(ndtri(1 - CONFIDENCE))


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
            counts = class_weights(y, here, carried)
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
        tree.counts[place] = class_weights(y, here, carried)
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
