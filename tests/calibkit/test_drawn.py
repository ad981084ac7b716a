"""Tests by draws: laws by enumeration of all outcomes, statistics by definition, levels."""

import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import chi2, kstest, norm
from scipy.stats import t as student

from calib import metrics
from calib.kernels.ties import ties
from calibkit import inference
from calibkit.inference import (
    calibration_test,
    confidence_band,
    hosmer_lemeshow_test,
    kuiper_test,
    mean_interval,
    recalibration_intervals,
    spiegelhalter_test,
    worst_range,
)
from calibkit.inference.resampling_tests import (
    SUFFICIENT_EXCEEDANCES,
    _factor_of_negatives,
    drawn_p_value,
    sampled_outcomes,
)
from calibkit.inference.significance import OVERSHOOT, brownian_range_tail
from calibkit.inference.statistics import MAX_SCANNED_RANGES, STATISTICS, statistic_of

QUICK = ["kuiper", "scan", "bias", "slope", "spiegelhalter", "hosmer_lemeshow", "ece"]
MANY = list(STATISTICS)
seeds = st.integers(0, 10**6)


def drawn(n, seed=0, decimals=None, slope=1.0):
    rng = np.random.default_rng(seed)
    truth = rng.beta(1, 2, n)
    p = expit(slope * logit(truth)) if decimals is None else truth.round(decimals).clip(0.1, 0.9)
    return (rng.random(n) < truth).astype(int), p


def squares(labels, probabilities):
    """A statistic of the user's."""
    return np.mean(np.square(labels - probabilities))


# Draws


@pytest.mark.parametrize(
    "statistic", [*STATISTICS, squares], ids=lambda one: getattr(one, "__name__", str(one))
)
def test_the_law_is_that_of_all_outcomes(statistic):
    """Every sequence of labels with its probability, computed by the functions that users call."""
    p = np.array([0.1, 0.3, 0.3, 0.3, 0.55, 0.8, 0.8])
    labels = np.array([0, 1, 0, 1, 0, 1, 0])
    size = 200 if statistic == "smooth_ece" else 4000
    found = calibration_test(labels, p, statistic=statistic, n_bins=3, n_resamples=size)[statistic]
    values, chances = [], []
    for outcome in itertools.product([0, 1], repeat=p.size):
        z = np.array(outcome)
        values.append(by_definition(statistic, z, p, n_bins=3))
        chances.append(np.prod(np.where(z == 1, p, 1 - p)))
    values, chances = np.array(values), np.array(chances)
    assert found.estimate == pytest.approx(by_definition(statistic, labels, p, n_bins=3), abs=1e-9)
    exact = chances[values >= found.estimate - 1e-9].sum()
    assert found.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / size))
    for level in (0.2, 0.5, 0.9):
        at = np.quantile(values, level)
        exact = chances[values >= at - 1e-9].sum()
        error = 4 * math.sqrt(exact * (1 - exact) / size)
        assert np.mean(found.draws >= at - 1e-9) == pytest.approx(exact, abs=error + 1e-12)


def by_definition(statistic, z, p, n_bins=10, strategy="quantile"):
    """A statistic by the function of `calib.metrics` that has it, or from its formula."""
    if callable(statistic):
        return statistic(z, p)
    v = p * (1 - p)
    if statistic in ("bias", "slope", "spiegelhalter"):
        if not v.any():
            return 0.0
        x = logit(p) - np.dot(v, logit(p)) / v.sum()
        factors = {"bias": np.ones(p.size), "slope": x, "spiegelhalter": 1 - 2 * p}
        factor = factors[statistic]
        deviation = math.sqrt(np.dot(v, factor**2))
        return abs(np.dot(z - p, factor)) / deviation if deviation > 0 else 0.0
    return {
        "kuiper": inference.kuiper_error,
        "smooth_ece": inference.smooth_ece,
        "averaged_two_bin": inference.averaged_two_bin_error,
        "smooth_calibration_error": inference.smooth_calibration_error,
        "miscalibration": lambda *rows: metrics.score_decomposition(*rows).miscalibration,
        "ece": partial(metrics.expected_calibration_error, n_bins=n_bins, strategy=strategy),
        "hosmer_lemeshow": partial(pearson, n_bins=n_bins, strategy=strategy),
        "scan": divergence,
    }[statistic](z, p)


