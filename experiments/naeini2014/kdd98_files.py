"""The original files of KDD Cup 1998: read and checked, or imitated where they are not at hand."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from calibkit.datasets import DatasetNotFound
from experiments.naeini2014.data import Mailing

NUMBERS = (
    "ODATEDW AGE INCOME WEALTH1 WEALTH2 HIT MALEMILI MALEVET VIETVETS WWIIVETS LOCALGOV STATEGOV "
    "FEDGOV CARDPROM NUMPROM CARDPM12 NUMPRM12 RAMNTALL NGIFTALL CARDGIFT MINRAMNT MAXRAMNT "
    "LASTGIFT LASTDATE FISTDATE TIMELAG AVGGIFT"
).split()
CLASSES = (
    "STATE NOEXCH RECINHSE RECP3 RECPGVG RECSWEEP DOMAIN HOMEOWNR GENDER PEPSTRFL RFA_2 RFA_3 "
    "RFA_4 RFA_6 RFA_8 RFA_12 RFA_16 MDMAUD_R MDMAUD_F MDMAUD_A CLUSTER GEOCODE2"
).split()
TARGETS = ["TARGET_B", "TARGET_D"]
PUBLISHED_ROWS = (95_412, 96_367)
_FILES = ("cup98LRN.txt", "cup98VAL.txt", "valtargt.txt")


def original_files(folder):
    """Paths of the three files in `folder`, or DatasetNotFound that names the missing ones."""
    paths = [Path(folder) / name for name in _FILES]
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        raise DatasetNotFound(
            f"the original KDD Cup 1998 files are needed and {', '.join(missing)} not found: "
            "download them from the UCI KDD archive and put them into the folder that the "
            "environment variable CALIB_DATA names"
        )
    return paths


def read_files(folder, *, rows=PUBLISHED_ROWS):
    """Read the learning file and the validation file with its targets.

    Parameters
    ----------
    folder : path
        Holds ``cup98LRN.txt``, ``cup98VAL.txt`` and ``valtargt.txt``: comma-separated, one header
        line, blanks where nothing is known.
    rows : pair of int
        Numbers of rows that the two files must have.

    Returns
    -------
    learning, validation : Mailing

    Raises
    ------
    DatasetNotFound
        If a file is not there.
    ValueError
        If a file lacks a column or a row, has a row of the wrong width, a number that is none,
        targets that contradict each other, or if people of the validation file and targets are not
        the same. The message names the file.
    """
    learning_path, validation_path, targets_path = original_files(folder)
    used = [*NUMBERS, *CLASSES]
    learning = _table(learning_path, ["CONTROLN", *used, *TARGETS], rows[0])
    validation = _table(validation_path, ["CONTROLN", *used], rows[1])
    targets = _table(targets_path, ["CONTROLN", *TARGETS], rows[1])
    people, known = set(validation["CONTROLN"]), set(targets["CONTROLN"])
    if people != known:
        raise ValueError(
            f"{targets_path.name} does not match {validation_path.name}: {len(people - known)} "
            f"CONTROLN without targets, {len(known - people)} targets without a person: take both "
            "files from the same source"
        )
    gifts = pd.Series(_gifts(targets, targets_path.name), index=targets["CONTROLN"])
    return (
        Mailing(_attributes(learning, learning_path.name), _gifts(learning, learning_path.name)),
        Mailing(
            _attributes(validation, validation_path.name),
            gifts.loc[validation["CONTROLN"]].to_numpy(),
        ),
    )


def _table(path, columns, n_rows):
    """Columns of a file as strings without blanks."""
    with path.open(encoding="latin-1") as file:
        header = file.readline().rstrip("\r\n").split(",")
        missing = [name for name in columns if name not in header]
        if missing:
            raise ValueError(
                f"{path.name} lacks the columns {', '.join(missing)}: take the file as it is in "
                "the UCI KDD archive, with its header"
            )
        n_found = 0
        for n_found, line in enumerate(file, start=1):
            if line.count(",") != len(header) - 1:
                raise ValueError(
                    f"{path.name}, line {n_found + 1} has {line.count(',') + 1} fields but the "
                    f"header has {len(header)}: the file is damaged, fetch it again"
                )
    if n_found != n_rows:
        raise ValueError(
            f"{path.name} has {n_found} rows but {n_rows} were expected: the file is not complete "
            "or not the original, fetch it again"
        )
    table = pd.read_csv(
        path,
        usecols=columns,
        dtype=str,
        keep_default_na=False,
        quoting=csv.QUOTE_NONE,
        encoding="latin-1",
    )
    table = table.apply(lambda column: column.str.strip())
    repeated = table["CONTROLN"][table["CONTROLN"].duplicated()]
    if len(repeated):
        raise ValueError(
            f"{path.name} has CONTROLN {repeated.iloc[0]} more than once: the file is damaged, "
            "fetch it again"
        )
    return table


def _attributes(table, name):
    numbers = {column: _numbers(table[column], name, column) for column in NUMBERS}
    return pd.DataFrame({**numbers, **{column: table[column] for column in CLASSES}})


def _numbers(column, name, title):
    values = pd.to_numeric(column.replace({"": "nan", ".": "nan"}), errors="coerce")
    wrong = values.isna() & ~column.isin(["", "."])
    if wrong.any():
        raise ValueError(
            f"{name}, column {title}: {column[wrong].iloc[0]!r} is not a number; the file is "
            "damaged, fetch it again"
        )
    return values.to_numpy(np.float64)


def _gifts(table, name):
    responded, gifts = (_numbers(table[column], name, column) for column in TARGETS)
    consistent = np.where(responded == 1, gifts > 0, (responded == 0) & (gifts == 0))
    if not consistent.all():
        row = int(np.argmin(consistent))
        raise ValueError(
            f"{name}, row {row}: TARGET_B is {responded[row]:g} but TARGET_D is {gifts[row]:g}; "
            "a gift is what makes a responder: the file is damaged, fetch it again"
        )
    return gifts


def synthetic_files(folder, n, rng):
    """Write three files of the original names and form, with `n` invented people each.

    Habits are invented too, but of the kind that the real file shows: who gives often gives
    little, who gave much gives much again, and about one person in twenty responds.

    Parameters
    ----------
    folder : path
    n : int
    rng : numpy.random.Generator
    """
    folder = Path(folder)
    learning, validation = _invent(n, rng), _invent(n, rng)
    validation["CONTROLN"] += n
    targets = ["CONTROLN", *TARGETS]
    shuffled = validation[targets].iloc[rng.permutation(n)]
    tables = [learning, validation.drop(columns=TARGETS), shuffled]
    for name, table in zip(_FILES, tables, strict=True):
        table.to_csv(folder / name, index=False, lineterminator="\r\n")


def _invent(n, rng):
    """A table with every column that is read, some blanks, and a column that nobody reads."""
    frequency = rng.integers(1, 5, n)
    habit = np.round(np.exp(rng.normal(3.5 - 0.3 * frequency, 0.5))) + 1  # dollars
    responds = rng.random(n) < 0.008 * 1.9**frequency
    gifts = np.where(responds, np.round(habit * np.exp(rng.normal(0.0, 0.3, n))) + 1, 0)
    table = {"TCODE": rng.integers(0, 3, n)}
    for column in NUMBERS:
        table[column] = rng.integers(1, 4, n).astype(object)
        table[column][rng.random(n) < 0.1] = " "
    amount = np.array(list("DEFG"))[np.searchsorted([5, 10, 25], habit)]
    for column in CLASSES:
        table[column] = rng.choice(["A", "B", " "], n)
    for column in (name for name in CLASSES if name.startswith("RFA_")):
        table[column] = [f"L{f}{a}" for f, a in zip(frequency, amount, strict=True)]
    table |= {"LASTGIFT": habit, "NGIFTALL": 2 * frequency + rng.integers(0, 3, n)}
    table |= {"CONTROLN": np.arange(1, n + 1), "TARGET_B": responds.astype(int), "TARGET_D": gifts}
    return pd.DataFrame(table)
