"""More than two classes by calibrators of two: one against the rest, top label, pairs."""

import warnings
from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression
from test_contract import CALIBRATORS as BINARY

from calib import IsotonicCalibrator, OneClassWarning, PlattScaling, VennAbers
from calibkit.datasets import LAWS, TIED_LAWS
from calibkit.multiclass import OneVsRestCalibrator, PairwiseVennAbers, TopLabelBinning
from calibkit.multiclass.reductions import log_ratios
from calibkit.theory import bin_bounds

each_binary = pytest.mark.parametrize("binary", BINARY, ids=str)


def sample(n=300, k=4, seed=0):
    """Probabilities, and labels drawn from them."""
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(k), n)
    return rows, (rows.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=k - 1)


# One against the rest


@each_binary
def test_one_against_the_rest_is_the_binary_calibrator_of_each_column(binary):
    rows, z = sample(150, 3)
    fitted = OneVsRestCalibrator(binary).fit(rows, z)
    each = np.column_stack([clone(binary).fit(p, z == k).predict(p) for k, p in enumerate(rows.T)])
    np.testing.assert_array_equal(fitted.predict_each(rows), each)
    expected = each / each.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.predict_proba(rows), expected, rtol=1e-15)


def test_where_every_class_is_refused_all_are_equally_likely():
    rows = [[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7], [0.4, 0.3, 0.3]]
    fitted = OneVsRestCalibrator(IsotonicCalibrator()).fit(rows, [0, 1, 2, 0])
    query = [[0.36, 0.32, 0.32]]
    fitted.calibrators_ = [IsotonicCalibrator().fit([0.5, 0.6], [0, 1])] * 3
    np.testing.assert_array_equal(fitted.predict_each(query), np.zeros((1, 3)))
    np.testing.assert_array_equal(fitted.predict_proba(query), np.full((1, 3), 1 / 3))


def test_any_scores_where_the_calibrator_takes_them():
    rng = np.random.default_rng(0)
    margins = rng.normal(size=(200, 3)) * 30
    fitted = OneVsRestCalibrator(PlattScaling()).fit(margins, margins.argmax(axis=1))
    assert not fitted.unit_scores and OneVsRestCalibrator().unit_scores
    assert np.mean(fitted.predict_proba(margins).argmax(axis=1) == margins.argmax(axis=1)) > 0.9
    with pytest.raises(ValueError, match=r"probabilities must lie in \[0, 1\]"):
        OneVsRestCalibrator().fit(margins, margins.argmax(axis=1))


def test_an_absent_class_is_named():
    rows, z = sample(100, 3)
    z = z.clip(max=1)
    with pytest.warns(OneClassWarning, match="labels holds no row of class 2") as caught:
        fitted = OneVsRestCalibrator().fit(rows, z)
    assert len(caught) == 1
    assert fitted.predict_proba(rows)[:, 2].max() < 0.1


@pytest.mark.parametrize("calibrator", ["isotonic", PlattScaling])
def test_what_is_no_calibrator_is_refused(calibrator):
    with pytest.raises(ValueError, match="calibrator must be an estimator with"):
        OneVsRestCalibrator(calibrator).fit(*sample())


def test_weights_that_a_calibrator_does_not_take_are_refused():
    class Unweighted(PlattScaling):
        def fit(self, scores, labels):
            return super().fit(scores, labels)

    rows, z = sample()
    with pytest.raises(ValueError, match=r"Unweighted.fit takes no sample_weight"):
        OneVsRestCalibrator(Unweighted()).fit(rows, z, np.ones(z.size))


# Top label


def test_top_label_binning_by_hand():
    rows, z = sample(500, 3, seed=2)
    fitted = TopLabelBinning(bin_size=40).fit(rows, z)
    labels, calibrated = fitted.predict_top_label(rows)
    np.testing.assert_array_equal(labels, rows.argmax(axis=1))
    for k in range(3):
        members = np.flatnonzero(labels == k)
        members = members[np.argsort(rows[members, k])]  # no ties
        n_bins = members.size // 40
        bins = (n_bins * (np.arange(members.size) + 0.5) / members.size).astype(int)
        for i in range(n_bins):
            part = members[bins == i]
            np.testing.assert_allclose(calibrated[part], np.mean(z[part] == k), rtol=1e-15)
    np.testing.assert_array_equal(fitted.top_counts_, np.bincount(labels))


