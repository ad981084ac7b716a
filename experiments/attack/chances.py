"""Exact laws of counts of positives."""

from functools import reduce

import numpy as np
from scipy.special import gammaln, rel_entr, xlog1py, xlogy


def binomial(n, p):
    """P(k positives among n), for k = 0 to n."""
    k = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.exp(ways + xlogy(k, p) + xlog1py(n - k, -p))


def sum_of(counts, truths):
    """The same for the sum over cells with different probabilities."""
    return reduce(np.convolve, map(binomial, counts, truths))


def mean_deviation(n, p):
    """Mean of ``|k/n - p|`` for k binomial with n points, an array, and p (de Moivre)."""
    k = np.minimum(np.floor(n * p) + 1, n)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return 2 * k / n * np.exp(ways + xlogy(k, p) + xlog1py(n - k + 1, -p))


def any_of(chances):
    """P(at least one of independent events), small ones without loss of digits."""
    with np.errstate(divide="ignore"):
        return float(-np.expm1(np.log1p(-np.minimum(chances, 1.0)).sum()))


def shares(law):
    """Each group that has points: its size, chances of its numbers of positives, their mean share.

    The labels are independent given the cells.
    """
    for number in np.unique(law.group):
        inside = (law.group == number) & (law.counts > 0)
        if inside.any():
            counts, truths = law.counts[inside], law.truth[inside]
            size = int(counts.sum())
            yield size, sum_of(counts, truths), float(counts @ truths / size)


def divergence(q, p):
    """Kullback-Leibler divergence of two coins, elementwise."""
    return rel_entr(q, p) + rel_entr(1 - q, 1 - p)
