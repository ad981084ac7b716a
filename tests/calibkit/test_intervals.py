"""Bootstrap intervals: coverage where the truth is known, pairing, groups, weights."""

import numpy as np
import pytest
from scipy.special import expit, logit

from calib.metrics import brier_score_loss, expected_calibration_error, log_loss, roc_auc_score
from calibkit.inference import (
    bootstrap_by_group,
    bootstrap_difference,
    bootstrap_interval,
    kuiper_error,
    smooth_calibration_error,
)


def sample(n=200, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, n)
    labels = (rng.random(n) < expit(0.6 * logit(p))).astype(int)
    return labels, p if decimals is None else p.round(decimals).clip(0.05, 0.95)


def overconfident(p):
    return expit(0.6 * logit(p))


def in_the_population(measure):
    """Of uniform predictions and the truth above: a fine grid, weighted by the probabilities."""
    p = (np.arange(100_000) + 0.5) / 100_000
    truth = overconfident(p)
    labels = np.repeat([0, 1], p.size)
    return measure(labels, np.tile(p, 2), sample_weight=np.r_[1 - truth, truth])


@pytest.mark.slow
@pytest.mark.parametrize(
    "measure, least",
    [
        (brier_score_loss, 0.94),  # 1 % is lost to the skewness of 300 rows
        (log_loss, 0.94),
        (smooth_calibration_error, 0.85),  # of errors, part of the bias is left
        (kuiper_error, 0.85),
        (expected_calibration_error, 0.85),
    ],
    ids=["brier", "log", "smooth", "kuiper", "ece"],
)
def test_intervals_hold_the_truth(measure, least):
    """As often as that, less three standard errors of 120 samples; percentile intervals do not."""
    rng = np.random.default_rng(0)
    truth, n = in_the_population(measure), 300
    held, percentile = [], []
    for _ in range(120):
        p = rng.random(n)
        labels = rng.random(n) < overconfident(p)
        interval = bootstrap_interval(measure, labels, p, n_resamples=200, random_state=rng)
        held.append(interval.lower <= truth <= interval.upper)
        reflected = 2 * interval.estimate - np.array([interval.upper, interval.lower])
        percentile.append(reflected[0] <= truth <= reflected[1])
    assert np.mean(held) >= least - 3 * np.sqrt(least * (1 - least) / 120)
    if measure in [expected_calibration_error, kuiper_error]:
        assert np.mean(percentile) < np.mean(held)


def test_the_interval_is_the_one_of_the_book():
    """Reflected quantiles of the measure over draws of rows."""
    labels, p = sample(80)
    interval = bootstrap_interval(brier_score_loss, labels, p, n_resamples=4000, confidence=0.8)
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 80, (4000, 80))
    draws = np.mean((labels - p)[rows] ** 2, axis=1)
    value = brier_score_loss(labels, p)
    low, high = np.quantile(draws, [0.1, 0.9])
    assert interval.estimate == pytest.approx(value, abs=1e-15)
    expected = 2 * value - high, 2 * value - low, draws.std()
    # standard error of a quantile of 4000 normal draws, sqrt(0.1 0.9 / 4000) / 0.175, on each side
    assert interval[1:] == pytest.approx(expected, abs=3 * 2**0.5 * 0.027 * draws.std())


@pytest.mark.slow
def test_pairing_removes_what_two_predictions_share():
    labels, p = sample(400)
    better = expit(0.8 * logit(p))
    paired = bootstrap_difference(brier_score_loss, labels, better, p)
    single = [bootstrap_interval(brier_score_loss, labels, q) for q in (better, p)]
    assert paired.estimate == pytest.approx(single[0].estimate - single[1].estimate)
    assert paired.upper < 0
    assert paired.error < 0.5 * min(interval.error for interval in single)
    assert bootstrap_difference(log_loss, labels, p, p) == (0, 0, 0, 0)


def squared_error(labels, p, sample_weight):
    """The Brier score without checks, which is quick."""
    return sample_weight @ (labels - p) ** 2 / sample_weight.sum()


@pytest.mark.slow
def test_intervals_of_groups_hold_all_at_once():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(3), 250)
    truth, held, single = in_the_population(brier_score_loss), 0, 0
    for _ in range(60):
        p = rng.random(groups.size)
        labels = rng.random(groups.size) < overconfident(p)
        intervals = bootstrap_by_group(
            squared_error, labels, p, groups, n_resamples=1000, random_state=rng
        )
        held += all(i.lower <= truth <= i.upper for i in intervals.values())
        single += all(abs(i.estimate - truth) < 1.96 * i.error for i in intervals.values())
    assert held / 60 >= 0.93 - 3 * np.sqrt(0.95 * 0.05 / 60)
    assert single <= held  # one by one they are narrower


def test_groups_are_named_and_those_without_weight_are_not_there():
    labels, p = sample(90)
    groups = np.array(["north", "south", "west"])[np.arange(90) % 3]
    intervals = bootstrap_by_group(brier_score_loss, labels, p, groups, n_resamples=50)
    assert list(intervals) == ["north", "south", "west"]
    for name, interval in intervals.items():
        rows = groups == name
        assert interval.estimate == pytest.approx(brier_score_loss(labels[rows], p[rows]))
    weights = np.where(groups == "west", 0, 1)
    rest = bootstrap_by_group(
        brier_score_loss, labels, p, groups, n_resamples=50, sample_weight=weights
    )
    two = groups != "west"
    alone = bootstrap_by_group(brier_score_loss, labels[two], p[two], groups[two], n_resamples=50)
    assert rest == alone


def test_an_integer_weight_is_that_many_copies_and_the_order_does_not_matter():
    labels, p = sample(60, decimals=1)
    q = overconfident(p)
    rng = np.random.default_rng(0)
    copies = rng.integers(0, 4, 60)
    rows = rng.permutation(np.repeat(np.arange(60), copies))
    for function, columns in ((bootstrap_interval, [p]), (bootstrap_difference, [p, q])):
        weighted = function(kuiper_error, labels, *columns, n_resamples=50, sample_weight=copies)
        repeated = function(kuiper_error, labels[rows], *(c[rows] for c in columns), n_resamples=50)
        assert weighted == pytest.approx(repeated, abs=1e-12)


def test_bad_input_is_refused_by_name():
    labels, p = sample(30)
    for options, message in [
        ({"n_resamples": 1}, "n_resamples must be an integer of at least 2"),
        ({"confidence": 95}, "confidence must be a number between 0 and 1"),
        ({"sample_weight": [1.0]}, "sample_weight has 1 rows but probabilities has 30"),
    ]:
        with pytest.raises(ValueError, match=message):
            bootstrap_interval(brier_score_loss, labels, p, **options)
    with pytest.raises(ValueError, match="second has 29 rows but first has 30"):
        bootstrap_difference(brier_score_loss, labels, p, p[1:])
    with pytest.raises(ValueError, match=r"second must lie in \[0, 1\]"):
        bootstrap_difference(brier_score_loss, labels, p, p + 1)
    with pytest.raises(ValueError, match="groups has 29 rows but probabilities has 30"):
        bootstrap_by_group(brier_score_loss, labels, p, np.ones(29))
    with pytest.raises(ValueError, match="groups must be all numbers or all strings"):
        bootstrap_by_group(brier_score_loss, labels, p, [None, *np.ones(29)])
    with pytest.raises(ValueError, match="measure refused a draw.*labels holds one class only"):
        bootstrap_interval(roc_auc_score, [0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4])
