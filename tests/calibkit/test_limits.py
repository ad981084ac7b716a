"""Limits of measures: against definitions, other programs, brute force and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import binom, binomtest, norm

from calib.metrics import brier_score_loss, reliability_curve
from calibkit.inference import (
    binomial_limits,
    bootstrap_interval,
    calibration_by_group,
    confidence_band,
    decision_gains,
    detectable_bias,
    kuiper_error,
    kuiper_interval,
    kuiper_range,
    kuiper_test,
    mean_interval,
    recalibration_intervals,
    recalibration_line,
    worst_range,
)
from calibkit.inference.kuiper import brownian_range_quantile
from calibkit.inference.significance import brownian_range_tail

ON_ROWS = [
    kuiper_interval,
    kuiper_range,
    recalibration_intervals,
    worst_range,
    decision_gains,
    lambda labels, scores, **how: calibration_by_group(labels, scores, np.ones(len(labels)), **how),
]
WITH_CONFIDENCE = [f for f in ON_ROWS if f not in (kuiper_range, worst_range)]


def drawn(n=300, seed=0, slope=1.0, decimals=None):
    """Outcomes, and scores whose log-odds are `slope` times the true ones."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(1, 2, n)
    scores = expit(slope * logit(truth))
    return rng.random(n) < truth, scores if decimals is None else scores.round(decimals)


def numbers(found):
    """All numbers of a result, in one array."""
    if isinstance(found, dict):
        found = tuple(found.values())
    return np.hstack([numbers(part) for part in found]) if isinstance(found, tuple) else found


# All of them


@pytest.mark.parametrize("function", ON_ROWS)
def test_weights_are_copies_and_a_row_of_weight_zero_is_not_there(function):
    labels, scores = drawn(120, slope=1.5)
    scores = scores.clip(0.02, 0.98).round(2)
    weights = np.random.default_rng(1).integers(0, 4, 120)
    weighted = function(labels, scores, sample_weight=weights)
    copied = function(np.repeat(labels, weights), np.repeat(scores, weights))
    np.testing.assert_allclose(numbers(weighted), numbers(copied), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("function", ON_ROWS)
def test_the_order_of_the_rows_does_not_matter(function):
    labels, scores = drawn(200, slope=1.5, decimals=3)
    scores = scores.clip(0.02, 0.98)
    order = np.random.default_rng(1).permutation(200)
    one, other = function(labels, scores), function(labels[order], scores[order])
    np.testing.assert_allclose(numbers(one), numbers(other), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("function", ON_ROWS)
def test_bad_input_is_refused_by_name(function):
    for labels, scores, how, name in (
        ([0, 2], [0.1, 0.2], {}, "labels"),
        ([0, 1, 1], [0.1, 0.2], {}, "labels"),
        ([0, 1], [0.1, 1.2], {}, "probabilities"),
        ([0, 1], [0.1, np.nan], {}, "probabilities"),
        ([0, 1], [0.1, 0.2], {"sample_weight": [1, -1]}, "sample_weight"),
    ):
        with pytest.raises(ValueError, match=name):
            function(labels, scores, **how)


@pytest.mark.parametrize("function", WITH_CONFIDENCE)
@pytest.mark.parametrize("confidence", [0, 1, "high"])
def test_a_confidence_that_is_none(function, confidence):
    with pytest.raises(ValueError, match="confidence"):
        function([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], confidence=confidence)


# Shares


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 500), st.data(), st.sampled_from([0.5, 0.95, 0.999]))
def test_limits_of_a_share_are_those_of_the_exact_test(n, data, confidence):
    hits = data.draw(st.integers(0, n))
    expected = binomtest(hits, n).proportion_ci(confidence)
    found = binomial_limits(hits, n, confidence=confidence)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    lower, upper = found
    tail = (1 - confidence) / 2
    assert hits == 0 or binom.sf(hits - 1, n, lower) == pytest.approx(tail)
    assert hits == n or binom.cdf(hits, n, upper) == pytest.approx(tail)


def test_limits_of_shares_that_are_wrong_or_huge():
    for positives, counts, name in ((1, 0, "counts"), (3, 2, "positives"), (-1, 2, "positives")):
        with pytest.raises(ValueError, match=name):
            binomial_limits(positives, counts)
    with pytest.raises(ValueError, match="confidence"):
        binomial_limits(1, 2, confidence=1)
    lower, upper = binomial_limits([1e17, 3e18], [4e17, 4e18])
    assert np.all(lower <= [0.25, 0.75]) and np.all(upper >= [0.25, 0.75])


