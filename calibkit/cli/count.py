"""``calib counts``: replace equal rows by one row and their number, in files of any size."""

import glob
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from calibkit.cli.arguments import format_of
from calibkit.cli.output import SECONDS_BETWEEN, check_new, new_file, note
from calibkit.cli.read import ROLES
from calibkit.cli.tables import GZIP, InputError, JSONLines, Parquet, open_table, short

COUNT = "count"  # name of the column that is added


def run_counts(options) -> int:
    """Group the rows of all files, and write the distinct ones; return the exit code."""
    check_new(options.output, force=options.force)
    files, table = _files(options.data, format_of(options))
    query = _query(options, table)
    parent = None if options.output == "-" else Path(options.output).resolve().parent
    with tempfile.TemporaryDirectory(dir=parent, prefix=".calib-counts-") as folder:
        path = Path(folder, "counts")
        _group(query, files, table, options, path)
        output = new_file(options.output, force=options.force, binary=True)
        with open(path, "rb") as grouped, output as file:
            shutil.copyfileobj(grouped, file)
    note(options, f"read the counts with --weight {COUNT}")
    return 0


def _files(data, form):
    """Return the files that `data` names, and the first one as a table.

    All files must have the same columns.
    """
    if os.path.isdir(data):
        paths = sorted(map(str, Path(data).glob("*.parquet")))
    else:
        paths = [data] if os.path.exists(data) else sorted(glob.glob(data, recursive=True))
    if not paths:
        raise InputError(f"{data}: no such file; name one, a folder of *.parquet, or a pattern")
    first = None
    for path in paths:
        with open_table(path, form) as table:
            first = first or table
        if type(table) is not type(first) or table.names != first.names:
            raise InputError(f"{path} has other columns than {paths[0]}: store them alike")
        if table.skipped != first.skipped:
            raise InputError(
                f"{path} and {paths[0]} do not both begin with a line for Excel (sep=...): store "
                "them alike"
            )
    if isinstance(first, Parquet):
        first.names = first.header = [*first.names, *_partition_keys(paths[0], first.names)]
    return paths, first


def _partition_keys(path, names):
    """Names of the columns that stand in the folders of a path, as in ``day=1/rows.parquet``."""
    keys = [folder.partition("=")[0] for folder in Path(path).parts[:-1] if "=" in folder]
    return [key for key in keys if key not in names]


def _query(options, table):
    """SQL that counts equal rows of the view ``given``."""
    asked = {role: getattr(options, role) for role in ROLES if getattr(options, role) is not None}
    names = {role: table.names[table.find(name, f"--{role}")] for role, name in asked.items()}
    grouped = dict.fromkeys(name for role, name in names.items() if role != "weight")
    if COUNT in grouped:
        raise InputError(f"a column has the name {COUNT!r} of the new column: rename it")
    number = f"sum(CAST({_quoted(names['weight'])} AS DOUBLE))" if "weight" in names else "count(*)"
    columns = ", ".join(map(_quoted, grouped))
    return f"SELECT {columns}, {number} AS {COUNT} FROM given GROUP BY ALL ORDER BY ALL"


def _group(query, files, table, options, path):
    """Write the query's result to the file `path`, and data beyond memory to its folder."""
    try:
        import duckdb
    except ImportError:
        raise InputError('this needs DuckDB: pip install "duckdb>=1.3"') from None
    settings = {
        "temp_directory": str(path.parent),
        "autoinstall_known_extensions": False,  # nothing is downloaded, whatever a file is called
        "autoload_known_extensions": False,
    }
    if options.memory:
        settings["memory_limit"] = options.memory
    form = "parquet" if options.output.endswith(".parquet") else "csv"
    try:
        with duckdb.connect(config=settings) as connection:
            _all_rows(connection, files, table).create_view("given")
            name = str(path).replace("'", "''")
            _watched(connection, f"COPY ({query}) TO '{name}' (FORMAT {form})", options.progress)
    except duckdb.Error as error:
        fault = " ".join(str(error).partition("Possible fixes")[0].split())
        raise InputError(f"{options.data}: {short(fault, 300)}") from None


def _all_rows(connection, files, table):
    """Relation of all rows. Cells of text stay as written: the reader of the counts checks them."""
    patterns = [glob.escape(path) for path in files]
    if isinstance(table, Parquet):
        return connection.read_parquet(patterns, hive_partitioning=True)
    if isinstance(table, JSONLines):
        return connection.read_json(patterns, format="newline_delimited", sample_size=-1)
    with open(files[0], "rb") as file:
        packed = file.read(len(GZIP)) == GZIP
    return connection.read_csv(
        patterns,
        columns=dict.fromkeys(table.names, "VARCHAR"),
        auto_detect=False,
        header=table.format.header,
        skiprows=table.skipped,
        delimiter=table.format.separator,
        quotechar='"',
        escapechar='"',
        encoding=table.format.encoding,
        compression="gzip" if packed else "none",
    )


def _watched(connection, statement, wanted):
    """Execute a statement, and print its progress if that is `wanted` or on a terminal."""
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(connection.execute, statement)
        try:
            while not work.done():
                try:
                    work.result(SECONDS_BETWEEN)
                except TimeoutError:
                    percent = connection.query_progress()
                    if (wanted or sys.stderr.isatty()) and percent > 0:
                        print(f"{percent:.0f} %", file=sys.stderr, flush=True)
        except BaseException:
            connection.interrupt()
            raise
        work.result()


def _quoted(name):
    """An identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'
