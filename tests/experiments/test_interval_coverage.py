"""How often intervals hold the truth: the true values, what is counted, and the record."""

import numpy as np
import pytest
from recorded_rows import assert_as_recorded
from scipy.integrate import quad
from scipy.special import expit, logit

from calib import metrics
from calibkit import inference
from calibkit.inference import Interval, bootstrap_interval
from experiments import coverage, recorded
from experiments.coverage import (
    BASIC,
    FEW,
    INTERVAL_COVERAGE,
    LAWS,
    MEASURES,
    MORE,
    PERCENTILE,
    SMOOTH_COVERAGE,
)


def gap(p):
    return expit(0.7 * logit(p)) - p


def test_true_values_are_integrals():
    """The gap changes its sign at 1/2 alone, so that Kuiper's interval is one half of the line."""
    half, whole = quad(gap, 0, 0.5)[0], 2 * quad(gap, 0, 0.5)[0]
    assert coverage.true_value(inference.kuiper_error, "overconfident") == pytest.approx(half, 1e-6)
    ece = metrics.expected_calibration_error
    assert coverage.true_value(ece, "overconfident") == pytest.approx(whole, 1e-4)
    brier = quad(lambda p: (p + gap(p)) * (1 - p - gap(p)) + gap(p) ** 2, 0, 1)[0]
    found = coverage.true_value(metrics.brier_score_loss, "overconfident")
    assert found == pytest.approx(brier, 1e-6)
    values = metrics.brier_score_loss
    assert coverage.true_value(values, "three values") == pytest.approx((0.09 + 0.24 + 0.16) / 3)
    for law in set(LAWS) - {"overconfident"}:
        errors = [coverage.true_value(MEASURES[name], law) for name in ("ECE", "Kuiper", "smCE")]
        assert np.max(errors) < coverage.ROUNDING / 10


@pytest.mark.parametrize("law", LAWS)
def test_samples_follow_their_law(law, monkeypatch):
    monkeypatch.setattr(coverage, "POINTS", 40_000)
    labels, p = coverage.draw(law, np.random.default_rng(0))
    expected = LAWS[law].truth(p)
    assert abs(np.mean(labels - expected)) < 4 * np.sqrt(
        np.mean(expected * (1 - expected)) / 40_000
    )
    even = LAWS[law].quantiles((np.arange(40_000) + 0.5) / 40_000)
    np.testing.assert_allclose(
        np.quantile(p, [0.1, 0.5, 0.9]), np.quantile(even, [0.1, 0.5, 0.9]), atol=0.02
    )


def test_the_percentile_interval_is_that_of_the_draws():
    rng = np.random.default_rng(1)
    labels, p = coverage.draw("overconfident", rng)
    draws = []

    def kuiper(labels, p, sample_weight):
        draws.append(inference.kuiper_error(labels, p, sample_weight=sample_weight))
        return draws[-1]

    found = bootstrap_interval(kuiper, labels, p, n_resamples=FEW)
    low, high = np.quantile(draws[:-1], [0.025, 0.975])  # the last one is the sample itself
    for value in np.linspace(low - 0.01, high + 0.01, 40):
        held = coverage.holds(found, value)
        assert held[PERCENTILE] == (low <= value <= high)
        assert held[BASIC] == (found.lower <= value <= found.upper)


def test_a_truth_at_the_limit_is_held():
    at_zero = Interval(0.1, 1e-17, 0.2, 0.05)
    assert coverage.holds(at_zero, 0.0) == {BASIC: True, PERCENTILE: True}
    assert coverage.holds(at_zero._replace(lower=1e-6), 0.0)[BASIC] is False


def test_shares_and_their_errors():
    rows = {
        "law": np.array(["calibrated"] * 3),
        "measure": np.array(["ECE", "ECE", "Kuiper"]),
        "resamples": np.array([FEW, FEW, FEW]),
        "rounds": np.array([50, 50, 50]),
        "basic": np.array([40, 50, 0]),
    }
    found = coverage.share_held(rows, "calibrated", "ECE")
    assert found.value == 0.9 and found.error == pytest.approx(np.sqrt(0.09 / 100))


@pytest.fixture(scope="module")
def rows():
    return recorded(INTERVAL_COVERAGE.name)


def test_the_record_has_whole_cases_and_many_rounds(rows):
    """A run that is interrupted has fewer rounds: enough for errors of a few hundredths."""
    keys = set(
        zip(rows["law"], rows["resamples"].astype(int), rows["batch"].astype(int), strict=True)
    )
    assert keys <= {tuple(case.values()) for case in INTERVAL_COVERAGE.cases()}
    assert rows["law"].size == len(keys) * len(MEASURES)
    for law in LAWS:
        for measure in MEASURES:
            assert coverage.share_held(rows, law, measure).error < 0.02


@pytest.mark.parametrize(
    "law, measure, resamples, published, samples",
    [
        ("calibrated", "Kuiper", FEW, 0.72, 800),
        ("calibrated", "Kuiper", MORE, 0.76, 800),
        ("overconfident", "ECE", MORE, 0.91, 300),
        ("overconfident", "Kuiper", MORE, 0.91, 300),
    ],
)
def test_a_reader_found_the_same_with_code_of_his_own(
    rows, law, measure, resamples, published, samples
):
    if resamples not in rows["resamples"]:
        pytest.skip(f"no interval of {resamples} resamples is recorded yet")
    found = coverage.share_held(rows, law, measure, resamples=resamples)
    error = np.hypot(found.error, np.sqrt(published * (1 - published) / samples))
    assert abs(found.value - published) < 3 * error


def test_a_case_as_recorded():
    """A share of one of 50 is left to rounding on other processors."""
    case = {"law": "one value", "resamples": FEW, "batch": 0}
    live = [
        {key: row[key] for key in ("measure", "rounds", BASIC, PERCENTILE)}
        for row in coverage.run_case(case)
    ]
    assert_as_recorded(INTERVAL_COVERAGE.name, case, live, tolerance=1)


def test_the_record_of_the_smooth_ece_is_complete():
    rows = recorded(SMOOTH_COVERAGE.name)
    assert rows["law"].size == len(SMOOTH_COVERAGE.cases())
    for law in LAWS:
        assert coverage.share_held(rows, law, "smECE").error <= 0.025


def test_the_smooth_ece_is_counted_like_the_others(monkeypatch):
    monkeypatch.setattr(coverage, "ROUNDS", 2)
    monkeypatch.setattr(coverage, "POINTS", 60)
    case = {"law": "three values", "resamples": 10, "batch": 0}
    (row,) = coverage.run_smooth_case(case)
    assert row["measure"] == "smECE" and row["rounds"] == 2 and row["truth"] < 1e-3
