"""``calib report``: judge the scores of a table, on one page."""

from pathlib import Path

from calib.commands.running import note, read_rows
from calib.commands.tables import InputError
from calib.commands.writing import check_new, new_file
from calib.report import make_report


def run(options) -> int:
    """Read, judge, write; returns the exit code."""
    check_new(options.output, force=options.force)
    if not options.json:
        _check_plotting()
    read = read_rows(options)
    report = make_report(
        read.scores,
        read.labels,
        sample_weight=read.weights,
        groups=read.groups,
        name="standard input" if options.data == "-" else Path(options.data).name,
        notes=[_columns(read.names, options.positive), *read.notes],
    )
    with new_file(options.output, force=options.force) as file:
        file.write(report.to_json() + "\n" if options.json else report.to_html())
    note(options, report.verdict.sentence)
    return 0


def _check_plotting():
    """Raise before the work if the page cannot be drawn after it."""
    try:
        import calib.report.drawing  # noqa: F401
    except ImportError as error:
        raise InputError(f"{error}; or pass --json") from None


def _columns(names, positive):
    """What was read from where."""
    found = ", ".join(f"{role} from {name!r}" for role, name in names.items())
    return f"Columns: {found}." + (f" Positive: {positive!r}." if positive is not None else "")
