"""Calibrators that learn batch by batch: against one fit to all rows, enumeration, an optimiser."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, gammaln, log_expit, logit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from calib import HistogramBinning, IsotonicCalibrator, PlattScaling
from calibkit.streams import GuardedCalibrator, OnlineHistogramBinning, OnlinePlattScaling
from calibkit.streams.online_calibrators import LINE_PRECISION

ONLINE = [
    OnlineHistogramBinning(bins=4),
    OnlinePlattScaling(),
    GuardedCalibrator(),
    GuardedCalibrator(OnlineHistogramBinning(bins=[0.2, 0.6]), alpha=0.2),
]
each_online = pytest.mark.parametrize("calibrator", ONLINE, ids=str)
seeds = st.integers(0, 10**6)


def sample(n, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.7, 0.9, n)
    return scores, (rng.random(n) < 0.2 + 0.6 * scores**2).astype(int)


def fed(calibrator, scores, labels, weights=None, *, batches):
    calibrator = clone(calibrator)
    for rows in np.array_split(np.arange(len(scores)), batches):
        of_rows = None if weights is None else weights[rows]
        calibrator.partial_fit(scores[rows], labels[rows], sample_weight=of_rows)
    return calibrator


# What all of them promise


@each_online
def test_the_first_batch_is_a_fit_and_fit_begins_anew(calibrator):
    first, second = sample(80, 1), sample(50, 2)
    expected = clone(calibrator).fit(*first).to_dict()
    assert clone(calibrator).partial_fit(*first).to_dict() == expected
    assert clone(calibrator).fit(*second).partial_fit(*second).fit(*first).to_dict() == expected


@each_online
def test_a_stored_calibrator_goes_on_as_if_it_had_not_been_stored(calibrator):
    scores, labels = sample(400)
    for rows in 60, 240:  # the guard without a challenger, and with one
        going = fed(calibrator, scores[:rows], labels[:rows], batches=rows // 60)
        stored = json.loads(json.dumps(going.to_dict(), allow_nan=False))
        again = clone(calibrator).restore(stored)
        np.testing.assert_array_equal(again.predict(scores), going.predict(scores))
        for one in going, again:
            one.partial_fit(scores[rows:], labels[rows:])
        assert again.to_dict() == going.to_dict()


@each_online
def test_what_is_no_state_is_refused_and_changes_nothing(calibrator):
    fitted = clone(calibrator).partial_fit(*sample(30))
    good = fitted.to_dict()
    wrong = [None, [], {}, good | {"kind": "another"}]
    wrong += [{k: v for k, v in good.items() if k != name} for name in good]
    wrong += [good | {name: "x"} for name in good]
    for stored in wrong:
        with pytest.raises(ValueError, match="stored is not a result of to_dict of"):
            fitted.restore(stored)
        assert fitted.to_dict() == good
        fresh = clone(calibrator)
        with pytest.raises(ValueError):
            fresh.restore(stored)
        with pytest.raises(NotFittedError):
            fresh.to_dict()


@each_online
def test_a_refused_batch_changes_nothing(calibrator):
    fitted = fed(calibrator, *sample(90), batches=3)
    before, unfitted = fitted.to_dict(), clone(calibrator)
    for one in fitted, unfitted:
        with pytest.raises(ValueError, match="labels must be 0/1"):
            one.partial_fit([0.1, 0.2], [0, 2])
        with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]|labels has 1 rows"):
            one.partial_fit([0.1, 2.0], [0])
        with pytest.raises(ValueError, match="sample_weight must not be negative"):
            one.partial_fit([0.1, 0.2], [0, 1], sample_weight=[1, -1])
    assert fitted.to_dict() == before
    with pytest.raises(NotFittedError):
        unfitted.predict([0.5])


@each_online
def test_a_batch_of_one_class_and_one_row_is_a_batch(calibrator):
    fitted = clone(calibrator)
    for score, label in zip(*sample(20), strict=True):
        fitted.partial_fit([score], [label])  # warnings would be errors
    assert 0 < fitted.predict([0.5])[0] < 1


@each_online
def test_a_weight_is_that_many_rows_of_a_batch(calibrator):
    scores, labels = sample(120)
    copies = np.random.default_rng(0).integers(0, 4, 120)
    weighted = fed(calibrator, scores, labels, copies, batches=4)
    repeated = clone(calibrator)
    for part in np.array_split(np.arange(120), 4):
        rows = np.repeat(part, copies[part])
        repeated.partial_fit(scores[rows], labels[rows])
    np.testing.assert_allclose(weighted.predict(scores), repeated.predict(scores), atol=1e-9)


# Bins


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 200), st.integers(1, 7), seeds)
def test_counts_are_those_of_one_fit_in_the_same_bins(n, batches, seed):
    rng = np.random.default_rng(seed)
    scores, labels = sample(n, seed)
    scores = scores.round(2)
    uniform = HistogramBinning(n_bins=7, strategy="uniform")
    order = rng.permutation(n)
    labels[:2] = 0, 1
    for whole, bins in [(uniform, 7), (HistogramBinning(n_bins=5), None)]:
        whole.fit(scores, labels)
        online = OnlineHistogramBinning(bins=whole.cuts_ if bins is None else bins)
        online = fed(online, scores[order], labels[order], batches=min(batches, n))
        for name in "cuts_", "counts_", "positives_":
            np.testing.assert_array_equal(getattr(online, name), getattr(whole, name))
        expected = (whole.positives_ + 0.5) / (whole.counts_ + 1)
        np.testing.assert_array_equal(online.map_.probabilities, expected)


def test_merged_streams_are_one_stream():
    scores, labels = sample(300)
    parts = [OnlineHistogramBinning().fit(scores[i::3], labels[i::3]) for i in range(3)]
    merged = parts[0].merge(parts[1]).merge(parts[2])
    assert merged.to_dict() == OnlineHistogramBinning().fit(scores, labels).to_dict()
    with pytest.raises(ValueError, match="other has other cuts"):
        merged.merge(OnlineHistogramBinning(bins=3).fit(scores, labels))
    with pytest.raises(NotFittedError):
        merged.merge(OnlineHistogramBinning())
    for other in None, OnlinePlattScaling().fit(scores, labels):
        with pytest.raises(ValueError, match="other must be an OnlineHistogramBinning; found "):
            merged.merge(other)


def test_learning_a_bin_costs_what_krichevsky_and_trofimov_say():
    """Every sequence of up to eight labels: the loss ahead of time, its formula, and the bound."""
    largest = 0.0
    for n in range(1, 9):
        for labels in itertools.product([0, 1], repeat=n):
            calibrator = OnlineHistogramBinning(bins=1).partial_fit([0.5], labels[:1])
            loss = math.log(2)
            for label in labels[1:]:
                p = calibrator.predict([0.5])[0]
                loss -= math.log(p if label else 1 - p)
                calibrator.partial_fit([0.5], [label])
            m = sum(labels)
            formula = 2 * math.lgamma(0.5) + gammaln(n + 1)
            assert loss == pytest.approx(formula - gammaln(m + 0.5) - gammaln(n - m + 0.5))
            best = -sum(k * math.log(k / n) for k in (m, n - m) if k)
            largest = max(largest, loss - best - math.log(n) / 2)
    assert largest == pytest.approx(math.log(2))


@pytest.mark.parametrize("bins", [0, -3, 2.5, "ten", [0.5, 0.5], [0.3, 0.2], [0.1, np.nan], [[1]]])
def test_what_are_no_bins_is_refused(bins):
    with pytest.raises(ValueError, match="bins"):
        OnlineHistogramBinning(bins=bins).fit([0.1, 0.2], [0, 1])


@pytest.mark.parametrize("bins", [2.0, "ten", None, [[0.2, 0.4]]])
def test_what_is_neither_a_number_nor_cuts_is_told_what_bins_are(bins):
    message = "bins must be a number of bins, an integer, or the increasing cuts between them"
    with pytest.raises(ValueError, match=message):
        OnlineHistogramBinning(bins=bins).fit([0.1, 0.2], [0, 1])


def test_cuts_take_any_scores():
    fitted = OnlineHistogramBinning(bins=[-1.0, 10.0]).fit([-5, -1, 10, 50], [0, 1, 1, 1])
    assert fitted.counts_.tolist() == [1, 1, 2] and fitted.positives_.tolist() == [0, 1, 2]
    assert OnlineHistogramBinning(bins=[]).partial_fit([3.0], [1]).predict([7.0]) == 0.75


# Platt scaling


def minus_log_posterior(parameters, mean, precision, logits, labels, weights):
    log_odds = parameters[0] + parameters[1] * logits
    apart = parameters - mean
    return apart @ precision @ apart / 2 - weights @ log_expit((2 * labels - 1) * log_odds)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 80), seeds, st.sampled_from([0.0, 1.0, "mixed"]))
def test_each_batch_moves_to_the_largest_posterior(n, seed, share):
    rng = np.random.default_rng(seed)
    mean, precision = np.array([0.0, 1.0]), LINE_PRECISION * np.eye(2)
    calibrator = OnlinePlattScaling()
    for _ in range(3):
        scores = rng.beta(0.7, 0.9, n)
        labels = (rng.random(n) < (scores if share == "mixed" else share)).astype(int)
        weights = rng.uniform(0.5, 2, n)
        calibrator.partial_fit(scores, labels, sample_weight=weights)
        posterior = mean, precision, logit(scores), labels, weights
        best = minimize(minus_log_posterior, mean, posterior, "BFGS", options={"gtol": 1e-8})
        mean = np.array([calibrator.intercept_, calibrator.slope_])
        assert minus_log_posterior(mean, *posterior) <= best.fun + 1e-9
        np.testing.assert_allclose(mean, best.x, atol=1e-4)
        design = np.stack([np.ones(n), logit(scores)])
        p = expit(mean @ design)
        precision = precision + (design * weights * p * (1 - p)) @ design.T
        np.testing.assert_allclose(calibrator.precision_, precision, rtol=1e-9)


@pytest.mark.parametrize(
    "precision",
    [[[1, 50], [0, 1]], [[1, 0], [50, 1]], np.diag([1, np.nan]), np.diag([1, np.inf])],
)
def test_a_stored_precision_that_is_none_is_refused(precision):
    good = OnlinePlattScaling().fit(*sample(30)).to_dict()
    with pytest.raises(ValueError, match="precision must be finite and symmetric"):
        OnlinePlattScaling().restore(good | {"precision": precision})


def test_many_batches_come_to_what_one_fit_finds():
    rng = np.random.default_rng(3)
    scores = rng.beta(0.7, 0.9, 20_000)
    labels = rng.random(scores.size) < expit(-0.5 + 0.6 * logit(scores))
    whole = PlattScaling(scale="logit").fit(scores, labels)
    online = fed(OnlinePlattScaling(), scores, labels, batches=200)
    errors = np.sqrt(np.diag(np.linalg.inv(online.precision_)))
    found = np.array([online.intercept_ - whole.intercept_, online.slope_ - whole.slope_])
    assert np.all(np.abs(found) < 0.3 * errors)
    np.testing.assert_allclose([whole.intercept_, whole.slope_], [-0.5, 0.6], atol=4 * errors.max())


# The guard


def test_the_capital_is_the_difference_of_the_losses_ahead_of_time():
    scores, labels = sample(600)
    in_use, challenger, capital = OnlinePlattScaling(), OnlinePlattScaling(), 0.0
    guarded = GuardedCalibrator(alpha=1e-9)
    for k, rows in enumerate(np.array_split(np.arange(600), 12)):
        s, z = scores[rows], labels[rows]
        guarded.partial_fit(s, z)
        if k == 0:
            in_use.partial_fit(s, z)
        else:
            if k > 1:  # before, there is no challenger
                p, q = in_use.predict(s), challenger.predict(s)
                capital += np.log(np.where(z, q / p, (1 - q) / (1 - p))).sum()
            challenger.partial_fit(s, z)
        assert guarded.log_e_value_ == pytest.approx(capital, abs=1e-12)
        np.testing.assert_array_equal(guarded.predict(s), in_use.predict(s))
    assert guarded.n_switches_ == 0
    assert guarded.challenger_.to_dict() == challenger.to_dict()


def capital_over_all_labels(calibrator, weights=None):
    """Mean of the capital and, by alpha, the probability that it ever is 1 / alpha, exactly.

    Over all labels of eight rows, of which `weights` has those with label 0 and with label 1. The
    map in use is calibrated under these weights.
    """
    scores = np.array([0.3, 0.8] * 4)
    patient = GuardedCalibrator(calibrator, alpha=1e-12)
    patient.fit([0.2, 0.3, 0.7, 0.8, 0.9], [0, 1, 0, 1, 1])
    weights = np.ones((8, 2)) if weights is None else weights
    p = patient.predict(scores)
    chances = np.stack([1 - p, p], axis=1) / weights
    chances /= chances.sum(axis=1, keepdims=True)
    mean, ever = 0.0, {0.5: 0.0, 0.25: 0.0}
    for labels in itertools.product([0, 1], repeat=8):
        one, largest = clone(patient).restore(patient.to_dict()), 0.0
        for score, label, weight in zip(scores, labels, weights, strict=True):
            one.partial_fit([score], [label], sample_weight=[weight[label]])
            largest = max(largest, one.log_e_value_)
        probability = np.prod(chances[np.arange(8), labels])
        mean += probability * np.exp(one.log_e_value_)
        for alpha in ever:
            ever[alpha] += probability * (largest >= -np.log(alpha))
    return mean, ever


each_bettor = pytest.mark.parametrize(
    "calibrator", [OnlineHistogramBinning(bins=[0.5]), OnlinePlattScaling()]
)


@pytest.mark.slow
@each_bettor
def test_the_capital_is_a_martingale_and_is_seldom_large(calibrator):
    mean, ever = capital_over_all_labels(calibrator)
    assert mean == pytest.approx(1)
    assert all(0 < risk <= alpha for alpha, risk in ever.items())


@pytest.mark.slow
@each_bettor
def test_weights_of_at_most_one_keep_the_promise(calibrator):
    """Of rows, whatever their labels, and of classes."""
    of_rows = np.repeat(np.linspace(0.2, 1, 8)[:, np.newaxis], 2, axis=1)
    of_classes = np.tile([0.3, 1.0], (8, 1))
    for weights in of_rows, of_classes:
        mean, ever = capital_over_all_labels(calibrator, weights)
        assert mean < 1
        assert all(0 < risk <= alpha for alpha, risk in ever.items())


@each_bettor
def test_a_larger_weight_of_one_row_breaks_the_promise_as_the_notes_say(calibrator):
    mean, ever = capital_over_all_labels(calibrator, np.full((8, 2), 5.0))
    assert mean > 1
    assert ever[0.25] > 0.25


def test_the_map_is_replaced_by_the_one_that_has_beaten_it():
    scores, labels = sample(400)
    guarded = GuardedCalibrator(alpha=0.01).fit(scores, labels)
    before = guarded.predict([0.1, 0.9])
    for _ in range(100):
        beaten_by = clone(guarded).restore(guarded.to_dict()).challenger_
        guarded.partial_fit(scores, 1 - labels)
        if guarded.n_switches_:
            break
        np.testing.assert_array_equal(guarded.predict([0.1, 0.9]), before)
        assert guarded.log_e_value_ < np.log(100)
    assert guarded.n_switches_ == 1
    assert guarded.calibrator_.to_dict() == beaten_by.partial_fit(scores, 1 - labels).to_dict()
    assert guarded.log_e_value_ == 0 and not hasattr(guarded.challenger_, "classes_")
    assert guarded.map_ is guarded.calibrator_.map_


def test_what_cannot_guard_is_refused():
    with pytest.raises(ValueError, match="alpha must be a number between 0 and 1; found 1"):
        GuardedCalibrator(alpha=1).fit([0.1, 0.9], [0, 1])
    with pytest.raises(ValueError, match="calibrator must be an OnlineCalibrator.*Isotonic"):
        GuardedCalibrator(IsotonicCalibrator()).partial_fit([0.1, 0.9], [0, 1])


def test_a_risk_that_is_none_is_refused_after_the_fit_too():
    guarded = GuardedCalibrator().fit(*sample(30)).set_params(alpha=7)
    before = guarded.to_dict()
    with pytest.raises(ValueError, match="alpha must be a number between 0 and 1; found 7"):
        guarded.partial_fit(*sample(30, 1))
    assert guarded.to_dict() == before


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"n_switches": -4}, "n_switches must be an integer of at least 0; found -4"),
        ({"n_switches": 1.5}, "n_switches must be an integer of at least 0; found 1.5"),
        ({"log_e_value": 50.0}, "there is a capital, but no challenger"),
        ({"log_e_value": np.nan}, "the capital is not finite"),
    ],
)
def test_a_stored_guard_that_none_can_have_been_is_refused(wrong, message):
    good = GuardedCalibrator().fit(*sample(30)).to_dict()
    with pytest.raises(ValueError, match=message):
        GuardedCalibrator().restore(good | wrong)
