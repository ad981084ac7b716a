"""Run a command of the command line, and turn an error into one line and an exit code."""

import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from contextlib import contextmanager
from importlib import import_module

# exit codes, as `calib --help` lists them
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130  # 128 and the number of SIGINT
EXIT_CLOSED_PIPE = 141  # 128 and the number of SIGPIPE
EXIT_TERMINATED = 143  # 128 and the number of SIGTERM
MODULE_WITH_SCIKIT_LEARN = "calibkit.cli.learn"  # its commands fit calibrators
ALLOCATIONS_PER_COLLECTION = 100_000  # far more than Python's default


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after ``calib``; default: those of the process.

    Returns
    -------
    code : int
        0, or one of the codes that ``calib --help`` lists. An error is described on standard error
        in one line.
    """
    from calibkit.cli.arguments import parser

    options = parser().parse_args(argv)
    try:
        with _terminable(), _warnings_in_words(options.command):
            if argv is None:  # the process is ours alone
                _collect_garbage_rarely()
                if options.module == MODULE_WITH_SCIKIT_LEARN:
                    _load_scikit_learn_without_pandas()
            run = getattr(import_module(options.module), f"run_{options.command}")
            code = run(options)
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        with open(os.devnull, "w") as nowhere:  # receives what Python flushes at its end
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return EXIT_CLOSED_PIPE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        return _wrong_input(options, f"{file}{error.strerror or error}")
    except ValueError as error:  # raised by this package, with a finding and a remedy
        return _wrong_input(options, error)
    except MemoryError:
        return _wrong_input(options, "the memory of this machine is too small for these rows")


def _wrong_input(options, message):
    """Print the message, and return the exit code."""
    print(f"calib {options.command}: error: {message}", file=sys.stderr)
    return EXIT_WRONG_INPUT


def _collect_garbage_rarely():
    """Raise the threshold of Python's garbage collector for the whole process.

    Collections find little while modules are loaded and rows are parsed, and take a part of the
    time of a short command.
    """
    gc.set_threshold(ALLOCATIONS_PER_COLLECTION, *gc.get_threshold()[1:])


def _load_scikit_learn_without_pandas():
    """Import scikit-learn as if pandas were not installed.

    scikit-learn imports pandas at once wherever it is installed. No command uses pandas, and
    loading it would make a short report take about a fifth longer. An entry of None in
    ``sys.modules`` makes ``import pandas`` raise `ImportError`, which scikit-learn expects.

    The cost: for the rest of the process scikit-learn treats pandas as missing. So this is done
    only in a process of our own, where scikit-learn gets nothing but arrays. Other code can still
    import pandas afterwards, because the entry is removed again.
    """
    if "pandas" in sys.modules:
        return
    sys.modules["pandas"] = None  # type: ignore[assignment]  # Python allows None: see importlib
    try:
        import_module("sklearn.base")
    finally:
        del sys.modules["pandas"]


@contextmanager
def _terminable():
    """Let SIGTERM end the block as an exception does, so that temporary files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(EXIT_TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _warnings_in_words(command):
    """Print each warning in one line, without the line of code that raised it."""

    def show(message, *_, **__):
        print(f"calib {command}: warning: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = show
        yield
