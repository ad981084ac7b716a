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
    for start in range(n_starts):
        i = 99 - start * 100 // n_starts
        while i >= 0:
            accepted = [z for z, q in zip(labels, p, strict=True) if q >= THRESHOLDS[i]]
            errors = accepted.count(0)
            if binom.cdf(errors, len(accepted), max_error) > alpha / n_starts:
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
    assert risk_controlled_threshold([1] * n, [0.5] * n, max_error=0.1, alpha=0.1).threshold == 0
    less = risk_controlled_threshold([1] * (n - 1), [0.5] * (n - 1), max_error=0.1, alpha=0.1)
    assert less.threshold is None
    assert (less.n_accepted, less.share) == (0, 0)


def test_groups_share_alpha():
    n = rows_until_promise(max_error=0.1, n_groups=2)
    groups = ["a"] * n + ["b"] * (n - 1)
    found = risk_controlled_thresholds(
        [1] * groups.__len__(), [0.7] * groups.__len__(), groups, max_error=0.1
    )
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
