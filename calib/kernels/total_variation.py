"""Denoise a path by total variation, with absolute differences for both terms."""

import heapq

import numpy as np

from calib.kernels.compiling import jit


@jit
def least_total_variation(path, costs):
    r"""Minimum of ``sum_i costs[i] |path[i] - x_i| + sum_i |x_i - x_{i-1}|``: O(n log n).

    The sums of variation start at x_{-1} = 0 and end at x_n = path[n], where `path` has one value
    more than `costs`.

    The least cost of a beginning of the path, as a function of where it ends, is convex and
    piecewise linear, with slopes between -1 and 1. A point adds a kink where it lies, of twice its
    cost; the next step of the path cuts slopes beyond -1 and 1 off at both ends, where kinks leave
    and never come back. The places of the cuts are limits for x_i, which is therefore its
    successor, brought between them.
    """
    n = costs.size
    kinks = np.zeros(n + 1)  # what is left of each
    places = np.zeros(n + 1)
    kinks[n] = 2.0  # of |x - 0|
    low = [(0.0, n)]
    high = [(0.0, n)]
    lower, upper = np.zeros(n), np.zeros(n)
    for i in range(n):
        kinks[i], places[i] = 2 * costs[i], path[i]
        heapq.heappush(low, (path[i], i))
        heapq.heappush(high, (-path[i], i))
        lower[i] = _cut(low, kinks, places, costs[i])
        upper[i] = _cut(high, kinks, places, costs[i])
    value, x = 0.0, path[n]
    for i in range(n - 1, -1, -1):
        inside = min(max(x, lower[i]), max(lower[i], upper[i]))
        value += abs(x - inside) + costs[i] * abs(path[i] - inside)
        x = inside
    return value + abs(x)


@jit
def _cut(heap, kinks, places, excess):
    """Take kinks of `excess` altogether from the top of the heap; where the last one lies.

    One kink stays, whatever was rounded, so that there is a place.
    """
    while True:
        top = heap[0][1]
        if kinks[top] > excess or len(heap) == 1:
            kinks[top] = max(kinks[top] - excess, 0.0)
            return places[top]
        excess -= kinks[top]
        kinks[top] = 0.0
        heapq.heappop(heap)
