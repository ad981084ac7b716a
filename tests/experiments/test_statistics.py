"""The statistics over data sets: against Demšar's printed example, scipy and simulation."""

import numpy as np
import pytest
from scipy import stats

from experiments.statistics import (
    average_ranks,
    compare_with_control,
    critical_difference,
    holm,
    rank_test,
    rank_test_of_averages,
    relative_change,
)

DEMSAR = [3.143, 2.000, 2.893, 1.964]  # Table 6 of Demšar (2006): C4.5 and with m, cf, both


def test_the_printed_example_of_demsar():
    test = rank_test_of_averages(DEMSAR, 14)
    assert (test.chi2, test.f) == (pytest.approx(9.28, abs=0.01), pytest.approx(3.69, abs=0.01))
    assert test.f_p == pytest.approx(stats.f.sf(3.69, 3, 39), abs=1e-3)
    comparison = compare_with_control(DEMSAR, 14, control=0)
    np.testing.assert_allclose(-comparison.z[1:], [2.342, 0.512, 2.416], atol=0.002)
    np.testing.assert_allclose(comparison.p[1:], [0.019, 0.607, 0.016], atol=0.002)
    assert (comparison.adjusted < 0.05).tolist() == [False, True, False, True]
    assert critical_difference(4, 14) == pytest.approx(2.569 * np.sqrt(20 / 84), abs=1e-3)
    assert critical_difference(4, 14, confidence=0.9) == pytest.approx(1.12, abs=0.005)


def test_average_ranks_count_the_methods_that_are_better():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, (30, 5)).astype(float)  # many ties
    better = (values[:, None, :] > values[:, :, None]).sum(axis=2)
    equal = (values[:, None, :] == values[:, :, None]).sum(axis=2)
    expected = (better + (equal + 1) / 2).mean(axis=0)
    np.testing.assert_allclose(average_ranks(values, higher_is_better=True), expected)
    np.testing.assert_allclose(average_ranks(-values, higher_is_better=False), expected)
    assert average_ranks(values, higher_is_better=True).sum() == pytest.approx(15)


def test_both_ways_to_friedman_agree_without_ties():
    values = np.random.default_rng(2).standard_normal((12, 4)) + [0, 0, 0.5, 1]
    test = rank_test(values)
    ranks = average_ranks(values, higher_is_better=False)
    np.testing.assert_allclose(test, rank_test_of_averages(ranks, 12))
    np.testing.assert_allclose(test, rank_test(-values))
    expected = stats.friedmanchisquare(*values.T)
    assert test[:2] == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))


def test_the_f_statistic_is_that_of_the_analysis_of_variance_of_the_ranks():
    values = np.random.default_rng(3).integers(0, 5, (15, 3)).astype(float)
    ranks = stats.rankdata(values, axis=1)
    T, k = ranks.shape
    between = T * np.sum((ranks.mean(axis=0) - 2) ** 2) / (k - 1)
    residual = ranks - ranks.mean(axis=0) - ranks.mean(axis=1, keepdims=True) + ranks.mean()
    within = np.sum(residual**2) / ((T - 1) * (k - 1))
    assert rank_test(values).f == pytest.approx(between / within)


def test_p_values_are_uniform_if_methods_perform_alike():
    rng = np.random.default_rng(4)
    tests = [rank_test(rng.standard_normal((30, 3))) for _ in range(1000)]
    p = np.array([test.f_p for test in tests])
    for level in [0.05, 0.2, 0.5]:
        assert np.mean(p <= level) == pytest.approx(level, abs=4 * np.sqrt(level / 1000))


def test_the_critical_difference_is_the_quantile_of_the_range():
    rng = np.random.default_rng(5)
    orders = rng.permuted(np.tile(np.arange(1.0, 4.0), (5000, 40, 1)), axis=2)
    ranges = np.ptp(orders.mean(axis=1), axis=1)
    assert np.mean(ranges >= critical_difference(3, 40)) == pytest.approx(0.05, abs=0.015)


def test_agreement_and_indifference():
    unanimous = rank_test(np.tile([1.0, 2.0, 3.0], (6, 1)))
    assert unanimous.f == np.inf and unanimous.f_p == 0
    assert rank_test(np.ones((6, 3))) == (0, 1, 0, 1)


def step_down(p, level):
    """Holm's procedure in his own words: reject while the smallest is small enough."""
    rejected = np.zeros(p.size, bool)
    for left, j in zip(range(p.size, 0, -1), np.argsort(p), strict=True):
        if p[j] > level / left:
            break
        rejected[j] = True
    return rejected


def test_holm_rejects_as_the_procedure_does():
    rng = np.random.default_rng(6)
    for _ in range(50):
        p = rng.random(6) ** 3
        for level in [0.01, 0.05, 0.2]:
            assert (holm(p) <= level).tolist() == step_down(p, level).tolist()
    assert holm([0.9, 0.8]).tolist() == [1, 1]


def test_intervals_of_relative_change():
    values, reference = np.array([0.8, 0.9, 1.1, 0.7]), np.array([1.0, 0.5, 1.0, 2.0])
    changes = values / reference - 1
    expected = stats.ttest_1samp(changes, 0).confidence_interval(0.9)
    found = relative_change(values, reference, confidence=0.9)
    np.testing.assert_allclose(found, [expected.low, expected.high])
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(500):
        low, high = relative_change(1 + 0.3 + 0.2 * rng.standard_normal(10), np.ones(10))
        covered += low <= 0.3 <= high
    assert covered / 500 == pytest.approx(0.95, abs=0.035)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_ranks([1.0, 2.0], higher_is_better=True), "values must be"),
        (lambda: average_ranks([[1.0, np.nan]], higher_is_better=True), "1 cells"),
        (lambda: rank_test([[1.0, 2.0], [2.0, 1.0]]), "wilcoxon"),
        (lambda: rank_test([[1.0, 2.0, 3.0]]), "two data sets"),
        (lambda: rank_test_of_averages([1.0, 2.0], 5), "3 methods"),
        (lambda: rank_test_of_averages([0.5, 2.0, 3.5], 5), "between 1"),
        (lambda: rank_test_of_averages([1.0, 2.0, 3.0], 1), "n_datasets"),
        (lambda: compare_with_control([1.0, 2.0], 5, 2), "control"),
        (lambda: holm([0.5, 1.5]), r"p must lie in \[0, 1\]"),
        (lambda: critical_difference(1, 5), "n_methods"),
        (lambda: relative_change([1.0, 2.0], [0.0, 1.0]), "1 of them not positive"),
        (lambda: relative_change([1.0, 2.0], [-1.0, 1.0]), "1 of them not positive"),
        (lambda: relative_change([1.0, 2.0], [1.0]), "1 references"),
        (lambda: relative_change([1.0, 2.0], [1.0, 1.0], confidence=95), "confidence"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
