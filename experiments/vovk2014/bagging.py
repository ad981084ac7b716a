"""Weka's ``Bagging``: ten trees, each on its own sample of the rows."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

N_BAGS = 10


class BaggedTrees(ClassifierMixin, BaseEstimator):
    """Weka's ``Bagging`` of ten trees, each on as many rows drawn with replacement.

    Parameters
    ----------
    tree : classifier
    draws : {"independent", "distinct", "sums"}
        How rows are drawn; "distinct" counts a row that is drawn more than once as one. "sums" is
        the rule of Weka until 2012: the positions of the draws among the rows are the partial sums
        of uniform numbers, which miss a quarter of the rows, not 37 %.
    random_state : int
        Seed of the rows drawn, and of the trees if they draw any.
    """

    def __init__(self, tree, *, draws="independent", random_state=0):
        self.tree = tree
        self.draws = draws
        self.random_state = random_state

    def fit(self, X, y):
        """Fit the trees."""
        self.classes_ = np.array([0, 1])
        self.trees_ = []
        for k, bag in enumerate(self._bags(len(X))):
            tree = clone(self.tree)
            if "random_state" in tree.get_params():
                tree.set_params(random_state=N_BAGS * self.random_state + k)
            self.trees_.append(tree.fit(X[bag], y[bag]))
        return self

    def _bags(self, n):
        rng = np.random.default_rng(self.random_state)
        if self.draws == "sums":
            return [drawn_by_sums(n, rng) for _ in range(N_BAGS)]
        bags = rng.integers(n, size=(N_BAGS, n))
        return [np.unique(bag) for bag in bags] if self.draws == "distinct" else bags

    def predict_proba(self, X):
        """Means of the probabilities of the trees."""
        return np.mean([tree.predict_proba(X) for tree in self.trees_], axis=0)


def drawn_by_sums(n, rng):
    """Rows at the partial sums of uniform numbers, stretched so that the last one is `n`."""
    places = np.cumsum(rng.random(n))
    places *= n / places[-1]
    return np.minimum(np.ceil(places).astype(np.int64), n) - 1
