"""Measures for more than two classes, by hand and by the binary ones."""

import itertools
import math
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn import metrics as sklearn_metrics
from test_multiclass import sample

import calib
import calibkit
import calibkit.multiclass
from calib.metrics import expected_calibration_error
from calibkit.inference import debiased_squared_error, kuiper_error, smooth_ece
from calibkit.multiclass import (
    brier_score_loss,
    canonical_calibration_test,
    class_wise,
    confidences,
    log_loss,
    top_label,
)

ROWS = [[0.5, 0.3, 0.2], [0.25, 0.25, 0.5], [0.4, 0.4, 0.2], [0.0, 0.75, 0.25]]
LABELS = [0, 1, 1, 1]


def test_losses_by_hand():
    squares = [0.25 + 0.09 + 0.04, 0.0625 + 0.5625 + 0.25, 0.16 + 0.36 + 0.04, 0.0625 + 0.0625]
    assert brier_score_loss(LABELS, ROWS) == pytest.approx(np.mean(squares), rel=1e-14)
    assert log_loss(LABELS, ROWS) == pytest.approx(-np.log([0.5, 0.25, 0.4, 0.75]).mean())
    assert brier_score_loss([1, 0], [[1.0, 0.0], [0.0, 1.0]], scale_by_half=False) == 2.0
    assert brier_score_loss([1, 0], [[1.0, 0.0], [0.0, 1.0]]) == 1.0
    assert log_loss([1], [[1.0, 0.0]]) == np.inf
    assert str(log_loss([0], [[1.0, 0.0]])) == "0.0"


def test_the_losses_of_scikit_learn():
    rows, labels = sample(300, 4)
    weights = np.random.default_rng(0).exponential(size=300)
    assert log_loss(labels, rows, sample_weight=weights) == pytest.approx(
        sklearn_metrics.log_loss(labels, rows, sample_weight=weights, labels=range(4))
    )


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("scale_by_half", ["auto", True, False])
def test_the_brier_score_is_halved_as_in_scikit_learn(k, scale_by_half):
    rows, labels = sample(300, k)
    ours = brier_score_loss(labels, rows, scale_by_half=scale_by_half)
    whole = np.mean(np.sum((rows - np.eye(k)[labels]) ** 2, axis=1))
    halved = k == 2 if scale_by_half == "auto" else scale_by_half
    assert ours == pytest.approx(whole / 2 if halved else whole, rel=1e-12)
    if "scale_by_half" in signature(sklearn_metrics.brier_score_loss).parameters:  # from 1.7 on
        theirs = sklearn_metrics.brier_score_loss(
            labels, rows, labels=range(k), scale_by_half=scale_by_half
        )
        assert ours == pytest.approx(theirs, rel=1e-12)


def test_with_two_classes_they_are_the_binary_ones():
    rows, labels = sample(300, 2)
    p = rows[:, 1]
    for name in ("brier_score_loss", "log_loss"):
        ours, binary = (getattr(m, name) for m in (calibkit.multiclass, calib.metrics))
        assert ours(labels, rows) == pytest.approx(binary(labels, p), rel=1e-12)
    both = class_wise(kuiper_error, labels, rows)
    np.testing.assert_allclose(both, kuiper_error(labels, p), atol=1e-12)


@pytest.mark.parametrize("scale", ["logit", "score"])
def test_with_two_classes_the_temperatures_and_their_scores_are_the_binary_ones(scale):
    rows, labels = sample(300, 2)
    margins = rows if scale == "logit" else np.column_stack([np.zeros(300), 9 * rows[:, 1] - 4])
    many = calibkit.multiclass.TemperatureScaling(scale=scale).fit(margins, labels)
    one = calib.TemperatureScaling(scale=scale).fit(margins[:, 1], labels)
    np.testing.assert_allclose(
        many.predict_proba(margins)[:, 1], one.predict(margins[:, 1]), rtol=1e-7
    )
    assert many.score(margins, labels) == pytest.approx(one.score(margins[:, 1], labels))


def test_confidences_by_hand():
    correct, confidence = confidences(LABELS, ROWS)
    np.testing.assert_array_equal(correct, [1, 0, 0, 1])  # of equal ones the first is predicted
    np.testing.assert_array_equal(confidence, [0.5, 0.5, 0.4, 0.75])


def test_class_wise_errors_by_hand():
    found = class_wise(expected_calibration_error, LABELS, ROWS, n_bins=1)
    np.testing.assert_allclose(found, np.abs([1.15 / 4 - 0.25, 1.7 / 4 - 0.75, 1.15 / 4]))


def test_errors_of_predicted_classes_do_not_cancel():
    rows = [[0.8, 0.1, 0.1]] * 5 + [[0.1, 0.8, 0.1]] * 5
    labels = [0] * 5 + [1, 1, 1, 2, 2]
    assert expected_calibration_error(*confidences(labels, rows)) == pytest.approx(0.0)
    assert top_label(expected_calibration_error, labels, rows) == pytest.approx(0.2)
    weights = [3] * 5 + [1] * 5
    weighted = top_label(expected_calibration_error, labels, rows, sample_weight=weights)
    assert weighted == pytest.approx((15 * 0.2 + 5 * 0.2) / 20)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 200), k=st.integers(2, 6), seed=st.integers(0, 10**6))
def test_asking_for_more_finds_more_error_in_the_same_bins(n, k, seed):
    rows, labels = sample(n, k, seed)
    bins = {"strategy": "uniform", "n_bins": 5}
    ours = expected_calibration_error(*confidences(labels, rows), **bins)
    assert top_label(expected_calibration_error, labels, rows, **bins) >= ours - 1e-12


