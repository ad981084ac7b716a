"""The three classical calibrators against their definitions and against other packages."""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression

from calib import (
    CalibrationMap,
    HistogramBinning,
    IsotonicCalibrator,
    OneClassWarning,
    PlattScaling,
)
from calib.kernels.binning import halfway

seeds = st.integers(0, 10**6)


def sample(n, seed, decimals=None):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.6, 0.8, n)
    if decimals is not None:
        scores = scores.round(decimals)
    labels = (rng.random(n) < 0.1 + 0.7 * np.sin(2 * scores) ** 2).astype(int)
    labels[:2] = [0, 1]
    return scores, labels


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 120), st.integers(1, 12), seeds)
def test_quantile_bins_of_distinct_scores(n, n_bins, seed):
    scores, labels = sample(n, seed)
    calibrator = HistogramBinning(n_bins=n_bins).fit(scores, labels)
    order = np.argsort(scores)
    # bin of rank r (from 0): floor(B (r + 1/2) / N)
    bins = (n_bins * (2 * np.arange(n) + 1)) // (2 * n)
    frequency = np.bincount(bins, labels[order])[bins] / np.bincount(bins)[bins]
    np.testing.assert_allclose(calibrator.predict(scores[order]), frequency, rtol=0, atol=1e-14)
    assert calibrator.counts_.sum() == n


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 120), st.integers(1, 12), seeds)
def test_uniform_bins(n, n_bins, seed):
    scores, labels = sample(n, seed, decimals=1)  # many scores on the edges
    calibrator = HistogramBinning(n_bins=n_bins, strategy="uniform").fit(scores, labels)
    edges = np.arange(1, n_bins) / n_bins
    bins = np.searchsorted(edges, scores, side="right")
    counts = np.bincount(bins, minlength=n_bins)
    positives = np.bincount(bins, labels, minlength=n_bins)
    expected = np.where(counts > 0, positives / np.maximum(counts, 1), labels.mean())
    np.testing.assert_allclose(calibrator.probabilities_, expected, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(calibrator.predict(scores), calibrator.probabilities_[bins])


def test_ties_are_never_split():
    scores = np.repeat([0.1, 0.2, 0.9], [50, 1, 49])
    calibrator = HistogramBinning(n_bins=10).fit(scores, np.arange(100) % 2)
    # middle ranks 25, 50.5 and 75.5: bins 2, 5 and 7
    assert calibrator.counts_.tolist() == [50, 1, 49]
    np.testing.assert_allclose(calibrator.cuts_, [0.15, 0.55])
    np.testing.assert_allclose(calibrator.predict([0.1, 0.2, 0.9]), [0.5, 0, 25 / 49])


def test_the_default_number_of_bins_is_the_cube_root():
    scores, labels = sample(1000, 0)
    assert HistogramBinning().fit(scores, labels).counts_.size == 10
    assert (
        HistogramBinning().fit(scores, labels, sample_weight=np.full(1000, 8.0)).counts_.size == 20
    )


def test_cuts_separate_even_neighbouring_floats():
    left = np.array([0.5, 0.1, -1e308, 5e-324])
    right = np.array([np.nextafter(0.5, 1), 0.3, 1e308, 1e-323])
    cuts = halfway(left, right, np.empty(4))
    assert np.all((left < cuts) & (cuts <= right))
    assert cuts[1] == pytest.approx(0.2)


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 300), seeds, st.sampled_from([1e-3, 1.0, 1e4]), st.booleans())
def test_platt_reaches_the_minimum(n, seed, scale, weighted):
    scores, labels = sample(n, seed)
    margins = scale * (scores - 0.3)
    weights = np.random.default_rng(seed).uniform(0.5, 2, n) if weighted else np.ones(n)
    platt = PlattScaling().fit(margins, labels, sample_weight=weights if weighted else None)
    m, k = weights[labels == 1].sum(), weights[labels == 0].sum()
    target = np.where(labels == 1, (m + 1) / (m + 2), 1 / (k + 2))

    def loss(parameters):
        f = parameters[0] * margins / scale + parameters[1]
        return -np.sum(weights * (target * log_expit(f) + (1 - target) * log_expit(-f)))

    def gradient(parameters):
        f = parameters[0] * margins / scale + parameters[1]
        residual = weights * (expit(f) - target)
        return np.array([np.sum(residual * margins / scale), np.sum(residual)])

    ours = np.array([platt.slope_ * scale, platt.intercept_])
    assert np.abs(gradient(ours)).max() < 1e-6 * n
    best = minimize(loss, [0.0, 0.0], jac=gradient, method="BFGS", options={"gtol": 1e-9})
    assert loss(ours) <= best.fun + 1e-9 * abs(best.fun)


