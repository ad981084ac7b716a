"""No kernel reads or writes where a NaN or an overflow sends it, and every loop ends.

Kernels run as plain Python on arrays that check every index (see `checked_kernels`).
"""

import itertools
import warnings

import numpy as np
import pytest
from checked_kernels import bounded, checked, done, load

pytestmark = pytest.mark.slow  # plain Python anyhow: make test-plain need not repeat it
kernels, calib = load()

# Numbers that nobody meant: kernels may answer nonsense, but from their own memory, and in time


RAW = {
    "ordinary": [0.0, 0.25, 0.5, 0.75, 1.0],
    "one": [0.5],
    "tied": [0.5, 0.5, 0.5, 0.5],
    "NaN": [np.nan] * 4,
    "some NaN": [0.1, np.nan, 0.3, np.nan, 0.5],
    "infinite": [-np.inf, 0.0, np.inf, np.inf],
    "huge": [-1.7e308, -1e308, 0.0, 1e308, 1.7e308],
    "subnormal": [0.0, 5e-324, 1e-323, 1e-310],
    "neighbours": [np.nextafter(0.5, 0), 0.5, np.nextafter(0.5, 1)],
    "beyond": [-1.0, 0.5, 2.0, 1e18, 1e19],
    "scattered": [1.0, 0.0, 0.75, -3.0, 1e9],
}
WEIGHTS = {
    "ones": 1.0,
    "NaN": np.nan,
    "infinite": np.inf,
    "overflowing": 1e308,
    "zero": 0.0,
    "subnormal": 5e-324,
    "mixed": [1e-170, 1.0, 1e150, 5e-324, 1e16],
}
each_raw = pytest.mark.parametrize("values", RAW.values(), ids=RAW)
each_weight = pytest.mark.parametrize("weight", WEIGHTS.values(), ids=WEIGHTS)


def samples(weight):
    """All values, each with labels and weights, and the weights of the positives."""
    for values in map(np.array, RAW.values()):
        labels = np.resize([0, 1, 1], values.size).astype(np.uint8)
        weights = np.resize(weight, values.size).astype(float)
        yield values, labels, weights, np.where(labels == 1, weights, 0.0)


def in_pairs(first, second, *others):
    """Rows in which every two items of different lists meet: two lists in full, others in turn."""
    for (i, a), (j, b) in itertools.product(enumerate(first), enumerate(second)):
        yield a, b, *(c[(i + k * j) % len(c)] for k, c in enumerate(others, start=1))


@pytest.mark.parametrize("sizes", [(11, 13, 7, 3), (9, 6, 3), (6, 6, 3)])
def test_every_two_meet(sizes):
    rows = list(in_pairs(*(range(size) for size in sizes)))
    for a, b in itertools.combinations(range(len(sizes)), 2):
        assert len({(row[a], row[b]) for row in rows}) == sizes[a] * sizes[b]


def test_the_checks_see_what_they_are_for():
    array = checked(np.arange(3.0))
    outside = {"array": array, "__name__": "calib.kernels.binning"}
    assert eval("array[2]", outside) == 2
    for index in ["-1", "3", "1.0", "float('nan')", "slice(0, 4)"]:
        with pytest.raises(IndexError):
            eval(f"array[{index}]", outside)
    with pytest.raises(IndexError):
        exec("array[-1] = 0.0", outside)
    with pytest.raises(OverflowError):
        kernels.binning.int(np.nan)
    assert np.isnan(kernels.binning.np.empty(3)).all()


@each_weight
def test_equal_frequency_bins(weight):
    for _, _, weights, _ in samples(weight):
        ranks = bounded(kernels.binning.prefix_sums, weights)
        for n_bins in [1, 2, 3, 1000, 2**53]:
            starts = bounded(kernels.binning.equal_frequency_starts, ranks, n_bins)
            assert starts[0] == 0 and starts[-1] == weights.size and np.all(np.diff(starts) > 0)
            bounded(kernels.binning.segment_sums, starts, weights, weights, weights)
        starts = bounded(kernels.binning.finest_increasing_bins, ranks, ranks[::-1].copy())
        assert starts[0] == 0 and starts[-1] == weights.size and np.all(np.diff(starts) > 0)


@each_weight
def test_uniform_and_label_ordered_bins(weight):
    for values, labels, weights, positives in samples(weight):
        for n_bins, w in itertools.product([1, 7, 1000], [None, weights]):
            bounded(kernels.binning.uniform_sums, values, labels, w, n_bins)
        for sizes in ([1.0], [2.0, 0.0, 1.0], np.resize(weight, 4), np.full(3, np.nan)):
            sums = kernels.binning.label_ordered_sums
            bounded(sums, np.array(sizes, float), values, weights, positives)


