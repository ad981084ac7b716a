"""Measure `calib.dask` on files that are larger than a worker, beside the fit in memory.

Run it with ``make bench``, or ``python benchmarks/large.py 10000000`` for one number of rows. Two
workers of one thread and 1 GB each read Parquet files of 10^6 rows. Writes results/large.csv, in
which a row replaces an older one of the same task, place and size, and the last section of
book/speed.md.
"""

import csv
import multiprocessing
import os
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

import dask
import dask.dataframe as dd
import numpy as np
import page
import pandas as pd
from distributed import Client, LocalCluster

import calib
import calib.dask
from calib.datasets import LAWS

TABLE = Path(__file__).resolve().parents[1] / "results" / "large.csv"
HEADING = "## More rows than a worker holds"
ROWS_PER_FILE = 10**6
SIZES = [10**6, 10**7, 10**8]
MOST_IN_MEMORY = 10**7
SEED = 14
MEMORY = "1GB"
TASKS = {
    "nothing": lambda c, y, z: None,
    "isotonic regression": lambda c, y, z: c.IsotonicCalibrator().fit(y, z),
    "histogram, quantiles": lambda c, y, z: c.HistogramBinning().fit(y, z),
    "AUC": lambda c, y, z: c.roc_auc_score(z, y),
    "Brier score": lambda c, y, z: c.brier_score_loss(z, y),
}


def write_files(folder, n):
    """Parquet files of scores and labels by the over-confident law."""
    for number in range(n // ROWS_PER_FILE):
        scores, labels = LAWS["overconfident"].sample(
            ROWS_PER_FILE, np.random.default_rng([SEED, number])
        )
        rows = pd.DataFrame({"score": scores, "label": labels.astype(np.uint8)})
        rows.to_parquet(folder / f"{number:04}.parquet", compression=None)


def resident(field):
    """A field of /proc/self/status, in megabytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def forget_peak():
    """Count the peak of resident memory from here on."""
    Path("/proc/self/clear_refs").write_text("5")


def on_dask(folder, tasks):
    """Seconds and peak megabytes of a worker, for each task, on a cluster of two."""
    buffers = {"distributed.p2p.comm.buffer": "64 MiB", "distributed.p2p.storage.buffer": "32 MiB"}
    settings = {"temporary_directory": str(folder.parent)} | buffers
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        rows = dd.read_parquet(folder)
        client.run(compile_kernels)
        for task in tasks:
            client.run(forget_peak)
            start = time.perf_counter()
            TASKS[task](calib.dask, rows["score"], rows["label"])
            seconds = time.perf_counter() - start
            yield task, seconds, max(client.run(resident, "VmHWM").values())


def compile_kernels():
    """Load what the fits need, so that neither compiling nor importing is measured."""
    for task in TASKS.values():
        task(calib, [0.1, 0.2], [0, 1])


def in_memory(folder, tasks):
    """Seconds and peak megabytes of the same in one process, reading included."""
    for task in tasks:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            yield task, *pool.apply(read_and_run, (folder, task))


def read_and_run(folder, task):
    """One task, with the rows read by pandas."""
    compile_kernels()
    forget_peak()
    start = time.perf_counter()
    rows = pd.read_parquet(folder)
    TASKS[task](calib, rows["score"], rows["label"])
    return time.perf_counter() - start, resident("VmHWM")


def measure(n, tasks):
    """Rows of the table for one number of rows."""
    places = {"Dask": on_dask} | ({"memory": in_memory} if n <= MOST_IN_MEMORY else {})
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "rows")
        files.mkdir()
        write_files(files, n)
        for place, run in places.items():
            load = os.getloadavg()[0]
            for task, seconds, peak in run(files, tasks):
                yield {
                    "task": task,
                    "place": place,
                    "n": n,
                    "seconds": f"{seconds:.3g}",
                    "peak_mb": f"{peak:.0f}",
                    "load": f"{load:.1f}",
                    "date": date.today().isoformat(),
                }
                print(f"{task:24} {place:8} {n:10d} {seconds:8.1f} s {peak:6.0f} MB", flush=True)
                load = os.getloadavg()[0]


def record(new):
    """Write the table, with the old rows that are not measured anew."""
    old = list(csv.DictReader(TABLE.open())) if TABLE.exists() else []
    rows = {(r["task"], r["place"], int(r["n"])): r for r in [*old, *new]}
    order = sorted(rows, key=lambda key: (list(TASKS).index(key[0]), key[2], key[1]))
    with TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[order[0]]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in order)


def section():
    """The section of the page, from the table."""
    lines = [
        HEADING,
        "",
        "{ref}`calib.dask <on-dask>` on a `LocalCluster` of two workers, one thread and 1 GB each,",
        "beside the same task in one process with all rows in memory, both from Parquet files of",
        "$10^6$ rows with continuous scores, reading included; written by `make bench`. Peak: most",
        "resident memory of a worker. The task *nothing* shows what Python and its packages need,",
        "in memory with the rows that were read. Load: how many processes wanted the processors",
        "when a task began; on a busy machine the seconds say little more than that it ends.",
        "The buffers of the shuffle were set to 64 and 32 MiB: by default they may grow as large",
        "as these workers.",
        "",
        "| task | place | rows | seconds | peak MB | load |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for row in csv.DictReader(TABLE.open()):
        exponent = f"$10^{{{len(row['n']) - 1}}}$"
        cells = [row["task"], row["place"], exponent, row["seconds"], row["peak_mb"], row["load"]]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def write_section():
    """Put the section on the page, in place of the one that was there."""
    page.put(HEADING, section())


def main():
    """Measure the sizes and tasks of the command line, or all."""
    sizes = [int(argument) for argument in sys.argv[1:2]] or SIZES
    tasks = sys.argv[2:] or list(TASKS)
    for n in sizes:
        for row in measure(n, tasks):
            record([row])
    write_section()


if __name__ == "__main__":
    main()