def newton_decrement(platt, scores, labels, weights):
    """What another Newton step could still gain, per unit of the loss: in sixty digits."""
    with localcontext(Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])):
        slope, intercept = Decimal(platt.slope_), Decimal(platt.intercept_)
        x, w = [Decimal(float(s)) for s in scores], [Decimal(float(v)) for v in weights]
        mass = [sum(v for v, z in zip(w, labels, strict=True) if z == label) for label in (0, 1)]
        rows = []
        for xi, wi, label in zip(x, w, labels, strict=True):
            side, miss = (1, 1 / (mass[1] + 2)) if label else (-1, 1 / (mass[0] + 2))
            margin = side * (slope * xi + intercept)
            wrong = 1 / (1 + margin.exp())
            loss = (
                miss * margin - (1 - wrong).ln() if margin > 0 else (miss - 1) * margin - wrong.ln()
            )
            rows.append((xi, wi * loss, wi * side * (miss - wrong), wi * wrong * (1 - wrong)))
        curvature = sum(c for *_, c in rows)
        mean = sum(c * xi for xi, *_, c in rows) / curvature
        gradient = sum(g * (xi - mean) for xi, _, g, _ in rows)
        spread = sum(c * (xi - mean) ** 2 for xi, *_, c in rows)
        gain = gradient**2 / spread + sum(g for *_, g, _ in rows) ** 2 / curvature
        return float(gain / sum(loss for _, loss, *_ in rows))


HEAVY = {
    "normal": lambda n, rng: rng.normal(size=n),
    "pareto": lambda n, rng: rng.pareto(0.3, n),
    "odds": lambda n, rng: np.exp(rng.logistic(scale=10, size=n)),
    "both tails": lambda n, rng: rng.standard_t(0.2, n),
    "one far out": lambda n, rng: np.where(np.arange(n) == 1, 1e30, rng.normal(size=n)),
    "huge": lambda n, rng: 1e307 * rng.normal(size=n),
    "small": lambda n, rng: 1e-280 * rng.normal(size=n),
    "decades": lambda n, rng: 10.0 ** rng.uniform(-300, 300, n),
}


@pytest.mark.parametrize("form", HEAVY)
@pytest.mark.parametrize("truth", ["noise", "signal", "separable", "reversed"])
@pytest.mark.parametrize("weight", [1.0, 1e-100, 1e100, "uneven"])
def test_platt_finds_the_optimum_whatever_the_tails_and_the_weights(form, truth, weight):
    rng = np.random.default_rng(8)
    scores = HEAVY[form](40, rng)
    high = scores > np.median(scores)
    labels = {
        "noise": rng.random(40) < 0.4,
        "signal": rng.random(40) < 0.2 + 0.6 * high,
        "separable": high,
        "reversed": ~high,
    }[truth]
    weights = 10.0 ** rng.uniform(-6, 6, 40) if weight == "uneven" else np.full(40, weight)
    platt = PlattScaling().fit(scores, labels, sample_weight=weights)
    assert newton_decrement(platt, scores, labels, weights) <= 1e-14
    # weights of 1e100 ask separable classes for log-odds of 230, one step each
    assert platt.n_iter_ < 60 + 2 * max(0, np.log(weights.sum()))


@pytest.mark.parametrize("scores", [[8.0, 2.0], [2.0, 8.0], [-30.0, -0.07]])
@pytest.mark.parametrize("weights", [[0.5, 64.0], [0.9, 70.0], [0.2, 440.0]])
def test_platt_shortens_a_step_that_is_too_long(scores, weights):
    """A light point against a heavy one: full Newton steps go to and fro for ever."""
    platt = PlattScaling().fit(scores, [0, 1], sample_weight=weights)
    assert platt.n_iter_ < 20
    assert newton_decrement(platt, scores, [0, 1], weights) < 1e-20


