"""Weka's ``Bagging`` of J48: ten trees, each on its own sample of the rows."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from experiments.vovk2014.decision_tree import DecisionTree

N_BAGS = 10


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
