"""One place for every numba option."""

import functools

import numpy as np

try:
    from numba import config, njit
except ImportError:  # a browser kernel (Pyodide) has no numba: the same loops run as plain Python
    compiled = False
else:
    compiled = not config.DISABLE_JIT


def jit(function):
    """Compile `function` for the types it is first called with.

    * ``cache``: compiled code is kept beside the source, so only the first call ever is slow;
    * ``nogil``: threads (joblib, Dask) may run kernels side by side;
    * ``error_model="numpy"``: 0/0 is NaN and 1/0 infinite, as in NumPy, without a test per
      division. Without numba the same holds, silently.
    """
    if compiled:
        options = {"nogil": True, "error_model": "numpy"}
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # no folder can be written to: each process compiles for itself
            return njit(**options)(function)

    @functools.wraps(function)
    def plain(*arguments):
        with np.errstate(all="ignore"):
            return function(*arguments)

    return plain
