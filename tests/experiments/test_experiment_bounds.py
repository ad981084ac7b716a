"""The bounds that the chapters compare with: by hand, and on laws whose errors are known."""

from math import sqrt

import numpy as np
import pytest
from test_theory_and_laws import each_law, fits

from experiments.bounds import (
    mean_auc_loss_bound_continuous,
    mean_ece_bound_continuous,
    published_auc_loss_bound,
    published_ece_bound,
    published_mce_bound,
)


@pytest.mark.slow
@each_law
@pytest.mark.parametrize("n, n_bins", [(200, 6), (2000, 13), (2000, 100)])
def test_mean_bounds_hold_for_continuous_scores(law, n, n_bins):
    errors = [errors for _, _, errors in fits(law, n, n_bins, 150)]
    _, ece, auc = np.transpose(errors)
    assert ece.mean() <= mean_ece_bound_continuous(n, n_bins, base_rate=law.base_rate)
    bound = mean_auc_loss_bound_continuous(n, n_bins, base_rate=law.base_rate)
    assert law.auc - auc.mean() <= bound


def test_bounds_for_continuous_scores_by_hand():
    """103 points, 10 bins, of which the smallest has 10 points and the largest 11; one in five."""
    gaps = 9 / 104
    ece = sqrt((0.2 + gaps) * (0.8 + gaps) / 10) + gaps
    assert mean_ece_bound_continuous(103, 10, base_rate=0.2) == pytest.approx(ece)
    mass, variance = 12 / 104, 0.16
    loss = mass / 2 + sqrt((mass + 2 / 103) / (103 * variance)) / 4
    loss += sqrt(2 / (9 * variance)) / 4 + 1 / (10 * variance) + gaps / 0.2
    for base_rate in [0.2, 0.8]:
        bound = mean_auc_loss_bound_continuous(103, 10, base_rate=base_rate)
        assert bound == pytest.approx(loss)


def test_published_bounds():
    n, n_bins = np.array([100, 10**6]), np.array([[5], [50]])
    exact = np.sqrt(n_bins * np.log(2 * n_bins / 0.05) / (2 * n))
    np.testing.assert_allclose(published_mce_bound(n, n_bins, 0.05), 2 * exact)
    np.testing.assert_allclose(published_ece_bound(n, n_bins), np.sqrt(2 * np.pi * n_bins / n))
    np.testing.assert_allclose(published_auc_loss_bound(n_bins), 1 / (2 * n_bins))


def test_the_auc_bound_is_best_near_the_cube_root():
    n, n_bins = 10**7, np.arange(5, 2000)
    best = n_bins[np.argmin(mean_auc_loss_bound_continuous(n, n_bins))]
    # 2 (N p (1-p))^(1/3) with p = 1/2, up to the terms of lower order
    assert best == pytest.approx((2 * n) ** (1 / 3), rel=0.1)


def test_bad_arguments_are_refused_by_name():
    for call, message in [
        (lambda: published_mce_bound(0, 10, 0.05), "n must be a positive whole number"),
        (lambda: published_ece_bound(10, -1), "n_bins must be a positive whole number"),
        (lambda: mean_ece_bound_continuous(10, 20), "n must be at least 1 for each bin"),
        (lambda: mean_auc_loss_bound_continuous(10, 6), "n must be at least 2 for each bin"),
        (lambda: mean_ece_bound_continuous(10, 2, base_rate=1), "base_rate must be a number"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
