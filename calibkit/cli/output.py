"""The output of commands: files that are either complete or absent, notes, and progress."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from calibkit.cli.tables import InputError

SECONDS_BETWEEN = 1.0  # seconds between two messages about the progress


def check_new(path: str | Path, *, force: bool) -> None:
    """Raise if `path` is taken, before any work is done for it."""
    if str(path) == "-":
        return
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file for the output")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is no folder: make it first, or name another file")
    if path.is_file() and not force:
        raise InputError(f"{path} exists: name another file, or pass --force to overwrite it")


@contextmanager
def new_file(
    path: str | Path, *, force: bool = False, binary: bool = False, encoding: str = "utf-8"
) -> Iterator[IO]:
    """Open a file for writing, which takes its name when the block has ended well.

    The file is written in its folder under a temporary name, and removed if the block fails. So
    there is never half a file under the name. ``"-"`` is standard output. Something that is no
    regular file, such as a pipe, is written to directly.

    Raises
    ------
    InputError
        If the file exists and `force` is False, or there is no such folder.
    """
    check_new(path, force=force)

    def opened(file: int | Path, closefd: bool = True) -> IO:
        if binary:
            return open(file, "wb", closefd=closefd)
        return open(file, "w", encoding=encoding, newline="", closefd=closefd)

    if str(path) == "-":
        sys.stdout.flush()
        with opened(sys.stdout.fileno(), closefd=False) as file:
            yield file
        return
    target = Path(path).resolve()  # for a link, the file that it names is replaced
    if target.exists() and not target.is_file():
        with opened(target) as file:
            yield file
        return
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with opened(temporary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def note(options, sentence: str) -> None:
    """Print a sentence for people, on standard error."""
    print(f"calib {options.command}: {sentence}", file=sys.stderr)


class Progress:
    """A message with the number of rows so far, printed at most once a second.

    Parameters
    ----------
    wanted : bool
        Whether to print it where standard error is no terminal, a line each time. On a terminal
        the same line is written over, and finished when the ``with`` block ends.
    """

    def __init__(self, wanted: bool = False):
        self._terminal = sys.stderr.isatty()
        self._silent = not (wanted or self._terminal)
        self._last = time.monotonic()
        self._open = False

    def __call__(self, n_rows: int) -> None:
        """Print the number of rows that are done, if a second has passed."""
        now = time.monotonic()
        if self._silent or now - self._last < SECONDS_BETWEEN:
            return
        self._last = now
        self._open = self._terminal
        start, end = ("\r", "") if self._terminal else ("", "\n")
        print(f"{start}{n_rows:,} rows", end=end, file=sys.stderr, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._open:
            print(file=sys.stderr)
