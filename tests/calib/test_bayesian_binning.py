"""BBQ and ABB against their definitions: every model written out."""

import itertools
import math
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, logsumexp
from sklearn.base import clone

from calib import OneClassWarning
from calib.methods.bayesian_binning import ABB, BBQ, model_sizes

METHODS = [BBQ(), BBQ(averaging=False), ABB(), ABB(strength=20.0)]
each_method = pytest.mark.parametrize("method", METHODS, ids=str)
seeds = st.integers(0, 10**6)


def sample(n, seed, decimals=None):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.7, 0.9, n)
    if decimals is not None:
        scores = scores.round(decimals)
    return scores, (rng.random(n) < 0.2 + 0.6 * scores**2).astype(int)


def quietly(method, scores, labels, sample_weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        return clone(method).fit(scores, labels, sample_weight=sample_weight)


# The definitions


def table(scores, labels, weights):
    """Distinct scores with their weights and positive weights."""
    distinct = np.unique(scores)
    rows = scores == distinct[:, None]
    return distinct, rows @ weights, rows @ (weights * labels)


def binning(distinct, totals, positives, firsts):
    """Log evidence of the binning whose bins begin at groups `firsts`, and its value per group."""
    firsts = np.asarray(firsts)
    ends = np.append(firsts[1:], distinct.size)
    edges = np.concatenate([[0.0], (distinct[1:] + distinct[:-1]) / 2, [1.0]])
    prior = np.clip((edges[firsts] + edges[ends]) / 2, 0.005, 0.995)
    n = np.array([totals[i:j].sum() for i, j in zip(firsts, ends, strict=True)])
    m = np.array([positives[i:j].sum() for i, j in zip(firsts, ends, strict=True)])
    a, b = 2 * prior, 2 * (1 - prior)
    evidence = np.sum(betaln(m + a, n - m + b) - betaln(a, b))
    return evidence, np.repeat((m + a) / (n + 2), ends - firsts)


def bbq_by_definition(scores, labels, weights, averaging=True):
    distinct, totals, positives = table(scores, labels, weights)
    n = totals.sum()
    sizes = range(max(1, int(n ** (1 / 3) / 10 + 1e-9)), 10**9)
    largest = min(math.ceil(n / 5), math.ceil(10 * n ** (1 / 3) - 1e-9))
    models = []
    for size in itertools.takewhile(lambda b: b <= largest, sizes):
        below, bins = Fraction(0), []
        for total in totals:
            middle = below + Fraction(total) / 2
            bins.append(math.floor(size * middle / Fraction(n)))
            below += Fraction(total)
        firsts = [g for g in range(len(bins)) if g == 0 or bins[g] != bins[g - 1]]
        models.append(binning(distinct, totals, positives, firsts))
    evidences, values = map(np.array, zip(*models, strict=True))
    if not averaging:
        return distinct, values[np.argmax(evidences)], evidences
    return distinct, np.exp(evidences - logsumexp(evidences)) @ values, evidences


def abb_by_definition(scores, labels, weights, strength):
    distinct, totals, positives = table(scores, labels, weights)
    gaps = np.diff(distinct) / (distinct[-1] - distinct[0]) if distinct.size > 1 else np.zeros(0)
    logs, values, cuts = [], [], []
    for cut in itertools.product([False, True], repeat=distinct.size - 1):
        cut = np.array(cut, bool)
        prior = np.where(cut, 1 - np.exp(-strength * gaps), np.exp(-strength * gaps))
        firsts = np.append(0, np.flatnonzero(cut) + 1)
        evidence, value = binning(distinct, totals, positives, firsts)
        logs.append(evidence + np.log(prior).sum())
        values.append(value)
        cuts.append(cut)
    shares = np.exp(np.array(logs) - logsumexp(logs))
    return distinct, shares @ np.array(values), shares @ np.array(cuts), logsumexp(logs)


def weights_for(n, seed, kind):
    rng = np.random.default_rng(seed + 1)
    if kind == "quarters":  # exact in binary, so that middle ranks are as well
        return rng.integers(3, 14, n) / 4  # no two of them sum to one, which is warned of
    return rng.integers(1, 4, n).astype(float) if kind == "integers" else np.ones(n)


kinds = st.sampled_from(["ones", "integers", "quarters"])
decimals = st.sampled_from([None, 1, 2])


@pytest.mark.parametrize("averaging", [True, False])
@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 150), seed=seeds, decimals=decimals, kind=kinds)
def test_bbq_is_its_definition(averaging, n, seed, decimals, kind):
    scores, labels = sample(n, seed, decimals)
    weights = weights_for(n, seed, kind)
    distinct, values, evidences = bbq_by_definition(scores, labels, weights, averaging)
    bbq = quietly(BBQ(averaging=averaging), scores, labels, None if kind == "ones" else weights)
    np.testing.assert_allclose(bbq.log_scores_, evidences, rtol=0, atol=1e-10)
    np.testing.assert_allclose(bbq.predict(distinct), values, rtol=0, atol=1e-10)
    assert bbq.weights_.sum() == pytest.approx(1)


