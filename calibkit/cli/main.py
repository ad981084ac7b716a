"""Run a command of the command line, and turn an error into one line and an exit code."""

import gc
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

# exit codes, as `calib --help` lists them
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130  # 128 and the number of SIGINT
EXIT_CLOSED_PIPE = 141  # 128 and the number of SIGPIPE
EXIT_TERMINATED = 143  # 128 and the number of SIGTERM
MODULE_WITH_SCIKIT_LEARN = "calibkit.cli.learn"  # its commands fit calibrators
FLAGS_OF_ARGUMENTS = {  # arguments that messages of the package begin with
    "alpha": "--alpha",
    "clinical": "--clinical",
    "clusters": "--cluster",
    "groups": "--group",
    "max_error": "--max-error",
    "max_pieces": "--max-pieces",
    "sample_weight": "--weight",
    "threshold": "--threshold",
    "thresholds": "--threshold",
}
ALLOCATIONS_PER_COLLECTION = 1_000_000  # more than a short command makes


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The words after ``calib``, by default the words of the process.

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
                    _load_scikit_learn_alone()
            run = getattr(import_module(options.module), f"run_{options.command}")
            code = run(options)
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        with open(os.devnull, "w") as nowhere:  # receives the output that Python flushes at its end
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return EXIT_CLOSED_PIPE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        return _wrong_input(options, f"{file}{error.strerror or error}")
    except ValueError as error:  # raised by this package, with a finding and a remedy
        return _wrong_input(options, _with_flag(str(error)))
    except MemoryError:
        return _wrong_input(options, "the memory of this machine is too small for these rows")


def _wrong_input(options, message):
    """Print the message, and return the exit code."""
    print(f"calib {options.command}: error: {message}", file=sys.stderr)
    return EXIT_WRONG_INPUT


def _with_flag(message):
    """A message about an argument as one about its flag."""
    argument = re.match(r"\w*", message)[0]
    return FLAGS_OF_ARGUMENTS.get(argument, argument) + message[len(argument) :]


def _collect_garbage_rarely():
    """Raise the threshold of Python's garbage collector for the whole process.

    Collections find little while modules are loaded and rows are parsed, and take a part of the
    time of a short command.
    """
    gc.set_threshold(ALLOCATIONS_PER_COLLECTION, *gc.get_threshold()[1:])


def _load_scikit_learn_alone():
    """Import scikit-learn without pandas and without `scipy.stats`.

    scikit-learn imports both at once, and no command needs pandas, nor a short command
    `scipy.stats`: together they take longer to load than all else. An entry of None in
    ``sys.modules`` makes ``import pandas`` raise `ImportError`, which scikit-learn expects. An
    empty module stands for `scipy.stats`: scikit-learn asks SciPy for its functions when it needs
    them.

    The cost: for the rest of the process scikit-learn treats pandas as missing. So this is done
    only in a process of our own, where scikit-learn gets nothing but arrays. Other code can still
    import both afterwards, because the entries are removed again.
    """
    stand_ins = {"pandas": None, "scipy.stats": ModuleType("scipy.stats")}
    stand_ins = {name: module for name, module in stand_ins.items() if name not in sys.modules}
    sys.modules.update(stand_ins)  # type: ignore[arg-type]  # Python allows None: see importlib
    try:
        import_module("sklearn.base")
    finally:
        for name in stand_ins:
            del sys.modules[name]


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
