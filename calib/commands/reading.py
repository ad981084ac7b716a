r"""Scores and labels out of a table: the columns that were asked for, checked cell by cell.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     path = Path(folder, "scores.csv")
...     _ = path.write_text("prob,outcome\n0.2,no\n0.7,yes\n")
...     read = read_scores(path, score="prob", label="outcome", positive="yes")
>>> read.scores, read.labels
(array([0.2, 0.7]), array([0, 1], dtype=uint8))
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calib.commands.tables import BLOCK_ROWS, Block, Format, InputError, open_table, short

MISSING = {"", "na", "n/a", "nan", "<na>", "null", "none"}
BINARY = {"0": 0, "1": 1, "false": 0, "true": 1}
PARTS = ("scores", "labels", "weights", "groups", "clusters")
ROLES = ("score", "label", "weight", "group", "cluster")
ABSENT = 2  # the code of a label that is missing
LACKS = "is missing: fill it in, or pass --drop-missing to leave such rows out"
MAYBE_A_CLASS = "; if it is a class, name the other one with --positive VALUE"
NO_PROBABILITY = (
    "is no probability: this needs scores in [0, 1]; run margins through a map with calib fit and "
    "calib apply first"
)


@dataclass(frozen=True, eq=False)
class Columns:
    """Which columns are read, by name or number (from 1), and how.

    Attributes
    ----------
    score : str
        Finite numbers.
    label : str, optional
        0/1 or true/false; with `positive`, two values of any kind.
    positive : str, optional
        The value of the label that is class 1.
    weight : str, optional
        Non-negative numbers.
    group, cluster : str, optional
        Any text.
    unit : bool
        Whether scores must lie in [0, 1].
    drop_missing : bool
        Whether rows with a missing cell in one of these columns are left out; they are refused
        otherwise.
    """

    score: str
    label: str | None = None
    positive: str | None = None
    weight: str | None = None
    group: str | None = None
    cluster: str | None = None
    unit: bool = False
    drop_missing: bool = False


@dataclass(frozen=True, eq=False)
class Scores:
    """Rows of a table, without those that were dropped.

    Attributes
    ----------
    scores : ndarray of shape (n,)
    labels : ndarray of uint8 of shape (n,), or None
        0 and 1.
    weights : ndarray of shape (n,), or None
    groups, clusters : ndarray of str objects of shape (n,), or None
    notes : list of str
        What was done to the rows, in sentences.
    names : dict of str
        The names of the columns, by ``"score"``, ``"label"`` and so on.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8] | None = None
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.object_] | None = None
    clusters: NDArray[np.object_] | None = None
    notes: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)


class BadCell(Exception):
    """The row of a cell that cannot be used, and what is wrong with it."""


