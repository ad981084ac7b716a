"""``calib threshold``: find the threshold at which the error among accepted rows is promised."""

import json
from dataclasses import asdict

from calibkit.cli.arguments import columns_of, format_of
from calibkit.cli.output import Progress, note
from calibkit.cli.read import read_scores
from calibkit.cli.tables import InputError
from calibkit.report.promises import NOT_PROVED, promise_in_words, promises_of


def run_threshold(options) -> int:
    """Print the threshold of all rows, or of each group; return the exit code."""
    if options.weight is not None or options.cluster is not None:
        raise InputError(NOT_PROVED)
    with Progress(options.progress) as progress:
        read = read_scores(
            options.data,
            form=format_of(options),
            progress=progress,
            unit=True,
            **columns_of(options),
        )
    promises = promises_of(
        read.labels, read.scores, read.groups, max_error=options.max_error, alpha=options.alpha
    )
    for sentence in read.notes:
        note(options, sentence)
    for promise in promises:
        print(json.dumps(asdict(promise)) if options.json else promise_in_words(promise))
    return 0
