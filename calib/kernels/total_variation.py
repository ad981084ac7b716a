"""Denoise a path by total variation, with absolute differences for both terms."""

import numpy as np

from calib.kernels.compiling import jit


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
    kinks = np.append(2 * costs, 2.0)  # what is left of each; the last is that of |x - 0|
    places = np.append(path[:n], 0.0)
    low, high = np.zeros((2, n + 2), np.int64)
    return _least_total_variation(path, costs, kinks, places, -places, low, high)


@jit
def _least_total_variation(path, costs, kinks, places, mirrored, low, high):
    """The same; `low` and `high` are empty heaps of kinks, by places from below and from above."""
    n = costs.size
    _push(low, places, n)
    _push(high, mirrored, n)
    lower, upper = np.empty(n), np.empty(n)
    for i in range(n):
        _push(low, places, i)
        _push(high, mirrored, i)
        lower[i] = places[_cut(low, places, kinks, costs[i])]
        upper[i] = places[_cut(high, mirrored, kinks, costs[i])]
    value, x = 0.0, path[n]
    for i in range(n - 1, -1, -1):
        inside = min(max(x, lower[i]), max(lower[i], upper[i]))
        value += abs(x - inside) + costs[i] * abs(path[i] - inside)
        x = inside
    return value + abs(x)


@jit
def _cut(heap, places, kinks, excess):
    """Take kinks of `excess` altogether from the top of the heap; the last one.

    One kink stays, whatever was rounded.
    """
    while not kinks[heap[1]] > excess and heap[0] > 1:
        excess -= kinks[heap[1]]
        kinks[heap[1]] = 0.0
        _pop(heap, places)
    kinks[heap[1]] = max(kinks[heap[1]] - excess, 0.0)
    return heap[1]


# The standard library's heapq does the same on lists of pairs, and takes twice as long to compile.
# Here entry 0 is the size of the heap, and the children of entry k are 2 k and 2 k + 1.


@jit
def _push(heap, places, kink):
    heap[0] += 1
    k = heap[0]
    while k > 1 and _before(places, kink, heap[k // 2]):
        heap[k] = heap[k // 2]
        k //= 2
    heap[k] = kink


@jit
def _pop(heap, places):
    kink = heap[heap[0]]
    heap[0] -= 1
    k, child = 1, 2
    while child <= heap[0]:
        if child < heap[0] and _before(places, heap[child + 1], heap[child]):
            child += 1
        if _before(places, kink, heap[child]):
            break
        heap[k] = heap[child]
        k, child = child, 2 * child
    heap[k] = kink


@jit
def _before(places, a, b):
    """Whether kink a lies before kink b, or where it lies and came first."""
    return places[a] < places[b] or (places[a] == places[b] and a < b)