@pytest.mark.slow
def test_platt_is_not_misled_by_rounding_in_a_sum_of_a_million_terms():
    rng = np.random.default_rng(8)
    scores, labels = rng.pareto(0.3, 10**6), rng.random(10**6) < 0.3
    assert PlattScaling().fit(scores, labels).n_iter_ < 40


@pytest.mark.parametrize("width", [5e-324, 1e-320, 1e-308, 1e-300])
def test_scores_that_no_slope_can_tell_apart_are_constant(width):
    scores = width * np.arange(4)
    with pytest.warns(UserWarning, match="differ by less than 1e-290"):
        platt = PlattScaling().fit(scores, [0, 0, 1, 0])
    constant = PlattScaling().fit(np.zeros(4), [0, 0, 1, 0])
    np.testing.assert_array_equal(platt.predict(scores), constant.predict(np.zeros(4)))
    steep = PlattScaling().fit([1e-308, 2e-308, 1e-289], [0, 1, 1])
    assert np.isfinite([steep.slope_, steep.intercept_]).all()


def test_platt_agrees_with_scikit_learn():
    scores, labels = sample(2000, 3)
    expected = _SigmoidCalibration().fit(scores, labels).predict(scores)
    np.testing.assert_allclose(
        PlattScaling().fit(scores, labels).predict(scores), expected, rtol=0, atol=1e-4
    )


def test_platt_on_separable_and_extreme_scores():
    scores = np.array([-1e3, -1.0, 1.0, 1e3])
    separable = PlattScaling().fit(scores, [0, 0, 1, 1])
    assert np.isfinite([separable.slope_, separable.intercept_]).all()
    huge = PlattScaling().fit([-1e308, -1.0, 1.0, 1e308], [0, 0, 1, 1])
    assert np.all(np.diff(huge.predict([-1e308, 0.0, 1e308])) > 0)
    far = PlattScaling().fit(1e6 + sample(500, 1)[0], sample(500, 1)[1])
    near = PlattScaling().fit(*sample(500, 1))
    assert far.slope_ == pytest.approx(near.slope_, rel=1e-6)


def test_platt_with_nothing_to_tell_the_classes_apart():
    assert PlattScaling().fit([0.4, 0.4, 0.4], [0, 1, 1]).slope_ == 0
    with pytest.warns(OneClassWarning):
        one = PlattScaling().fit([0.1, 0.5, 0.9], [1, 1, 1])
    assert one.slope_ == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(one.predict([0.0, 1.0]), 4 / 5)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 120), seeds, st.sampled_from([None, 1]), st.booleans())
def test_isotonic_agrees_with_scikit_learn(n, seed, decimals, weighted):
    scores, labels = sample(n, seed, decimals)
    weights = np.random.default_rng(seed).integers(1, 5, n).astype(float) if weighted else None
    expected = IsotonicRegression(out_of_bounds="clip").fit(scores, labels, weights)
    queries = np.linspace(-0.1, 1.1, 301)
    ours = IsotonicCalibrator().fit(scores, labels, sample_weight=weights).predict(queries)
    np.testing.assert_allclose(ours, expected.predict(queries), rtol=0, atol=1e-9)
    assert np.all(np.diff(ours) >= -1e-15)


def test_isotonic_is_idempotent():
    scores, labels = sample(500, 4)
    once = IsotonicCalibrator().fit(scores, labels).predict(scores)
    twice = IsotonicCalibrator().fit(once, labels).predict(once)
    np.testing.assert_allclose(twice, once, rtol=0, atol=1e-12)


def test_maps_of_scores_whose_difference_overflows():
    ends = [-1.7e308, 1.7e308]
    map_ = IsotonicCalibrator().fit(ends, [0, 1]).map_
    assert map_(ends).tolist() == [0, 1]
    assert CalibrationMap.from_dict(map_.to_dict())(ends).tolist() == [0, 1]
