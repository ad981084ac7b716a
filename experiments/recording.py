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
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from calib import __version__
from calibkit.datasets import DatasetNotFound

RESULTS = Path(__file__).resolve().parents[1] / "results"
_SECONDS_BETWEEN_REPORTS = 5.0
_OTHER_COMMANDS = {"cost": "python benchmarks/cost.py"}


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
        Names of the real data sets that are read. A case that names some of them needs these, one
        that names none needs all.
    accelerator : str
        The accelerator that drew random numbers for the record, which no processor can draw again.
        By default none.
    """

    name: str
    title: str
    seed: int
    cases: Callable
    run_case: Callable
    deviations: tuple = ()
    datasets: tuple = ()
    accelerator: str = ""


def grid(**values):
    """Cases for all combinations of values, the last keyword varying fastest.

    Examples
    --------
    >>> grid(svm=["linear"], run=range(2))
    [{'svm': 'linear', 'run': 0}, {'svm': 'linear', 'run': 1}]
    """
    return [dict(zip(values, case, strict=True)) for case in product(*values.values())]


def record(experiment, *, folder=None, n_jobs=None, cases=None):
    """Run the cases that are not recorded yet and write ``<name>.csv`` and ``<name>.json``.

    Rows are written after each case, so that a run that is killed loses the cases in hand and no
    other. They stand in the order of the cases, whatever the order in which workers finish. Cases
    whose data are missing are left out; where no other is left to run, nothing is written.

    Parameters
    ----------
    experiment : Experiment
    folder : path, optional
        By default the folder ``results`` of the clone.
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
    DatasetNotFound
        If data are missing, after all other cases are recorded. The message says which, and how
        to get them.
    ValueError
        If the recorded rows come from another seed or have other columns.
    """
    folder = _results(folder)
    table, about = folder / f"{experiment.name}.csv", folder / f"{experiment.name}.json"
    everything = experiment.cases()
    keys = list(everything[0])
    done = _read_cases(table, keys)
    earlier = _earlier(about, experiment, done)
    todo = [c for c in (everything if cases is None else cases) if _key(c, keys) not in done]
    new, sources, missing = 0, {}, {}
    start = reported = time.monotonic()
    for case, rows in _run_all(experiment, todo, n_jobs, missing):
        needs = _needs(experiment, case)
        sources |= {name: _source(name, earlier) for name in needs if name not in sources}
        done[_key(case, keys)] = [_formatted({**case, **row}) for row in rows]
        new += 1
        folder.mkdir(parents=True, exist_ok=True)
        seconds = earlier["seconds"] + time.monotonic() - start
        read = earlier["data_sha256"] | sources
        # the provenance first: a table without it could not be resumed
        _write_json(about, _provenance(experiment, sum(map(len, done.values())), seconds, read))
        _write_table(table, [row for c in everything for row in done.get(_key(c, keys), [])])
        if time.monotonic() - reported > _SECONDS_BETWEEN_REPORTS:
            reported = time.monotonic()
            print(f"{experiment.name}: {new} of {len(todo)} cases", file=sys.stderr)
    if missing:
        left_out = f"{len(todo) - new} of {len(todo)} cases left out, for want of data"
        raise DatasetNotFound("\n  ".join([left_out, *missing.values()]))
    return table


def n_missing(experiment, *, folder=None):
    """Number of cases that are not recorded, and of all.

    Raises
    ------
    DatasetNotFound
        If the cases depend on data that are not there.
    """
    everything = experiment.cases()
    keys = list(everything[0])
    done = _read_cases(_results(folder) / f"{experiment.name}.csv", keys)
    return sum(_key(case, keys) not in done for case in everything), len(everything)


def recorded_cases(experiment, *, folder=None):
    """The cases that are recorded, and for each its rows as they stand in the file."""
    everything = experiment.cases()
    keys = list(everything[0])
    done = _read_cases(_results(folder) / f"{experiment.name}.csv", keys)
    return [(case, done[_key(case, keys)]) for case in everything if _key(case, keys) in done]


def computed_rows(experiment, case):
    """The rows of a case computed anew, as they would stand in the file."""
    return [_formatted({**case, **row}) for row in experiment.run_case(case)]


def recorded(name, *, folder=None):
    """Columns of a recorded experiment as a dict of arrays; numbers become float64.

    Examples
    --------
    >>> rows = recorded("naeini2014_rings")
    >>> sorted(set(rows["svm"].tolist()))
    ['linear', 'quadratic']
    """
    path = _results(folder) / f"{name}.csv"
    command = _OTHER_COMMANDS.get(name, f"python -m experiments {name}")
    if not path.exists():
        raise FileNotFoundError(
            f"no recorded results {path.name} in the folder {path.parent.name}: run {command}"
        )
    return read_table(path, remedy=f"move it away and run {command}")


def read_table(path, *, remedy="fetch it anew"):
    """Columns of any CSV file as a dict of arrays; columns of numbers become float64."""
    path = Path(path)
    rows = _read_rows(path)
    if not rows:
        raise ValueError(f"{path.name} in the folder {path.parent.name} has no rows: {remedy}")
    return {key: _as_numbers([row[key] for row in rows]) for key in rows[0]}


def _results(folder):
    """The folder of results, by default that of the clone: no signature shows where that is."""
    return RESULTS if folder is None else Path(folder)


def _run_all(experiment, cases, n_jobs, missing):
    """Cases and their rows as they get done; `missing` takes up what the others lack."""
    # One case at a time, drawn when a worker is free: what was not found is not looked for again.
    workers = Parallel(
        n_jobs=n_jobs, pre_dispatch="n_jobs", batch_size=1, return_as="generator_unordered"
    )
    tasks = (
        delayed(_run)(experiment.run_case, case)
        for case in cases
        if _needs(experiment, case) not in missing
    )
    for case, rows in workers(tasks):
        if isinstance(rows, DatasetNotFound):
            missing[_needs(experiment, case)] = str(rows)
        else:
            yield case, rows


def _run(run_case, case):
    """The case with its rows, or with the error that names the data that it lacks."""
    try:
        return case, run_case(case)
    except DatasetNotFound as error:
        return case, error


def _needs(experiment, case):
    """Names of the data sets that a case reads."""
    named = tuple(name for name in experiment.datasets if name in case.values())
    return named or experiment.datasets


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


def _earlier(about, experiment, done):
    """Provenance of the rows that are recorded already."""
    if not done:
        return {"seconds": 0.0, "data_sha256": {}}
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
    return recorded_before


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


def _provenance(experiment, n_rows, seconds, sources):
    packages = ["numpy", "scipy", "scikit-learn", "numba"]
    return {
        "title": experiment.title,
        "seed": experiment.seed,
        "rows": n_rows,
        "seconds": round(seconds, 1),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "packages": {"calib": __version__} | {name: version(name) for name in packages},
        "data_sha256": {name: sources[name] for name in experiment.datasets if name in sources},
        "deviations": list(experiment.deviations),
    }


def _source(name, earlier):
    """Where a data set comes from; rows of one table must not rest on two versions of it."""
    source = _checksum(name)
    before = earlier["data_sha256"].get(name, source)
    if before != source:
        raise ValueError(
            f"the recorded rows rest on {name!r} {before}, this run reads it {source}: name the "
            "folder with the former in CALIB_DATA, or move the table away to record it anew"
        )
    return source


def _checksum(name):
    """SHA-256 of the data file that `calibkit.datasets.load` reads, if it reads a file."""
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
