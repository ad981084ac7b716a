"""Searches among sorted points that start from an earlier answer.

In plain NumPy, up to rounding, `reach_start` is ``np.searchsorted(points, y - h)`` and `reach_end`
is ``np.searchsorted(points, y + h, side="right")``.

A search takes steps that double, then bisects. A chain of searches that only move up takes no
longer than a walk through the points, and a far jump takes a time like the logarithm of its length.
"""

import numpy as np

from calib.kernels.compiling import jit


@jit
def reach_start(points, y, h, low):
    """First index, not before `low`, of a point with ``y - x <= h``, by galloping."""
    high = low
    step = 1
    while high < points.size and y - points[high] > h:
        low = high + 1
        high += step
        step *= 2
    high = min(high, points.size)
    while low < high:
        middle = (low + high) >> 1
        if y - points[middle] > h:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def reach_end(points, y, h, low):
    """First index, not before `low`, of a point with ``x - y > h``, by galloping."""
    high = low
    step = 1
    while high < points.size and points[high] - y <= h:
        low = high + 1
        high += step
        step *= 2
    high = min(high, points.size)
    while low < high:
        middle = (low + high) >> 1
        if points[middle] - y <= h:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def run_starts(points, width):
    """First index of each run of points within `width`, and the number of points at the end.

    The runs are formed greedily from the left. A run has at least one point, even if `width` is
    NaN.
    """
    starts = np.empty(points.size + 1, np.int64)
    n_runs, start = 0, 0
    while start < points.size:
        starts[n_runs] = start
        n_runs += 1
        start = max(reach_end(points, points[start], width, start), start + 1)
    starts[n_runs] = points.size
    return starts[: n_runs + 1].copy()
