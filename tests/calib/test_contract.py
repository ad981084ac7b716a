"""What every calibrator promises (calib.base.calibrator), checked for every calibrator.

The order of the rows, ties, weights and a sample of one score are checked in test_testing.py.
"""

import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import calib
from calib import (
    BBQ,
    ENIR,
    BetaCalibration,
    CalibrationMap,
    Calibrator,
    DirichletProcessCalibrator,
    HistogramBinning,
    IdentityCalibrator,
    IsotonicCalibrator,
    KernelCalibrator,
    OneClassWarning,
    PlattScaling,
    PriorShift,
    SplineCalibrator,
    StackedCalibrator,
    TemperatureScaling,
    VennAbers,
)
from calib.base.calibrator import GroupCalibrator
from calibkit.comparison import Offset
from calibkit.streams import GuardedCalibrator, OnlineHistogramBinning, OnlinePlattScaling

BY_DEFAULT = [  # every calibrator of `calib` that takes no groups: a new one is here by itself
    value()
    for value in (getattr(calib, name) for name in calib.__all__)
    if isinstance(value, type)
    and issubclass(value, Calibrator)
    and value is not Calibrator
    and not issubclass(value, GroupCalibrator)
]
VARIANTS = [
    HistogramBinning(n_bins=4),
    HistogramBinning(n_bins=10, strategy="uniform"),
    PlattScaling(scale="logit"),
    TemperatureScaling(scale="score"),
    BetaCalibration(platt_targets=True),
    SplineCalibrator(scale="score", increasing=False),
    IsotonicCalibrator(centred=True),
    IsotonicCalibrator(centred=True, smoothing=1),
    KernelCalibrator(kernel="gaussian", shared=False),
    KernelCalibrator(kernel="epanechnikov", bandwidth=0.2),
    KernelCalibrator(kernel="tricube", bandwidth="cv"),
    DirichletProcessCalibrator(n_components=4),
    BBQ(averaging=False),
    ENIR(criterion="aicc"),
    ENIR(centred=True, smoothing=1),
    VennAbers(loss="brier"),
    VennAbers(centred=True),
    StackedCalibrator(centred=True),
    PriorShift(IsotonicCalibrator(), prior=0.25),
]
STREAMS = [
    OnlineHistogramBinning(bins=[0.5]),
    OnlinePlattScaling(),
    GuardedCalibrator(),
]
CALIBRATORS = [*BY_DEFAULT, *VARIANTS, *STREAMS, Offset()]
each_calibrator = pytest.mark.parametrize("calibrator", CALIBRATORS, ids=str)


def sample(n=200, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    scores = rng.beta(0.7, 0.9, n)
    if decimals is not None:
        scores = scores.round(decimals)
    return scores, (rng.random(n) < 0.2 + 0.6 * scores**2).astype(int)


@each_calibrator
@pytest.mark.parametrize(
    "scores, labels, message",
    [
        ([0.1, np.nan], [0, 1], "scores must be finite; found nan at row 1"),
        ([0.1, np.inf], [0, 1], "scores must be finite; found inf at row 1"),
        ([], [], "scores is empty"),
        ([[0.1, 0.2]], [0, 1], r"scores must be one-dimensional; found shape \(1, 2\)"),
        (["a", "b"], [0, 1], "scores must be real numbers"),
        ([0.1 + 1j, 0.2], [0, 1], "scores must be real numbers"),
        ([0.1, 0.2], [0, 1, 1], "labels has 3 rows but scores has 2"),
        ([0.1, 0.2], [-1, 1], "labels must be 0/1 or bool; found -1 at row 0"),
        ([0.1, 0.2], [0, np.nan], "labels must be 0/1 or bool; found nan at row 1"),
        ([0.1, 0.2], ["no", "yes"], "labels must be 0/1 or bool; found dtype"),
        ([0.1, 0.2], [[0], [1]], "labels must be one-dimensional"),
    ],
)
def test_bad_input_is_refused_by_name(calibrator, scores, labels, message):
    with pytest.raises(ValueError, match=message):
        clone(calibrator).fit(scores, labels)


@each_calibrator
@pytest.mark.parametrize(
    "weights, message",
    [
        ([1.0], "sample_weight has 1 rows"),
        ([1.0, -1.0], "sample_weight must not be negative"),
        ([0.0, 0.0], "sample_weight is zero in every row"),
        ([1.0, np.nan], "sample_weight must be finite"),
    ],
)
def test_bad_weights_are_refused_by_name(calibrator, weights, message):
    with pytest.raises(ValueError, match=message):
        clone(calibrator).fit([0.1, 0.2], [0, 1], sample_weight=weights)


@each_calibrator
def test_bad_queries_are_refused(calibrator):
    fitted = clone(calibrator).fit(*sample())
    with pytest.raises(ValueError, match="scores must be finite; found nan at row 0"):
        fitted.predict([np.nan])
    with pytest.raises(ValueError, match="one-dimensional"):
        fitted.predict(0.5)
    assert fitted.predict([]).shape == (0,)


def test_scores_outside_the_unit_interval_are_refused_where_they_have_no_meaning():
    uniform = HistogramBinning(strategy="uniform")
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]; found -0.5 at row 0.*expit"):
        uniform.fit([-0.5, 0.5], [0, 1])
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]; found 2.0 at row 0"):
        uniform.fit([0.5, 0.7], [0, 1]).predict([2.0])


