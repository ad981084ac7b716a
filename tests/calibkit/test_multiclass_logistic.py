"""Temperature, vector and Dirichlet scaling against their likelihoods, by independent means."""

import inspect
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, minimize
from scipy.special import expit, logsumexp, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from test_multiclass import fitted, sample

import calib
from calibkit.multiclass import DirichletCalibration, TemperatureScaling, VectorScaling, regression

UNPENALISED = DirichletCalibration(off_diagonal_penalty=0.0, intercept_penalty=0.0)


def slope_of_loss(slope, scores, labels, weights):
    """Derivative of the log loss of softmax(slope * scores) in the slope."""
    shares = softmax(slope * scores, axis=1)
    own = scores[np.arange(labels.size), labels]
    return weights @ (np.sum(shares * scores, axis=1) - own)


# Temperature


def test_a_temperature_by_hand():
    """Rows (0.9, 0.05, 0.05), half of them right: (0.9 / 0.05)^(1/T) = 2."""
    model = TemperatureScaling().fit([[0.9, 0.05, 0.05]] * 4, [0, 0, 1, 2])
    assert model.temperature_ == pytest.approx(np.log(18) / np.log(2), rel=1e-13)
    np.testing.assert_allclose(
        model.predict_proba([[0.9, 0.05, 0.05]]), [[0.5, 0.25, 0.25]], rtol=1e-13
    )


def test_scores_that_are_right_as_often_as_wrong_have_no_finite_temperature():
    model = TemperatureScaling().fit([[0.9, 0.1]] * 2, [0, 1])
    assert model.temperature_ == np.inf


@settings(max_examples=30, deadline=None)
@given(n=st.integers(30, 300), k=st.integers(2, 8), seed=st.integers(0, 10**6))
def test_the_temperature_is_where_the_slope_of_the_loss_is_zero(n, k, seed):
    rows, labels = sample(n, k, seed)
    weights = np.random.default_rng(seed).exponential(size=n)
    scores = np.log(rows)
    found = fitted(TemperatureScaling(), rows, labels, weights).temperature_
    sample_ = scores, labels, weights
    if slope_of_loss(0.0, *sample_) >= 0:
        assert found == np.inf
        return
    slope = brentq(slope_of_loss, 0.0, 100.0, args=sample_, xtol=1e-15, rtol=1e-14)
    assert found == pytest.approx(1 / slope, rel=1e-9)


def test_the_temperature_of_scikit_learn():
    if "temperature" not in str(inspect.getdoc(CalibratedClassifierCV)):
        pytest.skip("this scikit-learn has no temperature scaling")
    from sklearn.frozen import FrozenEstimator

    rng = np.random.default_rng(0)
    centres = rng.normal(size=(4, 5))
    labels = rng.integers(0, 4, 2000)
    X = centres[labels] + rng.normal(size=(2000, 5))
    base = LogisticRegression(C=1e4, max_iter=5000).fit(X[:60], labels[:60])
    theirs = CalibratedClassifierCV(FrozenEstimator(base), method="temperature")
    theirs.fit(X[60:1000], labels[60:1000])
    ours = TemperatureScaling(scale="score").fit(
        base.decision_function(X[60:1000]), labels[60:1000]
    )
    np.testing.assert_allclose(
        ours.predict_proba(base.decision_function(X[1000:])),
        theirs.predict_proba(X[1000:]),
        rtol=0,
        atol=1e-7,
    )


@pytest.mark.parametrize("scale", ["logit", "score"])
@settings(max_examples=20, deadline=None)
@given(n=st.integers(20, 200), seed=st.integers(0, 10**6))
def test_two_classes_have_the_binary_temperature(scale, n, seed):
    rng = np.random.default_rng(seed)
    margins = 3 * rng.standard_cauchy(n)
    labels = (rng.random(n) < 0.3 + 0.4 * (margins > 0)).astype(int)
    if scale == "logit":
        one = calib.TemperatureScaling()
        scores = expit(margins)
        rows = np.column_stack([1 - scores, scores])
    else:
        one, scores = calib.TemperatureScaling(scale="score"), margins
        rows = np.column_stack([np.zeros(n), scores])
    many = fitted(TemperatureScaling(scale=scale), rows, labels)
    one = fitted(one, scores, labels)
    if not np.any(labels != (scores > (0.5 if scale == "logit" else 0))):
        return  # separated: no maximum
    assert many.temperature_ == pytest.approx(one.temperature_, rel=1e-6)
    np.testing.assert_allclose(many.predict_proba(rows)[:, 1], one.predict(scores), atol=1e-6)