def test_bins_and_bands_have_these_limits():
    labels, scores = drawn(200)
    curve = reliability_curve(labels, scores, confidence=0.9)
    limits = binomial_limits(curve.positives, curve.counts, confidence=0.9)
    np.testing.assert_array_equal([curve.lower, curve.upper], limits)
    band = confidence_band(labels[:9] | True, np.full(9, 0.5))  # of one group: a pair of limits
    assert band.lower[0] == pytest.approx(binomial_limits(9, 9)[0])


# Means


def test_the_interval_of_a_mean_by_definition_and_beside_the_bootstrap():
    labels, scores = drawn(400)
    losses = np.square(labels - scores)
    found = mean_interval(losses, confidence=0.9)
    error = losses.std(ddof=1) / 20
    reach = norm.ppf(0.95) * error
    expected = (losses.mean(), losses.mean() - reach, losses.mean() + reach, error)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert bootstrap_interval(brier_score_loss, labels, scores).error == pytest.approx(
        error, rel=0.1
    )


def test_the_interval_of_a_mean_with_weights_of_one_row_and_of_no_numbers():
    values, weights = np.array([0.5, 2.0, -1.0, 7.0]), [1, 3, 2, 0]
    one = mean_interval(values, sample_weight=weights)
    np.testing.assert_allclose(one, mean_interval(np.repeat(values, weights)), rtol=1e-12)
    assert mean_interval([0.3]) == (0.3, -np.inf, np.inf, np.inf)
    with pytest.raises(ValueError, match="values must be finite"):
        mean_interval([np.inf])
    with pytest.raises(ValueError, match="sample_weight has 1 rows but values has 2"):
        mean_interval([1, 2], sample_weight=[1])


# The Kuiper error


def test_the_kuiper_interval_by_definition():
    labels, scores = drawn(300, slope=2)
    found = kuiper_interval(labels, scores, confidence=0.9)
    assert found.estimate == kuiper_error(labels, scores)
    assert found.error == pytest.approx(math.sqrt(brier_score_loss(labels, scores) / 300))
    reach = found.upper - found.estimate
    assert brownian_range_tail(reach / found.error) == pytest.approx(0.1)
    assert found.lower == pytest.approx(max(found.estimate - reach, 0))


@pytest.mark.parametrize("confidence", [1e-3, 0.5, 0.95, 1 - 1e-9])
def test_the_critical_range_is_the_quantile(confidence):
    assert brownian_range_tail(brownian_range_quantile(confidence)) == pytest.approx(1 - confidence)


@pytest.mark.slow
@pytest.mark.parametrize("slope", [1, 1.3])
def test_limits_of_the_kuiper_error_hold_calibrated_or_not(slope):
    held = 0
    for seed in range(300):
        labels, scores = drawn(300, seed, slope)
        order = np.argsort(scores)
        bias = expit(logit(scores[order]) / slope) - scores[order]
        truth = np.ptp(np.append(0, np.cumsum(bias))) / 300
        _, lower, upper, _ = kuiper_interval(labels, scores)
        held += lower <= truth <= upper
    assert held / 300 > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 300)


def test_limits_of_the_kuiper_error_hold_for_calibrated_scores_of_rare_positives():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(200):
        scores = 0.002 * rng.uniform(0.5, 1.5, 1000)
        held += kuiper_interval(rng.random(1000) < scores, scores).lower == 0
    assert held >= 190


def test_the_worst_range_holds_the_kuiper_error_and_no_other_range_more():
    labels, scores = drawn(60, slope=3, decimals=2)
    worst = kuiper_range(labels, scores)
    error = abs(worst.observed - worst.predicted) * worst.count / 60
    assert error == pytest.approx(kuiper_error(labels, scores))
    inside = (scores >= worst.lowest) & (scores <= worst.highest)
    assert inside.sum() == worst.count
    ends = np.unique(scores)
    by_force = max(
        abs(np.sum((labels - scores)[(scores >= a) & (scores <= b)])) / 60
        for a in ends
        for b in ends
    )
    assert error == pytest.approx(by_force)


