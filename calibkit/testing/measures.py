"""The checks of a measure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypedDict, Unpack

import numpy as np

from calib.base.options import check_choice
from calibkit.testing.shared import (
    Check,
    CheckSample,
    Outcome,
    Subject,
    attempt,
    common_checks,
    may_be_refused,
    outcomes_of,
    sample,
    samples,
    takes_weights,
    weights_argument,
)

OUTCOMES = np.repeat([0, 1, 0, 1, 0, 1], [15, 5, 10, 10, 5, 15])
CALIBRATED_SAMPLE = CheckSample(np.repeat([0.25, 0.5, 0.75], 20), OUTCOMES)
PERFECT_SAMPLE = CheckSample(OUTCOMES.astype(float), OUTCOMES)
REVERSED_SAMPLE = CheckSample(np.repeat([0.1, 0.9], [40, 20]), np.repeat([1, 0], [40, 20]))
EXTREME_SAMPLE = CheckSample(np.array([0.0, 0.0, 0.5, 1.0, 1.0]), np.array([0, 1, 1, 0, 1]))
ONE_CLASS_SAMPLE = sample(12, 0, ties=False)._replace(labels=np.zeros(12, dtype=np.int64))
ONE_ROW_SAMPLE = CheckSample(np.array([0.3]), np.array([1]))
SHIFT_OFF_EDGES = 0.0005  # moves scores off the edges of bins of equal width, which are half-open
DIGITS_OF_SHIFTED_SCORES = 4  # decimals, to which shifted scores are rounded


class MeasureKind(NamedTuple):
    """The range of a kind of measure, and its values for two samples."""

    highest: float  # the lowest value is 0
    best_sample: CheckSample
    best_value: float  # for `best_sample`
    lowest_reversed: float  # for `REVERSED_SAMPLE`
    highest_reversed: float


MEASURE_KINDS = {
    "error": MeasureKind(
        highest=1.0,
        best_sample=CALIBRATED_SAMPLE,
        best_value=0.0,
        lowest_reversed=0.2,
        highest_reversed=1.0,
    ),
    "loss": MeasureKind(
        highest=np.inf,
        best_sample=PERFECT_SAMPLE,
        best_value=0.0,
        lowest_reversed=0.5,
        highest_reversed=np.inf,
    ),
    "auc": MeasureKind(
        highest=1.0,
        best_sample=PERFECT_SAMPLE,
        best_value=1.0,
        lowest_reversed=0.0,
        highest_reversed=0.0,
    ),
    "p value": MeasureKind(
        highest=1.0,
        best_sample=CALIBRATED_SAMPLE,
        best_value=1.0,
        lowest_reversed=0.0,
        highest_reversed=0.01,
    ),
}


class MeasurePromises(TypedDict, total=False):
    """The optional arguments of `measure_checks`, which `check_measure` takes as well."""

    symmetric: bool
    weights: bool | str | None
    array_like: bool
    reference: Callable[..., float] | None
    tolerance: float


@dataclass(frozen=True)
class MeasureSubject(Subject):
    """A measure from any package, whose number is its value."""

    measure: Callable
    kind: MeasureKind

    def result(self, rows, form=np.array):
        """Return the value for a sample in an array of one number."""

        def value():
            weights = weights_argument(rows.weights)
            return self.measure(form(rows.labels), form(rows.scores), **weights)

        return attempt(value, (), "one number", self.given(rows))[np.newaxis]

    def given(self, rows, at=..., **options):
        """Return the arguments."""
        return {
            "labels": rows.labels,
            "probabilities": rows.scores,
            "sample_weight": rows.weights,
        }

    def referred(self, rows):
        """Return the value of the reference."""
        return np.array([self.reference(rows.labels, rows.scores, rows.weights)])

    def require_within(self, rows, low, high):
        """Fail unless the value lies between both, give or take the tolerance."""
        self.require_between(rows, low, high, slack=self.tolerance)


def check_values(subject):
    """Values lie in their range and are never NaN."""
    for rows in samples():
        subject.require_within(rows, 0.0, subject.kind.highest)


def check_perfect(subject):
    """Perfect predictions have the best value."""
    best = subject.kind.best_value
    subject.require_within(subject.kind.best_sample, best, best)


def check_reversed(subject):
    """Predictions that are turned around have a bad value."""
    kind = subject.kind
    subject.require_within(REVERSED_SAMPLE, kind.lowest_reversed, kind.highest_reversed)


def check_other_class(subject):
    """The value stays if both classes, and their probabilities, are exchanged."""
    for on_edges in samples(ties=[False]):
        rows = on_edges._replace(scores=on_edges.scores + SHIFT_OFF_EDGES)
        scores = np.round(1 - rows.scores, DIGITS_OF_SHIFTED_SCORES)
        other = CheckSample(scores, 1 - rows.labels)
        subject.require_equal(other, subject.result(rows), "of the other class")


def check_extremes(subject):
    """Predictions of 0 and 1 have a value, infinite only for a loss."""
    subject.require_within(EXTREME_SAMPLE, 0.0, subject.kind.highest)


def check_few(subject, *, rows):
    """Labels of one class, or one row, are refused by a `ValueError`, or have a value."""
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
    """Yield the checks of `check_measure`, for ``pytest.mark.parametrize(..., ids=str)``.

    The parameters are the same as in `check_measure`, without `on_fail`.

    Yields
    ------
    check : Check
        A check with a `name`; calling it raises `CheckError` if it fails. Checks that are not
        `promised` are included.
    """
    check_choice(kind, MEASURE_KINDS, "kind")
    subject = MeasureSubject(
        tolerance=tolerance, reference=reference, measure=measure, kind=MEASURE_KINDS[kind]
    )
    if weights is None:
        weights = takes_weights(measure)
    return iter(
        [
            subject.check("range", check_values),
            subject.check("perfect predictions", check_perfect),
            subject.check("wrong predictions", check_reversed),
            *common_checks(subject, weights=weights, array_like=array_like),
            subject.check("other class", check_other_class, promised=symmetric),
            subject.check("extreme predictions", check_extremes),
            subject.check("one class", check_few, rows=ONE_CLASS_SAMPLE),
            subject.check("one row", check_few, rows=ONE_ROW_SAMPLE),
        ]
    )


def check_measure(
    measure: Callable,
    *,
    kind: str,
    on_fail: str | None = "raise",
    **promises: Unpack[MeasurePromises],
) -> list[Outcome]:
    """Check that a measure of calibration, accuracy or order keeps the promises of its kind.

    Parameters
    ----------
    measure : callable
        ``measure(labels, probabilities)`` that returns one number, and takes `sample_weight` if it
        takes weights.
    kind : {"error", "loss", "auc", "p value"}
        ``"error"`` is an error of calibration, from 0 (calibrated) to 1. ``"loss"`` is the mean of
        a proper loss, which is 0 if the predictions equal the outcomes, and above 1/2 if all
        positives have the prediction 0.1 and all negatives have 0.9. ``"auc"`` is an area from 1
        (all pairs in order) to 0. ``"p value"`` is the p value of a test of calibration.
    symmetric : bool, default=True
        Whether the value stays if both classes, and their probabilities, are exchanged.
    weights : bool or "positive", optional
        Whether a weight counts copies of its row; "positive" if none may be zero. By default
        where there is a `sample_weight`.
    array_like : bool, default=True
        Whether lists and columns of pandas (where it is installed) are taken.
    reference : callable, optional
        ``reference(labels, probabilities, weights)``, from `calibkit.testing.references` or your
        own. The reference computes the measure by its definition, and the values must agree with
        it.
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
    >>> from calibkit.testing import check_measure, references
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
