"""Which promises of a calibrator or of a measure calib and its peers keep, by calibkit.testing.

Run it with ``make bench``. Every package is put through the same checks. What it does not promise
is not tried: weights where it takes none, lists where it asks for arrays, an increasing map where
its map may fall. Writes results/conformance.csv, a row for each check; the page book/peers.md shows
results/conformance_summary.csv, a row for each method, and results/conformance_failures.csv, with
the smallest input at which a check failed.
"""

import csv
import os
import warnings
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from importlib.metadata import version
from pathlib import Path

import mapie.metrics.calibration as mapie
import numpy as np
import probcal
import probcal.metrics as probcal_metrics
import relplot
from betacal import BetaCalibration as BetacalCalibration
from mapie.calibration import VennAbersCalibrator
from model_diagnostics.scoring import SquaredError, decompose
from netcal.binning import BBQ as NetcalBBQ
from netcal.binning import ENIR as NetcalENIR
from netcal.binning import HistogramBinning as NetcalHistogram
from netcal.binning import IsotonicRegression as NetcalIsotonic
from netcal.metrics.confidence import ECE as NetcalECE
from netcal.metrics.confidence import MCE as NetcalMCE
from netcal.scaling import BetaCalibration as NetcalBeta
from netcal.scaling import LogisticCalibration as NetcalLogistic
from netcal.scaling import TemperatureScaling as NetcalTemperature
from probmetrics.calibrators import BinaryHistogramBinningCalibrator, get_calibrator
from sklearn import metrics as sklearn_metrics
from sklearn.calibration import _SigmoidCalibration, _TemperatureScaling
from sklearn.isotonic import IsotonicRegression
from splinecalib import SplineCalib
from tasks import Scores
from venn_abers import VennAbers as PackageVennAbers

import calib
from calib import metrics
from calibkit import inference
from calibkit.testing import Outcome, check_calibrator, check_measure, references

RESULTS = Path(__file__).resolve().parents[1] / "results"
TOLERANCE = 1e-3  # of probabilities: searches that end early are not what is tested
MEASURE_TOLERANCE = 1e-6
LONGEST = 300  # characters of an input in the table


# Calibrators that are not an estimator with fit and predict_proba, or predict, of one dimension


def of_netcal(model):
    """A calibrator of netcal."""

    def fit_predict(scores, labels, sample_weight, new_scores):
        return deepcopy(model).fit(scores, labels).transform(new_scores)

    return fit_predict


def of_venn_abers(scores, labels, sample_weight, new_scores):
    """The merged probability of the package venn-abers, from two columns."""
    return PackageVennAbers().fit(scores, labels).predict_proba(new_scores)[0]


def of_mapie(scores, labels, sample_weight, new_scores):
    """MAPIE, with a classifier that is fitted already."""
    model = VennAbersCalibrator(Scores(), cv="prefit").fit(scores[:, np.newaxis], labels)
    return model.predict_proba(new_scores[:, np.newaxis])


NUMPY = {"array_like": False}  # asks for arrays, or is given them by the function above
UNWEIGHTED = {"weights": False}
MONOTONE = {"monotone": True}
NO_INTERCEPT = {"ties": False}  # or no spline of one score
ISOTONIC = MONOTONE | {"idempotent": True, "reference": references.isotonic}
VENN_ABERS = MONOTONE | {"reference": references.venn_abers}
NETCAL = NUMPY | UNWEIGHTED
PROBMETRICS = NUMPY | UNWEIGHTED | {"binary": False}
PROBCAL = {"weights": "positive"}  # as its documentation says
UNEXPLAINED = {"weights": False}  # its documentation does not say that a weight stands for copies