@each_calibrator
@settings(max_examples=15, deadline=None)
@given(n=st.integers(1, 60), seed=st.integers(0, 10**6), decimals=st.sampled_from([None, 1]))
def test_probabilities_whatever_the_sample(calibrator, n, seed, decimals):
    scores, labels = sample(n, seed, decimals)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OneClassWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)  # small samples are often separable
        fitted = clone(calibrator).fit(scores, labels)
    predicted = fitted.predict(np.concatenate([scores, np.linspace(0, 1, 21)]))
    assert predicted.dtype == np.float64
    assert np.all((predicted >= 0) & (predicted <= 1))  # false for NaN


@each_calibrator
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([None, 1]))
def test_the_order_of_the_rows_does_not_matter(calibrator, seed, decimals):
    scores, labels = sample(80, seed, decimals)
    order = np.random.default_rng(seed).permutation(80)
    expected = clone(calibrator).fit(scores, labels).predict(scores)
    shuffled = clone(calibrator).fit(scores[order], labels[order]).predict(scores)
    np.testing.assert_allclose(shuffled, expected, rtol=0, atol=1e-9)


@each_calibrator
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_an_integer_weight_is_that_many_copies(calibrator, seed):
    scores, labels = sample(60, seed, decimals=2)
    copies = np.random.default_rng(seed).integers(0, 4, 60)
    copies[[np.argmin(labels), np.argmax(labels)]] += 1  # keep both classes
    grid = np.linspace(0, 1, 101)
    weighted = clone(calibrator).fit(scores, labels, sample_weight=copies).predict(grid)
    repeated = clone(calibrator).fit(np.repeat(scores, copies), np.repeat(labels, copies))
    np.testing.assert_allclose(weighted, repeated.predict(grid), rtol=0, atol=1e-7)


@each_calibrator
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_predicted_with_a_warning(calibrator, label):
    scores = np.linspace(0.1, 0.9, 50)
    with pytest.warns(OneClassWarning, match="labels holds one class only"):
        fitted = clone(calibrator).fit(scores, np.full(50, label))
    if isinstance(calibrator, TemperatureScaling):  # has no intercept: 1/2 stays where it is
        sides = fitted.predict([0.4, 0.6]) if calibrator.unit_scores else fitted.predict([-1, 1])
        assert sides[0] <= 0.5 <= sides[1]
        return
    if isinstance(calibrator, Offset):  # has a level only
        assert abs(fitted.predict(scores).mean() - label) < 0.01
        return
    of_scores = isinstance(calibrator, IdentityCalibrator | StackedCalibrator)
    if of_scores or str(calibrator) == "PriorShift()":  # nothing to learn from
        np.testing.assert_array_less(np.abs(fitted.predict(scores) - label) - 1e-12, 1)
        assert np.abs(fitted.predict(scores) - label).mean() <= 0.5 + 1e-12
        return
    if isinstance(calibrator, VennAbers):  # surest at the end where the other class would surprise
        scores = scores[:5] if label == 0 else scores[-5:]
    np.testing.assert_allclose(fitted.predict(scores), label, rtol=0, atol=0.03)


@each_calibrator
def test_far_out_scores_get_a_probability(calibrator):
    fitted = clone(calibrator).fit(*sample())
    if fitted.unit_scores:
        with pytest.raises(ValueError, match=r"scores must lie in \[0, 1\]"):
            fitted.predict([-50])
        return
    far = fitted.predict([-1e300, -50, 50, 1e300])
    assert np.all((far >= 0) & (far <= 1))


