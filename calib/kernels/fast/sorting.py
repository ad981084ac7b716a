"""Sort floating-point numbers by their bits.

In plain NumPy, `sort` is ``values.sort()`` and `argsort` is ``np.argsort(values, kind="stable")``.

For many values both are a least-significant-digit radix sort: the bit pattern of a float, read as
an integer, is ordered like the float itself once negative numbers are complemented. Six passes over
eleven bits each take less than half of the time of `np.sort` from some thousands of values on,
whatever the distribution of the values.
"""

import numpy as np

from calib.kernels.compiling import compiled, jit

_DIGIT = 11  # bits of a digit
_RADIX = 1 << _DIGIT  # values of a digit
_PASSES = 6  # digits of a key: 66 bits, of which 64 are used
_MIN_VALUES = 3000  # values, below which NumPy sorts as fast
_MANY_FALLS = 32  # falls, from which on NumPy does not merge the increasing runs quickly
_NO_ROWS = np.empty(0, np.uint32)


def sort(values):
    """Sort a contiguous float64 array in place, as ``values.sort()``: O(n)."""
    if compiled and values.size >= _MIN_VALUES:
        _radix_sort(values.view(np.uint64), _NO_ROWS)
    else:
        values.sort()


def argsort(values):
    """Stable order of a float64 array, as ``np.argsort(values, kind="stable")``: O(n)."""
    if not compiled or not _MIN_VALUES <= values.size < 2**32 or _few_runs(values):
        return np.argsort(values, kind="stable")
    rows = np.arange(values.size, dtype=np.uint32)
    return _radix_sort((values + 0.0).view(np.uint64), rows).astype(np.intp)  # -0 is equal to 0


@jit
def _few_runs(values):
    """Whether `values` consist of a few increasing runs, which NumPy merges quickly."""
    falls = 0
    for i in range(1, values.size):
        falls += values[i] < values[i - 1]
        if falls == _MANY_FALLS:
            return False
    return True


@jit
def _radix_sort(keys, rows):
    """Sort the bits of floats in place; return `rows`, if there are any, in the same order."""
    paired = rows.size > 0
    sign = np.uint64(1 << 63)
    mask = np.uint64(_RADIX - 1)
    counts = np.zeros((_PASSES, _RADIX), np.int64)
    for i in range(keys.size):
        key = keys[i]
        key = ~key if key & sign else key | sign
        keys[i] = key
        for p in range(_PASSES):
            counts[p, (key >> np.uint64(_DIGIT * p)) & mask] += 1
    source = keys
    target = np.empty(keys.size, np.uint64)
    moved = np.empty(rows.size, rows.dtype)
    for p in range(_PASSES):
        shift = np.uint64(_DIGIT * p)
        if counts[p, (source[0] >> shift) & mask] == keys.size:
            continue  # all keys agree in this digit
        position = counts[p]  # becomes the place of the next key with each digit
        n_before = 0
        for d in range(_RADIX):
            n_equal = position[d]
            position[d] = n_before
            n_before += n_equal
        for i in range(keys.size):
            key = source[i]
            digit = (key >> shift) & mask
            target[position[digit]] = key
            if paired:
                moved[position[digit]] = rows[i]
            position[digit] += 1
        source, target = target, source
        rows, moved = moved, rows
    for i in range(keys.size):
        key = source[i]
        keys[i] = key & ~sign if key & sign else ~key
    return rows
