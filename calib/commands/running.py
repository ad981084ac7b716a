"""What the commands share: their options as arguments, and words for people."""

import sys
from contextlib import contextmanager

from calib.commands.progress import Progress
from calib.commands.reading import Scores, read_scores
from calib.commands.tables import Format


def format_of(options) -> Format:
    """How the text is written."""
    separator = "\t" if options.separator in ("tab", "\\t") else options.separator
    return Format(separator, options.decimal, options.encoding, not options.no_header)


def reading_of(options) -> dict:
    """What the flags of reading say, as arguments of `read_scores`."""
    names = ("score", "label", "positive", "weight", "group", "drop_missing")
    return {n: getattr(options, n) for n in names if hasattr(options, n)} | {
        "form": format_of(options)
    }


@contextmanager
def progress_of(options):
    """A `Progress` that is ended in any case."""
    progress = Progress(options.progress)
    try:
        yield progress
    finally:
        progress.end()


def note(options, sentence: str) -> None:
    """Tell people something, on standard error."""
    print(f"calib {options.command}: {sentence}", file=sys.stderr)


def read_rows(options) -> Scores:
    """All rows that the options ask for; what was done to them is said on standard error."""
    with progress_of(options) as progress:
        read = read_scores(options.data, **reading_of(options), progress=progress)
    for sentence in read.notes:
        note(options, sentence)
    return read