def test_bbq_is_its_definition_for_a_larger_sample():
    scores, labels = sample(3000, 1, decimals=3)
    distinct, values, evidences = bbq_by_definition(scores, labels, np.ones(3000))
    bbq = BBQ().fit(scores, labels)
    np.testing.assert_allclose(bbq.log_scores_, evidences, rtol=0, atol=1e-9)
    np.testing.assert_allclose(bbq.predict(distinct), values, rtol=0, atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 10),
    seed=seeds,
    decimals=decimals,
    kind=kinds,
    strength=st.sampled_from([0.01, 1.0, 30.0]),
)
def test_abb_is_its_definition(n, seed, decimals, kind, strength):
    scores, labels = sample(n, seed, decimals)
    weights = weights_for(n, seed, kind)
    distinct, values, cuts, evidence = abb_by_definition(scores, labels, weights, strength)
    abb = quietly(ABB(strength=strength), scores, labels, None if kind == "ones" else weights)
    np.testing.assert_allclose(abb.predict(distinct), values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(abb.cut_probabilities_, cuts, rtol=0, atol=1e-10)
    assert abb.log_evidence_ == pytest.approx(evidence, abs=1e-10)


def test_abb_is_its_definition_for_twelve_scores():
    scores, labels = sample(12, 3)
    distinct, values, cuts, evidence = abb_by_definition(scores, labels, np.ones(12), 1.0)
    abb = ABB().fit(scores, labels)
    np.testing.assert_allclose(abb.predict(distinct), values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(abb.cut_probabilities_, cuts, rtol=0, atol=1e-10)
    assert abb.log_evidence_ == pytest.approx(evidence, abs=1e-10)


def test_abb_by_forward_and_backward_sums_over_the_matrix_of_bins():
    strength, (scores, labels) = 4.0, sample(150, 5, decimals=3)
    distinct, totals, positives = table(scores, labels, np.ones(150))
    k = distinct.size
    edges = np.concatenate([[0.0], (distinct[1:] + distinct[:-1]) / 2, [1.0]])
    start, end = np.meshgrid(np.arange(k), np.arange(1, k + 1), indexing="ij")
    n, m = (np.append(0, np.cumsum(t)) for t in (totals, positives))
    n, m = n[end] - n[start], m[end] - m[start]
    a = 2 * np.clip((edges[start] + edges[end]) / 2, 0.005, 0.995)
    with np.errstate(all="ignore"):
        log_bin = betaln(m + a, n - m + 2 - a) - betaln(a, 2 - a)
    reach = (distinct - distinct[0]) / (distinct[-1] - distinct[0])
    log_bin -= strength * (reach[end - 1] - reach[start])
    log_bin[end <= start] = -np.inf
    log_cut = np.append(np.log(-np.expm1(-strength * np.diff(reach))), 0.0)
    forward, backward = np.zeros(k + 1), np.zeros(k + 1)
    for e in range(1, k + 1):
        forward[e] = logsumexp(forward[:e] + log_bin[:e, e - 1]) + log_cut[e - 1]
    for s in range(k - 1, -1, -1):
        backward[s] = logsumexp(log_bin[s, s:] + log_cut[s:] + backward[s + 1 :])
    posterior = np.exp(forward[:k, None] + log_bin + log_cut + backward[1:] - backward[0])
    theta = (m + a) / np.maximum(n + 2, 1)
    expected = [np.sum((posterior * theta)[: g + 1, g:]) for g in range(k)]
    abb = ABB(strength=strength).fit(scores, labels)
    np.testing.assert_allclose(abb.predict(distinct), expected, rtol=0, atol=1e-10)
    assert abb.log_evidence_ == pytest.approx(forward[k], abs=1e-9)


# Models, bins and prior


@pytest.mark.parametrize(
    "n, smallest, largest",
    [(1, 1, 1), (5, 1, 1), (6, 1, 2), (1000, 1, 100), (8000, 2, 200), (10**6, 10, 1000)],
)
def test_sizes_of_the_models(n, smallest, largest):
    assert model_sizes(n).tolist() == list(range(smallest, largest + 1))


def test_averaging_or_the_best_model_alone():
    scores, labels = sample(400, 2)
    average, best = BBQ().fit(scores, labels), BBQ(averaging=False).fit(scores, labels)
    np.testing.assert_array_equal(average.weights_, best.weights_)
    size = best.n_bins_[np.argmax(best.log_scores_)]
    assert best.map_.probabilities.size == size
    assert average.map_.probabilities.size > size


def test_the_prior_mean_of_a_bin_is_its_midpoint():
    low, high = ABB(strength=1e9).fit([0.02, 0.9], [1, 0]).predict([0.0, 1.0])
    # bins [0, 0.46] and [0.46, 1] of one observation each
    assert (low, high) == pytest.approx(((1 + 0.46) / 3, (0 + 1.46) / 3))
    # the midpoint 0.001 of the first bin becomes 0.005
    low = ABB(strength=1e9).fit([0.001, 0.003], [0, 1]).predict([0.0])
    assert low == pytest.approx((0 + 0.01) / 3)


def test_tied_scores_give_the_finest_binning_the_shares_of_all_its_sizes():
    scores = np.repeat(np.linspace(0.05, 0.95, 10), 100)
    labels = (np.arange(1000) % 100 < 100 * scores).astype(int)
    calibrator = BBQ().fit(scores, labels)
    finest = calibrator.n_bins_ >= 10
    assert (finest.sum(), finest.size) == (91, 100)
    assert np.unique(calibrator.log_scores_[finest]).size == 1
    assert np.unique(calibrator.log_scores_[~finest]).size == 9
    assert np.ptp(calibrator.weights_[finest]) == 0


def test_the_strength_of_the_prior_sets_the_number_of_bins():
    scores, labels = sample(60, 4)
    expected = [1 + ABB(strength=s).fit(scores, labels).cut_probabilities_.sum() for s in (1, 10)]
    assert expected[0] < expected[1]
    one_bin = ABB(strength=1e-12).fit(scores, labels)
    np.testing.assert_allclose(one_bin.predict(scores), (labels.sum() + 1) / 62, atol=1e-9)
    every_cut = ABB(strength=1e9).fit(scores, labels)
    np.testing.assert_allclose(every_cut.cut_probabilities_, 1)


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 40), seed=seeds)
def test_exchanging_the_classes_mirrors_abb(n, seed):
    scores, labels = sample(n, seed)
    ours = quietly(ABB(), scores, labels).predict(scores)
    mirrored = quietly(ABB(), 1 - scores, 1 - labels).predict(1 - scores)
    np.testing.assert_allclose(ours, 1 - mirrored, rtol=0, atol=1e-10)


