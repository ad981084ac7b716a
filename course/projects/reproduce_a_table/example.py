"""Two rows of a published table again: binning and isotonic regression after a linear SVM."""

import csv

import numpy as np
from sklearn.svm import SVC

from calib import HistogramBinning, IsotonicCalibrator
from calib.metrics import (
    expected_calibration_error,
    maximum_calibration_error,
    roc_auc_score,
    root_mean_squared_error,
)
from calibkit.datasets import rings
from course.tools.chapters import ROOT

PRINTED = ROOT / "results" / "published" / "naeini2014_table1a_svm_linear.csv"
RUNS = 10
METHODS = {"Hist": HistogramBinning(n_bins=10), "IsoReg": IsotonicCalibrator()}
MEASURES = ["RMSE", "AUC", "ECE", "MCE"]


def one_run(run):
    """Measures of both methods in one run, by method and policy for ties."""
    rng = np.random.default_rng([2014, run])
    (X, labels), (X_test, labels_test) = rings(1000, rng), rings(1000, rng)
    svm = SVC(kernel="linear").fit(X, labels)
    margin, margin_test = svm.decision_function(X), svm.decision_function(X_test)
    for name, method in METHODS.items():
        p = method.fit(margin, labels).predict(margin_test)
        for ties in ["label", "group"]:
            yield (
                (name, ties),
                [
                    root_mean_squared_error(labels_test, p),
                    roc_auc_score(labels_test, p),
                    expected_calibration_error(labels_test, p, n_bins=10, ties=ties),
                    maximum_calibration_error(labels_test, p, n_bins=10, ties=ties),
                ],
            )


def numbers():
    """The table of the report: printed, and ours with both policies for ties."""
    with PRINTED.open() as file:
        printed = {row["method"]: row for row in csv.DictReader(file)}
    runs = [dict(one_run(run)) for run in range(RUNS)]
    found = {}
    for ties in ["label", "group"]:
        within = 0
        for name in METHODS:
            values = np.array([run[name, ties] for run in runs])
            mean, sd = values.mean(axis=0), values.std(axis=0, ddof=1)
            target = np.array([float(printed[name][measure]) for measure in MEASURES])
            close = np.abs(target - mean) <= 2 * sd + 0.005  # half a unit of the printed digit
            within += int(close.sum())
            for i, measure in enumerate(MEASURES):
                found[f"{name}_{measure}_printed"] = printed[name][measure]
                found[f"{name}_{measure}_{ties}"] = f"{mean[i]:.3f} ({sd[i]:.3f})"
        found[f"within_{ties}"] = within
    paired = [run["IsoReg", "group"][2] - run["Hist", "group"][2] for run in runs]
    found["paired"] = f"{np.mean(paired):+.3f}"
    found["paired_error"] = f"{np.std(paired, ddof=1) / np.sqrt(RUNS):.3f}"
    return found
