"""Searches among sorted points that start from an earlier answer.

Steps that double, then bisection: a chain of searches that only moves up costs no more than a walk
through the points, and a far jump costs a logarithm.
"""

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
