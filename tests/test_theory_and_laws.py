"""Bounds hold on laws whose errors are known exactly; the laws are what they say."""

import numpy as np
import pytest
from scipy.integrate import quad

from calib import HistogramBinning, roc_auc_score
from calib.datasets import LAWS, rings
from calib.theory import auc_loss_bound, ece_bound, mce_bound

each_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


@each_law
def test_integral_and_auc_of_a_law(law):
    for lower, upper in [(0, 1), (0.2, 0.21), (0.7, 1)]:
        mean = quad(law.pi, lower, upper)[0] / (upper - lower)
        assert law.bin_probability(lower, upper) == pytest.approx(mean, abs=1e-9)
    scores, labels = law.sample(400_000, np.random.default_rng(0))
    assert labels.mean() == pytest.approx(law.base_rate, abs=0.005)
    assert roc_auc_score(labels, scores) == pytest.approx(law.auc, abs=0.01)


@each_law
def test_exact_errors_are_the_limits_of_empirical_ones(law):
    rng = np.random.default_rng(1)
    fitted = HistogramBinning(n_bins=5).fit(*law.sample(300, rng))
    scores, labels = law.sample(400_000, rng)
    predicted = fitted.predict(scores)
    exact = law.exact_errors(fitted.cuts_, fitted.probabilities_)
    gaps, masses = [], []
    for value in np.unique(predicted):
        inside = predicted == value
        gaps.append(abs(labels[inside].mean() - value))
        masses.append(inside.mean())
    assert exact.mce == pytest.approx(max(gaps), abs=0.01)
    assert exact.ece == pytest.approx(np.dot(gaps, masses), abs=0.01)
    assert exact.auc == pytest.approx(roc_auc_score(labels, predicted), abs=0.01)


@each_law
@pytest.mark.parametrize("n, n_bins", [(200, 6), (2000, 13), (2000, 100)])
def test_bounds_hold_in_simulation(law, n, n_bins):
    rng = np.random.default_rng(2)
    delta = 0.1
    errors = []
    for _ in range(200):
        fitted = HistogramBinning(n_bins=n_bins).fit(*law.sample(n, rng))
        errors.append(law.exact_errors(fitted.cuts_, fitted.probabilities_))
    mce, ece, auc = np.transpose(errors)
    assert np.mean(mce > mce_bound(n, n_bins, delta)) <= delta
    assert ece.mean() <= ece_bound(n, n_bins, base_rate=law.base_rate)
    loss = law.auc - auc
    assert loss.mean() <= auc_loss_bound(n, n_bins, base_rate=law.base_rate)
    high = auc_loss_bound(n, n_bins, base_rate=law.base_rate, delta=delta)
    assert np.mean(loss > high) <= delta
    assert mce.mean() > mce_bound(n, n_bins, delta) / 20  # the bound is not vacuous


def test_sharp_bounds_are_sharper():
    n, n_bins = np.array([100, 10**6]), np.array([[5], [50]])
    ratio = mce_bound(n, n_bins, 0.05, version="published") / mce_bound(n, n_bins, 0.05)
    np.testing.assert_allclose(ratio, 2)
    ratio = ece_bound(n, n_bins, version="published") / ece_bound(n, n_bins)
    np.testing.assert_allclose(ratio, np.sqrt(8 * np.pi))
    assert np.all(auc_loss_bound(n, n_bins) > auc_loss_bound(n, n_bins, version="published"))


def test_the_auc_bound_is_best_near_the_cube_root():
    n, n_bins = 10**6, np.arange(5, 2000)
    best = n_bins[np.argmin(auc_loss_bound(n, n_bins))]
    assert best == pytest.approx((2 * n) ** (1 / 3), abs=1)  # 2 (N p (1-p))^(1/3) with p = 1/2


def test_bad_arguments_are_refused_by_name():
    for call, message in [
        (lambda: mce_bound(0, 10, 0.05), "n must be positive"),
        (lambda: ece_bound(10, -1), "n_bins must be positive"),
        (lambda: mce_bound(10, 2, 1.5), "delta must be a number between 0 and 1"),
        (lambda: ece_bound(10, 2, version="paper"), "version must be one of"),
        (lambda: ece_bound(10, 2, base_rate=1), "base_rate must be a number"),
        (lambda: auc_loss_bound(10, 2, base_rate=0), "base_rate must be a number"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_rings():
    X, labels = rings(2001, np.random.default_rng(0))
    radius = np.hypot(*X.T)
    assert X.shape == (2001, 2) and labels.sum() == 1001
    assert radius[labels == 0].max() <= 2 <= radius[labels == 1].min() <= 4
    assert radius[labels == 0].mean() == pytest.approx(1, abs=0.06)
    assert np.abs(X.mean(axis=0)).max() < 0.2
    with pytest.raises(ValueError, match="n must be an integer of at least 2"):
        rings(1, np.random.default_rng(0))
