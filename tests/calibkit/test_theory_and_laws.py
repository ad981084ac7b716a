"""Bounds hold on laws whose errors are known exactly; the laws are what they say."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import binom

from calib import HistogramBinning
from calib.metrics import roc_auc_score
from calibkit.datasets import LAWS, TIED_LAWS, rings
from calibkit.datasets.simulated import _steps
from calibkit.theory import auc_loss_bound, bin_bounds, clopper_pearson_limits, ece_bound, mce_bound
from calibkit.theory.bounds import _pairs_of_ranks

ALL_LAWS = LAWS | TIED_LAWS
each_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


@pytest.mark.slow
@each_law
def test_integral_and_auc_of_a_law(law):
    for lower, upper in [(0, 1), (0.2, 0.21), (0.7, 1)]:
        mean = quad(law.pi, lower, upper)[0] / (upper - lower)
        assert law.bin_probability(lower, upper) == pytest.approx(mean, abs=1e-9)
    scores, labels = law.sample(400_000, np.random.default_rng(0))
    assert labels.mean() == pytest.approx(law.base_rate, abs=0.005)
    assert roc_auc_score(labels, scores) == pytest.approx(law.auc, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("law", ALL_LAWS.values(), ids=ALL_LAWS)
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


def fits(law, n, n_bins, n_draws, strategy="quantile"):
    """Fits to samples, each with the true probabilities of its bins and its exact errors."""
    rng = np.random.default_rng(2)
    for _ in range(n_draws):
        fitted = HistogramBinning(n_bins=n_bins, strategy=strategy).fit(*law.sample(n, rng))
        edges = np.concatenate([[0], law.mass_below(fitted.cuts_), [1]])
        theta = law.bin_probability(edges[:-1], edges[1:])
        yield fitted, theta, law.exact_errors(fitted.cuts_, fitted.probabilities_)


@pytest.mark.slow
@pytest.mark.parametrize("n, n_bins", [(200, 6), (1000, 10), (2000, 100)])
@pytest.mark.parametrize("law", ALL_LAWS.values(), ids=ALL_LAWS)
def test_bounds_hold_for_every_distribution(law, n, n_bins):
    alpha, failures = 0.1, []
    for fitted, theta, errors in fits(law, n, n_bins, 150):
        counts = fitted.counts_
        gap = np.abs(fitted.probabilities_ - theta)
        loss = law.auc - errors.auc
        failures.append(
            [
                np.any(gap > bin_bounds(counts, alpha)),
                np.any(gap > bin_bounds(counts, alpha, n_bins=n_bins)),
                errors.mce > mce_bound(counts, alpha, n_bins=n_bins),
                errors.ece > ece_bound(counts, alpha, n_bins=n_bins),
                loss > auc_loss_bound(counts, alpha, base_rate=law.base_rate, n_bins=n_bins),
                law.name == "tree"
                and np.any(gap > bin_bounds(counts, alpha, n_values=max(12, counts.size))),
            ]
        )
    allowed = alpha + 3 * np.sqrt(alpha * (1 - alpha) / len(failures))
    assert np.mean(failures, axis=0).max() <= allowed


@pytest.mark.slow
def test_bins_fixed_in_advance():
    alpha, missed = 0.1, []
    for fitted, theta, _ in fits(LAWS["useless"], 300, 10, 400, strategy="uniform"):
        gap = np.abs(fitted.probabilities_ - theta)
        lower, upper = clopper_pearson_limits(fitted.counts_, fitted.positives_, alpha)
        bounds = bin_bounds(fitted.counts_, alpha, strategy="uniform")
        missed.append([np.any(gap > bounds), np.any((theta < lower) | (theta > upper))])
    allowed = alpha + 3 * np.sqrt(alpha * (1 - alpha) / len(missed))
    rates = np.mean(missed, axis=0)
    assert rates.max() <= allowed
    assert rates[1] > alpha / 10  # Clopper and Pearson's band is not much too wide


@pytest.mark.slow
@pytest.mark.parametrize("law", ALL_LAWS.values(), ids=ALL_LAWS)
def test_band_covers_the_mean_given_the_scores(law):
    rng, alpha, missed = np.random.default_rng(3), 0.2, []
    ranks = rng.random(300)  # one set of scores, many sets of labels
    probabilities = law.pi(ranks)
    bins = np.digitize(ranks, np.arange(1, 6) / 6)
    counts = np.bincount(bins, minlength=6)
    target = np.bincount(bins, probabilities, minlength=6) / counts
    for _ in range(400):
        labels = rng.random(ranks.size) < probabilities
        lower, upper = clopper_pearson_limits(counts, np.bincount(bins, labels, minlength=6), alpha)
        missed.append(np.any((target < lower) | (target > upper)))
    assert np.mean(missed) <= alpha + 3 * np.sqrt(alpha * (1 - alpha) / len(missed))


def test_limits_of_the_band():
    lower, upper = clopper_pearson_limits([50, 50, 50, 50, 0], [0, 1, 20, 50, 0], 0.05)
    tail = 0.05 / 10
    assert lower[0] == 0 and upper[3] == 1 and (lower[4], upper[4]) == (0, 1)
    assert lower[1] == pytest.approx(tail / 50)
    assert binom.sf(19, 50, lower[2]) == pytest.approx(tail)
    assert binom.cdf(20, 50, upper[2]) == pytest.approx(tail)


def test_band_of_a_sample_without_positives():
    lower, upper = clopper_pearson_limits([40, 60], [0, 0], 0.1)
    np.testing.assert_array_equal(lower, 0)
    np.testing.assert_allclose(upper, 1 - (0.1 / 4) ** (1 / np.array([40, 60])))
    with pytest.raises(ValueError, match="positives must be whole numbers of calibration points;"):
        clopper_pearson_limits([40, 60], [0, -1], 0.1)


def test_bounds_by_hand():
    exact = np.sqrt(np.log(2 * 4 / 0.1) / (2 * 25))
    np.testing.assert_allclose(bin_bounds([25] * 4, 0.1, strategy="uniform"), exact)
    planned = np.sqrt(np.log(2 * 8 / 0.1) / 50) + 2 / 23
    np.testing.assert_allclose(bin_bounds([25] * 4, 0.1, n_bins=4), planned)
    anywhere = np.sqrt(np.log(100 * 101 / 0.1) / 50) + 2 / 23
    np.testing.assert_allclose(bin_bounds([25] * 4, 0.1), anywhere)
    moved = bin_bounds([24, 26, 25, 25], 0.1, n_bins=4)  # the last two are where they belong
    np.testing.assert_allclose(moved[2:], planned)
    assert np.all(moved[:2] > bin_bounds([24, 26], 0.1))
    leaves = np.sqrt(np.log(2 * 10 / 0.1) / 50)
    np.testing.assert_allclose(bin_bounds([25] * 4, 0.1, n_values=4), leaves)
    np.testing.assert_array_equal(bin_bounds([0, 2, 98], 0.1)[:2], 1)
    assert mce_bound([30, 70], 0.1) == bin_bounds([30, 70], 0.1).max()
    assert ece_bound([500, 500], 0.1) == pytest.approx(mce_bound([500, 500], 0.05))


@pytest.mark.parametrize("counts", [[1000, 3000, 6000], [40, 9000, 960]])
def test_bounds_of_means_by_hand(counts):
    """As the chapters have them: equations written once more, with numbers."""
    first, second, third = (
        sqrt(log(2 * (10_000 * 10_001 / 2) / 0.05) / (2 * n)) + 2 / (n - 2) for n in counts
    )
    deviation = sqrt(log(4 / 0.1) / 20_000)
    error = (counts[0] * first + counts[1] * second + counts[2] * third) / 10_000
    error += deviation * (abs(second - first) + abs(third - second))
    assert ece_bound(counts, 0.1) == pytest.approx(error)
    worst = max(first, second, third)
    assert error < worst and (error < worst / 2) == (min(counts) == 40)  # both sides of a minimum
    loss = max(counts) / 20_000 + deviation + min(error, worst / 2) / (0.3 * 0.7)
    assert auc_loss_bound(counts, 0.1, base_rate=0.3) == pytest.approx(loss)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400), st.integers(1, 40), st.integers(0, 10**6))
def test_bins_without_ties_are_as_planned(n, n_bins, seed):
    rng = np.random.default_rng(seed)
    scores, labels = rng.random(n), np.arange(n) % 2
    if n < 2 * n_bins:
        return
    counts = HistogramBinning(n_bins=n_bins).fit(scores, labels).counts_
    np.testing.assert_array_equal(_pairs_of_ranks(counts, n_bins), 2 * n_bins)


def test_bounds_take_fitted_bins_and_refuse_weights():
    rng = np.random.default_rng(3)
    scores, labels = rng.random(200), rng.integers(0, 2, 200)
    fitted = HistogramBinning(n_bins=10).fit(scores, labels)
    assert mce_bound(fitted, 0.05) == mce_bound(fitted.counts_, 0.05)
    assert ece_bound(fitted, 0.05, n_bins=10) == ece_bound(fitted.counts_, 0.05, n_bins=10)
    some = HistogramBinning(n_bins=10).fit(scores, labels, sample_weight=[0] * 20 + [1] * 180)
    assert mce_bound(some, 0.05) == mce_bound(some.counts_, 0.05)
    for weights in [10, np.tile([0.5, 1.5], 100)]:  # the sum of the second is that of the rows
        fitted.fit(scores, labels, sample_weight=np.broadcast_to(weights, 200))
        for bound in [bin_bounds, mce_bound, ece_bound]:
            with pytest.raises(ValueError, match="bins of rows without weights"):
                bound(fitted, 0.05)


def test_bad_arguments_are_refused_by_name():
    for call, message in [
        (lambda: auc_loss_bound([10], 0.1, base_rate=0), "base_rate must be a number"),
        (lambda: mce_bound([10, 10], 1.5), "alpha must be a number between 0 and 1"),
        (lambda: mce_bound([10, 2.5], 0.1), "counts must be whole numbers"),
        (lambda: mce_bound([0, 0], 0.1), "counts must be whole numbers"),
        (lambda: mce_bound([10, 10], 0.1, n_bins=1), "n_bins must be an integer of at least 2"),
        (lambda: mce_bound([10, 10], 0.1, n_values=1), "n_values must be an integer of at least"),
        (lambda: mce_bound([10], 0.1, strategy="equal"), "strategy must be one of"),
        (
            lambda: clopper_pearson_limits([10, 10], [1, 11], 0.1),
            "positives must be as many as counts",
        ),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_exact_errors_by_hand():
    """Uniform scores, E(z | y) = y, two bins that come true at 1/4 and 3/4."""
    errors = LAWS["calibrated"].exact_errors([0.5], [0.3, 0.6])
    auc = (1 / 8 * 3 / 16 + 3 / 8 * (3 / 8 + 1 / 16)) / (1 / 2 * 1 / 2)
    assert errors == pytest.approx((0.15, 0.1, auc))


def test_a_law_of_steps_by_hand():
    """A quarter of the scores comes true at .2, an atom of all others at .6."""
    law = _steps("two", [0.25, 0.75], [0.2, 0.6], [False, True])
    assert law.atoms == ((0.25, 1.0),)
    assert law.pi([0.0, 0.2, 0.3, 1.0]).tolist() == [0.2, 0.2, 0.6, 0.6]
    np.testing.assert_allclose(law.integral([0, 0.1, 0.25, 0.5, 1]), [0, 0.02, 0.05, 0.2, 0.5])


def test_atoms_of_a_law():
    law = TIED_LAWS["mixed"]
    scores, labels = law.sample(200_000, np.random.default_rng(0))
    assert roc_auc_score(labels, scores) == pytest.approx(law.auc, abs=0.005)
    lower, upper = law.atoms[0]
    middle = (lower + upper) / 2
    for cut in [0.05, 0.09, middle, 0.11, 0.13]:  # in front of an atom, in it, on it, behind it
        assert np.mean(scores < cut) == pytest.approx(law.mass_below(cut), abs=0.005)
    assert law.mass_below(middle) == lower  # a score on the cut belongs to the right
    with pytest.raises(ValueError, match="two inside one atom"):
        law.exact_errors([0.09, 0.095], [0.1, 0.2, 0.3])


def test_rings():
    X, labels = rings(2001, np.random.default_rng(0))
    radius = np.hypot(*X.T)
    assert X.shape == (2001, 2) and labels.sum() == 1001
    assert radius[labels == 0].max() <= 2 <= radius[labels == 1].min() <= 4
    assert radius[labels == 0].mean() == pytest.approx(1, abs=0.06)
    assert np.abs(X.mean(axis=0)).max() < 0.2
    with pytest.raises(ValueError, match="n must be an integer of at least 2"):
        rings(1, np.random.default_rng(0))
