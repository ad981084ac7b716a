"""The command line: ``python -m calib`` and the script ``calib``."""

import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from contextlib import contextmanager
from importlib import import_module

WRONG, INTERRUPTED, CLOSED_PIPE, TERMINATED = 2, 130, 141, 143
LEARNING = "calib.commands.learning"  # whose commands fit calibrators


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after ``calib``; default: those of the process.

    Returns
    -------
    code : int
        0, or what ``calib --help`` lists. What is wrong is said on standard error in one line.
    """
    from calib.commands.arguments import parser

    options = parser().parse_args(argv)
    try:
        with _terminable(), _warnings_in_words(options.command):
            if argv is None:
                _hurry(options.module)
            code = getattr(import_module(options.module), options.command)(options)
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        with open(os.devnull, "w") as nowhere:  # what Python flushes as it ends goes there
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return CLOSED_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _wrong(options, f"{where}{error.strerror or error}")
    except ValueError as error:  # of this package: what was found and what to do
        return _wrong(options, error)
    except MemoryError:
        return _wrong(options, "the memory of this machine is too small for these rows")


def _wrong(options, message):
    print(f"calib {options.command}: error: {message}", file=sys.stderr)
    return WRONG


def _hurry(module):
    """In a process of our own: without this a short report would take a fifth longer.

    Garbage is collected less often, and scikit-learn, where it will be needed, is loaded without
    pandas, which it loads only because that is installed.
    """
    gc.set_threshold(100_000, *gc.get_threshold()[1:])
    if module == LEARNING and "pandas" not in sys.modules:
        sys.modules["pandas"] = None  # as if it were not installed
        try:
            import_module("sklearn.base")
        finally:
            del sys.modules["pandas"]


@contextmanager
def _terminable():
    """SIGTERM ends the block as an exception does, so that temporary files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _warnings_in_words(command):
    """Warnings as one line each, without the line of code that they come from."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = lambda message, *_, **__: print(
            f"calib {command}: warning: {message}", file=sys.stderr
        )
        yield
