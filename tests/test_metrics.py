"""Measures against their definitions, against scikit-learn, and their error messages."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics as reference
from sklearn.calibration import calibration_curve

from calib import metrics
from calib.metrics import (
    accuracy,
    brier_score_loss,
    evaluate,
    expected_calibration_error,
    log_loss,
    maximum_calibration_error,
    reliability_curve,
    roc_auc_score,
    root_mean_squared_error,
)

seeds = st.integers(0, 10**6)
binnings = st.fixed_dictionaries(
    {
        "n_bins": st.integers(1, 12),
        "strategy": st.sampled_from(["quantile", "uniform"]),
        "ties": st.sampled_from(["group", "label"]),
    }
)


def sample(n=500, seed=0, decimals=None):
    rng = np.random.default_rng(seed)
    p = rng.beta(0.7, 0.7, n)
    labels = (rng.random(n) < p).astype(int)
    labels[:2] = [0, 1]
    return labels, p if decimals is None else p.round(decimals)


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 100), seeds, binnings, st.sampled_from([None, 1]))
def test_errors_follow_from_the_curve_and_not_from_the_order(n, seed, binning, decimals):
    labels, p = sample(n, seed, decimals)
    curve = reliability_curve(labels, p, **binning)
    gap = np.abs(curve.observed - curve.predicted)
    ece = expected_calibration_error(labels, p, **binning)
    mce = maximum_calibration_error(labels, p, **binning)
    assert curve.counts.sum() == n and np.all(curve.counts > 0)
    assert ece == pytest.approx(np.dot(curve.counts, gap) / n, abs=1e-12)
    assert mce == pytest.approx(gap.max(), abs=1e-12)
    assert np.all((curve.lower <= curve.observed) & (curve.observed <= curve.upper))
    order = np.random.default_rng(seed).permutation(n)
    assert expected_calibration_error(labels[order], p[order], **binning) == pytest.approx(ece)
    assert maximum_calibration_error(labels[order], p[order], **binning) == pytest.approx(mce)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_curve_agrees_with_scikit_learn_without_ties(strategy):
    labels, p = sample(1000)
    curve = reliability_curve(labels, p, strategy=strategy)
    observed, predicted = calibration_curve(labels, p, n_bins=10, strategy=strategy)
    np.testing.assert_allclose(curve.observed, observed, atol=1e-12)
    np.testing.assert_allclose(curve.predicted, predicted, atol=1e-12)


def test_intervals_are_clopper_pearson():
    labels, p = sample(200)
    curve = reliability_curve(labels, p, n_bins=7, confidence=0.9)
    for observed, count, lower, upper in zip(
        curve.observed, curve.counts, curve.lower, curve.upper, strict=True
    ):
        test = binomtest(round(observed * count), int(count))
        expected = test.proportion_ci(0.9, method="exact")
        assert (lower, upper) == pytest.approx((expected.low, expected.high), abs=1e-10)


def test_a_constant_calibrated_predictor_has_no_error_unless_labels_break_its_ties():
    labels = np.arange(1000) % 10 < 4
    p = np.full(1000, 0.4)
    for strategy in ["quantile", "uniform"]:
        assert maximum_calibration_error(labels, p, strategy=strategy) == pytest.approx(0)
    # negatives first: six bins of 0, four bins of 1
    assert expected_calibration_error(labels, p, ties="label") == pytest.approx(0.48)
    assert maximum_calibration_error(labels, p, ties="label") == pytest.approx(0.6)


def test_the_tie_policies_agree_without_ties():
    labels, p = sample(1000)
    assert expected_calibration_error(labels, p) == pytest.approx(
        expected_calibration_error(labels, p, ties="label")
    )


def test_the_last_uniform_bin_holds_one():
    curve = reliability_curve([0, 1, 1], [0.0, 0.95, 1.0], strategy="uniform")
    assert curve.counts.tolist() == [1, 2]


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 100), seeds, st.sampled_from([None, 1]))
def test_scores_agree_with_scikit_learn(n, seed, decimals):
    labels, p = sample(n, seed, decimals)
    assert roc_auc_score(labels, p) == pytest.approx(reference.roc_auc_score(labels, p))
    assert brier_score_loss(labels, p) == pytest.approx(reference.brier_score_loss(labels, p))
    assert root_mean_squared_error(labels, p) ** 2 == pytest.approx(brier_score_loss(labels, p))
    assert accuracy(labels, p) == pytest.approx(reference.accuracy_score(labels, p >= 0.5))
    if decimals is None:
        assert log_loss(labels, p) == pytest.approx(reference.log_loss(labels, p))


def test_log_loss_is_infinite_when_the_impossible_happens():
    assert log_loss([1, 0], [0.0, 0.5]) == np.inf
    assert log_loss([0, 1], [0.0, 1.0]) == 0


def test_evaluate_collects_the_five_measures():
    labels, p = sample(300, decimals=1)
    measures = evaluate(labels, p, strategy="uniform", ties="label", n_bins=5)
    assert list(measures) == ["RMSE", "AUC", "ACC", "MCE", "ECE"]
    assert measures["ECE"] == expected_calibration_error(labels, p, strategy="uniform", n_bins=5)


@pytest.mark.parametrize(
    "function",
    [
        reliability_curve,
        expected_calibration_error,
        maximum_calibration_error,
        brier_score_loss,
        log_loss,
        accuracy,
        evaluate,
    ],
)
def test_bad_input_is_refused_by_name(function):
    for labels, p, message in [
        ([0, 1], [0.5, 1.2], r"probabilities must lie in \[0, 1\]; found 1.2 at row 1"),
        ([0, 1], [0.5, np.nan], "probabilities must be finite"),
        ([0, 2], [0.5, 0.5], "labels must be 0/1"),
        ([0], [0.5, 0.5], "labels has 1 rows"),
        ([], [], "probabilities is empty"),
        ([0, 1], [[0.5, 0.5], [0.1, 0.9]], "one-dimensional"),
    ]:
        with pytest.raises(ValueError, match=message):
            function(labels, p)


def test_bad_options_are_refused_by_name():
    for options, message in [
        ({"n_bins": 0}, "n_bins must be an integer"),
        ({"strategy": "kmeans"}, "strategy must be one of"),
        ({"ties": "random"}, "ties must be one of"),
    ]:
        with pytest.raises(ValueError, match=message):
            expected_calibration_error([0, 1], [0.1, 0.9], **options)
    with pytest.raises(ValueError, match="confidence must be a number between 0 and 1"):
        reliability_curve([0, 1], [0.1, 0.9], confidence=95)
    with pytest.raises(ValueError, match="one class only"):
        metrics.roc_auc_score([1, 1], [0.1, 0.9])