def test_what_is_left_is_shared_in_the_given_proportions():
    rows = np.array([[0.5, 0.3, 0.2], [0.6, 0.4, 0.0], [1.0, 0.0, 0.0], [0.9, 0.0, 0.1]])
    fitted = TopLabelBinning().fit(rows, [0, 1, 0, 2])  # right in half of the rows
    expected = [[0.5, 0.3, 0.2], [0.5, 0.5, 0.0], [0.5, 0.25, 0.25], [0.5, 0.0, 0.5]]
    np.testing.assert_allclose(fitted.predict_proba(rows), expected, rtol=1e-15)


def test_a_tie_for_the_top_goes_to_the_first_class():
    fitted = TopLabelBinning().fit([[0.4, 0.4, 0.2], [0.1, 0.45, 0.45]], [1, 2])
    labels, calibrated = fitted.predict_top_label([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]])
    assert labels.tolist() == [0, 1] and calibrated.tolist() == [0.0, 0.0]


def test_a_top_label_that_no_row_has_gets_the_share_of_right_ones_and_no_promise():
    rows = np.array([[0.6, 0.3, 0.1]] * 30 + [[0.2, 0.7, 0.1]] * 10)
    z = np.r_[np.zeros(24, int), np.full(16, 1)]  # 24 and 10 of 40 are right
    fitted = TopLabelBinning(bin_size=10).fit(rows, z)
    labels, calibrated = fitted.predict_top_label([[0.1, 0.1, 0.8]])
    assert (labels.item(), calibrated.item()) == (2, 34 / 40)
    first, second, third = fitted.bounds(0.1)
    assert third.tolist() == [1.0]
    # 3 bins are asked for in the first class, where all rows are tied, 1 in the second
    np.testing.assert_allclose(first, bin_bounds([30], 0.075, n_bins=3), rtol=1e-15)
    np.testing.assert_allclose(second, bin_bounds([10], 0.025, n_bins=1), rtol=1e-15)


def test_bounds_are_those_of_the_fit():
    rows, z = sample()
    fitted = TopLabelBinning(bin_size=20).fit(rows, z)
    before = fitted.bounds(0.1)
    for bin_size in (5, 1000):
        for bounds, expected in zip(
            fitted.set_params(bin_size=bin_size).bounds(0.1), before, strict=True
        ):
            np.testing.assert_array_equal(bounds, expected)
    with pytest.raises(NotFittedError):
        TopLabelBinning().bounds(0.1)


def test_bins_may_be_larger_than_any_sample():
    rows, z = sample()
    expected = TopLabelBinning(bin_size=z.size).fit(rows, z).predict_proba(rows)
    for bin_size, weights in product((10**18, 10**400), (None, np.full(z.size, 0.75))):
        fitted = TopLabelBinning(bin_size=bin_size).fit(rows, z, weights)
        assert [binning.counts_.size for binning in fitted.binnings_] == [1, 1, 1, 1]
        np.testing.assert_allclose(fitted.predict_proba(rows), expected, rtol=1e-12)


def test_bounds_are_refused_for_weights_that_are_no_counts():
    rows, z = sample()
    fitted = TopLabelBinning().fit(rows, z, np.full(z.size, 0.7))
    with pytest.raises(ValueError, match="counts must be whole numbers"):
        fitted.bounds(0.05)
    with pytest.raises(ValueError, match="alpha must be a number between 0 and 1"):
        TopLabelBinning().fit(rows, z).bounds(1.5)
    with pytest.raises(ValueError, match="bin_size must be an integer of at least 1; found 0"):
        TopLabelBinning(bin_size=0).fit(rows, z)


def top_label_sample(laws, shares, n, rng):
    """Rows of which the top label is k with probability shares[k], its score then of laws[k]."""
    top = rng.choice(len(laws), n, p=shares)
    scores, right = np.empty(n), np.empty(n, int)
    for k, law in enumerate(laws):
        members = top == k
        scores[members], right[members] = law.sample(members.sum(), rng)
    rows = np.repeat((0.5 - scores / 2)[:, None] / (len(laws) - 1), len(laws), axis=1)
    rows[np.arange(n), top] = 0.5 + scores / 2
    return rows, np.where(right, top, (top + 1) % len(laws))


