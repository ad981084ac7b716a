"""Thresholds with a promise: by their definition, and on simulated logs with a known truth."""

import numpy as np
import pytest
from scipy.stats import binom

from calibkit.inference import (
    risk_controlled_threshold,
    risk_controlled_thresholds,
    rows_until_promise,
)

THRESHOLDS = [i / 100 for i in range(100)]


def by_definition(labels, p, max_error, alpha, n_starts):
    """Walk step by step, with SciPy's binomial law."""
    lowest = None
    for_others = alpha / 2 / max(n_starts - 1, 1)
    levels = [alpha / 2 if n_starts > 1 else alpha, *[for_others] * (n_starts - 1)]
    for start in range(n_starts):
        i = 99 - start * 100 // n_starts
        while i >= 0:
            accepted = [z for z, q in zip(labels, p, strict=True) if q >= THRESHOLDS[i]]
            errors = accepted.count(0)
            if binom.cdf(errors, len(accepted), max_error) > levels[start]:
                break
            lowest = i if lowest is None else min(lowest, i)
            i -= 1
    return None if lowest is None else THRESHOLDS[lowest]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("max_error", "n_starts"), [(0.05, 10), (0.3, 1), (0.2, 7), (0.3, 100)])
def test_the_threshold_by_its_definition(seed, max_error, n_starts):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(2, 0.7, 400), seed % 3 + 1)
    labels = (rng.random(400) < p).astype(int)
    found = risk_controlled_threshold(labels, p, max_error=max_error, n_starts=n_starts)
    threshold = by_definition(labels.tolist(), p.tolist(), max_error, 0.05, n_starts)
    assert found.threshold == threshold
    accepted = np.zeros(400, bool) if threshold is None else p >= threshold
    assert found.n_accepted == accepted.sum()
    assert found.n_errors == (labels[accepted] == 0).sum()


def test_the_rows_until_a_promise_are_enough_and_one_fewer_is_not():
    n = rows_until_promise(max_error=0.1, alpha=0.1)
    assert risk_controlled_threshold([1] * n, [1] * n, max_error=0.1, alpha=0.1).threshold == 0
    less = risk_controlled_threshold([1] * (n - 1), [1] * (n - 1), max_error=0.1, alpha=0.1)
    assert less.threshold is None
    assert (less.n_accepted, less.share) == (0, 0)


def test_groups_share_alpha():
    n = rows_until_promise(max_error=0.1, n_groups=2)
    labels, groups = [1] * (2 * n - 1), ["a"] * n + ["b"] * (n - 1)
    found = risk_controlled_thresholds(labels, labels, groups, max_error=0.1)
    assert found["a"].threshold == 0
    assert found["b"].threshold is None


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="max_error"):
        risk_controlled_threshold([1], [0.5], max_error=1.0)
    with pytest.raises(ValueError, match="n_starts must be at most 100"):
        risk_controlled_threshold([1], [0.5], max_error=0.1, n_starts=101)
    with pytest.raises(ValueError, match="n_groups"):
        rows_until_promise(max_error=0.1, n_groups=0)


def test_the_promise_is_broken_at_its_level_at_most_where_it_is_hardest_to_keep():
    rng = np.random.default_rng(1)
    rate = 0.899  # of positives at every score: each promise of an error of 0.1 is broken
    broken = sum(
        risk_controlled_threshold(
            rng.random(500) < rate, rng.random(500), max_error=0.1, alpha=0.2
        ).threshold
        is not None
        for _ in range(1000)
    )
    assert 0 < broken <= binom.ppf(0.999, 1000, 0.2)


# 2,000 simulated logs

LAWS = {  # shape of the predictions, the power that bends their odds to the truth, decimals
    "calibrated": ((2, 0.5), 1.0, 4),
    "overconfident": ((2, 0.4), 0.6, 4),
    "ties at 0.99": ((3, 0.3), 1.0, 2),
    "few near 1": ((2, 1), 1.5, 2),
}


def drawn(law, n, rng):
    """Predictions and true probabilities of a law."""
    shape, power, decimals = LAWS[law]
    raw = np.clip(rng.beta(*shape, n), 1e-9, 1 - 1e-9)
    p = np.minimum(raw.round(decimals), 0.99 if law == "ties at 0.99" else 1.0)
    return p, p**power / (p**power + (1 - p) ** power)


def truth_of(law):
    """Error among the accepted, and their share, at each threshold; by a large sample."""
    p, truth = drawn(law, 400_000, np.random.default_rng(9))
    accepted = p >= np.array(THRESHOLDS)[:, np.newaxis]
    return ((accepted @ (1 - truth)) / accepted.sum(axis=1), accepted.mean(axis=1))


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_simulated_logs_keep_the_promise_and_automate_nearly_what_can_be(law):
    error, share = truth_of(law)
    rng = np.random.default_rng(3)
    best = share[np.argmax(error <= 0.1)]
    broken, lost = 0, []
    for _ in range(500):
        p, truth = drawn(law, 10_000, rng)
        found = risk_controlled_threshold(rng.random(p.size) < truth, p, max_error=0.1)
        reached = round(100 * found.threshold)
        broken += error[reached] > 0.1
        lost.append(best - share[reached])
    assert broken <= binom.ppf(0.999, 500, 0.05)
    assert np.mean(lost) < 0.05
