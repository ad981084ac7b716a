"""Self-calibrating conformal prediction, against isotonic regressions with every outcome."""

from collections import defaultdict
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from calib import VennAbers
from calibkit.prediction_intervals import SelfCalibratingConformal, conformal
from calibkit.prediction_intervals.conformal_kernels import self_calibrating_intervals

samples = given(
    n=st.integers(1, 14),
    seed=st.integers(0, 10**6),
    outcomes=st.sampled_from(["real", "tenths", "binary", "heavy"]),
    decimals=st.sampled_from([1, 9]),
    alpha=st.sampled_from([0.1, 0.2, 0.5]),
)
BOUNDS = {"real": (-1, 2), "tenths": (-0.5, 1.5), "binary": (0, 1), "heavy": (-1000, 1000)}


def sample(n, seed, outcomes="real", decimals=9):
    rng = np.random.default_rng(seed)
    scores = rng.random(n).round(decimals)
    z = np.clip(scores * rng.choice([-1, 0, 1]) + 0.4 * rng.normal(size=n), 0, 1)
    if outcomes == "tenths":
        z = z.round(1)
    elif outcomes == "binary":
        z = (rng.random(n) < z).astype(float)
    elif outcomes == "heavy":
        z = np.clip(rng.standard_cauchy(n), -1000, 1000)
    return scores, z


def refit(scores, outcomes, query, c):
    """Isotonic regression of the sample and (query, c), the new object last; by SciPy."""
    distinct, index = np.unique(np.append(scores, query), return_inverse=True)
    everything = np.append(outcomes, c)
    weights = np.bincount(index).astype(float)
    means = np.bincount(index, everything) / weights
    return isotonic_regression(means, weights=weights).x[index], everything


def conforms(scores, outcomes, query, c, alpha):
    """By the definition; what may be equal counts as equal."""
    fitted, everything = refit(scores, outcomes, query, c)
    scale = np.abs(everything).max()
    level_set = np.abs(fitted - fitted[-1]) <= 1e-11 * scale
    residuals = np.abs(everything - fitted)
    smaller = np.sum(residuals[level_set] < residuals[-1] - 1e-10 * scale)
    return smaller < np.ceil((1 - alpha) * level_set.sum() - 1e-9)


def predictor(scores, outcomes, alpha=0.1, bounds=(0, 1)):
    return SelfCalibratingConformal(alpha=alpha, bounds=bounds).fit(scores, outcomes)


@settings(max_examples=60, deadline=None)
@samples
def test_the_interval_is_that_of_all_outcomes_one_by_one(n, seed, outcomes, decimals, alpha):
    scores, z = sample(n, seed, outcomes, decimals)
    bounds = BOUNDS[outcomes]
    queries = np.array([scores[0], np.random.default_rng(seed).random()])
    found = predictor(scores, z, alpha, bounds).predict_interval(queries)
    inside = np.linspace(z.min() - 1, z.max() + 1, 25)
    trials = np.clip(np.concatenate([np.linspace(*bounds, 25), inside, z]), *bounds)
    step = 1e-9 * np.ptp(z) / 2  # by which ends are rounded outward
    for query, lower, upper in zip(queries, *found, strict=True):
        for c in trials:
            assert lower <= c <= upper or not conforms(scores, z, query, c, alpha)
        for end, sign in [(lower, 1), (upper, -1)]:
            near = end + sign * step * np.array([0, 0.6, 0.9, 1, 3, 10])
            near = np.clip([*near, end.round(8)], *bounds)  # one outcome alone may conform
            assert any(conforms(scores, z, query, c, alpha) for c in near)


@settings(max_examples=100, deadline=None)
@samples
def test_the_range_is_that_of_two_regressions(n, seed, outcomes, decimals, alpha):
    scores, z = sample(n, seed, outcomes, decimals)
    bounds = BOUNDS[outcomes]
    queries = np.array([scores[0], *np.random.default_rng(seed).random(2)])
    found = predictor(scores, z, alpha, bounds).predict_range(queries)
    for c, values in zip(bounds, found, strict=True):
        expected = [refit(scores, z, query, c)[0][-1] for query in queries]
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-10 * max(map(abs, bounds)))


def test_of_labels_the_range_is_the_pair_of_venn_abers():
    rng = np.random.default_rng(0)
    scores = rng.random(3000).round(3)
    labels = rng.random(3000) < scores
    queries = np.concatenate([scores[:100], rng.random(100), [-1, 2]])
    found = predictor(scores, labels.astype(float)).predict_range(queries)
    np.testing.assert_allclose(
        found, VennAbers().fit(scores, labels).predict_interval(queries), rtol=0, atol=1e-12
    )


KINDS = list(product([0.0, 1.0], [0.0, 0.5, 1.0]))  # score, outcome
SHARES = dict(zip(KINDS, [0.3, 0.05, 0.15, 0.1, 0.15, 0.25], strict=True))