def pearson(labels, p, **bins):
    curve = metrics.reliability_curve(labels, p, **bins)
    gap = np.square(curve.positives - curve.totals)
    return np.sum(gap / curve.totals + gap / (curve.counts - curve.totals))


def divergence(labels, p):
    """The largest over all intervals of no more than MAX_SCANNED_RANGES distinct predictions."""
    best, values = 0.0, np.unique(p)
    for a, b in itertools.combinations_with_replacement(values, 2):
        inside = (p >= a) & (p <= b)
        q, o, n = p[inside].mean(), labels[inside].mean(), inside.sum()
        parts = [y * math.log(y / x) for y, x in ((o, q), (1 - o, 1 - q)) if y > 0]
        best = max(best, n * sum(parts))
    return best


@settings(max_examples=15, deadline=None)
@given(
    st.integers(1, 45), seeds, st.sampled_from([None, 1]), st.sampled_from(["quantile", "uniform"])
)
def test_statistics_by_definition(n, seed, decimals, strategy):
    labels, p = drawn(n, seed, decimals)
    bins = {"n_bins": 4, "strategy": strategy}
    found = calibration_test(labels, p, statistic=MANY, n_resamples=1, **bins)
    for name, one in found.items():
        if name != "slope" or np.unique(p).size > 1:
            assert one.estimate == pytest.approx(by_definition(name, labels, p, **bins), abs=1e-8)
    worst = worst_range(labels, p)
    inside = (p >= worst.lowest) & (p <= worst.highest)
    assert worst.count == inside.sum() and worst.observed == pytest.approx(labels[inside].mean())
    assert found["scan"].estimate == pytest.approx(
        divergence(labels[inside], p[inside] * 0 + p[inside].mean())
    )


def test_the_slope_is_raos_score():
    """The derivative of the log likelihood at the best intercept, over the root of its variance."""
    labels, p = drawn(200, 3, slope=1.4)
    x = logit(p)

    def slope_of(a, b):
        return np.sum((labels - expit(a + b * x)) * x)

    estimate = calibration_test(labels, p, statistic="slope", n_resamples=1)["slope"].estimate
    v = p * (1 - p)
    information = np.dot(v, x**2) - np.dot(v, x) ** 2 / v.sum()
    efficient = slope_of(0, 1) - np.dot(v, x) / v.sum() * np.sum(labels - p)
    assert estimate == pytest.approx(abs(efficient) / math.sqrt(information))


def test_the_ranges_of_many_predictions_are_those_of_fifty_groups():
    labels, p = drawn(400, 1)
    order = np.argsort(p)
    groups = order.reshape(MAX_SCANNED_RANGES, -1)
    means = np.repeat(p[groups].mean(axis=1), 8)
    found = calibration_test(labels, p, statistic="scan", n_resamples=1)["scan"]
    assert found.estimate == pytest.approx(divergence(labels[order], means))


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 60), seeds, st.sampled_from([None, 1]))
def test_weights_are_copies_and_the_order_of_rows_does_not_matter(n, seed, decimals):
    labels, p = drawn(n, seed, decimals)
    rng = np.random.default_rng(seed)
    copies = rng.integers(0, 4, n)
    copies[0] += 1
    order = rng.permutation(copies.sum())
    groups = np.arange(n) % 3
    options = {"statistic": [*QUICK, squares], "n_resamples": 30}
    weighted = calibration_test(labels, p, groups=groups, sample_weight=copies, **options)
    repeated = calibration_test(
        np.repeat(labels, copies)[order],
        np.repeat(p, copies)[order],
        groups=np.repeat(groups, copies)[order],
        **options,
    )
    assert list(weighted) == list(repeated)
    for key, one in weighted.items():
        np.testing.assert_allclose(one.draws, repeated[key].draws, atol=1e-9)
        assert one.estimate == pytest.approx(repeated[key].estimate, abs=1e-9)
        assert one[2:] == repeated[key][2:]


def test_many_rows_of_few_predictions_are_drawn_as_binomials():
    weights = np.array([400, 900])
    found = calibration_test([0, 1], [0.2, 0.7], statistic=first_rate, sample_weight=weights)
    rates = found[first_rate].draws
    assert rates.mean() == pytest.approx(0.2, abs=4 * math.sqrt(0.16 / 400 / 999))
    assert rates.var() == pytest.approx(0.16 / 400, rel=4 * math.sqrt(2 / 999))


