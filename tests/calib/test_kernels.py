"""Kernels against NumPy and against the plain definition."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.special import xlogy

import calib
from calib.base.arrays import check_sample, check_scores
from calib.kernels import ties as ties_module
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.kernels.binning import (
    equal_frequency_starts,
    label_ordered_sums,
    prefix_sums,
    split_sizes,
    uniform_sums,
)
from calib.kernels.compiling import compiled
from calib.kernels.fast import keys as fast_keys
from calib.kernels.fast import sorting
from calib.kernels.fast import ties as fast_ties
from calib.kernels.fast.step_functions import interpolate, step
from calib.kernels.logistic import derivatives
from calib.kernels.ties import ties
from calib.methods.near_isotonic_kernels import merge_until, near_isotonic_path
from calib.metrics import expected_calibration_error, roc_auc_score
from calib.metrics.auc import won_by_ties
from calibkit.inference import kuiper_error

finite = st.floats(-1e6, 1e6)
seeds = st.integers(0, 10**6)


@settings(max_examples=100, deadline=None)
@given(st.lists(finite, min_size=1, max_size=40), st.lists(finite, max_size=40))
def test_step_is_searchsorted(cuts, queries):
    cuts = np.unique(cuts)
    queries = np.concatenate([np.array(queries), cuts])
    values = np.arange(cuts.size + 1.0)
    expected = values[np.searchsorted(cuts, queries, side="right")]
    np.testing.assert_array_equal(step(cuts, values, queries), expected)


@pytest.mark.parametrize(
    "knots",
    [
        np.array([0.0]),
        np.array([-1e308, 1e308]),
        np.array([0.0, 5e-324, 1e-320]),
        np.concatenate([np.linspace(0, 1e-9, 1000), [1.0]]),
        np.sort(np.random.default_rng(0).beta(0.05, 1, 5000)),
    ],
    ids=["one", "huge range", "subnormal", "clustered", "skewed"],
)
def test_searching_in_awkward_knots(knots):
    knots = np.unique(knots)
    queries = np.concatenate([knots, knots[:-1] / 2 + knots[1:] / 2, [-1e308, 0.5, 1e308]])
    values = np.linspace(0, 1, knots.size + 1)
    expected = values[np.searchsorted(knots, queries, side="right")]
    np.testing.assert_array_equal(step(knots, values, queries), expected)
    linear = interpolate(knots, values[1:], queries)
    assert np.all((linear >= values[1]) & (linear <= 1))  # false for NaN
    if 1e-100 < knots[-1] - knots[0] / 2 < 1e100:  # beyond, np.interp itself overflows
        np.testing.assert_allclose(linear, np.interp(queries, knots, values[1:]), atol=1e-12)


def test_few_queries_among_many_knots_are_searched_as_many_are():
    rng = np.random.default_rng(0)
    knots, values = np.sort(rng.random(1000)), rng.random(1001)
    queries = np.concatenate([knots, rng.uniform(-0.1, 1.1, 1000)])
    for search, y in [(step, values), (interpolate, values[1:])]:
        one_by_one = [search(knots, y, queries[i : i + 1])[0] for i in range(queries.size)]
        np.testing.assert_array_equal(one_by_one, search(knots, y, queries))


def test_a_plateau_stays_exactly_flat():
    knots, values = np.array([0.1, 0.9]), np.array([0.7391304347826086, 0.7391304347826086])
    queries = np.random.default_rng(0).uniform(0.1, 0.9, 1000)
    assert np.unique(interpolate(knots, values, queries)).size == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), seeds, st.booleans())
def test_groups_are_the_distinct_scores(n, seed, weighted):
    rng = np.random.default_rng(seed)
    scores, labels = rng.integers(-5, 5, n) / 4, rng.integers(0, 2, n).astype(np.uint8)
    weights = rng.integers(1, 4, n).astype(float) if weighted else None
    groups = ties(scores, labels, weights)
    w = np.ones(n) if weights is None else weights
    distinct, index = np.unique(scores, return_inverse=True)
    np.testing.assert_array_equal(groups.scores, distinct)
    np.testing.assert_array_equal(groups.weights, np.bincount(index, w))
    np.testing.assert_array_equal(groups.positives, np.bincount(index, w * labels))


def samples_with_ties(n):
    """Samples of n rows, by what is special about their scores."""
    rng = np.random.default_rng(n)
    scores = rng.normal(size=n)
    return {
        "no ties": scores,
        "some ties": scores.round(1),
        "all tied": np.full(n, 0.25),
        "probabilities": rng.random(n),
        "tiny probabilities": np.exp(-700 * rng.random(n)),
        "neighbours": 0.5 + rng.integers(0, 99, n) * np.spacing(0.5),
        "both signs, extreme": scores * 10.0 ** rng.choice([-320, -200, 0, 200, 300], n),
        "signed zeros": rng.choice([-1.0, -0.0, 0.0, 1.0], n),
        "negative zeros": np.full(n, -0.0),
        "float32": scores.astype(np.float32),
        "extreme float32": (scores * 10.0 ** rng.choice([-44, 0, 37], n)).astype(np.float32),
        "tied float32": rng.choice(np.array([-0.5, -0.0, 0.0, 0.1], np.float32), n),
    }


@pytest.fixture(params=["radix", "NumPy"])
def way_of_sorting(request, monkeypatch):
    monkeypatch.setattr(sorting, "radix_is_quicker", lambda dtype: request.param == "radix")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 499, 500, 501, 3001, 7000])
def test_the_text_and_the_fast_path_find_the_same_bits(n, threads, way_of_sorting, monkeypatch):
    for module in (sorting, fast_ties):
        monkeypatch.setattr(module, "compiled", True)  # the fast path, compiled or not
    monkeypatch.setattr(fast_ties, "_MIN_ROWS", 1)
    monkeypatch.setattr(fast_keys, "threads", threads)
    monkeypatch.setattr(fast_keys, "MIN_ROWS_FOR_TWO_THREADS", 1000)
    fast = {name: getattr(fast_ties, name) for name in ("pool_ties", "pairs_won")}
    monkeypatch.setattr(ties_module, "pool_ties", lambda *rows: None)  # `ties` is the text
    rng = np.random.default_rng(n + 1)
    for kind, scores in samples_with_ties(n).items():
        for labels in [rng.integers(0, 2, n, np.uint8), np.ones(n, bool), np.zeros(n, np.int8)]:
            for weights in [None, rng.random(n), rng.integers(0, 3, n) * 1e-5]:
                text = ties(scores, labels, weights)
                columns = fast["pool_ties"](scores, labels, weights)
                for ours, theirs in zip(text, columns, strict=True):
                    assert ours.dtype == theirs.dtype == np.float64
                    assert ours.tobytes() == theirs.tobytes(), kind
            tied = ties(scores, labels)
            negatives = tied.weights - tied.positives
            pairs = fast["pairs_won"](scores, labels)
            if pairs is None:
                assert kind == "both signs, extreme"
            else:
                all_pairs = negatives.sum() * tied.positives.sum()
                assert pairs == (won_by_ties(negatives, tied.positives), all_pairs), kind


def test_few_rows_are_left_to_numpy():
    labels = np.zeros(500, np.uint8)
    for found in (fast_ties.pool_ties, fast_ties.pairs_won):
        assert found(np.arange(499) / 499, labels[1:]) is None
        assert (found(np.arange(500) / 500, labels) is None) is not compiled


@pytest.mark.parametrize("dtype", [np.uint64, np.uint32])
@pytest.mark.parametrize("n", [1, 2, 2999, 3001, 10_000])
def test_keys_are_sorted(n, dtype, way_of_sorting):
    rng = np.random.default_rng(n)
    largest = np.iinfo(dtype).max
    for highest in (1, 5000, largest):
        keys = rng.integers(0, highest, n, dtype, endpoint=True)
        expected = np.sort(keys)
        sorting.sort_keys(keys)
        np.testing.assert_array_equal(keys, expected)
        keys = (keys & ~dtype(0xFFF)) | np.arange(n, dtype=dtype) % dtype(4096)
        keys = keys[np.argsort(keys & dtype(0xFFF), kind="stable")]  # in order below bit 12
        expected = np.sort(keys)
        sorting.sort_keys(keys, 12)
        np.testing.assert_array_equal(keys, expected)


@pytest.mark.parametrize("n", [1, 2, 2999, 3001, 10_000])
def test_order_is_stable(n, way_of_sorting):
    for kind, scores in samples_with_ties(n).items():
        order = sorting.argsort(scores.astype(np.float64))
        expected = np.argsort(scores, kind="stable")
        np.testing.assert_array_equal(order, expected, err_msg=kind)
        assert order.dtype == expected.dtype


@pytest.mark.skipif(not compiled, reason="only compiled loops are timed")
def test_the_quicker_way_is_found_once():
    sorting.radix_is_quicker.cache_clear()
    first = sorting.radix_is_quicker(np.dtype(np.uint64))
    assert isinstance(first, bool)
    assert sorting.radix_is_quicker(np.dtype(np.uint64)) is first
    assert sorting.radix_is_quicker.cache_info().misses == 1


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), seeds)
def test_pooling_is_isotonic_regression(n, seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 6, n).astype(float)
    positives = rng.binomial(weights.astype(int), rng.random(n)).astype(float)
    starts, totals, hits = pool_adjacent_violators(weights, positives)
    fitted = np.repeat(hits / totals, np.diff(starts))
    expected = isotonic_regression(positives / weights, weights=weights)
    np.testing.assert_allclose(fitted, expected.x, rtol=0, atol=1e-12)
    assert np.all(np.diff(hits / totals) > 0)  # blocks are maximal
    assert totals.sum() == weights.sum() and hits.sum() == positives.sum()


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), seeds)
def test_likelihoods_along_a_path_are_those_of_frequencies(n, seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, n).astype(float)
    positives = rng.binomial(weights.astype(int), 0.5).astype(float)
    bins, path = near_isotonic_path(weights, positives)
    for lam, n_bins, found in zip(*path, strict=True):
        merged, _ = merge_until(bins, lam)
        hits, misses = merged.positives, merged.weights - merged.positives
        assert n_bins == hits.size
        expected = xlogy(hits, hits / merged.weights) + xlogy(misses, misses / merged.weights)
        assert found == pytest.approx(expected.sum(), abs=1e-10)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 300), st.integers(1, 12))
def test_equal_frequency_bins_of_distinct_scores_are_of_equal_size(n, n_bins):
    sizes = np.diff(equal_frequency_starts(np.arange(n + 1.0), n_bins))
    assert sizes.size == min(n, n_bins)
    assert sizes.sum() == n and sizes.max() - sizes.min() <= 1


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.integers(1, 3), st.integers(1, 200)), min_size=1, max_size=80),
    st.integers(1, 100),
)
def test_a_tie_goes_where_its_middle_rank_falls(weights, n_bins):
    w = np.array(weights)
    bins = (n_bins * (2 * (np.cumsum(w) - w) + w)) // (2 * w.sum())  # exact in integers
    starts = equal_frequency_starts(prefix_sums(w), n_bins)
    np.testing.assert_array_equal(starts[:-1], np.unique(bins, return_index=True)[1])
    assert starts[-1] == w.size


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 80), st.integers(1, 12), seeds)
def test_label_order_is_array_split_of_the_sorted_rows(n, n_bins, seed):
    rng = np.random.default_rng(seed)
    scores, labels = rng.integers(0, 4, n) / 4, rng.integers(0, 2, n).astype(np.uint8)
    rows = np.array(sorted(zip(scores, labels, strict=True)))
    parts = np.array_split(rows, n_bins)
    sizes = split_sizes(float(n), n_bins, True)
    counts, totals, hits = label_ordered_sums(sizes, *ties(scores, labels))
    np.testing.assert_array_equal(counts, [len(part) for part in parts])
    np.testing.assert_allclose(totals, [part[:, 0].sum() for part in parts], atol=1e-12)
    np.testing.assert_array_equal(hits, [part[:, 1].sum() for part in parts])


@pytest.mark.parametrize("n_bins", [1, 3, 7, 10, 49, 100])
def test_uniform_bins_start_at_their_edges(n_bins):
    edges = np.arange(n_bins + 1) / n_bins
    for scores in (edges[:-1], np.nextafter(edges[1:], 0), np.append(edges[:-2], 1.0)):
        totals, sums, _ = uniform_sums(scores, np.ones(n_bins, np.uint8), None, n_bins)
        np.testing.assert_array_equal(totals, np.ones(n_bins))
        np.testing.assert_array_equal(sums, scores)


def test_the_loss_of_a_sigmoid_is_summed_without_rounding_light_rows_away():
    weights, none = np.r_[1e16, np.ones(1000)], np.empty(0)
    loss = derivatives(
        np.empty((0, 1001)), np.ones(1001, np.uint8), weights, (0.0, 0.0), none, 0.0, none
    )[0]
    exact = math.fsum(weights * math.log(2))
    assert abs(loss - exact) <= np.spacing(exact)


@pytest.mark.parametrize("n", [300, 2**17 + 300])
def test_scores_of_float32_mean_what_their_copies_mean(n):
    rng = np.random.default_rng(n)
    scores = rng.random(n, np.float32)
    labels = (rng.random(n) < scores).astype(np.uint8)
    for method in (calib.HistogramBinning, calib.IsotonicCalibrator, calib.VennAbers, calib.BBQ):
        ours, theirs = method().fit(scores, labels), method().fit(scores.astype(float), labels)
        np.testing.assert_array_equal(ours.predict(scores), theirs.predict(scores))
    for measure in (roc_auc_score, kuiper_error, expected_calibration_error):
        assert measure(labels, scores) == measure(labels, scores.astype(float))


def test_scores_of_float32_are_not_copied_to_be_grouped():
    scores = np.random.default_rng(0).random(10, np.float32)
    labels = np.tile(np.array([0, 1], np.uint8), 5)
    assert check_scores(scores, narrow=True) is scores
    assert check_sample(labels, scores, None, narrow=True)[1] is scores
    assert calib.VennAbers()._check_rows(scores, labels, None, None)[0] is scores
    for weighted in (
        check_sample(labels, scores, np.ones(10), narrow=True)[1],
        calib.VennAbers()._check_rows(scores, labels, np.ones(10), None)[0],
    ):
        assert weighted.dtype == np.float64


TOUR = """if True:
    import numpy as np
    import calib
    from calib.kernels import adjacent_violators, binning
    from calib.kernels.fast import step_functions as searching
    from calib.methods import near_isotonic_kernels as near_isotonic
    from calib.kernels.fast import keys, sorting, ties

    rng = np.random.default_rng(0)
    scores = rng.random(4000)
    for kind in (bool, int, float, np.uint8, np.int8):
        labels = (rng.random(4000) < scores).astype(kind)
        for weights in (None, rng.integers(1, 3, 4000), rng.random(4000).astype(np.float32)):
            for some in (scores, scores.astype(np.float32), np.repeat(scores, 2)[::2]):
                for method in (calib.HistogramBinning, calib.IsotonicCalibrator, calib.ENIR):
                    method().fit(some, labels, sample_weight=weights).predict(some[::-1])
    for module in (adjacent_violators, binning, near_isotonic, searching, ties, keys, sorting):
        for name, kernel in vars(module).items():
            packed = getattr(kernel, "__module__", "") in (keys.__name__, sorting.__name__)
            most = 2 if packed else 1  # keys of float32 are half as long
            if len(getattr(kernel, "signatures", ())) > most:
                print(name, kernel.signatures)
"""


@pytest.mark.skipif(not compiled, reason="without compilation there are no signatures")
def test_a_kernel_is_compiled_once_whatever_the_types_of_the_input():
    run = subprocess.run([sys.executable, "-c", TOUR], capture_output=True, text=True)
    assert (run.stdout, run.returncode) == ("", 0), run.stderr
