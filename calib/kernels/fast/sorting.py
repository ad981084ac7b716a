"""Sort unsigned integers in the quicker of two ways, and find the stable order of floats.

In plain NumPy, `sort_keys` is ``keys.sort()`` and `argsort` is ``np.argsort(values,
kind="stable")``.

No way of sorting is the quickest on every processor. NumPy's sort of integers takes half the time
of the radix sort below where it runs on AVX2. It takes twice the time where NumPy has no SIMD sort,
and where its sort runs on an AVX-512 that is slow at storing compressed vectors. So both ways are
timed, once in a process, and the quicker one sorts. The sorted integers are the same.
"""

import functools
import time

import numpy as np

from calib.kernels.compiling import compiled, jit

_DIGIT_BITS = 11  # bits of a digit
_RADIX = 1 << _DIGIT_BITS  # values of a digit
_MIN_KEYS = 3000  # keys, below which NumPy sorts as fast
_TRIAL_KEYS = 1 << 14  # keys that are sorted in both ways to see which one is quicker
_SIGN = np.uint64(1 << 63)  # bit of the sign of a float64
_LONGEST_RUN = 64  # rows with the same leading bits that are sorted by insertion


def sort_keys(keys, first_bit=0):
    """Sort unsigned integers in place, as ``keys.sort()``.

    Keys that agree in all bits from `first_bit` on must be in order already.
    """
    if compiled and keys.size >= _MIN_KEYS and radix_is_quicker(keys.dtype):
        _radix_sort(keys, np.empty_like(keys), first_bit)
    else:
        keys.sort()


@functools.cache
def radix_is_quicker(dtype):
    """Whether the radix sort sorted some integers of a type in less time than NumPy."""
    keys = np.random.default_rng(0).integers(np.iinfo(dtype).max, size=_TRIAL_KEYS, dtype=dtype)
    room = np.empty_like(keys)
    _radix_sort(keys.copy(), room, 0)  # compiles
    return _seconds(lambda copy: _radix_sort(copy, room, 0), keys) < _seconds(np.ndarray.sort, keys)


def _seconds(sort, keys):
    """The least seconds of three sorts of a copy of `keys`."""
    times = []
    for _ in range(3):
        copy = keys.copy()
        start = time.perf_counter()
        sort(copy)
        times.append(time.perf_counter() - start)
    return min(times)


@jit
def _radix_sort(keys, room, first_bit):
    """Sort unsigned integers by their bits from `first_bit` on, in place and stably.

    `room` holds as many keys.
    """
    n_passes = (8 * keys.itemsize - first_bit + _DIGIT_BITS - 1) // _DIGIT_BITS
    mask = np.uint64(_RADIX - 1)
    counts = np.zeros((n_passes, _RADIX), np.int64)
    for i in range(keys.size):
        rest = np.uint64(keys[i]) >> np.uint64(first_bit)
        for p in range(n_passes):
            counts[p, rest & mask] += 1
            rest >>= np.uint64(_DIGIT_BITS)
    source, target = keys, room
    for p in range(n_passes):
        shift = np.uint64(first_bit + _DIGIT_BITS * p)
        position = counts[p]
        if position[(np.uint64(source[0]) >> shift) & mask] == keys.size:
            continue  # all keys agree in this digit
        n_before = 0
        for d in range(_RADIX):
            n_equal = position[d]
            position[d] = n_before  # the place of the next key with this digit
            n_before += n_equal
        for i in range(keys.size):
            digit = (np.uint64(source[i]) >> shift) & mask
            target[position[digit]] = source[i]
            position[digit] += 1
        source, target = target, source
    if target is keys:
        keys[:] = source


def argsort(values):
    """Stable order of finite float64 numbers, as ``np.argsort(values, kind="stable")``.

    A key holds the leading bits of a number and the row. Numbers that agree in these bits are
    sorted afterwards. If too many do, NumPy sorts all rows.
    """
    if not compiled or values.size < _MIN_KEYS:
        return np.argsort(values, kind="stable")
    values = values + 0.0  # -0.0 becomes 0.0
    row_bits = (values.size - 1).bit_length()
    keys = np.empty(values.size, np.uint64)
    _fill_keys_of_rows(values.view(np.uint64), row_bits, keys)
    sort_keys(keys, row_bits)
    rows = keys.view(np.int64)
    if _sort_runs(keys, rows, row_bits, values):
        return rows
    return np.argsort(values, kind="stable")


@jit
def _fill_keys_of_rows(bits, row_bits, keys):
    """Fill in integers in the order of floats with these bits: leading bits, then the row."""
    rows = np.uint64((1 << row_bits) - 1)
    for i in range(bits.size):
        ordered = ~bits[i] if bits[i] & _SIGN else bits[i] | _SIGN
        keys[i] = (ordered & ~rows) | np.uint64(i)


@jit
def _sort_runs(keys, rows, row_bits, values):
    """Replace sorted keys by their rows, sorted by value; False if a run is too long for that.

    `rows` is the memory of `keys`. A run of rows has keys with the same leading bits.
    """
    shift = np.uint64(row_bits)
    mask = np.uint64((1 << row_bits) - 1)
    start = 0
    run = keys[0] >> shift
    for i in range(keys.size):
        following = keys[i] >> shift
        if following != run:
            run = following
            start = i
        row = np.int64(keys[i] & mask)
        place = i
        while place > start and values[rows[place - 1]] > values[row]:
            rows[place] = rows[place - 1]
            place -= 1
            if i - place > _LONGEST_RUN:
                return False
        rows[place] = row
    return True
