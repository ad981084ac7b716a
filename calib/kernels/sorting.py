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


def sort(values):
    """Sort a contiguous float64 array in place: O(n)."""
    if compiled and values.size >= _WORTHWHILE:
        _radix_sort(values.view(np.uint64))
    else:
        values.sort()


@jit
def _radix_sort(keys):
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
            position[digit] += 1
        source, target = target, source
    for i in range(keys.size):
        key = source[i]
        keys[i] = key & ~sign if key & sign else ~key
