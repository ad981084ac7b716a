"""ACP against counting by hand; intervals against a numerical Hessian and by their coverage."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, log_expit, logit
from scipy.stats import norm
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_sample_weight

from calib import OneClassWarning
from calibkit.prediction_intervals.adaptive import AdaptiveCalibrator, logistic_intervals

seeds = st.integers(0, 10**6)


def sample(n, seed, decimals=None):
    rng = np.random.default_rng(seed)
    scores = rng.random(n)
    if decimals is not None:
        scores = scores.round(decimals)
    labels = (rng.random(n) < scores**2).astype(int)
    labels[:2] = [0, 1]
    return scores, labels


def queries(n, seed):
    low, middle, high = np.sort(np.random.default_rng(seed).random((3, n)).round(1), axis=0)
    return middle, low, high


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(2, 60), seed=seeds, decimals=st.sampled_from([None, 1]), weighted=st.booleans()
)
def test_the_frequency_inside_the_interval(n, seed, decimals, weighted):
    scores, labels = sample(n, seed, decimals)
    weights = np.random.default_rng(seed).random(n) + 0.1 if weighted else None
    middle, low, high = queries(30, seed + 1)
    inside = (low[:, None] <= scores) & (scores <= high[:, None])
    expected = [np.average(labels, weights=weights)] * 30
    for i in np.flatnonzero(inside.any(axis=1)):
        rows = inside[i]
        expected[i] = np.average(labels[rows], weights=None if weights is None else weights[rows])
    acp = AdaptiveCalibrator().fit(scores, labels, sample_weight=weights)
    predicted = acp.predict(middle, low, high)
    np.testing.assert_allclose(predicted, expected, rtol=0, atol=1e-12)
    assert np.all((predicted >= 0) & (predicted <= 1))
    order = np.random.default_rng(seed).permutation(n)
    again = AdaptiveCalibrator().fit(
        scores[order], labels[order], sample_weight=None if weights is None else weights[order]
    )
    np.testing.assert_allclose(again.predict(middle, low, high), predicted, rtol=0, atol=1e-12)


def test_an_integer_weight_is_that_many_copies():
    scores, labels = sample(60, 3, decimals=2)
    copies = np.random.default_rng(3).integers(1, 4, 60)
    weighted = AdaptiveCalibrator().fit(scores, labels, sample_weight=copies)
    repeated = AdaptiveCalibrator().fit(np.repeat(scores, copies), np.repeat(labels, copies))
    arguments = queries(50, 3)
    np.testing.assert_array_equal(weighted.predict(*arguments), repeated.predict(*arguments))


def test_special_samples_and_intervals():
    one = AdaptiveCalibrator()
    with pytest.warns(OneClassWarning):
        one.fit([0.4], [1])
    np.testing.assert_array_equal(one.predict([0.4, 0.9], [0.4, 0.8], [0.4, 1.0]), 1)
    tied = AdaptiveCalibrator().fit(np.full(8, 0.3), np.arange(8) < 2)
    np.testing.assert_array_equal(tied.predict([0.3, -50.0], [0.3, -1e300], [0.3, 0.0]), 0.25)
    assert tied.predict([], [], []).shape == (0,)
    fitted = AdaptiveCalibrator().fit(*sample(90, 1))
    everywhere = fitted.predict([0.5], [-1e300], [1e300])
    np.testing.assert_array_equal(everywhere, fitted.base_rate_)
    restored = pickle.loads(pickle.dumps(fitted))
    arguments = queries(20, 1)
    np.testing.assert_array_equal(restored.predict(*arguments), fitted.predict(*arguments))
    assert not any(name.endswith("_") for name in vars(clone(fitted)))


@pytest.mark.parametrize(
    "scores, lower, upper, message",
    [
        (
            [0.5],
            [0.6],
            [0.9],
            r"lower and upper must enclose scores; found 0.5 outside \[0.6, 0.9\]",
        ),
        ([0.5], [0.1], [0.4], "lower and upper must enclose scores.*row 0: put all three on one"),
        ([0.5], [0.1], [0.6, 0.7], "upper has 2 rows but scores has 1: they must match"),
        ([0.5], [np.nan], [0.6], "lower must be finite; found nan at row 0"),
        ([0.5], [0.1], [np.inf], "upper must be finite; found inf at row 0"),
        ([[0.5]], [0.1], [0.6], "scores must be one-dimensional"),
    ],
)
def test_bad_queries_are_refused_by_name(scores, lower, upper, message):
    fitted = AdaptiveCalibrator().fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match=message):
        fitted.predict(scores, lower, upper)


# Intervals of a logistic regression


def regression_data(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 5.0, 0.2] + [0.0, 2.0, 1.0]
    return X, (rng.random(n) < expit(X @ [0.8, -0.2, 1.0])).astype(int), rng


def numerical_hessian(loss, at, step=1e-3):
    d = at.size
    moves = np.eye(d) * step

    def second(i, j):
        signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        terms = [s * t * loss(at + s * moves[i] + t * moves[j]) for s, t in signs]
        return sum(terms) / (4 * step**2)

    return np.array([[second(i, j) for j in range(d)] for i in range(d)])


@pytest.mark.parametrize("C", [0.3, np.inf])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_the_covariance_is_the_inverse_hessian_of_the_loss(C, fit_intercept, weighted):
    X, z, rng = regression_data()
    weights = rng.integers(1, 4, z.size).astype(float) if weighted else np.ones(z.size)
    model = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-10, max_iter=10**4)
    model.fit(X, z, weights)

    def design(rows):
        return np.c_[np.ones(len(rows)), rows] if fit_intercept else rows

    def loss(beta):
        penalised = beta[1:] if fit_intercept else beta
        margins = (2 * z - 1) * (design(X) @ beta)
        return -weights @ log_expit(margins) + penalised @ penalised / (2 * C)

    beta = np.append(model.intercept_, model.coef_) if fit_intercept else model.coef_[0]
    covariance = np.linalg.inv(numerical_hessian(loss, beta))
    X_new = rng.normal(size=(20, 3))
    error = np.sqrt(np.einsum("ij,jk,ik->i", design(X_new), covariance, design(X_new)))
    scores, lower, upper = logistic_intervals(
        model, X_new, X, confidence=0.9, sample_weight=weights if weighted else None
    )
    np.testing.assert_allclose(scores, model.predict_proba(X_new)[:, 1], rtol=1e-12)
    np.testing.assert_allclose(logit(scores) - logit(lower), norm.ppf(0.95) * error, rtol=1e-4)
    np.testing.assert_allclose(logit(upper) - logit(scores), norm.ppf(0.95) * error, rtol=1e-4)


@pytest.mark.slow
def test_the_intervals_cover_the_true_probability_as_often_as_they_say():
    rng = np.random.default_rng(1)
    queries, hits, n_draws = np.array([[-1.0], [0.5], [2.0]]), np.zeros(3), 400
    for _ in range(n_draws):
        X = rng.normal(size=(300, 1))
        z = rng.random(300) < expit(0.3 + X[:, 0])
        model = LogisticRegression(C=np.inf).fit(X, z)
        _, lower, upper = logistic_intervals(model, queries, X, confidence=0.8)
        truth = expit(0.3 + queries[:, 0])
        hits += (lower <= truth) & (truth <= upper)
    # 4 standard deviations of a binomial frequency
    np.testing.assert_allclose(hits / n_draws, 0.8, rtol=0, atol=4 * np.sqrt(0.16 / n_draws))


def test_from_model_to_calibrated_probabilities():
    X, z, rng = regression_data(600, 2)
    model = LogisticRegression().fit(X[:200], z[:200])
    acp = AdaptiveCalibrator().fit(model.predict_proba(X[200:400])[:, 1], z[200:400])
    narrow, wide = (
        logistic_intervals(model, X[400:], X[:200], confidence=c) for c in (0.5, 0.999999999)
    )
    assert np.all(narrow[2] - narrow[1] < wide[2] - wide[1])
    probabilities = acp.predict(*narrow)
    assert np.mean((probabilities - z[400:]) ** 2) < np.mean((acp.base_rate_ - z[400:]) ** 2)


def test_scaling_a_column_changes_nothing():
    X, z, _ = regression_data()
    units = np.array([1.0, 1e-9, 1e9])
    model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10**4).fit(X, z)
    expected = logistic_intervals(model, X, X)
    model.coef_ = model.coef_ / units
    np.testing.assert_allclose(logistic_intervals(model, X * units, X * units), expected, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:l1_ratio parameter is only used")  # scikit-learn before 1.8
def test_models_without_such_intervals_are_refused():
    X, z, _ = regression_data()
    fitted = LogisticRegression().fit(X, z)
    for model, message in [
        (AdaptiveCalibrator(), "must be a scikit-learn LogisticRegression; found AdaptiveCal"),
        (LogisticRegression().fit(X, np.arange(z.size) % 3), "must be binary; found 3 classes"),
        (LogisticRegression(solver="liblinear").fit(X, z), "intercept not penalised.*liblinear"),
        (LogisticRegression(solver="saga", l1_ratio=0.5, tol=1).fit(X, z), "must have an L2 pen"),
        (LogisticRegression(class_weight="balanced").fit(X, z), "pass sample_weight"),
    ]:
        with pytest.raises(ValueError, match=message):
            logistic_intervals(model, X, X)
    for arguments, options, message in [
        ((X[:, :2], X), {}, "X does not suit model: X has 2 features, but .* expecting 3"),
        ((X, X[:, :2]), {}, "X_train does not suit model: X has 2 features"),
        ((X, X * np.nan), {}, "X_train does not suit model: Input X contains NaN"),
        ((X, X), {"confidence": 1.0}, "confidence must be a number between 0 and 1"),
        ((X, X), {"sample_weight": [1.0]}, "sample_weight has 1 rows but X_train has 120"),
    ]:
        with pytest.raises(ValueError, match=message):
            logistic_intervals(fitted, *arguments, **options)
    twice = np.c_[X, X[:, 0]]
    collinear = LogisticRegression(C=np.inf).fit(twice, z)
    with pytest.raises(ValueError, match="Fisher information of model is singular"):
        logistic_intervals(collinear, twice, twice)


def test_columns_are_those_of_the_training_by_name():
    X, z, _ = regression_data()
    frame = pd.DataFrame(X, columns=["age", "income", "tenure"])
    model = LogisticRegression().fit(frame, z)
    expected = logistic_intervals(LogisticRegression().fit(X, z), X, X)
    np.testing.assert_allclose(logistic_intervals(model, frame, frame), expected, rtol=1e-9)
    turned = frame[["tenure", "age", "income"]]
    for arguments, name in [((turned, frame), "X"), ((frame, turned), "X_train")]:
        with pytest.raises(ValueError, match=f"(?s)^{name} does not suit model: .*same order"):
            logistic_intervals(model, *arguments)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_allclose(logistic_intervals(model, X, frame), expected, rtol=1e-9)


def test_class_weights_come_as_sample_weights():
    X, z, _ = regression_data()
    weights = compute_sample_weight("balanced", z)
    by_class = LogisticRegression(class_weight="balanced").fit(X, z)
    by_row = LogisticRegression().fit(X, z, weights)
    np.testing.assert_allclose(
        logistic_intervals(by_class, X, X, sample_weight=weights),
        logistic_intervals(by_row, X, X, sample_weight=weights),
        rtol=1e-6,
    )
