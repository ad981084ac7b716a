"""Measure what it takes to learn from files of many rows, by the engine that counts them.

Run it with ``make bench``, or ``python benchmarks/large.py 10000000`` for one number of rows. Files
are Parquet of 10^6 rows each, once with continuous scores and once with scores of four decimals.
Dask has two workers of one thread and 1 GB each; Spark is measured where PySpark and Java are. Of
10^9 rows DuckDB counts scores of four decimals, in 2 GB. Writes results/large.csv, in which a row
replaces an older one of the same task, scores, engine and size, and a section of book/speed.md.
The folder that the environment variable CALIB_ROWS names keeps the files for the next run.
"""

import csv
import hashlib
import multiprocessing
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path

import dask
import dask.dataframe as dd
import duckdb
import numpy as np
import page
import pandas as pd
from distributed import Client, LocalCluster

import calib
import calibkit
import calibkit.deployment.dask
from calib.metrics import roc_auc_score
from calibkit.datasets import LAWS

try:
    from pyspark.sql import SparkSession
except ImportError:  # it is large, and needs Java
    SparkSession = None

TABLE = Path(__file__).resolve().parents[1] / "results" / "large.csv"
HEADING = "## More rows than a worker holds"
ROWS_PER_FILE = 10**6
SIZES = [10**6, 10**7, 10**8, 10**9]
MOST_IN_MEMORY = 10**7
MOST_ON_DASK = 10**8
DECIMALS = {"continuous": None, "4 decimals": 4}
SEED = 14
MEMORY = "1GB"
OF_DUCKDB = "2GB"
SELECT = "SELECT score, SUM(label) AS positives, COUNT(*) AS counts FROM rows GROUP BY score"
KEYS = ["task", "scores", "engine", "n"]
FEW_ARE_SENT = [("Dask", "isotonic regression"), ("Dask", "AUC")]  # of continuous scores


def isotonic(counts):
    """The map that isotonic regression learns."""
    found = calib.IsotonicCalibrator().fit_counts(*counts).map_
    return found.scores, found.probabilities


def venn_abers(counts):
    """The map that Venn-Abers prediction learns."""
    found = calib.VennAbers().fit_counts(*counts).map_
    return found.scores, found.probabilities


def auc(counts):
    """Area under the ROC curve."""
    rows = calib.rows_of_counts(*counts)
    return (roc_auc_score(rows.labels, rows.scores, sample_weight=rows.sample_weight),)


TASKS = {"isotonic regression": isotonic, "Venn-Abers": venn_abers, "AUC": auc}
IN_MEMORY = {
    "isotonic regression": lambda y, z: calib.IsotonicCalibrator().fit(y, z).map_,
    "Venn-Abers": lambda y, z: calib.VennAbers().fit(y, z).map_,
    "AUC": lambda y, z: roc_auc_score(z, y),
}


def by_nobody(folder, task):
    """The rows themselves, read by pandas."""
    rows = pd.read_parquet(folder)
    found = IN_MEMORY[task](rows["score"], rows["label"])
    return (found,) if task == "AUC" else (found.scores, found.probabilities)


def by_pandas(folder, task):
    """Counts by ``groupby``."""
    table = pd.read_parquet(folder).groupby("score")["label"].agg(["sum", "count"])
    return TASKS[task]((table.index, table["sum"], table["count"]))


def by_duckdb(folder, task):
    """Counts by one SELECT, of files that need not be in memory together."""
    with duckdb.connect(config={"memory_limit": OF_DUCKDB}) as connection:
        connection.read_parquet(f"{folder}/*.parquet").create_view("rows")
        counts = connection.sql(SELECT).fetchnumpy()
    return TASKS[task](np.ma.getdata(column) for column in counts.values())


def by_spark(folder, task):
    """Counts by the same SELECT, in local mode."""
    session = spark()
    session.read.parquet(str(folder)).createOrReplaceTempView("rows")
    return TASKS[task](zip(*session.sql(SELECT).collect(), strict=True))


