"""Weka's naive Bayes, written anew."""

import numpy as np
from scipy.special import expit, ndtr
from sklearn.base import BaseEstimator, ClassifierMixin


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):
    """Weka's naive Bayes: normal distributions for numbers, frequencies for categories.

    A number stands for an interval of the mean distance between the distinct values of its
    column; a standard deviation is at least a sixth of that, the probability of the interval at
    least 1e-75. Frequencies start from one count for each category. Missing values (NaN) are left
    out.

    Parameters
    ----------
    n_categories : tuple of int
        For each column the number of its categories, coded 0, 1, ...; 0 for numbers.
    kernel : bool, default=False
        Weka's option -K: for a number the mean of normal distributions around its training
        values, of standard deviation range / sqrt(their number), in place of a single one.

    References
    ----------
    John and Langley (1995), Estimating continuous distributions in Bayesian classifiers.
    """

    def __init__(self, n_categories, *, kernel=False):
        self.n_categories = n_categories
        self.kernel = kernel

    def fit(self, X, y):
        """Estimate the distribution of every column, given each class."""
        self.classes_ = np.array([0, 1])
        self.priors_ = np.bincount(y, minlength=2) + 1.0
        self.numeric_ = np.array(self.n_categories) == 0
        self.widths_ = np.array([_mean_distance(column) for column in X[:, self.numeric_].T])
        numbers = self._rounded(X)
        estimate = _kernels if self.kernel else _normal
        self.mixtures_ = [
            [
                estimate(column[(y == z) & ~np.isnan(column)], width / 6)
                for column, width in zip(numbers.T, self.widths_, strict=True)
            ]
            for z in [0, 1]
        ]
        self.tables_ = [
            [_frequencies(X[y == z, column], k) for z in [0, 1]]
            for column, k in enumerate(self.n_categories)
            if k
        ]
        return self

    def predict_proba(self, X):
        """Probabilities of both classes."""
        log_odds = np.full(len(X), np.log(self.priors_[1] / self.priors_[0]))
        numbers = self._rounded(X)
        for sign, mixtures in zip([-1, 1], self.mixtures_, strict=True):
            for column, width, mixture in zip(numbers.T, self.widths_, mixtures, strict=True):
                known = ~np.isnan(column)
                probability = _probability(column[known], width, *mixture)
                log_odds[known] += sign * np.log(np.maximum(probability, 1e-75))
        nominal = np.flatnonzero(~self.numeric_)
        for column, (if_negative, if_positive) in zip(nominal, self.tables_, strict=True):
            known = ~np.isnan(X[:, column])
            codes = X[known, column].astype(int)
            log_odds[known] += np.log(if_positive[codes] / if_negative[codes])
        return np.column_stack([expit(-log_odds), expit(log_odds)])

    def _rounded(self, X):
        return np.rint(X[:, self.numeric_] / self.widths_) * self.widths_


def _mean_distance(column):
    """Between the distinct values; 0.01 if there is only one, as in Weka."""
    values = np.unique(column[~np.isnan(column)].round(9))
    return np.mean(np.diff(values)) if values.size > 1 else 0.01


def _normal(values, smallest_deviation):
    """Centre and standard deviation of one normal distribution; the centre of no values is 0."""
    if values.size == 0:
        return np.zeros(1), smallest_deviation
    return values.mean(keepdims=True), max(values.std(), smallest_deviation)


def _kernels(values, smallest_deviation):
    """Centres of normal distributions of equal weight, and their common standard deviation."""
    if values.size == 0:
        return np.zeros(1), smallest_deviation
    return values, max(np.ptp(values) / np.sqrt(values.size), smallest_deviation)


def _probability(numbers, width, centres, deviation):
    """Of the intervals of this width around the numbers, under a mixture of normals."""
    distances = np.subtract.outer(numbers, centres)
    above = ndtr((distances + width / 2) / deviation)
    return np.mean(above - ndtr((distances - width / 2) / deviation), axis=1)


def _frequencies(codes, k):
    counts = np.bincount(codes[~np.isnan(codes)].astype(int), minlength=k) + 1.0
    return counts / counts.sum()