@pytest.mark.slow
def test_the_bounds_hold_with_ties_and_rare_classes():
    laws = [LAWS["overconfident"], TIED_LAWS["atom 0.98"], TIED_LAWS["tree"], LAWS["calibrated"]]
    rng, failed = np.random.default_rng(0), 0
    for _ in range(200):
        rows, z = top_label_sample(laws, [0.7, 0.2, 0.09, 0.01], 1000, rng)
        fitted = TopLabelBinning(bin_size=25).fit(rows, z)
        for law, binning, bounds in zip(laws, fitted.binnings_, fitted.bounds(0.1), strict=True):
            ends = np.r_[0, law.mass_below(2 * binning.cuts_ - 1), 1]
            truth = law.bin_probability(ends[:-1], ends[1:])
            if np.any(np.abs(binning.probabilities_ - truth) > bounds):
                failed += 1
                break
    assert failed <= 20


# Pairs


def venn_abers_by_hand(scores, labels, query):
    """p0 and p1 by the definition: isotonic regression with the query under either label."""
    pair = []
    for c in (0, 1):
        x, z = np.append(scores, query), np.append(labels, c)
        pair.append(IsotonicRegression().fit(x, z).predict([query]).item())
    return pair


def coupled_by_hand(rows, labels, query):
    k = rows.shape[1]
    inverse = np.full(k, 2.0 - k)
    for i, j in permutations(range(k), 2):
        members = (labels == i) | (labels == j)
        ratios = rows[members, i] / (rows[members, i] + rows[members, j])
        p0, p1 = venn_abers_by_hand(ratios, labels[members] == i, query[i] / (query[i] + query[j]))
        inverse[i] += (1 - p0 + p1) / p1
    return 1 / inverse / (1 / inverse).sum()


def test_pairs_by_the_definition():
    rows, z = sample(60, 4, seed=5)
    queries, _ = sample(10, 4, seed=6)
    expected = [coupled_by_hand(rows, z, query) for query in queries]
    predicted = PairwiseVennAbers().fit(rows, z).predict_proba(queries)
    np.testing.assert_allclose(predicted, expected, rtol=1e-9)


def test_pairs_of_the_package_venn_abers():
    """venn_abers 1.5.4: predict_proba_prefitted_va(rows, labels, queries)[0]."""
    rows = [[6, 3, 1], [5, 4, 1], [3, 6, 1], [2, 7, 1], [1, 3, 6], [1, 1, 8], [4, 4, 2], [3, 2, 5]]
    queries = np.array([[7, 2, 1], [2, 5, 3], [1, 4, 5]]) / 10
    expected = [
        [0.632688927943761, 0.20035149384885764, 0.16695957820738133],
        [0.30534351145038174, 0.42748091603053434, 0.2671755725190839],
        [0.20792079207920802, 0.44554455445544555, 0.34653465346534656],
    ]
    fitted = PairwiseVennAbers().fit(np.array(rows) / 10, [0, 1, 1, 1, 2, 2, 0, 0])
    np.testing.assert_allclose(fitted.predict_proba(queries), expected, rtol=1e-12)


@given(k=st.integers(2, 7), seed=st.integers(0, 10**6))
def test_coupling_returns_a_distribution_that_the_pairs_belong_to(k, seed):
    class Identity:
        def predict(self, log_ratios):
            return expit(log_ratios)

    rows = np.random.default_rng(seed).dirichlet(np.ones(k), 5)
    fitted = PairwiseVennAbers().fit(*sample(10 * k, k))
    fitted.calibrators_ = dict.fromkeys(fitted.calibrators_, Identity())
    np.testing.assert_allclose(fitted.predict_proba(rows), rows, rtol=1e-6, atol=1e-12)


def test_the_classes_may_be_numbered_in_any_order():
    rows, z = sample(200, 4)
    order = np.array([2, 0, 3, 1])
    renumbered = PairwiseVennAbers().fit(rows[:, order], np.argsort(order)[z])
    np.testing.assert_allclose(
        renumbered.predict_proba(rows[:, order]),
        PairwiseVennAbers().fit(rows, z).predict_proba(rows)[:, order],
        rtol=1e-9,
    )


