"""The words of the command line. Nothing heavy is imported at once: ``calib --help`` is quick."""

import argparse

from calib import __version__

METHODS = {
    "isotonic": "IsotonicCalibrator",
    "platt": "PlattScaling",
    "temperature": "TemperatureScaling",
    "beta": "BetaCalibration",
    "quadratic": "QuadraticLogit",
    "spline": "SplineCalibrator",
    "stacked": "StackedCalibrator",
    "histogram": "HistogramBinning",
    "venn_abers": "VennAbers",
    "direct_isotonic": "DirectIsotonic",
    "bbq": "BBQ",
    "abb": "ABB",
    "enir": "ENIR",
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
LOOK = {
    "epilog": EPILOG,
    "formatter_class": argparse.RawDescriptionHelpFormatter,
    "allow_abbrev": False,
}


def parser() -> argparse.ArgumentParser:
    """The parser of all commands; ``module`` of what it returns has the function `command`."""
    purpose = (
        "Calibrate the scores of a binary classifier: from a file of scores to a map and back."
    )
    whole = argparse.ArgumentParser(prog="calib", description=purpose, **LOOK)
    whole.add_argument("--version", action="version", version=f"calib {__version__}")
    commands = whole.add_subparsers(dest="command", metavar="command", required=True)
    _report(_command(commands, "report", "learning", "judge scores, on one page"))
    _compare(_command(commands, "compare", "learning", "find out which calibrator gains most"))
    _fit(_command(commands, "fit", "learning", "learn a map from scores and labels"))
    _apply(_command(commands, "apply", "applying", "add calibrated probabilities to a table"))
    _export(_command(commands, "export", "applying", "write a map as a program or table"))
    _monitor(_command(commands, "monitor", "monitoring", "watch calibration, batch by batch"))
    _counts(_command(commands, "counts", "counting", "count equal rows, in files of any size"))
    return whole


def _command(commands, name, module, purpose):
    description = f"{purpose[0].upper()}{purpose[1:]}."
    command = commands.add_parser(name, help=purpose, description=description, **LOOK)
    command.set_defaults(module=f"calib.commands.{module}")
    return command


def _report(command):
    reading(command, "label", "weight", "group", "cluster")
    command.add_argument("--json", action="store_true", help="write numbers as JSON, not a page")
    command.add_argument(
        "--threshold",
        type=float,
        action="append",
        default=[],
        metavar="P",
        help="probability beyond which you act: cost of a false alarm / (that + cost of a miss); "
        "says what can escape there; may be repeated",
    )
    _output(command, "file for the page, HTML; - is standard output", required=True)


def _compare(command):
    reading(command, "label", "weight", "cluster")
    command.add_argument("--group", help=argparse.SUPPRESS)  # refused in words
    command.add_argument(
        "--loss", choices=("log", "brier"), default="log", help="what decides; default: log"
    )
    command.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _fit(command):
    reading(command, "label", "weight")
    command.add_argument(
        "--method", choices=METHODS, default="venn_abers", help="default: venn_abers"
    )
    command.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an argument of the method, such as n_bins=10; may be repeated",
    )
    _output(command, "file for the map, JSON; - is standard output", required=True)


def _apply(command):
    _map(command)
    reading(command)
    command.add_argument(
        "--column",
        default="calibrated",
        metavar="NAME",
        help="name of the column that is added; default: calibrated",
    )
    _output(command, "file for the table; default: standard output", default="-")


def _export(command):
    _map(command)
    command.add_argument("--to", choices=LANGUAGES, required=True, help="what to write")
    command.add_argument(
        "--score",
        default="score",
        metavar="NAME",
        help="name of the column in SQL, or of the input of ONNX; default: score",
    )
    command.add_argument(
        "--threshold",
        type=float,
        metavar="P",
        help="say in a comment at which scores the probability is at least P",
    )
    _output(command, "file for the program; default: standard output", default="-")


