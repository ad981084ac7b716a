"""Measure `calibkit.deployment.many_rows`: exact measures and maps of up to 10^9 rows in memory.

python benchmarks/many_rows.py                      10^7 and 10^8 rows
python benchmarks/many_rows.py 1000000000 float32   one number of rows and one type

Each function has a process of its own. Its result for 10^7 rows is compared, to the last bit, with
the result of `calib`, which sorts all rows at once. Writes results/many_rows.csv, in which a row
replaces an older one of the same function, type and size, and a section of book/speed.md.
"""

import csv
import multiprocessing
import os
import time
from datetime import date
from functools import partial

import numpy as np
import page
from large import digest, forget_peak, kept, power, put_row, resident
from limits import GRID, METHODS, RESULTS, SOME, asked, place_of, save

import calib
import calibkit.deployment.many_rows as ranges

TABLE = RESULTS / "many_rows.csv"
HEADING = "## Rows sorted in ranges"
KEYS = ["function", "scores", "n"]
MOST_COMPARED = 10**7  # rows that `calib` is given, too


def isotonic(rows):
    """Predictions of isotonic regression on a grid."""
    return calib.IsotonicCalibrator().fit_counts(*ranges.isotonic_counts(rows)).predict(GRID)


FUNCTIONS = {  # with the names that `limits.METHODS` has for the same result
    "AUC": lambda rows: (ranges.roc_auc_score(rows),),
    "Kuiper error": lambda rows: (ranges.kuiper_error(rows),),
    "ECE": lambda rows: (ranges.expected_calibration_error(rows),),
    "histogram": lambda rows: ranges.histogram_binning(rows).predict(GRID),
    "isotonic regression": isotonic,
    "Venn-Abers": lambda rows: ranges.venn_abers(rows).predict(GRID),
}


def measured(name, folder):
    """Seconds, processor seconds, memory beside the input in inputs, and bits."""
    labels, scores = (np.load(folder / f"{column}.npy") for column in ("labels", "scores"))
    found = FUNCTIONS[name]
    found(ranges.rows_in_memory(scores[:SOME].copy(), labels[:SOME].copy()))
    before = resident("VmRSS")
    forget_peak()
    start, work = time.perf_counter(), time.process_time()
    result = found(ranges.rows_in_memory(scores, labels))
    seconds, work = time.perf_counter() - start, time.process_time() - work
    given = (labels.nbytes + scores.nbytes) / 2**20
    beside = (resident("VmHWM") - before) / given
    same = ""
    if labels.size <= MOST_COMPARED:
        same = "yes" if digest(result) == digest(METHODS[name](labels, scores)) else "no"
    return seconds, work, beside, digest(result), same


def measure(n, dtype):
    """Rows of the table for one number of rows and one type."""
    with kept(f"{dtype}-{n}", partial(save, n, dtype)) as folder:
        for name in FUNCTIONS:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                seconds, work, beside, bits, same = pool.apply(measured, (name, folder))
            row = {
                "function": name,
                "scores": dtype,
                "n": str(n),
                "seconds": f"{seconds:.3g}",
                "ns_a_row": f"{1e9 * work / n:.3g}",
                "inputs": f"{beside:.2g}",
                "bits": bits,
                "same": same,
                "load": f"{os.getloadavg()[0]:.1f}",
                "date": date.today().isoformat(),
            }
            print(" ".join(f"{cell:>12}" for cell in row.values()), flush=True)
            yield row


def section():
    """The section of the page, from the table."""
    rows = list(csv.DictReader(TABLE.read_text().splitlines()))
    lines = [
        HEADING,
        "",
        "{py:mod}`calibkit.deployment.many_rows` sorts continuous scores in memory, a range after",
        "the other, in two threads. *Work* is processor time in nanoseconds a row. *Inputs* is the",
        "most memory besides the input, in multiples of it. *Same* says whether `calib`, which",
        "sorts all rows at once, gives the same bits. We compared up to "
        f"{power(str(MOST_COMPARED))} rows.",
        "The processor has AVX-512.",
        "",
        "| function | scores | rows | seconds | work | inputs | same | load |",
        "|---|---|---:|---:|---:|---:|---|---:|",
    ]
    for r in rows:
        numbers = [r[key] for key in ("seconds", "ns_a_row", "inputs", "same", "load")]
        cells = [r["function"], r["scores"], power(r["n"]), *numbers]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def main():
    """Measure the size and type of the command line, or all."""
    place = partial(place_of, names=tuple(FUNCTIONS))
    for n, dtype in asked():
        for row in measure(n, dtype):
            put_row(TABLE, row, KEYS, place)
    page.put(HEADING, section())


if __name__ == "__main__":
    main()
