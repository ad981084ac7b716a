"""What every calibrator of more than two classes promises (calibkit.multiclass.base)."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

import calib
import calibkit
from calib import CalibratedClassifier, HeterogeneousCalibrator, OneClassWarning
from calibkit.multiclass import (
    DirichletCalibration,
    OneVsRestCalibrator,
    PairwiseVennAbers,
    StackedCalibrator,
    TemperatureScaling,
    TopLabelBinning,
    VectorScaling,
    brier_score_loss,
    log_loss,
)

CALIBRATORS = [
    TemperatureScaling(),
    TemperatureScaling(scale="score"),
    VectorScaling(),
    DirichletCalibration(),
    DirichletCalibration(off_diagonal_penalty=0.0, intercept_penalty=0.0),
    OneVsRestCalibrator(),
    OneVsRestCalibrator(calib.IsotonicCalibrator()),
    PairwiseVennAbers(),
    TopLabelBinning(bin_size=20),
    StackedCalibrator([TemperatureScaling(), OneVsRestCalibrator()]),
]
each_calibrator = pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)
ROWS = [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]


def sample(n=200, k=3, seed=0, decimals=None):
    """Probabilities that are too sure and biased, and labels."""
    rng = np.random.default_rng(seed)
    logits = 2 * rng.normal(size=(n, k))
    labels = np.argmax(logits / 2 + np.arange(k) / k + rng.gumbel(size=(n, k)), axis=1)
    rows = softmax(logits, axis=1)
    if decimals is not None:
        rows = rows.round(decimals)
        rows /= rows.sum(axis=1, keepdims=True)
    return rows, labels


def fitted(calibrator, *data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)  # small samples are often separable
        return clone(calibrator).fit(*data)


@each_calibrator
@pytest.mark.parametrize(
    "rows, labels, message",
    [
        (None, [0, 1], "probabilities must be two-dimensional, one column per class. Expected arr"),
        ([0.1, 0.9], [0, 1], r"probabilities must be two-dimensional.*found shape \(2,\)"),
        ([[1.0], [1.0]], [0, 0], r"two-dimensional, one column per class; found shape \(2, 1\)"),
        ([[0.5, 0.5], [1.0]], [0, 1], "probabilities must be two-dimensional"),
        (np.empty((0, 3)), [], "probabilities is empty: at least one row is needed"),
        ([["a", "b"]], [0], "probabilities must be real numbers; found dtype"),
        ([[0.5, np.nan], [0.5, 0.5]], [0, 1], "probabilities must be finite; found nan at row 0"),
        ([[0.5, 0.5], [np.inf, 0.5]], [0, 1], "probabilities must be finite; found inf at row 1"),
        (ROWS, [0, 3], "labels must be whole numbers from 0 to 2; found 3 at row 1: number the cl"),
        (ROWS, [-1, 2], "labels must be whole numbers from 0 to 2; found -1 at row 0"),
        (ROWS, [0, 0.5], "labels must be whole numbers from 0 to 2; found 0.5 at row 1"),
        (ROWS, [0, np.nan], "labels must be whole numbers from 0 to 2; found nan at row 1"),
        (ROWS, ["a", "b"], "labels must be whole numbers from 0 to 2; found dtype"),
        (ROWS, [0, 1, 2], "labels has 3 rows but probabilities has 2"),
        (ROWS, [[0], [1]], "labels must be one-dimensional"),
        (np.ma.masked_equal(ROWS, 0.5), [0, 1], "probabilities holds masked values"),
    ],
)
def test_bad_input_is_refused_by_name(calibrator, rows, labels, message):
    with pytest.raises(ValueError, match=message):
        clone(calibrator).fit(rows, labels)


def test_rows_that_are_no_probabilities_are_refused_where_logarithms_are_taken():
    for calibrator in CALIBRATORS:
        for rows, message in [
            ([[2.0, -1.0], [0.5, 0.5]], r"must lie in \[0, 1\]; found 2.0 at row 0.*softmax"),
            ([[0.0, 1.0], [1.5, -0.5]], r"must lie in \[0, 1\]; found 1.5 at row 1"),
            ([[0.5, 0.5], [0.5, 0.6]], "rows that sum to 1; the sum of row 1 is 1.1: divide by"),
        ]:
            if calibrator.unit_scores:
                with pytest.raises(ValueError, match=message):
                    clone(calibrator).fit(rows, [0, 1])
            else:
                assert fitted(calibrator, rows, [1, 0]).predict_proba(rows).min() >= 0


@each_calibrator
def test_rows_of_half_precision_will_do(calibrator):
    rows, labels = sample(50, 3)
    halves = rows.astype(np.float16)
    exact = fitted(calibrator, rows, labels).predict_proba(rows)
    close = fitted(calibrator, halves, labels).predict_proba(halves)
    np.testing.assert_allclose(close, exact, rtol=0, atol=0.01)


@each_calibrator
@pytest.mark.parametrize(
    "weights, message",
    [
        ([1.0], "sample_weight has 1 rows but probabilities has 2"),
        ([1.0, -1.0], "sample_weight must not be negative"),
        ([0.0, 0.0], "sample_weight is zero in every row"),
        ([1.0, np.nan], "sample_weight must be finite"),
    ],
)
def test_bad_weights_are_refused_by_name(calibrator, weights, message):
    with pytest.raises(ValueError, match=message):
        clone(calibrator).fit(ROWS, [0, 1], weights)


@each_calibrator
def test_bad_queries_are_refused(calibrator):
    model = fitted(calibrator, *sample())
    with pytest.raises(ValueError, match="probabilities must be finite; found nan at row 0"):
        model.predict_proba([[np.nan, 0.5, 0.5]])
    with pytest.raises(ValueError, match="probabilities has 2 columns but 3 were fitted"):
        model.predict_proba([[0.5, 0.5]])
    assert model.predict_proba(np.empty((0, 3))).shape == (0, 3)


@each_calibrator
def test_a_failed_fit_leaves_the_calibrator_as_it_was(calibrator):
    model = fitted(calibrator, *sample())
    expected = model.predict_proba(ROWS)
    with pytest.raises(ValueError):
        model.fit([[0.5, 0.5]], [2])
    np.testing.assert_array_equal(model.predict_proba(ROWS), expected)


@each_calibrator
@settings(max_examples=15, deadline=None)
@given(
    n=st.integers(1, 60),
    k=st.integers(2, 6),
    seed=st.integers(0, 10**6),
    decimals=st.sampled_from([None, 1]),
)
def test_probabilities_whatever_the_sample(calibrator, n, k, seed, decimals):
    rows, labels = sample(n, k, seed, decimals)
    model = fitted(calibrator, rows, labels)
    predicted = model.predict_proba(np.vstack([rows, np.eye(k), np.full((1, k), 1 / k)]))
    assert predicted.dtype == np.float64 and predicted.shape == (n + k + 1, k)
    assert np.all((predicted >= 0) & (predicted <= 1))  # false for NaN
    np.testing.assert_allclose(predicted.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(model.classes_, np.arange(k))


@each_calibrator
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([None, 1]))
def test_the_order_of_the_rows_does_not_matter(calibrator, seed, decimals):
    rows, labels = sample(150, 3, seed, decimals)
    order = np.random.default_rng(seed).permutation(150)
    expected = fitted(calibrator, rows, labels).predict_proba(rows)
    shuffled = fitted(calibrator, rows[order], labels[order]).predict_proba(rows)
    np.testing.assert_allclose(shuffled, expected, rtol=0, atol=1e-8)


FOLDLESS = [one for one in CALIBRATORS if not hasattr(one, "cv")]  # folds are dealt class by class


@pytest.mark.parametrize("calibrator", FOLDLESS, ids=str)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_the_classes_does_not_matter(calibrator, seed):
    rows, labels = sample(150, 4, seed)
    order = np.random.default_rng(seed).permutation(4)
    expected = fitted(calibrator, rows, labels).predict_proba(rows)
    renamed = fitted(calibrator, rows[:, order], np.argsort(order)[labels])
    predicted = renamed.predict_proba(rows[:, order])
    np.testing.assert_allclose(predicted, expected[:, order], rtol=0, atol=1e-7)


@each_calibrator
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_an_integer_weight_is_that_many_copies(calibrator, seed):
    rows, labels = sample(120, 3, seed, decimals=2)
    copies = np.random.default_rng(seed).integers(0, 4, 120)
    weighted = fitted(calibrator, rows, labels, copies).predict_proba(rows)
    repeated = fitted(calibrator, np.repeat(rows, copies, axis=0), np.repeat(labels, copies))
    np.testing.assert_allclose(weighted, repeated.predict_proba(rows), rtol=0, atol=1e-7)


@each_calibrator
def test_one_class_is_warned_of(calibrator):
    rows, _ = sample(50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        with pytest.warns(OneClassWarning, match=r"labels holds one class only \(2\)"):
            predicted = clone(calibrator).fit(rows, np.full(50, 2)).predict_proba(rows)
    if isinstance(calibrator, VectorScaling | DirichletCalibration):
        np.testing.assert_allclose(predicted[:, 2], 1, rtol=0, atol=1e-3)
    elif isinstance(
        calibrator, OneVsRestCalibrator | PairwiseVennAbers | StackedCalibrator
    ):  # some are cautious
        assert np.all(predicted.argmax(axis=1) == 2)


@each_calibrator
def test_normalised_weights_are_warned_of(calibrator):
    rows, labels = sample(50)
    with pytest.warns(UserWarning, match="sample_weight sums to 1"):
        clone(calibrator).fit(rows, labels, np.full(50, 1 / 50))


@each_calibrator
def test_scikit_learn_conventions(calibrator):
    rows, labels = sample()
    before = rows.copy(), labels.copy()
    model = clone(calibrator)
    assert model.fit(rows, labels) is model
    assert np.array_equal(rows, before[0]) and np.array_equal(labels, before[1])
    assert str(model.get_params()) == str(calibrator.get_params())
    assert not any(name.endswith("_") for name in vars(clone(model)))
    expected = model.predict_proba(rows)
    np.testing.assert_array_equal(rows, before[0])
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict_proba(rows), expected)
    assert model.score(rows, labels) == -brier_score_loss(labels, expected)
    assert get_tags(model).classifier_tags.multi_class
    assert not get_tags(model).input_tags.two_d_array
    assert get_tags(model).target_tags.required and get_tags(model).target_tags.one_d_labels


def test_one_against_the_rest_takes_the_scores_that_its_calibrator_takes():
    assert OneVsRestCalibrator(calib.BetaCalibration()).unit_scores
    assert not OneVsRestCalibrator(calib.PlattScaling()).unit_scores
    assert not OneVsRestCalibrator(IsotonicRegression(out_of_bounds="clip")).unit_scores


def test_penalties_are_tuned_by_scikit_learn():
    rows, labels = sample(600, 3)
    penalties = {"off_diagonal_penalty": [1.0, 1e4]}
    search = GridSearchCV(DirichletCalibration(), penalties, scoring="neg_log_loss")
    search.fit(rows, labels)
    assert search.best_params_ == {"off_diagonal_penalty": 1e4}  # the truth is diagonal


@pytest.mark.parametrize("name", calibkit.multiclass.__all__)
def test_public_names_have_hints(name):
    value = getattr(calibkit.multiclass, name)
    if inspect.isfunction(value):
        functions = [value]
    else:
        own = ["fit", "predict_proba", "score"]
        functions = [inspect.getattr_static(value, method) for method in own]
    for function in functions:
        signature = inspect.signature(function)
        assert signature.return_annotation is not signature.empty
        hinted = [p.annotation is not p.empty for p in signature.parameters.values()]
        assert all(hinted[1:]) and (hinted[0] or "self" in signature.parameters), signature


# In a CalibratedClassifier


@each_calibrator
def test_all_columns_are_calibrated_at_once(calibrator):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    base = GaussianNB().fit(X[::2], names[::2])
    if not calibrator.unit_scores:
        base = LogisticRegression(C=100.0, max_iter=1000).fit(X[::2], names[::2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = CalibratedClassifier(base, calibrator, cv="prefit").fit(X[1::2], names[1::2])
        scores = base.predict_proba(X) if calibrator.unit_scores else base.decision_function(X)
        alone = clone(calibrator).fit(scores[1::2], y[1::2])
    (inner,) = model.calibrators_
    assert type(inner) is type(calibrator)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(scores))
    assert set(model.predict(X)) <= set(names)


def test_weights_and_ensembles_reach_the_calibrator():
    X, y = load_iris(return_X_y=True)
    copies = np.random.default_rng(0).integers(1, 4, y.size)
    model = CalibratedClassifier(GaussianNB(), TemperatureScaling(), cv=3, ensemble=True)
    predicted = model.fit(X, y, copies).predict_proba(X)
    np.testing.assert_allclose(predicted.sum(axis=1), 1, atol=1e-12)
    members = [f.predict_proba(m.predict_proba(X)) for m, (f,) in model.members_]
    np.testing.assert_allclose(predicted, np.mean(members, axis=0), atol=1e-12)
    assert len(members) == 3 and log_loss(y, predicted, sample_weight=copies) < 0.2


@pytest.mark.parametrize("scale", ["logit", "score"])
def test_two_classes_have_two_columns(scale):
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    base = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    both = CalibratedClassifier(base, TemperatureScaling(scale=scale), cv="prefit").fit(X, y)
    binary = calib.TemperatureScaling(scale=scale)
    one = CalibratedClassifier(base, binary, cv="prefit").fit(X, y)
    np.testing.assert_allclose(both.predict_proba(X), one.predict_proba(X), rtol=0, atol=1e-12)


def test_where_one_column_is_calibrated_it_is_refused():
    X, y = load_iris(return_X_y=True)
    message = (
        r"calibrator must be an estimator with fit\(scores, labels\) and predict\(scores\).*at once"
    )
    with pytest.raises(ValueError, match=message):
        CalibratedClassifier(GaussianNB(), [TemperatureScaling()]).fit(X, y)
    with pytest.raises(ValueError, match=message):
        HeterogeneousCalibrator(calibrator=TemperatureScaling()).fit(X[:, 0], y == 1, features=X)