def first_rate(labels, probabilities):
    return labels[probabilities == 0.2].mean()


# Several at once


def test_adjusted_p_values_by_definition():
    labels, p = drawn(80, 2, slope=2)
    found = calibration_test(labels, p, statistic=["kuiper", "bias", "slope"], n_resamples=49)
    values = np.array([np.append(one.estimate, one.draws) for one in found.values()])
    p_values = (values[:, np.newaxis] >= values[:, :, np.newaxis] - 1e-12).mean(axis=2)
    smallest = p_values.min(axis=0)
    for one, own in zip(found.values(), p_values, strict=True):
        assert one.p_value == pytest.approx(own[0])
        assert one.adjusted == pytest.approx(np.mean(smallest <= own[0] + 1e-12))


def test_groups_are_tested_beside_the_whole():
    labels, p = drawn(120, 4, decimals=1)
    groups = np.array(["a", "b", "b"] * 40)
    found = calibration_test(labels, p, statistic=QUICK, groups=groups, n_resamples=9)
    assert list(found) == [*QUICK, *itertools.product(QUICK, "a")] + [
        *itertools.product(QUICK, "b")
    ]
    for key, one in found.items():
        name, here = (key, groups != "") if isinstance(key, str) else (key[0], groups == key[1])
        alone = calibration_test(labels[here], p[here], statistic=name, n_resamples=1)
        assert one.estimate == pytest.approx(alone[name].estimate)
    # outcomes of the whole are those of its groups
    rates = calibration_test(labels, p, statistic=np_mean, groups=groups, n_resamples=9)
    whole, a, b = (rates[key].draws for key in (np_mean, (np_mean, "a"), (np_mean, "b")))
    np.testing.assert_allclose(whole, a / 3 + 2 * b / 3)


def np_mean(labels, probabilities):
    return labels.mean()


@pytest.mark.slow
def test_p_values_alone_and_together_are_uniform_for_calibrated_predictions():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.1, 0.9, 40)
    statistics = ["kuiper", "spiegelhalter", "miscalibration"]
    draws = [
        calibration_test(
            rng.random(40) < p, p, statistic=statistics, n_resamples=199, random_state=rng
        )
        for _ in range(400)
    ]
    for name in statistics:
        p_values = np.array([found[name].p_value for found in draws]) - rng.random(400) / 200
        assert kstest(p_values, "uniform").pvalue > 1e-3
    smallest = np.array([min(one.adjusted for one in found.values()) for found in draws])
    error = 3 * math.sqrt(0.09 / 400)
    assert 0.1 - 3 / 200 - error < np.mean(smallest <= 0.1) < 0.1 + error
    over = np.mean([found["kuiper"].estimate > found["kuiper"].by_chance(0.9) for found in draws])
    assert abs(over - 0.1) < error + 0.005


def test_what_cannot_be_has_the_p_value_zero():
    found = calibration_test([1, 0, 1, 0], [0.0, 0.5, 0.5, 0.5], statistic=MANY, n_resamples=9)
    assert {(one.p_value, one.adjusted) for one in found.values()} == {(0.0, 0.0)}
    groups = ["a", "b", "b", "b"]
    found = calibration_test([1, 0, 1, 0], [0.0, 0.5, 0.5, 0.5], groups=groups)
    assert [one.p_value for one in found.values()] == [0, 0, 1]
    off = calibration_test(np.zeros(50), np.full(50, 0.5), n_resamples=9)["kuiper"]
    assert off.p_value == 0.1 and off.by_chance() == off.draws.max() < off.estimate
    certain = calibration_test([0, 1], [0.0, 1.0], statistic=MANY, n_resamples=9)
    assert {one.p_value for one in certain.values()} == {1.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "none"}, "statistic must be one of 'kuiper'"),
        ({"sample_weight": [0.5, 1.5]}, "sample_weight must hold whole numbers"),
        ({"sample_weight": [2.0**53, 2.0]}, "at most 2"),
        ({"n_resamples": 0}, "n_resamples must be an integer"),
        ({"groups": ["a"]}, "groups has 1 rows but probabilities has 2"),
        ({"statistic": "ece", "strategy": "any"}, "strategy must be one of"),
        ({"statistic": "ece", "n_bins": 0}, "n_bins must be an integer"),
    ],
)
def test_bad_options_are_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        calibration_test([0, 1], [0.2, 0.7], **options)