def test_the_worst_range_where_no_residual_is_left():
    assert kuiper_range([0, 1, 1], [0.0, 1.0, 1.0]) == (0.0, 1.0, 3.0, 2 / 3, 2 / 3)


def test_a_detectable_bias_is_detected():
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.2, 0.6, 500)
    bias = detectable_bias(scores)
    outcomes = rng.random((200, 500)) < scores + bias
    found = sum(kuiper_test(labels, scores).p_value <= 0.05 for labels in outcomes)
    assert found / 200 > 0.8 - 2 * np.sqrt(0.16 / 200)
    assert detectable_bias(np.tile(scores, 4)) == pytest.approx(bias / 2)
    assert detectable_bias(scores, sample_weight=np.full(500, 4)) == pytest.approx(bias / 2)
    assert detectable_bias(scores, power=0.5) < bias < detectable_bias(scores, confidence=0.99)
    with pytest.raises(ValueError, match="power"):
        detectable_bias(scores, power=1)


# The recalibration line


def test_limits_of_the_line_by_definition():
    labels, scores = drawn(300, slope=2)
    found = recalibration_intervals(labels, scores, confidence=0.9)
    line = recalibration_line(labels, scores)
    assert [interval.estimate for interval in found] == pytest.approx(list(line))
    design = np.stack([logit(scores), np.ones(300)], axis=1)
    fitted = expit(design @ line[:2])
    curvature = fitted * (1 - fitted)
    bread = np.linalg.inv(sum(c * np.outer(x, x) for c, x in zip(curvature, design, strict=True)))
    filling = sum(
        (z - q) ** 2 * np.outer(x, x) for z, q, x in zip(labels, fitted, design, strict=True)
    )
    errors = np.sqrt(np.diag(bread @ filling @ bread))
    assert [found.slope.error, found.intercept.error] == pytest.approx(errors.tolist())
    shifted = expit(logit(scores) + line.in_the_large)
    error = math.sqrt(np.sum((labels - shifted) ** 2)) / np.sum(shifted * (1 - shifted))
    assert found.in_the_large.error == pytest.approx(error)
    for estimate, lower, upper, error in found:
        assert [estimate - lower, upper - estimate] == pytest.approx([norm.ppf(0.95) * error] * 2)


@pytest.mark.slow
def test_limits_of_the_line_hold_for_a_bent_truth():
    found = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        scores = rng.beta(2, 3, 400)
        found.append(recalibration_intervals(rng.random(400) < 0.1 + 0.7 * scores**3, scores))
    estimates, *_, errors = np.transpose(found, (2, 1, 0))
    spread = estimates.std(axis=1, ddof=1)
    np.testing.assert_allclose(errors.mean(axis=1), spread, rtol=0.24)  # 3 errors of 80 draws


@pytest.mark.parametrize(
    ("labels", "scores", "word"),
    [([0, 1, 1], [0.0, 0.5, 0.6], "infinite"), ([0, 1], [0.2, 0.7], "separate")],
)
def test_no_line_no_limits(labels, scores, word):
    with pytest.raises(ValueError, match=word):
        recalibration_intervals(labels, scores)


# Groups


def test_groups_by_definition():
    labels, scores = drawn(200)
    groups = np.array(["b", "a", "a", "a"] * 50)
    labels[groups == "b"] = False
    found = calibration_by_group(labels, scores, groups)
    assert list(found) == ["a", "b"]
    here = groups == "a"
    rest, alone = found.values()
    assert (rest.count, rest.positives) == (150, labels[here].sum())
    assert rest.bias == pytest.approx(np.mean(labels[here] - scores[here]))
    p_value = kuiper_test(labels[here], scores[here]).p_value
    assert rest.p_value == pytest.approx(1 - (1 - p_value) ** 2)
    # exact limits of 0 of 50, at the level of one of two groups
    tail = (1 - 0.95**0.5) / 2
    assert alone.lower == pytest.approx(-alone.predicted)
    assert alone.upper == pytest.approx(1 - tail ** (1 / 50) - alone.predicted)


