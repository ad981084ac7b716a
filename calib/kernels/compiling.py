"""One place for every numba option."""

import functools
import warnings

import numpy as np

try:
    from numba import config, njit
except ImportError:  # a browser kernel (Pyodide) has no numba: the same loops run as plain Python
    compiled = False
else:
    compiled = not config.DISABLE_JIT
threads = config.NUMBA_NUM_THREADS if compiled else 1  # by default as many as there are processors


def jit(function):
    """Compile `function` for the types it is first called with.

    * ``cache``: compiled code is kept beside the source, so only the first call ever is slow;
      where nothing can be written each process compiles for itself, and warns once;
    * ``nogil``: threads (joblib, Dask) may run kernels side by side;
    * ``error_model="numpy"``: 0/0 is NaN and 1/0 infinite, as in NumPy, without a test per
      division. Without numba the same holds, silently;
    * ``no_cfunc_wrapper``: nobody calls kernels from C.
    """
    if compiled:
        options = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError:  # numba finds no folder that can be written to
            _warn_that_nothing_is_kept()
            return njit(**options)(function)

    @functools.wraps(function)
    def plain(*arguments):
        with np.errstate(all="ignore"):
            return function(*arguments)

    return plain


@functools.cache  # once in a process
def _warn_that_nothing_is_kept():
    warnings.warn(
        "compiled functions cannot be kept, neither beside calib nor in a home: every process "
        "compiles them again, which takes seconds. Set the environment variable NUMBA_CACHE_DIR to "
        "a folder that can be written to",
        stacklevel=3,
    )
