"""Measures of (labels, scores) as one writes them in NumPy: five lines at most, nothing checked.

The scores must be probabilities, and the labels 0 or 1. AUC gives ties half a point; the others
give the numbers of `calib.metrics`.
"""

import numpy as np


def brier(z, p):
    """Mean squared error."""
    return np.mean((p - z) ** 2)


def log_loss(z, p):
    """Mean negative log-likelihood in nats; scores of 0 and 1 are not looked for."""
    return -np.mean(np.log(np.where(z == 1, p, 1 - p)))


def accuracy(z, p):
    """Fraction of rows on the right side of one half."""
    return np.mean((p >= 0.5) == z)


def auc(z, p):
    """Fraction of pairs of a positive and a negative in the right order."""
    positives, negatives = np.sort(p[z == 1]), p[z == 0]
    below = np.searchsorted(positives, negatives, side="left")
    up_to = np.searchsorted(positives, negatives, side="right")
    return 1 - np.mean(below + up_to) / (2 * positives.size)


def ece_uniform(z, p):
    """ECE of ten bins of equal width, by a quotient that may round across an edge."""
    bins = np.minimum((10 * p).astype(np.int64), 9)
    return np.abs(np.bincount(bins, weights=z - p, minlength=10)).sum() / p.size


def ece_quantile(z, p):
    """ECE of ten bins of equal frequency, which may cut ties."""
    order = np.argsort(p)
    residuals = (z - p)[order]
    return sum(abs(part.sum()) for part in np.array_split(residuals, 10)) / p.size


def kuiper(z, p):
    """Range of the cumulative residuals, which may be read within ties."""
    path = np.cumsum((z - p)[np.argsort(p, kind="stable")])
    return (max(path.max(), 0) - min(path.min(), 0)) / p.size