@pytest.mark.parametrize("alpha", [0.2, 0.5])
def test_coverage_given_the_calibrated_value_in_exact_enumeration(alpha):
    """All samples of four points with ties everywhere; the fifth point is the new one."""
    mass, covered, total = defaultdict(float), defaultdict(float), defaultdict(float)
    for bag in combinations_with_replacement(KINDS, 4):
        orders = factorial(4) / prod(factorial(bag.count(kind)) for kind in set(bag))
        weight = orders * prod(SHARES[kind] for kind in bag)
        scores, z = np.array(bag).T
        lower, upper = predictor(scores, z, alpha).predict_interval([0.0, 1.0])
        for score, outcome in KINDS:
            value = refit(scores, z, score, outcome)[0][-1].round(9)
            share = weight * SHARES[score, outcome]
            mass[value] += share
            covered[value] += share * (lower[int(score)] <= outcome <= upper[int(score)])
            total[value] += share * outcome
    assert len(mass) > 5 and sum(mass.values()) == pytest.approx(1)
    for value in mass:
        assert total[value] / mass[value] == pytest.approx(value, abs=1e-8)  # calibrated
        assert covered[value] >= (1 - alpha) * mass[value] - 1e-12
    assert sum(covered.values()) < 1  # the intervals are not everything


def coverage(draw, n, alpha, bounds, rounds, seed):
    """Share covered, its standard error, and how much too large a share can be for no ties."""
    rng = np.random.default_rng(seed)
    hits, level_sets = [], []
    for _ in range(rounds):
        scores, z = draw(n + 1, rng)
        lower, upper = predictor(scores[:n], z[:n], alpha, bounds).predict_interval(scores[n:])
        hits.append(lower[0] <= z[n] <= upper[0])
        fitted = refit(scores[:n], z[:n], scores[n], z[n])[0]
        level_sets.append(np.unique(fitted.round(9)).size)
    return np.mean(hits), np.std(hits) / np.sqrt(rounds), np.mean(level_sets) / (n + 1)


def heavy_tails(n, rng):
    scores = rng.random(n)
    return scores, np.clip(scores + rng.standard_cauchy(n), -1e4, 1e4)


def noise_that_grows(n, rng):
    scores = rng.random(n)
    return scores, np.clip(scores + scores * rng.normal(size=n), -9, 9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw, n, bounds", [(heavy_tails, 60, (-1e4, 1e4)), (noise_that_grows, 300, (-9, 9))]
)
def test_coverage_and_the_bound_from_above(draw, n, bounds):
    share, error, excess = coverage(draw, n, 0.2, bounds, 1500, seed=3)
    assert 0.8 - 4 * error <= share <= 0.8 + excess + 4 * error
    assert 0.8 + excess + 4 * error < 0.99  # the bound says something


def test_small_samples():
    one = predictor([0.5], [0.3])
    np.testing.assert_allclose(one.predict_range([0, 0.5, 1]), [[0, 0.15, 0.15], [0.65, 0.65, 1]])
    np.testing.assert_array_equal(one.predict_interval([0, 0.5, 1]), [[0, 0, 0], [1, 1, 1]])
    same = predictor(np.arange(99.0), np.full(99, 0.25), alpha=0.1)
    lower, upper = same.predict_interval([-1, 50, 100])
    np.testing.assert_allclose(lower, [0, 0.25, 0.25], rtol=0, atol=1e-8)
    np.testing.assert_allclose(upper, [0.25, 0.25, 1], rtol=0, atol=1e-8)
    assert same.predict([50]) == pytest.approx(0.25 + 0.01 * (0.75 - 0.25) / 2, abs=0.01)
    assert same.predict([]).shape == same.predict_interval([])[0].shape == (0,)


@pytest.mark.parametrize("sign", [1, -1])
def test_outcomes_beyond_those_of_the_sample_may_conform(sign):
    scores, z = sign * np.array([0.0, 2, 0, 2]), sign * np.array([0.75, 0.5, 1, 1])
    ends = np.ravel(predictor(scores, z, 0.5, (-4, 4)).predict_interval([sign * 1.0]))
    np.testing.assert_allclose(np.sort(sign * ends), [0.5, 1.5], rtol=0, atol=1e-8)
    assert conforms(scores, z, sign, sign * 1.5, 0.5)
    assert not conforms(scores, z, sign, sign * 1.501, 0.5)


def test_a_group_that_leaves_at_the_highest_outcome_is_still_in_its_level_set():
    scores, z = np.array([0.3, 0.4, 0.6, 0.7, 0.3]), np.array([0.5, 0.0, 0.2, 0.9, 0.3])
    assert conforms(scores, z, 0.4, 2 / 3, 0.2) and not conforms(scores, z, 0.4, 1.0, 0.2)
    ends = np.ravel(predictor(scores, z, 0.2).predict_interval([0.4]))
    np.testing.assert_allclose(ends, [0, 2 / 3], rtol=0, atol=1e-8)