@pytest.mark.slow
def test_limits_and_p_values_hold_in_all_groups_at_once():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(8), 50)
    scores = rng.uniform(0.2, 0.8, 400)
    held = rejected = 0
    for _ in range(200):
        found = calibration_by_group(rng.random(400) < scores, scores, groups).values()
        held += all(group.lower <= 0 <= group.upper for group in found)
        rejected += any(group.p_value <= 0.05 for group in found)
    error = np.sqrt(0.05 * 0.95 / 200)
    assert held / 200 > 0.95 - 3 * error
    assert rejected / 200 < 0.05 + 3 * error


def test_groups_that_do_not_fit():
    with pytest.raises(ValueError, match="groups has 1 rows but probabilities has 2"):
        calibration_by_group([0, 1], [0.2, 0.7], ["a"])
    weighted = calibration_by_group(
        [0, 1, 0], [0.2, 0.7, 0.1], ["a", "a", "gone"], sample_weight=[1, 2, 0]
    )
    assert list(weighted) == ["a"] and weighted["a"].count == 3


# Gains


def worths(labels, scores, threshold):
    """What each row adds to the gain over the better default, times the number of rows."""
    worth = np.where(labels, 1, -threshold / (1 - threshold))
    return worth * (scores > threshold) - worth * (worth.mean() > 0)


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.6, 0.9])
def test_gains_are_means_over_rows(threshold):
    labels, scores = drawn(600_000)
    found = decision_gains(labels, scores, thresholds=[threshold], confidence=0.9)
    rows = worths(labels, scores, threshold)
    assert found.gain[0] == pytest.approx(rows.mean(), abs=1e-12)
    reach = norm.ppf(0.95) * rows.std(ddof=1) / np.sqrt(600_000)
    limits = rows.mean() + np.array([-reach, reach])
    assert [found.lower[0], found.upper[0]] == pytest.approx(limits, abs=0.05 * reach)


def test_limits_of_gains_by_definition():
    """Distances that two exact limits give, and the correlation of two shares of one sample."""
    labels, scores = drawn(150)
    for threshold in (0.1, 0.6):
        found = decision_gains(labels, scores, thresholds=[threshold], confidence=0.9)
        differing = worths(labels, scores, threshold)
        always = threshold == 0.1
        odds = threshold / (1 - threshold)
        n_gained = np.count_nonzero(differing > 0)
        n_lost = np.count_nonzero(differing < 0)
        factors = (odds, 1) if always else (1, odds)
        gained, lost = n_gained / 150, n_lost / 150
        limits = [binomtest(n, 150).proportion_ci(0.9) for n in (n_gained, n_lost)]
        down = [factors[0] * (gained - limits[0].low), factors[1] * (limits[1].high - lost)]
        up = [factors[0] * (limits[0].high - gained), factors[1] * (lost - limits[1].low)]
        rho = -math.sqrt(gained * lost / (1 - gained) / (1 - lost))
        reach = [math.sqrt(a * a + b * b - 2 * rho * a * b) for a, b in (down, up)]
        gain = factors[0] * gained - factors[1] * lost
        assert found.gain[0] == pytest.approx(gain)
        assert found.lower[0] == pytest.approx(gain - reach[0])
        assert found.upper[0] == pytest.approx(gain + reach[1])


def test_limits_of_gains_where_rows_of_a_class_are_missing():
    labels, scores = np.arange(100) < 20, np.linspace(0.3, 0.6, 100)
    none, all_, some = (
        decision_gains(labels, scores, thresholds=[0.7]),
        *(
            decision_gains(z, s, thresholds=[0.5])
            for z, s in ((labels, np.full(100, 0.6)), (labels, np.where(labels, 0.6, 0.4)))
        ),
    )
    most = 1 - 0.025 ** (1 / 100)  # of 100 rows, none of which is acted on
    assert (none.gain[0], none.upper[0]) == pytest.approx((0, most))
    assert none.lower[0] == pytest.approx(-most * 0.7 / 0.3)
    share = binomtest(20, 100).proportion_ci(0.95)
    assert all_.lower[0] == pytest.approx(2 * share.low - 1)  # the decision differs in all rows
    assert all_.upper[0] == pytest.approx(2 * share.high - 1)
    assert some.gain[0] == pytest.approx(0.2)
    assert some.lower[0] < share.low and some.upper[0] == pytest.approx(share.high)


def test_gains_at_one_are_refused():
    with pytest.raises(ValueError, match="below 1"):
        decision_gains([0, 1], [0.2, 0.7], thresholds=[1.0])
