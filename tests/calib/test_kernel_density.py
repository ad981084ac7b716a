"""Kernel calibration against its formula, term by term, and against other people's code."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from sklearn.neighbors import KernelDensity

from calib import KernelCalibrator, OneClassWarning
from calib.methods.gaussian_sums import gaussian_sums
from calib.methods.kernel_sums import KERNELS, kernel_sums

each_kernel = pytest.mark.parametrize("kernel", KERNELS)
TOLERANCE = {"boxcar": 1e-10, "epanechnikov": 1e-10, "tricube": 1e-10, "gaussian": 1e-7}


def kernel_value(kernel, distance, bandwidth):
    u = distance / bandwidth
    inside = distance <= bandwidth
    return {
        "boxcar": lambda: inside * 1.0,
        "epanechnikov": lambda: inside * (1 - u**2),
        "tricube": lambda: inside * (1 - u * u * u) ** 3,
        "gaussian": lambda: np.exp(-(u**2) / 2),
    }[kernel]()


def term_by_term(kernel, scores, labels, weights, bandwidths, queries):
    """h0 S1 / (h0 S1 + h1 S0) in O(N M), the base rate where S0 + S1 < 1e-14 N."""
    s0, s1 = (
        weights[labels == z]
        @ kernel_value(kernel, np.abs(scores[labels == z][:, None] - queries), bandwidths[z])
        for z in (0, 1)
    )
    total = bandwidths[0] * s1 + bandwidths[1] * s0
    inside = s0 + s1 >= 1e-14 * weights.sum()
    base_rate = weights @ labels / weights.sum()
    return np.where(inside, bandwidths[0] * s1 / np.where(inside, total, 1), base_rate)


def draw(law, n, rng):
    if law == "probabilities":
        scores = rng.beta(0.7, 0.9, n)
    elif law == "ties":
        scores = rng.beta(0.7, 0.9, n).round(2)
    elif law == "far from zero":
        scores = 1e3 + rng.normal(size=n)
    else:
        scores = np.where(rng.random(n) < 0.5, rng.normal(0, 1e-3, n), rng.normal(1, 0.5, n))
    labels = (rng.random(n) < 0.3).astype(int)
    labels[:2] = 0, 1
    return scores, labels


LAWS = ["probabilities", "ties", "far from zero", "narrow and wide"]


def queries_for(scores, bandwidths, n, rng):
    """Anywhere, on the scores, and close to the edge of the reach of a score."""
    margin = 1.5 * max(bandwidths)
    on = rng.choice(scores, n)
    return np.concatenate(
        [
            rng.uniform(scores.min() - margin, scores.max() + margin, n),
            on,
            on + bandwidths[0] * (1 - 1e-3 * rng.random(n)),
            on - bandwidths[1] * (1 - 1e-2 * rng.random(n)),
        ]
    )


@each_kernel
@settings(max_examples=30, deadline=None)
@given(
    law=st.sampled_from(LAWS),
    n=st.sampled_from([2, 7, 60, 400]),
    log_bandwidths=st.tuples(st.floats(-4, 1.5), st.floats(-4, 1.5)),
    shared=st.booleans(),
    weighted=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_the_formula_term_by_term(kernel, law, n, log_bandwidths, shared, weighted, seed):
    rng = np.random.default_rng(seed)
    scores, labels = draw(law, n, rng)
    h0, h1 = (10.0**power for power in log_bandwidths)
    h1 = h0 if shared else h1
    weights = rng.uniform(0.1, 3, n) if weighted else None
    queries = queries_for(scores, (h0, h1), 100, rng)
    bandwidth = h0 if shared else (h0, h1)
    fitted = KernelCalibrator(kernel=kernel, bandwidth=bandwidth, shared=shared)
    fitted.fit(scores, labels, sample_weight=weights)
    assert fitted.bandwidths_ == (h0, h1)
    weights = np.ones(n) if weights is None else weights
    expected = term_by_term(kernel, scores, labels, weights, (h0, h1), queries)
    np.testing.assert_allclose(fitted.predict(queries), expected, rtol=0, atol=TOLERANCE[kernel])


@pytest.mark.slow
@each_kernel
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("relative", [0.02, 0.5, 10.0])
def test_the_formula_term_by_term_where_many_queries_share_their_work(kernel, law, relative):
    rng = np.random.default_rng(3)
    scores, labels = draw(law, 1000, rng)
    h0, h1 = relative * scores.std(), 1.7 * relative * scores.std()
    queries = queries_for(scores, (h0, h1), 500, rng)
    fitted = KernelCalibrator(kernel=kernel, bandwidth=(h0, h1), shared=False).fit(scores, labels)
    expected = term_by_term(kernel, scores, labels, np.ones(1000), (h0, h1), queries)
    np.testing.assert_allclose(fitted.predict(queries), expected, rtol=0, atol=TOLERANCE[kernel])


@each_kernel
def test_the_sums_have_a_small_relative_error(kernel):
    """A crowd of points at the edge of the reach is summed as accurately as one in the middle."""
    rng = np.random.default_rng(0)
    points = np.sort(rng.normal(0, 1e-3, 500))
    queries = np.linspace(0.9, 1.1, 301)
    sums = kernel_sums(kernel, points, np.ones(500), 1.0, queries)
    expected = kernel_value(kernel, np.abs(points[:, None] - queries), 1.0).sum(axis=0)
    np.testing.assert_allclose(sums, expected, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("kernel", ["epanechnikov", "tricube"])
@pytest.mark.parametrize("margin", [0.5, 1e-3, 1e-9])
def test_the_sums_have_a_small_relative_error_at_the_very_edge(kernel, margin):
    """In exact fractions, for a crowd on one side that only just comes into reach of a crowd."""
    rng = np.random.default_rng(0)
    points = np.unique(-margin * rng.random(20))
    weights = 10.0 ** rng.uniform(-12, 12, points.size)
    queries = np.sort(1 - 1.1 * margin * rng.random(20))
    a, b = {"epanechnikov": (2, 1), "tricube": (3, 3)}[kernel]
    for sign in (1, -1):
        x, w, y = (v[::sign] for v in (sign * points, weights, sign * queries))
        sums = kernel_sums(kernel, x, w, 1.0, y)
        for query, found in zip(map(Fraction, y), sums, strict=True):
            distances = [abs(query - Fraction(point)) for point in x]
            values = [(1 - d**a) ** b if d <= 1 else 0 for d in distances]
            exact = sum(Fraction(weight) * value for weight, value in zip(w, values, strict=True))
            assert abs(Fraction(found) - exact) <= Fraction(1e-11) * exact


def test_gaussian_sums_in_the_tails():
    rng = np.random.default_rng(0)
    points = np.sort(rng.normal(size=1000))
    weights = rng.uniform(0.5, 2, 1000)
    h = 0.3
    queries = np.sort(np.concatenate([np.linspace(-6, 6, 500), rng.uniform(5.2, 5.3, 200)]))
    sums = gaussian_sums(points, weights, h, queries)
    u = (points[:, None] - queries) / h
    exact = logsumexp(-(u**2) / 2, b=weights[:, None], axis=0)
    reached = exact > np.log(1e-14 * weights.sum())
    assert exact[reached].min() < -20  # the tails are in the test
    np.testing.assert_allclose(sums[reached], np.exp(exact[reached]), rtol=1e-7)
    assert np.all(sums[~reached] < 1e-14 * weights.sum())


def test_gaussian_sums_far_from_two_neighbours():
    """The expansion of a block is worst for points at its ends and a query at the end of reach."""
    points, query = np.array([0.0, 0.12]), np.array([8.0])
    expected = np.exp(-((query[0] - points) ** 2) / 2).sum()
    sums = gaussian_sums(points, np.ones(2), 1.0, query)
    np.testing.assert_allclose(sums, expected, rtol=1e-8)


@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_bayes_theorem_on_the_densities_of_scikit_learn(kernel):
    rng = np.random.default_rng(1)
    scores, labels = draw("probabilities", 300, rng)
    grid = np.linspace(0.02, 0.98, 200)
    f0, f1 = (
        np.exp(
            KernelDensity(kernel=kernel, bandwidth=h, rtol=1e-12)
            .fit(scores[labels == z, None])
            .score_samples(grid[:, None])
        )
        for z, h in enumerate((0.15, 0.2))
    )
    expected = labels.mean() * f1 / (labels.mean() * f1 + (1 - labels.mean()) * f0)
    fitted = KernelCalibrator(kernel=kernel, bandwidth=(0.15, 0.2), shared=False)
    predicted = fitted.fit(scores, labels).predict(grid)
    np.testing.assert_allclose(predicted, expected, rtol=0, atol=1e-7)


@pytest.mark.slow
def test_unbalanced_classes_keep_their_prior():
    """Two normal laws and 5% positives: equal priors would be wrong by odds of 19."""
    rng = np.random.default_rng(2)
    labels = (rng.random(40_000) < 0.05).astype(int)
    scores = rng.normal(labels * 1.5, 1)
    grid = np.linspace(-0.5, 2, 11)
    log_odds = 1.5 * grid - 1.5**2 / 2 + np.log(0.05 / 0.95)
    truth = 1 / (1 + np.exp(-log_odds))
    for kernel, shared in itertools.product(KERNELS, [True, False]):
        predicted = KernelCalibrator(kernel=kernel, shared=shared).fit(scores, labels).predict(grid)
        np.testing.assert_allclose(predicted, truth, rtol=0, atol=0.04)


@pytest.mark.parametrize("n_copies", [1, 40])  # of the queries: alone, and many at once
def test_the_edge_belongs_to_the_support(n_copies):
    fitted = KernelCalibrator(bandwidth=0.25).fit([0.0, 0.5, 4.0], [0, 1, 1])
    inside, outside = 0.25 - 1e-12, 0.25 + 1e-12
    queries = np.repeat([inside, 0.25, outside, -0.25, -outside], n_copies)
    expected = np.repeat([0.0, 0.5, 1.0, 0.0, 2 / 3], n_copies)
    np.testing.assert_array_equal(fitted.predict(queries), expected)


def test_the_edge_belongs_to_the_support_of_many_queries_at_once():
    points = np.arange(65) / 64  # exact in binary
    queries = np.repeat(points, 20)
    sums = kernel_sums("boxcar", points, np.ones(65), 0.25, queries)
    steps = np.repeat(np.arange(65), 20)
    np.testing.assert_array_equal(sums, np.minimum(steps, 16) + 1 + np.minimum(64 - steps, 16))


@each_kernel
def test_silverman_by_hand(kernel):
    scores, labels = draw("far from zero", 500, np.random.default_rng(0))
    pooled = 1.06 * scores.std(ddof=1) * 500**-0.2
    fitted = KernelCalibrator(kernel=kernel).fit(scores, labels)
    np.testing.assert_allclose(fitted.bandwidths_, (pooled, pooled), rtol=1e-12)
    classes = [scores[labels == z] for z in (0, 1)]
    expected = [1.06 * x.std(ddof=1) * x.size**-0.2 for x in classes]
    fitted = KernelCalibrator(kernel=kernel, shared=False).fit(scores, labels)
    np.testing.assert_allclose(fitted.bandwidths_, expected, rtol=1e-12)
    assert fitted.base_rate_ == labels.mean()


def left_out_likelihood(kernel, scores, labels, bandwidths):
    """Take each row out, fit the others, predict it."""
    likelihood = 0.0
    for i in range(scores.size):
        others = np.arange(scores.size) != i
        p = term_by_term(
            kernel, scores[others], labels[others], np.ones(others.sum()), bandwidths, scores[[i]]
        )[0]
        with np.errstate(divide="ignore"):
            likelihood += np.log(p if labels[i] else 1 - p)
    return likelihood


@each_kernel
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("law", ["probabilities", "ties"])
def test_cross_validation_leaves_one_row_out(kernel, shared, law):
    for seed in range(4):
        scores, labels = draw(law, 60, np.random.default_rng(seed))
        start = KernelCalibrator(kernel=kernel, shared=shared).fit(scores, labels).bandwidths_
        fitted = KernelCalibrator(kernel=kernel, bandwidth="cv", shared=shared).fit(scores, labels)
        candidates = [tuple(2 ** (k / 2) * h for h in start) for k in range(-6, 5)]
        values = [left_out_likelihood(kernel, scores, labels, c) for c in candidates]
        assert np.isfinite(max(values))
        np.testing.assert_allclose(fitted.bandwidths_, candidates[np.argmax(values)], rtol=1e-12)


@each_kernel
def test_cross_validation_without_any_possible_bandwidth_stays_with_silverman(kernel):
    rule = KernelCalibrator(kernel=kernel).fit([0.0, 1.0], [0, 1])
    fitted = KernelCalibrator(kernel=kernel, bandwidth="cv").fit([0.0, 1.0], [0, 1])
    assert fitted.bandwidths_ == rule.bandwidths_


@pytest.mark.slow
@each_kernel
@pytest.mark.parametrize("seed", range(4))
def test_cross_validation_sees_no_rest_of_the_row_left_out(kernel, seed):
    """A single positive in a crowd has probability 0 from the others, whatever the bandwidth."""
    scores = np.random.default_rng(seed).beta(2, 2, 1000)
    labels = np.arange(1000) == 0
    rule = KernelCalibrator(kernel=kernel).fit(scores, labels)
    fitted = KernelCalibrator(kernel=kernel, bandwidth="cv").fit(scores, labels)
    assert fitted.bandwidths_ == rule.bandwidths_


@pytest.mark.parametrize("seed", range(20))
def test_cross_validation_that_differs_by_rounding_stays_with_silverman(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 2, 20_000) * 1.0  # two ties, always out of reach of each other
    labels, weights = rng.integers(0, 2, 20_000), rng.uniform(0.5, 2, 20_000)
    chosen, rule = (
        KernelCalibrator(kernel="tricube", bandwidth=bandwidth, shared=False).fit(
            scores, labels, sample_weight=weights
        )
        for bandwidth in ["cv", "silverman"]
    )
    assert chosen.bandwidths_ == rule.bandwidths_


@each_kernel
@pytest.mark.parametrize("bandwidth", ["silverman", "cv"])
@pytest.mark.parametrize("shared", [True, False])
def test_weights_are_counts_for_the_bandwidth_too(kernel, bandwidth, shared):
    rng = np.random.default_rng(5)
    scores, labels = draw("ties", 80, rng)
    copies = rng.integers(1, 4, 80)
    calibrator = KernelCalibrator(kernel=kernel, bandwidth=bandwidth, shared=shared)
    weighted = calibrator.fit(scores, labels, sample_weight=copies).bandwidths_
    repeated = calibrator.fit(np.repeat(scores, copies), np.repeat(labels, copies)).bandwidths_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-12)


@each_kernel
def test_the_order_of_the_queries_does_not_matter(kernel):
    rng = np.random.default_rng(0)
    fitted = KernelCalibrator(kernel=kernel).fit(*draw("ties", 300, rng))
    queries = rng.uniform(-0.5, 1.5, 500)
    expected = fitted.predict(queries)
    order = rng.permutation(500)
    np.testing.assert_array_equal(fitted.predict(queries[order]), expected[order])


@each_kernel
@pytest.mark.parametrize("exponent", [-900, -20, 30, 900])
def test_the_unit_of_the_scores_does_not_matter(kernel, exponent):
    """A power of two changes no digit."""
    rng = np.random.default_rng(0)
    scores, labels = draw("narrow and wide", 300, rng)
    queries = rng.uniform(-2, 3, 400)
    calibrator = KernelCalibrator(kernel=kernel, shared=False)
    expected = calibrator.fit(scores, labels).predict(queries)
    scaled = calibrator.fit(scores * 2.0**exponent, labels).predict(queries * 2.0**exponent)
    np.testing.assert_array_equal(scaled, expected)


@each_kernel
@pytest.mark.parametrize("bandwidth", ["silverman", "cv", 0.1])
def test_out_of_reach_is_the_base_rate(kernel, bandwidth):
    scores, labels = draw("probabilities", 100, np.random.default_rng(0))
    fitted = KernelCalibrator(kernel=kernel, bandwidth=bandwidth).fit(scores, labels)
    far = fitted.predict([-1e300, -30.0, 30.0, 1e300])
    np.testing.assert_array_equal(far, np.full(4, labels.mean()))


@each_kernel
@pytest.mark.parametrize("bandwidth", ["silverman", "cv"])
@pytest.mark.parametrize("shared", [True, False])
def test_scores_without_spread(kernel, bandwidth, shared):
    calibrator = KernelCalibrator(kernel=kernel, bandwidth=bandwidth, shared=shared)
    fitted = calibrator.fit(np.full(8, 0.3), [1, 0, 0, 0, 0, 0, 0, 1])
    assert fitted.bandwidths_ == (0, 0)
    np.testing.assert_array_equal(fitted.predict([0.3, 0.3 + 1e-16, 0.5] * 30), 0.25)
    fitted = calibrator.fit([0.3, 0.3], [0, 1], sample_weight=[3.0, 1.0])
    assert fitted.predict([0.3])[0] == 0.25


@each_kernel
def test_a_class_without_spread_takes_the_pooled_bandwidth(kernel):
    scores, labels = np.array([0.1, 0.4, 0.5, 0.9]), np.array([0, 0, 1, 0])
    shared = KernelCalibrator(kernel=kernel).fit(scores, labels)
    fitted = KernelCalibrator(kernel=kernel, shared=False).fit(scores, labels)
    assert fitted.bandwidths_[1] == shared.bandwidths_[1]
    negatives = scores[labels == 0]
    assert fitted.bandwidths_[0] == pytest.approx(1.06 * negatives.std(ddof=1) * 3**-0.2)


@each_kernel
@pytest.mark.parametrize("bandwidth", ["silverman", "cv", 0.2])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_and_one_row(kernel, bandwidth, shared, label):
    calibrator = KernelCalibrator(kernel=kernel, bandwidth=bandwidth, shared=shared)
    queries = np.linspace(-1, 2, 60)
    for scores in ([0.5], [0.1, 0.2, 0.7, 0.9]):
        with pytest.warns(OneClassWarning):
            fitted = calibrator.fit(scores, np.full(len(scores), label))
        np.testing.assert_array_equal(fitted.predict(queries), np.full(60, float(label)))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"kernel": "cosine"}, "kernel must be one of 'boxcar', 'epanechnikov'"),
        ({"bandwidth": "scott"}, "bandwidth must be one of 'silverman', 'cv'; found 'scott'"),
        ({"bandwidth": 0.0}, "bandwidth must be a number between 0 and inf; found 0.0"),
        ({"bandwidth": np.nan}, "bandwidth must be a number"),
        ({"bandwidth": (0.1, 0.2)}, "bandwidth must be one number if shared=True"),
        ({"bandwidth": (0.1, -0.2), "shared": False}, "bandwidth must be a number"),
        ({"bandwidth": (0.1, 0.2, 0.3), "shared": False}, "bandwidth must be a number"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        KernelCalibrator(**arguments).fit([0.1, 0.2], [0, 1])


@pytest.mark.parametrize("total", [0.5, 1.0, 1 + 2e-16, 1.5, 2.0])
def test_the_bandwidth_does_not_jump_where_weights_are_hardly_an_observation(total):
    """Silverman's rule for two observations, and for less: weights are counts."""
    scores = np.linspace(0, 1, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # normalised
        fitted = KernelCalibrator().fit(
            scores, np.arange(50) % 2, sample_weight=np.full(50, total / 50)
        )
    assert fitted.bandwidths_[0] == pytest.approx(1.06 * scores.std() * 2**0.5 * 2**-0.2)
