"""Thresholds with a promise on the error, in records and in words."""

from collections.abc import Hashable

from calibkit.inference.risk_control import (
    RiskControlledThreshold,
    risk_controlled_threshold,
    risk_controlled_thresholds,
    rows_until_promise,
)
from calibkit.report.records import Promise

ALL_ROWS = "all"  # name of the promise for all rows
NOT_PROVED = (
    "the promise is proved for independent rows only, without weights and clusters: leave out the "
    "flag where each row is a case of its own, else draw one row of each cluster"
)


def promises_of(labels, scores, groups, *, max_error, alpha=0.05) -> tuple[Promise, ...]:
    """The threshold of all rows, or of each group so that all promises hold at once."""
    every: dict[Hashable, RiskControlledThreshold]
    if groups is None:
        whole = risk_controlled_threshold(labels, scores, max_error=max_error, alpha=alpha)
        every = {ALL_ROWS: whole}
    else:
        every = risk_controlled_thresholds(labels, scores, groups, max_error=max_error, alpha=alpha)
    needed = rows_until_promise(max_error=max_error, alpha=alpha, n_groups=len(every))
    return tuple(
        Promise(
            group=str(group),
            threshold=chosen.threshold,
            n_accepted=chosen.n_accepted,
            n_errors=chosen.n_errors,
            n_rows=chosen.n_rows,
            share=chosen.share,
            max_error=max_error,
            alpha=alpha,
            rows_until_promise=needed,
        )
        for group, chosen in every.items()
    )


def promise_in_words(promise: Promise) -> str:
    """A sentence about a threshold, or about the rows needed to find a threshold."""
    if promise.threshold is None:
        return (
            f"{promise.group}: no threshold can be promised with these {promise.n_rows} rows; a "
            f"promise needs at least {promise.rows_until_promise} accepted rows, if none of them "
            "is an error"
        )
    return (
        f"{promise.group}: accept from {promise.threshold:g} on, which automates "
        f"{promise.share:.1%} of the rows ({promise.n_accepted} of {promise.n_rows}, "
        f"{promise.n_errors} of them errors); the error among accepted rows is at most "
        f"{promise.max_error:g} with confidence {1 - promise.alpha:g}"
    )