CALIBRATORS = {
    ("calib", "HistogramBinning(n_bins=10)"): (calib.HistogramBinning(n_bins=10), {}),
    ("calib", "HistogramBinning, uniform"): (
        calib.HistogramBinning(n_bins=10, strategy="uniform"),
        {},
    ),
    ("calib", "PlattScaling"): (calib.PlattScaling(), {}),
    ("calib", "TemperatureScaling"): (
        calib.TemperatureScaling(),
        MONOTONE | NO_INTERCEPT | {"idempotent": True},
    ),
    ("calib", "BetaCalibration"): (calib.BetaCalibration(), MONOTONE),
    ("calib", "QuadraticLogit"): (calib.QuadraticLogit(), {}),
    ("calib", "SplineCalibrator"): (calib.SplineCalibrator(), MONOTONE | NO_INTERCEPT),
    ("calib", "IsotonicCalibrator"): (calib.IsotonicCalibrator(), ISOTONIC),
    ("calib", "IsotonicCalibrator(centred=True)"): (
        calib.IsotonicCalibrator(centred=True),
        MONOTONE,
    ),
    ("calib", "KernelCalibrator"): (calib.KernelCalibrator(), {}),
    ("calib", "BBQ"): (calib.BBQ(), {"reference": references.bbq}),
    ("calib", "ABB"): (calib.ABB(), {"reference": references.all_binnings}),
    ("calib", "ENIR"): (calib.ENIR(), {}),
    ("calib", "VennAbers"): (calib.VennAbers(), VENN_ABERS),
    ("calib", "StackedCalibrator"): (calib.StackedCalibrator(), NO_INTERCEPT),
    ("scikit-learn", 'IsotonicRegression(out_of_bounds="clip")'): (
        IsotonicRegression(out_of_bounds="clip"),
        ISOTONIC | {"unit": False},
    ),
    ("scikit-learn", "sigmoid of CalibratedClassifierCV"): (_SigmoidCalibration(), {}),
    ("scikit-learn", "temperature of CalibratedClassifierCV"): (
        _TemperatureScaling(),
        {"binary": False} | MONOTONE | NO_INTERCEPT,
    ),
    ("betacal", 'BetaCalibration("abm")'): (BetacalCalibration("abm"), MONOTONE),
    ("venn-abers", "VennAbers"): (of_venn_abers, PROBMETRICS | VENN_ABERS),
    ("MAPIE", "VennAbersCalibrator, prefit"): (of_mapie, NUMPY | UNWEIGHTED | VENN_ABERS),
    ("splinecalib", "SplineCalib"): (SplineCalib(), UNWEIGHTED | NO_INTERCEPT),
    ("netcal", "HistogramBinning(10)"): (of_netcal(NetcalHistogram(10)), NETCAL),
    ("netcal", "IsotonicRegression"): (of_netcal(NetcalIsotonic()), NETCAL | MONOTONE),
    ("netcal", "BBQ"): (of_netcal(NetcalBBQ()), NETCAL),
    ("netcal", "ENIR"): (of_netcal(NetcalENIR()), NETCAL),
    ("netcal", "LogisticCalibration"): (of_netcal(NetcalLogistic()), NETCAL),
    ("netcal", "BetaCalibration"): (of_netcal(NetcalBeta()), NETCAL),
    ("netcal", "TemperatureScaling"): (
        of_netcal(NetcalTemperature()),
        NETCAL | NO_INTERCEPT,
    ),
    ("probmetrics", "quantile histogram (10)"): (BinaryHistogramBinningCalibrator(), PROBMETRICS),
    ("probmetrics", "temp-scaling"): (
        get_calibrator("temp-scaling"),
        PROBMETRICS | NO_INTERCEPT | MONOTONE,
    ),
    ("probmetrics", "affine-scaling"): (get_calibrator("affine-scaling"), PROBMETRICS),
    ("probmetrics", "quadratic-scaling"): (get_calibrator("quadratic-scaling"), PROBMETRICS),
    ("probmetrics", "ivap"): (get_calibrator("ivap"), PROBMETRICS | MONOTONE),
    ("probcal", "HistogramBinningCalibrator"): (probcal.HistogramBinningCalibrator(), UNEXPLAINED),
    ("probcal", "IsotonicCalibrator"): (probcal.IsotonicCalibrator(), PROBCAL | MONOTONE),
    ("probcal", "PlattCalibrator"): (probcal.PlattCalibrator(), PROBCAL),
    ("probcal", "TemperatureCalibrator"): (
        probcal.TemperatureCalibrator(),
        PROBCAL | NO_INTERCEPT | MONOTONE,
    ),
    ("probcal", "BetaCalibrator"): (probcal.BetaCalibrator(), PROBCAL | MONOTONE),
    ("probcal", "SplineCalibrator"): (probcal.SplineCalibrator(), UNEXPLAINED | NO_INTERCEPT),
    ("probcal", "BBQCalibrator"): (probcal.BBQCalibrator(), UNEXPLAINED),
    ("probcal", "ENIRCalibrator"): (probcal.ENIRCalibrator(), UNEXPLAINED),
    ("probcal", "VennAbersCalibrator"): (
        probcal.VennAbersCalibrator(),
        PROBCAL | VENN_ABERS,
    ),
}
# Folds are dealt out row by row: another order of the rows is another draw.
DRAWN = {"order of rows", "order of ties", "weights", "weight zero"}
NOT_PROMISED = {
    ("splinecalib", "SplineCalib"): DRAWN,
    ("probcal", "SplineCalibrator"): DRAWN,
    # The value is documented as NaN, with a warning.
    ("scikit-learn", "roc_auc_score"): {"one class", "one row"},
    # The test has one side: 1/2 where nothing is off.
    ("MAPIE", "spiegelhalter_p_value"): {"perfect predictions"},
}


