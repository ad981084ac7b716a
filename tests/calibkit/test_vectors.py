"""calib and calibkit by the test vectors, and what the judge of the vectors sees."""

from functools import partial

import numpy as np
import pytest

import calib
from calib import metrics
from calibkit import inference
from calibkit.testing import describe_verdicts, judge_vectors, read_vectors

STRATEGIES = {"width": "uniform", "mass": "quantile"}


def measure(function):
    return lambda labels, probabilities, weights=None: function(
        labels, probabilities, sample_weight=weights
    )


def binned(function):
    return lambda labels, probabilities, n_bins, bins, weights=None: function(
        labels, probabilities, n_bins=n_bins, strategy=STRATEGIES[bins], sample_weight=weights
    )


def curve_of(labels, probabilities, **options):
    curve = metrics.reliability_curve(labels, probabilities, **options)
    return [curve.counts, curve.predicted, curve.observed]


def corp(labels, probabilities, loss, weights=None):
    parts = metrics.score_decomposition(labels, probabilities, loss=loss, sample_weight=weights)
    return [parts.miscalibration, parts.discrimination, parts.uncertainty]


def line(labels, probabilities, weights=None):
    fitted = inference.recalibration_line(labels, probabilities, sample_weight=weights)
    return [fitted.slope, fitted.intercept]


def net_benefit(labels, probabilities, thresholds, weights=None):
    curve = inference.decision_curve(
        labels, probabilities, thresholds=thresholds, sample_weight=weights
    )
    return curve.net_benefit


def observed_expected(labels, probabilities, weights=None):
    observed, expected = (np.average(column, weights=weights) for column in (labels, probabilities))
    return observed / expected if expected else np.nan


def fitted(make):
    def predictions(labels, scores, weights=None, new_scores=None, **options):
        calibrator = make(**options).fit(scores, labels, sample_weight=weights)
        return calibrator.predict(scores if new_scores is None else new_scores)

    return predictions


def pairs(labels, scores, new_scores):
    lower, upper = calib.VennAbers().fit(scores, labels).predict_interval(new_scores)
    return np.column_stack([lower, upper])


FUNCTIONS = {
    "brier": measure(metrics.brier_score_loss),
    "log_loss": measure(metrics.log_loss),
    "observed_expected": observed_expected,
    "auc": measure(metrics.roc_auc_score),
    "ece": binned(metrics.expected_calibration_error),
    "mce": binned(metrics.maximum_calibration_error),
    "rms_error": binned(inference.rms_calibration_error),
    "reliability_curve": binned(curve_of),
    "debiased_squared_error": binned(inference.debiased_squared_error),
    "corp": corp,
    "kuiper": measure(inference.kuiper_error),
    "ks_error": measure(inference.kolmogorov_smirnov_error),
    "averaged_two_bin_error": measure(inference.averaged_two_bin_error),
    "spiegelhalter_z": lambda labels, probabilities: (
        inference.spiegelhalter_test(labels, probabilities).statistic
    ),
    "spiegelhalter_p": lambda labels, probabilities: (
        inference.spiegelhalter_test(labels, probabilities).p_value
    ),
    "slope_intercept": line,
    "in_the_large": measure(inference.calibration_in_the_large),
    "net_benefit": net_benefit,
    "isotonic": fitted(calib.IsotonicCalibrator),
    "histogram": fitted(partial(calib.HistogramBinning, strategy="uniform")),
    "platt": fitted(calib.PlattScaling),
    "temperature": fitted(calib.TemperatureScaling),
    "beta": fitted(calib.BetaCalibration),
    "venn_abers": fitted(calib.VennAbers),
    "venn_abers_pairs": pairs,
}
# The statistic of a test is 0, by convention, where the predictions leave it no variance.
CONVENTIONS = {"spiegelhalter-z-all-equal"}


@pytest.fixture(scope="module")
def verdicts():
    with pytest.warns(calib.OneClassWarning):
        return judge_vectors(FUNCTIONS)


