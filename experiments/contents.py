"""What a paper consists of, as data: tables with their numbers beside ours, figures, causes."""

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from experiments.recording import RESULTS


class Printed(NamedTuple):
    """A number of a published table; `half` is half a unit of its last digit, 0 for a count."""

    row: str
    column: str
    value: float
    half: float


class Ours(NamedTuple):
    """Our number for a published one.

    Attributes
    ----------
    value : float
    spread : float
        Standard deviation of one repetition; NaN where nothing is random.
    repetitions : int
    error : float
        Standard error of the difference of the printed number and ours, both taken as random; 0
        where nothing is random.
    """

    value: float
    spread: float = np.nan
    repetitions: int = 1
    error: float = 0.0


def mean_of(values, printed_runs):
    """`Ours` for the mean of independent repetitions beside a printed mean of `printed_runs`.

    The paper's repetitions are taken to have the standard deviation of ours.
    """
    spread = np.std(values, ddof=1)
    error = spread * np.sqrt(1 / len(values) + 1 / printed_runs)
    return Ours(float(np.mean(values)), float(spread), len(values), float(error))


def select(rows, column, **where):
    """Values of a recorded column in the rows where other columns have the given values."""
    return rows[column][np.all([rows[key] == value for key, value in where.items()], axis=0)]


@dataclass(frozen=True)
class Table:
    """A published table.

    Attributes
    ----------
    name : str
        Such as ``"table1a"``.
    title : str
        What it shows, one line.
    file : str
        Its CSV file in ``results/published``, without the suffix.
    keys : tuple of str
        Columns that name a row.
    chapter : str
        Notebook that discusses it, without the suffix.
    ours : callable
        ``ours(read, **reading)``: from (row, column) to `Ours`, or to a sentence that says why the
        number cannot be compared. ``read(name)`` gives the columns of a recorded experiment.
    reading : dict
        Keyword arguments of `ours`: the protocol as the paper describes it.
    experiments : tuple of str
        Names of the experiments that it reads.
    uncertainty : str
        How uncertain the printed numbers are taken to be, one sentence.
    columns : tuple of str
        Columns with numbers; by default all but the keys.
    where : dict
        Values of further columns that pick the rows of this table from the file.
    digits_by : {"column", "row", ""}
        Numbers that are printed with equally many digits; "" if they are counts.
    exchanged : str
        The key whose values trade places when rows are shuffled, alike in all tables that have it;
        "" if whole rows do, each table for itself.
    within : str
        Another key; only rows with the same value of it trade places.
    """

    name: str
    title: str
    file: str
    keys: tuple
    chapter: str
    ours: Callable
    uncertainty: str
    reading: dict = field(default_factory=dict)
    experiments: tuple = ()
    columns: tuple = ()
    where: dict = field(default_factory=dict)
    digits_by: str = "column"
    exchanged: str = ""
    within: str = ""

    def exchange(self, row, key=""):
        """What an exchange of rows keeps, among which it exchanges, and what.

        Exchanged are the values of a key that the table has, else those of `exchanged`.
        """
        key = key if key in self.keys else self.exchanged
        if not key:
            return self.name, self.name, row
        parts = dict(zip(self.keys, row.split(" / "), strict=True))
        unit, block = parts.pop(key), parts.get(self.within, "")
        return (self.name, *parts.values()), block, unit

    def printed(self):
        """Its numbers, a list of `Printed`."""
        with (RESULTS / "published" / f"{self.file}.csv").open(newline="") as file:
            lines = list(csv.DictReader(file))
        lines = [line for line in lines if all(line[k] == v for k, v in self.where.items())]
        left_out = {*self.keys, *self.where}
        columns = self.columns or [name for name in lines[0] if name not in left_out]
        cells = [
            (" / ".join(line[key] for key in self.keys), column, line[column])
            for line in lines
            for column in columns
        ]
        if not self.digits_by:
            return [Printed(row, column, float(text), 0.0) for row, column, text in cells]
        group = ["row", "column"].index(self.digits_by)
        digits = {}
        for cell in cells:  # a trailing zero may be lost in one number of a column, not in all
            decimals = len(cell[2].partition(".")[2])
            digits[cell[group]] = max(decimals, digits.get(cell[group], 0))
        return [
            Printed(row, column, float(text), 0.5 * 10.0 ** -digits[(row, column)[group]])
            for row, column, text in cells
        ]


