"""Tests of calibration: statistics by definition, size and power by simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import chi2, kstwobign, norm

from calib.kernels.logistic import fit_logistic
from calib.metrics import reliability_curve
from calibkit.inference import (
    change_test,
    hosmer_lemeshow_test,
    kuiper_error,
    kuiper_test,
    spiegelhalter_test,
)
from calibkit.inference.significance import OVERSHOOT, brownian_range_tail
from calibkit.streams import SequentialCalibrationTest

TESTS = [spiegelhalter_test, hosmer_lemeshow_test, kuiper_test]
each_test = pytest.mark.parametrize("test", TESTS, ids=lambda t: t.__name__)
seeds = st.integers(0, 10**6)


def sample(n=300, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, n)
    labels = (rng.random(n) < p).astype(int)
    return labels, p if decimals is None else p.round(decimals).clip(0.05, 0.95)


# Definitions


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 100), seeds, st.sampled_from([None, 1]))
def test_statistics_by_definition(n, seed, decimals):
    labels, p = sample(n, seed, decimals)
    deviation = np.sqrt(np.sum((1 - 2 * p) ** 2 * p * (1 - p)))
    if deviation > 0:
        z = np.sum((labels - p) * (1 - 2 * p)) / deviation
        result = spiegelhalter_test(labels, p, null="asymptotic")
        assert result == pytest.approx((z, 2 * norm.sf(abs(z))), abs=1e-9)
    curve = reliability_curve(labels, p, n_bins=4)
    expected = curve.counts * curve.predicted
    gap = (curve.positives - expected) ** 2
    statistic = np.sum(gap / expected + gap / (curve.counts - expected))  # positives, negatives
    for in_sample in (False, True):
        freedom = curve.counts.size - 2 * in_sample
        if freedom > 0:
            how = {"in_sample": in_sample, "null": "asymptotic"}
            result = hosmer_lemeshow_test(labels, p, n_bins=4, **how)
            assert result == pytest.approx((statistic, chi2.sf(statistic, freedom)), abs=1e-9)
    result = kuiper_test(labels, p)
    assert result.statistic == pytest.approx(
        n * kuiper_error(labels, p) / np.sqrt(np.sum(p * (1 - p)))
    )


def test_the_tail_of_the_range_of_brownian_motion():
    for x in [1.4999, 1.5001]:  # the two series meet
        k = np.arange(1, 100)
        series = 8 * np.sum((-1.0) ** (k - 1) * k * norm.sf(k * x))
        assert brownian_range_tail(x) == pytest.approx(series, abs=1e-12)
    assert brownian_range_tail(0) == 1 == brownian_range_tail(1e-3)
    grid = [brownian_range_tail(x) for x in np.linspace(0, 8, 200)]
    assert np.all(np.diff(grid) <= 1e-15) and grid[-1] < 1e-10
    rng = np.random.default_rng(0)
    paths = np.cumsum(rng.normal(size=(4000, 1000)), axis=1) / np.sqrt(1000)
    ranges = np.maximum(paths.max(axis=1), 0) - np.minimum(paths.min(axis=1), 0)
    ranges += 2 * 0.5826 / np.sqrt(1000)  # a walk misses the ends of the motion
    for x in [1.2, 1.6, 2.2]:
        share = brownian_range_tail(x)
        error = (share * (1 - share) / 4000) ** 0.5
        assert np.mean(ranges > x) == pytest.approx(share, abs=3 * error)


# Size and power


SIZE_DRAWS = 4000
WITHIN = 3 * math.sqrt(0.05 * 0.95 / SIZE_DRAWS)  # three standard errors: 0.0103


@each_test
@pytest.mark.parametrize("n", [200, 2000])
@pytest.mark.parametrize("law", ["uniform", "low"])
@pytest.mark.slow
def test_calibrated_predictions_are_rejected_once_in_twenty(test, n, law):
    rng = np.random.default_rng([n, len(law)])
    rejected = 0
    for _ in range(SIZE_DRAWS):
        p = rng.random(n) if law == "uniform" else rng.uniform(0.05, 0.35, n)
        rejected += test(rng.random(n) < p, p).p_value <= 0.05
    assert rejected / SIZE_DRAWS == pytest.approx(0.05, abs=WITHIN)


@pytest.mark.parametrize("n", [200, 2000])
@pytest.mark.slow
def test_fitted_predictions_need_two_degrees_of_freedom_less(n):
    """And new ones do not: K - 2 rejects calibrated predictions too often, K fitted ones seldom."""
    rng = np.random.default_rng(n)
    fitted, fitted_wrong, new_wrong = 0, 0, 0
    for _ in range(SIZE_DRAWS):
        x = rng.normal(size=n)
        labels = rng.random(n) < expit(x)
        sample = x[np.newaxis], labels, np.ones(n)
        level, (slope,), *_ = fit_logistic(*sample, (0.0, 0.0), np.zeros(2))
        p = expit(slope * x + level)
        fitted += hosmer_lemeshow_test(labels, p, in_sample=True).p_value <= 0.05
        fitted_wrong += hosmer_lemeshow_test(labels, p).p_value <= 0.05
        new_wrong += hosmer_lemeshow_test(labels, expit(x), in_sample=True).p_value <= 0.05
    assert fitted / SIZE_DRAWS == pytest.approx(0.05, abs=WITHIN)
    assert fitted_wrong / SIZE_DRAWS < 0.05 - WITHIN
    assert new_wrong / SIZE_DRAWS > 0.05 + WITHIN


@pytest.mark.slow
@each_test
def test_overconfidence_is_found(test):
    rng = np.random.default_rng(0)
    found = {}
    for n in (200, 2000):
        truth = rng.uniform(0.1, 0.9, (200, n))
        labels = rng.random((200, n)) < truth
        p = expit(1.6 * logit(truth))
        found[n] = np.mean([test(z, q).p_value <= 0.05 for z, q in zip(labels, p, strict=True)])
    assert found[200] > 0.1 and found[2000] > 0.95


def test_what_one_test_misses_another_finds():
    """The same bias on both sides of 1/2, which leaves the Brier score as expected."""
    rng = np.random.default_rng(0)
    rejected = np.zeros(2)
    for _ in range(200):
        p = rng.random(1000)
        labels = rng.random(1000) < p + 0.1 * ((p > 0.1) & (p < 0.9))
        rejected += [t(labels, p).p_value <= 0.05 for t in (spiegelhalter_test, kuiper_test)]
    assert rejected[0] < 40 and rejected[1] > 190


def test_an_impossible_outcome_ends_the_matter():
    for labels, p in [([0, 1], [0.5, 0.0]), ([1, 0], [0.5, 1.0])]:
        test = SequentialCalibrationTest().update(labels, p)
        assert test.p_value == 0 and test.update([0], [0.5]).p_value == 0
        for one_off in TESTS:
            assert one_off(labels, p) == (np.inf, 0.0)


def test_certain_predictions_that_come_true_prove_nothing():
    for test in TESTS:
        assert test([0, 1, 1], [0.0, 1.0, 1.0]).p_value == 1
    test = SequentialCalibrationTest().update([0, 1], [0.0, 1.0]).update([0, 1], [0.0, 1.0])
    assert test.log_e_value == pytest.approx(0, abs=1e-9)
    assert spiegelhalter_test([0, 1, 1], [0.5, 0.5, 0.5]) == (0, 1)


# Weights and input


@each_test
@settings(max_examples=20, deadline=None)
@given(n=st.integers(2, 60), seed=seeds, decimals=st.sampled_from([None, 1]))
def test_an_integer_weight_is_that_many_copies(test, n, seed, decimals):
    labels, p = sample(n, seed, decimals)
    copies = np.random.default_rng(seed).integers(0, 4, n)
    copies[0] += 1
    weighted = test(labels, p, sample_weight=copies)
    repeated = test(np.repeat(labels, copies), np.repeat(p, copies))
    assert weighted == pytest.approx(repeated, abs=1e-9)


@pytest.mark.parametrize(
    "test",
    [*TESTS, lambda *sample, **w: SequentialCalibrationTest().update(*sample, **w)],
    ids=["spiegelhalter", "hosmer_lemeshow", "kuiper", "sequential"],
)
def test_bad_input_is_refused_by_name(test):
    for labels, p, message in [
        ([0, 1], [0.5, np.nan], "probabilities must be finite"),
        ([0, 1], [0.5, 1.5], r"probabilities must lie in \[0, 1\]"),
        ([0, 2], [0.5, 0.5], "labels must be 0/1"),
        ([], [], "probabilities is empty"),
    ]:
        with pytest.raises(ValueError, match=message):
            test(labels, p)
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        test([0, 1], [0.1, 0.9], sample_weight=[1, -1])


def test_weights_that_sum_to_one_are_warned_of():
    with pytest.warns(UserWarning, match="sample_weight sums to 1"):
        SequentialCalibrationTest().update([0, 1], [0.1, 0.9], sample_weight=[0.5, 0.5])


def test_degrees_of_freedom_are_needed():
    with pytest.raises(ValueError, match="n_bins must give three bins or more"):
        hosmer_lemeshow_test([0, 1, 1], [0.3, 0.3, 0.4], in_sample=True)
    with pytest.raises(ValueError, match="in_sample must be True or False"):
        hosmer_lemeshow_test([0, 1, 1], [0.3, 0.3, 0.4], in_sample="yes")


# A change along the rows


def test_the_change_test_by_definition():
    values = np.random.default_rng(0).normal(size=50)
    found = change_test(values)
    apart = [abs(values[:k].mean() - values[k:].mean()) * k * (50 - k) / 50 for k in range(1, 50)]
    assert found.row == 1 + np.argmax(apart)
    assert found.statistic == pytest.approx(max(apart) / (values.std() * np.sqrt(50)))
    corrected = found.statistic + OVERSHOOT / np.sqrt(50)
    assert found.p_value == pytest.approx(kstwobign.sf(corrected))
    assert change_test([3, 3, 3]) == change_test([7]) == (0.0, 1.0, 0)
    with pytest.raises(ValueError, match="values must be finite"):
        change_test([0, np.nan])


def test_the_change_test_alarms_as_seldom_as_it_says_and_finds_a_change():
    rng = np.random.default_rng(0)
    constant = [change_test(rng.random(300) < 0.3).p_value <= 0.05 for _ in range(400)]
    assert np.mean(constant) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    few = [change_test(rng.normal(size=20)).p_value <= 0.05 for _ in range(2000)]
    assert abs(np.mean(few) - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 2000)
    rate = np.where(np.arange(600) < 400, 0.2, 0.45)
    found = [change_test(rng.random(600) < rate) for _ in range(50)]
    assert all(test.p_value < 0.01 for test in found)
    assert abs(np.median([test.row for test in found]) - 400) < 20
