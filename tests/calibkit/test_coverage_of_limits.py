"""Coverage of limits with few rows of a class, weights of sampling, and unequal clusters.

Each test prints the share of its samples in which the limits hold the truth.
"""

import math

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from calibkit.inference import (
    auc_interval,
    decision_gains,
    mean_interval,
    recalibration_intervals,
)
from calibkit.inference.simultaneous_intervals import simultaneous_intervals

N_FILES = 300
LEAST = 0.95 - 3 * math.sqrt(0.05 * 0.95 / N_FILES)  # by chance, one of 700 tests finds less
N_NODES = 200_001  # nodes of the integral over the scores


def held(limits, truth):
    return limits.lower <= truth <= limits.upper


# Gains of decisions


def bent_odds(log_odds):
    return -0.4 + 0.6 * log_odds


def same_odds(log_odds):
    return log_odds


def true_gain(mean, spread, truth, threshold):
    """Gain over acting always or never, by an integral over normal log-odds."""
    log_odds = norm.ppf((np.arange(N_NODES) + 0.5) / N_NODES, mean, spread)
    p = expit(truth(log_odds))
    worth = p - (1 - p) * threshold / (1 - threshold)
    acting = np.mean(worth * (expit(log_odds) > threshold))
    return acting - max(worth.mean(), 0)


@pytest.mark.parametrize(
    ("n", "mean", "spread", "truth", "threshold"),
    [
        (400, 0, 1.5, bent_odds, 0.05),
        (400, 0, 1.5, bent_odds, 0.5),
        (1000, 0, 1.5, bent_odds, 0.05),
        (3000, 0, 1.5, bent_odds, 0.03),
        (1000, -1, 1.5, same_odds, 0.02),
        (1000, -1, 1.5, same_odds, 0.9),
        (10_000, -1, 1.5, same_odds, 0.01),
        (10_000, -1, 1.5, same_odds, 0.02),
        (3000, -4.3, 1, same_odds, 0.05),
        (3000, -4.3, 1, same_odds, 0.2),
        (3000, -4.3, 1, same_odds, 0.5),
    ],
)
def test_limits_of_gains_hold_the_gain(n, mean, spread, truth, threshold):
    rng = np.random.default_rng(0)
    gain = true_gain(mean, spread, truth, threshold)
    n_held = n_above = 0
    for _ in range(N_FILES):
        log_odds = rng.normal(mean, spread, n)
        labels = rng.random(n) < expit(truth(log_odds))
        found = decision_gains(labels, expit(log_odds), thresholds=[threshold])
        n_held += held(found, gain)[0]
        n_above += found.lower[0] > gain
    print(f"held {n_held / N_FILES:.3f}, above {n_above / N_FILES:.3f}")
    assert n_held / N_FILES >= LEAST
    assert n_above / N_FILES <= 1 - LEAST