class ScoreReader:
    """Turns the blocks of an open table into scores, labels, weights, groups and clusters.

    Parameters
    ----------
    table : Delimited or Parquet
        What `open_table` gives.
    columns : Columns
        Which columns are read.
    """

    def __init__(self, table, columns: Columns):
        asked = {role: getattr(columns, role) for role in ROLES}
        wanted = {role: str(name) for role, name in asked.items() if name is not None}
        self.table, self.columns = table, columns
        self.indices = {role: table.find(name, f"--{role}") for role, name in wanted.items()}
        _check_distinct(table, self.indices)
        self.names = {role: table.names[i] for role, i in self.indices.items()}
        self.n_dropped = 0
        self.n_rows = 0
        self._labels = _Labels(columns.positive)

    def blocks(self, size: int) -> Iterator[tuple[Block, NDArray[np.bool_], Scores]]:
        """Each block of the table, which of its rows are kept, and what these hold."""
        indices = list(self.indices.values())
        numeric = [role in ("score", "weight") for role in self.indices]
        for block in self.table.blocks(indices, numeric, size):
            self.n_rows += len(block.places)
            yield block, *self._scores(block)
        if self.n_rows == 0:
            raise InputError(f"{self.table.name} has a header and no rows: nothing can be computed")
        if "label" in self.indices:
            self._labels.check_positive(self.table, self.names["label"])
        if self.n_dropped == self.n_rows:
            raise InputError(
                f"{self.table.name}: a value is missing in each of its {self.n_rows} rows: no row "
                "is left"
            )

    def notes(self) -> list[str]:
        """What was done to the rows, in sentences."""
        if not self.n_dropped:
            return []
        rows = "1 row" if self.n_dropped == 1 else f"{self.n_dropped} rows"
        return [f"{rows} of {self.n_rows} with missing values were dropped, as --drop-missing asks"]

    def _scores(self, block):
        parsers = {
            "score": self._parse_scores,
            "label": self._labels,
            "weight": self._parse_weights,
            "group": _names,
            "cluster": _names,
        }
        values, absent = {}, {}
        for role, cells in zip(self.indices, block.columns, strict=True):
            try:
                values[role], absent[role] = parsers[role](cells)
                if not self.columns.drop_missing:
                    _refuse(absent[role], LACKS + MAYBE_A_CLASS * (role == "label"))
            except BadCell as bad:
                raise self._error(block, role, cells, *bad.args) from None
        kept = ~np.logical_or.reduce(list(absent.values()))
        self.n_dropped += int(kept.size - np.count_nonzero(kept))
        picked = [values[role][kept] if role in values else None for role in parsers]
        return kept, Scores(*picked)

    def _error(self, block, role, cells, row, fault):
        found = "" if cells[row] is None else str(cells[row])
        where = f"{self.table.name}: {self.table.place} {block.places[row]}"
        column = f"column {self.names[role]!r}"
        return InputError(f"{where}, {column}: found {short(found)!r}, which {fault}")

    def _parse_scores(self, cells):
        values, absent = self._parse_numbers(cells)
        if self.columns.unit:
            _refuse((values < 0) | (values > 1), NO_PROBABILITY)
        return values, absent

    def _parse_weights(self, cells):
        values, absent = self._parse_numbers(cells)
        _refuse(values < 0, "is negative: weights are counts of rows")
        return values, absent

    def _parse_numbers(self, cells):
        is_read = isinstance(cells, np.ndarray)
        values = cells if is_read else _numbers(cells, self.table.format.decimal)
        _refuse(np.isinf(values), "is not finite, or too large for a float")
        return values, np.isnan(values)


class _Labels:
    """From cells to classes; remembers the values that it has seen."""

    def __init__(self, positive):
        self.positive = None if positive is None else _plain(str(positive))
        self.codes = {}
        self.negative = None

    def __call__(self, cells):
        for cell in dict.fromkeys(cells):
            if cell not in self.codes:
                code = self._code(cell.strip() if self.positive is None else _plain(cell))
                if isinstance(code, str):
                    raise BadCell(cells.index(cell), code)
                self.codes[cell] = code
        labels = np.fromiter(map(self.codes.__getitem__, cells), np.uint8, len(cells))
        return labels, labels == ABSENT

    def _code(self, value):
        """Class of a value, or what is wrong with it."""
        if value == self.positive:
            return 1
        if value.lower() in MISSING:
            return ABSENT
        if self.positive is not None:
            self.negative = self.negative or value
            if value == self.negative:
                return 0
            return (
                f"is a third class beside {self.positive!r} (--positive) and {self.negative!r}: "
                "leave its rows out of the file, or write one value for all that is not positive"
            )
        try:
            return BINARY[value.lower()] if value.lower() in BINARY else {0: 0, 1: 1}[float(value)]
        except (ValueError, KeyError):
            return "is not 0/1 or true/false: name the value of class 1 with --positive VALUE"

    def check_positive(self, table, name):
        """Raise if the positive value has not come."""
        if self.positive is not None and self.positive not in map(_plain, self.codes):
            found = "no value" if self.negative is None else repr(self.negative)
            raise InputError(
                f"{table.name}: column {name!r} never holds the --positive value "
                f"{self.positive!r}; it holds {found}"
            )


