"""One place for every numba option."""

import functools
import warnings

import numpy as np

try:
    from numba import config, njit
except ImportError:  # a browser kernel (Pyodide) has no numba: the same loops run as plain Python
    compiled = False
else:
    compiled = not config.DISABLE_JIT  # type: ignore[attr-defined]  # numba sets it at import
if compiled:
    threads = config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]  # by default all processors
else:
    threads = 1


def jit(function):
    """Compile `function` for the types it is first called with.

    * ``cache``: compiled code is kept next to the source, so that only the first call ever is
      slow. Where no file can be written, each process compiles for itself and warns once;
    * ``nogil``: threads (joblib, Dask) may run kernels side by side;
    * ``error_model="numpy"``: 0/0 is NaN and 1/0 infinite, as in NumPy, without a test per
      division. Without numba the results are the same, and nothing warns;
    * ``no_cfunc_wrapper``: no kernel is called from C.
    """
    if compiled:
        try:
            return _compile(function, cache=True)
        except RuntimeError:  # numba finds no folder that can be written to
            _warn_that_nothing_is_kept()
            return _compile(function, cache=False)

    @functools.wraps(function)
    def plain(*arguments):
        with np.errstate(all="ignore"):
            return function(*arguments)

    return plain


def _compile(function, cache):
    return njit(cache=cache, nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)


@functools.cache  # one warning a process
def _warn_that_nothing_is_kept():
    warnings.warn(
        "compiled functions cannot be kept, neither next to calib nor in a home folder: every "
        "process compiles them again, which takes seconds. Set the environment variable "
        "NUMBA_CACHE_DIR to a folder that can be written to",
        stacklevel=3,
    )