def sizes_of(kind, rng, n):
    """Sizes of clusters that hold at least `n` rows together."""
    if kind == "equal":
        return np.full(n // 20, 20)
    if kind == "few giants":
        return np.r_[np.full(5, 40), np.ones(n - 200, int)]
    return np.minimum(np.ceil(rng.pareto(1.2, n) + 1e-9), 200).astype(int)


def clustered(rng, kind, n, mean, spread, truth, alike):
    """Outcomes, scores and clusters, in which both go together."""
    sizes = sizes_of(kind, rng, n)
    clusters = np.repeat(np.arange(sizes.size), sizes)[:n]

    def normal(alike):
        common = rng.normal(size=sizes.size)[clusters]
        return np.sqrt(alike) * common + np.sqrt(1 - alike) * rng.normal(size=n)

    log_odds = mean + spread * normal(0.5)
    labels = norm.cdf(normal(alike)) < expit(truth(log_odds))
    return labels, expit(log_odds), clusters


@pytest.mark.parametrize("kind", ["equal", "few giants", "heavy tail"])
@pytest.mark.parametrize(
    ("n", "mean", "spread", "truth", "threshold"),
    [(1000, 0, 1.5, bent_odds, 0.05), (3000, -4.3, 1, same_odds, 0.2)],
)
def test_limits_of_gains_hold_with_clusters(kind, n, mean, spread, truth, threshold):
    rng = np.random.default_rng(1)
    gain = true_gain(mean, spread, truth, threshold)
    n_held = 0
    for _ in range(N_FILES):
        labels, scores, clusters = clustered(rng, kind, n, mean, spread, truth, 0.3)
        found = decision_gains(labels, scores, thresholds=[threshold], clusters=clusters)
        n_held += held(found, gain)[0]
    print(f"held {n_held / N_FILES:.3f}")
    assert n_held / N_FILES >= LEAST


@pytest.mark.parametrize("threshold", [0.02, 0.1])
def test_limits_of_gains_hold_with_sampling_weights(threshold):
    """Few negatives are in the sample; a report takes each row as a cluster of equal rows."""
    rng = np.random.default_rng(6)
    gain = true_gain(-2, 1.2, bent_odds, threshold)
    n_held = 0
    for _ in range(N_FILES):
        log_odds = rng.normal(-2, 1.2, 3000)
        labels = rng.random(3000) < expit(bent_odds(log_odds))
        weights = np.where(labels, 2, 20)
        there = rng.random(3000) < 1 / weights
        found = decision_gains(
            labels[there],
            expit(log_odds[there]),
            thresholds=[threshold],
            sample_weight=weights[there],
            clusters=np.arange(np.count_nonzero(there)),
        )
        n_held += held(found, gain)[0]
    print(f"held {n_held / N_FILES:.3f}")
    assert n_held / N_FILES >= LEAST


# Few effective rows or clusters


def heavy_weights(rng, tail):
    p = expit(rng.normal(0, 1.2, 200))
    return rng.random(200) < p, p, 1 + rng.pareto(tail, 200)


def hidden_inclusion(rng):
    """About fifty rows of a population; what decides on them is not the score alone."""
    p = expit(rng.normal(-1, 1.2, 4000))
    labels = rng.random(4000) < p
    inclusion = (0.1 * (0.2 + p) * rng.beta(0.5, 2, 4000)).clip(1e-5, 1)
    there = rng.random(4000) < inclusion
    return labels[there], p[there], 1 / inclusion[there]


SAMPLED = {
    "Pareto 1.5": lambda rng: heavy_weights(rng, 1.5),
    "Pareto 1.1": lambda rng: heavy_weights(rng, 1.1),
    "hidden": hidden_inclusion,
}


def shares_of(draw, name, *, n_files=N_FILES):
    """How often the intervals of the bias and of the line hold their truth."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(n_files):
        labels, p, column = draw(rng)
        line = recalibration_intervals(labels, p, **{name: column})
        bias = mean_interval(labels - p, **{name: column})
        intervals = (bias, line.slope, line.intercept, line.in_the_large)
        found.append([held(*pair) for pair in zip(intervals, (0, 1, 0, 0), strict=True)])
    shares = np.mean(found, axis=0)
    print("bias, slope, intercept, in the large:", shares.round(3))
    return shares


@pytest.mark.parametrize("kind", SAMPLED)
def test_intervals_hold_with_very_unequal_weights(kind):
    assert np.all(shares_of(SAMPLED[kind], "sampling_weight") >= LEAST)


CLUSTERED = {
    "few giants": lambda rng: clustered(rng, "few giants", 700, 0, 1.2, same_odds, 0.4),
    "heavy tail": lambda rng: clustered(rng, "heavy tail", 1000, -3, 1.2, same_odds, 0.4),
    "equal": lambda rng: clustered(rng, "equal", 800, 0, 1.2, same_odds, 0.3),
}


@pytest.mark.parametrize("kind", CLUSTERED)
def test_intervals_hold_with_very_unequal_clusters(kind):
    assert np.all(shares_of(CLUSTERED[kind], "clusters") >= LEAST)


def test_intervals_of_several_columns_hold_with_unequal_clusters():
    rng = np.random.default_rng(3)
    n_files = 150  # because each file takes 100,000 draws
    n_held = 0
    for _ in range(n_files):
        labels, p, clusters = CLUSTERED["heavy tail"](rng)
        residuals = labels - p
        columns = np.column_stack([residuals, residuals * p, residuals * (1 - p)])
        _, codes = np.unique(clusters, return_inverse=True)
        intervals = simultaneous_intervals(columns, np.ones(p.size), codes)
        n_held += all(held(interval, 0) for interval in intervals)
    print(f"held {n_held / n_files:.3f}")
    assert n_held / n_files >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / n_files)


def test_an_auc_holds_with_unequal_clusters():
    rng = np.random.default_rng(4)
    log_odds = rng.normal(0, 1.2, 2_000_000)
    positive = rng.random(log_odds.size) < expit(log_odds)
    order = np.argsort(log_odds)
    n_positive = np.count_nonzero(positive)
    area = np.sum(np.cumsum(~positive[order])[positive[order]])
    area /= n_positive * (positive.size - n_positive)
    n_held = 0
    for _ in range(N_FILES):
        labels, p, clusters = CLUSTERED["few giants"](rng)
        n_held += held(auc_interval(labels, p, clusters=clusters), area)
    print(f"held {n_held / N_FILES:.3f}")
    assert n_held / N_FILES >= LEAST


def test_equal_weights_and_single_rows_widen_nothing():
    rng = np.random.default_rng(5)
    p = expit(rng.normal(0, 1.2, 400))
    labels = rng.random(400) < p
    for how in ({"sampling_weight": np.full(400, 3.0)}, {"clusters": np.arange(400)}):
        one = [mean_interval(labels - p), *recalibration_intervals(labels, p)]
        other = [mean_interval(labels - p, **how), *recalibration_intervals(labels, p, **how)]
        for plain, found in zip(one, other, strict=True):
            assert found.estimate == pytest.approx(plain.estimate)
            assert 1 < (found.upper - found.lower) / (plain.upper - plain.lower) < 1.03