def spark():
    """The session of Spark in this process."""
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    return SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()


def by_dask(folder, task):
    """On the workers, what the task needs; from counts where that is all of them."""
    rows = dd.read_parquet(folder)
    scores, labels = rows["score"], rows["label"]
    if task == "AUC":
        return (calibkit.deployment.dask.roc_auc_score(labels, scores),)
    if task == "isotonic regression":
        return isotonic(calibkit.deployment.dask.isotonic_counts(scores, labels))
    found = calibkit.deployment.dask.venn_abers(scores, labels).map_
    return found.scores, found.probabilities


ALONE = {"none": by_nobody, "pandas": by_pandas, "DuckDB": by_duckdb, "Spark": by_spark}


@contextmanager
def kept(name, write):
    """A folder that ``write(folder)`` fills, unless a run before has."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(os.environ.get("CALIB_ROWS", temporary), name)
        if not folder.exists():
            begun = folder.with_suffix(".begun")
            begun.mkdir(parents=True, exist_ok=True)
            write(begun)
            begun.rename(folder)
        yield folder


def write_files(n, decimals, folder):
    """Parquet files of scores and labels by the over-confident law."""
    for number in range(n // ROWS_PER_FILE):
        scores, labels = LAWS["overconfident"].sample(
            ROWS_PER_FILE, np.random.default_rng([SEED, number])
        )
        scores = scores if decimals is None else scores.round(decimals)
        rows = pd.DataFrame({"score": scores, "label": labels.astype(np.uint8)})
        rows.to_parquet(folder / f"{number:04}.parquet", compression=None)


def resident(field, process="self"):
    """A field of /proc/self/status, in megabytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1]) / 1024


def forget_peak():
    """Count the peak of resident memory from here on."""
    Path("/proc/self/clear_refs").write_text("5")


def digest(columns):
    """A few letters that stand for all bits of a result."""
    return hashlib.sha256(b"".join(np.asarray(c, float).tobytes() for c in columns)).hexdigest()[:8]


def warm_up():
    """Load what the fits need, so that neither compiling nor importing is measured."""
    for task in TASKS:
        TASKS[task](([0.1, 0.2], [1, 1], [2, 2]))
        IN_MEMORY[task]([0.1, 0.2], [0, 1])


def measured(function, folder, task):
    """Seconds, peak megabytes and bits of a task in this process, reading included."""
    warm_up()
    process = "self"
    if function is by_spark:  # its memory is that of Java
        process = spark().sparkContext._gateway.proc.pid
        spark().range(10).count()
    forget_peak()
    start = time.perf_counter()
    found = function(folder, task)
    return time.perf_counter() - start, resident("VmHWM", process), digest(found)


def alone(engine, folder, task):
    """The same in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measured, (ALONE[engine], folder, task))


def on_a_cluster(_, folder, task):
    """The same on a cluster of two: megabytes of the larger worker."""
    with (
        dask.config.set({"temporary_directory": str(folder.parent)}),
        LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit=MEMORY, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(warm_up)
        client.run(forget_peak)
        seconds, _, bits = measured(by_dask, folder, task)
        return seconds, max(client.run(resident, "VmHWM").values()), bits


def measure(n, tasks):
    """Rows of the table for one number of rows."""
    engines = dict.fromkeys(ALONE, alone) | {"Dask": on_a_cluster}
    if SparkSession is None:
        del engines["Spark"]
    if n > MOST_IN_MEMORY:
        engines = {name: engines[name] for name in ["DuckDB", "Spark", "Dask"] if name in engines}
    if n > MOST_ON_DASK:
        engines = {"DuckDB": alone}
    for scores in DECIMALS:
        many = n > MOST_IN_MEMORY and scores == "continuous"
        if many and n > MOST_ON_DASK:
            continue
        write = partial(write_files, n, DECIMALS[scores])
        with kept(f"{scores.replace(' ', '-')}-{n}", write) as folder:
            for task in tasks:
                for engine, run in engines.items():
                    if many and (engine, task) not in FEW_ARE_SENT:
                        continue
                    if engine == "Spark" and scores == "continuous":
                        continue  # rows come back one by one
                    load = os.getloadavg()[0]
                    seconds, peak, bits = run(engine, folder, task)
                    print(f"{task:20} {scores:10} {engine:8} {n:10d} {seconds:8.1f} s", flush=True)
                    yield {
                        "task": task,
                        "scores": scores,
                        "engine": engine,
                        "n": str(n),
                        "seconds": f"{seconds:.3g}",
                        "peak_mb": f"{peak:.0f}",
                        "bits": bits,
                        "load": f"{load:.1f}",
                        "date": date.today().isoformat(),
                    }


def write(path, rows):
    """Write a table."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def put_row(path, row, keys, place):
    """Put a row into a table, for the old row with the same keys, and sort the rows by place."""
    old = list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []
    rows = {tuple(r[key] for key in keys): r for r in [*old, row]}
    write(path, [rows[key] for key in sorted(rows, key=place)])


