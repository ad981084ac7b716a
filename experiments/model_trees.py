"""Baselines for calibration in parts: trees with logistic regressions in their leaves."""

from typing import NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from calib.base.arrays import check_labels, check_scores
from calib.base.probabilities import log_odds


class Constant(NamedTuple):
    """The model of a node with one class only: log-odds of (m + 1) / (n + 2)."""

    log_odds: float

    def decision_function(self, columns):
        """The same log-odds for every row."""
        return np.full(len(columns), self.log_odds)


class ProbabilityCalibrationTree(BaseEstimator):
    """A tree on the features with a logistic regression on the logit of the score in each leaf.

    The tree is grown by entropy on two thirds of the sample, with a model in every node. Where the
    model of a node has at most the log loss of the leaves below it on the other third, the node
    becomes a leaf. The models of the remaining leaves are then fitted again to the whole sample.

    Parameters
    ----------
    max_depth : int, default=5
    min_samples_leaf : int, default=50
    random_state : int, default=0
        Of the split into rows to grow and rows to prune.

    Attributes
    ----------
    tree_ : DecisionTreeClassifier
        Before pruning.
    models_ : dict
        From the number of a node that is a leaf after pruning to its model.

    Notes
    -----
    Leathart et al. (2017) grow by C4.5, fit the nodes by LogitBoost, which goes on from the model
    of the parent, and prune by the root of the Brier score in cross-validation, with a price for
    each leaf. Here the nodes are fitted by Newton's method with a ridge penalty on the slope, and
    pruned by held-out log loss. `calib.HeterogeneousCalibrator` with a tree is the same without
    models in inner nodes and without pruning.

    References
    ----------
    Leathart, Frank, Holmes and Pfahringer (2017).
    """

    def __init__(self, *, max_depth=5, min_samples_leaf=50, random_state=0):
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, scores, labels, *, features):
        """Grow, prune and fit; `scores` are probabilities of rows that trained no classifier."""
        X = validate_data(self, features, dtype=np.float32)
        columns = self._columns(X, self._checked(X, scores))
        labels = check_labels(labels, size=len(columns))
        grown, held_out = train_test_split(
            np.arange(labels.size), test_size=1 / 3, random_state=self.random_state
        )
        self.tree_ = DecisionTreeClassifier(
            criterion="entropy",
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            random_state=self.random_state,
        ).fit(X[grown], labels[grown])
        visits = self.tree_.decision_path(X).tocsc()  # rows of each node
        rows = [visits[:, node].indices for node in range(visits.shape[1])]
        for_growth = np.isin(np.arange(labels.size), grown)
        losses = np.empty(len(rows))
        for node, inside in enumerate(rows):
            learned, tested = inside[for_growth[inside]], inside[~for_growth[inside]]
            model = fit_node(columns[learned], labels[learned])
            losses[node] = held_out_loss(model, columns[tested], labels[tested])
        leaves = pruned(self.tree_.tree_, losses)
        self.models_ = {leaf: fit_node(columns[rows[leaf]], labels[rows[leaf]]) for leaf in leaves}
        return self

    def predict(self, scores, *, features):
        """Probabilities of class 1, of shape (n,)."""
        check_is_fitted(self)
        X = validate_data(self, features, dtype=np.float32, reset=False)
        columns = self._columns(X, self._checked(X, scores))
        visits, logits = self.tree_.decision_path(X).tocsc(), np.empty(len(columns))
        for leaf, model in self.models_.items():
            inside = visits[:, leaf].indices
            if inside.size:
                logits[inside] = model.decision_function(columns[inside])
        return expit(logits)

    @staticmethod
    def _checked(X, scores):
        """Scores as an array, one for each row of X."""
        scores = check_scores(scores, unit=True)
        if len(X) != scores.size:
            raise ValueError(
                f"features has {len(X)} rows but scores has {scores.size}: they must match"
            )
        return scores

    def _columns(self, X, scores):
        """What the logistic regressions look at."""
        return log_odds(scores)[:, np.newaxis]


class LogisticModelTree(ProbabilityCalibrationTree):
    """The same tree with all features beside the logit in its logistic regressions.

    Notes
    -----
    Landwehr, Hall and Frank (2005) have no score and select features by the number of LogitBoost's
    steps; here the ridge penalty holds them back.

    References
    ----------
    Landwehr, Hall and Frank (2005).
    """

    def _columns(self, X, scores):
        return np.column_stack([super()._columns(X, scores), X])


def fit_node(columns, labels):
    """Logistic regression on standardised columns, ridge penalty of weight 1."""
    if 0 < np.count_nonzero(labels) < labels.size:
        return make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky")).fit(
            columns, labels
        )
    positive = np.count_nonzero(labels)
    return Constant(float(np.log((positive + 1) / (labels.size - positive + 1))))


def held_out_loss(model, columns, labels):
    """Total log loss; 0 where nothing is held out."""
    if labels.size == 0:
        return 0.0
    logits = model.decision_function(columns)
    return np.logaddexp(0, np.where(labels == 1, -logits, logits)).sum()


def pruned(tree, losses):
    """Leaves that are left, from left to right, if no subtree stays that does not pay.

    Parameters
    ----------
    tree : sklearn.tree._tree.Tree
        Children have larger numbers than their parents.
    losses : ndarray of shape (n_nodes,)
        Held-out loss of the model of each node, over its own rows.
    """
    best, leaves = losses.copy(), [[node] for node in range(losses.size)]
    for node in reversed(range(losses.size)):
        left, right = tree.children_left[node], tree.children_right[node]
        if left >= 0 and best[left] + best[right] < losses[node]:
            best[node] = best[left] + best[right]
            leaves[node] = leaves[left] + leaves[right]
    return leaves[0]
