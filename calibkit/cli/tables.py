"""Tables on disk or from standard input, in blocks of rows: text, JSON lines and Parquet.

Nothing is guessed. Text is read strictly and in bounded memory, whatever the file holds. A line or
a cell that is too long, a NUL byte or a byte that is not of the encoding ends the reading with an
`InputError` that says where it is and what to do.
"""

import csv
import glob
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

BLOCK_ROWS = 4096  # rows as lists of str: more of them fall out of the processor's cache
LONGEST_LINE = 1 << 20  # characters
SPELLINGS_OF_SEPARATORS = {";": "';'", "\t": "tab", "|": "'|'", ",": "','"}
DECIMAL_COMMA = re.compile(r"\d,\d")
EXCEL_SEPARATOR = re.compile('"?sep=(.)"?', re.IGNORECASE)  # first line for Excel, no row
PARQUET = b"PAR1"  # first bytes
JSON_RECORD = b"{"  # first byte of JSON lines
GZIP = b"\x1f\x8b"  # first bytes
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # first bytes, a mark of the order of bytes
N_FIRST_BYTES = 16  # bytes that tell the format of a file
REMEDIES_FOR_OTHER_FORMATS = {  # keys: the first bytes of a file
    b"PK\x03\x04": "a zip archive or a workbook: unpack it, or save the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the sheet as CSV",
    b"BZh": "compressed with bzip2: unpack it, for example bunzip2 -c FILE | calib ... -",
    b"\xfd7zXZ": "compressed with xz: unpack it, for example xz -dc FILE | calib ... -",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it, for example zstd -dc FILE | calib ... -",
    b"ARROW1": "an Arrow or Feather file: store it as Parquet or CSV",
    b"SQLite format 3": "an SQLite database: export the table as CSV",
}


class InputError(ValueError):
    """Input that cannot be used. The message names the fault, its place and the remedy."""