def test_logits_and_probabilities_have_one_temperature():
    rng = np.random.default_rng(0)
    logits = 3 * rng.normal(size=(500, 5))
    labels = np.argmax(logits / 2 + rng.gumbel(size=logits.shape), axis=1)
    by_logits = TemperatureScaling(scale="score").fit(logits + rng.normal(size=(500, 1)), labels)
    by_rows = TemperatureScaling().fit(softmax(logits, axis=1), labels)
    assert by_logits.temperature_ == pytest.approx(by_rows.temperature_, rel=1e-10)
    assert 1.5 < by_rows.temperature_ < 2.5


def test_scores_that_know_nothing_make_all_classes_equally_likely():
    model = TemperatureScaling().fit(np.eye(3) * 0.7 + 0.1, [1, 2, 0])
    assert model.temperature_ == np.inf
    np.testing.assert_array_equal(model.predict_proba([[0.8, 0.1, 0.1]]), np.full((1, 3), 1 / 3))


def test_without_an_error_the_temperature_is_small_and_warned_of():
    rows = np.repeat(np.eye(3) * 0.1 + 0.3, 5, axis=0)
    with pytest.warns(ConvergenceWarning, match="largest score in every row"):
        model = TemperatureScaling().fit(rows, np.repeat([0, 1, 2], 5))
    assert 0 < model.temperature_ < 0.02
    np.testing.assert_allclose(model.predict_proba(rows).max(axis=1), 1, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_rows_on_scales_that_differ_by_hundreds_of_powers_of_ten(seed):
    rng = np.random.default_rng(seed)
    scores = 10.0 ** rng.integers(-200, 200, (300, 4))
    labels = rng.integers(0, 4, 300)
    labels[:250] = scores[:250].argmax(axis=1)
    slope = 1 / fitted(TemperatureScaling(scale="score"), scores, labels).temperature_
    weights = np.ones(300)
    assert 0 < slope < np.inf
    below = slope_of_loss(slope * (1 - 1e-6), scores, labels, weights)
    above = slope_of_loss(slope * (1 + 1e-6), scores, labels, weights)
    assert below < 0 < above


@pytest.mark.parametrize("scores", [[[0.0, 0.0]], [[5e-324, 0.0]], [[-1.7e308, 1.7e308]]])
def test_no_score_is_too_large_or_too_small(scores):
    for label in (0, 1):
        model = fitted(TemperatureScaling(scale="score"), scores * 2, [label] * 2)
        assert model.temperature_ > 0
        assert np.all(np.isfinite(model.predict_proba(scores)))


@pytest.mark.slow
def test_many_rows_begin_at_the_optimum_of_some_and_end_at_their_own():
    rows, labels = sample(70_000, 16)
    slope = 1 / TemperatureScaling().fit(rows, labels).temperature_
    data = np.log(rows), labels, np.ones(labels.size)
    assert slope_of_loss(slope * (1 - 1e-9), *data) < 0 < slope_of_loss(slope * (1 + 1e-9), *data)
    # some rows that mislead: the sixteenth that is looked at first knows nothing
    labels[::16] = (labels[::16] + 1) % 16
    slope = 1 / TemperatureScaling().fit(rows, labels).temperature_
    data = np.log(rows), labels, np.ones(labels.size)
    assert slope_of_loss(slope * (1 - 1e-9), *data) < 0 < slope_of_loss(slope * (1 + 1e-9), *data)


def test_the_scale_is_checked():
    with pytest.raises(ValueError, match="scale must be one of 'logit', 'score'; found 'log'"):
        TemperatureScaling(scale="log").fit([[0.5, 0.5]], [0])


# Vector and Dirichlet


def by_scipy(logits_of, start, labels, weights, penalties):
    """Coefficients of least penalised loss by a quasi-Newton method."""

    def loss(c):
        c = c.reshape(start.shape)
        logits = logits_of(c)
        losses = logsumexp(logits, axis=1) - logits[np.arange(labels.size), labels]
        return weights @ losses + 0.5 * np.sum(penalties * c**2)

    found = minimize(loss, start.ravel(), method="BFGS", options={"gtol": 1e-6})
    return found.x.reshape(start.shape)


@pytest.mark.parametrize("seed", range(3))
def test_vector_scaling_by_scipy(seed):
    rows, labels = sample(300, 3, seed)
    weights = np.random.default_rng(seed).exponential(size=300)
    model = VectorScaling().fit(rows, labels, weights)
    logits = np.log(rows)
    c = by_scipy(lambda c: logits * c[0] + c[1], np.ones((2, 3)), labels, weights, 0.0)
    np.testing.assert_allclose(model.slope_, c[0], atol=1e-4)
    np.testing.assert_allclose(model.intercept_, c[1] - c[1].mean(), atol=1e-4)
    assert abs(model.intercept_.sum()) < 1e-12


@pytest.mark.parametrize("penalties", [(5.0, 0.5), (100.0, 10.0), (0.0, 3.0)])
def test_dirichlet_calibration_by_scipy(penalties):
    rows, labels = sample(300, 3)
    weights = np.random.default_rng(0).exponential(size=300)
    off, intercept = penalties
    model = DirichletCalibration(off_diagonal_penalty=off, intercept_penalty=intercept)
    model.fit(rows, labels, weights)
    logits = np.log(rows)
    start = np.column_stack([np.eye(3), np.zeros(3)])
    each = np.column_stack([off * (1 - np.eye(3)), np.full(3, intercept)])
    c = by_scipy(lambda c: logits @ c[:, :3].T + c[:, 3], start, labels, weights, each)
    ours, theirs = model.predict_proba(rows), softmax(logits @ c[:, :3].T + c[:, 3], axis=1)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    if off > 0:  # otherwise only differences of rows are determined
        np.testing.assert_allclose(model.coef_, c[:, :3], atol=1e-3)
        np.testing.assert_allclose(model.intercept_, c[:, 3], atol=1e-3)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_without_penalties_it_is_the_logistic_regression_of_scikit_learn(k):
    rows, labels = sample(2000, k, decimals=3)
    rows = rows * 0.99 + 0.01 / k
    theirs = LogisticRegression(C=np.inf, solver="newton-cg", tol=1e-12, max_iter=1000)
    theirs.fit(np.log(rows), labels)
    np.testing.assert_allclose(
        fitted(UNPENALISED, rows, labels).predict_proba(rows),
        theirs.predict_proba(np.log(rows)),
        rtol=0,
        atol=1e-7,
    )


@pytest.mark.parametrize("model", [VectorScaling(), DirichletCalibration(intercept_penalty=0.0)])
def test_an_optimum_predicts_as_many_of_each_class_as_there_are(model):
    rows, labels = sample(500, 5)
    weights = np.random.default_rng(0).integers(1, 4, 500)
    expected = model.fit(rows, labels, weights).predict_proba(rows)
    np.testing.assert_allclose(
        weights @ expected, np.bincount(labels, weights, 5), rtol=0, atol=1e-5
    )


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_two_classes_are_calibrated_by_the_beta_map(seed):
    rows, labels = sample(400, 2, seed)
    beta = calib.BetaCalibration().fit(rows[:, 1], labels)
    if min(beta.a_, beta.b_) == 0:
        return  # at the bound, which the others do not have
    for model in (VectorScaling(), UNPENALISED):
        predicted = fitted(model, rows, labels).predict_proba(rows)[:, 1]
        np.testing.assert_allclose(predicted, beta.predict(rows[:, 1]), rtol=0, atol=1e-6)


def test_penalties_without_bound_leave_a_factor_for_each_class():
    rows, labels = sample(500, 4)
    model = DirichletCalibration(off_diagonal_penalty=1e12, intercept_penalty=1e12)
    model.fit(rows, labels)
    assert np.abs(model.coef_ - np.diag(np.diag(model.coef_))).max() < 1e-6
    assert np.abs(model.intercept_).max() < 1e-6
    factors = np.diag(model.coef_)
    logits = np.log(rows)
    shares = softmax(logits * factors, axis=1)
    shares[np.arange(500), labels] -= 1
    np.testing.assert_allclose(np.sum(shares * logits, axis=0), 0, atol=1e-4)


@pytest.mark.slow
def test_the_matrix_of_dirichlet_distributions_is_found():
    """Rows of class j have the parameters A[j]: W = A but for a row that all classes share."""
    rng = np.random.default_rng(0)
    parameters = np.array([[4.0, 2.0, 1.0], [1.0, 3.0, 2.0], [2.0, 1.0, 4.0]])
    labels = rng.integers(0, 3, 40_000)
    gammas = rng.gamma(parameters[labels])
    rows = gammas / gammas.sum(axis=1, keepdims=True)
    model = fitted(UNPENALISED, rows, labels)
    found = model.coef_ - model.coef_[0]
    np.testing.assert_allclose(found, parameters - parameters[0], atol=0.15)


def test_more_coefficients_never_fit_worse():
    rows, labels = sample(400, 4)
    losses = [
        -np.log(model.fit(rows, labels).predict_proba(rows)[np.arange(400), labels]).sum()
        for model in (TemperatureScaling(), VectorScaling(), UNPENALISED)
    ]
    assert losses[0] > losses[1] > losses[2]


@pytest.mark.parametrize("model", [VectorScaling(), DirichletCalibration(), UNPENALISED], ids=str)
def test_an_absent_class_is_warned_of_and_gets_next_to_nothing(model):
    rows, labels = sample(300, 4)
    kept = labels < 3
    with pytest.warns(ConvergenceWarning, match="separate a class from the others"):
        model.fit(rows[kept], labels[kept])
    predicted = model.predict_proba(rows[kept])
    assert np.all(np.isfinite(predicted)) and predicted[:, 3].max() < 1e-4


@pytest.mark.parametrize("model", [VectorScaling(), UNPENALISED], ids=str)
def test_separated_classes_end_the_fit_with_a_warning(model):
    rows, _ = sample(200, 3)
    labels = rows.argmax(axis=1)
    with pytest.warns(ConvergenceWarning):
        predicted = model.fit(rows, labels).predict_proba(rows)
    assert np.all(np.isfinite(predicted))
    assert -np.log(predicted[np.arange(200), labels]).mean() < 1e-6


@pytest.mark.slow
def test_many_rows_are_fitted_to_their_own_optimum():
    rows, labels = sample(70_000, 16)
    model = VectorScaling().fit(rows, labels)
    shares = softmax(np.log(rows) * model.slope_ + model.intercept_, axis=1)
    shares[np.arange(labels.size), labels] -= 1
    np.testing.assert_allclose(shares.sum(axis=0), 0, atol=1e-3)
    np.testing.assert_allclose(np.sum(shares * np.log(rows), axis=0), 0, atol=1e-2)


def every_sixteenth_row(lie):
    """Rows and labels, of which those that are looked at first tell something else."""
    rows, labels = sample(3200, 4, seed=1)
    first = labels[::16]
    if lie == "lacks a class":
        first[first == 3] = 1
    elif lie == "has one class":
        first[:] = 0
    elif lie == "is separated":
        first[:] = rows[::16].argmax(axis=1)
    else:
        labels[labels == 3] = 0
        labels[5:400:50] = 3
    return rows, labels


@pytest.mark.parametrize("model", [VectorScaling(), DirichletCalibration(), UNPENALISED], ids=str)
@pytest.mark.parametrize(
    "lie", ["lacks a class", "has one class", "is separated", "lacks a rare class"]
)
def test_a_bad_guide_changes_nothing(model, lie, monkeypatch):
    rows, labels = every_sixteenth_row(lie)
    unguided = model.fit(rows, labels).predict_proba(rows)
    n_steps = model.n_iter_
    monkeypatch.setattr(regression, "MIN_LOGITS_WITH_GUIDE", 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        guided = model.fit(rows, labels).predict_proba(rows)
    np.testing.assert_array_equal(guided, unguided)
    assert model.n_iter_ == n_steps


@pytest.mark.parametrize("model", [VectorScaling(), DirichletCalibration(), UNPENALISED], ids=str)
def test_a_good_guide_saves_steps(model, monkeypatch):
    rows, labels = (np.repeat(part, 16, axis=0) for part in sample(200, 4, seed=1))
    unguided = model.fit(rows, labels).predict_proba(rows)
    assert model.n_iter_ > 2
    monkeypatch.setattr(regression, "MIN_LOGITS_WITH_GUIDE", 1000)
    np.testing.assert_allclose(model.fit(rows, labels).predict_proba(rows), unguided, atol=1e-6)
    assert model.n_iter_ == 1


@pytest.mark.parametrize("name", ["slope_", "coef_", "intercept_"])
def test_coefficients_need_a_fit(name):
    model = DirichletCalibration() if name == "coef_" else VectorScaling()
    with pytest.raises(NotFittedError):
        getattr(model, name)


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "cv", True])
@pytest.mark.parametrize("name", ["off_diagonal_penalty", "intercept_penalty"])
def test_penalties_are_checked(name, value):
    with pytest.raises(ValueError, match=f"{name} must be a finite number of at least 0; found"):
        DirichletCalibration(**{name: value}).fit([[0.5, 0.5]] * 2, [0, 1])


def test_weights_of_any_size_leave_numbers_without_a_warning_of_numpy():
    rows, labels = sample(60, 3)
    rng = np.random.default_rng(0)
    for weights in (1e140, 1e-170, 10.0 ** rng.integers(-150, 100, 60)):
        for model in (TemperatureScaling(), VectorScaling(), DirichletCalibration(), UNPENALISED):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(rows, labels, np.broadcast_to(weights, 60))
            assert np.all(np.isfinite(model.predict_proba(rows)))


def test_a_far_start_ends_at_the_same_place():
    """There the full step of Newton overshoots, and is halved."""
    rows, labels = sample(200, 3, 0)
    design, penalties = regression.OwnFeature(np.log(rows)), np.full((3, 2), 0.5)
    problem = design, labels, np.ones(200), penalties
    near = regression.least_loss(*problem, np.zeros((3, 2)))
    far = regression.least_loss(*problem, np.array([[-6.0, 9.0], [7.0, -9.0], [0.0, 3.0]]))
    assert near.converged and far.converged
    np.testing.assert_allclose(far.coefficients, near.coefficients, rtol=0, atol=1e-6)