def _monitor(command):
    reading(command, "label", "weight", "group")
    command.add_argument(
        "--batch", type=int, default=500, metavar="ROWS", help="rows in a batch; default: 500"
    )
    command.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        help="probability of ever giving a false alarm, at most; default: 0.05",
    )
    command.add_argument(
        "--state",
        metavar="FILE",
        help="JSON that remembers what was seen: it is made if it is not there, else gone on with",
    )
    command.add_argument("--json", action="store_true", help="print a line of JSON for each batch")
    command.add_argument("--plot", metavar="FILE", help="draw the evidence: .svg, .png or .pdf")
    command.add_argument("--force", action="store_true", help="overwrite that picture")


def _counts(command):
    what = "CSV (also in gzip), Parquet, a folder of it, or a pattern in quotes, such as 'day*.csv'"
    command.add_argument("data", help=what)
    add = command.add_argument_group("columns, by name or by number from 1").add_argument
    for role in ("score", "label"):
        add(f"--{role}", required=True, metavar="COLUMN", help="kept as it is written")
    for role in ("group", "cluster"):
        add(f"--{role}", metavar="COLUMN", help="likewise; rows that differ in it stay apart")
    add("--weight", metavar="COLUMN", help="counts of an earlier run: they are added up")
    _text(command)
    _progress(command)
    command.add_argument(
        "--memory", metavar="SIZE", help="most that is taken, such as 2GB; the disk holds the rest"
    )
    _output(command, "file for the counts, .parquet or CSV; - is standard output", required=True)


def reading(command: argparse.ArgumentParser, *roles: str) -> None:
    """Add the flags that say what is read: of the `roles` beside the score those named."""
    command.add_argument(
        "data",
        help="CSV (also in gzip), a Parquet file, a folder of them, or - for standard input",
    )
    add = command.add_argument_group("columns, by name or by number from 1").add_argument
    add("--score", required=True, metavar="COLUMN", help="finite numbers")
    if "label" in roles:
        add("--label", required=True, metavar="COLUMN", help="0/1 or true/false, or see --positive")
        add("--positive", metavar="VALUE", help="the value of the label that is class 1")
    if "weight" in roles:
        add("--weight", metavar="COLUMN", help="counts: how many observations a row stands for")
    if "group" in roles:
        add("--group", metavar="COLUMN", help="group of each row, any text: judged one by one")
    if "cluster" in roles:
        what = "patient, account or the like of each row: rows of one are not independent"
        add("--cluster", metavar="COLUMN", help=what)
    _text(command)
    command.add_argument(
        "--drop-missing",
        action="store_true",
        help="leave out rows with a missing cell in the columns that are read, and say how many",
    )
    _progress(command)


def _text(command):
    add = command.add_argument_group("how the text is written; nothing is guessed").add_argument
    add("--separator", default=",", metavar="C", help="between cells, or tab; default: comma")
    add("--decimal", default=".", metavar="C", help="'.' or ','; default: '.'")
    add("--encoding", default="utf-8", help="default: utf-8")
    add("--no-header", action="store_true", help="the first line is a row")


def _progress(command):
    command.add_argument(
        "--progress", action="store_true", help="say how far it is, also without a terminal"
    )


def _map(command):
    command.add_argument("map", help="a map that calib fit wrote")


def _output(command, purpose, **how):
    command.add_argument("-o", "--output", metavar="FILE", help=purpose, **how)
    command.add_argument("--force", action="store_true", help="overwrite that file")


def format_of(options):
    """The `Format` of the text that is read."""
    from calib.commands.tables import Format  # which needs NumPy

    separator = "\t" if options.separator in ("tab", "\\t") else options.separator
    return Format(separator, options.decimal, options.encoding, not options.no_header)


def columns_of(options) -> dict:
    """What the flags of reading say, as arguments of `Columns`."""
    names = ("score", "label", "positive", "weight", "group", "cluster", "drop_missing")
    return {name: getattr(options, name) for name in names if hasattr(options, name)}
