"""The spline of the log-odds, against dense algebra and SciPy's optimisers."""

import itertools

import numpy as np
import pytest
from scipy.interpolate import BSpline
from scipy.optimize import LinearConstraint, minimize
from scipy.special import expit, logit, xlog1py, xlogy
from scipy.stats import multivariate_normal

from calib import PlattScaling, SplineCalibrator
from calib.methods import spline
from calib.methods import spline_basis as basis

N = basis.N_INTERVALS
SITES = np.arange(-1, N + 2)  # where the coefficients of a line are its values


def sample(n, seed=0, bend=1.0):
    rng = np.random.default_rng(seed)
    scores = rng.beta(1, 2, n)
    truth = expit(logit(scores) + bend * np.sin(logit(scores)))
    return scores, rng.random(n) < truth, truth


def design(values, low, high):
    """B-splines by SciPy, and beyond the outer knots their tangents."""
    places = N * (values - low) / (high - low)
    knots = np.arange(-3.0, N + 4)
    inner = places.clip(0, N)
    columns = [BSpline(knots, row, 3) for row in np.eye(N + 3)]
    rows = np.stack([b(inner) + (places - inner) * b.derivative()(inner) for b in columns], axis=1)
    return rows, places


@pytest.fixture
def one_curve(monkeypatch):
    """Of one pair of penalties only."""

    def fit(scores, labels, penalty=100.0, spread=1.0, **options):
        monkeypatch.setattr(spline, "BEND_PENALTIES", (penalty,))
        monkeypatch.setattr(spline, "PRIOR_SPREADS", (spread,))
        return SplineCalibrator(**options).fit(scores, labels)

    return fit


def penalised(scores, labels, penalty=100.0):
    """The penalised loss of the coefficients with tau = 1, by its definition; its matrices."""
    values = logit(scores)
    low, high = np.quantile(values, [0.01, 0.99], method="inverted_cdf")
    rows, places = design(values, low, high)
    assert np.abs(values).max() < np.log(100 * scores.size)  # none is taken as less certain
    middle, spread = places.mean(), places.std()
    at, _ = design(np.array([middle, middle - spread, middle + spread]), 0, N)
    bends = np.diff(np.eye(N + 3), 2, axis=0)
    tilts = at[0], (at[2] - at[1]) / 2
    prior = penalty * bends.T @ bends + sum(np.outer(t, t) for t in tilts)
    line = low + (high - low) * SITES / N

    def loss(coefficients):
        p, apart = expit(rows @ coefficients), coefficients - line
        fit = -np.sum(xlogy(labels, p) + xlog1py(1.0 - labels, -p))
        return fit + apart @ prior @ apart / 2

    def gradient(coefficients):
        residuals = expit(rows @ coefficients) - labels
        return rows.T @ residuals + prior @ (coefficients - line)

    return loss, gradient, rows, prior, line


def test_a_curve_is_the_minimum_of_the_penalised_loss(one_curve):
    scores, labels, _ = sample(400)
    fitted = one_curve(scores, labels, increasing=False)
    loss, gradient, rows, prior, line = penalised(scores, labels)
    found = minimize(loss, line, jac=gradient, method="BFGS", options={"gtol": 1e-9})
    np.testing.assert_allclose(fitted.coefficients_, found.x, rtol=0, atol=1e-6)
    np.testing.assert_allclose(fitted.map_.logits(scores), rows @ fitted.coefficients_, atol=1e-10)
    p = fitted.predict(scores)
    hessian = rows.T @ (rows * (p * (1 - p))[:, np.newaxis]) + prior
    np.testing.assert_allclose(fitted.covariance_, np.linalg.inv(hessian), rtol=1e-6, atol=1e-9)
    lower, upper = fitted.predict_interval(scores, confidence=0.5)
    errors = np.sqrt(np.einsum("na,ab,nb->n", rows, np.linalg.inv(hessian), rows))
    reach = 0.6744897501960817  # the third quartile of the normal law
    np.testing.assert_allclose(logit(lower), rows @ found.x - reach * errors, atol=1e-5)
    np.testing.assert_allclose(logit(upper), rows @ found.x + reach * errors, atol=1e-5)