@each_weight
def test_ties(weight):
    for values, labels, weights, _ in samples(weight):
        for w in (None, weights):
            bounded(kernels.ties.ties, values, labels, w)
            bounded(kernels.fast_ties.pool_ties, values, labels, w)
            bounded(kernels.fast_ties.pairs_won, values, labels)
        for first_bit in (0, 3, 60):
            keys = values.copy().view(np.uint64)
            bounded(kernels.sorting._radix_sort, keys, keys.copy(), first_bit)
            bounded(
                kernels.sorting._radix_sort, keys.view(np.uint32), keys.view(np.uint32).copy(), 0
            )
        bounded(kernels.sorting.argsort, values)


@each_raw
def test_searching(values):
    values = np.array(values)
    for raw in RAW.values():
        queries = np.array(raw)
        for few in (queries, queries[:1], queries[:0], np.repeat(queries, 20)):
            bounded(kernels.step_functions.step, values, np.arange(values.size + 1.0), few)
            bounded(kernels.step_functions.interpolate, values, values, few)
            p = np.arange(values.size + 1.0)
            bounded(kernels.venn_abers.look_up, values, p, p, few)
    bounded(kernels.step_functions.step, values[:0], np.ones(1), values)


@pytest.mark.parametrize("kernel", kernels.kernel_sums.KERNELS)
def test_kernel_sums(kernel):
    widths = [0.0, 5e-324, 1e-310, 0.3, 1e308, np.inf, np.nan]
    weights = [1.0, np.nan, WEIGHTS["mixed"]]
    raw = [np.array(values) for values in RAW.values()]
    queries = [*raw, "many", np.empty(0)]
    for points, asked, h, weight in in_pairs(raw, queries, widths, weights):
        if isinstance(asked, str):
            asked = np.repeat(points, 13)  # of a group: enough to be interpolated
        w = np.resize(weight, points.size).astype(float)
        bounded(kernels.kernel_sums.kernel_sums, kernel, points, w, h, asked)


@pytest.mark.parametrize("kernel", kernels.kernel_sums.SHAPES)
def test_a_crowd_at_the_edge_of_reach_costs_no_more_than_one_in_the_middle(kernel):
    """Counted in accesses to arrays, per point and query."""

    def cost(n, distance):
        rng = np.random.default_rng(0)
        points, queries = np.sort(1e-3 * rng.random(n)), np.sort(distance + 1e-3 * rng.random(n))
        bounded(kernels.kernel_sums.kernel_sums, kernel, points, np.ones(n), 1.0, queries)
        return done.accesses / n

    assert cost(400, 0.9995) < 1.2 * cost(100, 0.5)


@each_weight
def test_isotonic_and_near_isotonic_regression(weight):
    for values, _, weights, positives in samples(weight):
        starts, _, _ = bounded(
            kernels.adjacent_violators.pool_adjacent_violators, weights, positives
        )
        bounded(kernels.adjacent_violators.block_centres, values, weights, starts)
        bounded(kernels.venn_abers.venn_abers_pairs, weights, positives)
        bounded(kernels.near_isotonic.near_isotonic_path, weights, positives)


@each_raw
def test_self_calibrating_intervals(values):
    for size in [1, 2]:  # apart, in pairs
        outcomes = np.repeat(values, size)
        starts = np.arange(0, outcomes.size + 1, size)
        with np.errstate(all="ignore"):
            sums = np.append(0.0, np.cumsum(outcomes))[starts]
        left, right = bounded(kernels.conformal.minorant_corners, starts, sums)
        lows = np.arange(starts.size)
        for highs, (lowest, highest) in itertools.product(
            [lows, np.minimum(lows + 1, lows[-1])], [(0.0, 1.0), (-1e308, 1e308), (np.nan, np.nan)]
        ):
            bounded(
                kernels.conformal.self_calibrating_intervals,
                outcomes, starts, sums, left, right, lows, highs, 0.25, lowest, highest,
            )  # fmt: skip


@each_weight
def test_total_variation(weight):
    for values, _, weights, _ in samples(weight):
        bounded(kernels.total_variation.least_total_variation, values, weights[1:])
        bounded(kernels.total_variation.least_total_variation, weights, values[1:])


@each_weight
def test_bayesian_binning(weight):
    for values, _, weights, positives in samples(weight):
        edges = np.linspace(0, 1, values.size + 1)
        sums = kernels.bayesian_binning.TieSums(
            edges=edges,
            weights=bounded(kernels.binning.prefix_sums, weights),
            positives=bounded(kernels.binning.prefix_sums, positives),
        )
        sizes = np.array([1, 3, 2**40])
        bins = bounded(kernels.bayesian_binning.bins_of_binnings, sums, sizes)
        bounded(kernels.bayesian_binning.binning_log_scores, bins)
        average = kernels.bayesian_binning.binning_average
        bounded(average, bins, values.size, np.full(3, 1 / 3))
        for strength in (1.0, 1e300, np.nan):
            average = kernels.bayesian_binning.average_over_all_binnings
            bounded(average, sums, values, strength)


