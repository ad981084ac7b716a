"""Run the test of a question, where no code of a student is, and count its points.

A test is a cell of a set: lines that students see, then hidden ones. Parts of a question have
points of their own, named in the hidden lines by ``with part(2, "the mean error"):``; without
parts a test gives all points or none.
"""

import linecache
import signal
import traceback
from contextlib import contextmanager

import numpy as np

from .source import HIDDEN


class TooLong(Exception):
    """A test has taken too long."""


class Parts:
    """The parts of a question: their points, and why some were lost."""

    def __init__(self):
        self.points, self.lost = {}, {}

    @contextmanager
    def __call__(self, points, name):
        """Points for what the block checks; it may be entered more than once."""
        self.points[name] = points
        try:
            yield
        except TooLong:
            raise
        except Exception as error:
            self.lost.setdefault(name, told(error))

    def total(self):
        """Points of the parts that were checked and not lost."""
        return sum(points for name, points in self.points.items() if name not in self.lost)


def run_test(source, namespace, maximum):
    """Points of a question and what its test says; ``namespace`` has all names of the test."""
    shown, hidden = HIDDEN.sub("", source), "\n".join(m[0] for m in HIDDEN.finditer(source))
    parts, said = Parts(), []
    namespace = namespace | {"part": parts}
    for code in [shown, hidden]:
        try:
            execute(code, namespace)
        except Exception as error:
            said.append(told(error))
            if not parts.points and "with part(" not in hidden:
                return 0, said[0]
    said += [f"{name}: {why}" for name, why in parts.lost.items()]
    if not parts.points:
        return (0 if said else maximum), "\n".join(said)
    points = min(parts.total(), maximum)
    return (min(points, maximum - 1) if said else points), "\n".join(said)


def execute(code, namespace):
    """Run code of a test under a name of its own, so that errors show its lines."""
    name = "<test>"
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    exec(compile(code, name, "exec"), namespace)


def told(error):
    """An error of a test in words: the line of the test, and what it found."""
    lines = [f.line for f in traceback.extract_tb(error.__traceback__) if f.filename == "<test>"]
    found = str(error).strip() or type(error).__name__
    if type(error).__name__ not in ["AssertionError", "StudentError"]:
        found = f"{type(error).__name__}: {found}"
    return f"{lines[0]}\n{found}"[:3000] if lines else found[:3000]


@contextmanager
def at_most(seconds):
    """Stop a test that takes longer."""

    def stop(*arguments):
        raise TooLong(f"the test was not done after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def filled(check):
    """NumPy's comparison, which else finds an empty array equal to a number."""

    def compare(actual, desired, *arguments, **options):
        if np.ndim(desired) and np.shape(actual) != np.shape(desired):
            raise AssertionError(f"shape {np.shape(actual)} in the place of {np.shape(desired)}")
        if np.size(actual) == 0 and np.size(desired) > 0:
            raise AssertionError("an empty array")
        check(actual, desired, *arguments, **options)

    compare.filled = True
    return compare


def no_empty_arrays():
    """Let comparisons of tests in this process tell arrays of another shape."""
    for name in ["assert_allclose", "assert_array_equal"]:
        if not hasattr(getattr(np.testing, name), "filled"):
            setattr(np.testing, name, filled(getattr(np.testing, name)))
