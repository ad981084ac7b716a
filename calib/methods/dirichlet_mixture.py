"""Dirichlet-process mixture of Gaussians on a line, by mean-field variational inference.

All numbers are in standard units (pooled mean 0, pooled variance 1). Then the base measure is
worth one pseudo-observation with moments (1, 0, 1) for (1, x, x^2). The three expected moment sums
of a component, plus the moments of the pseudo-observation, *are* its Normal-Gamma posterior.

The loops over cells are matrix products and vectorised exponentials, which NumPy runs several
times faster than a compiled scalar loop.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaln, digamma, gammaln

PSEUDO_OBSERVATION = np.array([1.0, 0.0, 1.0])
CELLS_PER_WEIGHT = 1024  # a cell of several scores holds at most 1/1024 of the weight ...
CELLS_PER_UNIT = 256  # ... and is at most 1/256 standard deviation wide
QUERIES_PER_BLOCK = 2048  # log densities of a block of queries stay in the cache


class Cells(NamedTuple):
    """Neighbouring scores that share their responsibilities, as sufficient statistics."""

    weights: np.ndarray  # (n_cells,)
    moments: np.ndarray  # (3, n_cells): means of 1, x, x^2 over the cell


class Components(NamedTuple):
    """Variational posterior of the Gaussians: one entry per component.

    ``precision ~ Gamma(degrees / 2, rate = degrees * variances / 2)`` and
    ``mean | precision ~ N(means, 1 / (degrees * precision))``.
    """

    degrees: np.ndarray
    means: np.ndarray
    variances: np.ndarray


class Mixture(NamedTuple):
    """Predictive density: a mixture of Student distributions. The base measure comes last."""

    log_weights: np.ndarray
    degrees: np.ndarray
    means: np.ndarray
    variances: np.ndarray


class MixtureFit(NamedTuple):
    """A fitted mixture, the bound after each iteration and whether the bound converged."""

    mixture: Mixture
    bounds: np.ndarray
    converged: bool


def fit_mixture(scores, weights, n_components, concentration, max_iter, tol):
    """Fit the mixture to distinct increasing `scores` in standard units.

    An iteration assigns the cells to the components, orders the sticks by size and updates the
    posterior. Each of the three steps maximises the bound or cannot lower it.
    """
    cells = pool_cells(scores, weights)
    statistics = quantile_blocks(cells, n_components)
    entropy = 0.0
    bounds = []
    converged = False
    while True:
        statistics = statistics[np.argsort(-statistics[:, 0], kind="stable")]
        sticks = stick_posterior(statistics[:, 0], concentration)
        components = gaussian_posterior(statistics)
        bounds.append(entropy + log_evidence(sticks, components, concentration))
        if len(bounds) > 1:
            converged = bounds[-1] - bounds[-2] <= tol * cells.weights.sum()
        if converged or len(bounds) > max_iter:
            return MixtureFit(
                mixture=predictive(sticks, components),
                bounds=np.array(bounds),
                converged=bool(converged),
            )
        statistics, entropy = assign(cells, natural_parameters(sticks, components))


def pool_cells(scores, weights):
    """Cut distinct increasing `scores` into cells that are narrow and light.

    Up to 1024 scores of equal weight are one cell each. The rule on the width keeps components
    apart. A cell that straddles two components raises their variances by at most 1/1024 of the
    weight times (1/512)^2, which is 4e-9 N times the smallest variance the posterior allows.
    """
    before = np.cumsum(weights) - weights
    weight_step = np.floor(before / np.sum(weights) * CELLS_PER_WEIGHT)
    width_step = np.floor(scores * CELLS_PER_UNIT)
    is_first = np.ones(scores.size, bool)
    is_first[1:] = (np.diff(weight_step) != 0) | (np.diff(width_step) != 0)
    starts = np.flatnonzero(is_first)
    if starts.size == 0:  # a class without observations
        return Cells(weights=np.empty(0), moments=np.empty((3, 0)))
    weighted = weights * scores
    sums = np.stack([np.add.reduceat(v, starts) for v in (weights, weighted, weighted * scores)])
    return Cells(weights=sums[0], moments=sums / sums[0])


def quantile_blocks(cells, n_components):
    """Moment sums of blocks of about equal weight, (n_components, 3): the initial assignment."""
    middle = np.cumsum(cells.weights) - cells.weights / 2
    fraction = middle / np.sum(cells.weights)
    block = np.minimum(fraction * n_components, n_components - 1).astype(np.int64)
    return np.stack(
        [np.bincount(block, cells.weights * moment, n_components) for moment in cells.moments],
        axis=1,
    )


def stick_posterior(counts, concentration):
    """Beta parameters of the stick fractions, (2, n_components)."""
    following = np.append(np.cumsum(counts[:0:-1])[::-1], 0.0)
    return np.stack([1.0 + counts, concentration + following])


def gaussian_posterior(statistics):
    """Normal-Gamma posteriors, from the moments of the points and of the pseudo-observation."""
    degrees, first, second = (statistics + PSEUDO_OBSERVATION).T
    means = first / degrees
    # the pseudo-observation alone contributes 1 / degrees: the maximum only undoes rounding
    variances = np.maximum(second / degrees - means**2, 1 / degrees)
    return Components(degrees=degrees, means=means, variances=variances)


def log_evidence(sticks, components, concentration):
    """Log marginal likelihood of the assigned points: the bound less the entropy."""
    degrees = components.degrees
    gaussians = (
        gammaln(degrees / 2)
        - degrees / 2 * np.log(np.pi * degrees * components.variances)
        - np.log(degrees) / 2
    )
    return np.sum(betaln(*sticks) + np.log(concentration) + gaussians)


def natural_parameters(sticks, components):
    """Coefficients of (1, x, x^2) in E log(weight) + E log N(x), (n_components, 3)."""
    degrees, means, variances = components
    both = digamma(sticks.sum(axis=0))
    log_taken, log_left = digamma(sticks) - both
    log_weights = log_taken + np.append(0.0, np.cumsum(log_left[:-1]))
    log_peaks = (digamma(degrees / 2) - np.log(np.pi * degrees * variances) - 1 / degrees) / 2
    constants = log_weights + log_peaks - means**2 / variances / 2
    return np.stack([constants, means / variances, -1 / variances / 2], axis=1)


def assign(cells, natural):
    """Assign each cell to the components by its responsibilities.

    Returns the moment sums per component and the entropy of the assignment.
    """
    assigned = natural @ cells.moments  # first the log responsibilities, up to a constant per cell
    top = assigned.max(axis=0)
    assigned -= top
    np.exp(assigned, out=assigned)
    total = assigned.sum(axis=0)
    assigned *= cells.weights / total  # finally the weight of each cell in each component
    statistics = assigned @ cells.moments.T
    entropy = cells.weights @ (top + np.log(total)) - np.sum(natural * statistics)
    return statistics, entropy


def predictive(sticks, components):
    """Expected weights and the components. The last entry is the unused rest of the stick."""
    log_taken, log_left = np.log(sticks / sticks.sum(axis=0))
    log_weights = np.append(log_taken, 0.0) + np.append(0.0, np.cumsum(log_left))
    unused = gaussian_posterior(np.zeros((1, 3)))
    return Mixture(
        log_weights=log_weights,
        degrees=np.append(components.degrees, unused.degrees),
        means=np.append(components.means, unused.means),
        variances=np.append(components.variances, unused.variances),
    )


def log_density(mixture, queries):
    """Log of the Student mixture at `queries`, by log-sum-exp: it never underflows."""
    degrees = mixture.degrees[:, None]
    means = mixture.means[:, None]
    spreads = mixture.variances[:, None] * (degrees + 1)  # degrees of freedom times squared scale
    powers = (degrees + 1) / 2
    log_peaks = gammaln(powers) - gammaln(degrees / 2) - np.log(np.pi * spreads) / 2
    constants = mixture.log_weights[:, None] + log_peaks
    result = np.empty(queries.size)
    for start in range(0, queries.size, QUERIES_PER_BLOCK):
        block = slice(start, start + QUERIES_PER_BLOCK)
        terms = constants - powers * np.log1p((queries[block] - means) ** 2 / spreads)
        top = terms.max(axis=0)
        result[block] = top + np.log(np.exp(terms - top).sum(axis=0))
    return result