@each_calibrator
def test_scikit_learn_conventions(calibrator):
    scores, labels = sample()
    before = scores.copy(), labels.copy()
    fitted = clone(calibrator)
    assert fitted.fit(scores, labels) is fitted
    assert np.array_equal(scores, before[0]) and np.array_equal(labels, before[1])
    assert str(fitted.get_params()) == str(calibrator.get_params())
    assert not any(name.endswith("_") for name in vars(clone(fitted)))
    assert type(calibrator).__name__ in repr(fitted)
    expected = fitted.predict(scores)
    restored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(restored.predict(scores), expected)
    np.testing.assert_array_equal(clone(fitted).fit(scores, labels == 1).predict(scores), expected)
    pipeline = make_pipeline(FunctionTransformer(expit), clone(calibrator))
    pipeline.fit(scores, labels)
    np.testing.assert_array_equal(
        pipeline.predict(scores),
        clone(calibrator).fit(expit(scores), labels).predict(expit(scores)),
    )


@each_calibrator
def test_the_map_alone_gives_the_predictions(calibrator):
    scores, labels = sample()
    fitted = clone(calibrator).fit(scores, labels)
    if not hasattr(fitted, "map_"):
        assert type(calibrator)._predict is not Calibrator._predict  # it needs no map
        return
    queries = np.linspace(0, 1, 1001)
    stored = json.loads(json.dumps(fitted.map_.to_dict()))  # what another program would read
    np.testing.assert_allclose(
        fitted.predict(queries), by_hand(stored, queries), rtol=0, atol=1e-12
    )
    again = CalibrationMap.from_dict(stored)
    assert type(again) is type(fitted.map_)
    np.testing.assert_array_equal(again(queries), fitted.map_(queries))


def by_hand(stored, queries):
    """What a stored map makes of probabilities."""
    if stored["kind"] == "mixture":
        parts = [by_hand(member, queries) for member in stored["members"]]
        average = np.array(stored["weights"]) @ parts
        odds = stored["odds_factor"] * average / (1 - average)
        return odds / (1 + odds)
    if stored["kind"] == "sigmoid":
        return expit(stored["slope"] * queries + stored["intercept"])
    if stored["kind"] == "linear":
        return np.interp(queries, stored["scores"], stored["probabilities"])
    if stored["kind"] == "logit_polynomial":
        logits = logit(queries.clip(2.0**-53, 1 - 2.0**-53)) - stored["centre"]
        return expit(sum(c * logits**k for k, c in enumerate(stored["coefficients"])))
    if stored["kind"] == "beta":
        inside, m = queries.clip(2.0**-53, 1 - 2.0**-53), stored["centre"]
        upper = stored["b"] * np.log((1 - inside) / (1 - m))
        return expit(stored["level"] + stored["a"] * np.log(inside / m) - upper)
    if stored["kind"] in ("spline", "logit_spline"):
        values = logit(queries.clip(2.0**-53, 1 - 2.0**-53)) if "_" in stored["kind"] else queries
        values = values.clip(stored["least"], stored["greatest"])
        knots = np.linspace(stored["low"], stored["high"], len(stored["coefficients"]) - 1)
        piece = np.searchsorted(knots, values, side="right")
        apart = (values - knots[np.maximum(piece - 1, 0)]) / (knots[1] - knots[0])
        pieces = np.array(stored["coefficients"])[piece]
        return expit(sum(c * apart**k for k, c in enumerate(pieces.T)))
    place = np.searchsorted(stored["scores"], queries, side="right")
    return np.array(stored["probabilities"])[place]


def test_constructor_arguments_are_checked_at_fit():
    for calibrator, message in [
        (HistogramBinning(n_bins=0), "n_bins must be an integer of at least 1; found 0"),
        (HistogramBinning(n_bins=2.5), "n_bins must be an integer"),
        (HistogramBinning(n_bins="sqrt"), "n_bins must be one of 'cube_root'"),
        (HistogramBinning(strategy="kmeans"), "strategy must be one of 'quantile', 'uniform'"),
        (KernelCalibrator(kernel="cosine"), "kernel must be one of"),
        (KernelCalibrator(bandwidth=-1.0), "bandwidth"),
        (DirichletProcessCalibrator(n_components=0), "n_components"),
    ]:
        with pytest.raises(ValueError, match=message):
            calibrator.fit([0.1, 0.2], [0, 1])


def test_every_public_name_exists():
    for name in calib.__all__:
        assert getattr(calib, name) is not None
    assert set(calib.__all__) <= set(dir(calib))
    with pytest.raises(AttributeError, match="calibrate"):
        _ = calib.calibrate
