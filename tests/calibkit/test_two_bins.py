"""The test and the limits of the averaged two-bin error."""

import numpy as np
import pytest
from scipy.stats import binom

from calibkit.inference import (
    averaged_two_bin_error,
    averaged_two_bin_interval,
    calibration_test,
)
from calibkit.inference.two_bins import _squared_noise_quantile

CURVES = {  # true probabilities of predictions p
    "calibrated": lambda p: p,
    "squared": np.square,
    "nearly calibrated": lambda p: np.minimum(p + 0.02, 1),
}


def true_error(p, truth):
    """The mean of r_i r_j (1 - |p_i - p_j|) over all pairs, for r = truth - p."""
    bias = truth - p
    return bias @ (1 - np.abs(np.subtract.outer(p, p))) @ bias / p.size**2


def test_the_error_is_a_mean_over_pairs():
    rng = np.random.default_rng(0)
    p = rng.random(50).round(1)
    labels = rng.integers(0, 2, 50)
    assert averaged_two_bin_error(labels, p) == pytest.approx(true_error(p, labels))


def test_the_statistic_of_the_test_is_the_error():
    rng = np.random.default_rng(0)
    p = rng.random(300).round(2)
    labels = (rng.random(300) < p**1.3).astype(int)
    found = calibration_test(
        labels, p, statistic=["averaged_two_bin", averaged_two_bin_error], n_resamples=50
    )
    quick, slow = found.values()
    assert quick.estimate == pytest.approx(averaged_two_bin_error(labels, p))
    np.testing.assert_allclose(quick.draws, slow.draws)


def test_the_test_has_its_level_and_finds_errors():
    rng = np.random.default_rng(1)
    rejections = dict.fromkeys(CURVES, 0)
    for name, curve in CURVES.items():
        for _ in range(300):
            p = rng.random(200)
            labels = rng.random(200) < curve(p)
            found = calibration_test(labels, p, statistic="averaged_two_bin", n_resamples=99)
            rejections[name] += found["averaged_two_bin"].p_value <= 0.05
    assert binom.ppf(0.001, 300, 0.05) <= rejections["calibrated"] <= binom.ppf(0.999, 300, 0.05)
    assert rejections["squared"] > 290


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("n", [50, 400])
def test_the_limits_hold_in_19_of_20_samples(n, name):
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(400):
        p = rng.random(n)
        truth = CURVES[name](p)
        limits = averaged_two_bin_interval(rng.random(n) < truth, p)
        held += limits.lower <= true_error(p, truth) + 1e-15 <= limits.upper + 1e-15
    assert held >= binom.ppf(0.001, 400, 0.95)


def test_weights_are_copies():
    rng = np.random.default_rng(0)
    p, labels, counts = rng.random(40), rng.integers(0, 2, 40), rng.integers(0, 4, 40)
    weighted = averaged_two_bin_interval(labels, p, sample_weight=counts)
    copied = averaged_two_bin_interval(np.repeat(labels, counts), np.repeat(p, counts))
    np.testing.assert_allclose(weighted, copied)


def test_a_certain_forecast_that_is_right_has_no_error():
    assert averaged_two_bin_interval([0, 1, 1], [0, 1, 1]) == (0, 0, 0, 0)


def test_the_quantile_of_the_noise_is_that_of_drawn_noise():
    rng = np.random.default_rng(0)
    p = np.sort(rng.random(60))
    variances = rng.random(60)
    noise = rng.normal(size=(20_000, 60)) * np.sqrt(variances)
    squared = np.einsum("ki,ij,kj->k", noise, 1 - np.abs(np.subtract.outer(p, p)), noise)
    found = _squared_noise_quantile(p, variances, 0.95)
    assert np.mean(squared <= found) == pytest.approx(0.95, abs=0.01)
