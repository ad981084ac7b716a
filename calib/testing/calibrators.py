"""The checks of a calibrator."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from calib.contract.validation import NEAREST
from calib.testing import shared
from calib.testing.shared import (
    WEIGHTLESS,
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

# New scores, none of them halfway between two of a sample
GRID = np.append((np.arange(9) + 1 / np.pi) / 9, [0, WEIGHTLESS, 1])
ENDS = np.array([0, np.nextafter(0, 1), 1e-300, 0.5, 1 - NEAREST, 1])
FAR = np.array([-1e300, -50, 0, 50, 1e300])
MANY, MOST_OFF = 1000, 0.002  # rows of one score, and from their frequency: priors count, too


@dataclass(frozen=True)
class Subject(shared.Subject):
    """A calibrator from anywhere: its probabilities of class 1 at new scores."""

    calibrator: object
    binary: bool

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

    def result(self, rows, queries=None, form=np.array, fit_predict=None):
        """One number for each of the queries, by default the scores of the sample and new ones."""
        queries = around(rows) if queries is None else queries
        scores, new_scores = (form(self.columns(s)) for s in (rows.scores, queries))
        arguments = scores, form(rows.labels), rows.weights, new_scores
        given = self.given(rows, queries=queries)
        found = attempt(fit_predict or self.fresh(), *arguments, **given)
        found = found[:, -1] if found.ndim == 2 else found
        if found.shape != queries.shape:
            raise CheckError(f"{queries.size} probabilities", f"shape {found.shape}", **given)
        return found

    def columns(self, scores):
        """What the calibrator takes in place of scores."""
        return scores if self.binary else np.column_stack([1 - scores, scores])

    def given(self, rows, at=..., queries=None, **options):
        """The arguments; of the queries `at` which something is wrong the first."""
        queries = around(rows) if queries is None else queries
        new_scores = queries if at is ... else queries[at][:1]
        named = {"scores": rows.scores, "labels": rows.labels, "sample_weight": rows.weights}
        return named | {"new_scores": new_scores}

    def referred(self, rows):
        """What the reference says."""
        return self.reference(*rows, around(rows))

    def require_probabilities(self, rows, queries=None):
        """Fail unless there are probabilities at the queries."""
        self.require_between(rows, 0, 1, queries=queries)


def around(rows):
    """The scores of a sample, others, and both ends, in order."""
    return np.unique(np.append(rows.scores, GRID))


def check_range(subject):
    """Predictions are numbers from 0 to 1 and never NaN."""
    for rows in samples():
        subject.require_probabilities(rows)


def check_new_scores(subject):
    """The prediction of a score does not depend on what is asked for with it."""
    for rows in samples(ties=[True]):
        queries = np.append(rows.scores, GRID)
        together = subject.result(rows, queries)
        for part in (slice(None, None, -1), slice(-1, None)):
            expected, meaning = together[part], "asked for in another order or with others"
            subject.require_equal(rows, expected, meaning, queries=queries[part])


def check_one_score(subject, *, positives):
    """A sample of one score predicts its frequency there."""
    rows = Sample(np.full(MANY, 0.3), np.repeat([1, 0], [positives, MANY - positives]))
    frequency = positives / MANY
    low, high = max(frequency - MOST_OFF, 0), min(frequency + MOST_OFF, 1)
    subject.require_between(rows, low, high, queries=rows.scores[:1])


def check_increasing(subject):
    """A higher score never has a lower probability."""
    for rows in samples():
        found = subject.result(rows)
        falls = np.flatnonzero(np.diff(found) < -subject.tolerance)
        if falls.size:
            pair = slice(falls[0], falls[0] + 2)
            given = subject.given(rows, queries=around(rows)[pair])
            raise CheckError("increasing numbers", f"{found[pair].tolist()}", **given)


def check_idempotence(subject):
    """Calibrating what is calibrated changes nothing."""
    for rows in samples():
        once = subject.result(rows, rows.scores)
        subject.require_equal(rows._replace(scores=once), once, "it already", queries=once)


def check_refit(subject):
    """A second fit forgets the first."""
    for rows in samples():
        fit_predict = subject.fresh()
        subject.result(sample(12, 7, ties=False), fit_predict=fit_predict)
        expected = subject.result(rows)
        subject.require_equal(rows, expected, "fitted once", fit_predict=fit_predict)


def check_far_out(subject, *, ends):
    """Scores at the ends of their range are fitted and calibrated."""
    for rows in (sample(12, 0, ties=False), Sample(np.repeat(ends, 2), np.tile([0, 1], ends.size))):
        subject.require_probabilities(rows, ends)


def check_one_class(subject, *, ties):
    """Labels of one class are refused by a `ValueError`, or predicted."""
    for label in (0, 1):
        for rows in samples():
            with may_be_refused():
                labels = np.full_like(rows.labels, label)
                subject.require_probabilities(rows._replace(labels=labels))
        with may_be_refused():
            if ties:
                check_one_score(subject, positives=MANY * label)


def check_rare_class(subject):
    """One positive among three hundred rows will do, wherever it stands."""
    scores = sample(300, 0, ties=False).scores
    for score in np.quantile(scores, [0, 0.5, 1], method="nearest"):
        subject.require_probabilities(Sample(scores, (scores == score).astype(np.int64)), GRID)


def check_one_row(subject):
    """One row is refused by a `ValueError`, or gives probabilities."""
    for label in (0, 1):
        with may_be_refused():
            subject.require_probabilities(Sample(np.array([0.3]), np.array([label])))


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
    subject = Subject(tolerance, reference, calibrator, binary)
    if weights is None:
        estimator = hasattr(calibrator, "fit")
        weights = has_fit_parameter(calibrator, "sample_weight") if estimator else True
    if unit is None:
        unit = getattr(calibrator, "unit_scores", True)
    first = {"range": (check_range, True), "new scores": (check_new_scores, True)}
    last = {
        "one score": (partial(check_one_score, positives=MANY // 4), ties),
        "increasing": (check_increasing, monotone),
        "idempotence": (check_idempotence, idempotent),
        "refit": (check_refit, True),
        "extreme scores": (partial(check_far_out, ends=ENDS), True),
        "huge scores": (partial(check_far_out, ends=FAR), binary and not unit),
        "one class": (partial(check_one_class, ties=ties), True),
        "rare class": (check_rare_class, True),
        "one row": (check_one_row, True),
    }
    return shared.checks_of(subject, first, last, weights, array_like)


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
