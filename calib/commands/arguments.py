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
WHICH = "columns, by name or by number from 1"
COLUMNS = {
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
    _switch(command, "--json", "write numbers as JSON, not a page")
    what = (
        "probability beyond which you act: cost of a false alarm / (that + cost of a miss); "
        "says what can escape there; may be repeated"
    )
    _valued(command, "--threshold", "P", what, type=float, action="append", default=[])
    _output(command, "file for the page, HTML; - is standard output", required=True)


def _compare(command):
    reading(command, "label", "weight", "cluster")
    command.add_argument("--group", help=argparse.SUPPRESS)  # refused in words
    _valued(command, "--loss", None, "what decides", choices=("log", "brier"), default="log")
    _switch(command, "--json", "print JSON instead of a table")


def _fit(command):
    reading(command, "label", "weight")
    _valued(command, "--method", None, "", choices=METHODS, default="venn_abers")
    what = "an argument of the method, such as n_bins=10; may be repeated"
    _valued(command, "--parameter", "NAME=VALUE", what, action="append", default=[])
    _output(command, "file for the map, JSON; - is standard output", required=True)


def _apply(command):
    _map(command)
    reading(command)
    _valued(command, "--column", "NAME", "name of the column that is added", default="calibrated")
    _output(command, "file for the table; default: standard output", default="-")


def _export(command):
    _map(command)
    command.add_argument("--to", choices=LANGUAGES, required=True, help="what to write")
    what = "name of the column in SQL, or of the input of ONNX"
    _valued(command, "--score", "NAME", what, default="score")
    what = "say in a comment at which scores the probability is at least P"
    _valued(command, "--threshold", "P", what, type=float)
    _output(command, "file for the program; default: standard output", default="-")


def _monitor(command):
    reading(command, "label", "weight", "group")
    _valued(command, "--batch", "ROWS", "rows in a batch", type=int, default=500)
    what = "probability of ever giving a false alarm, at most"
    _valued(command, "--alpha", None, what, type=float, default=0.05)
    what = "JSON that remembers what was seen: it is made if it is not there, else gone on with"
    _valued(command, "--state", "FILE", what)
    _switch(command, "--json", "print a line of JSON for each batch")
    _valued(command, "--plot", "FILE", "draw the evidence: .svg, .png or .pdf")
    _switch(command, "--force", "overwrite that picture")


def _counts(command):
    what = "CSV (also in gzip), Parquet, a folder of it, or a pattern in quotes, such as 'day*.csv'"
    command.add_argument("data", help=what)
    group = command.add_argument_group(WHICH)
    for role in ("score", "label"):
        _valued(group, f"--{role}", "COLUMN", "kept as it is written", required=True)
    for role in ("group", "cluster"):
        _valued(group, f"--{role}", "COLUMN", "likewise; rows that differ in it stay apart")
    _valued(group, "--weight", "COLUMN", "counts of an earlier run: they are added up")
    _text(command)
    _progress(command)
    _valued(command, "--memory", "SIZE", "most that is taken, such as 2GB; the disk holds the rest")
    _output(command, "file for the counts, .parquet or CSV; - is standard output", required=True)


def reading(command: argparse.ArgumentParser, *roles: str) -> None:
    """Add the flags that say what is read: of the `roles` beside the score those named."""
    what = "CSV (also in gzip), a Parquet file, a folder of them, or - for standard input"
    command.add_argument("data", help=what)
    group = command.add_argument_group(WHICH)
    for role in ("score", *roles):
        required = role in ("score", "label")
        _valued(group, f"--{role}", "COLUMN", COLUMNS[role], required=required)
        if role == "label":
            _valued(group, "--positive", "VALUE", "the value of the label that is class 1")
    _text(command)
    what = "leave out rows with a missing cell in the columns that are read, and say how many"
    _switch(command, "--drop-missing", what)
    _progress(command)


def _text(command):
    group = command.add_argument_group("how the text is written; nothing is guessed")
    group.add_argument(
        "--separator", metavar="C", default=",", help="between cells, or tab; default: comma"
    )
    group.add_argument("--decimal", metavar="C", default=".", help="'.' or ','; default: '.'")
    _valued(group, "--encoding", None, "", default="utf-8")
    _switch(group, "--no-header", "the first line is a row")


def _progress(command):
    _switch(command, "--progress", "say how far it is, also without a terminal")


def _map(command):
    command.add_argument("map", help="a map that calib fit wrote")


def _output(command, purpose, **how):
    command.add_argument("-o", "--output", metavar="FILE", help=purpose, **how)
    _switch(command, "--force", "overwrite that file")


def _switch(command, flag, purpose):
    command.add_argument(flag, action="store_true", help=purpose)


def _valued(command, flag, metavar, purpose, **how):
    """A flag with a value, in whose help stands the default."""
    default = f"default: {how['default']}" if how.get("default") else ""
    purpose = "; ".join(filter(None, [purpose, default]))
    command.add_argument(flag, metavar=metavar, help=purpose, **how)


def format_of(options):
    """The `Format` of the text that is read."""
    from calib.commands.tables import Format  # which needs NumPy

    separator = "\t" if options.separator in ("tab", "\\t") else options.separator
    return Format(separator, options.decimal, options.encoding, not options.no_header)


def columns_of(options) -> dict:
    """What the flags of reading say, as arguments of `Columns`."""
    names = ("score", "label", "positive", "weight", "group", "cluster", "drop_missing")
    return {name: getattr(options, name) for name in names if hasattr(options, name)}
