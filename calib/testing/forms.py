"""The forms in which input comes: arrays that are guarded, lists, columns, numbers of 32 bits."""

from contextlib import contextmanager

import numpy as np

from calib.testing.checking import CheckError


def as_float32(array):
    """Real numbers in 32 bits; labels as they are."""
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def as_list(array):
    """A list, of lists if there are columns."""
    return array.tolist()


def as_series(array):
    """A column of pandas whose index runs backwards, or a table; the array without pandas."""
    try:
        import pandas as pd
    except ImportError:
        return array
    make = pd.Series if array.ndim == 1 else pd.DataFrame
    return make(array, index=range(len(array))[::-1])


FORMS = {"float32": as_float32, "lists": as_list, "pandas": as_series}


@contextmanager
def left_alone(arguments, read_only, given):
    """Fail if the block changes an array; if `read_only`, it cannot."""
    arrays = [value for value in arguments if isinstance(value, np.ndarray)]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.setflags(write=not read_only)
    yield
    for array, copy in zip(arrays, before, strict=True):
        if not np.array_equal(array, copy):
            raise CheckError("input as it was", f"it became {array.tolist()}", **given)