def test_with_two_classes_pairs_are_venn_abers():
    rows, z = sample(100, 2)
    scores = np.log(rows[:, 1] / rows[:, 0])  # the sum may differ from 1 in its last digit
    expected = VennAbers().fit(scores, z).predict_proba(scores)
    predicted = PairwiseVennAbers().fit(rows, z).predict_proba(rows)
    np.testing.assert_allclose(predicted, expected, rtol=1e-12)


def test_nearly_certain_rows_are_told_apart():
    small = 10.0 ** -np.arange(17, 21)
    rows = np.column_stack([small, np.ones(4), np.zeros(4)])
    fitted = PairwiseVennAbers().fit(rows, [0, 0, 1, 1])
    second = fitted.calibrators_[0, 1].predict_interval(np.log(1 / small))
    np.testing.assert_array_equal(second[1], [1 / 3, 1 / 2, 1, 1])


def test_the_smallest_numbers_are_told_apart():
    small = np.array([0.0, 5e-324, 1e-320, 1e-300])
    rows = np.column_stack([small, np.ones(4), np.zeros(4)])
    for first, second in ((0, 1), (1, 0)):
        ratios = log_ratios(rows, first, second) * (1 if first == 0 else -1)
        assert np.all(np.diff(ratios) < 0) and np.all(np.isfinite(ratios))
        np.testing.assert_allclose(ratios[1:], -np.log(small[1:]), rtol=1e-15)
    np.testing.assert_array_equal(log_ratios(np.zeros((1, 2)), 0, 1), [0.0])


def test_a_pair_without_rows_is_undecided():
    rows = np.full((6, 4), 0.25)
    with pytest.warns(OneClassWarning):
        fitted = PairwiseVennAbers().fit(rows, np.zeros(6, int))
    assert sorted(fitted.calibrators_) == [(0, 1), (0, 2), (0, 3)]
    # class 0 has 6 of 6 rows against any other, merged from [6/7, 1] to 7/8: 1 / (3 * 8/7 - 2)
    # the others have 1/8 against it and 1/2 against each other: 1 / (8 + 2 + 2 - 2)
    expected = np.array([0.7, 0.1, 0.1, 0.1])
    np.testing.assert_allclose(fitted.predict_proba(rows[:1]), [expected], rtol=1e-12)
    with pytest.raises(ValueError, match="loss must be one of 'log', 'brier'"):
        PairwiseVennAbers(loss="hinge").fit(rows, [0, 1, 2, 3, 0, 1])


def test_one_against_the_rest_is_valid_one_class_at_a_time():
    """Over all samples of three rows, in fractions: the probabilities that the truth selects."""
    scores = np.array([[6, 3, 1], [3, 3, 4], [1, 6, 3]]) / 10
    law = [(3, 1, 1), (1, 2, 2), (1, 3, 1)]  # of the classes, for each row of scores, in fifths
    observations = list(product(range(3), range(3)))
    mass, hits, merged_mass, merged_hits = (defaultdict(int) for _ in range(4))
    for training in combinations_with_replacement(observations, 3):
        orders = factorial(3) // prod(factorial(training.count(v)) for v in set(training))
        weight = orders * prod(law[x][z] for x, z in training)
        rows, labels = map(list, zip(*training, strict=True))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OneClassWarning)
            fitted = OneVsRestCalibrator(VennAbers()).fit(scores[rows], labels)
        pairs = [f.predict_interval(s) for f, s in zip(fitted.calibrators_, scores.T, strict=True)]
        merged = fitted.predict_proba(scores)
        for x, z, k in product(range(3), range(3), range(3)):
            p = Fraction(pairs[k][int(z == k)][x]).limit_denominator(4)
            q = Fraction(merged[x, k]).limit_denominator(10**6)
            mass[k, p] += weight * law[x][z]
            hits[k, p] += weight * law[x][z] * (z == k)
            merged_mass[k, q] += weight * law[x][z]
            merged_hits[k, q] += weight * law[x][z] * (z == k)
    assert len(mass) > 10
    assert all(hits[k, p] == p * mass[k, p] for k, p in mass)
    assert any(merged_hits[k, p] != p * merged_mass[k, p] for k, p in merged_mass)