def read_scores(
    path: str | Path,
    *,
    form: Format | None = None,
    progress: Callable[[int], None] | None = None,
    **columns,
) -> Scores:
    """All rows of a table, of both classes if there are labels.

    Parameters
    ----------
    path : str or path
        Delimited text, perhaps in gzip, a Parquet file, a folder of them, or ``"-"`` for standard
        input.
    form : Format, optional
        How the text is written; default: commas, points, UTF-8, with a header.
    progress : callable, optional
        Is given the number of rows read so far, after each block.
    **columns
        The attributes of `Columns`: score, label, positive, weight, group, cluster, unit,
        drop_missing.

    Returns
    -------
    read : Scores

    Raises
    ------
    InputError
        If a cell cannot be used or the labels have one class; the message says where and what to
        do.
    """
    parts = []
    with open_table(path, form or Format()) as table:
        reader = ScoreReader(table, Columns(**columns))
        for _, _, part in reader.blocks(BLOCK_ROWS):
            parts.append(part)
            if progress:
                progress(reader.n_rows)
    columns = (_joined([getattr(part, name) for part in parts]) for name in PARTS)
    read = Scores(*columns, reader.notes(), reader.names)
    _check_use(table, read)
    return read


def _joined(arrays):
    return None if arrays[0] is None else np.concatenate(arrays)


def _check_use(table, read):
    """Raise where the whole column leaves nothing to compute."""
    labels, weights = read.labels, read.weights
    if weights is not None:
        if not weights.any():
            raise InputError(f"{table.name}: column {read.names['weight']!r} is zero in every row")
        labels = None if labels is None else labels[weights > 0]
    if labels is not None and labels.min() == labels.max():
        raise InputError(
            f"{table.name}: column {read.names['label']!r} holds one class only ({labels[0]}, in "
            f"{labels.size} rows that count): rows of both classes are needed"
        )


def _check_distinct(table, indices):
    taken = {}
    for role, index in indices.items():
        if index in taken and role not in ("group", "cluster"):
            both = f"--{taken[index]} and --{role} both name the column {table.names[index]!r}"
            raise InputError(f"{table.name}: {both}: they must differ")
        taken.setdefault(index, role)


def _numbers(cells, decimal):
    """Numbers of cells, NaN for missing ones."""
    text = "".join(cells)
    if "_" in text or not text.isascii():  # both are fine for float() and wrong in a table
        wrong = ["_" in cell or not cell.isascii() for cell in cells]
        _refuse(wrong, "is no number: clean it")
    if decimal == ",":
        fault = "has a point, while --decimal says that the decimal mark is a comma"
        _refuse(["." in cell for cell in cells], fault)
        cells = [cell.replace(",", ".") for cell in cells]
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return np.array([_number(row, cell) for row, cell in enumerate(cells)])


def _number(row, cell):
    if cell.strip().lower() in MISSING:
        return np.nan
    try:
        return float(cell)
    except ValueError:
        pass
    remedy = "clean it, or name the column of the numbers"
    if any(separator in cell for separator in ";\t|"):
        remedy = "pass the --separator of the file"
    elif "," in cell:
        remedy = (
            "pass --decimal , if the comma is the decimal mark (and then --separator, often ';'); "
            "if it parts thousands, write numbers without it"
        )
    raise BadCell(row, f"is no number: {remedy}")


def _plain(value):
    """A label without blanks; whole numbers and truth as 1 is written: pandas makes 1.0 of it."""
    value = value.strip()
    whole, point, zeros = value.partition(".")
    if point and whole.removeprefix("-").isdecimal() and zeros and not zeros.strip("0"):
        return whole
    return str(BINARY.get(value.lower(), value))


def _refuse(wrong, fault):
    """Raise for the first row that is wrong, if there is one."""
    if np.any(wrong):
        raise BadCell(int(np.argmax(wrong)), fault)


def _names(cells):
    names = np.array([cell.strip() for cell in cells], object)
    return names, names == ""
