"""Errors without bins, debiased and sweeping bins: against brute force, and under known truths."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import expit, logit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from calib.metrics import expected_calibration_error, reliability_curve
from calibkit.inference import (
    averaged_two_bin_error,
    calibration_test,
    debiased_squared_error,
    integrated_calibration_index,
    kuiper_error,
    recalibration_line,
    smooth_calibration_error,
    smooth_ece,
    sweep_calibration_error,
)
from calibkit.inference.total_variation import least_total_variation

ERRORS = [
    integrated_calibration_index,
    kuiper_error,
    smooth_calibration_error,
    smooth_ece,
    sweep_calibration_error,
]
seeds = st.integers(0, 10**6)
sizes = st.integers(8, 60)
roundings = st.sampled_from([None, 1])


def sample(n=300, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.06, 0.94, n)
    if decimals is not None:
        p = p.round(decimals)
    labels = (rng.random(n) < expit(0.6 * logit(p) + rng.normal())).astype(int)
    labels[:2], p[:4], labels[2:4] = [0, 1], [0.4, 0.4, 0.6, 0.6], [0, 1]  # a finite line
    return labels, p


def random_weights(n, seed, weighted):
    return np.random.default_rng(seed).exponential(size=n) if weighted else np.ones(n)


# Definitions


@settings(max_examples=60, deadline=None)
@given(sizes, seeds, roundings, st.booleans())
def test_the_kuiper_error_by_all_intervals(n, seed, decimals, weighted):
    labels, p = sample(n, seed, decimals)
    weights = random_weights(n, seed, weighted)
    residuals = weights * (labels - p) / weights.sum()
    largest = max(
        abs(residuals[(a <= p) & (p <= b)].sum()) for a in p for b in p if a <= b
    )  # fmt: skip
    assert kuiper_error(labels, p, sample_weight=weights) == pytest.approx(largest, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(sizes, seeds, roundings, st.booleans())
def test_the_averaged_two_bin_error_by_its_integral(n, seed, decimals, weighted):
    labels, p = sample(n, seed, decimals)
    weights = random_weights(n, seed, weighted)
    residuals = weights * (labels - p) / weights.sum()
    cuts = np.unique([0, *p, 1])  # between them the two bins stay as they are
    integral = sum(
        (end - start) * (residuals[p <= start].sum() ** 2 + residuals[p > start].sum() ** 2)
        for start, end in zip(cuts[:-1], cuts[1:], strict=True)
    )
    assert averaged_two_bin_error(labels, p, sample_weight=weights) == pytest.approx(integral)


def mean_two_bin_error(truth, said):
    """Mean over all outcomes of independent rows, weighted by their probabilities."""
    outcomes = np.array(list(product([0, 1], repeat=truth.size)))
    chances = np.prod(np.where(outcomes == 1, truth, 1 - truth), axis=1)
    return chances @ [averaged_two_bin_error(labels, said) for labels in outcomes]


def test_no_lie_beats_the_truth_in_the_averaged_two_bin_error():
    rng = np.random.default_rng(0)
    for _ in range(10):
        truth = rng.random(6)
        honest = mean_two_bin_error(truth, truth)
        assert honest == pytest.approx(np.sum(truth * (1 - truth)) / truth.size**2)
        lies = [np.full(6, truth.mean()), truth.round(1), *rng.random((8, 6))]
        lies += [np.clip(truth + rng.normal(scale=0.01, size=6), 0, 1) for _ in range(4)]
        assert min(mean_two_bin_error(truth, lie) for lie in lies) >= honest - 1e-12


def test_the_averaged_two_bin_error_is_a_statistic_of_the_exact_test():
    rng = np.random.default_rng(0)
    p = rng.random(400)
    for labels, calibrated in [(rng.random(400) < p, True), (rng.random(400) < p**2, False)]:
        found = calibration_test(labels, p, statistic=averaged_two_bin_error, n_resamples=99)
        assert (found[averaged_two_bin_error].p_value > 0.05) == calibrated


def chain_program(scores, residuals):
    """The largest inner product of the residuals with an allowed witness, by linear programming."""
    n = scores.size
    steps = np.diff(np.eye(n), axis=0)
    constraints = np.concatenate([steps, -steps])
    limits = np.tile(np.diff(scores), 2)
    program = {"A_ub": constraints, "b_ub": limits} if n > 1 else {}
    return -linprog(-residuals, **program, bounds=(-1, 1)).fun


@settings(max_examples=60, deadline=None)
@given(sizes, seeds, roundings, st.booleans())
def test_the_smooth_calibration_error_by_linear_programming(n, seed, decimals, weighted):
    labels, p = sample(n, seed, decimals)
    weights = random_weights(n, seed, weighted)
    scores = np.unique(p)
    residuals = np.array([(weights * (labels - p))[p == s].sum() for s in scores]) / weights.sum()
    expected = chain_program(scores, residuals)
    assert smooth_calibration_error(labels, p, sample_weight=weights) == pytest.approx(expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 25), seeds, st.sampled_from([1e-3, 0.1, 1, 10]))
def test_the_least_total_variation_of_any_path(n, seed, size):
    rng = np.random.default_rng(seed)
    scores, residuals = np.sort(rng.exponential(size=n)), size * rng.normal(size=n)
    ours = least_total_variation(np.cumsum(residuals), np.diff(scores))
    assert ours == pytest.approx(chain_program(scores, residuals), abs=1e-9 * size)


def smoothed_error(labels, p, weights, width):
    """The integral of the smoothed residuals by quadrature, with images beyond 0 and 1."""
    t = (np.arange(20_000) + 0.5) / 20_000
    images = np.concatenate([sign * p + 2 * shift for shift in (-1, 0, 1) for sign in (1, -1)])
    residuals = np.tile(weights * (labels - p), 6) / weights.sum()
    return np.abs(norm.pdf(t[:, None], images, width) @ residuals).mean()


@settings(max_examples=15, deadline=None)
@given(st.integers(8, 40), seeds, roundings, st.booleans())
def test_the_smooth_ece_is_the_width_at_which_it_equals_the_error(n, seed, decimals, weighted):
    labels, p = sample(n, seed, decimals)
    weights = random_weights(n, seed, weighted)
    width = smooth_ece(labels, p, sample_weight=weights)
    if width > 0.003:
        assert smoothed_error(labels, p, weights, width) == pytest.approx(width, rel=1e-4)


@settings(max_examples=30, deadline=None)
@given(st.integers(8, 80), seeds, roundings, st.booleans())
def test_the_line_by_scikit_learn(n, seed, decimals, weighted):
    labels, p = sample(n, seed, decimals)
    weights = random_weights(n, seed, weighted)
    line = recalibration_line(labels, p, sample_weight=weights)
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000, solver="newton-cholesky")
    model.fit(logit(p)[:, None], labels, weights)
    assert line.slope == pytest.approx(model.coef_[0, 0], rel=1e-5, abs=1e-5)
    assert line.intercept == pytest.approx(model.intercept_[0], rel=1e-5, abs=1e-5)
    shifted = expit(logit(p) + line.in_the_large)
    assert weights @ shifted == pytest.approx(weights @ labels, rel=1e-9)


def loess(x, p, labels, weights):
    """Local quadratic regression at x, row by row."""
    distances = np.abs(p - x)
    order = np.argsort(distances)
    width = distances[order][np.cumsum(weights[order]) >= 0.75 * weights.sum() - 1e-9][0]
    kernel = weights * np.clip(1 - (distances / width) ** 3, 0, None) ** 3
    return np.polyval(np.polyfit(p - x, labels, 2, w=np.sqrt(kernel)), 0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [None, 2])
def test_the_calibration_index_by_local_regressions_of_rows(weighted, decimals):
    labels, p = sample(150, 5, decimals)
    weights = random_weights(150, 0, weighted)
    curve = np.array([loess(x, p, labels, weights) for x in p])
    expected = np.average(np.abs(curve - p), weights=weights)
    index = integrated_calibration_index(labels, p, sample_weight=weights)
    assert index == pytest.approx(expected, rel=1e-6)


def test_pooling_hardly_changes_the_calibration_index():
    labels, p = sample(1500)
    curve = np.array([loess(x, p, labels, np.ones(1500)) for x in p])
    assert integrated_calibration_index(labels, p) == pytest.approx(
        np.abs(curve - p).mean(), rel=1e-3
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(3, 80), seeds, roundings)
def test_the_sweep_ends_before_the_first_fraction_that_falls(n, seed, decimals):
    rng = np.random.default_rng(seed)
    p = rng.random(n) if decimals is None else rng.random(n).round(decimals)
    labels = rng.random(n) < p
    expected, finest = None, np.unique(p).size
    for n_bins in range(1, 40 * n):
        curve = reliability_curve(labels, p, n_bins=n_bins)
        if np.any(np.diff(curve.observed) < -1e-12):
            break
        expected = curve.ece
        if curve.counts.size == finest:
            break
    assert sweep_calibration_error(labels, p) == pytest.approx(expected, abs=1e-12)


def test_a_sweep_over_separated_classes_takes_every_prediction():
    p = np.arange(1, 20_001) / 20_001
    assert sweep_calibration_error(p > 0.5, p) == pytest.approx(np.mean(np.abs((p > 0.5) - p)))


def test_the_debiased_error_is_right_on_average():
    """Over 4000 samples of ten bins of five points; the plain one is far too large."""
    rng = np.random.default_rng(0)
    p = np.repeat(np.linspace(0.1, 0.9, 10), 5)
    truth = np.clip(p**1.5, 0, 1)
    values, plain = [], []
    for _ in range(4000):
        labels = rng.random(50) < truth
        values.append(debiased_squared_error(labels, p))
        curve = reliability_curve(labels, p)
        plain.append(np.mean((curve.observed - curve.predicted) ** 2))
    expected = np.mean((truth - p) ** 2)
    error = np.std(values) / np.sqrt(len(values))
    assert np.mean(values) == pytest.approx(expected, abs=3 * error)
    assert np.mean(plain) > expected + 10 * error


def test_a_bin_of_one_point_has_no_variance():
    with pytest.raises(ValueError, match="n_bins must leave more than one point in each bin"):
        debiased_squared_error([0, 1, 1], [0.1, 0.5, 0.9], n_bins=3)


def test_the_cube_root_rule_counts_points_or_their_weight():
    labels, p = sample(1000)
    for measure in (expected_calibration_error, debiased_squared_error):
        for strategy in ("quantile", "uniform"):
            asked = measure(labels, p, n_bins="cube_root", strategy=strategy)
            assert asked == measure(labels, p, n_bins=10, strategy=strategy)
    weights = np.full(1000, 8)
    assert reliability_curve(labels, p, n_bins="cube_root", sample_weight=weights).counts.size == 20
    with pytest.raises(ValueError, match="n_bins must be one of 'cube_root'; found 'auto'"):
        expected_calibration_error(labels, p, n_bins="auto")


# What the errors are for


def test_the_smooth_calibration_error_is_continuous_and_binned_errors_are_not():
    labels = np.arange(1000) % 2
    p = 0.5 + np.where(labels, -1, 1) * 1e-9
    assert smooth_calibration_error(labels, p) < 1e-8
    assert smooth_ece(labels, p) < 1e-3
    assert expected_calibration_error(labels, p) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.__name__)
def test_errors_of_a_known_bias(error):
    """Every prediction too low by a tenth: all errors are a tenth, except for chance."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.8, 40_000)
    value = error(rng.random(40_000) < p + 0.1, p)
    assert value == pytest.approx(0.1, abs=0.012)
    assert error(rng.random(40_000) < p, p) < 0.02


