"""Numbers of a clinical report equal those of R packages, on twenty samples.

tests/calibkit/clinical has the samples, R's numbers and the script that computed them.
"""

import csv
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit

from calib.metrics import brier_score_loss, roc_auc_score
from calibkit.inference import (
    auc_interval,
    brier_skill_interval,
    closed_testing_update,
    curve_distances,
    horizon_outcomes,
    hosmer_lemeshow_test,
    integrated_calibration_index,
    loess_curve,
    recalibration_intervals,
    recalibration_line,
    recalibration_test,
    spiegelhalter_test,
    spline_curve,
)

FOLDER = Path(__file__).parent / "clinical"
sys.path.insert(0, str(FOLDER))
from censored import HORIZON, censored_samples  # noqa: E402
from samples import samples  # noqa: E402

PLACES = (0.05, 0.25, 0.5, 0.75, 0.95)  # quantiles of the predictions at which curves are read
SAMPLES = samples()


def _numbers_of_r(name):
    numbers = {}
    with open(FOLDER / name, newline="") as file:
        for row in csv.DictReader(file):
            numbers.setdefault(row["file"], {})[row["number"]] = float(row["value"])
    return numbers


R = _numbers_of_r("r_numbers.csv")
R_CENSORING = _numbers_of_r("r_censoring.csv")


def near(value):
    return pytest.approx(value, rel=1e-6, abs=1e-6)


@pytest.fixture(params=SAMPLES)
def pair(request):
    """A sample, and R's numbers for it."""
    return SAMPLES[request.param], R[request.param]


def places_of(sample):
    return np.quantile(sample.probabilities, PLACES, method="inverted_cdf")


def test_there_are_twenty_samples_with_numbers():
    assert len(R) == len(SAMPLES) == 20
    assert len({len(numbers) for numbers in R.values()}) == 1


def test_val_prob_of_rms(pair):
    sample, of_r = pair
    labels, p = sample.labels, sample.probabilities
    joint = recalibration_test(labels, p)
    assert joint.statistic == near(of_r["val.prob U:Chi-sq"])
    assert joint.p_value == near(of_r["val.prob U:p"])
    assert (joint.statistic - 2) / labels.size == near(of_r["val.prob U"])
    assert brier_score_loss(labels, p) == near(of_r["val.prob Brier"])
    line = recalibration_line(labels, p)
    assert line.intercept == near(of_r["val.prob Intercept"])
    assert line.slope == near(of_r["val.prob Slope"])
    z, p_value = spiegelhalter_test(labels, p, null="asymptotic")
    assert z == near(of_r["val.prob S:z"])
    assert p_value == near(of_r["val.prob S:p"])


def test_scaled_brier_score_of_risk_regression(pair):
    sample, of_r = pair
    skill = brier_skill_interval(sample.labels, sample.probabilities)
    assert skill.estimate == near(of_r["riskRegression IPA"])


def test_glm_and_the_steps_of_an_update(pair):
    sample, of_r = pair
    labels, p = sample.labels, sample.probabilities
    line = recalibration_line(labels, p)
    assert line.in_the_large == near(of_r["glm in the large"])
    update = closed_testing_update(labels, p)
    ratio = of_r["glm LR of line"]
    assert update.p_values["none"] == near(np.exp(-ratio / 2))  # chi-squared, 2 degrees
    if update.method == "none":
        assert (update.intercept, update.slope) == (0, 1)
    else:
        _, of_slope = update.p_values.values()
        statistic = of_r["glm LR of line against shift"]
        assert (of_slope > 0.05) == (statistic < 3.8414588) == (update.method == "intercept")


def test_robust_errors_of_rms(pair):
    """``robcov`` without clusters. With clusters it has no correction for their number."""
    sample, of_r = pair
    intervals = recalibration_intervals(sample.labels, sample.probabilities)
    assert intervals.intercept.error == near(of_r["robcov error of intercept"])
    assert intervals.slope.error == near(of_r["robcov error of slope"])
    by_hospital = recalibration_intervals(
        sample.labels, sample.probabilities, clusters=sample.clusters
    )
    correction = by_hospital.slope.error / of_r["robcov by hospital error of slope"]
    assert 1 < correction < 1.35


