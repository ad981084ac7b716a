"""The near-isotonic path and ENIR against exact arithmetic, a dual solver and the definition."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression, lsq_linear
from scipy.special import softmax, xlogy

from calib.base.calibrator import OneClassWarning
from calib.methods.near_isotonic import ENIR, NearIsotonicPath

CRITERIA = ["bic", "aic", "aicc"]
seeds = st.integers(0, 10**6)


def sample(n, seed, decimals=None):
    """Scores (ties if rounded) and labels whose probability is not monotone in them."""
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.7, 0.9, n)
    if decimals is not None:
        scores = scores.round(decimals)
    labels = rng.random(n) < 0.2 + 0.4 * scores + 0.2 * np.sin(rng.uniform(0, 12) * scores)
    return scores, labels.astype(int)


def pooled(scores, labels, weights=None):
    """Distinct scores, their weights and positive weights."""
    distinct, index = np.unique(scores, return_inverse=True)
    w = np.ones(len(labels)) if weights is None else np.asarray(weights)
    return distinct, np.bincount(index, w), np.bincount(index, w * labels)


def quiet_fit(calibrator, scores, labels, sample_weight=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        return calibrator.fit(scores, labels, sample_weight=sample_weight)


# --- oracles ------------------------------------------------------------------------------------


def path_in_fractions(weights, positives):
    """[(lambda, sizes of the bins, their values)] from 0 through all breakpoints, exactly.

    Algorithm 1 of the paper: signs, slopes and values are renewed at every breakpoint.
    """
    sizes = [1] * len(weights)
    masses = [Fraction(int(w)) for w in weights]
    values = [Fraction(int(s), int(w)) for s, w in zip(positives, weights, strict=True)]
    lam, path = Fraction(0), []
    while True:
        b = 1
        while b < len(values):
            if values[b - 1] == values[b]:
                sizes[b - 1] += sizes.pop(b)
                masses[b - 1] += masses.pop(b)
                values.pop(b)
            else:
                b += 1
        path.append((float(lam), list(sizes), [float(value) for value in values]))
        v = [0, *(int(a > b) for a, b in itertools.pairwise(values)), 0]
        slopes = [(v[b] - v[b + 1]) / masses[b] for b in range(len(values))]
        steps = [
            (values[b] - values[b + 1]) / (slopes[b + 1] - slopes[b])
            for b in range(len(values) - 1)
            if slopes[b] != slopes[b + 1]
        ]
        steps = [step for step in steps if step > 0]
        if not steps:
            return path
        step = min(steps)
        lam += step
        values = [value + slope * step for value, slope in zip(values, slopes, strict=True)]


def solve_dual(weights, positives, lam):
    """Primal solution from the bounded least squares problem in the dual variables, or NaN."""
    differences = -np.diff(np.eye(weights.size), axis=0)  # row i takes p_i - p_{i+1}
    roots, means = np.sqrt(weights), positives / weights
    with np.errstate(divide="ignore", invalid="ignore"):  # SciPy may divide by a step of length 0
        dual = lsq_linear(differences.T / roots[:, None], roots * means, (0, lam), method="bvls")
    return means - differences.T @ dual.x / weights


def enir_by_definition(weights, positives, criterion):
    """Fitted values and weights of all models."""
    models = path_in_fractions(weights, positives)
    models = models[1:] or models
    fits = np.array([np.repeat(values, sizes) for _, sizes, values in models])
    d = np.array([len(values) for _, _, values in models], float)
    likelihoods = [np.sum(xlogy(positives, p) + xlogy(weights - positives, 1 - p)) for p in fits]
    n = weights.sum()
    if criterion == "bic":
        penalties = d * np.log(n)
    elif criterion == "aic":
        penalties = 2 * d
    else:
        with np.errstate(divide="ignore"):
            penalties = np.where(d < n - 1, 2 * d + 2 * d * (d + 1) / (n - d - 1), np.inf)
        if not np.any(d < n - 1):
            return fits[-1], np.eye(len(fits))[-1]
    omega = softmax(likelihoods - penalties / 2)
    return omega @ fits, omega


# --- the path -----------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(n=st.integers(1, 25), seed=seeds, decimals=st.sampled_from([None, 1]), real=st.booleans())
def test_the_path_solves_the_dual(n, seed, decimals, real):
    rng = np.random.default_rng(seed)
    scores, labels = sample(n, seed, decimals)
    weights = rng.uniform(0.1, 3, n) if real else rng.integers(1, 5, n)
    path = quiet_fit(NearIsotonicPath(), scores, labels, weights)
    distinct, w, s = pooled(scores, labels, weights)
    np.testing.assert_array_equal(path.scores_, distinct)
    np.testing.assert_allclose(path.values_at(0.0), s / w, rtol=0, atol=1e-12)
    if distinct.size > 1:
        for lam in [*rng.uniform(0, 1.2 * path.lambdas_[-1] + 0.1, 4), *path.lambdas_[1:4]]:
            expected = solve_dual(w, s, lam)
            if np.isnan(expected).any():  # SciPy's method broke off
                continue
            np.testing.assert_allclose(path.values_at(lam), expected, rtol=0, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 200), seed=seeds, decimals=st.sampled_from([None, 2]))
def test_breakpoints_are_those_of_exact_arithmetic(n, seed, decimals):
    scores, labels = sample(n, seed, decimals)
    weights = np.random.default_rng(seed).integers(1, 4, n)
    path = quiet_fit(NearIsotonicPath(), scores, labels, weights)
    expected = path_in_fractions(*pooled(scores, labels, weights)[1:])
    np.testing.assert_allclose(path.lambdas_, [lam for lam, _, _ in expected], rtol=1e-13)
    np.testing.assert_array_equal(path.n_bins_, [len(sizes) for _, sizes, _ in expected])
    for lam, (_, sizes, values) in zip(path.lambdas_, expected, strict=True):
        fitted = path.values_at(lam)
        np.testing.assert_allclose(fitted, np.repeat(values, sizes), rtol=0, atol=1e-13)
        assert np.count_nonzero(np.diff(fitted)) == len(sizes) - 1  # bins are exactly flat


@pytest.mark.slow
@pytest.mark.parametrize("n, decimals", [(1000, None), (10**5, None), (10**5, 3), (10**6, None)])
def test_the_end_is_isotonic_regression(n, decimals):
    scores, labels = sample(n, n, decimals)
    path = NearIsotonicPath().fit(scores, labels)
    _, w, s = pooled(scores, labels)
    expected = isotonic_regression(s / w, weights=w)
    for lam in [path.lambdas_[-1], np.inf]:
        fitted = path.values_at(lam)
        starts = np.flatnonzero(np.diff(fitted, prepend=-1))
        np.testing.assert_array_equal(starts, expected.blocks[:-1])
        np.testing.assert_allclose(fitted, expected.x, rtol=0, atol=1e-9)
    assert path.n_bins_[-1] == starts.size
    assert np.all(np.diff(path.lambdas_) > 0) and np.all(np.diff(path.n_bins_) < 0)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [0.1, 1 / 3, 1e-6, 1e6])
def test_rounding_does_not_tear_simultaneous_merges_apart(scale):
    """Weights of 0.1 add up with errors; the breakpoints must still be those of counts."""
    scores, labels = sample(5000, 0, 3)
    counted = NearIsotonicPath().fit(scores, labels)
    scaled = NearIsotonicPath().fit(scores, labels, sample_weight=np.full(5000, scale))
    assert counted.lambdas_.size > 50
    np.testing.assert_array_equal(scaled.n_bins_, counted.n_bins_)
    np.testing.assert_allclose(scaled.lambdas_, scale * counted.lambdas_, rtol=1e-9)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 80), seed=seeds, decimals=st.sampled_from([None, 1]))
def test_the_path_of_weights_and_of_shuffled_rows(n, seed, decimals):
    rng = np.random.default_rng(seed)
    scores, labels = sample(n, seed, decimals)
    copies = rng.integers(0, 4, n)
    copies[rng.integers(n)] += 1
    order = rng.permutation(n)
    weighted = quiet_fit(NearIsotonicPath(), scores, labels, copies)
    repeated = np.repeat(scores, copies), np.repeat(labels, copies)
    for sample_ in [repeated, (scores[order], labels[order], copies[order])]:
        other = quiet_fit(NearIsotonicPath(), *sample_)
        np.testing.assert_array_equal(other.scores_, weighted.scores_)
        np.testing.assert_array_equal(other.lambdas_, weighted.lambdas_)
        np.testing.assert_array_equal(other.n_bins_, weighted.n_bins_)
        lam = rng.uniform(0, 1 + weighted.lambdas_[-1])
        np.testing.assert_array_equal(other.values_at(lam), weighted.values_at(lam))


def test_a_path_by_hand():
    """1 and 0 approach each other at unit speed, meet in 1/2, and are met by nobody."""
    path = NearIsotonicPath().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    np.testing.assert_array_equal(path.lambdas_, [0, 0.5])
    np.testing.assert_array_equal(path.n_bins_, [4, 3])
    np.testing.assert_allclose(path.values_at(0.3), [0, 0.7, 0.3, 1])
    np.testing.assert_array_equal(path.values_at(7), [0, 0.5, 0.5, 1])
    np.testing.assert_allclose(path.predict([-9, 0.15, 0.25, 9], 0.3), [0, 0.35, 0.5, 1])
    assert path.predict([], 0.3).shape == (0,)


@pytest.mark.parametrize("lam", [-0.1, np.nan, "0.5", None, True])
def test_a_bad_lambda_is_refused(lam):
    path = NearIsotonicPath().fit([0.1, 0.2], [1, 0])
    with pytest.raises(ValueError, match="lam must be a number of at least 0; found"):
        path.values_at(lam)
    with pytest.raises(ValueError, match="lam must be a number of at least 0; found"):
        path.predict([0.1], lam)


# --- ENIR ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=20, deadline=None)
@given(
    n=st.integers(1, 500),
    seed=seeds,
    decimals=st.sampled_from([None, 2, 1]),
    weighted=st.booleans(),
)
def test_enir_is_the_average_of_all_models(criterion, n, seed, decimals, weighted):
    scores, labels = sample(n, seed, decimals)
    weights = np.random.default_rng(seed).integers(1, 4, n) if weighted else None
    calibrator = quiet_fit(ENIR(criterion=criterion), scores, labels, weights)
    distinct, w, s = pooled(scores, labels, weights)
    expected, omega = enir_by_definition(w, s, criterion)
    np.testing.assert_allclose(calibrator.predict(distinct), expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(calibrator.weights_, omega, rtol=0, atol=1e-10)
    queries = np.linspace(-0.5, 1.5, 101)
    between = np.interp(queries, distinct, expected)
    np.testing.assert_allclose(calibrator.predict(queries), between, rtol=0, atol=1e-10)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_what_enir_tells_about_its_models(criterion):
    scores, labels = sample(3000, 1)
    calibrator = ENIR(criterion=criterion).fit(scores, labels)
    path = NearIsotonicPath().fit(scores, labels)
    np.testing.assert_array_equal(calibrator.lambdas_, path.lambdas_[1:])
    np.testing.assert_array_equal(calibrator.n_bins_, path.n_bins_[1:])
    evaluated = ~np.isnan(calibrator.criteria_)
    assert calibrator.n_models_ == evaluated.size
    assert calibrator.n_evaluated_ == evaluated.sum() < evaluated.size
    assert np.all(calibrator.weights_[~evaluated] == 0)
    excess = (calibrator.criteria_ - np.nanmin(calibrator.criteria_))[evaluated]
    reach = 2 * np.log(evaluated.size / np.finfo(float).eps)
    assert np.any((excess > reach) & (excess < 2 * reach))
    np.testing.assert_array_equal(calibrator.weights_[evaluated] > 0, excess <= reach)
    assert np.isclose(calibrator.weights_.sum(), 1)
    for t in np.flatnonzero(evaluated):
        p = np.interp(scores, path.scores_, path.values_at(path.lambdas_[1 + t]))
        d = path.n_bins_[1 + t]
        penalty = {"bic": d * np.log(3000), "aic": 2 * d, "aicc": 2 * d * 3000 / (2999 - d)}
        likelihood = np.sum(xlogy(labels, p) + xlogy(1 - labels, 1 - p))
        assert np.isclose(calibrator.criteria_[t], penalty[criterion] - 2 * likelihood)
    assert np.all(calibrator.lower_bounds_[evaluated] < calibrator.criteria_[evaluated] + 1e-8)
    assert 1 <= calibrator.effective_models_ <= np.count_nonzero(calibrator.weights_)
    assert np.all(np.diff(calibrator.map_.scores) > 0)
    assert calibrator.map_.scores.size < path.scores_.size


@pytest.mark.slow
@pytest.mark.parametrize("criterion", CRITERIA)
def test_few_of_many_models_are_evaluated(criterion):
    calibrator = ENIR(criterion=criterion).fit(*sample(10**5, 0))
    assert calibrator.n_models_ > 2000
    assert calibrator.n_evaluated_ < 500


def flat_pairs(n_pairs):
    """Weights and positives of pairs of tied scores, built so that BIC hardly changes.

    Each pair is a violation. Between two merges the others shrink by as much likelihood as the
    bin that is saved costs: with p near the middle, lambda^2 grows by log N / sum 1 / (W p (1-p)).
    """
    weights = np.random.default_rng(0).integers(50_000, 100_000, (n_pairs, 2))
    middle = np.linspace(0.4, 0.6, n_pairs)[:, None]
    price = np.log(weights.sum())
    squared = 1.1 * price * np.sum(1 / np.arange(1, n_pairs + 1)) / np.mean(8 / weights)
    meets = np.empty((n_pairs, 1))
    for t in reversed(range(n_pairs)):
        meets[t] = np.sqrt(squared)
        p = middle[t:] + (meets[t:] - meets[t]) / weights[t:] * [1, -1]
        squared -= price / np.sum(1 / (weights[t:] * p * (1 - p)))
    return weights.ravel(), np.round(weights * middle + meets * [1, -1]).ravel()


def test_in_the_worst_case_all_models_are_evaluated():
    weights, positives = flat_pairs(100)
    scores, labels = np.repeat(np.arange(200), 2), np.tile([1, 0], 200)
    calibrator = ENIR().fit(
        scores, labels, sample_weight=np.c_[positives, weights - positives].ravel()
    )
    assert calibrator.n_models_ == calibrator.n_evaluated_ == 100
    assert np.all(calibrator.weights_ > 0) and calibrator.effective_models_ > 50


def test_two_models_by_hand():
    """At 1/2 the last two labels merge, at 2/3 the three before; AIC charges 4 and 3 bins."""
    calibrator = ENIR(criterion="aic").fit([1, 2, 3, 4, 5, 6], [0, 1, 0, 0, 1, 0])
    likelihoods = np.array([(3 / 4) ** 2 / 2, (1 / 3) * (2 / 3) ** 2]) * (1 / 2) ** 2
    shares = likelihoods * np.exp([-4, -3])
    shares /= shares.sum()
    np.testing.assert_allclose(calibrator.lambdas_, [1 / 2, 2 / 3])
    np.testing.assert_allclose(calibrator.weights_, shares)
    np.testing.assert_allclose(calibrator.effective_models_, np.prod(shares**-shares))
    second, third = shares @ [1 / 2, 1 / 3], shares @ [1 / 4, 1 / 3]
    expected = [0, second, third, third, 1 / 2, 1 / 2]
    np.testing.assert_allclose(calibrator.predict([1, 2, 3, 4, 5, 6]), expected)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_values_on_which_all_models_agree_are_exact(criterion):
    """0 before the first positive, 1 behind the last negative, and bins that stand still."""
    for seed in range(20):
        scores, labels = sample(200, seed)
        labels[np.argmin(scores)], labels[np.argmax(scores)] = 0, 1
        calibrator = ENIR(criterion=criterion).fit(scores, labels)
        path = NearIsotonicPath().fit(scores, labels)
        prices = calibrator.lambdas_[calibrator.weights_ > 0]
        fits = np.array([path.values_at(lam) for lam in prices])
        agreed = np.all(fits == fits[0], axis=0)
        p = calibrator.predict(path.scores_)
        np.testing.assert_array_equal(p[agreed], fits[0, agreed])
        np.testing.assert_array_equal(p == 0, path.scores_ < scores[labels == 1].min())
        np.testing.assert_array_equal(p == 1, path.scores_ > scores[labels == 0].max())


# --- degenerate samples -------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize(
    "scores, labels, expected",
    [
        ([0.3], [1], [1]),
        ([0.3, 0.6], [1, 1], [1, 1]),
        ([0.3, 0.6, 0.9], [0, 0, 0], [0, 0, 0]),
        ([0.3, 0.6], [0, 1], [0, 1]),
        ([0.3, 0.6], [1, 0], [0.5, 0.5]),
        ([0.3, 0.3], [1, 0], [0.5, 0.5]),
        ([0.3, 0.3, 0.3, 0.3], [1, 0, 0, 0], [0.25] * 4),
        ([0.1, 0.2, 0.3, 0.4, 0.5], [0, 0, 1, 1, 1], [0, 0, 1, 1, 1]),
        ([0.1, 0.2, 0.3, 0.4, 0.5], [1, 1, 1, 0, 0], [0.6] * 5),
    ],
    ids=[
        "one positive",
        "two positives",
        "negatives",
        "pair in order",
        "pair out of order",
        "tied pair",
        "all tied",
        "separable",
        "reversed",
    ],
)
def test_samples_of_one_model(criterion, scores, labels, expected):
    calibrator = quiet_fit(ENIR(criterion=criterion), scores, labels)
    np.testing.assert_allclose(calibrator.predict(scores), expected, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(calibrator.weights_, [1])
    assert calibrator.n_models_ == calibrator.n_evaluated_ == 1


def test_one_class_gives_a_warning_and_an_unequal_criterion_an_error():
    for method in [ENIR(), NearIsotonicPath()]:
        with pytest.warns(OneClassWarning, match=type(method).__name__):
            method.fit([0.1, 0.2], [1, 1])
    with pytest.raises(ValueError, match="criterion must be one of 'bic', 'aic', 'aicc'; found 'h"):
        ENIR(criterion="hqic").fit([0.1, 0.2], [0, 1])


@pytest.mark.parametrize("heavy", [1e6, 1e15, 1e17, 1e30])
def test_very_unequal_weights(heavy):
    """A value reaches 0 or 1 only by rounding: criteria stay finite, values in [0, 1]."""
    scores = np.arange(6.0)
    labels = [1, 0, 0, 1, 1, 0]
    weights = [1, heavy, 1, heavy, 2, heavy]
    calibrator = ENIR().fit(scores, labels, sample_weight=weights)
    assert np.isclose(calibrator.weights_.sum(), 1)
    assert np.all(np.isfinite(calibrator.criteria_[~np.isnan(calibrator.criteria_)]))
    path = NearIsotonicPath().fit(scores, labels, sample_weight=weights)
    for lam in [*path.lambdas_, *(path.lambdas_ * (1 - 1e-16)), np.inf]:
        assert np.all((path.values_at(lam) >= 0) & (path.values_at(lam) <= 1))
    expected = isotonic_regression(labels, weights=weights).x
    np.testing.assert_allclose(path.values_at(np.inf), expected, rtol=0, atol=1e-12)


def test_rounding_does_not_lift_a_value_above_one():
    path = NearIsotonicPath().fit([1, 2, 3, 4], [1, 0, 1, 0], sample_weight=[1e18, 4.9, 11.7, 9.8])
    before_the_end = path.values_at(np.nextafter(path.lambdas_[-1], 0))
    assert np.all(before_the_end <= 1) and before_the_end[0] == 1
