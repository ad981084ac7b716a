"""Measure what one sort would cost: methods in units of NumPy's sort, and sums beside plain NumPy.

Run it with ``make bench``. Every figure is processor time on one thread, the median of seven calls
after a warm-up. The script calls itself a second time with the features of the processor switched
off that NumPy's fast sorts need. Writes results/one_sort.csv and a section of book/speed.md.
"""

import one_thread  # noqa: F401, I001  before NumPy is loaded

import csv
import os
import platform
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import page
import plain
import timing
from numpy._core import _multiarray_umath as processor_of_numpy

import calib
from calib import metrics
from calibkit import inference

TABLE = Path(__file__).resolve().parents[1] / "results" / "one_sort.csv"
COLUMNS = ["method", "weights", "features", "n", "seconds", "unit", "processor"]
HEADING = "## In units of one sort"
SIZES = [10**3, 10**4, 10**5, 10**6, 10**7]
SHOWN = 10**6  # rows, where weights and features are compared
ENOUGH = 5.0  # seconds of calls for a median
SWITCHED_OFF = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"  # AVX2 and AVX-512, in NumPy's words
FEATURES = ["X86_V4", "X86_V3", "ASIMD", "SVE"]  # the best one that NumPy sorts with is named


def fitted(calibrator):
    """A function that fits it."""
    return lambda z, p, **weights: calibrator.fit(p, z, **weights)


uniform_ece = partial(metrics.expected_calibration_error, strategy="uniform")
SORTS = {  # methods that are measured in sorts, and how many sorts they aim at
    "AUC": (metrics.roc_auc_score, 2),
    "Kuiper error": (inference.kuiper_error, 2.5),
    "isotonic fit": (fitted(calib.IsotonicCalibrator()), 3),
    "histogram fit": (fitted(calib.HistogramBinning()), 3),
    "ECE, equal frequency": (metrics.expected_calibration_error, 3),
    "Venn-Abers fit": (fitted(calib.VennAbers()), 4),
    "BBQ fit": (fitted(calib.BBQ()), 8),
    "spline fit": (fitted(calib.SplineCalibrator()), 15),
    "ENIR fit": (fitted(calib.ENIR()), 25),
    "average fit": (fitted(calib.StackedCalibrator()), 150),
}
SUMS = {  # measures that sort nothing, and the same in NumPy
    "Brier score": (metrics.brier_score_loss, plain.brier),
    "log loss": (metrics.log_loss, plain.log_loss),
    "accuracy": (metrics.accuracy, plain.accuracy),
    "ECE, equal width": (uniform_ece, plain.ece_uniform),
}


def sample(n):
    """Labels, scores without ties, and weights."""
    rng = np.random.default_rng(n)
    scores = timing.mixture(rng, n)
    return rng.random(n) < 0.1 + 0.8 * scores, scores, rng.uniform(0.5, 2, n)


def best_feature():
    """The best set of instructions that NumPy may sort with, or none."""
    found = [f for f in FEATURES if processor_of_numpy.__cpu_features__.get(f)]
    return found[0] if found else "none"


def model():
    """The name of the processor, as the system gives it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if os.name == "posix" else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def measured(name, method, unit, n, weights):
    """The row of a method: its seconds, and those of its unit on the same scores."""
    labels, scores, each = sample(n)
    options = {"sample_weight": each} if weights else {}
    method(labels[:1000], scores[:1000], **{key: w[:1000] for key, w in options.items()})
    seconds = timing.median_seconds(lambda: method(labels, scores, **options), ENOUGH)
    unit_seconds = timing.median_seconds(lambda: unit(labels, scores), ENOUGH)
    return {
        "method": name,
        "weights": "yes" if weights else "no",
        "features": best_feature(),
        "n": n,
        "seconds": f"{seconds:.3g}",
        "unit": f"{unit_seconds:.3g}",
        "processor": model(),
    }


def sort(labels, scores):
    """NumPy's sort of the scores."""
    return np.sort(scores)


def measure():
    """Print the rows of all methods with the features of this process."""
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    units = {name: (method, sort) for name, (method, aim) in SORTS.items()} | SUMS
    switched_off = os.environ.get("NPY_DISABLE_CPU_FEATURES")
    for name, (method, unit) in units.items():
        for n in [SHOWN] if switched_off else SIZES:
            for weights in [False, True] if n == SHOWN and name in SORTS else [False]:
                writer.writerow(measured(name, method, unit, n, weights))
                sys.stdout.flush()


def main():
    """Measure with the features of the processor and without; write table and section."""
    rows = [",".join(COLUMNS)]
    for switched_off in ["", SWITCHED_OFF]:
        environment = os.environ | {"NPY_DISABLE_CPU_FEATURES": switched_off}
        command = [sys.executable, __file__, "here"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        rows += done.stdout.splitlines()
    TABLE.write_text("\n".join([*rows, ""]))
    page.put(HEADING, section())


def recorded():
    """Rows of the table."""
    return list(csv.DictReader(TABLE.read_text().splitlines()))


def processor():
    """The processor of the table, and its best instructions."""
    first = recorded()[0]
    return f"{first['processor']}, {in_words(first['features'])}"


def in_words(feature):
    """NumPy's name of a set of instructions, for readers."""
    return {"X86_V3": "AVX2", "X86_V4": "AVX-512", "none": "no SIMD sort"}.get(feature, feature)


def ratios(rows, name, n, **wanted):
    """The cell of a method at a size: its seconds in its unit."""
    for row in rows:
        found = {key: row[key] for key in wanted}
        if row["method"] == name and int(row["n"]) == n and found == wanted:
            return f"{float(row['seconds']) / float(row['unit']):.2g}"
    return "-"


def table_of(rows, names, aims):
    """Lines of a table with a row for each method."""
    here, off = list(dict.fromkeys(row["features"] for row in rows))
    head = [f"$10^{len(str(n)) - 1}$" for n in SIZES]
    lines = [
        f"| method | aim | {' | '.join(head)} | weights | {in_words(off)} |",
        "|---|" + "---:|" * (len(SIZES) + 3),
    ]
    for name in names:
        cells = [ratios(rows, name, n, weights="no", features=here) for n in SIZES]
        cells.append(ratios(rows, name, SHOWN, weights="yes", features=here))
        cells.append(ratios(rows, name, SHOWN, weights="no", features=off))
        lines.append(f"| {name} | {aims[name]:g} | {' | '.join(cells)} |")
    return lines


def section():
    """The section of the page, from the table."""
    rows = recorded()
    sorts = {name: aim for name, (method, aim) in SORTS.items()}
    lines = [
        HEADING,
        "",
        "Processor time on one thread by the time of one `np.sort` of the same scores, by the",
        "number of rows. The scores have no ties, the labels are Boolean. The column *weights* has",
        f"$10^{len(str(SHOWN)) - 1}$ rows with sample weights. The last column has as many rows",
        "without weights, where NumPy may not use AVX2 or AVX-512: one sort takes longer there.",
        f"The processor: {processor()}.",
        "",
        *table_of(rows, sorts, sorts),
        "",
        "Sums have the plain line of NumPy for their unit, which checks nothing. `calib` refuses",
        "NaN, scores beyond [0, 1] and labels that are none.",
        "",
        *table_of(rows, SUMS, dict.fromkeys(SUMS, 1)),
    ]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    if sys.argv[1:] == ["here"]:
        measure()
    else:
        main()