def test_the_evidence_is_the_integral_of_the_likelihood(one_curve):
    scores, labels, _ = sample(150, seed=3)
    fitted = one_curve(scores, labels, increasing=False)
    loss, _, _, prior, _ = penalised(scores, labels)
    near = multivariate_normal(fitted.coefficients_, 1.2 * fitted.covariance_, seed=0)
    draws = near.rvs(20_000)
    heights = np.linalg.slogdet(prior)[1] / 2 - prior.shape[0] * np.log(2 * np.pi) / 2
    ratios = heights - np.array([loss(draw) for draw in draws]) - near.logpdf(draws)
    integral = np.log(np.mean(np.exp(ratios - ratios.max()))) + ratios.max()
    assert abs(fitted.log_evidence_ - integral) < 0.1


def test_curves_are_averaged_by_their_evidence(one_curve):
    scores, labels, _ = sample(600, seed=1)
    fitted = SplineCalibrator().fit(scores, labels)
    grid = list(itertools.product(spline.PRIOR_SPREADS, spline.BEND_PENALTIES))
    curves = [one_curve(scores, labels, penalty, spread) for spread, penalty in grid]
    evidence = np.array([curve.log_evidence_ for curve in curves])
    weights = np.exp(evidence - evidence.max())
    assert np.sort(weights)[-2] > 0.1  # more than one counts
    weights /= weights.sum()
    np.testing.assert_allclose(fitted.weights_.ravel(), weights, atol=1e-6)
    logits = [curve.predict_logit(scores) for curve in curves]
    np.testing.assert_allclose(fitted.predict_logit(scores), weights @ logits, atol=1e-5)
    assert fitted.log_evidence_ == pytest.approx(np.log(np.mean(np.exp(evidence))), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_an_increasing_curve_is_the_best_of_increasing_coefficients(one_curve, seed):
    scores, labels, _ = sample(300, seed, bend=3.0)  # it falls in places
    fitted = one_curve(scores, labels, penalty=1.0)
    loss, gradient, _, _, line = penalised(scores, labels, penalty=1.0)
    rises = LinearConstraint(np.diff(np.eye(N + 3), axis=0), 0, np.inf)
    options = {"xtol": 1e-12, "gtol": 1e-10, "maxiter": 5000}
    found = minimize(
        loss, line, jac=gradient, constraints=rises, method="trust-constr", options=options
    )
    assert np.any(np.diff(fitted.coefficients_) == 0)
    assert loss(fitted.coefficients_) <= found.fun + 1e-6
    np.testing.assert_allclose(fitted.predict(scores), expit_of(found.x, scores), atol=1e-3)
    assert np.all(np.diff(fitted.predict(np.linspace(0, 1, 5001))) >= -1e-15)
    free = one_curve(scores, labels, penalty=1.0, increasing=False)
    assert np.any(np.diff(free.predict(np.linspace(0, 1, 5001))) < 0)


def expit_of(coefficients, scores):
    values = logit(scores)
    low, high = np.quantile(values, [0.01, 0.99], method="inverted_cdf")
    return expit(design(values, low, high)[0] @ coefficients)


@pytest.mark.parametrize("increasing", [True, False])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_the_gap_bounds_what_is_lost_by_stopping_early(monkeypatch, one_curve, increasing, steps):
    scores, labels, _ = sample(300, seed=5, bend=3.0)
    best = one_curve(scores, labels, penalty=1.0, increasing=increasing)
    assert best.gap_ < 1e-12
    loss, *_ = penalised(scores, labels, penalty=1.0)
    monkeypatch.setattr(spline._PenalisedLoss, "max_steps", steps)
    early = one_curve(scores, labels, penalty=1.0, increasing=increasing)
    assert early.gap_ >= loss(early.coefficients_) - loss(best.coefficients_) - 1e-9
    assert steps > 1 or early.gap_ > 1e-6


@pytest.mark.slow
def test_condensed_rows_give_the_same_curve(monkeypatch):
    scores, labels, _ = sample(40_000)
    scores[:100] = scores[100:200] ** 8  # far out
    weights = np.random.default_rng(1).integers(0, 4, scores.size)
    condensed = SplineCalibrator().fit(scores, labels, sample_weight=weights)
    monkeypatch.setattr(spline, "MAX_ROWS_UNCONDENSED", scores.size)
    whole = SplineCalibrator().fit(scores, labels, sample_weight=weights)
    np.testing.assert_allclose(condensed.predict(scores), whole.predict(scores), atol=1e-9)
    assert condensed.log_evidence_ == pytest.approx(whole.log_evidence_, rel=1e-9)


def test_two_nodes_have_the_moments_of_the_rows():
    rng = np.random.default_rng(2)
    places = np.concatenate([rng.normal(8, 6, 3000), [-1e6, 1e6, 3.0, 3.0]])
    labels, weights = rng.integers(0, 2, places.size), rng.random(places.size)
    labels = labels.astype(np.uint8)
    nodes, classes, totals = basis.condensed(places, labels, weights)
    assert totals.min() >= 0
    assert nodes.min() >= places.min() * (1 + 1e-9) and nodes.max() <= places.max() * (1 + 1e-9)
    near = np.abs(places) < 100
    inner = np.abs(nodes) < 100
    for z in (0, 1):
        for power in range(4):
            of_rows = np.sum((weights * places**power)[(labels == z) & near])
            of_nodes = np.sum((totals * nodes**power)[(classes == z) & inner])
            np.testing.assert_allclose(of_nodes, of_rows, rtol=1e-10)


def test_without_evidence_scores_stay_as_they_are():
    scores, labels, _ = sample(5000, bend=0.0)
    fitted = SplineCalibrator().fit(scores, labels)
    assert np.abs(fitted.predict(scores) - scores).max() < 0.03
    few = SplineCalibrator().fit([0.2, 0.6, 0.9], [0, 1, 1])
    assert np.abs(few.predict([0.2, 0.6, 0.9]) - [0.2, 0.6, 0.9]).max() < 0.2


def test_margins_of_any_unit_give_the_same_probabilities():
    scores, labels, _ = sample(500)
    margins = logit(scores)
    fitted = SplineCalibrator(scale="score").fit(margins, labels)
    for unit, shift in [(1e-8, 0.0), (1e250, 0.0), (2.0, 100.0)]:
        moved = SplineCalibrator(scale="score").fit(unit * margins + shift, labels)
        found = moved.predict(unit * margins + shift)
        np.testing.assert_allclose(found, fitted.predict(margins), atol=1e-7)
    platt = PlattScaling().fit(margins, labels)
    assert np.abs(fitted.predict(margins) - platt.predict(margins)).max() < 0.1


def test_no_more_certain_than_so_many_observations_allow():
    scores = np.array([0.0, 1e-300, 0.3, 0.5, 0.7, 1 - 1e-16, 1.0])
    fitted = SplineCalibrator().fit(np.tile(scores, 50), np.tile(scores > 0.4, 50))
    found = fitted.predict([0.0, 1.0])
    assert 0 < found[0] < 1e-3 and 1 - 1e-3 < found[1] < 1
    least = expit(-np.log(100 * 350))
    queries = [0.0, 1e-9, least, 1 - least, 1.0]
    np.testing.assert_allclose(fitted.predict(queries), found[[0, 0, 0, 1, 1]], rtol=1e-9)
    assert fitted.predict([2 * least])[0] > found[0]
    lower, upper = fitted.predict_interval([0.0, 1.0], confidence=1 - 1e-12)
    assert lower.min() > 0 and upper.max() < 1


@pytest.mark.parametrize("value", [-1e308, -1.0, 0.0, 5e-324, 1.0, 1e308])
def test_equal_margins_get_their_base_rate(value):
    fitted = SplineCalibrator(scale="score").fit([value] * 8, [0, 0, 1, 1, 1, 1, 1, 1])
    assert fitted.predict([value])[0] == pytest.approx(6 / 8, abs=0.06)


@pytest.mark.slow
def test_intervals_cover_the_truth_on_average():
    misses = []
    for seed in range(200):
        scores, labels, truth = sample(1000, seed, bend=0.5)
        lower, upper = SplineCalibrator().fit(scores, labels).predict_interval(scores)
        misses.append(np.mean((truth < lower) | (upper < truth)))
    assert 0.05 < np.mean(misses) < 0.15  # where bends are smoothed away, as it is said


def test_what_is_no_parameter_is_refused():
    for calibrator, message in [
        (SplineCalibrator(scale="probit"), "scale must be one of 'score', 'logit'"),
        (SplineCalibrator(increasing=1), "increasing must be True or False"),
    ]:
        with pytest.raises(ValueError, match=message):
            calibrator.fit([0.1, 0.2], [0, 1])
    fitted = SplineCalibrator().fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match="confidence must be a number between 0 and 1"):
        fitted.predict_interval([0.5], confidence=1.0)