@dataclass(frozen=True)
class Cause:
    """A supposed cause of differences, and the experiment in which it is changed.

    Attributes
    ----------
    name : str
        Such as ``"ties-by-label"``.
    title : str
        What is changed, one line.
    changes : dict
        Of the reading of a table: under the cause `Table.ours` is called with them, and gives the
        numbers that the cause may change.
    tables : tuple of str
        Tables in which it is tried.
    chapter : str
        Notebook that tests it.
    experiments : tuple of str
        Names of the experiments that have recorded our numbers with it and without.
    after : str
        Name of a cause that is taken as given; "" if none is.
    setting : str
        What is set: of causes that set one thing in different ways only the best can be accepted.
        By default a thing of its own.
    exchanged : str
        Another key than the tables', where the cause is about a single one of its values.
    tuned : str
        By which printed numbers a constant in it was chosen; "" if none was.
    unused : callable or None
        Of a place (table, row, column): whether its number had no part in that choice.
    documented : str
        Where the authors' public code has it; "" if no code is known. What their code does was
        not chosen by printed numbers, so it need not be told from chance, and belongs to the
        protocol whatever it mends or spoils.
    """

    name: str
    title: str
    changes: dict
    tables: tuple
    chapter: str
    experiments: tuple
    after: str = ""
    setting: str = ""
    exchanged: str = ""
    tuned: str = ""
    unused: Callable | None = None
    documented: str = ""


@dataclass(frozen=True)
class Figure:
    """A published figure.

    Attributes
    ----------
    name, title, chapter, experiments
        As in `Table`.
    draw : callable or None
        ``draw(read)`` gives a Matplotlib figure and the rows behind it, a list of dicts. None
        where the content cannot be had.
    missing : str
        Why the content cannot be had; "" where it can.
    """

    name: str
    title: str
    chapter: str = ""
    draw: Callable | None = None
    experiments: tuple = ()
    missing: str = ""


@dataclass(frozen=True)
class Study:
    """An experiment whose recorded rows are an item of their own.

    Attributes
    ----------
    name, title, chapter
        As in `Table`.
    experiments : tuple of str
        The name of the experiment.
    command : str
        The program that records it, where it is another one than ``python -m experiments``;
        that program writes into the folder ``results`` only.
    """

    name: str
    title: str
    chapter: str
    experiments: tuple
    command: str = ""


@dataclass(frozen=True)
class ChapterFigure:
    """A figure of a chapter: its notebook is run up to the cell that draws it.

    Attributes
    ----------
    name : str
        That of the figure in the notebook, such as ``"fig-c8-rings"``.
    title : str
        The beginning of its caption.
    chapter : str
    cell : int
        Number of the cell in the notebook.
    """

    name: str
    title: str
    chapter: str
    cell: int
    experiments: tuple = ()


@dataclass(frozen=True)
class Paper:
    """A paper or the book itself: what can be reproduced of it.

    Attributes
    ----------
    name : str
        Such as ``"naeini2014"``.
    citation, short : str
        For people, and as the book abbreviates it.
    tables, figures, studies, causes, experiments : tuple
    """

    name: str
    citation: str
    short: str
    tables: tuple = ()
    figures: tuple = ()
    studies: tuple = ()
    causes: tuple = ()
    experiments: tuple = ()

    @property
    def contents(self):
        """Everything that can be reproduced, by name."""
        return {one.name: one for one in (*self.tables, *self.figures, *self.studies)}