# The tests of one statistic


def test_draws_stop_when_the_p_value_is_known():
    """The share of a known sequence, up to the draw that makes it enough."""
    drawn = np.random.default_rng(0).binomial(4, 0.5, 10_000)
    large = np.flatnonzero(drawn >= 3)
    p_value = drawn_p_value(3.0, iter(np.split(drawn, 100)))
    assert p_value == SUFFICIENT_EXCEEDANCES / (large[SUFFICIENT_EXCEEDANCES - 1] + 1)
    assert p_value == pytest.approx(5 / 16, rel=0.3)
    assert drawn_p_value(3.0, [drawn[:50]]) == (1 + np.sum(drawn[:50] >= 3)) / 51


@pytest.mark.parametrize("name", ["kuiper", "spiegelhalter", "hosmer_lemeshow"])
def test_each_law_can_be_asked_for(name):
    test = getattr(inference, f"{name}_test")
    labels, p = drawn(300, 5, slope=1.15)
    by_draws = test(labels, p, null="draws", n_resamples=20_000)
    exact = calibration_test(labels, p, statistic=name, n_resamples=20_000)[name].p_value
    assert by_draws.p_value == pytest.approx(exact, rel=0.35)
    statistic, p_value = test(labels, p, null="asymptotic")
    assert by_draws.statistic == statistic
    law = {
        "kuiper": lambda x: brownian_range_tail(x + 2 * OVERSHOOT / math.sqrt(300)),
        "spiegelhalter": lambda x: 2 * norm.sf(abs(x)),
        "hosmer_lemeshow": lambda x: chi2.sf(x, 10),
    }[name]
    assert p_value == pytest.approx(law(statistic)) == pytest.approx(exact, rel=0.3)
    assert test(labels, p, random_state=3) == test(labels, p, random_state=3)
    with pytest.raises(ValueError, match="null must be one of 'auto'"):
        test(labels, p, null="exact")


@pytest.mark.parametrize(
    ("test", "sample", "draws"),
    [
        (kuiper_test, drawn(1000), False),
        (kuiper_test, drawn(1000, decimals=1), True),
        (kuiper_test, drawn(50), True),
        (spiegelhalter_test, drawn(1000), False),
        (spiegelhalter_test, drawn(1000, decimals=1), False),
        (spiegelhalter_test, drawn(20), True),
        (hosmer_lemeshow_test, drawn(2000), False),
        (hosmer_lemeshow_test, drawn(1000, decimals=1), False),
        (hosmer_lemeshow_test, drawn(100), True),
        (hosmer_lemeshow_test, (np.arange(40) % 2, np.linspace(0.3, 0.7, 40)), True),
    ],
)
def test_the_law_for_large_samples_is_taken_where_it_serves(test, sample, draws):
    p_values = {null: test(*sample, null=null).p_value for null in ("auto", "draws", "asymptotic")}
    assert p_values["draws"] != p_values["asymptotic"]
    assert p_values["auto"] == p_values["draws" if draws else "asymptotic"]


@pytest.mark.slow
def test_ties_cost_no_level():
    """Three values, where the law for large samples rejects a third of what it may."""
    rng = np.random.default_rng(0)
    p = np.repeat([0.2, 0.5, 0.8], 100)
    outcomes = rng.random((1000, 300)) < p
    found = {
        null: np.mean([kuiper_test(z, p, null=null).p_value <= 0.05 for z in outcomes])
        for null in ("auto", "asymptotic")
    }
    assert found["asymptotic"] < 0.035 and abs(found["auto"] - 0.05) < 3 * math.sqrt(0.0475 / 1000)


# Weights of sampling


def reweighted(rng, n=4000, kept=0.1):
    """All positives and some negatives of a calibrated population, with their weights."""
    p = rng.beta(1, 9, n)
    labels = rng.random(n) < p
    there = labels | (rng.random(n) < kept)
    return labels[there], p[there], np.where(labels, 1, round(1 / kept))[there]


