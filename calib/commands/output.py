"""What a command puts out: files that are whole or not there, notes, and how far it is."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from calib.commands.tables import InputError

SECONDS_BETWEEN = 1.0


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
    """A file to write to, which takes its name when the block has ended well.

    It is written beside its place under a temporary name, which is removed if the block fails: at
    no time is half a file under the name. ``"-"`` is standard output, and what is no regular file,
    such as a pipe, is written to as it stands.

    Raises
    ------
    InputError
        If the file exists and `force` is False, or there is no such folder.
    """
    check_new(path, force=force)
    how = {"mode": "wb"} if binary else {"mode": "w", "encoding": encoding, "newline": ""}
    if str(path) == "-":
        sys.stdout.flush()
        with open(sys.stdout.fileno(), closefd=False, **how) as file:
            yield file
        return
    path = Path(path).resolve()  # of a link, the file that it names is replaced
    if path.exists() and not path.is_file():
        with open(path, **how) as file:
            yield file
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, **how) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def note(options, sentence: str) -> None:
    """Tell people something, on standard error."""
    print(f"calib {options.command}: {sentence}", file=sys.stderr)


class Progress:
    """Call it with the number of rows so far; it says so at most once a second.

    Parameters
    ----------
    wanted : bool
        Whether to say so where standard error is no terminal, a line each time. On a terminal one
        line is written over, which is left when the ``with`` block ends.
    """

    def __init__(self, wanted: bool = False):
        self._terminal = sys.stderr.isatty()
        self._silent = not (wanted or self._terminal)
        self._last = time.monotonic()
        self._open = False

    def __call__(self, n_rows: int) -> None:
        """Say how many rows are done, if it is time to."""
        now = time.monotonic()
        if self._silent or now - self._last < SECONDS_BETWEEN:
            return
        self._last, self._open = now, self._terminal
        start, end = ("\r", "") if self._terminal else ("", "\n")
        print(f"{start}{n_rows:,} rows", end=end, file=sys.stderr, flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._open:
            print(file=sys.stderr)
