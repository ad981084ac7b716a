"""Measure what the first call of each method costs where nothing is compiled yet.

Run it with ``make bench``, or ``python benchmarks/cold_start.py WORD ...`` for the calls whose name
holds one of the words. Each method runs twice, in processes forked from one that has imported all
and called nothing. They share a cache of compiled functions: it is empty for the first, which
compiles, and full for the second, which loads. What counts is process time, user and system, and
nothing of the imports. Writes results/cold_start.csv, in which a row replaces its older one, and a
section of book/speed.md.
"""

import os
import tempfile

CACHE = tempfile.TemporaryDirectory()
if __name__ == "__main__":  # before NumPy and numba are loaded
    os.environ["NUMBA_CACHE_DIR"] = CACHE.name
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
        os.environ[variable] = "1"

import csv  # noqa: E402
import multiprocessing  # noqa: E402
import shutil  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from functools import partial  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import page  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402

import calib  # noqa: E402
import calibkit  # noqa: E402
from calib import metrics  # noqa: E402
from calibkit import inference, multiclass, streams  # noqa: E402

TABLE = Path(__file__).resolve().parents[1] / "results" / "cold_start.csv"
HEADING = "## First calls"
N, CLASSES = 4000, 3  # enough rows for every kernel

rng = np.random.default_rng(20)
scores = rng.integers(1, 100, N) / 100
labels = (rng.random(N) < scores**2).astype(np.int64)
groups = rng.integers(0, 2, N)
features = np.column_stack([scores, rng.random(N)])
others = np.sqrt(scores)
law = rng.dirichlet(np.ones(CLASSES), N)
classes = np.array([rng.choice(CLASSES, p=row) for row in law])

BINARY = [
    *[calib.HistogramBinning(), calib.HistogramBinning(strategy="uniform")],
    *[calib.BBQ(), calib.ABB(), calib.IsotonicCalibrator(), calib.IsotonicCalibrator(centred=True)],
    *[calib.ENIR(), calib.VennAbers(), calib.VennAbers(loss="brier"), calib.DirectIsotonic()],
    *[calib.PlattScaling(), calib.PlattScaling(scale="logit"), calib.TemperatureScaling()],
    *[calib.BetaCalibration(), calib.QuadraticLogit(), calib.SplineCalibrator()],
    calib.DirichletProcessCalibrator(),
    *[calib.KernelCalibrator(kernel=k) for k in ("boxcar", "epanechnikov", "tricube", "gaussian")],
    *[calib.KernelCalibrator(bandwidth="cv"), calib.PriorShift(calib.PlattScaling())],
    *[calib.CalibratorCV([calib.PlattScaling(), calib.IsotonicCalibrator()])],
    calib.StackedCalibrator(),
    *[calibkit.streams.OnlineHistogramBinning(), calibkit.streams.OnlinePlattScaling()],
    calibkit.streams.GuardedCalibrator(calibkit.streams.OnlinePlattScaling()),
]
MULTICLASS = [
    *[multiclass.TemperatureScaling(), multiclass.VectorScaling()],
    *[multiclass.DirichletCalibration(), multiclass.OneVsRestCalibrator(calib.PlattScaling())],
    *[multiclass.PairwiseVennAbers(), multiclass.TopLabelBinning()],
    multiclass.StackedCalibrator(),
]
MEASURES = [
    *[metrics.accuracy, metrics.brier_score_loss, metrics.log_loss, metrics.roc_auc_score],
    *[metrics.root_mean_squared_error, metrics.expected_calibration_error],
    *[metrics.maximum_calibration_error, inference.debiased_squared_error, metrics.evaluate],
    *[inference.sweep_calibration_error, inference.kuiper_error, inference.smooth_ece],
    *[inference.smooth_calibration_error, inference.integrated_calibration_index],
    *[
        metrics.reliability_curve,
        metrics.corp_curve,
        inference.murphy_curve,
        inference.decision_curve,
    ],
    *[metrics.score_decomposition, inference.recalibration_line, inference.auc_interval],
    *[inference.confidence_band, inference.consistency_band, inference.kuiper_test],
    *[inference.hosmer_lemeshow_test, inference.spiegelhalter_test],
]


