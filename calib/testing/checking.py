"""What a check is, and how a failure reads."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calib.contract.options import check_choice

LONGEST_LIST = 40  # of numbers that are printed one by one
MOST_RUNS = 8


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