# Edge cases and the contract


@each_method
def test_one_observation(method):
    for label in (0, 1):
        fitted = quietly(method, [0.8], [label])
        np.testing.assert_allclose(fitted.predict([0.0, 0.8, 1.0]), (label + 1) / 3)


@each_method
def test_two_observations(method):
    expected = (1 + 1) / 4  # one bin
    if isinstance(method, ABB):  # or two, [0, 0.4] and [0.4, 1]
        cut = -math.expm1(-method.strength)
        two_bins = cut * (1 - 0.2) * 0.7
        one_bin = (1 - cut) * math.exp(betaln(2, 2) - betaln(1, 1))
        expected = np.array(
            [one_bin * 0.5 + two_bins * 0.4 / 3, one_bin * 0.5 + two_bins * 2.4 / 3]
        )
        expected /= one_bin + two_bins
    fitted = clone(method).fit([0.2, 0.6], [0, 1])
    np.testing.assert_allclose(fitted.predict([0.2, 0.6]), expected)


@each_method
def test_all_tied_scores_share_one_bin(method):
    fitted = clone(method).fit(np.full(1000, 0.3), np.arange(1000) < 250)
    np.testing.assert_allclose(fitted.predict([0.0, 0.3, 1.0]), 251 / 1002)
    assert fitted.map_.scores.size == 0


@each_method
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_predicted_with_a_warning(method, label):
    scores = np.linspace(0.1, 0.9, 50)
    with pytest.warns(OneClassWarning):
        fitted = clone(method).fit(scores, np.full(50, label))
    predicted = fitted.predict(scores)
    assert np.all((predicted > 0) & (predicted < 1))
    if method.get_params().get("strength", 1.0) == 1.0:
        np.testing.assert_allclose(predicted, label, rtol=0, atol=0.03)