def calls():
    """For each name the steps, one after another: names and functions without arguments."""
    table = {repr(model): learner(model, (scores, labels), (scores,)) for model in BINARY}
    table |= {
        f"multiclass.{model!r}": learner(model, (law, classes), (law,), "predict_proba")
        for model in MULTICLASS
    }
    table |= {measure.__name__: once(measure, labels, scores) for measure in MEASURES}
    conformal, mondrian = (
        calibkit.prediction_intervals.SelfCalibratingConformal(),
        calibkit.groups.MondrianVennAbers(),
    )
    sets, tree = (
        calibkit.groups.Multicalibration(),
        calib.HeterogeneousCalibrator(calib.AUCSplitTree()),
    )
    classifier, direct = LogisticRegression(), calib.TransductiveVennAbers(LogisticRegression())
    few, ends = features[:20], (scores - 0.05, scores + 0.05)
    sequential, brier = streams.SequentialCalibrationTest(), metrics.brier_score_loss
    return table | {
        "NearIsotonicPath()": learner(calib.NearIsotonicPath(), (scores, labels), (scores, 0.5)),
        "AdaptiveCalibrator()": learner(
            calibkit.prediction_intervals.AdaptiveCalibrator(), (scores, labels), (scores, *ends)
        ),
        "SelfCalibratingConformal()": learner(
            conformal, (scores, scores), (scores,), "predict_interval"
        ),
        "MondrianVennAbers()": learner(mondrian, (scores, labels), (scores,), groups=groups),
        "Multicalibration()": learner(
            sets, (scores, labels), (scores,), groups=groups[:, np.newaxis]
        ),
        "HeterogeneousCalibrator(AUCSplitTree())": learner(
            tree, (scores, labels), (scores,), features=features
        ),
        "CalibratedClassifier()": learner(
            calib.CalibratedClassifier(classifier), (features, labels), (features,)
        ),
        "TransductiveVennAbers()": learner(direct, (few, labels[:20]), (few,)),
        "SequentialCalibrationTest()": {"update": partial(sequential.update, labels, scores)},
        "auc_by_parts": once(inference.auc_by_parts, labels, scores, groups),
        "auc_difference": once(inference.auc_difference, labels, scores, others),
        "bootstrap_interval": once(inference.bootstrap_interval, brier, labels, scores),
        "bootstrap_difference": once(inference.bootstrap_difference, brier, labels, scores, others),
        "bootstrap_by_group": once(inference.bootstrap_by_group, brier, labels, scores, groups),
    }


def learner(model, sample, queries, predict="predict", **beside):
    """The steps of an estimator; `beside` is given to both by name."""
    return {
        "fit": partial(model.fit, *sample, **beside),
        "predict": lambda: getattr(model, predict)(*queries, **beside),
    }


def once(function, *arguments):
    """The one step of a function."""
    return {"call": partial(function, *arguments)}


def seconds(steps):
    """Process time of each step in this process."""
    warnings.simplefilter("ignore")
    found = {}
    for step, call in steps.items():
        start = time.process_time()
        call()
        found[step] = time.process_time() - start
    return found


def in_a_fork(steps):
    """The same in a copy of this process."""
    receive, send = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=lambda: send.send(seconds(steps)))
    child.start()
    send.close()
    found = receive.recv()
    child.join()
    return found


def measure(name, steps):
    """Rows of one name: seconds of each step where it compiles and where it loads."""
    for folder in Path(CACHE.name).iterdir():
        shutil.rmtree(folder)
    compiling, loading = in_a_fork(steps), in_a_fork(steps)
    return [
        {
            "call": name,
            "step": step,
            "compiling": f"{compiling[step]:.2f}",
            "loading": f"{loading[step]:.2f}",
        }
        for step in steps
    ]


def write_section():
    """The section of the page, from the table."""
    lines = [
        HEADING,
        "",
        "Seconds of process time of the first call in a process, imports not counted, written by",
        "`make bench`: *compiling*, where nothing has been compiled on this machine before, and",
        "*loading*, from the cache, in every later process.",
        "",
        "| call | step | compiling | loading |",
        "|---|---|---:|---:|",
    ]
    for row in csv.DictReader(TABLE.open()):
        lines.append("| `{call}` | {step} | {compiling} | {loading} |".format(**row))
    page.put(HEADING, "\n".join([*lines, ""]))


def main(words):
    """Measure the calls that hold one of the words, or all; write the table and the page."""
    old = list(csv.DictReader(TABLE.open())) if TABLE.exists() else []
    rows = []
    for name, steps in calls().items():
        if words and not any(word in name for word in words):
            rows += [row for row in old if row["call"] == name]
            continue
        for row in measure(name, steps):
            rows.append(row)
            print("{call:60} {step:8} {compiling:>6} s {loading:>6} s".format(**row), flush=True)
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["call", "step", "compiling", "loading"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    write_section()


if __name__ == "__main__":
    main(sys.argv[1:])
