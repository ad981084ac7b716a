"""What a check is, how a failure reads, and the samples that checks are run on."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.validation import check_choice

SIZES = (8, 12, 40)
SEEDS = 2  # of each size
FEW = SIZES[:2]  # for references, whose time grows with the third power, or with 2^n
FEWEST_CHANGES = 3  # of the label, in the order of the scores: no map of three parameters separates


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
    if len(values) <= SIZES[-1] or len(runs) > SIZES[0]:
        return repr(values)
    return " + ".join(f"[{value}] * {length}" for value, length in runs)


class Sample(NamedTuple):
    """Scores, labels, and weights or None."""

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


def samples(*, ties: bool, sizes: Iterable[int] = SIZES) -> Iterable[tuple[Sample, NDArray]]:
    """Samples from small to large, each with an order of its rows by chance."""
    for n in sizes:
        for seed in range(SEEDS):
            yield sample(n, seed, ties=ties), np.random.default_rng(seed).permutation(n)


def all_samples(sizes: Iterable[int] = SIZES) -> Iterable[tuple[Sample, NDArray]]:
    """The same without ties and with them."""
    for ties in (False, True):
        yield from samples(ties=ties, sizes=sizes)


def weighted_samples(
    *, zeros: bool = False, sizes: Iterable[int] = SIZES
) -> Iterable[tuple[Sample, Sample]]:
    """Samples with weights 1 to 3, one 0 if `zeros`; and the same with rows repeated as often."""
    for one, order in all_samples(sizes):
        copies = order % 3 + 1
        if zeros:
            copies = np.append(copies, 0)
            one = Sample(np.append(one.scores, 0.05), np.append(one.labels, 1))
        repeated = one.taken(np.repeat(np.arange(copies.size), copies))
        yield one._replace(weights=copies.astype(float)), repeated