@pytest.mark.parametrize("decimals", [1, 9])
def test_order_units_and_direction(decimals):
    scores, z = sample(80, 5, decimals=decimals)
    queries = np.linspace(-0.1, 1.1, 40).round(2)
    lower, upper = predictor(scores, z, 0.2).predict_interval(queries)
    order = np.random.default_rng(0).permutation(80)
    again = predictor(scores[order], z[order], 0.2).predict_interval(queries)
    np.testing.assert_array_equal(again, [lower, upper])
    doubled = predictor(scores, 2 * z, 0.2, (0, 2)).predict_interval(queries)
    np.testing.assert_allclose(doubled, [2 * lower, 2 * upper], rtol=0, atol=1e-8)
    turned = predictor(-scores, -z, 0.2, (-1, 0)).predict_interval(-queries)
    np.testing.assert_allclose(turned, [-upper, -lower], rtol=0, atol=1e-8)


@pytest.mark.parametrize("offset", [-1e9, 1e6, 1.7e9])
def test_an_offset_of_the_outcomes_is_one_of_the_intervals(offset):
    scores, z = sample(300, 4, decimals=1)
    z = np.round(z * 2**20) / 2**20  # the sum with an offset is exact
    queries = np.linspace(-0.1, 1.1, 40).round(2)
    alone = predictor(scores, z, 0.2, (-1, 2))
    moved = predictor(scores, z + offset, 0.2, (offset - 1, offset + 2))
    assert np.median(np.diff(alone.predict_interval(queries), axis=0)) < 2
    for method in ["predict_interval", "predict_range"]:
        found, expected = (np.array(getattr(m, method)(queries)) for m in (moved, alone))
        np.testing.assert_allclose(found - offset, expected, rtol=0, atol=1e-6)


def test_small_differences_of_large_outcomes_and_wide_bounds():
    scores, z = np.repeat([0.0, 1.0], 200), np.tile([0.0, 1e-4], 200)
    alone = np.array(predictor(scores, z, 0.1, (-1e6, 9e6)).predict_interval([0, 1]))
    assert np.ptp(alone) < 1.1e-4
    moved = np.array(predictor(scores, z + 1e6, 0.1, (0, 1e7)).predict_interval([0, 1]))
    np.testing.assert_allclose(moved - 1e6, alone, rtol=0, atol=1e-9)


def test_many_equal_queries_are_computed_once(monkeypatch):
    scores, z = sample(300, 4, decimals=1)
    fitted = predictor(scores, z)
    queries = np.random.default_rng(0).uniform(-0.2, 1.2, 5000).round(2)
    expected = np.hstack([fitted.predict_interval([query]) for query in queries[:200]])
    asked = []

    def counted(**arguments):
        asked.append(arguments["lows"].size)
        return self_calibrating_intervals(**arguments)

    monkeypatch.setattr(conformal, "self_calibrating_intervals", counted)
    found = np.array(fitted.predict_interval(queries))
    np.testing.assert_array_equal(found[:, :200], expected)
    assert asked == [2 * np.unique(scores).size + 1]  # on a score, and between two


def test_the_level_is_that_of_the_fit():
    scores, z = sample(300, 4, decimals=1)
    fitted = predictor(scores, z, 0.2)
    expected = fitted.predict_interval([0.5])
    for alpha in (0.01, 5):
        found = fitted.set_params(alpha=alpha).predict_interval([0.5])
        np.testing.assert_array_equal(found, expected)


def test_nested_in_the_level():
    scores, z = sample(200, 7)
    ends = [predictor(scores, z, a).predict_interval(scores[:30]) for a in [0.4, 0.2, 0.1]]
    for (inner_lower, inner_upper), (lower, upper) in zip(ends, ends[1:], strict=False):
        assert np.all(lower <= inner_lower) and np.all(inner_upper <= upper)


@pytest.mark.parametrize(
    "parameters, arguments, message",
    [
        ({"alpha": 0}, ([0.1], [0.1]), "alpha must be a number between 0 and 1; found 0"),
        ({"alpha": 1.0}, ([0.1], [0.1]), "alpha must be a number between 0 and 1; found 1.0"),
        ({"bounds": (1, 0)}, ([0.1], [0.1]), r"in increasing order.*found \(1, 0\)"),
        ({"bounds": (0, np.inf)}, ([0.1], [0.1]), "bounds must be two numbers in increasing order"),
        ({"bounds": 3}, ([0.1], [0.1]), "bounds must be a pair of numbers; found 3"),
        ({"bounds": ("a", "b")}, ([0.1], [0.1]), "bounds must be two numbers in increasing order"),
        ({}, ([0.1, 0.2], [0.1]), "outcomes has 1 rows but scores has 2"),
        ({}, ([0.1, 0.2], [0.1, 1.5]), "between the bounds 0 and 1; found 1.5 at row 1"),
        ({}, ([0.1], [np.nan]), "outcomes must be finite"),
        ({}, ([np.inf], [0.5]), "scores must be finite"),
    ],
)
def test_bad_input_is_refused_by_name(parameters, arguments, message):
    fitted = SelfCalibratingConformal().fit([0.1], [0.5])
    before = fitted.predict([0.1])
    with pytest.raises(ValueError, match=message):
        fitted.set_params(**parameters).fit(*arguments)
    np.testing.assert_array_equal(fitted.predict([0.1]), before)
    with pytest.raises(ValueError, match="scores must be finite; found nan at row 0"):
        fitted.predict_interval([np.nan])
