"""Record a long experiment row by row, with its provenance; resume it where it was interrupted."""

import csv
import datetime
import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

RESULTS = Path(__file__).resolve().parents[2] / "results"
_SECONDS_BETWEEN_WRITES = 5.0


@dataclass(frozen=True)
class Experiment:
    """An experiment: independent cases, each of which yields rows of results.

    Attributes
    ----------
    name : str
        Name of the files in the folder of results.
    title : str
        One line for people.
    seed : int
        Seed from which every case derives its own generator.
    cases : callable
        No arguments; returns a list of dicts of str or int, the key columns of a case.
    run_case : callable
        From one case to a list of dicts, its rows: pure, so that any worker may run it.
    deviations : tuple of str
        Where the protocol differs from the paper's, a sentence each.
    datasets : tuple of str
        Names of the real data sets that are read.
    """

    name: str
    title: str
    seed: int
    cases: Callable
    run_case: Callable
    deviations: tuple = ()
    datasets: tuple = ()


def record(experiment, *, folder=RESULTS, n_jobs=None, cases=None):
    """Run the cases that are not recorded yet and write ``<name>.csv`` and ``<name>.json``.

    Rows are written every few seconds and whenever the run ends, also by an interruption, in the
    order of the cases, whatever the order in which workers finish.

    Parameters
    ----------
    experiment : Experiment
    folder : path, default: the folder ``results`` beside the package
    n_jobs : int, optional
        For `joblib.Parallel`; by default that of the active `joblib.parallel_config`, whose
        backend is used too.
    cases : list of dict, optional
        A part of the cases; by default all.

    Returns
    -------
    path : Path
        Of the CSV file.

    Raises
    ------
    ValueError
        If the recorded rows come from another seed or have other columns.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    table, about = folder / f"{experiment.name}.csv", folder / f"{experiment.name}.json"
    everything = experiment.cases()
    keys = list(everything[0])
    done = _read_cases(table, keys)
    earlier = _earlier_seconds(about, experiment, done)
    todo = [c for c in (everything if cases is None else cases) if _key(c, keys) not in done]
    start = written = time.monotonic()

    def write():
        _write_table(table, [row for c in everything for row in done.get(_key(c, keys), [])])
        seconds = earlier + time.monotonic() - start
        _write_json(about, _provenance(experiment, sum(map(len, done.values())), seconds))

    workers = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    try:
        for count, (case, rows) in enumerate(
            workers(delayed(_run)(experiment.run_case, case) for case in todo), start=1
        ):
            done[_key(case, keys)] = [_formatted({**case, **row}) for row in rows]
            if time.monotonic() - written > _SECONDS_BETWEEN_WRITES:
                write()
                written = time.monotonic()
                print(f"{experiment.name}: {count} of {len(todo)} cases", file=sys.stderr)
    finally:
        if todo:
            write()
    return table


def recorded(name, *, folder=RESULTS):
    """Columns of a recorded experiment as a dict of arrays; numbers become float64.

    Examples
    --------
    >>> rows = recorded("naeini2014_rings")
    >>> sorted(set(rows["svm"].tolist()))
    ['linear', 'quadratic']
    """
    path = Path(folder) / f"{name}.csv"
    if not path.exists():
        raise FileNotFoundError(
            f"no recorded results {path.name} in the folder {path.parent.name}: "
            f"run python -m calib.experiments {name}"
        )
    return read_table(path)


def read_table(path):
    """Columns of any CSV file as a dict of arrays; columns of numbers become float64."""
    rows = _read_rows(Path(path))
    return {key: _as_numbers([row[key] for row in rows]) for key in rows[0]}


def _run(run_case, case):
    return case, run_case(case)


def _key(row, keys):
    return tuple(str(row[key]) for key in keys)


def _formatted(row):
    return {
        key: f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
        for key, value in row.items()
    }


def _read_rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _read_cases(table, keys):
    """Recorded rows by case."""
    done = {}
    if table.exists():
        for row in _read_rows(table):
            if not set(keys) <= set(row):
                raise ValueError(
                    f"{table.name} has columns {list(row)} but the experiment has the keys {keys}: "
                    "move the file away to record it anew"
                )
            done.setdefault(_key(row, keys), []).append(row)
    return done


def _earlier_seconds(about, experiment, done):
    if not done:
        return 0.0
    if not about.exists():
        raise ValueError(
            f"{about.name} is missing beside its table: move the table away to record it anew"
        )
    recorded_before = json.loads(about.read_text())
    if recorded_before["seed"] != experiment.seed:
        raise ValueError(
            f"{about.name} was recorded with seed {recorded_before['seed']}, not "
            f"{experiment.seed}: move it and its table away to record them anew"
        )
    return recorded_before["seconds"]


def _write_table(path, rows):
    new = path.with_suffix(".new")
    with new.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(new, path)  # never a half-written table


def _write_json(path, content):
    new = path.with_suffix(".new")
    new.write_text(json.dumps(content, indent=2) + "\n")
    os.replace(new, path)


def _provenance(experiment, n_rows, seconds):
    packages = ["calib", "numpy", "scipy", "scikit-learn", "numba"]
    return {
        "title": experiment.title,
        "seed": experiment.seed,
        "rows": n_rows,
        "seconds": round(seconds, 1),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in packages},
        "data_sha256": {name: _checksum(name) for name in experiment.datasets},
        "deviations": list(experiment.deviations),
    }


def _checksum(name):
    """SHA-256 of the data file that `calib.datasets.load` reads, if it reads a file."""
    folder = os.environ.get("CALIB_DATA")
    path = Path(folder) / f"{name}.parquet" if folder else None
    if path is None or not path.exists():
        return "from OpenML"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _as_numbers(column):
    try:
        return np.array(column, dtype=np.float64)
    except ValueError:
        return np.array(column)
