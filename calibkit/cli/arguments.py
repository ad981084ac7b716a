"""The arguments of the command line.

Nothing heavy is imported when this module is loaded, so that ``calib --help`` is quick.
"""

import argparse

from calib import __version__

DEFAULT_METHOD = "stacked"
CLASSES_OF_METHODS = {  # values of `calib fit --method`, and names in calib or calibkit.comparison
    "stacked": "StackedCalibrator",
    "offset": "Offset",
    "isotonic": "IsotonicCalibrator",
    "platt": "PlattScaling",
    "temperature": "TemperatureScaling",
    "beta": "BetaCalibration",
    "quadratic": "QuadraticLogit",
    "spline": "SplineCalibrator",
    "histogram": "HistogramBinning",
    "venn_abers": "VennAbers",
    "direct_isotonic": "DirectIsotonic",
    "bbq": "BBQ",
    "abb": "ABB",
    "enir": "ENIR",
}
TITLE_OF_COLUMNS = "columns, by name or by number from 1"
HELP_OF_COLUMNS = {
    "score": "finite numbers",
    "label": "0/1 or true/false, or see --positive",
    "weight": "counts: how many observations a row stands for",
    "group": "group of each row, any text: judged one by one",
    "cluster": "patient, account or the like of each row: rows of one are not independent",
}
LANGUAGES = ("javascript", "sql", "onnx", "table")
EPILOG = """\
exit codes:
  0    done (monitor: no alarm)
  1    monitor: an alarm
  2    wrong arguments, or input that cannot be used; the message says where and what to do
  130  interrupted (Ctrl-C)
  141  the reader of the output has gone (a closed pipe)
  143  terminated

Nothing is overwritten without --force. A run that fails or is killed leaves no half-written file
under the name of the output.
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose help ends with the exit codes, and that takes no abbreviated flags."""

    def __init__(self, **settings):
        super().__init__(
            epilog=EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **settings,
        )


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands.

    It sets the options ``module`` and ``command``: the function ``run_<command>`` of the module
    runs the command.
    """
    purpose = (
        "Calibrate the scores of a binary classifier: from a file of scores to a map and back."
    )
    whole = _Parser(prog="calib", description=purpose)
    whole.add_argument("--version", action="version", version=f"calib {__version__}")
    commands = whole.add_subparsers(dest="command", metavar="command", required=True)
    _add_report(_command(commands, "report", "learn", "judge scores, on one page"))
    _add_compare(_command(commands, "compare", "learn", "compare calibrators: a table of gains"))
    purpose = "find a threshold with a promise on the error"
    _add_threshold(_command(commands, "threshold", "threshold", purpose))
    _add_fit(_command(commands, "fit", "learn", "learn a map from scores and labels"))
    _add_apply(_command(commands, "apply", "apply", "add calibrated probabilities to a table"))
    _add_export(_command(commands, "export", "apply", "write a map as a program or table"))
    _add_monitor(_command(commands, "monitor", "monitor", "watch calibration, batch by batch"))
    _add_counts(_command(commands, "counts", "count", "count equal rows, in files of any size"))
    return whole


def _command(commands, name, module, purpose):
    description = f"{purpose[0].upper()}{purpose[1:]}."
    command = commands.add_parser(name, help=purpose, description=description)
    command.set_defaults(module=f"calibkit.cli.{module}")
    return command


def _add_report(command):
    reading(command, "label", "weight", "group", "cluster")
    _switch(command, "--json", "write numbers as JSON, not a page")
    purpose = (
        "probability beyond which you act: cost of a false alarm / (false alarm + miss); "
        "the verdict then names the errors that can escape there; may be repeated"
    )
    _valued(command, "--threshold", "P", purpose, type=float, action="append", default=[])
    purpose = "find a threshold with the promise of at most a fraction R of errors in accepted rows"
    _valued(command, "--max-error", "R", purpose, type=float)
    purpose = "print the calibration items of the TRIPOD+AI checklist, in its order"
    _switch(command, "--clinical", purpose)
    purpose = "file for the page, HTML; - is standard output; may be left out with --clinical"
    _output_flags(command, purpose)


def _add_compare(command):
    reading(command, "label", "weight", "cluster")
    command.add_argument("--group", help=argparse.SUPPRESS)  # refused in words
    _valued(command, "--loss", None, "what decides", choices=("log", "brier"), default="log")
    _switch(command, "--json", "print JSON instead of a table")


def _add_threshold(command):
    reading(command, "label", "group")
    for role in ("weight", "cluster"):
        command.add_argument(f"--{role}", help=argparse.SUPPRESS)  # refused in words
    purpose = "largest fraction of errors among accepted rows"
    _valued(command, "--max-error", "R", purpose, type=float, required=True)
    purpose = "probability that the promise is broken, at most"
    _valued(command, "--alpha", None, purpose, type=float, default=0.05)
    _switch(command, "--json", "print a line of JSON for each group")


def _add_fit(command):
    reading(command, "label", "weight", "cluster")
    purpose = (
        "where positives are rare, probabilities of venn_abers are 5 to 40 %% too high in sum, "
        "unless --parameter centred=true"
    )
    _valued(command, "--method", None, purpose, choices=CLASSES_OF_METHODS, default=DEFAULT_METHOD)
    purpose = (
        "an argument of the method, such as n_bins=10, or scale=score for temperature on logits; "
        "may be repeated"
    )
    _valued(command, "--parameter", "NAME=VALUE", purpose, action="append", default=[])
    _output_flags(command, "file for the map, JSON; - is standard output", required=True)


def _add_apply(command):
    _map_argument(command)
    reading(command)
    _valued(command, "--column", "NAME", "name of the column that is added", default="calibrated")
    _output_flags(command, "file for the table; default: standard output", default="-")


def _add_export(command):
    _map_argument(command)
    command.add_argument("--to", choices=LANGUAGES, required=True, help="what to write")
    purpose = "name of the column in SQL, or of the input of ONNX"
    _valued(command, "--score", "NAME", purpose, default="score")
    purpose = "at most so many pieces in each table of the map; says how far that is from the map"
    _valued(command, "--max-pieces", "N", purpose, type=int)
    purpose = "say in a comment at which scores the probability is at least P"
    _valued(command, "--threshold", "P", purpose, type=float)
    _output_flags(command, "file for the program; default: standard output", default="-")


def _add_monitor(command):
    reading(command, "label", "weight", "group")
    _valued(command, "--batch", "ROWS", "rows in a batch", type=int, default=500)
    purpose = "probability of ever giving a false alarm, at most"
    _valued(command, "--alpha", None, purpose, type=float, default=0.05)
    purpose = "JSON file that keeps the state between runs; a missing file is created"
    _valued(command, "--state", "FILE", purpose)
    _switch(command, "--json", "print a line of JSON for each batch")
    _valued(command, "--plot", "FILE", "draw the evidence: .svg, .png or .pdf")
    _switch(command, "--force", "overwrite that picture")


def _add_counts(command):
    command.add_argument(
        "data",
        help="CSV (also in gzip), Parquet, a folder of it, or a pattern in quotes, such as "
        "'day*.csv'",
    )
    group = command.add_argument_group(TITLE_OF_COLUMNS)
    for role in ("score", "label"):
        _valued(group, f"--{role}", "COLUMN", "kept as it is written", required=True)
    for role in ("group", "cluster"):
        _valued(
            group, f"--{role}", "COLUMN", "kept as it is written; rows that differ in it stay apart"
        )
    _valued(group, "--weight", "COLUMN", "counts of an earlier run: they are added up")
    _text_flags(command)
    _progress_flag(command)
    _valued(command, "--memory", "SIZE", "most that is taken, such as 2GB; the disk holds the rest")
    _output_flags(
        command, "file for the counts, .parquet or CSV; - is standard output", required=True
    )


def reading(command: argparse.ArgumentParser, *roles: str) -> None:
    """Add the flags that name the table and its columns: the score and these other `roles`."""
    purpose = (
        "CSV (also in gzip), JSON lines, a Parquet file, a folder of them, or - for standard input"
    )
    command.add_argument("data", help=purpose)
    group = command.add_argument_group(TITLE_OF_COLUMNS)
    for role in ("score", *roles):
        required = role in ("score", "label")
        _valued(group, f"--{role}", "COLUMN", HELP_OF_COLUMNS[role], required=required)
        if role == "label":
            _valued(group, "--positive", "VALUE", "the value of the label that is class 1")
    _text_flags(command)
    purpose = "leave out rows with a missing cell in the columns that are read, and say how many"
    _switch(command, "--drop-missing", purpose)
    _progress_flag(command)


def _text_flags(command):
    group = command.add_argument_group("how the text is written; nothing is guessed")
    group.add_argument(
        "--separator", metavar="C", default=",", help="between cells, or tab; default: comma"
    )
    group.add_argument("--decimal", metavar="C", default=".", help="'.' or ','; default: '.'")
    _valued(group, "--encoding", None, "", default="utf-8")
    _switch(group, "--no-header", "the first line is a row")


def _progress_flag(command):
    _switch(command, "--progress", "say how far it is, also without a terminal")


def _map_argument(command):
    command.add_argument("map", help="a map that calib fit wrote")


def _output_flags(command, purpose, **how):
    command.add_argument("-o", "--output", metavar="FILE", help=purpose, **how)
    _switch(command, "--force", "overwrite that file")


def _switch(command, flag, purpose):
    command.add_argument(flag, action="store_true", help=purpose)


def _valued(command, flag, metavar, purpose, **how):
    """Add a flag with a value. Its help ends with the default."""
    default = f"default: {how['default']}" if how.get("default") else ""
    purpose = "; ".join(filter(None, [purpose, default]))
    command.add_argument(flag, metavar=metavar, help=purpose, **how)


def format_of(options):
    """Return the `Format` of the text that is read."""
    from calibkit.cli.tables import Format  # which needs NumPy

    separator = "\t" if options.separator in ("tab", "\\t") else options.separator
    return Format(
        separator=separator,
        decimal=options.decimal,
        encoding=options.encoding,
        header=not options.no_header,
    )


def columns_of(options) -> dict:
    """Return the values of the flags that `reading` adds, as arguments of `Columns`."""
    names = ("score", "label", "positive", "weight", "group", "cluster", "drop_missing")
    return {name: getattr(options, name) for name in names if hasattr(options, name)}