def place_of(keys):
    """Where a row stands in the table."""
    task, scores, engine, n = keys
    return list(TASKS).index(task), scores, int(n), [*ALONE, "Dask"].index(engine)


def power(n):
    """A number of rows, given as text, for the page."""
    digits = n.rstrip("0")
    exponent = f"10^{{{len(n) - len(digits)}}}"
    return f"${exponent}$" if digits == "1" else f"${digits} \\cdot {exponent}$"


def times_in_memory(rows):
    """By task: how many times the time in memory Dask takes for 10^7 continuous scores."""
    seconds = {tuple(r[key] for key in KEYS): float(r["seconds"]) for r in rows}
    of = {task: [(task, "continuous", e, str(10**7)) for e in ("Dask", "none")] for task in TASKS}
    return {task: seconds[dask] / seconds[none] for task, (dask, none) in of.items()}


def section():
    """The section of the page, from the table."""
    rows = list(csv.DictReader(TABLE.read_text().splitlines()))
    times = [f"{ratio:.1f} ({task})" for task, ratio in times_in_memory(rows).items()]
    lines = [
        HEADING,
        "",
        "The tasks lead from Parquet files of $10^6$ rows to a map or a measure, reading included.",
        "The column *counted by* says which program counted the rows. With *none* the rows",
        "themselves are in memory. The others are pandas, one `SELECT` in DuckDB, which has 2 GB,",
        "or in Spark, and {ref}`calibkit.deployment.dask <on-dask>` on a `LocalCluster` of two",
        "workers, one thread and 1 GB each. The program is `make bench`. Peak: most resident",
        "memory of the process, on Dask of a worker, with Spark that of Java.",
        "Bits: equal where results are equal to the last bit. Load: how many processes wanted the",
        "processors when a task began; on a busy machine the seconds say little more than that it",
        "ends. At $10^8$ continuous scores only what needs no table of all of them.",
        "",
        f"$10^7$ rows of continuous scores take Dask {', '.join(times[:-1])} and {times[-1]} times",
        "the time in memory. No table of all of them comes to the client: for Venn-Abers the",
        "labels come in the order of the scores, for the others less. An engine that groups the",
        "rows first makes a table as long as the rows. If memory holds the rows, do not group",
        "them.",
        "",
        "| task | scores | counted by | rows | seconds | peak MB | bits | load |",
        "|---|---|---|---:|---:|---:|---|---:|",
    ]
    for row in rows:
        numbers = [row[key] for key in ("seconds", "peak_mb", "bits", "load")]
        cells = [row["task"], row["scores"], row["engine"], power(row["n"]), *numbers]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def main():
    """Measure the sizes and tasks of the command line, or all."""
    sizes = [int(argument) for argument in sys.argv[1:2]] or SIZES
    tasks = sys.argv[2:] or list(TASKS)
    for n in sizes:
        for row in measure(n, tasks):
            put_row(TABLE, row, KEYS, place_of)
    page.put(HEADING, section())


if __name__ == "__main__":
    main()