# Measures: functions of (labels, probabilities, sample_weight=...)


def p_value(test):
    """The p value of a test."""
    return lambda labels, p, sample_weight=None: (
        test(labels, p, sample_weight=sample_weight).p_value
    )


def smece(labels, p):
    """Relplot takes arguments in the other order."""
    return relplot.smECE(np.asarray(p), np.asarray(labels))


def miscalibration(labels, p):
    """One part of model-diagnostics' decomposition."""
    return decompose(labels, p, scoring_function=SquaredError())["miscalibration"][0]


def mapie_error(labels, p):
    """MAPIE's ECE of probabilities of class 1."""
    return mapie.expected_calibration_error(labels, p, num_bins=10)


# Of other packages only losses and areas are asked for the same value of the other class.
ONE_CLASS = {"symmetric": False}
ARRAYS = NUMPY | ONE_CLASS
RELATIVE = UNEXPLAINED | ONE_CLASS  # weights in probcal's variances and quantiles are relative
MEASURES = {
    ("calib", "brier_score_loss"): (metrics.brier_score_loss, "loss", references.brier, {}),
    ("calib", "log_loss"): (metrics.log_loss, "loss", references.log_loss, {}),
    ("calib", "roc_auc_score"): (metrics.roc_auc_score, "auc", references.auc, {}),
    ("calib", "expected_calibration_error"): (
        metrics.expected_calibration_error,
        "error",
        None,
        {},
    ),
    ("calib", "smooth_ece"): (
        inference.smooth_ece,
        "error",
        references.smooth_ece,
        {"tolerance": TOLERANCE},
    ),
    ("calib", "kuiper_error"): (inference.kuiper_error, "error", references.kuiper, {}),
    ("calib", "kuiper_test"): (p_value(inference.kuiper_test), "p value", None, {}),
    ("calib", "spiegelhalter_test"): (p_value(inference.spiegelhalter_test), "p value", None, {}),
    ("scikit-learn", "brier_score_loss"): (
        sklearn_metrics.brier_score_loss,
        "loss",
        references.brier,
        {},
    ),
    ("scikit-learn", "log_loss"): (sklearn_metrics.log_loss, "loss", references.log_loss, {}),
    ("scikit-learn", "roc_auc_score"): (sklearn_metrics.roc_auc_score, "auc", references.auc, {}),
    ("netcal", "ECE(10)"): (lambda z, p: NetcalECE(10).measure(p, z), "error", None, ARRAYS),
    ("netcal", "MCE(10)"): (lambda z, p: NetcalMCE(10).measure(p, z), "error", None, ARRAYS),
    ("relplot", "smECE"): (
        smece,
        "error",
        references.smooth_ece,
        ARRAYS | {"tolerance": 2 * TOLERANCE},
    ),
    ("MAPIE", "expected_calibration_error"): (mapie_error, "error", None, ARRAYS),
    ("MAPIE", "kuiper_p_value"): (mapie.kuiper_p_value, "p value", None, ARRAYS),
    ("MAPIE", "spiegelhalter_p_value"): (mapie.spiegelhalter_p_value, "p value", None, ARRAYS),
    ("model-diagnostics", "miscalibration"): (miscalibration, "error", None, ONE_CLASS),
    ("probcal", "brier_score"): (probcal_metrics.brier_score, "loss", references.brier, PROBCAL),
    ("probcal", "log_loss"): (probcal_metrics.log_loss, "loss", references.log_loss, PROBCAL),
    ("probcal", "ece"): (probcal_metrics.ece, "error", None, RELATIVE),
    ("probcal", "smooth_ece"): (
        probcal_metrics.smooth_ece,
        "error",
        None,
        RELATIVE | {"tolerance": TOLERANCE},
    ),
    ("probcal", "ici"): (probcal_metrics.ici, "error", None, RELATIVE),
    ("probcal", "spiegelhalter_z"): (
        p_value(probcal_metrics.spiegelhalter_z),
        "p value",
        None,
        RELATIVE,
    ),
}


