"""The checks of a calibrator."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from calib.contract.validation import NEAREST
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

GRID = (np.arange(9) + 1 / np.pi) / 9  # new scores, none of them halfway between two of a sample
SMALLEST = np.nextafter(0, 1)
ENDS = np.array([0, SMALLEST, 1e-300, 0.5, 1 - NEAREST, 1])
FAR = np.array([-1e300, -50, 0, 50, 1e300])
MOST_OFF = 0.002  # from the frequency of a thousand rows of one score: priors count, too


@dataclass(frozen=True)
class Subject:
    """A calibrator from anywhere, asked for the probability of class 1."""

    calibrator: object
    binary: bool
    tolerance: float
    reference: Callable | None

    def form(self, scores):
        """What the calibrator takes in place of scores."""
        return scores if self.binary else np.column_stack([1 - scores, scores])

    def fresh(self):
        """A function of (scores, labels, weights, new_scores) with a calibrator of its own."""
        if not hasattr(self.calibrator, "fit"):
            return self.calibrator
        model = clone(self.calibrator, safe=False)

        def fit_predict(scores, labels, sample_weight, new_scores):
            weights = {} if sample_weight is None else {"sample_weight": sample_weight}
            model.fit(scores, labels, **weights)
            predict = getattr(model, "predict_proba", None) or model.predict
            return predict(new_scores)

        return fit_predict

    def predict(self, rows, queries, fit_predict=None):
        """One number for each of the queries."""
        arguments = self.form(rows.scores), rows.labels, rows.weights, self.form(queries)
        return self.predict_formed(rows, queries, *arguments, fit_predict=fit_predict)

    def predict_formed(self, rows, queries, *arguments, fit_predict=None):
        """The same from arguments that have their form already."""
        given = given_by(rows, queries)
        found = attempt(fit_predict or self.fresh(), *arguments, **given)
        found = found[:, -1] if found.ndim == 2 else found
        if found.shape != queries.shape:
            raise CheckError(f"{queries.size} probabilities", f"shape {found.shape}", **given)
        return found

    def require_probabilities(self, rows, queries):
        """Probabilities at the queries; the check fails where there are none."""
        found = self.predict(rows, queries)
        wrong = ~((found >= 0) & (found <= 1))
        if wrong.any():
            given = given_by(rows, queries[wrong][:1])
            raise CheckError("a number from 0 to 1", f"{found[wrong][0]}", **given)
        return found

    def require_equal(self, found, expected, meaning, rows, queries):
        """Fail where two predictions differ, or only one of them is none."""
        off = ~np.isclose(found, expected, rtol=0, atol=self.tolerance, equal_nan=True)
        if off.any():
            given = given_by(rows, queries[off][:1])
            raise CheckError(f"{expected[off][0]:.9g} ({meaning})", f"{found[off][0]:.9g}", **given)


def given_by(rows, queries):
    """The arguments that a failure names."""
    named = {"scores": rows.scores, "labels": rows.labels, "sample_weight": rows.weights}
    return named | {"new_scores": queries}


def around(rows):
    """The scores of a sample, new ones, and both ends."""
    return np.concatenate([rows.scores, GRID])


def check_range(subject):
    """Predictions are numbers from 0 to 1 and never NaN."""
    for rows, _ in all_samples():
        subject.require_probabilities(rows, np.append(around(rows), [0.0, 1.0]))


def check_new_scores(subject):
    """The prediction of a score does not depend on what is asked for with it."""
    for rows, _ in samples(ties=True):
        queries = around(rows)
        together = subject.predict(rows, queries)
        backwards = subject.predict(rows, queries[::-1])[::-1]
        subject.require_equal(backwards, together, "asked for in another order", rows, queries)
        alone = subject.predict(rows, queries[-1:])
        subject.require_equal(alone, together[-1:], "asked for with others", rows, queries[-1:])


def check_order(subject, *, ties):
    """Another order of the rows changes nothing."""
    for rows, order in samples(ties=ties):
        queries = around(rows)
        expected = subject.predict(rows, queries)
        shuffled = rows.taken(order)
        found = subject.predict(shuffled, queries)
        subject.require_equal(found, expected, "from rows in another order", shuffled, queries)


def check_one_score(subject):
    """A sample of one score predicts its frequency there."""
    require_frequency(subject, 250)


def require_frequency(subject, positives):
    """Fail unless a thousand rows of one score are given their frequency of positives."""
    rows = Sample(np.full(1000, 0.3), np.repeat([1, 0], [positives, 1000 - positives]))
    found = subject.require_probabilities(rows, np.array([0.3]))[0]
    if abs(found - positives / 1000) > MOST_OFF:
        given = given_by(rows, np.array([0.3]))
        raise CheckError(f"about {positives / 1000}", f"{found:.6g}", **given)


def check_weights(subject, *, zeros):
    """A row of weight w counts as w rows, one of weight 0 as none."""
    for weighted, repeated in weighted_samples(zeros=zeros):
        queries = around(repeated)
        expected = subject.predict(repeated, queries)
        found = subject.predict(weighted, queries)
        subject.require_equal(found, expected, "from repeated rows", weighted, queries)


def check_idempotence(subject):
    """Calibrating what is calibrated changes nothing."""
    for rows, _ in all_samples():
        once = subject.predict(rows, rows.scores)
        twice = rows._replace(scores=once)
        subject.require_equal(subject.predict(twice, once), once, "it already", twice, once)


def check_refit(subject):
    """A second fit forgets the first."""
    before = sample(12, 7, ties=False)
    for rows, _ in all_samples():
        queries, fit_predict = around(rows), subject.fresh()
        expected = subject.predict(rows, queries)
        subject.predict(before, queries, fit_predict)
        found = subject.predict(rows, queries, fit_predict)
        subject.require_equal(found, expected, "fitted once", rows, queries)


def check_extremes(subject):
    """Scores of 0, 1 and next to them are fitted and calibrated."""
    ends = Sample(np.repeat(ENDS, 2), np.tile([0, 1], ENDS.size))
    for rows in (sample(12, 0, ties=False), ends):
        subject.require_probabilities(rows, ENDS)


def check_far(subject):
    """Margins may be huge."""
    for rows in (sample(12, 0, ties=False), Sample(np.repeat(FAR, 2), np.tile([0, 1], FAR.size))):
        subject.require_probabilities(rows, FAR)


def check_one_class(subject, *, ties):
    """Labels of one class are refused by a `ValueError`, or predicted."""
    for label in (0, 1):
        for rows, _ in samples(ties=False):
            one_class = rows._replace(labels=np.full_like(rows.labels, label))
            with may_be_refused():
                subject.require_probabilities(one_class, around(one_class))
        with may_be_refused():
            if ties:
                require_frequency(subject, 1000 * label)


def check_rare_class(subject):
    """One positive among three hundred rows will do, wherever it stands."""
    scores = sample(300, 0, ties=False).scores
    for place in (0, 150, 299):
        labels = np.zeros(300, dtype=np.int64)
        labels[np.argsort(scores)[place]] = 1
        subject.require_probabilities(Sample(scores, labels), GRID)


def check_one_row(subject):
    """One row is refused by a `ValueError`, or gives probabilities."""
    for label in (0, 1):
        with may_be_refused():
            subject.require_probabilities(Sample(np.array([0.3]), np.array([label])), GRID)


def check_increasing(subject):
    """A higher score never has a lower probability."""
    for rows, _ in all_samples():
        queries = np.unique(around(rows))
        found = subject.predict(rows, queries)
        falls = np.flatnonzero(np.diff(found) < -subject.tolerance)
        if falls.size:
            pair = slice(falls[0], falls[0] + 2)
            given = given_by(rows, queries[pair])
            raise CheckError("increasing numbers", f"{found[pair].tolist()}", **given)


def check_reference(subject, *, weighted):
    """Predictions are those of a slow exact reference."""
    cases = weighted_samples(sizes=FEW) if weighted else all_samples(FEW)
    for rows, _ in cases:
        queries = around(rows)
        expected = subject.reference(*rows, queries)
        found = subject.predict(rows, queries)
        subject.require_equal(found, expected, "the reference", rows, queries)


def check_input(subject, *, read_only):
    """Arguments are left as they are, and may be read-only."""
    rows = sample(12, 0, ties=True)
    arguments = [subject.form(rows.scores), rows.labels.copy(), None, subject.form(GRID)]
    with left_alone(arguments, read_only, given_by(rows, GRID)):
        subject.predict_formed(rows, GRID, *arguments)


def check_form(subject, *, form):
    """Lists, columns of pandas and numbers of 32 bits mean what their values mean."""
    for rows, _ in samples(ties=True):
        rows = rows._replace(scores=np.round(rows.scores * 64) / 64)  # exact in 32 bits
        queries = np.round(GRID * 64) / 64
        expected = subject.predict(rows, queries)
        arguments = subject.form(rows.scores), rows.labels, subject.form(queries)
        scores, labels, new_scores = map(form, arguments)
        found = subject.predict_formed(rows, queries, scores, labels, None, new_scores)
        subject.require_equal(found, expected, "from float64 arrays", rows, queries)


def calibrator_checks(
    calibrator: object,
    *,
    binary: bool = True,
    monotone: bool = False,
    ties: bool = True,
    weights: bool | str | None = None,
    unit: bool | None = None,
    idempotent: bool = False,
    array_like: bool = True,
    reference: Callable[..., NDArray] | None = None,
    tolerance: float = 1e-6,
) -> Iterator[Check]:
    """The checks of `check_calibrator` one by one, for ``pytest.mark.parametrize(..., ids=str)``.

    Parameters are those of `check_calibrator`.

    Yields
    ------
    check : Check
        With a `name`; calling it raises `CheckError` if it fails. Those that are not
        `promised` are among them.

    Examples
    --------
    >>> from calib import IsotonicCalibrator
    >>> [check.name for check in calibrator_checks(IsotonicCalibrator())][:3]
    ['range', 'new scores', 'order of rows']
    """
    subject = Subject(calibrator, binary, tolerance, reference)
    if weights is None:
        estimator = hasattr(calibrator, "fit")
        weights = has_fit_parameter(calibrator, "sample_weight") if estimator else True
    if unit is None:
        unit = getattr(calibrator, "unit_scores", True)
    compared = reference is not None
    table = {
        "range": (check_range, True),
        "new scores": (check_new_scores, True),
        "order of rows": (partial(check_order, ties=False), True),
        "order of ties": (partial(check_order, ties=True), True),
        "one score": (check_one_score, ties),
        "weights": (partial(check_weights, zeros=False), weights),
        "weight zero": (partial(check_weights, zeros=True), weights and weights != "positive"),
        "increasing": (check_increasing, monotone),
        "idempotence": (check_idempotence, idempotent),
        "reference": (partial(check_reference, weighted=False), compared),
        "reference with weights": (partial(check_reference, weighted=True), compared and weights),
        "refit": (check_refit, True),
        "extreme scores": (check_extremes, True),
        "huge scores": (check_far, binary and not unit),
        "one class": (partial(check_one_class, ties=ties), True),
        "rare class": (check_rare_class, True),
        "one row": (check_one_row, True),
        "input untouched": (partial(check_input, read_only=False), True),
        "read-only input": (partial(check_input, read_only=True), True),
        **{
            name: (partial(check_form, form=form), array_like or name == "float32")
            for name, form in FORMS.items()
        },
    }
    for name, (check, promised) in table.items():
        yield Check(name, partial(check, subject), promised)


def check_calibrator(
    calibrator: object, *, on_fail: str | None = "raise", **promises: object
) -> list[Outcome]:
    """Check that a calibrator from anywhere keeps the promises of one.

    It is to a calibrator of scores what scikit-learn's ``check_estimator`` is to an estimator.

    Parameters
    ----------
    calibrator : estimator or callable
        An object with ``fit(scores, labels)`` and ``predict_proba(scores)``, whose last column is
        used, or ``predict(scores)``, on scores of one dimension; it is cloned and not changed.
        Else a function ``fit_predict(scores, labels, sample_weight, new_scores)`` that returns
        the probabilities of class 1; `sample_weight` is None if there are no weights.
    binary : bool, default=True
        If False, the calibrator takes rows of probabilities with a column for each class, as
        those of `calib.multiclass` do; it is shown two classes.
    monotone : bool, default=False
        Whether a higher score never has a lower probability.
    ties : bool, default=True
        Whether a sample of one score is given its frequency of positives, within 0.002 for a
        thousand rows. A map without an intercept cannot promise it.
    weights : bool or "positive", optional
        Whether a weight counts copies of its row; "positive" if none may be zero. By default a
        function promises it, and an estimator whose `fit` takes `sample_weight`.
    unit : bool, optional
        Whether scores must lie in [0, 1]; else huge ones are tried, too. By default
        ``calibrator.unit_scores``, or True where there is no such attribute.
    idempotent : bool, default=False
        Whether calibrating the calibrated scores of the sample changes nothing.
    array_like : bool, default=True
        Whether lists and columns of pandas (where it is installed) are taken.
    reference : callable, optional
        ``reference(scores, labels, weights, new_scores)``, from `calib.testing.references` or your
        own: predictions must agree with it on samples of 8 and 12 rows.
    tolerance : float, default=1e-6
        Two predictions that should be equal may differ by this.
    on_fail : {"raise", None}, default="raise"
        Whether to raise at the first failure, or to list it with the others.

    Returns
    -------
    outcomes : list of Outcome
        ``(check, outcome, failure)`` with "passed", "failed" or "not promised".

    Raises
    ------
    CheckError
        If a check fails and `on_fail` is "raise": an `AssertionError` that names the check, what
        was expected and found, and the input, ready to be pasted.

    Notes
    -----
    Samples are small and always the same: 8, 12 and 40 rows whose labels no map of three
    parameters separates, since a likelihood without a maximum would not be the calibrator's fault.
    Some two hundred fits in all. A `ValueError` is a right answer where there is one class or
    one row only.

    Examples
    --------
    >>> import numpy as np
    >>> from calib.testing import check_calibrator, references
    >>> def fit_predict(scores, labels, sample_weight, new_scores):
    ...     order = np.argsort(scores)  # forgets to sort the labels
    ...     running = np.maximum.accumulate(np.asarray(labels) * 0.9)
    ...     return np.interp(new_scores, np.asarray(scores)[order], running)
    >>> outcomes = check_calibrator(fit_predict, weights=False, on_fail=None)
    >>> [outcome.check for outcome in outcomes if outcome.outcome == "failed"]
    ['order of rows', 'order of ties', 'one score', 'one class']
    """
    return outcomes_of(calibrator_checks(calibrator, **promises), on_fail)
