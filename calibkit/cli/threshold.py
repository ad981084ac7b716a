"""``calib threshold``: find the threshold at which the error among accepted rows is promised."""

import json

from calibkit.cli.arguments import columns_of, format_of
from calibkit.cli.output import Progress, note
from calibkit.cli.read import read_scores
from calibkit.cli.tables import InputError
from calibkit.inference.risk_control import (
    risk_controlled_threshold,
    risk_controlled_thresholds,
    rows_until_promise,
)

NOT_PROVED = (
    "the promise is proved for independent rows only, without weights and clusters: leave out the "
    "flag where each row is a case of its own, else draw one row of each cluster"
)


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
    promises = _promises(read, max_error=options.max_error, alpha=options.alpha)
    for sentence in read.notes:
        note(options, sentence)
    needed = rows_until_promise(
        max_error=options.max_error, alpha=options.alpha, n_groups=len(promises)
    )
    written = _promise_as_json if options.json else _promise_in_words
    for name, promise in promises.items():
        print(written(name, promise, needed, options))
    return 0


def _promises(read, *, max_error, alpha):
    """The threshold of all rows, or of each group, by the names that are printed."""
    if read.groups is None:
        promise = risk_controlled_threshold(
            read.labels, read.scores, max_error=max_error, alpha=alpha
        )
        return {"all": promise}
    return risk_controlled_thresholds(
        read.labels, read.scores, read.groups, max_error=max_error, alpha=alpha
    )


def _promise_as_json(name, promise, needed, options):
    """A line of JSON about a group."""
    record = {
        "group": name,
        **promise._asdict(),
        "share": promise.share,
        "max_error": options.max_error,
        "alpha": options.alpha,
        "rows_until_promise": needed,
    }
    return json.dumps(record)


def _promise_in_words(name, promise, needed, options):
    """A sentence about a group."""
    if promise.threshold is None:
        return (
            f"{name}: no threshold can be promised with these {promise.n_rows} rows; a promise "
            f"needs at least {needed} accepted rows, if none of them is an error"
        )
    return (
        f"{name}: accept from {promise.threshold:g} on, which automates {promise.share:.1%} of "
        f"the rows ({promise.n_accepted} of {promise.n_rows}, {promise.n_errors} of them errors); "
        f"the error among accepted rows is at most {options.max_error:g} with confidence "
        f"{1 - options.alpha:g}"
    )