def test_every_case_is_asked(verdicts):
    cases = read_vectors()
    assert FUNCTIONS.keys() == {case["function"] for case in cases}
    assert {v.case for v in verdicts} == {case["id"] for case in cases}
    assert len(verdicts) == len(cases)


def test_calib_passes_every_case(verdicts):
    failures = [v for v in verdicts if v.verdict != "pass" and v.case not in CONVENTIONS]
    assert not failures, describe_verdicts(failures)
    assert {v.case: v.verdict for v in verdicts if v.case in CONVENTIONS} == dict.fromkeys(
        CONVENTIONS, "other convention"
    )


# The judge


def brier(labels, probabilities, weights=None):
    return np.average(np.square(np.subtract(labels, probabilities)), weights=weights)


def by_numpy(labels, probabilities, n_bins, bins, right=False, lost=False, ordinary=True):
    """ECE by numpy.digitize, with the mistakes that are easily made."""
    if bins == "mass":
        raise NotImplementedError
    labels, probabilities = np.array(labels), np.array(probabilities)
    edges = np.linspace(0, 1, n_bins + 1)
    k = np.digitize(probabilities, edges, right=right) - 1
    if ordinary:
        k = np.clip(k, 0, n_bins - 1)
    error = 0.0
    for b in range(n_bins) if lost else np.unique(k):
        if (k == b).any():
            error += np.mean(k == b) * abs(np.mean((labels - probabilities)[k == b]))
    return error


def remarks(function, **mistakes):
    functions = {function: partial(by_numpy, **mistakes)}
    return {v.remark for v in judge_vectors(functions) if v.verdict != "pass"}


def test_both_sides_are_conventions():
    assert remarks("ece") <= {"target: class 1, closed: left, edges: double"}
    assert not remarks("ece", right=True) - {"target: class 1, closed: right, edges: double"}


@pytest.mark.parametrize(
    ("mistakes", "remark"),
    [
        ({"ordinary": False}, "a score of 1 has a bin of its own"),
        ({"ordinary": False, "lost": True}, "a score of 1 is in no bin"),
        ({"ordinary": False, "right": True}, "a score of 0 has a bin of its own"),
        ({"ordinary": False, "right": True, "lost": True}, "a score of 0 is in no bin"),
    ],
)
def test_a_mistake_is_named(mistakes, remark):
    assert remark in remarks("ece", **mistakes)


def test_ignored_weights_are_named():
    verdicts = judge_vectors(
        {"brier": lambda labels, probabilities, weights=None: brier(labels, probabilities)}
    )
    assert {v.remark for v in verdicts if v.verdict == "fault"} == {"weights are ignored"}


def test_a_function_without_weights_is_not_asked_about_them():
    verdicts = judge_vectors({"brier": lambda labels, probabilities: brier(labels, probabilities)})
    assert {v.verdict for v in verdicts} == {"pass"}
    assert not any("weight" in v.case for v in verdicts)


def test_refusals_and_lack_of_precision():
    def refuses(labels, probabilities, weights=None):
        if len(set(labels)) == 1:
            raise ValueError("both classes are needed")
        return brier(labels, probabilities, weights) * (1 + 1e-5)

    verdicts = judge_vectors({"brier": refuses})
    assert {v.verdict for v in verdicts} == {"refused", "imprecise", "pass"}
    assert all(v.right == ["0"] for v in verdicts if v.verdict == "pass")
    assert "brier-one-row: refused, ValueError: both classes" in describe_verdicts(verdicts)


def test_undefined_may_be_refused_or_nan():
    for answer in (lambda labels, probabilities: np.nan, lambda labels, probabilities: 1 / 0):
        verdicts = judge_vectors({"in_the_large": answer})
        passed = [v.case for v in verdicts if v.verdict == "pass"]
        assert passed == ["in-the-large-only-negatives"]
