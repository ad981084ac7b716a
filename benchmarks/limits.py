"""Measure how far one machine goes: seconds and memory of methods on rows that it can hold.

Run it with ``make bench``, or ``python benchmarks/limits.py 10000000 float64`` for one number of
rows and one type, with names of methods behind it for some of them. Each method has a process of
its own, and beside the methods stands NumPy's sort of the same scores. Writes results/limits.csv,
in which a row replaces an older one of the same method, type and size, and a section of
book/speed.md.
"""

import csv
import multiprocessing
import os
import sys
import time
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import page
from large import digest, forget_peak, kept, power, put_row, resident, write

import calib
from calib import metrics
from calib.kernels.fast import keys as fast_keys
from calib.kernels.ties import ties
from calibkit import inference
from calibkit.datasets import LAWS

RESULTS = Path(__file__).resolve().parents[1] / "results"
TABLE, THREADS = RESULTS / "limits.csv", RESULTS / "threads.csv"
HEADING = "## As many rows as fit"
SIZES = [10**7, 10**8]
TYPES = ["float64", "float32"]
SEED = 27
KEYS = ["method", "scores", "n"]
SORT = "NumPy's sort"
MOST_REPEATED = 10**6  # rows; with more each call is made once
PIECE = 10**6
SOME = 200_000  # rows that compile the functions, or load what is compiled
GRID = np.linspace(0, 1, 1001)
MOST_SORTS, MOST_INPUTS = 3, 4
SLOW = {  # why
    "ENIR": "ENIR merges as many bins as there are scores, each time the two that meet next",
    "Platt scaling": "Platt scaling takes an exponential of each row in each step",
    "beta calibration": (
        "beta calibration takes two logarithms of each row, and an exponential in each step"
    ),
    "average": "the average fits each of five members twice, and their weights",
}
WIDE = {
    "ENIR": "ENIR has for each bin its neighbours, the end of its life and a place in a tournament",
    "BBQ": "BBQ has running sums of the rows and of the positives",
    "average": "the average has the sorted rows, their weights in a fold, and the fit of a member",
}


def learned(calibrator):
    """A function that fits it and says what it predicts on a grid."""
    return lambda z, p: calibrator.fit(p, z).predict(GRID)


def measured_by(measure, **options):
    """A function that evaluates a measure."""
    return lambda z, p: (measure(z, p, **options),)


