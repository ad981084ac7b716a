"""Isotonic reliability curves, their bands, decompositions, Murphy diagrams and decision curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import beta
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, log_loss

from calib.metrics import corp_curve, score_decomposition
from calibkit.inference import confidence_band, consistency_band, decision_curve, murphy_curve

seeds = st.integers(0, 10**6)
sizes = st.integers(3, 80)
roundings = st.sampled_from([None, 1])


def sample(n=300, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, n)
    labels = (rng.random(n) < expit(1.5 * logit(p) - 0.4)).astype(int)
    labels[:2] = [0, 1]
    return labels, p if decimals is None else p.round(decimals)


def spherical(labels, probabilities):
    """A proper score that the package does not have, as a loss."""
    given = np.where(labels == 1, probabilities, 1 - probabilities)
    return -given / np.hypot(probabilities, 1 - probabilities)


# Decomposition


@settings(max_examples=60, deadline=None)
@given(sizes, seeds, roundings, st.booleans())
def test_decomposition_by_scikit_learn(n, seed, decimals, weighted):
    labels, p = sample(n, seed, decimals)
    weights = np.random.default_rng(seed).exponential(size=n) if weighted else None
    regression = IsotonicRegression(y_min=0, y_max=1).fit(p, labels, weights)
    best, base = regression.predict(p), np.full(n, np.average(labels, weights=weights))
    values = np.unique(p)
    curve = corp_curve(labels, p, sample_weight=weights)
    np.testing.assert_array_equal(curve.predicted, values)
    np.testing.assert_allclose(curve.recalibrated, regression.predict(values), atol=1e-9)
    parts = score_decomposition(labels, p, sample_weight=weights)
    scores = [brier_score_loss(labels, q, sample_weight=weights) for q in (p, best, base)]
    expected = scores[0], scores[0] - scores[1], scores[2] - scores[1], scores[2]
    np.testing.assert_allclose(parts, expected, atol=1e-9)
    if decimals is None:
        parts = score_decomposition(labels, p, loss="log", sample_weight=weights)
        ours, theirs = parts.score, log_loss(labels, p, sample_weight=weights)
        assert ours == pytest.approx(theirs)
        clipped = np.clip(best, 1e-15, 1 - 1e-15)
        gain = parts.score - log_loss(labels, clipped, sample_weight=weights)
        assert parts.miscalibration == pytest.approx(gain, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(sizes, seeds, roundings, st.sampled_from(["brier", "log", spherical]))
def test_the_identity_and_the_signs_hold_for_proper_scores(n, seed, decimals, score):
    labels, p = sample(n, seed, decimals)
    p = np.clip(p, 0.01, 0.99)
    parts = score_decomposition(labels, p, loss=score)
    total = parts.miscalibration * 1.0 - parts.discrimination + parts.uncertainty
    assert total == pytest.approx(parts.score, abs=1e-14)
    assert parts.miscalibration >= -1e-14 and parts.discrimination >= -1e-14
    recalibrated = corp_curve(labels, p)
    again = recalibrated.recalibrated[np.searchsorted(recalibrated.predicted, p)]
    assert score_decomposition(labels, again, loss=score).miscalibration == pytest.approx(0)


@settings(max_examples=40, deadline=None)
@given(sizes, seeds, roundings)
def test_isotonic_regression_wins_by_every_elementary_score(n, seed, decimals):
    """Among increasing maps: steps anywhere, and smooth ones."""
    labels, p = sample(n, seed, decimals)
    curve = corp_curve(labels, p)
    best = murphy_curve(labels, curve.recalibrated[np.searchsorted(curve.predicted, p)]).scores
    rng = np.random.default_rng(seed)
    maps = [expit(2 * logit(np.clip(p, 0.01, 0.99)) + 1), p, np.full(n, 0.3)]
    for _ in range(10):
        cuts, heights = np.sort(rng.random(3)), np.sort(rng.random(4))
        maps.append(heights[np.searchsorted(cuts, p)])
    for other in maps:
        assert np.all(best <= murphy_curve(labels, other).scores + 1e-12)


def test_the_impossible_costs_infinity_and_nothing_where_it_does_not_happen():
    assert score_decomposition([0, 1], [0.0, 1.0], loss="log")[:2] == (0, 0)
    parts = score_decomposition([0, 1, 1], [0.0, 0.0, 1.0], loss="log")
    assert parts.score == parts.miscalibration == np.inf and np.isfinite(parts.uncertainty)


# Elementary scores


def pieces(labels, p, weights):
    """Ends of the pieces where the elementary score is linear, and its two coefficients there."""
    ends = np.unique(np.r_[0, p, 1])
    first, second = ends[:-1] + np.diff(ends) / 3, ends[:-1] + 2 * np.diff(ends) / 3
    at = [murphy_curve(labels, p, thresholds=t, sample_weight=weights).scores
          for t in (first, second)]  # fmt: skip
    slope = (at[1] - at[0]) / (second - first)
    misses = at[0] - slope * first  # the score is false_alarms t + misses (1 - t)
    return ends, slope + misses, misses


@settings(max_examples=60, deadline=None)
@given(sizes, seeds, roundings, st.booleans())
def test_proper_scores_and_net_benefit_are_mixtures_of_elementary_scores(
    n, seed, decimals, weighted
):
    labels, p = sample(n, seed, decimals)
    p = np.clip(p, 0.01, 0.99)
    weights = np.random.default_rng(seed).exponential(size=n) if weighted else None
    ends, false_alarms, misses = pieces(labels, p, weights)
    squares, logs = np.diff(ends**2) / 2, np.diff(ends - ends**2 / 2)
    brier = 2 * np.sum(false_alarms * squares + misses * logs)
    assert brier == pytest.approx(brier_score_loss(labels, p, sample_weight=weights), abs=1e-9)
    low, high = ends[:-1], ends[1:]
    inside_low, inside_high = np.maximum(low, 1e-300), np.minimum(high, 1 - 1e-16)
    entropy = false_alarms[:-1] @ np.log((1 - low[:-1]) / (1 - inside_high[:-1]))
    entropy += misses[1:] @ np.log(high[1:] / inside_low[1:])
    assert entropy == pytest.approx(log_loss(labels, p, sample_weight=weights), abs=1e-7)
    thresholds = np.array([0.0, 0.1, 0.33, 0.5, 0.9])
    curve = decision_curve(labels, p, thresholds=thresholds, sample_weight=weights)
    scores = murphy_curve(labels, p, thresholds=thresholds, sample_weight=weights).scores
    base_rate = np.average(labels, weights=weights)
    np.testing.assert_allclose(curve.net_benefit, base_rate - scores / (1 - thresholds), atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(sizes, seeds, roundings, st.booleans())
def test_net_benefit_and_elementary_scores_by_definition(n, seed, decimals, weighted):
    labels, p = sample(n, seed, decimals)
    weights = np.random.default_rng(seed).exponential(size=n) if weighted else np.ones(n)
    given = weights if weighted else None
    thresholds = np.array([0.0, 0.1, 0.3, 0.5, 0.7])
    curve = decision_curve(labels, p, thresholds=thresholds, sample_weight=given)
    scores = murphy_curve(labels, p, thresholds=thresholds, sample_weight=given).scores
    for i, t in enumerate(thresholds):
        true = weights @ ((p > t) & (labels == 1)) / weights.sum()
        false = weights @ ((p > t) & (labels == 0)) / weights.sum()
        assert curve.net_benefit[i] == pytest.approx(true - false * t / (1 - t), abs=1e-12)
        rate = weights @ labels / weights.sum()
        assert curve.act_on_all[i] == pytest.approx(rate - (1 - rate) * t / (1 - t), abs=1e-12)
        cost = np.where(labels == 0, t * (p > t), (1 - t) * (p <= t))
        assert scores[i] == pytest.approx(weights @ cost / weights.sum(), abs=1e-12)


def test_thresholds_are_checked():
    for curve in (murphy_curve, decision_curve):
        with pytest.raises(ValueError, match=r"thresholds must lie in \[0, 1\]"):
            curve([0, 1], [0.5, 0.5], thresholds=[1.5])
    with pytest.raises(ValueError, match="thresholds must be below 1"):
        decision_curve([0, 1], [0.5, 0.5], thresholds=[0.5, 1])
    assert murphy_curve([0, 1], [0.5, 0.5], thresholds=[0, 1]).scores.tolist() == [0.0, 0.0]


# Bands


def honest_band(labels, p, alpha, groups):
    """The band at each distinct prediction from its definition; `groups` are lists of these."""
    k = len(groups)
    tail = alpha / (k * (k + 1))
    values = np.unique(p)
    lower, upper = np.zeros(values.size), np.ones(values.size)
    for j in range(k):
        for end in range(j, k):
            inside = (p >= groups[j][0]) & (p <= groups[end][-1])
            n, hits = inside.sum(), labels[inside].sum()
            low = beta.ppf(tail, hits, n - hits + 1) if hits else 0.0
            high = beta.ppf(1 - tail, hits + 1, n - hits) if hits < n else 1.0
            above, below = values >= groups[end][-1], values <= groups[j][0]
            lower[above] = np.maximum(lower[above], low)
            upper[below] = np.minimum(upper[below], high)
    return lower, upper


@settings(max_examples=20, deadline=None)
@given(st.integers(3, 24), seeds, roundings, st.sampled_from([3, 200]))
def test_the_confidence_band_by_definition(n, seed, decimals, n_groups):
    labels, p = sample(n, seed, decimals)
    values = np.unique(p)
    groups = [[value] for value in values]
    if len(groups) > n_groups:
        ranks = np.array([np.sum(p < v) + np.sum(p == v) / 2 for v in values])
        bins = np.minimum(ranks * n_groups / n, n_groups - 1).astype(int)
        groups = [values[bins == b] for b in np.unique(bins)]
    band = confidence_band(labels, p, confidence=0.8, n_groups=n_groups)
    lower, upper = honest_band(labels, p, 0.2, groups)
    np.testing.assert_allclose(band.lower, lower, atol=1e-9)
    np.testing.assert_allclose(band.upper, upper, atol=1e-9)
    assert band.crosses == np.any(lower > upper)


@pytest.mark.slow
@pytest.mark.parametrize("n_groups", [10, 200])
def test_the_confidence_band_holds_the_whole_truth(n_groups):
    """A steep truth, so that the outcomes of a group are unlike; a miss costs 1 of 20 at most."""
    rng = np.random.default_rng(0)
    n_draws, misses, wrong = 300, 0, 0
    for _ in range(n_draws):
        p = rng.random(200)
        truth = expit(12 * (p - 0.4))
        band = confidence_band(rng.random(200) < truth, p, n_groups=n_groups)
        truth = np.sort(truth)
        misses += np.any((truth < band.lower) | (truth > band.upper))
        wrong += band.crosses
    assert misses <= 0.05 * n_draws and wrong <= misses
    p = rng.random(2000)  # and enough points show that the truth is not the diagonal
    assert not confidence_band(rng.random(2000) < expit(12 * (p - 0.4)), p).holds_diagonal


def test_a_decreasing_truth_makes_the_confidence_band_cross():
    rng = np.random.default_rng(0)
    p = rng.random(1000)
    assert confidence_band(rng.random(1000) < 1 - p, p).crosses
    assert not confidence_band(rng.random(1000) < p, p).crosses


@pytest.mark.slow
def test_the_consistency_band_has_its_coverage_at_a_point():
    rng = np.random.default_rng(0)
    p = np.linspace(0.005, 0.995, 199)
    at = np.searchsorted(p, [0.3, 0.5, 0.8])
    band = consistency_band(np.arange(199) % 2, p, n_resamples=2000)
    np.testing.assert_array_equal(band.predicted, p)
    inside = np.zeros((1000, 3))
    for i in range(1000):
        values = corp_curve(rng.random(199) < p, p).recalibrated[at]
        inside[i] = (band.lower[at] <= values) & (values <= band.upper[at])
    # three standard errors of 1000 draws and of the quantiles, which come from 2000
    assert inside.mean(axis=0) == pytest.approx(0.9, abs=3 * (0.09 / 1000 + 0.09 / 2000) ** 0.5)


def test_consistency_bands_do_not_depend_on_outcomes_and_follow_their_seed():
    labels, p = sample(50)
    bands = [consistency_band(z, p, random_state=3) for z in (labels, 1 - labels)]
    np.testing.assert_array_equal(bands[0].lower, bands[1].lower)
    other = consistency_band(labels, p, random_state=4)
    assert np.any(other.lower != bands[0].lower)


def test_consistency_bands_of_many_predictions_have_a_thousand_knots():
    labels, p = sample(3000)
    band = consistency_band(labels, p, n_resamples=5)
    assert band.predicted.size == 1000 and set(band.predicted) <= set(p)
    assert (band.predicted[0], band.predicted[-1]) == (p.min(), p.max())


# Weights


def arrays(result):
    if hasattr(result, "_fields"):
        return np.array(result, float).ravel()
    names = ["predicted", "counts", "positives", "recalibrated", "lower", "upper"]
    return np.concatenate([np.asarray(getattr(result, n)) for n in names if hasattr(result, n)])


CURVES = [
    confidence_band,
    consistency_band,
    corp_curve,
    decision_curve,
    murphy_curve,
    score_decomposition,
]
each_curve = pytest.mark.parametrize("curve", CURVES, ids=lambda c: c.__name__)


@each_curve
@settings(max_examples=15, deadline=None)
@given(n=sizes, seed=seeds, decimals=roundings)
def test_an_integer_weight_is_that_many_copies(curve, n, seed, decimals):
    labels, p = sample(n, seed, decimals)
    copies = np.random.default_rng(seed).integers(0, 4, n)
    copies[:2] += 1
    order = np.random.default_rng(seed).permutation(copies.sum())
    weighted = curve(labels, p, sample_weight=copies)
    repeated = curve(np.repeat(labels, copies)[order], np.repeat(p, copies)[order])
    np.testing.assert_allclose(arrays(weighted), arrays(repeated), rtol=0, atol=1e-12)


@each_curve
def test_bad_input_is_refused_by_name(curve):
    for labels, p, message in [
        ([0, 1], [0.5, np.nan], "probabilities must be finite"),
        ([0, 1], [0.5, 1.5], r"probabilities must lie in \[0, 1\]"),
        ([0, 2], [0.5, 0.5], "labels must be 0/1"),
        ([], [], "probabilities is empty"),
    ]:
        with pytest.raises(ValueError, match=message):
            curve(labels, p)
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        curve([0, 1], [0.1, 0.9], sample_weight=[1, -1])


def test_bad_options_are_refused_by_name():
    for band in (consistency_band, confidence_band):
        with pytest.raises(ValueError, match="confidence must be a number between 0 and 1"):
            band([0, 1], [0.1, 0.9], confidence=95)
    with pytest.raises(ValueError, match="n_resamples must be an integer"):
        consistency_band([0, 1], [0.1, 0.9], n_resamples=0)
    with pytest.raises(ValueError, match="n_groups must be an integer"):
        confidence_band([0, 1], [0.1, 0.9], n_groups=0)
    with pytest.raises(ValueError, match="loss must be one of"):
        score_decomposition([0, 1], [0.1, 0.9], loss="accuracy")
