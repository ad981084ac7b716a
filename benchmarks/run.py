"""Measure calib against its peers, in one run on one thread, beside one argsort of the scores.

Run it with ``make bench``, or ``python benchmarks/run.py WORD ...`` for the tasks whose name holds
one of the words. Every figure is the median of several calls after a warm-up. A method is not tried
at a size where, by its growth so far, a call would take longer than LIMIT seconds. Writes
results/speed.csv after each task, whose rows replace its older ones, and the page book/speed.md.
"""

import os

for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
    os.environ[variable] = "1"  # before NumPy is loaded

import contextlib  # noqa: E402
import csv  # noqa: E402
import io  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
import warnings  # noqa: E402
from importlib.metadata import version  # noqa: E402
from pathlib import Path  # noqa: E402

import cold_start  # noqa: E402
import large  # noqa: E402
import limits  # noqa: E402
import numpy as np  # noqa: E402
import page  # noqa: E402
import several  # noqa: E402
import tasks  # noqa: E402
from faster import FASTER, ahead  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "results" / "speed.csv"
SIZES = [10**3, 10**4, 10**5, 10**6]
SHOWN = SIZES[1:]
LIMIT = 20.0
ENOUGH = 1.5  # seconds of calls for a median
TASKS = tasks.TASKS | several.TASKS
PACKAGES = [
    *["calibrating-binary-classifiers", "numpy", "scipy", "scikit-learn", "numba"],
    *["netcal", "relplot", "probmetrics", "probcal", "betacal", "splinecalib", "venn-abers"],
    *["mapie", "model-diagnostics"],
]


def sample(n, seed):
    """Scores of a Beta mixture; labels whose probability is not monotone in the score."""
    rng = np.random.default_rng(seed)
    scores = np.where(rng.random(n) < 0.5, rng.beta(0.5, 2, n), rng.beta(3, 1, n))
    labels = (rng.random(n) < 0.5 + 0.4 * np.sin(5 * scores)).astype(np.int64)
    return scores, labels


def median_seconds(call):
    """Median time of a call: seven times, fewer if it is slow."""
    times = []
    while len(times) < 7 and sum(times) < ENOUGH:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def expected_seconds(totals):
    """Seconds at ten times the last size, by the growth so far, which is at least linear."""
    if not totals:
        return 0.0
    growth = totals[-1] / totals[-2] if len(totals) > 1 else 10.0
    return totals[-1] * max(growth, 10.0)


def measure(task, name, make):
    """Rows of one method: seconds to fit and to predict at each size."""
    rows = []
    totals = []
    for n in SIZES:
        if expected_seconds(totals) > LIMIT:
            rows.append({"task": task, "method": name, "n": n, "fit": None, "predict": None})
            continue
        scores, labels = sample(n, seed=n)
        queries, _ = sample(n, seed=n + 1)
        fit, predict = make(scores, labels, queries)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what peers say about convergence is theirs
                if n == SIZES[0]:
                    model = fit()  # compiles
                    predict(model)
                first = time.perf_counter()
                model = fit()
                first = time.perf_counter() - first
                fit_seconds = first if first > ENOUGH else median_seconds(fit)
                predict_seconds = median_seconds(lambda model=model, run=predict: run(model))
        totals.append(fit_seconds + predict_seconds)
        rows.append(
            {"task": task, "method": name, "n": n, "fit": fit_seconds, "predict": predict_seconds}
        )
        line = f"{task:36} {name:44} {n:8d}  {fit_seconds:9.4f} s  {predict_seconds:9.4f} s"
        print(line, flush=True)
    return rows


def argsort_seconds():
    """Seconds of one argsort at each size: the unit of the table."""
    scores = {n: sample(n, seed=n)[0] for n in SIZES}
    return {n: median_seconds(lambda n=n: np.argsort(scores[n])) for n in SIZES}


def recorded():
    """The rows that are written, by task."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["task"]: [r for r in rows if r["task"] == row["task"]] for row in rows}


def as_text(row, sort_seconds):
    """A row for the table: three digits, and nothing where a method was not tried."""
    times = {key: "" if row[key] is None else f"{row[key]:.3g}" for key in ["fit", "predict"]}
    return {**row, **times, "argsort": f"{sort_seconds[row['n']]:.3g}"}


def milliseconds(seconds):
    """A time for the page, or a dash where it was not tried."""
    if not seconds:
        return "-"
    value = 1000 * float(seconds)
    if value < 1e-3:  # a measure predicts nothing
        return ""
    return f"{value:.3g}" if value < 1e5 else f"{value:.0f}"


FIGURE = (
    """\
```{eval-rst}
.. _fig-speed:

.. plot:: speed_figure.py
   :alt: On a logarithmic scale, in a row for each task, a circle for calib and squares for others.
   :caption: A fit and a prediction on 100,000 scores: milliseconds of calib and of other packages.
```
""".splitlines()
    + [""]
)


def write_page(tables, versions, notes):
    """The page of the book, from the rows of each task."""
    lines = [
        "# Speed",
        "",
        "Median milliseconds on one thread, written by `make bench`, each table in a single run:",
        "fit on $N$ points, predict $N$ others (a measure: evaluate). A dash: a call was expected",
        f"to take more than {LIMIT:.0f} seconds. The last column counts one `np.argsort` of",
        "$10^6$ scores in the same run as 1.",
        "",
        f"Versions: {versions}.",
        "",
        *FIGURE,
    ]
    for task, rows in tables.items():
        lines += [
            f"## {task}",
            "",
            "| method | "
            + " | ".join(f"fit {n:.0e} | predict {n:.0e}".replace("e+0", "e") for n in SHOWN)
            + " | argsorts |",
            "|---|" + "---:|" * (2 * len(SHOWN) + 1),
        ]
        for method in dict.fromkeys(row["method"] for row in rows):
            own = {int(row["n"]): row for row in rows if row["method"] == method}
            cells = [milliseconds(own[n][what]) for n in SHOWN for what in ["fit", "predict"]]
            lines.append(f"| {method} | " + " | ".join(cells) + f" | {argsorts(own[SIZES[-1]])} |")
        lines.append("")
        if task in notes:
            lines += [notes[task], ""]
        if task in FASTER:
            lines += [FASTER[task], ""]
        elif ahead(rows):
            print(f"benchmarks/faster.py does not say why others are faster: {ahead(rows)}")
    page.PAGE.write_text("\n".join(lines))
    page.put(large.HEADING, large.section())
    page.put(limits.HEADING, limits.section())
    cold_start.write_section()


def argsorts(row):
    """How many times one argsort a fit and a prediction take."""
    if not row["fit"]:
        return "-"
    return f"{(float(row['fit']) + float(row['predict'])) / float(row['argsort']):.2g}"


def main(words):
    """Measure the tasks that hold one of the words, or all; write the table and the page."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    notes = {task: note() for task, note in tasks.NOTES.items()}
    sort_seconds = argsort_seconds()
    tables = recorded()
    for task, methods in TASKS.items():
        if not words or any(word in task for word in words):
            rows = [row for name, make in methods.items() for row in measure(task, name, make)]
            tables[task] = [as_text(row, sort_seconds) for row in rows]
            record({task: tables[task] for task in TASKS if task in tables})
    write_page(recorded(), versions, notes)


def record(tables):
    """Write the table."""
    with TABLE.open("w", newline="") as file:
        columns = ["task", "method", "n", "fit", "predict", "argsort"]
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for rows in tables.values() for row in rows)


if __name__ == "__main__":
    main(sys.argv[1:])
