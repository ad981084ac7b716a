"""Find where queries lie among sorted knots, in constant expected time per query.

In plain NumPy, `step` is ``values[np.searchsorted(cuts, queries, side="right")]`` and `interpolate`
is ``np.interp(queries, knots, values)``.

A guide table cuts the range of the knots into cells of equal width and stores the first knot of
each cell. A query jumps to its cell and bisects among the few knots in it. If all knots lie in one
cell, or the queries are few and the knots many, the search is a plain binary search.
"""

import numpy as np

from calib.kernels.compiling import jit

KNOTS_PER_QUERY = 64  # above this number a guide table costs more than the bisections it saves


@jit
def guide_table(knots, n_queries):
    """First knot at or after the start of each cell, as (starts, origin, cells per unit)."""
    if knots.size == 0 or knots.size > KNOTS_PER_QUERY * n_queries:
        return np.array([0, knots.size]), 0.0, 0.0
    n_cells = min(2 * knots.size, 1 << 20)
    starts = np.zeros(n_cells + 1, np.int64)
    width = knots[-1] - knots[0]
    density = n_cells / width if width > 0 else 0.0
    if not np.isfinite(density):  # the range under- or overflows: one cell, plain bisection
        density = 0.0
    for i in range(knots.size):
        starts[cell_of(knots[i], knots[0], density, n_cells) + 1] += 1
    for c in range(n_cells):
        starts[c + 1] += starts[c]
    return starts, knots[0], density


@jit
def cell_of(value, origin, density, n_cells):
    """Cell of the guide table in which `value` lies; values outside lie in the end cells."""
    position = (value - origin) * density
    if not position > 0:
        return 0
    return int(position) if position < n_cells else n_cells - 1


@jit
def count_not_above(knots, starts, origin, density, query):
    """Number of knots that are <= query, as ``np.searchsorted(knots, query, side="right")``."""
    cell = cell_of(query, origin, density, starts.size - 1)
    low = starts[cell]
    high = starts[cell + 1]
    while low < high:
        middle = (low + high) >> 1
        if knots[middle] <= query:
            low = middle + 1
        else:
            high = middle
    return low


def step(cuts, values, queries):
    """Values of a step function, ``values[np.searchsorted(cuts, queries, side="right")]``."""
    result = np.empty(queries.size)
    _fill_steps(cuts, values, queries, result)
    return result


@jit
def _fill_steps(cuts, values, queries, result):
    starts, origin, density = guide_table(cuts, queries.size)
    for i in range(queries.size):
        result[i] = values[count_not_above(cuts, starts, origin, density, queries[i])]


def interpolate(knots, values, queries):
    """Linear interpolation, ``np.interp(queries, knots, values)``; knots increase strictly.

    Unlike `np.interp` it keeps a plateau exactly flat, and knots of any size do not overflow.
    """
    result = np.empty(queries.size)
    _fill_lines(knots, values, queries, result)
    return result


@jit
def _fill_lines(knots, values, queries, result):
    starts, origin, density = guide_table(knots, queries.size)
    last = knots.size - 1
    for i in range(queries.size):
        right = count_not_above(knots, starts, origin, density, queries[i])
        if right == 0:
            result[i] = values[0]
        elif right > last:
            result[i] = values[last]
        else:
            left = right - 1
            # halves: the knots may be further apart than the largest float
            gap = 0.5 * knots[right] - 0.5 * knots[left]
            share = (0.5 * queries[i] - 0.5 * knots[left]) / gap if gap > 0 else 0.0
            low = min(values[left], values[right])
            high = max(values[left], values[right])
            # this form keeps a plateau exactly flat: rounding must not separate tied values
            value = values[left] + share * (values[right] - values[left])
            result[i] = min(max(value, low), high)