@pytest.mark.parametrize(
    "measure", [expected_calibration_error, debiased_squared_error, smooth_ece]
)
def test_weights_are_copies(measure):
    rows, labels = sample(150, 3, decimals=2)
    copies = np.random.default_rng(0).integers(0, 4, 150)
    copies[rows.argmax(axis=1) == 2] = 0  # a class that is predicted by rows without weight only
    repeated = np.repeat(labels, copies), np.repeat(rows, copies, axis=0)
    options = {} if measure is smooth_ece else {"strategy": "uniform", "n_bins": 2}
    for reduce in (class_wise, top_label):
        weighted = reduce(measure, labels, rows, sample_weight=copies, **options)
        np.testing.assert_allclose(weighted, reduce(measure, *repeated, **options), atol=1e-9)
    for loss in (brier_score_loss, log_loss):
        assert loss(labels, rows, sample_weight=copies) == pytest.approx(loss(*repeated))


@pytest.mark.slow
def test_the_debiased_error_of_calibrated_rows_is_zero_on_average():
    rng = np.random.default_rng(0)
    biased, debiased = [], []
    for _ in range(200):
        rows = rng.dirichlet(np.ones(3), 300)
        labels = np.argmax(np.log(rows) + rng.gumbel(size=rows.shape), axis=1)
        debiased.append(class_wise(debiased_squared_error, labels, rows).mean())
        biased.append(class_wise(expected_calibration_error, labels, rows).mean())
    assert np.mean(biased) > 0.03
    assert abs(np.mean(debiased)) < 4 * np.std(debiased) / np.sqrt(200)


def test_any_function_is_a_measure():
    rows, labels = sample(50, 3)
    found = class_wise(lambda z, p: float(z.mean() - p.mean()), labels, rows)
    np.testing.assert_allclose(found, np.bincount(labels, minlength=3) / 50 - rows.mean(axis=0))


@pytest.mark.parametrize(
    "call",
    [
        lambda *a, **k: class_wise(kuiper_error, *a, **k),
        lambda *a, **k: top_label(kuiper_error, *a, **k),
        brier_score_loss,
        log_loss,
    ],
)
def test_bad_input_is_refused_by_name(call):
    with pytest.raises(ValueError, match="labels must be whole numbers from 0 to 1; found 2"):
        call([0, 2], [[0.5, 0.5], [1.0, 0.0]])
    with pytest.raises(ValueError, match="probabilities must have rows that sum to 1"):
        call([0, 1], [[0.5, 0.5], [1.0, 0.5]])
    with pytest.raises(ValueError, match="sample_weight is zero in every row"):
        call([0, 1], [[0.5, 0.5], [1.0, 0.0]], sample_weight=[0, 0])


# The test of all probabilities at once


def kernel_error(labels, rows):
    """The squared kernel calibration error, pair by pair."""
    distances = np.abs(rows[:, np.newaxis] - rows).sum(axis=2) / 2
    width = np.median(distances[np.triu_indices(len(rows), 1)])
    residuals = np.eye(rows.shape[1])[labels] - rows
    return np.mean(np.exp(-distances / width) * (residuals @ residuals.T))


def classes(rows, rng):
    return (rng.random((len(rows), 1)) >= rows.cumsum(axis=1)[:, :-1]).sum(axis=1)


def test_the_kernel_calibration_error_and_its_law_by_enumeration():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet([1, 1, 1], 6)
    labels = classes(rows, rng)
    order = rng.permutation(6)
    found = canonical_calibration_test(labels, rows, n_resamples=4000)
    assert found.estimate == pytest.approx(kernel_error(labels, rows))
    again = canonical_calibration_test(labels[order], rows[order], n_resamples=4000)
    assert again.p_value == found.p_value == found.adjusted
    exact = sum(
        np.prod(rows[np.arange(6), outcome])
        for outcome in map(list, itertools.product(range(3), repeat=6))
        if kernel_error(np.array(outcome), rows) >= found.estimate - 1e-12
    )
    assert found.p_value == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000))


@pytest.mark.slow
def test_canonical_calibration_is_rejected_once_in_twenty_and_found_wrong():
    rng = np.random.default_rng(1)
    found = {1.0: [], 1.5: []}
    for scale, p_values in found.items():
        for _ in range(60):
            logits = rng.normal(0, 1.5, (200, 10))
            labels = classes(softmax(logits, axis=1), rng)
            rows = softmax(scale * logits, axis=1)
            p_values.append(canonical_calibration_test(labels, rows, n_resamples=99).p_value)
    assert np.mean(np.array(found[1.0]) <= 0.05) < 0.05 + 3 * math.sqrt(0.0475 / 60)
    assert np.mean(np.array(found[1.5]) <= 0.05) > 0.25


def test_any_statistic_tests_canonical_calibration():
    rows = np.array([[0.6, 0.3, 0.1]] * 40)

    def share(labels, probabilities):
        return np.mean(labels == 2)

    found = canonical_calibration_test([2] * 12 + [0] * 28, rows, statistic=share)
    assert found.estimate == 0.3 and found.p_value < 0.01
    assert found.draws.mean() == pytest.approx(0.1, abs=4 * math.sqrt(0.09 / 40 / 999))
    certain = np.eye(3)[[0, 1, 2]]
    assert canonical_calibration_test([0, 1, 2], certain).p_value == 1
    assert canonical_calibration_test([0, 1, 1], certain).p_value == 0
    assert canonical_calibration_test([0], rows[:1]).p_value > 0.5
    for wrong, message in (({"n_resamples": 0}, "n_resamples"), ({"random_state": "a"}, "random")):
        with pytest.raises(ValueError, match=message):
            canonical_calibration_test([0], rows[:1], **wrong)