def test_a_line_is_refused_where_none_fits():
    for labels, p, message in [
        ([0, 1, 0], [0.0, 0.5, 1.0], "strictly between 0 and 1; found 0.0 in 2 rows.*np.clip"),
        ([1, 1, 1], [0.1, 0.5, 0.9], "labels holds one class only"),
        ([0, 0, 1], [0.1, 0.5, 0.9], "separate the classes"),
        ([1, 1, 0], [0.1, 0.5, 0.9], "separate the classes"),
        ([1, 0, 0], [0.5, 0.5, 0.5], "all equal"),
    ]:
        with pytest.raises(ValueError, match=message):
            recalibration_line(labels, p)


# Weights and input


ALL = [*ERRORS, debiased_squared_error, recalibration_line]
each_error = pytest.mark.parametrize("error", ALL, ids=lambda e: e.__name__)


@each_error
@settings(max_examples=20, deadline=None)
@given(n=sizes, seed=seeds, decimals=roundings)
def test_an_integer_weight_is_that_many_copies(error, n, seed, decimals):
    labels, p = sample(n, seed, decimals)
    rng = np.random.default_rng(seed)
    copies = rng.integers(0, 4, n)
    copies[:4] += 1
    options = {"n_bins": 2} if error is debiased_squared_error else {}
    order = rng.permutation(copies.sum())
    weighted = error(labels, p, sample_weight=copies, **options)
    repeated = error(np.repeat(labels, copies)[order], np.repeat(p, copies)[order], **options)
    tolerance = 1e-7 if error in [integrated_calibration_index, recalibration_line] else 1e-9
    np.testing.assert_allclose(weighted, repeated, rtol=0, atol=tolerance)


@each_error
def test_bad_input_is_refused_by_name(error):
    for labels, p, message in [
        ([0, 1], [0.5, np.nan], "probabilities must be finite"),
        ([0, 1], [0.5, 1.5], r"probabilities must lie in \[0, 1\]"),
        ([0, 2], [0.5, 0.5], "labels must be 0/1"),
        ([], [], "probabilities is empty"),
    ]:
        with pytest.raises(ValueError, match=message):
            error(labels, p)
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        error([0, 1], [0.1, 0.9], sample_weight=[1, -1])


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.__name__)
def test_errors_of_extreme_samples(error):
    assert error([0, 1], [0.0, 1.0]) == pytest.approx(0, abs=1e-12)
    for labels, p in [([1], [0.3]), ([0], [0.0]), ([1, 1, 0], [5e-324, 0.5, 1.0])]:
        for weights in (None, [1e-170] * len(p), [1e140] * len(p)):
            assert 0 <= error(labels, p, sample_weight=weights) <= 1 + 1e-9
