"""The checks of a measure."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from calib.contract.validation import check_choice
from calib.testing.checking import (
    FEW,
    Check,
    CheckError,
    Outcome,
    Sample,
    all_samples,
    attempt,
    may_be_refused,
    outcomes_of,
    sample,
    samples,
    weighted_samples,
)
from calib.testing.forms import FORMS, left_alone

CALIBRATED = Sample(
    np.repeat([0.25, 0.5, 0.75], 20),
    np.concatenate([np.tile(four, 5) for four in ([0, 0, 0, 1], [0, 1, 0, 1], [0, 1, 1, 1])]),
)
WRONG = Sample(np.repeat([0.1, 0.9], [40, 20]), np.repeat([1, 0], [40, 20]))
OFF_EDGES, DIGITS = 0.0005, 4  # of bins of equal width, which are half-open


class Kind(NamedTuple):
    """What the value of a measure means."""

    highest: float  # of its values; the lowest is 0
    right: float  # value of perfect predictions
    certain: bool  # whether perfect predictions are the outcomes themselves
    wrong: tuple[float, float]  # the value of WRONG lies between these


KINDS = {
    "error": Kind(1.0, 0.0, False, (0.2, 1.0)),
    "loss": Kind(np.inf, 0.0, True, (0.5, np.inf)),
    "auc": Kind(1.0, 1.0, True, (0.0, 0.0)),
    "p value": Kind(1.0, 1.0, False, (0.0, 0.01)),
}


@dataclass(frozen=True)
class Subject:
    """A measure from anywhere."""

    measure: Callable
    kind: Kind
    tolerance: float
    reference: Callable | None

    def value(self, rows):
        """Its value for a sample, whose scores are the predictions."""
        return self.value_of(rows, rows.labels, rows.scores)

    def value_of(self, rows, labels, probabilities):
        """The same from arguments that have their form already."""
        weights = {} if rows.weights is None else {"sample_weight": rows.weights}
        given = given_by(rows)
        found = attempt(partial(self.measure, **weights), labels, probabilities, **given)
        if found.shape != ():
            raise CheckError("one number", f"shape {found.shape}", **given)
        return found

    def require_between(self, rows, low, high):
        """Fail unless the value lies between both."""
        found = self.value(rows)
        if not low - self.tolerance <= found <= high + self.tolerance:
            raise CheckError(f"a number from {low} to {high}", f"{found}", **given_by(rows))

    def require_equal(self, found, expected, meaning, rows):
        """Fail where two values differ."""
        if not np.isclose(found, expected, rtol=0, atol=self.tolerance, equal_nan=True):
            raise CheckError(f"{expected:.9g} ({meaning})", f"{found:.9g}", **given_by(rows))


def given_by(rows):
    """The arguments that a failure names."""
    return {"labels": rows.labels, "probabilities": rows.scores, "sample_weight": rows.weights}


def check_range(subject):
    """Values lie in their range and are never NaN."""
    for rows, _ in all_samples():
        subject.require_between(rows, 0.0, subject.kind.highest)


def check_perfect(subject):
    """Perfect predictions have the best value."""
    best, rows = subject.kind.right, CALIBRATED
    if subject.kind.certain:
        rows = CALIBRATED._replace(scores=CALIBRATED.labels.astype(float))
    subject.require_between(rows, best, best)


def check_wrong(subject):
    """Predictions that are turned around have a bad value."""
    subject.require_between(WRONG, *subject.kind.wrong)


def check_order(subject, *, ties):
    """Another order of the rows changes nothing."""
    for rows, order in samples(ties=ties):
        shuffled = rows.taken(order)
        found = subject.value(shuffled)
        subject.require_equal(found, subject.value(rows), "in another order", shuffled)


def check_weights(subject, *, zeros):
    """A row of weight w counts as w rows, one of weight 0 as none."""
    for weighted, repeated in weighted_samples(zeros=zeros):
        found = subject.value(weighted)
        subject.require_equal(found, subject.value(repeated), "from repeated rows", weighted)


def check_symmetry(subject):
    """Both classes exchanged, and their probabilities, the value stays."""
    for rows, _ in samples(ties=False):
        rows = rows._replace(scores=rows.scores + OFF_EDGES)
        other = Sample(np.round(1 - rows.scores, DIGITS), 1 - rows.labels)
        subject.require_equal(subject.value(other), subject.value(rows), "the other class", other)


def check_extremes(subject):
    """Predictions of 0 and 1 have a value, infinite only for a loss."""
    rows = Sample(np.array([0.0, 0.0, 0.5, 1.0, 1.0]), np.array([0, 1, 1, 0, 1]))
    subject.require_between(rows, 0.0, subject.kind.highest)


def check_few(subject, *, rows):
    """One class, or one row: refused by a `ValueError`, or a value."""
    with may_be_refused():
        subject.require_between(rows, 0.0, subject.kind.highest)


def check_reference(subject, *, weighted):
    """Values are those of a slow exact reference."""
    cases = weighted_samples(sizes=FEW) if weighted else all_samples(FEW)
    for rows, _ in cases:
        expected = subject.reference(rows.labels, rows.scores, rows.weights)
        subject.require_equal(subject.value(rows), expected, "the reference", rows)


def check_input(subject, *, read_only):
    """Arguments are left as they are, and may be read-only."""
    rows = sample(12, 0, ties=True)
    arguments = [rows.labels.copy(), rows.scores.copy()]
    with left_alone(arguments, read_only, given_by(rows)):
        subject.value_of(rows, *arguments)


def check_form(subject, *, form):
    """Lists, columns of pandas and numbers of 32 bits mean what their values mean."""
    for rows, _ in samples(ties=True):
        rows = rows._replace(scores=np.round(rows.scores * 64) / 64)  # exact in 32 bits
        found = subject.value_of(rows, form(rows.labels), form(rows.scores))
        subject.require_equal(found, subject.value(rows), "from float64 arrays", rows)


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
    subject = Subject(measure, KINDS[kind], tolerance, reference)
    if weights is None:
        weights = "sample_weight" in inspect.signature(measure).parameters
    compared = reference is not None
    one_class = sample(12, 0, ties=False)
    one_class = one_class._replace(labels=np.zeros_like(one_class.labels))
    one_row = Sample(np.array([0.3]), np.array([1]))
    table = {
        "range": (check_range, True),
        "perfect predictions": (check_perfect, True),
        "wrong predictions": (check_wrong, True),
        "order of rows": (partial(check_order, ties=False), True),
        "order of ties": (partial(check_order, ties=True), True),
        "weights": (partial(check_weights, zeros=False), weights),
        "weight zero": (partial(check_weights, zeros=True), weights and weights != "positive"),
        "other class": (check_symmetry, symmetric),
        "reference": (partial(check_reference, weighted=False), compared),
        "reference with weights": (partial(check_reference, weighted=True), compared and weights),
        "extreme predictions": (check_extremes, True),
        "one class": (partial(check_few, rows=one_class), True),
        "one row": (partial(check_few, rows=one_row), True),
        "input untouched": (partial(check_input, read_only=False), True),
        "read-only input": (partial(check_input, read_only=True), True),
        **{
            name: (partial(check_form, form=form), array_like or name == "float32")
            for name, form in FORMS.items()
        },
    }
    for name, (check, promised) in table.items():
        yield Check(name, partial(check, subject), promised)


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
    order of ties: expected 0.4 (in another order); found 0.485714286; given
    labels = [1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1]
    probabilities = [0.5, 0.2, 0.9, 0.8, 0.1, 0.9, 0.6, 0.4, 0.4, 0.6, 0.5, 0.4]
    """
    return outcomes_of(measure_checks(measure, kind=kind, **promises), on_fail)