def outcomes():
    """A key, an outcome for each method and check."""
    for key, (calibrator, promises) in CALIBRATORS.items():
        found = check_calibrator(calibrator, on_fail=None, tolerance=TOLERANCE, **promises)
        yield from promised(key, found)
    for key, (measure, kind, reference, promises) in MEASURES.items():
        options = {"tolerance": MEASURE_TOLERANCE} | promises
        found = check_measure(measure, kind=kind, reference=reference, on_fail=None, **options)
        yield from promised(key, found)


def promised(key, found):
    """Outcomes with their key, those of what is not promised as such."""
    for one in found:
        waived = one.check in NOT_PROMISED.get(key, ())
        yield key, Outcome(one.check, "not promised") if waived else one


def version_of(package):
    """Version of an installed package; the distribution of calib has a longer name."""
    return calib.__version__ if package == "calib" else version(package)


def input_of(failure):
    """The input in one line."""
    given = failure.given.replace("\n", "; ")
    return given if len(given) <= LONGEST else f"{given[:LONGEST]} ..."


def write(name, header, rows):
    """A table of results."""
    with (RESULTS / name).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main():
    """Check everything and write the tables."""
    with (
        warnings.catch_warnings(),
        open(os.devnull, "w") as nowhere,
        redirect_stdout(nowhere),  # progress of netcal
        redirect_stderr(nowhere),
    ):
        warnings.simplefilter("ignore")
        found = list(outcomes())
    rows, failures, summary = [], [], {}
    for (package, method), (check, outcome, failure) in found:
        key = [package, version_of(package), method]
        failed = outcome == "failed"
        details = [failure.expected, failure.found, input_of(failure)] if failed else [""] * 3
        rows.append([*key, check, outcome, *details])
        if failed:
            failures.append([package, method, check, *details])
        summary.setdefault(tuple(key), []).append((check, outcome))
    write(
        "conformance.csv",
        ["package", "version", "method", "check", "outcome", "expected", "found", "input"],
        rows,
    )
    write(
        "conformance_failures.csv",
        ["package", "method", "check", "expected", "found", "input"],
        failures,
    )
    write(
        "conformance_summary.csv",
        ["package", "method", "passed", "failed", "not promised"],
        [
            [package, method, *(listed(checks, o) for o in ("passed", "failed", "not promised"))]
            for (package, _, method), checks in summary.items()
        ],
    )


def listed(checks, outcome):
    """How many passed; which failed, which were not promised."""
    names = [check for check, found in checks if found == outcome]
    return len(names) if outcome == "passed" else ", ".join(names)


if __name__ == "__main__":
    main()