METHODS = {
    SORT: lambda z, p: np.sort(p)[:: p.size // 1000],
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
    "Kuiper error": measured_by(inference.kuiper_error),
}


def sample(n, dtype):
    """Labels and continuous scores by the over-confident law, made in pieces."""
    scores, labels = np.empty(n, dtype), np.empty(n, np.uint8)
    for start in range(0, n, PIECE):
        here = slice(start, min(start + PIECE, n))
        rng = np.random.default_rng([SEED, start])
        scores[here], labels[here] = LAWS["overconfident"].sample(here.stop - start, rng)
    return labels, scores


def save(n, dtype, folder):
    """Write the sample into a folder."""
    for name, column in zip(("labels", "scores"), sample(n, dtype), strict=True):
        np.save(folder / f"{name}.npy", column)


def measured(method, folder):
    """Seconds, megabytes beside those of the input, and bits, in this process."""
    labels, scores = (np.load(folder / f"{name}.npy") for name in ("labels", "scores"))
    METHODS[method](labels[:SOME].copy(), scores[:SOME].copy())
    before, seconds = resident("VmRSS"), []
    forget_peak()
    for _ in range(3 if labels.size <= MOST_REPEATED else 1):
        start = time.perf_counter()
        found = METHODS[method](labels, scores)
        seconds.append(time.perf_counter() - start)
    given = (labels.nbytes + scores.nbytes) / 2**20
    return min(seconds), resident("VmHWM") - before, given, digest(found)


def measure(n, dtype, methods):
    """Rows of the table for one number of rows."""
    with kept(f"{dtype}-{n}", partial(save, n, dtype)) as folder:
        for method in methods:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                seconds, beside, given, bits = pool.apply(measured, (method, folder))
            row = {
                "method": method,
                "scores": dtype,
                "n": str(n),
                "seconds": f"{seconds:.3g}",
                "beside_mb": f"{beside:.0f}",
                "inputs": f"{beside / given:.2g}",
                "bits": bits,
                "date": date.today().isoformat(),
            }
            print(" ".join(f"{cell:>12}" for cell in row.values()), flush=True)
            yield row


def place_of(keys, names=tuple(METHODS)):
    """Where a row stands in the table, by its name, type and size."""
    name, dtype, n = keys
    return int(n), TYPES.index(dtype), names.index(name)


def in_threads():
    """How sorting and grouping scores in two threads compares with one, by size."""
    fast_keys.MIN_ROWS_FOR_TWO_THREADS, rows = 0, []
    for n in (10**5, 10**6, 10**7):
        labels, scores = sample(n, "float64")
        taken = {1: [], 2: []}
        for _ in range(5):
            found = {}
            for fast_keys.threads, seconds in taken.items():
                start = time.perf_counter(), time.process_time()
                groups = ties(scores, labels)
                end = time.perf_counter(), time.process_time()
                seconds.append([e - s for e, s in zip(end, start, strict=True)])
                found[fast_keys.threads] = digest(groups)
            assert found[1] == found[2]
        one, two = (np.min(seconds, axis=0) for seconds in taken.values())
        gain, work = one / two
        load = f"{os.getloadavg()[0]:.1f}"
        row = {"n": str(n), "seconds": f"{one[0]:.3g}", "gain": f"{gain:.2f}"}
        rows.append(row | {"work": f"{1 / work:.2f}", "load": load})
    return rows


def in_units(rows):
    """Of each row the time in sorts, and the memory in inputs."""
    sort = {(r["scores"], r["n"]): float(r["seconds"]) for r in rows if r["method"] == SORT}
    return [(float(r["seconds"]) / sort[r["scores"], r["n"]], float(r["inputs"])) for r in rows]


def beyond(rows, dtype):
    """Methods that take more than 3 sorts at some size, and those that take more than 4 inputs."""
    found = {}, {}  # the keys of a dictionary are in order
    for row, units in zip(rows, in_units(rows), strict=True):
        for methods, unit, most in zip(found, units, (MOST_SORTS, MOST_INPUTS), strict=True):
            if row["scores"] == dtype and unit > most:
                methods[row["method"]] = None
    return [list(methods) for methods in found]


def listed(methods):
    """Names in a sentence."""
    *first, last = methods
    return f"{', '.join(first)} and {last}" if first else last


def section():
    """The section of the page, from the table."""
    rows = list(csv.DictReader(TABLE.read_text().splitlines()))
    slow, wide = beyond(rows, "float64")
    slow_narrow, wide_narrow = beyond(rows, "float32")
    others = [m for m in METHODS if m not in [SORT, *wide_narrow]]
    lines = [
        HEADING,
        "",
        "Continuous scores and labels of one byte, in memory; written by `make bench`. Sorts: time",
        "by that of NumPy's sort of the same scores. Inputs: most memory beside the input, in",
        "multiples of it (9 bytes a row, 5 with scores of `float32`). The processor has AVX-512,",
        "which NumPy's sort uses.",
        "",
        f"With `float64` these need more than {MOST_SORTS} sorts:",
        "",
        *(f"* {SLOW[m]}" for m in slow),
        "",
        f"These need more than {MOST_INPUTS} inputs:",
        "",
        *(f"* {WIDE[m]}" for m in wide),
        "",
        f"With `float32` NumPy sorts half as many bytes, so more than {MOST_SORTS} sorts are",
        f"needed by {listed(slow_narrow)}. At most {MOST_INPUTS} inputs are needed by",
        f"{listed(others)}.",
        "What only groups the scores makes no copy of them in `float64`, but it sorts numbers of 8",
        "bytes, and has three of 8 bytes for each distinct score; what computes with the scores",
        "does so in `float64`.",
        "",
        "| method | scores | rows | seconds | sorts | inputs |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for r, (sorts, _) in zip(rows, in_units(rows), strict=True):
        cells = [r["method"], r["scores"], power(r["n"]), r["seconds"], f"{sorts:.2g}", r["inputs"]]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        f"Without weights, {fast_keys.MIN_ROWS_FOR_TWO_THREADS:,} scores or more are sorted in two "
        "threads, to",
        "the same bits; `NUMBA_NUM_THREADS=1` switches that off. Seconds: of one thread. Work: the",
        "processor time of two threads divided by the processor time of one thread. Gain means",
        "little on a busy machine (load).",
        "",
        "| rows | seconds | gain | work | load |",
        "|---:|---:|---:|---:|---:|",
    ]
    for r in csv.DictReader(THREADS.read_text().splitlines()):
        cells = [power(r["n"]), r["seconds"], r["gain"], r["work"], r["load"]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def asked():
    """The size and type of the command line, or all pairs."""
    sizes = [int(argument) for argument in sys.argv[1:2]] or SIZES
    return [(n, dtype) for n in sizes for dtype in sys.argv[2:3] or TYPES]


def main():
    """Measure the size, type and methods of the command line, or all."""
    for n, dtype in asked():
        for row in measure(n, dtype, sys.argv[3:] or list(METHODS)):
            put_row(TABLE, row, KEYS, place_of)
    if not sys.argv[1:]:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            write(THREADS, pool.apply(in_threads))
    page.put(HEADING, section())


if __name__ == "__main__":
    main()