@pytest.mark.slow
def test_a_reweighted_population_is_calibrated():
    rng = np.random.default_rng(0)
    rejected = np.zeros(5)
    for _ in range(450):
        labels, p, weights = reweighted(rng)
        line = recalibration_intervals(labels, p, sampling_weight=weights)
        bias = mean_interval(labels - p, sampling_weight=weights)
        rejected += [
            kuiper_test(labels, p, sampling_weight=weights).p_value <= 0.05,
            spiegelhalter_test(labels, p, sampling_weight=weights).p_value <= 0.05,
            not bias.lower <= 0 <= bias.upper,
            not line.slope.lower <= 1 <= line.slope.upper,
            kuiper_test(labels, p, sample_weight=weights, null="asymptotic").p_value <= 0.05,
        ]
    error = 3 * math.sqrt(0.05 * 0.95 / 450)
    assert rejected[:4] / 450 == pytest.approx(0.05, abs=error)
    assert rejected[4] / 450 > 0.3  # counts would promise ten times as many outcomes


def test_errors_of_sampling_weights_by_definition():
    labels, p, weights = reweighted(np.random.default_rng(1), n=400)
    residuals, order = weights * (labels - p), np.argsort(p)
    path = np.append(0, np.cumsum(residuals[order]))
    expected = np.ptp(path) / math.sqrt(np.sum(residuals**2))
    found = kuiper_test(labels, p, sampling_weight=weights, null="asymptotic")
    assert found.statistic == pytest.approx(expected)
    correction = 2 * OVERSHOOT / math.sqrt(labels.size)
    assert found.p_value == pytest.approx(brownian_range_tail(expected + correction))
    parts = residuals * (1 - 2 * p)
    z = parts.sum() / math.sqrt(np.sum(parts**2))
    found = spiegelhalter_test(labels, p, sampling_weight=3.7 * weights, null="asymptotic")
    assert found == pytest.approx((z, 2 * norm.sf(abs(z))))
    mean = np.average(labels - p, weights=weights)
    n = labels.size
    found = mean_interval(labels - p, sampling_weight=weights)
    left_out = [
        np.average(np.delete(labels - p, i), weights=np.delete(weights, i)) for i in range(n)
    ]
    error = math.sqrt((n - 1) / n * np.sum((left_out - mean) ** 2))
    assert found.error == pytest.approx(error)
    freedom = np.sum(weights**2.0) ** 2 / np.sum(weights**4.0) - 1
    assert found.upper - found.estimate == pytest.approx(error * student.ppf(0.975, freedom))


