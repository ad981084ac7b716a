"""Measure how far one machine goes: seconds and memory of methods on rows that it can hold.

Run it with ``make bench``, or ``python benchmarks/limits.py 10000000`` for one number of rows, and
with names of methods behind it for some of them. Each method has a process of its own. Writes
results/limits.csv, in which a row replaces an older one of the same method, type and size, and a
section of book/speed.md.
"""

import csv
import multiprocessing
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np
import page
from large import digest, forget_peak, resident

import calib
from calib import metrics
from calib.datasets import LAWS

TABLE = Path(__file__).resolve().parents[1] / "results" / "limits.csv"
HEADING = "## As many rows as fit"
SIZES = [10**7, 10**8]
TYPES = ["float64", "float32"]
SEED = 27
KEYS = ["method", "scores", "n"]
REPEATS = {10**8: 1}  # of a call, where 3 would take minutes


def learned(calibrator):
    """A function that fits it and says what it predicts on a grid."""
    grid = np.linspace(0, 1, 1001)
    return lambda z, p: calibrator.fit(p, z).predict(grid)


def measured_by(measure, **options):
    """A function that evaluates a measure."""
    return lambda z, p: (measure(z, p, **options),)


METHODS = {
    "isotonic regression": learned(calib.IsotonicCalibrator()),
    "Venn-Abers": learned(calib.VennAbers()),
    "ENIR": learned(calib.ENIR()),
    "BBQ": learned(calib.BBQ()),
    "histogram": learned(calib.HistogramBinning()),
    "histogram, equal width": learned(calib.HistogramBinning(strategy="uniform")),
    "Platt scaling": learned(calib.PlattScaling()),
    "beta calibration": learned(calib.BetaCalibration()),
    "spline": learned(calib.SplineCalibrator()),
    "average": learned(calib.StackedCalibrator()),
    "ECE": measured_by(metrics.expected_calibration_error),
    "ECE, equal width": measured_by(metrics.expected_calibration_error, strategy="uniform"),
    "AUC": measured_by(metrics.roc_auc_score),
    "Kuiper error": measured_by(metrics.kuiper_error),
}


def sample(n, dtype):
    """Labels and continuous scores by the over-confident law, made in pieces."""
    scores, labels = np.empty(n, dtype), np.empty(n, np.uint8)
    for start in range(0, n, 10**6):
        here = slice(start, min(start + 10**6, n))
        rng = np.random.default_rng([SEED, start])
        scores[here], labels[here] = LAWS["overconfident"].sample(here.stop - start, rng)
    return labels, scores


def measured(method, n, dtype):
    """Seconds of the sort and of the method, megabytes it takes beside its input, its bits."""
    function = METHODS[method]
    function(*sample(200_000, dtype))  # compiles, or loads what is compiled
    labels, scores = sample(n, dtype)
    repeats = REPEATS.get(n, 3)
    sorts, calls = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        np.sort(scores)
        sorts.append(time.perf_counter() - start)
    before = resident("VmRSS")
    forget_peak()
    for _ in range(repeats):
        start = time.perf_counter()
        found = function(labels, scores)
        calls.append(time.perf_counter() - start)
    beside = resident("VmHWM") - before
    return min(sorts), min(calls), beside, (labels.nbytes + scores.nbytes) / 2**20, digest(found)


def measure(n, methods):
    """Rows of the table for one number of rows."""
    for dtype in TYPES:
        for method in methods:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                sort, seconds, beside, given, bits = pool.apply(measured, (method, n, dtype))
            row = {
                "method": method,
                "scores": dtype,
                "n": str(n),
                "seconds": f"{seconds:.3g}",
                "sorts": f"{seconds / sort:.2g}",
                "beside_mb": f"{beside:.0f}",
                "inputs": f"{beside / given:.2g}",
                "bits": bits,
                "date": date.today().isoformat(),
            }
            print(" ".join(f"{cell:>12}" for cell in row.values()), flush=True)
            yield row
