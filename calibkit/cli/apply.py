"""``calib apply`` and ``export``: use a stored map on a table, or write it as a program."""

import csv
from contextlib import contextmanager
from dataclasses import replace
from decimal import ROUND_CEILING, Context

import numpy as np

from calib.base.options import check_integer
from calibkit.cli.arguments import columns_of, format_of
from calibkit.cli.output import Progress, check_new, new_file, note
from calibkit.cli.read import Columns, ScoreReader
from calibkit.cli.tables import BLOCK_ROWS, InputError, Parquet, open_table
from calibkit.deployment.fewer_pieces import with_fewer_pieces
from calibkit.deployment.programs import program, rule
from calibkit.deployment.stored_maps import load_stored_map

# Parquet stores a block as a row group, which is efficient only if it is large
ROWS_OF_A_GROUP = 16 * BLOCK_ROWS

BOUND_DIGITS = Context(prec=2, rounding=ROUND_CEILING)  # of the bound on an error, never below it
LONG_EXPRESSION = 100_000  # characters, above which a database may refuse an expression
MIN_ROWS_TO_TELL_MARGINS = 20  # rows of margins, which hardly all lie in [0, 1] by chance


def run_export(options) -> int:
    """Write the map as a program that does not need this package; return the exit code."""
    check_new(options.output, force=options.force)
    stored = load_stored_map(options.map)
    remarks = []
    if options.max_pieces is not None:
        check_integer(options.max_pieces, "max_pieces")
        shorter = with_fewer_pieces(stored.map_, options.max_pieces)
        stored = replace(stored, map_=shorter.map)
        bound = float(BOUND_DIGITS.create_decimal(shorter.error))
        remarks.append(f"differs by at most {bound:g} from the map, at any score")
        note(options, remarks[0])
    if options.threshold is not None:
        remarks.append(rule(stored.map_, options.threshold))
    remark = "; ".join(remarks) or None
    written = program(stored, options.to, options.score, remark)
    binary = isinstance(written, bytes)
    with new_file(options.output, force=options.force, binary=binary) as file:
        file.write(written)
    if options.threshold is not None and options.to == "table":
        note(options, remarks[-1])
    if options.to == "sql" and len(written) > LONG_EXPRESSION:
        note(
            options,
            f"warning: the expression has {len(written) / 1000:,.0f} kB, and some databases read "
            "none so long; --max-pieces 100 shortens it, and calib fit --method spline gives a map "
            "whose expression has a few kB",
        )
    return 0


def run_apply(options) -> int:
    """Stream a table through the map, block by block in constant memory; return the exit code."""
    check_new(options.output, force=options.force)
    stored = load_stored_map(options.map)
    range_counts = _RangeCounts(stored.fitted_to)
    progress = Progress(options.progress)
    with open_table(options.data, format_of(options)) as table, progress:
        if options.column in table.header and not options.no_header:
            raise InputError(
                f"{table.name} has a column {options.column!r} already: name another by --column"
            )
        of_probabilities = range_counts.is_fitted_to_unit
        reader = ScoreReader(table, Columns(**columns_of(options)), clips=of_probabilities)
        of_parquet = isinstance(table, Parquet)
        write = _write_parquet if of_parquet else _write_text
        size = ROWS_OF_A_GROUP if of_parquet else BLOCK_ROWS
        with write(options, table) as put:
            for block, complete, part in reader.blocks(size):
                range_counts.add(part.scores)
                put(block.records, complete, stored.map_(part.scores))
                progress(reader.n_rows)
    warnings = _name_warnings(reader.names["score"], stored.fitted_to, header=not options.no_header)
    for sentence in [*reader.notes(), *warnings, *range_counts.warnings()]:
        note(options, sentence)
    return 0


def _name_warnings(name, fitted_to, *, header):
    """Yield a warning if the map was fitted to a column of another name, not a mere number."""
    if header and name != fitted_to.score and not str(fitted_to.score).isdecimal():
        yield (
            f"warning: the map was fitted to the column {fitted_to.score!r} of {fitted_to.file}, "
            f"and is applied to {name!r}"
        )


class _RangeCounts:
    """Numbers of scores outside the range that the map was fitted to, and in [0, 1]."""

    def __init__(self, fitted_to):
        self.fitted_to = fitted_to
        self.rows = 0
        self.unit = 0  # scores in [0, 1]
        self.below = 0  # scores below the lowest one of the fit
        self.above = 0  # scores above the highest one of the fit

    @property
    def is_fitted_to_unit(self):
        """Whether the map was fitted to scores in [0, 1]."""
        return self.fitted_to.lowest_score >= 0 and self.fitted_to.highest_score <= 1

    def add(self, scores):
        """Count the scores of a block."""
        self.rows += scores.size
        self.unit += int(np.count_nonzero((scores >= 0) & (scores <= 1)))
        self.below += int(np.count_nonzero(scores < self.fitted_to.lowest_score))
        self.above += int(np.count_nonzero(scores > self.fitted_to.highest_score))

    def warnings(self):
        """Yield the warnings that the counts ask for."""
        low, high = self.fitted_to.lowest_score, self.fitted_to.highest_score
        if self.below or self.above:
            yield (
                f"warning: scores outside the range that the map was fitted to, {low!r} to "
                f"{high!r}: {self.below} below, {self.above} above"
            )
        if self.below + self.above == self.rows:
            yield "warning: no score lies in that range: is it another column, or another unit?"
        outside_unit = self.rows - self.unit
        if self.is_fitted_to_unit and outside_unit:
            yield (
                f"warning: the map was fitted to scores in [0, 1], where {outside_unit} of "
                f"{self.rows} are not: are they margins or percentages?"
            )
        if not self.is_fitted_to_unit and self.unit == self.rows >= MIN_ROWS_TO_TELL_MARGINS:
            yield (
                f"warning: the map was fitted to scores from {low!r} to {high!r}, and all "
                f"{self.rows} are in [0, 1]: are they probabilities in place of margins?"
            )


@contextmanager
def _write_text(options, table):
    """Write rows in the format of the text that they come from, each with its probability."""
    form = table.format
    encoding = form.encoding.removesuffix("-sig")
    with new_file(options.output, force=options.force, encoding=encoding) as file:
        writer = csv.writer(file, delimiter=form.separator, lineterminator="\n")
        if form.header:
            writer.writerow([*table.header, options.column])

        def put(records, complete, probabilities):
            rows = [row for row, keep in zip(records, complete.tolist(), strict=True) if keep]
            cells = map(repr, probabilities.tolist())
            if form.decimal == ",":
                cells = (cell.replace(".", ",") for cell in cells)
            writer.writerows([*row, cell] for row, cell in zip(rows, cells, strict=True))

        yield put


@contextmanager
def _write_parquet(options, table):
    """Write record batches with their probabilities as one more column."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    if not str(options.output).endswith(".parquet"):
        raise InputError(
            f"{table.name} is Parquet, so the output is Parquet as well: pass -o with a name "
            f"that ends in .parquet; found {options.output!r}"
        )
    schema = table.schema.append(pyarrow.field(options.column, pyarrow.float64()))
    output = new_file(options.output, force=options.force, binary=True)
    with output as file, ParquetWriter(file, schema) as writer:

        def put(records, complete, probabilities):
            columns = [
                *records.filter(pyarrow.array(complete)).columns,
                pyarrow.array(probabilities),
            ]
            writer.write_batch(pyarrow.RecordBatch.from_arrays(columns, schema=schema))

        yield put
