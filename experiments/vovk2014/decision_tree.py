"""Weka's decision tree J48, which is C4.5: grown by `splitting`, pruned by `pruning`.

The rule was written down before any result was looked at: every setting is the default of Weka 3's
``J48``. Probabilities are the frequencies of the leaf. Weka's special rule for data sets of nothing
but columns with very many categories is left out.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from calib.kernels.compiling import jit
from experiments.vovk2014.pruning import collapse, prune
from experiments.vovk2014.splitting import TOLERANCE, branch_of, grow


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
                branch = branch_of(tree, node, X[i, tree.column[node]])
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
