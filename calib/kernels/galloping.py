"""Searches among sorted points that start from an earlier answer.

Steps that double, then bisection: a chain of searches that only moves up costs no more than a walk
through the points, and a far jump costs a logarithm.
"""

import numpy as np

from calib.kernels.compiling import jit


@jit
def reach_start(points, y, h, low):
    """First index, not before `low`, of a point with ``y - x <= h``, by galloping."""
    high, step = low, 1
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
    high, step = low, 1
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

    The runs are found greedily from the left; one has at least one point, even if `width` is NaN.
    """
    starts = np.empty(points.size + 1, np.int64)
    n_runs, start = 0, 0
    while start < points.size:
        starts[n_runs] = start
        n_runs += 1
        start = max(reach_end(points, points[start], width, start), start + 1)
    starts[n_runs] = points.size
    return starts[: n_runs + 1].copy()