@each_method
@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 60), seed=seeds, decimals=decimals)
def test_probabilities_whatever_the_sample_and_its_order(method, n, seed, decimals):
    scores, labels = sample(n, seed, decimals)
    order = np.random.default_rng(seed).permutation(n)
    queries = np.concatenate([scores, np.linspace(0, 1, 21)])
    predicted = quietly(method, scores, labels).predict(queries)
    assert np.all((predicted > 0) & (predicted < 1))
    shuffled = quietly(method, scores[order], labels[order]).predict(queries)
    np.testing.assert_array_equal(shuffled, predicted)


@each_method
@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_an_integer_weight_is_that_many_copies(method, seed):
    scores, labels = sample(50, seed, decimals=2)
    copies = np.random.default_rng(seed).integers(0, 4, 50)
    copies[0] += 1  # at least one row
    repeated = quietly(method, np.repeat(scores, copies), np.repeat(labels, copies))
    weighted = quietly(method, scores, labels, copies)
    grid = np.linspace(0, 1, 101)
    np.testing.assert_allclose(weighted.predict(grid), repeated.predict(grid), rtol=0, atol=1e-12)


@each_method
def test_the_map_alone_gives_the_predictions(method):
    fitted = clone(method).fit(*sample(200, 6))
    cuts, values = fitted.map_.scores, fitted.map_.probabilities
    assert fitted.map_.kind == "step" and values.size == cuts.size + 1 and np.all(np.diff(cuts) > 0)
    queries = np.linspace(0, 1, 1001)
    by_hand = values[np.searchsorted(cuts, queries, side="right")]
    np.testing.assert_array_equal(fitted.predict(queries), by_hand)
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(restored.predict(queries), by_hand)


@pytest.mark.parametrize("shift", [0.0, 1.0])
@each_method
def test_scores_next_to_each_other(method, shift):
    neighbour = np.nextafter(shift, 0.5)
    scores = np.repeat([shift, neighbour], 40)
    fitted = clone(method).fit(scores, (np.arange(80) < 40) == (shift == 1))
    predicted = fitted.predict([shift, neighbour, 0.5])
    assert np.all((predicted > 0) & (predicted < 1))
    if isinstance(method, ABB):
        assert predicted[0] < 0.1 if shift == 0 else predicted[0] > 0.9


@each_method
def test_heavy_weights_stay_within_the_unit_interval(method):
    scores, labels = sample(30, 7)
    predicted = (
        clone(method).fit(scores[:9], labels[:9], sample_weight=np.full(9, 1e6)).predict(scores)
    )
    assert np.all((predicted > 0) & (predicted < 1))
    with pytest.raises(ValueError, match="sample_weight adds up to 3e.13.*divide the weights"):
        clone(method).fit(scores, labels, sample_weight=np.full(30, 1e12))


@pytest.mark.slow
def test_rounding_does_not_lift_an_average_above_one():
    with pytest.warns(OneClassWarning):
        fitted = BBQ().fit([0.9, 1.0], [1, 1], sample_weight=[5e11, 5e11])  # of 99,001 models
    assert 0.99 < fitted.predict([1.0]) <= 1  # the sum of the jumps may be more


def test_a_gap_that_underflows_is_never_cut():
    fitted = ABB(strength=0.1).fit([0.0, 5e-324, 1.0], [0, 1, 1])
    assert fitted.cut_probabilities_[0] == 0 < fitted.cut_probabilities_[1]
    assert np.isfinite(fitted.log_evidence_)


def test_the_lightest_sample_has_one_model():
    assert model_sizes(5e-324).tolist() == [1]


@each_method
def test_scores_must_be_probabilities(method):
    with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]; found -0.5 at row 0"):
        clone(method).fit([-0.5, 0.5], [0, 1])
    with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]; found 2.0 at row 1"):
        clone(method).fit([0.5, 0.7], [0, 1]).predict([0.5, 2.0])


@pytest.mark.parametrize(
    "method, message",
    [
        (BBQ(averaging="yes"), "averaging must be True or False; found 'yes'"),
        (ABB(strength=0), "strength must be a number between 0"),
        (ABB(strength=np.nan), "strength must be a number between 0"),
        (ABB(max_distinct=0), "max_distinct must be an integer of at least 1"),
        (ABB(max_distinct=2), "3 distinct values but max_distinct is 2.*round the scores"),
    ],
)
def test_parameters_are_checked_at_fit(method, message):
    with pytest.raises(ValueError, match=message):
        method.fit([0.1, 0.2, 0.2, 0.3], [0, 1, 0, 1])


def test_the_guard_counts_distinct_scores():
    fitted = ABB(max_distinct=11).fit(*sample(500, 8, decimals=1))
    assert fitted.map_.probabilities.size <= 11