@each_weight
def test_sums_of_intervals_splits_and_sigmoids(weight):
    for values, labels, weights, _ in samples(weight):
        tree = bounded(kernels.interval_sums.sum_tree, weights)
        ends = np.arange(values.size + 1)
        bounded(kernels.interval_sums.interval_sums, tree, ends[::-1].copy(), ends)
        bounded(kernels.auc_split.split_aucs, values, values, labels, weights)
        bounded(kernels.auc_split.whole_auc, values, labels, weights)
        scores = np.stack([values, values[::-1], values], axis=1)
        gaps, missed = bounded(kernels.softmax.gaps_below_largest, scores, labels.astype(np.int64))
        for slope in (0.0, 1.0, 1e308, np.nan):
            bounded(kernels.softmax.slope_derivatives, gaps, missed, weights, slope)
        fit = kernels.logistic.fit_logistic
        for k, free_level in itertools.product([0, 1, 2], [False, True]):
            columns, start = np.stack([values, values[::-1]])[:k], np.full(k + 1, 0.3)
            bounded(fit, columns, labels, weights, (0.1, 0.2), start, free_level, 1e-16)


@each_weight
def test_sets_of_multicalibration(weight):
    for values, labels, weights, _ in samples(weight):
        members = np.stack([np.ones(values.size, bool), values > 0.3])
        levels = np.arange(values.size) % 3
        patching = kernels.multicalibration
        both = values, 1 - values
        sums = bounded(patching.cell_sums, members, levels, *both, labels, weights, 3)
        for logarithmic in [False, True]:
            (group, first, last), evidence = bounded(patching.most_evident, sums, logarithmic)
            assert 0 <= group < 2 and 0 <= first <= last < 3 and evidence >= 0
        for goal, start in itertools.product([0.0, 1.3, 1e300, np.nan], [0.0, np.inf, np.nan]):
            bounded(patching.shift_to_sum, values, weights, goal, start)


# Numbers at the ends of what is allowed: calibrators must answer in [0, 1]


EPSILON = np.spacing(0.5)
SCORES = {
    "one": [0.5],
    "tied": [0.25] * 9,
    "unit": [0.0, 5e-324, 1e-310, 1e-16, 0.5, 0.5 + EPSILON, 0.5 + 2 * EPSILON, 1.0],
    "neighbours": 0.5 + EPSILON * np.arange(9),
    "subnormal": 5e-324 * np.arange(7),
    "many": np.linspace(0, 1, 20),
}
WIDE = {
    "huge": [-1.7e308, -1e308, -5e-324, 0.0, 5e-324, 1e308, 1.7e308],
    "decades": [*-(10.0 ** np.arange(300, -300, -40)), *10.0 ** np.arange(-300, 300, 40)],
    "outlier": [-1.7e308, 0.1, 0.2, 0.3, 0.4],
}
COUNTS = {
    "ones": None,
    "subnormal": 5e-324,
    "light": 1e-170,
    "heavy": 1e148,
    "uneven": [1e-170, 1.0, 1e16, 1e-16],
    "most uneven": [5e-324, 1e149, 1.0, 1e-100],
}
METHODS = [
    calib.HistogramBinning(),
    calib.HistogramBinning(n_bins=2**60),
    calib.HistogramBinning(n_bins=7, strategy="uniform"),
    calib.PlattScaling(),
    calib.TemperatureScaling(),
    calib.TemperatureScaling(scale="score"),
    calib.BetaCalibration(),
    calib.QuadraticLogit(),
    calib.SplineCalibrator(),
    calib.SplineCalibrator(scale="score"),
    calib.IsotonicCalibrator(),
    calib.IsotonicCalibrator(centred=True, smoothing=1),
    *(
        calib.KernelCalibrator(kernel=kernel, bandwidth=bandwidth, shared=shared)
        for kernel in kernels.kernel_sums.KERNELS
        for bandwidth, shared in [("cv", False), (1e-300, True), (1e300, True)]
    ),
    calib.DirichletProcessCalibrator(n_components=3, max_iter=5),
    calib.BBQ(),
    calib.ABB(),
    calib.ENIR(),
    calib.ENIR(centred=True, smoothing=1),
    calib.VennAbers(),
    calib.DirectIsotonic(),
]


def fit(method, scores, labels, weights):
    return method.fit(scores, labels, sample_weight=weights)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_calibrators_at_the_ends_of_what_is_allowed(method):
    forms = SCORES if method.unit_scores else SCORES | WIDE
    some_labels = [[0, 1], [1, 0, 0], [1]]
    for form, weight, labels in in_pairs(forms, COUNTS.values(), some_labels):
        scores = np.array(forms[form])
        weights = None if weight is None else np.resize(weight, scores.size)
        queries = np.r_[scores, np.nextafter(scores, 1), 0.0, 1.0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                bounded(fit, method, scores, np.resize(labels, scores.size), weights)
            except ValueError as refusal:
                assert "log likelihoods are numerically lost" in str(refusal)
                continue
            predicted = method.predict(queries)
        assert np.all((predicted >= 0) & (predicted <= 1)), (form, weight, labels)
