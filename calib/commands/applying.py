"""``calib apply`` and ``export``: what a map is for, on a table or as a program elsewhere."""

import csv
from contextlib import contextmanager

import numpy as np

from calib.commands.arguments import columns_of, format_of
from calib.commands.output import Progress, check_new, new_file, note
from calib.commands.reading import Columns, ScoreReader
from calib.commands.tables import BLOCK_ROWS, Delimited, InputError, Parquet, open_table
from calib.maps.programs import program, rule
from calib.maps.stored import load_stored_map

# of a block: groups of rows in Parquet want to be large
ROWS = {Delimited: BLOCK_ROWS, Parquet: 16 * BLOCK_ROWS}


def export(options) -> int:
    """Write the map as what needs nothing of this package; returns the exit code."""
    check_new(options.output, force=options.force)
    stored = load_stored_map(options.map)
    remark = None if options.threshold is None else rule(stored.map_, options.threshold)
    with new_file(options.output, force=options.force) as file:
        file.write(program(stored, options.to, options.score, remark))
    if remark and options.to == "table":
        note(options, remark)
    return 0


def apply(options) -> int:
    """Stream a table through the map, block by block in constant memory; returns the exit code."""
    check_new(options.output, force=options.force)
    stored = load_stored_map(options.map)
    outside = _Outside(stored.fitted_to)
    progress = Progress(options.progress)
    with open_table(options.data, format_of(options)) as table, progress:
        if options.column in table.header and not options.no_header:
            raise InputError(
                f"{table.name} has a column {options.column!r} already: name another by --column"
            )
        reader = ScoreReader(table, Columns(**columns_of(options)))
        write = _write_parquet if isinstance(table, Parquet) else _write_text
        with write(options, table) as put:
            for block, kept, part in reader.blocks(ROWS[type(table)]):
                outside.count(part.scores)
                put(block.records, kept, stored.map_(part.scores))
                progress(reader.n_rows)
    for sentence in [*reader.notes(), *outside.sentences()]:
        note(options, sentence)
    return 0


class _Outside:
    """Counts scores that lie where the map has seen none."""

    def __init__(self, fitted_to):
        self.fitted_to = fitted_to
        self.below = self.above = 0

    def count(self, scores):
        self.below += int(np.count_nonzero(scores < self.fitted_to.lowest_score))
        self.above += int(np.count_nonzero(scores > self.fitted_to.highest_score))

    def sentences(self):
        if self.below or self.above:
            low, high = self.fitted_to.lowest_score, self.fitted_to.highest_score
            yield (
                f"warning: scores outside the range that the map was fitted to, {low!r} to "
                f"{high!r}: {self.below} below, {self.above} above"
            )


@contextmanager
def _write_text(options, table):
    """Writes rows as the text is written that they come from, each with its probability."""
    form = table.format
    encoding = form.encoding.removesuffix("-sig")
    with new_file(options.output, force=options.force, encoding=encoding) as file:
        writer = csv.writer(file, delimiter=form.separator, lineterminator="\n")
        if form.header:
            writer.writerow([*table.header, options.column])

        def put(records, kept, probabilities):
            rows = [row for row, keep in zip(records, kept.tolist(), strict=True) if keep]
            cells = map(repr, probabilities.tolist())
            if form.decimal == ",":
                cells = (cell.replace(".", ",") for cell in cells)
            writer.writerows([*row, cell] for row, cell in zip(rows, cells, strict=True))

        yield put


@contextmanager
def _write_parquet(options, table):
    """Writes record batches, each with its probabilities."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    if not str(options.output).endswith(".parquet"):
        raise InputError(
            f"{table.name} is Parquet, and so is the output: pass -o with a name that ends in "
            f".parquet; found {options.output!r}"
        )
    schema = table.schema.append(pyarrow.field(options.column, pyarrow.float64()))
    with (
        new_file(options.output, force=options.force, binary=True) as file,
        ParquetWriter(file, schema) as writer,
    ):

        def put(records, kept, probabilities):
            columns = [*records.filter(pyarrow.array(kept)).columns, pyarrow.array(probabilities)]
            writer.write_batch(pyarrow.RecordBatch.from_arrays(columns, schema=schema))

        yield put
