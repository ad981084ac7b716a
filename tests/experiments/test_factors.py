"""Factors to which bounds could be cut, against sums over all outcomes."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr

from experiments import factors


@pytest.mark.parametrize("n", [1, 2, 3, 10, 77])
@pytest.mark.parametrize("theta", [0.01, 1 / 3, 0.5, 0.9])
def test_the_error_of_a_fraction_is_a_sum(n, theta):
    k = np.arange(n + 1)
    by_hand = stats.binom.pmf(k, n, theta) @ np.abs(k / n - theta)
    assert factors.mean_fraction_error(n, theta) == pytest.approx(by_hand, rel=1e-9)


def test_leaves_are_summed_over_all_samples():
    """Each of four points: its leaf and its label."""
    masses, thetas, n = [0.3, 0.7], [0.2, 0.5], 4
    mean = 0.0
    points = [(leaf, label) for leaf in (0, 1) for label in (0, 1)]
    for sample in product(points, repeat=n):
        chance, error = 1.0, 0.0
        for leaf, label in sample:
            chance *= masses[leaf] * (thetas[leaf] if label else 1 - thetas[leaf])
        for leaf in (0, 1):
            own = [label for at, label in sample if at == leaf]
            fraction = np.mean(own) if own else 0
            error += masses[leaf] * abs(fraction - thetas[leaf])
        mean += chance * error
    assert factors.mean_leaf_error(n, masses, thetas) == pytest.approx(mean)


@pytest.mark.parametrize("theta", [0.5, 0.3])
def test_the_quantile_of_the_worst_bin_is_over_all_outcomes(theta):
    n, n_bins = 5, 3
    outcomes = list(product(range(n + 1), repeat=n_bins))
    errors = np.array([max(abs(k / n - theta) for k in one) for one in outcomes])
    mass = np.array([np.prod(stats.binom.pmf(one, n, theta)) for one in outcomes])
    for probability in [0.01, 0.25, 0.6, 0.99]:
        found = factors.worst_fraction_quantile(n, n_bins, theta, probability)
        assert mass[errors >= found - 1e-9].sum() >= probability - 1e-12
        assert mass[errors > found + 1e-9].sum() < probability


def test_the_order_of_two_bins():
    best = minimize_scalar(lambda x: -x * stats.norm.sf(x), bounds=(0, 4), method="bounded")
    assert factors.order_loss_of_fractions() == pytest.approx(-best.fun * np.sqrt(2), rel=1e-6)
    n = 4000  # in each of two bins; frequencies at the worst distance, exact binomials
    gap = best.x * np.sqrt(0.5 / n)
    k = np.arange(n + 1)
    low, high = (stats.binom.pmf(k, n, 0.5 + side * gap / 2) for side in (-1, 1))
    below = np.cumsum(high) - high / 2  # ties count by half
    loss = (low @ below) * gap / (4 * 0.25)
    bound = factors.order_loss_of_fractions() * (1 - 1 / 2) * np.sqrt(2 / (2 * n))
    assert loss == pytest.approx(bound, rel=1e-3)


@pytest.mark.parametrize("shrunk", [True, False])
@pytest.mark.parametrize("n, p", [(1, 0.01), (30, 0.3), (500, 0.0178)])
def test_a_smaller_threshold_would_be_reached_too_often(n, p, shrunk):
    threshold = 5.0
    factor = factors.evidence_factor(n, p, threshold, shrunk=shrunk)
    k = np.arange(n + 1)
    fraction = (k + shrunk * p) / (n + shrunk)
    evidence = n * (rel_entr(fraction, p) + rel_entr(1 - fraction, 1 - p))
    mass = stats.binom.pmf(k, n, p)
    allowed = 2 * np.exp(-threshold)
    assert mass[evidence >= (factor - 1e-9) * threshold].sum() > allowed
    assert mass[evidence > (factor + 1e-9) * threshold].sum() <= allowed
    assert factor <= 1


def test_one_label_leaves_nothing_of_a_one_sided_bound():
    """A positive of probability exp(-T) has the evidence T, without the shrinkage."""
    threshold = 9.0
    p = 2 * np.exp(-threshold) * 1.0001
    factor = factors.evidence_factor(1, p, threshold, shrunk=False)
    assert factor == pytest.approx(1 - np.log(2) / threshold, abs=1e-4)
