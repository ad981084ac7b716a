"""Warnings at the user's line, and estimators that survive a failed fit unchanged."""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's line: the first line of the call stack outside this package."""
    skipped = (
        "calib.",
        "calibkit.",
        "functools",
    )  # functools calls the cached properties of this package
    frame = sys._getframe()
    level = 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(skipped):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


@contextmanager
def restored_on_failure(estimator: object) -> Iterator[None]:
    """Restore the attributes of `estimator` if the block raises.

    An estimator that was fitted before keeps its fit, and one that was not stays unfitted.
    """
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
