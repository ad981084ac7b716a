"""Sort floating-point numbers by their bits.

A least-significant-digit radix sort: the bit pattern of a float, read as an integer, is ordered
like the float itself once negative numbers are complemented. Six passes over eleven bits each cost
less than half of `np.sort` from some thousands of values on, whatever their distribution.
"""

import numpy as np

from calib.kernels.compiling import compiled, jit

_DIGIT = 11
_RADIX = 1 << _DIGIT
_PASSES = 6  # 66 >= 64 bits
_WORTHWHILE = 3000
_FEW = 32  # runs
_NO_ROWS = np.empty(0, np.uint32)


def sort(values):
    """Sort a contiguous float64 array in place: O(n)."""
    if compiled and values.size >= _WORTHWHILE:
        _radix_sort(values.view(np.uint64), _NO_ROWS)
    else:
        values.sort()


def argsort(values):
    """Order of a float64 array, ties as they stand: O(n)."""
    if not compiled or not _WORTHWHILE <= values.size < 2**32 or _few_runs(values):
        return np.argsort(values, kind="stable")
    rows = np.arange(values.size, dtype=np.uint32)
    return _radix_sort((values + 0.0).view(np.uint64), rows).astype(np.intp)  # -0 is equal to 0


@jit
def _few_runs(values):
    """Whether `values` increase but for a few places: such runs are merged quickly."""
    falls = 0
    for i in range(1, values.size):
        falls += values[i] < values[i - 1]
        if falls == _FEW:
            return False
    return True


@jit
def _radix_sort(keys, rows):
    """Sort bits of floats in place; `rows`, if there are any, in the same way, and return them."""
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
    source, target = keys, np.empty(keys.size, np.uint64)
    moved = np.empty(rows.size, rows.dtype)
    for p in range(_PASSES):
        shift = np.uint64(_DIGIT * p)
        if counts[p, (source[0] >> shift) & mask] == keys.size:
            continue  # all keys agree in this digit
        position, before = counts[p], 0
        for d in range(_RADIX):
            position[d], before = before, before + position[d]
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
