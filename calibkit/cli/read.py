r"""Scores and labels from a table: the columns that were asked for, checked cell by cell.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     path = Path(folder, "scores.csv")
...     _ = path.write_text("prob,outcome\n0.2,no\n0.7,yes\n")
...     read = read_scores(path, score="prob", label="outcome", positive="yes")
>>> read.scores, read.labels
(array([0.2, 0.7]), array([0, 1], dtype=uint8))
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calib.base.arrays import UNIT_ROUNDING, holds_probabilities
from calibkit.cli.tables import BLOCK_ROWS, Block, Format, InputError, open_table, short

MISSING_CELLS = {"", "na", "n/a", "nan", "<na>", "null", "none"}
CODES_OF_BINARY_LABELS = {"0": 0, "1": 1, "false": 0, "true": 1}
ROLES = ("score", "label", "weight", "group", "cluster")  # roles that columns can have
CODE_OF_MISSING_LABEL = 2  # besides the classes 0 and 1
IS_MISSING = "is missing: fill it in, or pass --drop-missing to leave such rows out"
NAME_OTHER_CLASS = "; if it is a class, name the other one with --positive VALUE"
NAME_POSITIVE = "name the value of class 1 with --positive VALUE"
SPLIT_COUNTS = (
    "; if it counts the positives of a row, as clicks of impressions, write a row of label 1 with "
    "their number and one of label 0 with the number of the others, and name the numbers with "
    "--weight"
)
RUN_MARGINS_THROUGH_MAP = "run margins through a map with calib fit and calib apply first"
N_NAMED_ROWS = 3  # rows that a note names


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
        Whether scores must lie in [0, 1], up to rounding.
    for_margins : str
        The remedy for other scores, for the error.
    drop_missing : bool
        Whether rows with a missing cell in one of these columns are left out. They are refused
        otherwise.
    """

    score: str
    label: str | None = None
    positive: str | None = None
    weight: str | None = None
    group: str | None = None
    cluster: str | None = None
    unit: bool = False
    for_margins: str = RUN_MARGINS_THROUGH_MAP
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
        The changes made to the rows, in sentences.
    names : dict of str
        The names of the columns, by their roles ``"score"``, ``"label"`` and so on.
    """

    scores: NDArray[np.float64]
    labels: NDArray[np.uint8] | None = None
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.object_] | None = None
    clusters: NDArray[np.object_] | None = None
    notes: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)


class BadCell(Exception):
    """A cell that cannot be used: its row in the block, and the reason."""

    def __init__(self, row: int, fault: str):
        super().__init__(row, fault)
        self.row = row
        self.fault = fault


class Parsed(NamedTuple):
    """The values of the cells of a column, and which cells are missing."""

    values: NDArray
    missing: NDArray[np.bool_]


class Rounding:
    """Scores beyond [0, 1] by so little that it is rounding.

    Attributes
    ----------
    n_rows : int
        Number of these scores.
    most : float
        How far they lie beyond, at most.
    positions : list of int
        Lines (in Parquet rows) of the first of them.
    """

    def __init__(self):
        self.n_rows = 0
        self.most = 0.0
        self.positions = []

    def clipped(self, scores: NDArray, positions: Sequence[int], complete: NDArray) -> NDArray:
        """Return scores with those clipped that rounding brought beyond [0, 1], and count these.

        They belong to the rows of a block that are `complete`.
        """
        distances = np.maximum(-scores, scores - 1)
        if scores.size == 0 or distances.max() <= 0:
            return scores
        further = (scores < -UNIT_ROUNDING) | (scores > 1 + UNIT_ROUNDING)
        rows = np.flatnonzero((distances > 0) & ~further)
        self.n_rows += rows.size
        self.most = max(self.most, distances[rows].max(initial=0.0))
        named = rows[: N_NAMED_ROWS - len(self.positions)]
        self.positions.extend(positions[row] for row in np.flatnonzero(complete)[named])
        return np.where(further, scores, np.clip(scores, 0, 1))

    def notes(self, place: str) -> list[str]:
        """Say how many scores were clipped, and in which lines (or rows: `place`)."""
        if not self.n_rows:
            return []
        scores = "1 score lies" if self.n_rows == 1 else f"{self.n_rows} scores lie"
        named = ", ".join(f"{place} {position}" for position in self.positions)
        more = self.n_rows - len(self.positions)
        others = f" and {more} more" if more else ""
        return [
            f"{scores} beyond [0, 1] by {self.most:.2g} at most ({named}{others}): taken for "
            "rounding, and clipped"
        ]


class ScoreReader:
    """A reader that turns the blocks of a table into scores, labels, weights and so on.

    Parameters
    ----------
    table : Delimited, JSONLines or Parquet
        A table that `open_table` yields.
    columns : Columns
        Which columns are read.
    clips : bool, default=False
        Whether scores that rounding brought beyond [0, 1] are clipped, block by block.
    """

    def __init__(self, table, columns: Columns, *, clips: bool = False):
        asked = {role: getattr(columns, role) for role in ROLES}
        wanted = {role: str(name) for role, name in asked.items() if name is not None}
        self.table = table
        self.columns = columns
        self.clips = clips
        self.indices = {role: table.find(name, f"--{role}") for role, name in wanted.items()}
        _check_distinct(table, self.indices)
        self.names = {role: table.names[i] for role, i in self.indices.items()}
        self.n_dropped = 0
        self.n_rows = 0
        self.rounding = Rounding()
        self._labels = _Labels(columns.positive)

    def blocks(self, size: int) -> Iterator[tuple[Block, NDArray[np.bool_], Scores]]:
        """Yield each block, a mask of its rows without missing cells, and the values of these."""
        indices = list(self.indices.values())
        numeric = [role in ("score", "weight") for role in self.indices]
        for block in self.table.blocks(indices, numeric, size):
            self.n_rows += len(block.positions)
            complete, part = self._scores(block)
            clipped = self.rounding.clipped(part.scores, block.positions, complete)
            yield block, complete, replace(part, scores=clipped) if self.clips else part
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
        """Return sentences about the changes made to the rows."""
        notes = []
        if self.n_dropped:
            rows = "1 row" if self.n_dropped == 1 else f"{self.n_dropped} rows"
            dropped = "with missing values were dropped, as --drop-missing asks"
            notes.append(f"{rows} of {self.n_rows} {dropped}")
        if self.clips:
            notes.extend(self.rounding.notes(self.table.place))
        return notes

    def _scores(self, block):
        """Parse the columns of a block, and leave out or refuse rows with missing cells."""
        parsers = {
            "score": self._parse_scores,
            "label": self._labels,
            "weight": self._parse_weights,
            "group": _parse_names,
            "cluster": _parse_names,
        }
        parsed = {}
        for role, cells in zip(self.indices, block.columns, strict=True):
            try:
                parsed[role] = parsers[role](cells)
                if not self.columns.drop_missing:
                    remedy = NAME_OTHER_CLASS if role == "label" else ""
                    _refuse(parsed[role].missing, IS_MISSING + remedy)
            except BadCell as bad:
                raise self._error(block, role, cells, bad) from None
        complete = ~np.logical_or.reduce([column.missing for column in parsed.values()])
        self.n_dropped += int(complete.size - np.count_nonzero(complete))

        def values(role):
            return parsed[role].values[complete] if role in parsed else None

        scores = Scores(
            scores=values("score"),
            labels=values("label"),
            weights=values("weight"),
            groups=values("group"),
            clusters=values("cluster"),
        )
        return complete, scores

    def _error(self, block, role, cells, bad):
        cell = "" if cells[bad.row] is None else str(cells[bad.row])
        place = f"{self.table.name}: {self.table.place} {block.positions[bad.row]}"
        column = f"column {self.names[role]!r}"
        return InputError(f"{place}, {column}: found {short(cell)!r}, which {bad.fault}")

    def _parse_scores(self, cells):
        parsed = self._parse_numbers(cells)
        if self.columns.unit:
            fault = f"is no probability: this needs scores in [0, 1]; {self.columns.for_margins}"
            _refuse(parsed.values < -UNIT_ROUNDING, fault)
            fault += "; divide percentages by 100"
            _refuse(parsed.values > 1 + UNIT_ROUNDING, fault)
        return parsed

    def _parse_weights(self, cells):
        parsed = self._parse_numbers(cells)
        _refuse(parsed.values < 0, "is negative: weights are counts of rows")
        return parsed

    def _parse_numbers(self, cells):
        is_read = isinstance(cells, np.ndarray)
        values = cells if is_read else _numbers_of_text(cells, self.table.format.decimal)
        _refuse(np.isinf(values), "is not finite, or too large for a float")
        return Parsed(values, np.isnan(values))


class _Labels:
    """A parser of cells to classes, which remembers the values that it has seen."""

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
        return Parsed(labels, labels == CODE_OF_MISSING_LABEL)

    def _code(self, value):
        """Return the class of a value, or a text with the reason why it has none."""
        if value == self.positive:
            return 1
        if value.lower() in MISSING_CELLS:
            return CODE_OF_MISSING_LABEL
        if self.positive is not None:
            self.negative = self.negative or value
            if value == self.negative:
                return 0
            return (
                f"is a third class beside {self.positive!r} (--positive) and {self.negative!r}: "
                "leave its rows out of the file, or write one value for all that is not positive"
            )
        if value.lower() in CODES_OF_BINARY_LABELS:
            return CODES_OF_BINARY_LABELS[value.lower()]
        try:
            return {0: 0, 1: 1}[float(value)]
        except (ValueError, KeyError):
            may_count = value.isascii() and value.isdecimal()
            remedy = f"{NAME_POSITIVE}{SPLIT_COUNTS if may_count else ''}"
            return f"is not 0/1 or true/false: {remedy}"

    def check_positive(self, table, name):
        """Raise if no row has the positive value."""
        if self.positive is not None and self.positive not in map(_plain, self.codes):
            other = "no value" if self.negative is None else repr(self.negative)
            raise InputError(
                f"{table.name}: column {name!r} never holds the --positive value "
                f"{self.positive!r}; it holds {other}"
            )


def read_scores(
    path: str | Path,
    *,
    form: Format | None = None,
    progress: Callable[[int], None] | None = None,
    **columns,
) -> Scores:
    """Read all rows of a table. Labels, if they are read, must have both classes.

    Parameters
    ----------
    path : str or path
        Delimited text, perhaps in gzip, JSON lines, a Parquet file, a folder of them, or ``"-"``
        for standard input.
    form : Format, optional
        How the text is written; default: commas, points, UTF-8, with a header.
    progress : callable, optional
        A function of the number of rows read so far, called after each block.
    **columns
        The attributes of `Columns`: score, label, positive, weight, group, cluster, unit,
        for_margins, drop_missing.

    Returns
    -------
    read : Scores

    Raises
    ------
    InputError
        If a cell cannot be used or the labels have one class. The message names the place and the
        remedy.
    """
    parts = []
    with open_table(path, form or Format()) as table:
        reader = ScoreReader(table, Columns(**columns))
        for _, _, part in reader.blocks(BLOCK_ROWS):
            parts.append(part)
            if progress:
                progress(reader.n_rows)
    scores = np.concatenate([part.scores for part in parts])
    notes = reader.notes()
    if reader.rounding.n_rows and holds_probabilities(scores):
        scores = np.clip(scores, 0, 1)
        notes += reader.rounding.notes(table.place)
    read = Scores(
        scores=scores,
        labels=_joined_column([part.labels for part in parts]),
        weights=_joined_column([part.weights for part in parts]),
        groups=_joined_column([part.groups for part in parts]),
        clusters=_joined_column([part.clusters for part in parts]),
        notes=notes,
        names=reader.names,
    )
    _check_columns(table, read)
    return read


def _joined_column(parts):
    """Concatenate the parts of a column. They are None if it was not asked for."""
    return None if parts[0] is None else np.concatenate(parts)


def _check_columns(table, read):
    """Raise if all weights are zero, or the labels have one class."""
    labels = read.labels
    weights = read.weights
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
    """Raise if two roles have the same column, except groups and clusters."""
    role_of = {}
    for role, index in indices.items():
        if index in role_of and role not in ("group", "cluster"):
            both = f"--{role_of[index]} and --{role} both name the column {table.names[index]!r}"
            raise InputError(f"{table.name}: {both}: they must differ")
        role_of.setdefault(index, role)


def _numbers_of_text(cells, decimal):
    """Numbers of cells of text, NaN for missing cells."""
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
        return np.array([_number_or_nan(row, cell) for row, cell in enumerate(cells)])


def _number_or_nan(row, cell):
    """Number of a cell, NaN if it is missing; raise `BadCell` with a remedy if it is neither."""
    if cell.strip().lower() in MISSING_CELLS:
        return np.nan
    try:
        return float(cell)
    except ValueError:
        pass
    remedy = "clean it, or name the column of the numbers"
    if cell.strip().endswith("%"):
        remedy = "write percentages without the sign, divided by 100"
    elif any(separator in cell for separator in ";\t|"):
        remedy = "pass the --separator of the file"
    elif "," in cell:
        remedy = (
            "pass --decimal , if the comma is the decimal mark (and then --separator, often ';'); "
            "if it parts thousands, write numbers without it"
        )
    raise BadCell(row, f"is no number: {remedy}")


def _plain(value):
    """Spelling of a label that other spellings of it share.

    Blanks are removed. ``1.0``, as pandas writes it, and ``true`` become ``1``.
    """
    value = value.strip()
    whole, point, zeros = value.partition(".")
    if point and whole.removeprefix("-").isdecimal() and zeros and not zeros.strip("0"):
        return whole
    return str(CODES_OF_BINARY_LABELS.get(value.lower(), value))


def _refuse(wrong, fault):
    """Raise for the first row that is wrong, if there is one."""
    if np.any(wrong):
        raise BadCell(int(np.argmax(wrong)), fault)


def _parse_names(cells):
    names = np.array([cell.strip() for cell in cells], object)
    return Parsed(names, names == "")
