"""The samples and checks that calibrators and measures share, and the text of a failure."""

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.base.options import check_choice

MAX_PRINTED_NUMBERS = 40  # numbers of an array that are printed one by one
MAX_PRINTED_RUNS = 8  # runs of equal numbers that are printed as products
SAMPLE_SIZES = (8, 12, 40)  # rows
SEEDS_OF_A_SIZE = 2  # samples of each size
# rows of samples for references, whose time grows with the third power of the rows, or with 2^n
REFERENCE_SIZES = SAMPLE_SIZES[:2]
# changes of the label in the order of the scores: no map of three parameters separates the classes
MIN_LABEL_CHANGES = 3
WEIGHTLESS_SCORE = 0.05  # score of the row with weight 0


class CheckError(AssertionError):
    """A failed check: expected and actual result, and the input, ready to be pasted.

    Attributes
    ----------
    check : str
        Name of the check.
    expected, found : str
    given : str
        One assignment for each argument.
    """

    def __init__(self, expected: str, found: str, **given: ArrayLike | None):
        super().__init__(expected, found)
        self.check = ""
        self.expected = expected
        self.found = found
        self.given = "\n".join(
            f"{name} = {pasted(values)}" for name, values in given.items() if values is not None
        )

    def __str__(self) -> str:
        return f"{self.check}: expected {self.expected}; found {self.found}; given\n{self.given}"


class Outcome(NamedTuple):
    """The outcome of a check.

    Attributes
    ----------
    check : str
        Name of the check.
    outcome : {"passed", "failed", "not promised"}
        ``"not promised"`` is for a check that was not run, because the caller did not say that its
        property holds.
    failure : CheckError or None
        The error of a check that failed.
    """

    check: str
    outcome: str
    failure: CheckError | None = None