@dataclass(frozen=True)
class Format:
    """How delimited text is written.

    Attributes
    ----------
    separator : str
        The character between cells.
    decimal : str
        The decimal mark of numbers.
    encoding : str
        The encoding of characters.
    header : bool
        Whether the first line has the names of the columns.
    """

    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    header: bool = True

    def __post_init__(self):
        if len(self.separator) != 1 or self.separator in '"\r\n':
            raise InputError(f"--separator must be one character or tab; found {self.separator!r}")
        if self.decimal not in (".", ","):
            raise InputError(f"--decimal must be '.' or ','; found {self.decimal!r}")
        if self.decimal == self.separator:
            raise InputError(
                f"--decimal and --separator are both {self.decimal!r}: cells would be cut in two; "
                "files with decimal commas usually have --separator ';'"
            )


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of a table.

    Attributes
    ----------
    positions : sequence of int
        The line of each row in its file (its row, in Parquet), from 1.
    columns : list
        The columns that were asked for: lists of str, or arrays of numbers with NaN for missing
        ones.
    records : list of lists of str, or pyarrow.RecordBatch
        The whole rows.
    """

    positions: Sequence[int]
    columns: list
    records: Any


class Table:
    """A table whose columns have names.

    Attributes
    ----------
    name : str
        Name of the file in messages.
    names : list of str
        Names of the columns: their numbers if there is no header.
    header : list of str
        The first row, which names the columns.
    format : Format
        How text in the table is written.
    place : str
        The unit that messages number: lines or rows.
    skipped : int
        Number of lines before the header, which are for Excel.
    """

    name: str
    names: list[str]
    header: list[str]
    format: Format
    place: str
    skipped: int = 0

    def find(self, wanted: str, flag: str) -> int:
        """Return the index of the column with the name `wanted`, or with that number from 1.

        Raises
        ------
        InputError
            If there is none, or more than one; the message lists the columns.
        """
        matching = [i for i, name in enumerate(self.names) if name == wanted]
        if len(matching) == 1:
            return matching[0]
        if matching:
            numbers = ", ".join(str(i + 1) for i in matching)
            raise InputError(
                f"{self.name}: the header has {wanted!r} more than once, as columns {numbers}: "
                f"pass {flag} with a number"
            )
        if wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted) <= len(self.names):
            return int(wanted) - 1
        listed = ", ".join(repr(short(name)) for name in self.header[:20])
        more = f" and {len(self.header) - 20} more" if len(self.header) > 20 else ""
        hint = self._hint_at_separator(self._next_line())
        raise InputError(
            f"{self.name} has no column {wanted!r}; its columns are {listed}{more}: pass {flag} "
            f"with one of these, or with a number from 1 to {len(self.names)}{hint}"
        )

    def _hint_at_separator(self, row):
        """Return a hint if another separator stands in the name of the only column.

        The text of a row tells whether decimal commas come with it.
        """
        if len(self.header) > 1:
            return ""
        for separator, spelling in SPELLINGS_OF_SEPARATORS.items():
            if separator in self.header[0]:
                decimal = " --decimal ," if DECIMAL_COMMA.search(row) else ""
                return f"; if it is separated by {spelling}, pass --separator {spelling}{decimal}"
        return ""

    def _next_line(self):
        """Return the text of the first row, for hints."""
        return ""


class Delimited(Table):
    """Delimited text, read from a binary stream."""

    place = "line"

    def __init__(self, stream, name, form):
        self.name = name
        self.format = form
        try:
            self._text = io.TextIOWrapper(stream, form.encoding, newline="")
        except LookupError:
            raise InputError(f"--encoding {form.encoding!r} is no known encoding of text") from None
        self._reader = csv.reader(self._lines(), delimiter=form.separator, strict=True)
        self._records = self._checked_records()
        first = next(self._records, None)
        if first is None:
            raise InputError(f"{name} is empty: it must have a header and rows")
        _, cells = first
        self.names = self.header = [cell.strip() for cell in cells]
        if not form.header:
            self.names = [str(number) for number in range(1, len(cells) + 1)]
            self._records = chain([first], self._records)
            return
        if all(map(_is_number, cells)):
            raise InputError(
                f"{name}: the first line holds numbers only ({short(form.separator.join(cells))})"
                ": pass --no-header if it is a row, else give the columns names that are no numbers"
            )

    def blocks(self, columns: list[int], numeric: list[bool], size: int) -> Iterator[Block]:
        """Yield the rows in blocks of `size`, with the `columns` picked out."""
        while block := list(islice(self._records, size)):
            lines, rows = zip(*block, strict=True)
            picked = [[row[c] for row in rows] for c in columns]
            yield Block(positions=lines, columns=picked, records=rows)

    def _next_line(self):
        try:
            return self._text.readline(LONGEST_LINE)
        except ValueError:  # the file is closed, or of another encoding
            return ""

    def _checked_records(self):
        """Yield line and cells of each record. All must be as wide as the first."""
        width = None
        try:
            line = 1
            for row in self._reader:
                if not row and width == 1:
                    row = [""]  # in a single column, a blank line is a missing cell
                if row:
                    width = width or len(row)
                    if len(row) != width:
                        text = short(self.format.separator.join(row))
                        raise InputError(
                            f"{self.name}: line {line} has {len(row)} cells where the first line "
                            f"has {width}; found {text!r}: quote cells that hold the separator, "
                            "or say --separator and --decimal"
                            f"{self._hint_at_separator(text)}"
                        )
                    yield line, row
                line = self._reader.line_num + 1
        except csv.Error as error:
            raise InputError(
                f"{self.name}: the record that starts at line {line} cannot be read ({error}): "
                "look for a quotation mark that is not closed, or that stands within a quoted cell "
                "and is not doubled"
            ) from None
        except UnicodeDecodeError as error:
            line = self._reader.line_num + 1 + error.object[: error.start].count(b"\n")
            raise InputError(
                f"{self.name}: line {line} is not {self.format.encoding} (byte "
                f"0x{error.object[error.start]:02x}): pass the --encoding of the file, such as "
                "cp1252, latin-1 or utf-16"
            ) from None
        except UnicodeError as error:
            raise InputError(
                f"{self.name} is not {self.format.encoding} ({error}): pass the --encoding of the "
                "file"
            ) from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(
                f"{self.name} is a damaged gzip file ({error}): fetch it again"
            ) from None

    def _lines(self):
        """Yield the lines, none too long and none with a NUL byte."""
        lines = iter(partial(self._text.readline, LONGEST_LINE), "")
        for number, line in enumerate(lines, start=1):
            fault = ""
            if len(line) == LONGEST_LINE and line[-1] not in "\r\n":
                fault = f"is longer than {LONGEST_LINE} characters: is this a table of text?"
            elif "\0" in line:
                fault = (
                    "holds a NUL byte: the file is damaged or binary, or needs --encoding utf-16"
                )
            if fault:
                raise InputError(f"{self.name}: line {number} {fault}")
            yield line if number > 1 else self._first_line(line.removeprefix("\ufeff"))

    def _first_line(self, line):
        """Return the first line, or a blank one if it only tells Excel the separator."""
        excel = EXCEL_SEPARATOR.fullmatch(line.rstrip("\r\n"))
        if excel is None:
            return line
        if excel[1] != self.format.separator:
            spelling = SPELLINGS_OF_SEPARATORS.get(excel[1], repr(excel[1]))
            raise InputError(
                f"{self.name}: line 1 tells Excel that the separator is {spelling}: pass "
                f"--separator {spelling}"
            )
        self.skipped = 1
        return "\n"


class Parquet(Table):
    """A Parquet file, or the Parquet files of a folder in the order of their names."""

    place = "row"
    format = Format()  # how numbers in columns of text are written

    def __init__(self, paths, name):
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise InputError(
                f'{name} is Parquet, which needs pyarrow: pip install "pyarrow>=16"'
            ) from None
        self.name = name
        self._arrow = pyarrow
        try:
            self._files = [parquet.ParquetFile(path) for path in paths]
        except (pyarrow.ArrowException, OSError) as error:
            raise InputError(f"{name} cannot be read as Parquet: {short(str(error))}") from None
        self.schema = self._files[0].schema_arrow
        self.names = self.header = self.schema.names
        for path, file in zip(paths, self._files, strict=True):
            if not file.schema_arrow.equals(self.schema):
                raise InputError(
                    f"{name}: {path.name} has other columns or types than {paths[0].name}: store "
                    "them alike"
                )

    def blocks(self, columns: list[int], numeric: list[bool], size: int) -> Iterator[Block]:
        """Yield the rows in blocks of at most `size`, with the `columns` picked out."""
        row = 1
        try:
            for file in self._files:
                for batch in file.iter_batches(size):
                    picked = [
                        self._cells(batch.column(c), self.names[c], as_number)
                        for c, as_number in zip(columns, numeric, strict=True)
                    ]
                    rows = range(row, row + batch.num_rows)
                    yield Block(positions=rows, columns=picked, records=batch)
                    row += batch.num_rows
        except (self._arrow.ArrowException, OSError) as error:
            raise InputError(f"{self.name} is damaged: {short(str(error))}") from None

    def _cells(self, values, name, as_number):
        """Return a column as an array if it has numbers and they are wanted, else as text."""
        types = self._arrow.types
        kind = values.type
        if as_number and types.is_decimal(kind):  # Arrow's own cast is off in the last digit
            values = values.cast(self._arrow.string())
            return np.asarray(values.cast(self._arrow.float64()).to_numpy(zero_copy_only=False))
        if as_number and (types.is_integer(kind) or types.is_floating(kind)):
            values = values.cast(self._arrow.float64(), safe=False)
            return np.asarray(values.to_numpy(zero_copy_only=False), np.float64)
        try:
            return [_text(value) for value in values.to_pylist()]
        except UnicodeDecodeError:
            raise InputError(
                f"{self.name}: column {name!r} holds bytes that are no text in UTF-8: cast it to "
                "text, or to numbers, where the file is written"
            ) from None


class JSONLines(Table):
    """A file with a JSON object in each line. A key that a line lacks is a missing cell."""

    place = "line"
    format = Format()  # how the values are written as text

    def __init__(self, path, name):
        try:
            import duckdb
        except ImportError:
            raise InputError(
                f'{name} holds JSON lines, which need DuckDB: pip install "duckdb>=1.3"'
            ) from None
        self.name = name
        self._error = duckdb.Error
        settings = {"autoinstall_known_extensions": False}  # nothing is downloaded
        pattern = glob.escape(str(path))
        query = (
            "SELECT COLUMNS(*)::VARCHAR "
            "FROM read_json(?, format = 'newline_delimited', sample_size = -1)"
        )
        try:
            self._rows = duckdb.connect(config=settings).execute(query, [pattern])
        except duckdb.Error as error:
            raise self._refusal(error) from None
        self.names = self.header = [column[0] for column in self._rows.description]

    def blocks(self, columns: list[int], numeric: list[bool], size: int) -> Iterator[Block]:
        """Yield the rows in blocks of `size`, with the `columns` picked out."""
        line = 1
        while rows := self._next_rows(size):
            records = [["" if cell is None else cell for cell in row] for row in rows]
            picked = [[record[c] for record in records] for c in columns]
            yield Block(positions=range(line, line + len(rows)), columns=picked, records=records)
            line += len(rows)

    def _next_rows(self, size):
        try:
            return self._rows.fetchmany(size)
        except self._error as error:
            raise self._refusal(error) from None

    def _refusal(self, error):
        fault = " ".join(str(error).split())
        return InputError(f"{self.name} cannot be read as JSON lines: {short(fault, 200)}")


@contextmanager
def open_table(path: str | Path, form: Format) -> Iterator[Delimited | JSONLines | Parquet]:
    """Open a table. ``"-"`` is standard input. The first bytes tell the format, not the name.

    Raises
    ------
    InputError
        If it cannot be read, or is neither delimited text, perhaps in gzip, nor JSON lines, nor
        Parquet.
    """
    if str(path) == "-":
        with sys.stdin.buffer as stream:
            yield _table_of_stream(stream, form)
    elif os.path.isdir(path):
        files = sorted(Path(path).glob("*.parquet"))
        if not files:
            raise InputError(_without_parquet(path))
        yield Parquet(files, str(path))
    else:
        try:
            file = open(path, "rb")
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from None
        with file:
            yield _table_of_stream(file, form, Path(path))


def _without_parquet(folder):
    """The remedy for a folder without Parquet files, or with Parquet files in subfolders only."""
    if next(Path(folder).glob("*/**/*.parquet"), None) is None:
        return f"{folder} is a folder without *.parquet files: name a file"
    return (
        f"{folder} has its *.parquet files in folders of their own, as partitions: count the rows "
        f"first, with calib counts '{folder}/**/*.parquet' -o counts.parquet, and pass that file "
        "with --weight count; a partition may be named with --group"
    )


def _table_of_stream(stream, form, path=None):
    """Return the table in a binary stream: of the file `path`, or of standard input."""
    name = "standard input" if path is None else str(path)
    first_bytes = stream.peek(N_FIRST_BYTES)[:N_FIRST_BYTES]
    if first_bytes.startswith(PARQUET):
        if path is None:
            raise InputError("Parquet cannot be read from standard input: name the file")
        return Parquet([path], name)
    if first_bytes.startswith(JSON_RECORD):
        if path is None:
            raise InputError("JSON lines cannot be read from standard input: name the file")
        return JSONLines(path, name)
    if first_bytes.startswith(GZIP):
        stream = gzip.open(stream)
        try:
            first_bytes = stream.peek(N_FIRST_BYTES)[:N_FIRST_BYTES]
        except (EOFError, OSError, zlib.error) as error:
            raise InputError(f"{name} is a damaged gzip file ({error})") from None
        if first_bytes.startswith(PARQUET):
            raise InputError(f"{name} is Parquet within gzip: unpack it with gunzip")
    _check_text(first_bytes, form, name, path)
    return Delimited(stream, name, form)


def _check_text(first_bytes, form, name, path):
    """Raise if the first bytes, or the name of the file, tell another format than text."""
    for start, remedy in REMEDIES_FOR_OTHER_FORMATS.items():
        if first_bytes.startswith(start):
            raise InputError(f"{name} is {remedy}")
    if path and path.suffix == ".parquet":
        raise InputError(
            f"{name} is no Parquet file, although its name says so: rename it if it is text"
        )
    may_begin_with_mark = "16" in form.encoding or "32" in form.encoding
    if first_bytes.startswith(UTF_16) and not may_begin_with_mark:
        raise InputError(f"{name} is UTF-16, by its first bytes: pass --encoding utf-16")


def _text(value):
    """Text of a value in Parquet; old writers store text as bytes without saying that it is."""
    if value is None:
        return ""
    return value.decode() if isinstance(value, bytes) else str(value)


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def short(text: str, most: int = 60) -> str:
    """Cut `text` where it is too long for a message."""
    return text if len(text) <= most else f"{text[:most]}..."
