"""How far a long command is, on standard error."""

import sys
import time

SECONDS_BETWEEN = 1.0


class Progress:
    """Call it with the number of rows so far; it says so at most once a second.

    Parameters
    ----------
    wanted : bool
        Whether to say so where standard error is no terminal, a line each time. On a terminal one
        line is written over.
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
        self._last = now
        print(
            f"\r{n_rows:,} rows" if self._terminal else f"{n_rows:,} rows",
            end="" if self._terminal else "\n",
            file=sys.stderr,
            flush=True,
        )
        self._open = self._terminal

    def end(self) -> None:
        """Leave the line for what comes next."""
        if self._open:
            print(file=sys.stderr)
        self._open = False
