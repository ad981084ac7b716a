"""What a check is and how a failure reads; samples and checks of calibrators and measures."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.options import check_choice

LONGEST_LIST = 40  # of numbers that are printed one by one
MOST_RUNS = 8
SIZES = (8, 12, 40)
SEEDS = 2  # of each size
FEW = SIZES[:2]  # for references, whose time grows with the third power, or with 2^n
FEWEST_CHANGES = 3  # of the label, in the order of the scores: no map of three parameters separates
WEIGHTLESS = 0.05  # score of the row of weight 0


class CheckError(AssertionError):
    """A check failed: what was expected and found, and the input, ready to be pasted.

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
        self.check, self.expected, self.found = "", expected, found
        self.given = "\n".join(f"{k} = {pasted(v)}" for k, v in given.items() if v is not None)

    def __str__(self) -> str:
        return f"{self.check}: expected {self.expected}; found {self.found}; given\n{self.given}"


class Outcome(NamedTuple):
    """What became of a check.

    Attributes
    ----------
    check : str
    outcome : {"passed", "failed", "not promised"}
    failure : CheckError or None
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
                outcome = Outcome(check.name, "failed", failure)
        outcomes.append(outcome)
    return outcomes


def attempt(function: Callable, *arguments: object, **given: ArrayLike | None) -> NDArray:
    """What `function` returns, as an array of floats; an exception fails the check."""
    try:
        return np.asarray(function(*arguments), dtype=float)
    except Exception as error:
        raise CheckError("a result", f"{type(error).__name__}: {error}", **given) from error


@contextmanager
def may_be_refused() -> Iterator[None]:
    """A `ValueError` is a right answer in the block: there is too little to learn from."""
    try:
        yield
    except CheckError as error:
        if not isinstance(error.__cause__, ValueError):
            raise


def pasted(values: ArrayLike) -> str:
    """Python code of a one-dimensional array, with long runs of equal numbers as products."""
    values = np.atleast_1d(values).tolist()
    runs = [(value, len(list(run))) for value, run in groupby(values)]
    if len(values) <= LONGEST_LIST or len(runs) > MOST_RUNS:
        return repr(values)
    return " + ".join(f"[{value}] * {length}" for value, length in runs)


class Sample(NamedTuple):
    """Scores, which are predictions to a measure, labels, and weights or None."""

    scores: NDArray
    labels: NDArray
    weights: NDArray | None = None

    def taken(self, rows: NDArray) -> "Sample":
        """The sample of these rows, without weights."""
        return Sample(self.scores[rows], self.labels[rows])


def sample(n: int, seed: int, *, ties: bool) -> Sample:
    """Scores within (0, 1) of few digits, all different or from nine values, and noisy labels."""
    rng = np.random.default_rng([n, seed])
    changes = 0
    while changes < FEWEST_CHANGES:
        scores = rng.integers(1, 10, n) / 10 if ties else (rng.permutation(999)[:n] + 1) / 1000
        labels = (rng.random(n) < 0.2 + 0.6 * scores).astype(np.int64)
        changes = np.count_nonzero(np.diff(labels[np.lexsort((labels, scores))]))
    return Sample(scores, labels)


def samples(ties: Iterable[bool] = (False, True), sizes: Iterable[int] = SIZES) -> list[Sample]:
    """Samples from small to large, without ties and with them."""
    return [sample(n, seed, ties=t) for t in ties for n in sizes for seed in range(SEEDS)]


def shuffled(rows: Sample) -> NDArray:
    """An order of the rows by chance."""
    return np.random.default_rng(0).permutation(rows.scores.size)


def weighted(rows: Sample, *, zeros: bool = False) -> Sample:
    """The sample with weights 1 to 3, and one more row of weight 0 if `zeros`."""
    weights = shuffled(rows) % 3 + 1.0
    if not zeros:
        return rows._replace(weights=weights)
    more = np.append(rows.scores, WEIGHTLESS), np.append(rows.labels, 1), np.append(weights, 0)
    return Sample(*more)


@dataclass(frozen=True)
class Subject:
    """What is checked.

    A subclass has ``result(rows, form=..., **options)``, the numbers that a sample leads to, where
    `form` is applied to all arrays handed over but weights; ``referred(rows)``, what the reference
    says; and ``given(rows, at, **options)``, the arguments by name.
    """

    tolerance: float
    reference: Callable | None

    def require_between(self, rows, low, high, slack=0.0, **options):
        """Fail unless the numbers of a sample lie between both, give or take the slack."""
        found = self.result(rows, **options)
        wrong = ~((found >= low - slack) & (found <= high + slack))
        if wrong.any():
            given = self.given(rows, at=wrong, **options)
            raise CheckError(f"a number from {low} to {high}", f"{found[wrong][0]}", **given)

    def require_equal(self, rows, expected, meaning, **options):
        """Fail unless the numbers of a sample are the expected ones; NaN is equal to NaN."""
        found = self.result(rows, **options)
        off = ~np.isclose(found, expected, rtol=0, atol=self.tolerance, equal_nan=True)
        if off.any():
            given = self.given(rows, at=off, **options)
            raise CheckError(f"{expected[off][0]:.9g} ({meaning})", f"{found[off][0]:.9g}", **given)


def check_order(subject, *, ties):
    """Another order of the rows changes nothing."""
    for rows in samples(ties=[ties]):
        expected = subject.result(rows)
        subject.require_equal(rows.taken(shuffled(rows)), expected, "from rows in another order")


def check_weights(subject, *, zeros):
    """A row of weight w counts as w rows, one of weight 0 as none."""
    for rows in samples():
        some = weighted(rows, zeros=zeros)
        copies = np.repeat(np.arange(some.scores.size), some.weights.astype(int))
        subject.require_equal(some, subject.result(some.taken(copies)), "from repeated rows")


def check_reference(subject, *, weights):
    """Numbers are those of a slow exact reference."""
    for rows in samples(sizes=FEW):
        some = weighted(rows) if weights else rows
        subject.require_equal(some, subject.referred(some), "the reference")


def check_input(subject, *, read_only):
    """Arguments are left as they are, and may be read-only."""
    rows, handed_over = sample(12, 0, ties=True), []

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
    """Lists, columns of pandas and numbers of 32 bits mean what their values mean."""

    def rounded(array):  # to what 32 bits hold
        return as_float32(array).astype(array.dtype)

    for rows in samples(ties=[True]):
        exact, meaning = subject.result(rows, form=rounded), "from float64 arrays"
        subject.require_equal(rows, exact, meaning, form=lambda array: form(rounded(array)))


def as_float32(array):
    """Real numbers in 32 bits; labels as they are."""
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def as_list(array):
    """A list, of lists if there are columns."""
    return array.tolist()


def as_pandas(array):
    """A column whose index runs backwards, or a table; the array itself without pandas."""
    try:
        import pandas as pd
    except ImportError:
        return array
    make = pd.Series if array.ndim == 1 else pd.DataFrame
    return make(array, index=range(len(array))[::-1])


def checks_of(subject, first, last, weights, array_like) -> Iterator[Check]:
    """Those of its kind, which a subject is put through `first` and `last`, and the common ones.

    By name they are functions of the subject, and whether each is promised.
    """
    compared = subject.reference is not None
    common = {
        "order of rows": (partial(check_order, ties=False), True),
        "order of ties": (partial(check_order, ties=True), True),
        "weights": (partial(check_weights, zeros=False), weights),
        "weight zero": (partial(check_weights, zeros=True), weights and weights != "positive"),
        "reference": (partial(check_reference, weights=False), compared),
        "reference with weights": (partial(check_reference, weights=True), compared and weights),
        "input untouched": (partial(check_input, read_only=False), True),
        "read-only input": (partial(check_input, read_only=True), True),
        "float32": (partial(check_form, form=as_float32), True),
        "lists": (partial(check_form, form=as_list), array_like),
        "pandas": (partial(check_form, form=as_pandas), array_like),
    }
    for name, (check, promised) in (first | common | last).items():
        yield Check(name, partial(check, subject), promised)
