"""The checks of a measure."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from calib.contract.options import check_choice
from calib.testing import shared
from calib.testing.shared import (
    Check,
    CheckError,
    Outcome,
    Sample,
    attempt,
    may_be_refused,
    outcomes_of,
    sample,
    samples,
)

OUTCOMES = np.repeat([0, 1, 0, 1, 0, 1], [15, 5, 10, 10, 5, 15])
CALIBRATED = Sample(np.repeat([0.25, 0.5, 0.75], 20), OUTCOMES)
CERTAIN = Sample(OUTCOMES.astype(float), OUTCOMES)
WRONG = Sample(np.repeat([0.1, 0.9], [40, 20]), np.repeat([1, 0], [40, 20]))
ENDS = Sample(np.array([0.0, 0.0, 0.5, 1.0, 1.0]), np.array([0, 1, 1, 0, 1]))
ONE_CLASS = sample(12, 0, ties=False)._replace(labels=np.zeros(12, dtype=np.int64))
ONE_ROW = Sample(np.array([0.3]), np.array([1]))
OFF_EDGES, DIGITS = 0.0005, 4  # of bins of equal width, which are half-open


class Kind(NamedTuple):
    """What the values of a measure mean."""

    highest: float  # the lowest is 0
    perfect: Sample
    right: float  # its value
    wrong: tuple[float, float]  # between these lies the value of WRONG


KINDS = {
    "error": Kind(1.0, CALIBRATED, 0.0, (0.2, 1.0)),
    "loss": Kind(np.inf, CERTAIN, 0.0, (0.5, np.inf)),
    "auc": Kind(1.0, CERTAIN, 1.0, (0.0, 0.0)),
    "p value": Kind(1.0, CALIBRATED, 1.0, (0.0, 0.01)),
}


@dataclass(frozen=True)
class Subject(shared.Subject):
    """A measure from anywhere: its value, in an array of one number."""

    measure: Callable
    kind: Kind

    def result(self, rows, form=np.array):
        """The value for a sample, whose scores are the predictions."""
        weights = {} if rows.weights is None else {"sample_weight": rows.weights}
        given = self.given(rows)
        measure = partial(self.measure, **weights)
        found = attempt(measure, form(rows.labels), form(rows.scores), **given)
        if found.shape != ():
            raise CheckError("one number", f"shape {found.shape}", **given)
        return found[np.newaxis]

    def given(self, rows, at=..., **options):
        """The arguments."""
        return dict(labels=rows.labels, probabilities=rows.scores, sample_weight=rows.weights)

    def referred(self, rows):
        """What the reference says."""
        return np.array([self.reference(rows.labels, rows.scores, rows.weights)])

    def require_within(self, rows, low, high):
        """Fail unless the value lies between both, give or take the tolerance."""
        self.require_between(rows, low, high, slack=self.tolerance)


def check_range(subject):
    """Values lie in their range and are never NaN."""
    for rows in samples():
        subject.require_within(rows, 0.0, subject.kind.highest)


def check_perfect(subject):
    """Perfect predictions have the best value."""
    subject.require_within(subject.kind.perfect, subject.kind.right, subject.kind.right)


def check_wrong(subject):
    """Predictions that are turned around have a bad value."""
    subject.require_within(WRONG, *subject.kind.wrong)


def check_other_class(subject):
    """Both classes exchanged, and their probabilities, the value stays."""
    for rows in samples(ties=[False]):
        rows = rows._replace(scores=rows.scores + OFF_EDGES)
        other = Sample(np.round(1 - rows.scores, DIGITS), 1 - rows.labels)
        subject.require_equal(other, subject.result(rows), "of the other class")


def check_ends(subject):
    """Predictions of 0 and 1 have a value, infinite only for a loss."""
    subject.require_within(ENDS, 0.0, subject.kind.highest)


def check_few(subject, *, rows):
    """One class, or one row: refused by a `ValueError`, or a value."""
    with may_be_refused():
        subject.require_within(rows, 0.0, subject.kind.highest)


def measure_checks(
    measure: Callable,
    *,
    kind: str,
    symmetric: bool = True,
    weights: bool | str | None = None,
    array_like: bool = True,
    reference: Callable[..., float] | None = None,
    tolerance: float = 1e-9,
) -> Iterator[Check]:
    """The checks of `check_measure` one by one, for ``pytest.mark.parametrize(..., ids=str)``.

    Parameters are those of `check_measure`.

    Yields
    ------
    check : Check
        With a `name`; calling it raises `CheckError` if it fails. Those that are not
        `promised` are among them.
    """
    check_choice(kind, KINDS, "kind")
    subject = Subject(tolerance, reference, measure, KINDS[kind])
    if weights is None:
        weights = "sample_weight" in inspect.signature(measure).parameters
    first = {
        "range": (check_range, True),
        "perfect predictions": (check_perfect, True),
        "wrong predictions": (check_wrong, True),
    }
    last = {
        "other class": (check_other_class, symmetric),
        "extreme predictions": (check_ends, True),
        "one class": (partial(check_few, rows=ONE_CLASS), True),
        "one row": (partial(check_few, rows=ONE_ROW), True),
    }
    return shared.checks_of(subject, first, last, weights, array_like)


def check_measure(
    measure: Callable, *, kind: str, on_fail: str | None = "raise", **promises: object
) -> list[Outcome]:
    """Check that a measure of calibration, accuracy or order keeps the promises of its kind.

    Parameters
    ----------
    measure : callable
        ``measure(labels, probabilities)`` that returns one number, and takes `sample_weight` if it
        takes weights.
    kind : {"error", "loss", "auc", "p value"}
        An error of calibration, from 0 (calibrated) to 1; the mean of a proper loss, 0 where the
        outcomes were predicted and above 1/2 where predictions of 0.9 and 0.1 are turned around;
        an area from 1 (all pairs in order) to 0; the p value of a test of calibration.
    symmetric : bool, default=True
        Whether the value stays as it is where both classes, and their probabilities, are
        exchanged.
    weights : bool or "positive", optional
        Whether a weight counts copies of its row; "positive" if none may be zero. By default
        where there is a `sample_weight`.
    array_like : bool, default=True
        Whether lists and columns of pandas (where it is installed) are taken.
    reference : callable, optional
        ``reference(labels, probabilities, weights)``, from `calib.testing.references` or your
        own: the definition, with which values must agree.
    tolerance : float, default=1e-9
        Two values that should be equal may differ by this.
    on_fail : {"raise", None}, default="raise"
        Whether to raise at the first failure, or to list it with the others.

    Returns
    -------
    outcomes : list of Outcome
        ``(check, outcome, failure)`` with "passed", "failed" or "not promised".

    Raises
    ------
    CheckError
        If a check fails and `on_fail` is "raise".
    ValueError
        If `kind` is none of these.

    Examples
    --------
    >>> import numpy as np
    >>> from calib.testing import check_measure, references
    >>> def auc(labels, probabilities):  # takes equal predictions as they come
    ...     falling = np.asarray(labels)[np.argsort(probabilities)][::-1]
    ...     won = np.cumsum(falling) @ (1 - falling)
    ...     return won / (falling.sum() * (1 - falling).sum())
    >>> outcomes = check_measure(auc, kind="auc", on_fail=None)
    >>> print(next(o.failure for o in outcomes if o.outcome == "failed"))
    order of ties: expected 0.4 (from rows in another order); found 0.485714286; given
    labels = [0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1]
    probabilities = [0.4, 0.4, 0.8, 0.9, 0.1, 0.2, 0.9, 0.4, 0.5, 0.6, 0.5, 0.6]
    """
    return outcomes_of(measure_checks(measure, kind=kind, **promises), on_fail)
