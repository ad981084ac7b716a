"""Measure calib against its peers, in one run on one thread, beside one sort of the scores.

Run it with ``make bench``, or ``python benchmarks/run.py WORD ...`` for the tasks whose name holds
one of the words. Every figure is processor time, the median of several calls after a warm-up, so
that other programs on the machine disturb it little. A method is not tried at a size where, by its
growth so far, a call would take longer than LIMIT seconds. Writes results/speed.csv after each
task, whose rows replace its older ones, and the page book/speed.md.
"""

import one_thread  # noqa: F401, I001  before NumPy is loaded

import csv
import sys
from importlib.metadata import version
from pathlib import Path

import beside_calibre
import cold_start
import large
import limits
import one_sort
import page
import several
import tasks
from faster import FASTER, NOTHING, ahead
from timing import LIMIT, SIZES, as_text, measure, sort_seconds

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "results" / "speed.csv"
SHOWN = SIZES[1:]
TASKS = tasks.TASKS | several.TASKS
PACKAGES = [
    *["calibrating-binary-classifiers", "numpy", "scipy", "scikit-learn", "numba"],
    *["netcal", "relplot", "probmetrics", "probcal", "betacal", "splinecalib", "venn-abers"],
    *["mapie", "model-diagnostics", "duckdb", "polars", "polars-ds", "torchmetrics"],
]


def recorded():
    """The rows that are written, by task."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["task"]: [r for r in rows if r["task"] == row["task"]] for row in rows}


def milliseconds(seconds):
    """A time for the page, or a dash where it was not tried."""
    if not seconds:
        return "-"
    value = 1000 * float(seconds)
    if float(seconds) < NOTHING:  # a measure predicts nothing
        return ""
    return f"{value:.3g}" if value < 1e5 else f"{value:.0f}"


FIGURE = (
    """\
```{eval-rst}
.. _fig-speed:

.. plot:: speed_figure.py
   :alt: On a logarithmic scale, in a row for each task, a circle for calib and squares for others.
   :caption: A fit and a prediction on 100,000 scores. In most tasks calib is the fastest.
```
""".splitlines()
    + [""]
)


def write_page(tables, versions, notes):
    """The page of the book, from the rows of each task."""
    lines = [
        "# Speed",
        "",
        "Median milliseconds of processor time on one thread, written by `make bench`, each table",
        "in a single run: fit on $N$ points, predict $N$ others (a measure: evaluate). A dash: a",
        f"call was expected to take more than {LIMIT:.0f} seconds. The last column counts one",
        "`np.sort` of the $10^6$ continuous scores in the same run as 1.",
        "",
        f"The processor: {one_sort.processor()}. NumPy's sort is several times faster on a",
        "processor with AVX2 or AVX-512 than on others, so the last column holds for this kind of",
        "processor. The section *In units of one sort* has both kinds.",
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
            + " | sorts |",
            "|---|" + "---:|" * (2 * len(SHOWN) + 1),
        ]
        for method in dict.fromkeys(row["method"] for row in rows):
            own = {int(row["n"]): row for row in rows if row["method"] == method}
            cells = [milliseconds(own[n][what]) for n in SHOWN for what in ["fit", "predict"]]
            lines.append(f"| {method} | " + " | ".join(cells) + f" | {sorts(own[SIZES[-1]])} |")
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
    page.put(one_sort.HEADING, one_sort.section())
    cold_start.write_section()


def sorts(row):
    """How many times one sort a fit and a prediction take."""
    if not row["fit"]:
        return "-"
    return f"{(float(row['fit']) + float(row['predict'])) / float(row['sort']):.2g}"


def main(words):
    """Measure the tasks that hold one of the words, or all; write the table and the page."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    notes = {task: note() for task, note in tasks.NOTES.items()}
    unit = sort_seconds()
    tables = recorded()
    for task, methods in TASKS.items():
        if not words or any(word in task for word in words):
            rows = [row for name, make in methods.items() for row in measure(task, name, make)]
            tables[task] = [as_text(row, unit) for row in rows]
            record(tables)
    if not words or any("Python 3.12".startswith(word) for word in words):
        tables |= beside_calibre.measured()
        record(tables)
    write_page(recorded(), versions, notes)


def record(tables):
    """Write the table."""
    in_order = sorted(tables, key=[*TASKS, *tables].index)
    with TABLE.open("w", newline="") as file:
        columns = ["task", "method", "n", "fit", "predict", "sort"]
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for task in in_order for row in tables[task])


if __name__ == "__main__":
    main(sys.argv[1:])
