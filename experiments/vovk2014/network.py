"""Weka's network: one hidden layer of sigmoid nodes, trained row by row by back-propagation.

The rule was written down before any result was looked at: every setting is the default of Weka 3's
``MultilayerPerceptron``. There is one hidden layer of (columns + classes) / 2 nodes, rounded down,
and an output node for each class, all of them sigmoids. Columns are scaled to [-1, 1] by their
training values, and a missing value is 0 there. Weights start uniform in [-0.05, 0.05]. In each of
500 epochs every row changes the weights by 0.3 times the gradient of half its squared error and
0.2 times the change before; the order of the rows stays the same. The probability of a class is its
output divided by the sum of the outputs. Weka's rows are put in random order once; ours are in
random order already.
"""

import math

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from calib.kernels.compiling import jit

EPOCHS = 500
LEARNING_RATE = 0.3
MOMENTUM = 0.2
LARGEST_WEIGHT = 0.05  # at the start
SATURATION = 45.0  # beyond, a sigmoid is 0 or 1


class BackPropagationNetwork(ClassifierMixin, BaseEstimator):
    """Weka's ``MultilayerPerceptron`` with its defaults, for two classes 0 and 1.

    Parameters
    ----------
    n_hidden : int, optional
        Number of hidden nodes; by default (n_features + 2) // 2.
    learning_rate : float, default=0.3
        Weka's option -L.
    random_state : int
        Seed of the weights at the start.

    Notes
    -----
    Training takes O(500 n (n_features + 2) n_hidden) steps.

    References
    ----------
    Hall et al. (2009), The WEKA data mining software: an update, and the documentation of the
    class ``weka.classifiers.functions.MultilayerPerceptron``.
    """

    def __init__(self, n_hidden=None, *, learning_rate=LEARNING_RATE, random_state=0):
        self.n_hidden = n_hidden
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X, y):
        """Scale the columns and train."""
        self.classes_ = np.array([0, 1])
        known = ~np.isnan(X)
        lowest = np.min(X, axis=0, where=known, initial=np.inf)
        highest = np.max(X, axis=0, where=known, initial=-np.inf)
        empty = lowest > highest
        lowest[empty] = highest[empty] = 0.0
        self.centre_, half = (lowest + highest) / 2, (highest - lowest) / 2
        self.half_range_ = np.where(half > 0, half, 1.0)
        n_hidden = self.n_hidden or (X.shape[1] + 2) // 2
        rng = np.random.default_rng(self.random_state)
        inner, outer = (
            rng.uniform(-LARGEST_WEIGHT, LARGEST_WEIGHT, shape)
            for shape in [(X.shape[1] + 1, n_hidden), (2, n_hidden + 1)]
        )
        train(self._inputs(X), np.asarray(y, np.int64), inner, outer, EPOCHS, self.learning_rate)
        self.inner_, self.outer_ = inner, outer
        return self

    def predict_proba(self, X):
        """Probabilities of both classes."""
        hidden = _sigmoids(self._inputs(X) @ self.inner_)
        outputs = _sigmoids(np.column_stack([hidden, np.ones(len(X))]) @ self.outer_.T)
        return outputs / outputs.sum(axis=1, keepdims=True)

    def _inputs(self, X):
        scaled = (X - self.centre_) / self.half_range_
        return np.column_stack([np.where(np.isnan(X), 0.0, scaled), np.ones(len(X))])


def _sigmoids(values):
    clipped = np.clip(values, -SATURATION, SATURATION)
    inside = 1 / (1 + np.exp(-clipped))
    return np.where(values < -SATURATION, 0.0, np.where(values > SATURATION, 1.0, inside))


@jit
def sigmoid(value):
    """Logistic function; 0 or 1 where it is saturated."""
    if value < -SATURATION:
        return 0.0
    if value > SATURATION:
        return 1.0
    return 1.0 / (1.0 + math.exp(-value))


@jit
def train(X, y, inner, outer, epochs, learning_rate=LEARNING_RATE):
    """Change the weights in place, row by row.

    Parameters
    ----------
    X : float64 ndarray of shape (n, n_inputs)
        The last column is 1, for the bias.
    y : int64 ndarray of shape (n,)
        0 or 1.
    inner : float64 ndarray of shape (n_inputs, n_hidden)
    outer : float64 ndarray of shape (2, n_hidden + 1)
        The last column belongs to the bias.
    epochs : int
    learning_rate : float, default=0.3
    """
    n, n_inputs = X.shape
    n_hidden = inner.shape[1]
    last_inner, last_outer = np.zeros(inner.shape), np.zeros(outer.shape)
    hidden, error = np.ones(n_hidden + 1), np.empty(n_hidden)
    for _ in range(epochs):
        for i in range(n):
            for k in range(n_hidden):
                hidden[k] = 0.0
            for j in range(n_inputs):
                x = X[i, j]
                for k in range(n_hidden):
                    hidden[k] += x * inner[j, k]
            for k in range(n_hidden):
                hidden[k] = sigmoid(hidden[k])
                error[k] = 0.0
            for c in range(2):
                activation = 0.0
                for k in range(n_hidden + 1):
                    activation += outer[c, k] * hidden[k]
                output = sigmoid(activation)
                slope = ((y[i] == c) - output) * output * (1.0 - output)
                for k in range(n_hidden):  # with the weights from before this row
                    error[k] += slope * outer[c, k]
                for k in range(n_hidden + 1):
                    change = learning_rate * slope * hidden[k] + MOMENTUM * last_outer[c, k]
                    outer[c, k] += change
                    last_outer[c, k] = change
            for k in range(n_hidden):
                error[k] *= learning_rate * hidden[k] * (1.0 - hidden[k])
            for j in range(n_inputs):
                x = X[i, j]
                for k in range(n_hidden):
                    change = error[k] * x + MOMENTUM * last_inner[j, k]
                    inner[j, k] += change
                    last_inner[j, k] = change
