"""Pack a score and its label into one unsigned integer, so that one sort orders both.

The bits of floats that are not negative are ordered like the floats, and the bit of their sign is
free for the label. Floats of both signs become integers on both sides of a centre. A bit is free
for the label there too, because magnitudes beyond a middle range of exponents are refused.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit, threads
from calib.kernels.fast.sorting import sort_keys

MIN_ROWS_FOR_TWO_THREADS = 1_000_000  # rows, below which a second thread gains nothing
_LABEL = np.uint64(1)  # bit of the label in a key
KEY_TYPES = {np.dtype(np.float64): np.uint64, np.dtype(np.float32): np.uint32}


class Packing(NamedTuple):
    """How the magnitude of a score, its bits without the sign, becomes an integer without label.

    Magnitude 0 becomes `centre`, and another magnitude m ``centre + (m - offset)``, or ``centre -
    (m - offset)`` for a negative score. The difference must be at least 1 and less than `limit`.
    """

    centre: int
    offset: int
    limit: int


class SortedRows(NamedTuple):
    """The keys of rows in increasing order, and the packing behind them."""

    keys: np.ndarray
    packing: Packing


def sorted_rows(scores, labels):
    """Scores of float64 or float32 with their labels in order, or None if they cannot be packed.

    Equal scores are in the order of their labels. O(n log n), by two threads if there are many.
    """
    packing = packing_of(scores.dtype, scores.min() < 0)
    keys = np.empty(scores.size, KEY_TYPES[scores.dtype])
    if not pack(scores.view(keys.dtype), labels, *packing, keys):
        if scores.dtype == np.float64:
            return None
        return sorted_rows(scores.astype(np.float64), labels)  # has the exponents of all float32
    sort_in_threads(keys)
    return SortedRows(keys=keys, packing=packing)


def packing_of(dtype, has_negative):
    """The packing for scores of a type, some of which may be negative."""
    bits = 8 * dtype.itemsize
    if not has_negative:
        return Packing(centre=0, offset=0, limit=(1 << (bits - 1)) - 1)  # all finite ones
    centre = 1 << (bits - 2)
    bits_of_one = int(np.ones(1, dtype).view(KEY_TYPES[dtype])[0])
    return Packing(centre=centre, offset=bits_of_one - centre // 2, limit=centre)


@jit
def pack(bits, labels, centre, offset, limit, keys):
    """Fill in the keys; return whether all magnitudes are within the limits."""
    sign = _LABEL << np.uint64(8 * bits.itemsize - 1)
    fits = True
    for i in range(bits.size):
        magnitude = np.uint64(bits[i]) & (sign - _LABEL)
        moved = magnitude - np.uint64(offset)  # a huge integer where it would be negative
        fits &= (moved - _LABEL < np.uint64(limit) - _LABEL) | (magnitude == 0)
        keys[i] = key_of(np.uint64(bits[i]), labels[i], sign, np.uint64(centre), np.uint64(offset))
    return fits


@jit
def key_of(bits, label, sign, centre, offset):
    """The key of a score with these bits, of which `sign` is the highest, and a label."""
    magnitude = bits & (sign - _LABEL)
    moved = magnitude - offset if magnitude else magnitude
    place = centre - moved if bits & sign else centre + moved
    return (place << _LABEL) | np.uint64(label)


def sort_in_threads(keys):
    """Sort keys in place, by two threads if there are many.

    Keys below a cut near the median come to the front, and each thread sorts one part.
    """
    if threads == 1 or keys.size < MIN_ROWS_FOR_TWO_THREADS:
        sort_keys(keys)
        return
    some = np.sort(keys[:: keys.size // 1000])
    n_low = _partition(keys, some[some.size // 2])
    with ThreadPoolExecutor(1) as pool:
        high = pool.submit(sort_keys, keys[n_low:])
        sort_keys(keys[:n_low])
        high.result()


@jit
def _partition(keys, cut):
    """Bring the keys below `cut` to the front; return their number."""
    low = 0
    high = keys.size
    while True:
        while low < high and keys[low] < cut:
            low += 1
        while low < high and keys[high - 1] >= cut:
            high -= 1
        if low == high:
            return low
        high -= 1
        keys[low], keys[high] = keys[high], keys[low]
        low += 1


@jit
def unpack(keys, centre, offset, counts, positives):
    """Replace sorted keys by the bits of the distinct scores, and count their rows and positives.

    Returns the number of distinct scores.
    """
    sign = _LABEL << np.uint64(8 * keys.itemsize - 1)
    centre = np.uint64(centre)
    offset = np.uint64(offset)
    tie = -1
    last = ~np.uint64(0)  # the place of no score
    count, hits = 0.0, 0.0
    for i in range(keys.size):
        key = np.uint64(keys[i])
        place = key >> _LABEL
        tied = place == last
        last = place
        count = count * tied + 1.0
        hits = hits * tied + np.float64(key & _LABEL)
        tie += 1 - np.int64(tied)
        moved = centre - place if place < centre else place - centre
        magnitude = moved + offset if moved else moved
        keys[tie] = magnitude | sign if place < centre else magnitude
        counts[tie] = count
        positives[tie] = hits
    return tie + 1


@jit
def count_pairs(keys):
    """Twice the pairs of a negative and a higher positive, with ties half, and both classes' rows.

    `keys` are sorted. The numbers are whole and exact.
    """
    twice_won = 0
    n_negative, n_tied_negative = 0, 0
    last = ~np.uint64(0)
    for i in range(keys.size):
        key = np.uint64(keys[i])
        place = key >> _LABEL
        positive = np.int64(key & _LABEL)
        n_tied_negative *= place == last
        last = place
        n_tied_negative += 1 - positive
        n_negative += 1 - positive
        twice_won += positive * (2 * n_negative - n_tied_negative)
    return twice_won, n_negative, keys.size - n_negative
