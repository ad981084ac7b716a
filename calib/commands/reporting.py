"""``calib report``: one page on one file of scores."""

from pathlib import Path

from calib.commands.reading import read_scores
from calib.commands.running import note, progress_of, reading_of
from calib.commands.writing import check_new, new_file
from calib.report import make_report


def run(options) -> int:
    """Read, measure, write the page or the JSON; returns the exit code."""
    check_new(options.output, force=options.force)
    with progress_of(options) as progress:
        read = read_scores(options.data, **reading_of(options), progress=progress)
    report = make_report(
        read.scores,
        read.labels,
        sample_weight=read.weights,
        groups=read.groups,
        name="standard input" if options.data == "-" else Path(options.data).name,
        notes=read.notes,
    )
    with new_file(options.output, force=options.force) as file:
        file.write(report.to_json() + "\n" if options.json else report.to_html())
    note(options, report.verdict.sentence)
    return 0
