"""Tests that may be looked at after every batch: bets by definition, size and delay by draws."""

import itertools
import json
import math

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.special import expit, logit

from calibkit.streams import BaseRateTest, SequentialCalibrationTest
from calibkit.streams.betting import DESIGNS, Learners, cells, line, ranges, spread


def sample(n=300, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, n)
    return (rng.random(n) < p).astype(int), p


def feed(test, truth, predictions, size, rng):
    for start in range(0, truth.size, size):
        rows = slice(start, start + size)
        test.update(rng.random(truth[rows].size) < truth[rows], predictions[rows])
    return test


def test_capital_reaches_twenty_once_in_twenty_at_most():
    """At any time, and its mean stays at one."""
    rng = np.random.default_rng(0)
    n_paths, largest, final = 150, [], []
    for _ in range(n_paths):
        p = rng.random(300)
        test = feed(SequentialCalibrationTest(), p, p, 30, rng)
        largest.append(test.p_value)
        final.append(math.exp(test.log_e_value))
    assert np.mean(np.array(largest) <= 0.05) <= 0.05
    assert np.mean(final) <= 1 + 3 * np.std(final) / math.sqrt(n_paths)


@pytest.mark.parametrize("size", [5, 20, 100])
def test_bias_and_overconfidence_are_found_in_time(size):
    rng = np.random.default_rng(0)
    truth = rng.random(3000)
    for p in (expit(logit(truth) + 0.5), expit(1.7 * logit(truth))):
        assert feed(SequentialCalibrationTest(), truth, p, size, rng).p_value < 0.001


def test_capital_is_won_by_the_bets_of_learners_that_begin_with_each_batch():
    """By the probabilities that each learner would have bet with, one at a time."""
    rng = np.random.default_rng(0)
    test, best = SequentialCalibrationTest(), 0.0
    for batch in range(1, 10):
        p = rng.uniform(0.05, 0.95, 30)
        labels = rng.random(30) < expit(1.5 * logit(p) - 0.5)
        purses = [-math.log(batch + 1)]  # what is left for later batches
        purses += 2 * [-math.log(2 * batch * (batch + 1))]  # the new learners do not bet yet
        for learners, design in zip(test._learners, (line, ranges), strict=True):
            for purse, mean in zip(learners.log_capitals, learners.means, strict=True):
                q = expit(logit(p) + design(logit(p)) @ mean)
                won = np.sum(np.log(np.where(labels, q / p, (1 - q) / (1 - p))))
                purses.append(purse + won)
        best = max(best, np.logaddexp.reduce(purses))
        assert test.update(labels, p) is test
        assert test.log_e_value == pytest.approx(np.logaddexp.reduce(purses))
        assert test.p_value == pytest.approx(math.exp(-best))
    assert test.n_rows == 270 and "n_rows=270" in repr(test)


@pytest.mark.parametrize("design", ["line", "ranges"])
def test_what_is_learned_is_the_posterior_mode(design):
    """Of the cells' mean logits; of the rows themselves it is to three digits."""
    rng = np.random.default_rng(1)
    x = rng.normal(0, 2, 400)
    labels = (rng.random(400) < expit(0.5 * x + 0.3)).astype(int)
    learners, columns = Learners(design), DESIGNS[design](x)
    for start in (1, 2):
        learners.begin(start, 0.0)
        learners.learn(*cells(labels, x, np.ones(400)))

    def loss(mean, times):
        margin = np.where(labels == 1, 1, -1) * (x + columns @ mean)
        return times * np.sum(np.logaddexp(0, -margin)) + 2 * mean @ mean

    once = minimize(loss, np.zeros(columns.shape[1]), args=(1,), tol=1e-10).x
    assert learners.means[1] == pytest.approx(once, abs=2e-3)
    slope = approx_fprime(learners.means[1], loss, 1e-6, 1)
    assert np.abs(slope).max() < 0.5  # the loss of 400 rows, whose curvature is about 60


def test_starts_stay_two_of_each_power_of_two():
    starts = []
    for batch in range(1, 600):
        starts = spread([*starts, batch])
        assert starts == spread(range(1, batch + 1))
        ages = batch + 1 - np.array(starts)
        for change in range(1, batch + 1):  # some learner began after it, and saw a third since
            assert np.any((ages <= change) & (3 * ages > change))


