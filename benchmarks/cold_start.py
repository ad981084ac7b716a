"""Measure what the first call of each method costs where nothing is compiled yet.

Run it with ``make bench``, or ``python benchmarks/cold_start.py WORD ...`` for the calls whose name
holds one of the words. Each method runs twice, in fresh processes that share a cache of compiled
functions: empty for the first, which compiles, and full for the second, which loads. What counts is
the process time of the call itself, user and system, after all imports. Writes
results/cold_start.csv, in which a row replaces its older one, and a section of book/speed.md.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import calib
from calib import metrics, multiclass

ROOT = Path(__file__).resolve().parents[1]
TABLE, PAGE = ROOT / "results" / "cold_start.csv", ROOT / "book" / "speed.md"
HEADING = "## First calls"
COLUMNS = ["call", "step", "compiling", "loading"]
N, CLASSES = 300, 3

rng = np.random.default_rng(20)
scores = rng.uniform(0.01, 0.99, N)
labels = (rng.random(N) < scores**2).astype(np.int64)
groups = rng.integers(0, 2, N)
features = np.column_stack([scores, rng.random(N)])
others = np.sqrt(scores)
law = rng.dirichlet(np.ones(CLASSES), N)
classes = np.array([rng.choice(CLASSES, p=row) for row in law])

BINARY = [
    *[calib.HistogramBinning(), calib.HistogramBinning(strategy="uniform")],
    *[calib.BBQ(), calib.ABB(), calib.IsotonicCalibrator(), calib.IsotonicCalibrator(centred=True)],
    *[calib.ENIR(), calib.VennAbers(), calib.VennAbers(loss="square"), calib.DirectIsotonic()],
    *[calib.PlattScaling(), calib.PlattScaling(scale="logit"), calib.TemperatureScaling()],
    *[calib.BetaCalibration(), calib.QuadraticLogit(), calib.DirichletProcessCalibrator()],
    *[calib.KernelCalibrator(kernel=k) for k in ("boxcar", "epanechnikov", "tricube", "gaussian")],
    *[calib.KernelCalibrator(bandwidth="cv"), calib.PriorShift(calib.PlattScaling())],
    *[calib.CalibratorCV([calib.PlattScaling(), calib.IsotonicCalibrator()])],
    *[calib.OnlineHistogramBinning(), calib.OnlinePlattScaling()],
    calib.GuardedCalibrator(calib.OnlinePlattScaling()),
]
MULTICLASS = [
    *[multiclass.TemperatureScaling(), multiclass.VectorScaling()],
    *[multiclass.DirichletCalibration(), multiclass.OneVsRestCalibrator(calib.PlattScaling())],
    *[multiclass.PairwiseVennAbers(), multiclass.TopLabelBinning()],
]
MEASURES = [
    *[metrics.accuracy, metrics.brier_score_loss, metrics.log_loss, metrics.roc_auc_score],
    *[metrics.root_mean_squared_error, metrics.expected_calibration_error],
    *[metrics.maximum_calibration_error, metrics.debiased_squared_error, metrics.evaluate],
    *[metrics.sweep_calibration_error, metrics.kuiper_error, metrics.smooth_ece],
    *[metrics.smooth_calibration_error, metrics.integrated_calibration_index],
    *[metrics.reliability_curve, metrics.corp_curve, metrics.murphy_curve, metrics.decision_curve],
    *[metrics.score_decomposition, metrics.recalibration_line, metrics.auc_interval],
    *[metrics.confidence_band, metrics.consistency_band, metrics.kuiper_test],
    *[metrics.hosmer_lemeshow_test, metrics.spiegelhalter_test],
]


def calls():
    """For each name the steps, one after another: names and functions without arguments."""
    table = {repr(model): learner(model, (scores, labels), (scores,)) for model in BINARY}
    table |= {
        f"multiclass.{model!r}": learner(model, (law, classes), (law,), "predict_proba")
        for model in MULTICLASS
    }
    table |= {measure.__name__: once(measure, labels, scores) for measure in MEASURES}
    conformal, mondrian = calib.SelfCalibratingConformal(), calib.MondrianVennAbers()
    partition, tree = calib.Multicalibration(), calib.HeterogeneousCalibrator(calib.AUCSplitTree())
    classifier, direct = LogisticRegression(), calib.TransductiveVennAbers(LogisticRegression())
    few, ends = features[:20], (scores - 0.05, scores + 0.05)
    sequential, brier = metrics.SequentialCalibrationTest(), metrics.brier_score_loss
    return table | {
        "NearIsotonicPath()": learner(calib.NearIsotonicPath(), (scores, labels), (scores, 0.5)),
        "AdaptiveCalibrator()": learner(
            calib.AdaptiveCalibrator(), (scores, labels), (scores, *ends)
        ),
        "SelfCalibratingConformal()": learner(
            conformal, (scores, scores), (scores,), "predict_interval"
        ),
        "MondrianVennAbers()": learner(mondrian, (scores, labels, groups), (scores, groups)),
        "Multicalibration()": learner(partition, (groups, scores, labels), (groups, scores)),
        "HeterogeneousCalibrator(AUCSplitTree())": learner(
            tree, (features, scores, labels), (features, scores)
        ),
        "CalibratedClassifier()": learner(
            calib.CalibratedClassifier(classifier), (features, labels), (features,)
        ),
        "TransductiveVennAbers()": learner(direct, (few, labels[:20]), (few,)),
        "SequentialCalibrationTest()": {"update": partial(sequential.update, labels, scores)},
        "auc_by_parts": once(metrics.auc_by_parts, labels, scores, groups),
        "auc_difference": once(metrics.auc_difference, labels, scores, others),
        "bootstrap_interval": once(metrics.bootstrap_interval, brier, labels, scores),
        "bootstrap_difference": once(metrics.bootstrap_difference, brier, labels, scores, others),
        "bootstrap_by_group": once(metrics.bootstrap_by_group, brier, labels, scores, groups),
    }


def learner(model, sample, queries, predict="predict"):
    """The steps of an estimator."""
    return {
        "fit": partial(model.fit, *sample),
        "predict": lambda: getattr(model, predict)(*queries),
    }


def once(function, *arguments):
    """The one step of a function."""
    return {"call": partial(function, *arguments)}


def seconds(name):
    """Process time of each step of a call in this process."""
    warnings.simplefilter("ignore")
    found = {}
    for step, call in calls()[name].items():
        start = time.process_time()
        call()
        found[step] = time.process_time() - start
    return found


def measure(name):
    """Rows of one name: seconds of each step where it compiles and where it loads."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder, "OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--here", name]
        compiling, loading = (
            json.loads(
                subprocess.run(command, env=environment, check=True, capture_output=True).stdout
            )
            for _ in range(2)
        )
    return [
        dict(zip(COLUMNS, [name, step, f"{compiling[step]:.2f}", f"{loading[step]:.2f}"]))
        for step in compiling
    ]


def main(words):
    """Measure the calls that hold one of the words, or all; write the table and the page."""
    old = list(csv.DictReader(TABLE.open())) if TABLE.exists() else []
    rows = []
    for name in calls():
        if not words or any(word in name for word in words):
            rows += measure(name)
        else:
            rows += [row for row in old if row["call"] == name]
        print(
            *(
                f"{row['call']:50} {row['step']:8} {row['compiling']:>6} {row['loading']:>6}"
                for row in rows
                if row["call"] == name
            ),
            sep="\n",
            flush=True,
        )
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(seconds(sys.argv[2])))
    else:
        main(sys.argv[1:])
