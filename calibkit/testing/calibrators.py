"""The checks of a calibrator."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from calib.base.probabilities import SMALLEST_PROBABILITY
from calibkit.testing.shared import (
    WEIGHTLESS_SCORE,
    Check,
    CheckError,
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

# new scores, none of them halfway between two scores of a sample
NEW_SCORES = np.append((np.arange(9) + 1 / np.pi) / 9, [0, WEIGHTLESS_SCORE, 1])
EXTREME_SCORES = np.array([0, np.nextafter(0, 1), 1e-300, 0.5, 1 - SMALLEST_PROBABILITY, 1])
HUGE_SCORES = np.array([-1e300, -50, 0, 50, 1e300])
ROWS_OF_ONE_SCORE = 1000  # rows of equal scores
MAX_ERROR_OF_ONE_SCORE = 0.002  # from the frequency of positives, since priors may count too


class CalibratorPromises(TypedDict, total=False):
    """The keyword arguments of `calibrator_checks`, which `check_calibrator` takes as well."""

    binary: bool
    monotone: bool
    ties: bool
    weights: bool | str | None
    unit: bool | None
    idempotent: bool
    array_like: bool
    reference: Callable[..., NDArray] | None
    tolerance: float


@dataclass(frozen=True)
class CalibratorSubject(Subject):
    """A calibrator from any package, whose numbers are probabilities of class 1 at new scores."""

    calibrator: object
    binary: bool

    def fresh(self):
        """Return a function of (scores, labels, weights, new_scores) with its own calibrator."""
        if not hasattr(self.calibrator, "fit"):
            return self.calibrator
        model = clone(self.calibrator, safe=False)

        def fit_predict(scores, labels, sample_weight, new_scores):
            model.fit(scores, labels, **weights_argument(sample_weight))
            predict = getattr(model, "predict_proba", None) or model.predict
            return predict(new_scores)

        return fit_predict

    def result(self, rows, queries=None, form=np.array, fit_predict=None):
        """Return a probability for each query, by default the scores of the sample and new ones."""
        queries = around(rows) if queries is None else queries
        fit_predict = fit_predict or self.fresh()

        def probabilities():
            predicted = fit_predict(
                form(self.columns(rows.scores)),
                form(rows.labels),
                rows.weights,
                form(self.columns(queries)),
            )
            predicted = np.asarray(predicted, dtype=float)
            return predicted[:, -1] if predicted.ndim == 2 else predicted

        given = self.given(rows, queries=queries)
        return attempt(probabilities, queries.shape, f"{queries.size} probabilities", given)

    def columns(self, scores):
        """Return the input of the calibrator: scores, or rows of two probabilities."""
        return scores if self.binary else np.column_stack([1 - scores, scores])

    def given(self, rows, at=..., queries=None, **options):
        """Return the arguments, with only the first wrong query if `at` marks the wrong ones."""
        queries = around(rows) if queries is None else queries
        return {
            "scores": rows.scores,
            "labels": rows.labels,
            "sample_weight": rows.weights,
            "new_scores": queries if at is ... else queries[at][:1],
        }

    def referred(self, rows):
        """Return the predictions of the reference."""
        return self.reference(rows.scores, rows.labels, rows.weights, around(rows))

    def require_probabilities(self, rows, queries=None):
        """Fail unless there are probabilities at the queries."""
        self.require_between(rows, 0, 1, queries=queries)


def around(rows):
    """Return the scores of a sample, others, and both ends, in order."""
    return np.unique(np.append(rows.scores, NEW_SCORES))


def check_probabilities(subject):
    """Predictions are numbers from 0 to 1 and never NaN."""
    for rows in samples():
        subject.require_probabilities(rows)


def check_new_scores(subject):
    """The prediction of a score does not depend on the other scores of the call."""
    meaning = "asked for in another order or with others"
    for rows in samples(ties=[True]):
        queries = np.append(rows.scores, NEW_SCORES)
        together = subject.result(rows, queries)
        for part in (slice(None, None, -1), slice(-1, None)):
            subject.require_equal(rows, together[part], meaning, queries=queries[part])


def check_one_score(subject, *, positives):
    """A calibrator of a sample of one score predicts the frequency of positives there."""
    n_rows = ROWS_OF_ONE_SCORE
    rows = CheckSample(np.full(n_rows, 0.3), np.repeat([1, 0], [positives, n_rows - positives]))
    frequency = positives / n_rows
    low = max(frequency - MAX_ERROR_OF_ONE_SCORE, 0)
    high = min(frequency + MAX_ERROR_OF_ONE_SCORE, 1)
    subject.require_between(rows, low, high, queries=rows.scores[:1])


def check_increasing(subject):
    """A higher score never has a lower probability."""
    for rows in samples():
        predicted = subject.result(rows)
        falls = np.flatnonzero(np.diff(predicted) < -subject.tolerance)
        if falls.size:
            pair = slice(falls[0], falls[0] + 2)
            given = subject.given(rows, queries=around(rows)[pair])
            raise CheckError("increasing numbers", f"{predicted[pair].tolist()}", **given)


def check_idempotence(subject):
    """Calibrating calibrated scores changes nothing."""
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


def check_far_out(subject, *, scores):
    """Scores at the ends of their range are fitted and calibrated."""
    of_both_classes = CheckSample(np.repeat(scores, 2), np.tile([0, 1], scores.size))
    for rows in (sample(12, 0, ties=False), of_both_classes):
        subject.require_probabilities(rows, scores)


def check_one_class(subject, *, ties):
    """Labels of one class are refused by a `ValueError`, or predicted."""
    for label in (0, 1):
        for rows in samples():
            with may_be_refused():
                labels = np.full_like(rows.labels, label)
                subject.require_probabilities(rows._replace(labels=labels))
        with may_be_refused():
            if ties:
                check_one_score(subject, positives=ROWS_OF_ONE_SCORE * label)


def check_rare_class(subject):
    """One positive row of three hundred is enough, at any score."""
    scores = sample(300, 0, ties=False).scores
    for score in np.quantile(scores, [0, 0.5, 1], method="nearest"):
        rows = CheckSample(scores, (scores == score).astype(np.int64))
        subject.require_probabilities(rows, NEW_SCORES)


def check_one_row(subject):
    """One row is refused by a `ValueError`, or gives probabilities."""
    for label in (0, 1):
        with may_be_refused():
            subject.require_probabilities(CheckSample(np.array([0.3]), np.array([label])))


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
    """Yield the checks of `check_calibrator`, for ``pytest.mark.parametrize(..., ids=str)``.

    The parameters are the same as in `check_calibrator`, without `on_fail`.

    Yields
    ------
    check : Check
        A check with a `name`; calling it raises `CheckError` if it fails. Checks that are not
        `promised` are included.

    Examples
    --------
    >>> from calib import IsotonicCalibrator
    >>> [check.name for check in calibrator_checks(IsotonicCalibrator())][:3]
    ['range', 'new scores', 'order of rows']
    """
    subject = CalibratorSubject(
        tolerance=tolerance, reference=reference, calibrator=calibrator, binary=binary
    )
    if weights is None:
        weights = takes_weights(calibrator.fit) if hasattr(calibrator, "fit") else True
    if unit is None:
        unit = getattr(calibrator, "unit_scores", True)
    quarter = ROWS_OF_ONE_SCORE // 4
    huge = binary and not unit
    return iter(
        [
            subject.check("range", check_probabilities),
            subject.check("new scores", check_new_scores),
            *common_checks(subject, weights=weights, array_like=array_like),
            subject.check("one score", check_one_score, promised=ties, positives=quarter),
            subject.check("increasing", check_increasing, promised=monotone),
            subject.check("idempotence", check_idempotence, promised=idempotent),
            subject.check("refit", check_refit),
            subject.check("extreme scores", check_far_out, scores=EXTREME_SCORES),
            subject.check("huge scores", check_far_out, promised=huge, scores=HUGE_SCORES),
            subject.check("one class", check_one_class, ties=ties),
            subject.check("rare class", check_rare_class),
            subject.check("one row", check_one_row),
        ]
    )


def check_calibrator(
    calibrator: object, *, on_fail: str | None = "raise", **promises: Unpack[CalibratorPromises]
) -> list[Outcome]:
    """Check that a calibrator, of this or another package, keeps the promises of a calibrator.

    The checks are the counterpart of scikit-learn's ``check_estimator`` for calibrators of scores.

    Parameters
    ----------
    calibrator : estimator or callable
        An object with ``fit(scores, labels)`` and ``predict_proba(scores)``, whose last column is
        used, or ``predict(scores)``, on scores of one dimension. It is cloned and not changed.
        Else a function ``fit_predict(scores, labels, sample_weight, new_scores)`` that returns
        the probabilities of class 1. `sample_weight` is None if there are no weights.
    binary : bool, default=True
        If False, the calibrator takes rows of probabilities with a column for each class, as the
        calibrators of `calibkit.multiclass` do. It is tried with two classes.
    monotone : bool, default=False
        Whether a higher score never has a lower probability.
    ties : bool, default=True
        Whether a sample of one score is given its frequency of positives, within 0.002 for a
        thousand rows. A map without an intercept cannot promise it.
    weights : bool or "positive", optional
        Whether a weight counts copies of its row; "positive" if none may be zero. By default a
        function promises it, and an estimator whose `fit` takes `sample_weight`.
    unit : bool, optional
        Whether scores must lie in [0, 1]. Otherwise huge scores are tried as well. By default
        ``calibrator.unit_scores``, or True where there is no such attribute.
    idempotent : bool, default=False
        Whether calibrating the calibrated scores of the sample changes nothing.
    array_like : bool, default=True
        Whether lists and columns of pandas (where it is installed) are taken.
    reference : callable, optional
        ``reference(scores, labels, weights, new_scores)``, from `calibkit.testing.references` or
        your own: predictions must agree with it on samples of 8 and 12 rows.
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
        If a check fails and `on_fail` is "raise": an `AssertionError` that names the check, the
        expected and the actual result, and the input, ready to be pasted.

    Notes
    -----
    Samples are small and always the same: 8, 12 and 40 rows whose labels no map of three
    parameters separates, since a likelihood without a maximum would not be the calibrator's fault.
    The checks make some two hundred fits. A `ValueError` is a right answer if there is only one
    class or one row.

    Examples
    --------
    >>> import numpy as np
    >>> from calibkit.testing import check_calibrator, references
    >>> def fit_predict(scores, labels, sample_weight, new_scores):
    ...     order = np.argsort(scores)  # forgets to sort the labels
    ...     running = np.maximum.accumulate(np.asarray(labels) * 0.9)
    ...     return np.interp(new_scores, np.asarray(scores)[order], running)
    >>> outcomes = check_calibrator(fit_predict, weights=False, on_fail=None)
    >>> [outcome.check for outcome in outcomes if outcome.outcome == "failed"]
    ['order of rows', 'order of ties', 'one score', 'one class']
    """
    return outcomes_of(calibrator_checks(calibrator, **promises), on_fail)