def test_spline_of_the_logits_of_rms(pair):
    sample, of_r = pair
    at = places_of(sample)
    curve = spline_curve(sample.labels, sample.probabilities, at=at, confidence=0.6826894921370859)
    logits, errors = zip(
        *(
            (of_r[f"rcs logit at quantile {place}"], of_r[f"rcs robust error at quantile {place}"])
            for place in PLACES
        ),
        strict=True,
    )
    assert curve.observed == near(expit(logits))
    assert curve.lower == near(expit(np.subtract(logits, errors)))
    assert curve.upper == near(expit(np.add(logits, errors)))


def test_knots_of_hmisc(pair):
    """With fewer than 100 rows ``rcspline.eval`` moves the outer knots, as the docstring says."""
    sample, of_r = pair
    knots = np.quantile(logit(sample.probabilities), (0.05, 0.35, 0.65, 0.95))
    expected = [of_r[f"rcspline knot {k}"] for k in range(1, 5)]
    inner = slice(1, 3) if sample.labels.size < 100 else slice(None)
    assert knots[inner] == near(expected[inner])


def test_loess_and_its_distances(pair):
    """R with ``surface="direct"`` and a span of whole rows, upwards."""
    sample, of_r = pair
    curve = loess_curve(sample.labels, sample.probabilities, at=places_of(sample))
    assert curve.observed == near([of_r[f"loess at quantile {place}"] for place in PLACES])
    distances = curve_distances(sample.labels, sample.probabilities)
    assert distances.ici == near(of_r["ICI"])
    index = integrated_calibration_index(sample.labels, sample.probabilities)
    assert index == pytest.approx(distances.ici, rel=1e-12)
    assert distances.e50 == near(of_r["E50"])
    assert distances.e90 == near(of_r["E90"])
    assert distances.emax == near(of_r["Emax"])


def test_conventions_that_differ():
    """How far R's defaults and ``val.prob`` are from these numbers, at most and at least."""
    default, quantile, lowess = [], [], []
    for numbers in R.values():
        default.append(numbers["ICI of R's default"] / numbers["ICI"] - 1)
        quantile.append(numbers["E90 of type 7"] / numbers["E90"] - 1)
        lowess.append(numbers["val.prob Eavg"] / numbers["ICI"] - 1)
    assert 0.005 < np.abs(default).max() < 0.2
    assert 0 < np.abs(quantile).max() < 0.02
    assert np.abs(lowess).max() > 0.1


def test_area_of_proc(pair):
    sample, of_r = pair
    assert roc_auc_score(sample.labels, sample.probabilities) == near(of_r["pROC AUC"])
    interval = auc_interval(sample.labels, sample.probabilities)
    assert interval.error == near(of_r["pROC error of AUC"])


WHOLE_BINS = [  # names of samples of distinct predictions that ten bins divide
    name
    for name, sample in SAMPLES.items()
    if sample.labels.size % 10 == 0 and np.unique(sample.probabilities).size == sample.labels.size
]


@pytest.mark.parametrize("name", WHOLE_BINS)
def test_hosmer_and_lemeshow_of_resource_selection(name):
    """R cuts at quantiles of type 7. The bins are the same where they have equally many rows."""
    sample = SAMPLES[name]
    of_r = R[name]
    result = hosmer_lemeshow_test(
        sample.labels, sample.probabilities, in_sample=True, null="asymptotic"
    )
    assert result.statistic == near(of_r["hoslem X2"])
    assert result.p_value == near(of_r["hoslem p"])


@pytest.mark.parametrize("name", R_CENSORING)
def test_weights_of_pec_for_censored_times(name):
    times, events = censored_samples()[name]
    of_r = R_CENSORING[name]
    labels, weights = horizon_outcomes(times, events, horizon=HORIZON)
    assert 1 / weights[times > HORIZON] == near(of_r["G at the horizon"])
    assert np.average(labels, weights=weights) == near(of_r["rate"])
    assert weights.sum() == near(of_r["sum of weights"])
    assert np.square(weights).sum() == near(of_r["sum of squared weights"])
    assert weights[labels == 1].max() == near(of_r["largest weight of an event"])