@dataclass(frozen=True)
class Check:
    """A named check: calling it raises `CheckError` if it fails."""

    name: str
    run: Callable[[], None]
    promised: bool = True

    def __call__(self) -> None:
        """Run the check, with warnings switched off."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                self.run()
            except CheckError as error:
                error.check = self.name
                raise

    def __str__(self) -> str:
        return self.name


def outcomes_of(checks: Iterable[Check], on_fail: str | None) -> list[Outcome]:
    """Run the promised ones of `checks`; raise at the first failure if `on_fail` says so."""
    if on_fail is not None:
        check_choice(on_fail, ["raise"], "on_fail")
    outcomes = []
    for check in checks:
        outcome = Outcome(check.name, "passed" if check.promised else "not promised")
        if check.promised:
            try:
                check()
            except CheckError as failure:
                if on_fail == "raise":
                    raise
                outcome = Outcome(check=check.name, outcome="failed", failure=failure)
        outcomes.append(outcome)
    return outcomes


def attempt(
    run: Callable[[], ArrayLike],
    shape: tuple[int, ...],
    expected: str,
    given: dict[str, ArrayLike | None],
) -> NDArray:
    """Return the result of `run` as an array of floats.

    An exception, or another shape than `shape`, fails the check.
    """
    try:
        result = np.asarray(run(), dtype=float)
    except Exception as error:
        raise CheckError("a result", f"{type(error).__name__}: {error}", **given) from error
    if result.shape != shape:
        raise CheckError(expected, f"shape {result.shape}", **given)
    return result


def takes_weights(function: Callable) -> bool:
    """Whether a function has the argument `sample_weight`."""
    return "sample_weight" in inspect.signature(function).parameters


def weights_argument(weights: NDArray | None) -> dict[str, NDArray]:
    """Return `sample_weight` as a keyword argument, or nothing if there are no weights."""
    return {} if weights is None else {"sample_weight": weights}


@contextmanager
def may_be_refused() -> Iterator[None]:
    """Accept a `ValueError` in the block, because there is too little to learn from."""
    try:
        yield
    except CheckError as error:
        if not isinstance(error.__cause__, ValueError):
            raise


def pasted(values: ArrayLike) -> str:
    """Return Python code of an array of one dimension, with long runs of numbers as products."""
    numbers = list(np.atleast_1d(values).tolist())
    runs = [(number, len(list(run))) for number, run in groupby(numbers)]
    if len(numbers) <= MAX_PRINTED_NUMBERS or len(runs) > MAX_PRINTED_RUNS:
        return repr(numbers)
    return " + ".join(f"[{number}] * {length}" for number, length in runs)


class CheckSample(NamedTuple):
    """Scores, labels, and weights or None. A measure takes the scores as predictions."""

    scores: NDArray
    labels: NDArray
    weights: NDArray | None = None

    def taken(self, rows: NDArray) -> "CheckSample":
        """Return the sample of these rows, without weights."""
        return CheckSample(self.scores[rows], self.labels[rows])


def sample(n: int, seed: int, *, ties: bool) -> CheckSample:
    """Draw scores within (0, 1) of few digits, all different or nine values, and noisy labels."""
    rng = np.random.default_rng([n, seed])
    changes = 0
    while changes < MIN_LABEL_CHANGES:
        scores = rng.integers(1, 10, n) / 10 if ties else (rng.permutation(999)[:n] + 1) / 1000
        labels = (rng.random(n) < 0.2 + 0.6 * scores).astype(np.int64)
        changes = int(np.count_nonzero(np.diff(labels[np.lexsort((labels, scores))])))
    return CheckSample(scores, labels)


def samples(
    ties: Iterable[bool] = (False, True), sizes: Iterable[int] = SAMPLE_SIZES
) -> list[CheckSample]:
    """Draw samples from small to large, without ties and with them."""
    seeds = range(SEEDS_OF_A_SIZE)
    return [sample(n, seed, ties=with_ties) for with_ties in ties for n in sizes for seed in seeds]


def shuffled(rows: CheckSample) -> NDArray:
    """Draw a random order of the rows."""
    return np.random.default_rng(0).permutation(rows.scores.size)


def weighted(rows: CheckSample, *, zeros: bool = False) -> CheckSample:
    """Return the sample with weights 1 to 3, and one more row of weight 0 if `zeros`."""
    weights = shuffled(rows) % 3 + 1.0
    if not zeros:
        return rows._replace(weights=weights)
    return CheckSample(
        scores=np.append(rows.scores, WEIGHTLESS_SCORE),
        labels=np.append(rows.labels, 1),
        weights=np.append(weights, 0),
    )


@dataclass(frozen=True)
class Subject:
    """A calibrator or measure that is checked.

    A subclass has three methods. ``result(rows, form=..., **options)`` returns its numbers for a
    sample, where `form` is applied to all arguments but weights. ``referred(rows)`` returns the
    numbers of the reference. ``given(rows, at, **options)`` returns the arguments by name.
    """

    tolerance: float
    reference: Callable | None

    def check(self, name, function, *, promised=True, **options):
        """Make a `Check` of this subject by a function of the subject and options."""
        return Check(name=name, run=partial(function, self, **options), promised=promised)

    def require_between(self, rows, low, high, slack=0.0, **options):
        """Fail unless the numbers of a sample lie between both, give or take the slack."""
        numbers = self.result(rows, **options)
        wrong = ~((numbers >= low - slack) & (numbers <= high + slack))
        if wrong.any():
            given = self.given(rows, at=wrong, **options)
            raise CheckError(f"a number from {low} to {high}", f"{numbers[wrong][0]}", **given)

    def require_equal(self, rows, expected, meaning, **options):
        """Fail unless the numbers of a sample are the expected ones; NaN is equal to NaN."""
        numbers = self.result(rows, **options)
        wrong = ~np.isclose(numbers, expected, rtol=0, atol=self.tolerance, equal_nan=True)
        if wrong.any():
            given = self.given(rows, at=wrong, **options)
            raise CheckError(
                f"{expected[wrong][0]:.9g} ({meaning})", f"{numbers[wrong][0]:.9g}", **given
            )


def check_order(subject, *, ties):
    """Another order of the rows changes nothing."""
    for rows in samples(ties=[ties]):
        expected = subject.result(rows)
        subject.require_equal(rows.taken(shuffled(rows)), expected, "from rows in another order")


def check_weights_as_copies(subject, *, zeros):
    """A row of weight w counts as w rows, and a row of weight 0 does not count."""
    for unweighted in samples():
        rows = weighted(unweighted, zeros=zeros)
        copies = np.repeat(np.arange(rows.scores.size), rows.weights.astype(int))
        subject.require_equal(rows, subject.result(rows.taken(copies)), "from repeated rows")


def check_reference(subject, *, weights):
    """Numbers are equal to the numbers of a slow exact reference."""
    for unweighted in samples(sizes=REFERENCE_SIZES):
        rows = weighted(unweighted) if weights else unweighted
        subject.require_equal(rows, subject.referred(rows), "the reference")


def check_input(subject, *, read_only):
    """Arguments are not changed, and may be read-only."""
    rows = sample(12, 0, ties=True)
    handed_over = []

    def guarded(array):
        array = array.copy()
        array.setflags(write=not read_only)
        handed_over.append((array, array.copy()))
        return array

    subject.result(rows, form=guarded)
    for array, before in handed_over:
        if not np.array_equal(array, before):
            given = subject.given(rows)
            raise CheckError("input as it was", f"it became {array.tolist()}", **given)


def check_form(subject, *, form):
    """Lists, columns of pandas and numbers of 32 bits have the meaning of their values."""

    def rounded(array):
        return as_float32(array).astype(array.dtype)

    def in_form(array):
        return form(rounded(array))

    for rows in samples(ties=[True]):
        exact = subject.result(rows, form=rounded)
        subject.require_equal(rows, exact, "from float64 arrays", form=in_form)


def as_float32(array):
    """Round real numbers to 32 bits, and do not change labels."""
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def as_list(array):
    """Return a list, of lists if there are columns."""
    return array.tolist()


def as_pandas(array):
    """Return a column or table whose index runs backwards; without pandas the array itself."""
    try:
        import pandas as pd
    except ImportError:
        return array
    make = pd.Series if array.ndim == 1 else pd.DataFrame
    return make(array, index=range(len(array))[::-1])


def common_checks(subject: Subject, *, weights: bool | str, array_like: bool) -> Iterator[Check]:
    """Yield the checks that calibrators and measures share."""
    compared = subject.reference is not None
    weighted = bool(weights)
    zeros = weighted and weights != "positive"
    yield subject.check("order of rows", check_order, ties=False)
    yield subject.check("order of ties", check_order, ties=True)
    yield subject.check("weights", check_weights_as_copies, promised=weighted, zeros=False)
    yield subject.check("weight zero", check_weights_as_copies, promised=zeros, zeros=True)
    yield subject.check("reference", check_reference, promised=compared, weights=False)
    both = compared and weighted
    yield subject.check("reference with weights", check_reference, promised=both, weights=True)
    yield subject.check("input untouched", check_input, read_only=False)
    yield subject.check("read-only input", check_input, read_only=True)
    yield subject.check("float32", check_form, form=as_float32)
    yield subject.check("lists", check_form, promised=array_like, form=as_list)
    yield subject.check("pandas", check_form, promised=array_like, form=as_pandas)