def test_a_change_is_found_soon_after_a_long_quiet_time_and_dated():
    rng = np.random.default_rng(0)
    test = SequentialCalibrationTest()
    for batch in range(70):
        p = rng.random(500)
        wrong = (p > 0.9) & (batch >= 60)
        test.update(rng.random(500) < p - 0.2 * wrong, p)
        if batch == 59:
            assert test.p_value > 0.05
    assert test.p_value < 0.001
    assert 48 < test.since < 66
    assert test.worst_range in [(0.9, 0.98), (0.98, 1.0)]


def test_an_integer_weight_is_that_many_copies_in_the_sequential_test():
    weighted, repeated = SequentialCalibrationTest(), SequentialCalibrationTest()
    for seed in range(3):
        labels, p = sample(40, seed)
        copies = np.random.default_rng(seed).integers(1, 4, 40)
        weighted.update(labels, p, sample_weight=copies)
        repeated.update(np.repeat(labels, copies), np.repeat(p, copies))
    assert weighted.log_e_value == pytest.approx(repeated.log_e_value, abs=1e-9)
    assert weighted.n_rows == repeated.n_rows


def learned(**wrong):
    """A state whose learners of a line are not what they were."""
    stored = SequentialCalibrationTest().update([0, 1], [0.4, 0.6]).to_dict()
    stored["learners"]["line"] |= wrong
    return stored


@pytest.mark.parametrize(
    "stored",
    [
        learned() | {"totals": [10.0, float("nan"), 0.0]},
        learned() | {"n_batches": 10**18},
        learned() | {"learners": {}},
        learned(starts=[]),
        learned(starts=[2]),
        learned(means=[[0.0, float("inf")]]),
        learned(log_capitals=[float("nan")]),
        learned(precisions=[[[0.0, 0.0], [0.0, 1.0]]]),
        learned(means="abc"),
    ],
    ids=str,
)
def test_a_state_that_cannot_be_is_refused(stored):
    with pytest.raises(ValueError, match="stored is not a result of to_dict"):
        SequentialCalibrationTest.from_dict(stored)


# The base rate


def test_the_numerator_of_the_base_rate_test_is_a_law_of_the_labels():
    """Its sum over all sequences of labels is one, so the e-value is a likelihood ratio at most."""
    total = 0.0
    for labels in itertools.product([0, 1], repeat=7):
        labels = np.array(labels)
        test = BaseRateTest()
        for batch in (labels[:2], labels[2:3], labels[3:]):
            test.update(batch)
        rate = labels.mean()
        total += np.exp(test.log_e_value) * np.prod(np.where(labels == 1, rate, 1 - rate))
    assert total == pytest.approx(1, abs=1e-12)


def test_the_base_rate_test_goes_on_as_it_was_and_refuses_what_cannot_be():
    rng = np.random.default_rng(0)
    test = BaseRateTest()
    for rate in (0.2, 0.2, 0.4):
        test.update(rng.random(100) < rate)
    again = BaseRateTest.from_dict(json.loads(json.dumps(test.to_dict())))
    assert vars(again) == vars(test)
    for wrong in (
        {"n_rows": "abc"},
        {"n_rows": [100, 200]},
        {"n_rows": None},
        {"n_positives": [0, 500, 501]},
        {"log_e_value": math.inf},
    ):
        with pytest.raises(ValueError, match="not a result of to_dict"):
            BaseRateTest.from_dict(test.to_dict() | wrong)
    with pytest.raises(ValueError, match="not a result of to_dict"):
        BaseRateTest.from_dict({})


def test_the_base_rate_test_alarms_falsely_as_seldom_as_it_says_and_finds_a_change():
    rng = np.random.default_rng(4)
    alarms = {0.3: 0, 0.45: 0}
    for later in alarms:
        for _ in range(200):
            test = BaseRateTest()
            for batch in range(20):
                test.update((rng.random(200) < (0.3 if batch < 10 else later)).astype(int))
            alarms[later] += test.p_value <= 0.05
    assert alarms[0.3] <= 10 + 3 * np.sqrt(200 * 0.05 * 0.95)
    assert alarms[0.45] >= 198


def test_the_base_rate_test_refuses_wrong_labels_and_is_then_as_it_was():
    test = BaseRateTest().update([0, 1, True])
    before = test.to_dict() | {"n_rows": [3], "n_positives": [2]}
    for wrong in ([], [0, 2], [0.5], [[0, 1]], ["a"], None, [np.nan]):
        with pytest.raises(ValueError, match="labels"):
            test.update(wrong)
    assert test.to_dict() == before
    assert repr(test) == "BaseRateTest(n_rows=3, p_value=1)"
    assert repr(BaseRateTest()) == "BaseRateTest(n_rows=0, p_value=1)"