SAMPLES = {
    "by outcome": lambda z: np.where(z, 1, 0.25),
    "by a feature": lambda z: np.tile([0.2, 1], z.size // 2),
}


@pytest.mark.slow
@pytest.mark.parametrize("kept", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("test", [kuiper_test, spiegelhalter_test])
def test_small_samples_are_rejected_as_often_as_asked(test, kept):
    """Where the law for large samples rejects too often: some 40 rows."""
    rng, runs, found = np.random.default_rng(3), 600, {"auto": 0, "asymptotic": 0}
    for _ in range(runs):
        p = rng.random(60)
        labels = rng.random(60) < p
        here = rng.random(p.size) < kept(labels)
        sample, weights = (labels[here], p[here]), 1 / kept(labels)[here]
        for null in found:
            p_value = test(*sample, sampling_weight=weights, null=null, n_resamples=99).p_value
            found[null] += p_value <= 0.05
    assert found["auto"] / runs < 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    if not (test is kuiper_test and kept is SAMPLES["by a feature"]):
        assert found["asymptotic"] / runs > 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


def test_weights_of_two_kinds_are_rejected_as_often_as_asked():
    """Where being sampled hangs on the outcome and on a feature; it was 6.6 % and more."""
    rng, runs = np.random.default_rng(4), 1000
    found = []
    for _ in range(runs):
        p = expit(rng.normal(0, 2, 200))
        labels = rng.random(200) < p
        shares = np.where(labels, 1, 0.25) * rng.choice([0.4, 1], 200)
        here = rng.random(200) < shares
        sample = labels[here], p[here]
        found.append(
            kuiper_test(*sample, sampling_weight=1 / shares[here], n_resamples=99).p_value <= 0.05
        )
    assert np.mean(found) < 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


def test_the_factor_of_weights_by_outcome_is_found_where_scores_matter_too():
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    labels = (rng.random(4000) < p).astype(np.uint8)
    for factor in (1.0, 4.0):
        weights = np.exp(rng.normal(0, 0.1, 4000) - p) * np.where(labels, 1, factor)
        assert _factor_of_negatives(labels, p, weights) == pytest.approx(factor, rel=0.02)
    assert _factor_of_negatives(labels, 1.0 * labels, weights) == 1


def test_the_draws_of_a_sample_have_its_law():
    """Bayes' rule, and the residuals of either outcome, by simulation of the sampling itself."""
    p, rng = np.array([0.2, 0.2, 0.7]), np.random.default_rng(0)
    weights = np.where([1, 0, 1], 1.0, 4.0)
    sample = sampled_outcomes(np.array([1, 0, 1]), p, weights)
    assert sample.exact and sample.n_rows == 3 and sample.weighted
    residuals = weights * ([1, 0, 1] - p)
    np.testing.assert_allclose(
        sample.observed - sample.expected, [residuals[:2].sum(), residuals[2]]
    )
    squares = np.square(residuals)
    np.testing.assert_allclose(sample.variances, [squares[:2].sum(), squares[2]])
    (law,) = sample.distributions
    (block,) = [hits for hits, _ in law(10_000, np.random.default_rng(1))]
    z = rng.random(40_000) < 0.7
    z = z[z | (rng.random(z.size) < 0.25)]
    last = np.where(z, 1 * 0.3, -4 * 0.7)
    drawn = (block - sample.expected)[:, 1]
    assert set(drawn.round(9)) == {0.3, -2.8}
    assert drawn.mean() == pytest.approx(last.mean(), abs=0.05) == pytest.approx(0, abs=0.05)
    mixed = sampled_outcomes(np.array([1, 0, 1]), p, np.array([1.0, 2.0, 3.0]))
    assert not mixed.exact
    law, _ = mixed.distributions
    (block,) = [hits for hits, _ in law(10_000, np.random.default_rng(1))]
    assert (block - mixed.expected)[:, 0].std() == pytest.approx(math.sqrt(5 * 0.2 * 0.8), rel=0.03)


@pytest.mark.parametrize("test", [kuiper_test, spiegelhalter_test, recalibration_intervals])
def test_equal_sampling_weights_change_no_estimate(test):
    labels, p = drawn(300, 6)
    one, other = (test(labels, p, sampling_weight=np.full(300, w)) for w in (0.01, 5.0))
    np.testing.assert_allclose(np.hstack(one), np.hstack(other))
    with pytest.raises(ValueError, match="sampling_weight must not be negative"):
        test(labels, p, sampling_weight=-np.ones(300))
    with pytest.raises(ValueError, match="exclude each other"):
        test(labels, p, sample_weight=np.ones(300), sampling_weight=np.ones(300))


def test_weights_are_refused_where_they_have_no_meaning():
    labels, p = drawn(300, 7)
    for test in (kuiper_test, spiegelhalter_test, hosmer_lemeshow_test, confidence_band):
        with pytest.raises(ValueError, match=r"whole numbers.*sampling_weight"):
            test(labels, p, sample_weight=np.full(300, 0.5))
    for test in (kuiper_test, spiegelhalter_test):
        with pytest.raises(
            ValueError, match=r"labels holds one class only \(\d\): the sampling_weight"
        ):
            test(np.ones(300), p, sampling_weight=np.ones(300))
    with pytest.raises(ValueError, match="null must be 'asymptotic' for predictions in_sample"):
        hosmer_lemeshow_test(labels, p, in_sample=True, null="draws")


def test_the_function_of_a_name_takes_many_draws():
    labels, p = drawn(60, 8, decimals=1)
    tied = ties(p, labels)
    draws = np.random.default_rng(0).binomial(tied.weights.astype(int), tied.scores, (5, 9))
    for name in STATISTICS:
        measure = statistic_of(name, tied, 10, "quantile")
        each = [measure(hits[np.newaxis].astype(float))[0] for hits in draws]
        np.testing.assert_allclose(measure(draws.astype(float)), each, atol=1e-12)
