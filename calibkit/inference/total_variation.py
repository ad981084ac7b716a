"""Denoise a path by total variation, with absolute differences for both terms."""

import numpy as np

from calib.kernels.compiling import jit


def least_total_variation(path, costs):
    r"""Minimum of ``sum_i costs[i] |path[i] - x_i| + sum_i |x_i - x_{i-1}|``, in O(n log n).

    The path `x` has x_{-1} = 0 before its beginning and x_n = path[n] at its end. `path` has one
    value more than `costs`.

    The least cost of a beginning of the path, as a function of its end, is convex and piecewise
    linear, with slopes between -1 and 1. A point adds a kink at its value, of twice its cost. The
    next step of the path cuts off the slopes beyond -1 and 1 at both ends: kinks are removed there
    and never come back. The cuts are limits for x_i, which is therefore the nearest value to
    x_{i+1} between them.
    """
    n = costs.size
    kinks = np.append(2 * costs, 2.0)  # remaining change of slope at each kink; |x - 0| is the last
    positions = np.append(path[:n], 0.0)
    low, high = np.zeros((2, n + 2), np.int64)
    return _least_total_variation(path, costs, kinks, positions, -positions, low, high)


@jit
def _least_total_variation(path, costs, kinks, positions, mirrored, low, high):
    """The minimum. `low` and `high` are empty heaps of kinks, ordered from below and from above."""
    n = costs.size
    _push(low, positions, n)
    _push(high, mirrored, n)
    lower, upper = np.empty(n), np.empty(n)
    for i in range(n):
        _push(low, positions, i)
        _push(high, mirrored, i)
        lower[i] = positions[_cut(low, positions, kinks, costs[i])]
        upper[i] = positions[_cut(high, mirrored, kinks, costs[i])]
    value = 0.0
    x = path[n]
    for i in range(n - 1, -1, -1):
        inside = min(max(x, lower[i]), max(lower[i], upper[i]))
        value += abs(x - inside) + costs[i] * abs(path[i] - inside)
        x = inside
    return value + abs(x)


@jit
def _cut(heap, positions, kinks, excess):
    """Remove kinks of total `excess` from the top of the heap; returns the last kink cut.

    One kink always remains, in spite of rounding.
    """
    while not kinks[heap[1]] > excess and heap[0] > 1:
        excess -= kinks[heap[1]]
        kinks[heap[1]] = 0.0
        _pop(heap, positions)
    kinks[heap[1]] = max(kinks[heap[1]] - excess, 0.0)
    return heap[1]


# The heap is written out because heapq, on lists of pairs, takes twice as long to compile.
# Entry 0 is the size of the heap, and the children of entry k are 2 k and 2 k + 1.


@jit
def _push(heap, positions, kink):
    heap[0] += 1
    k = heap[0]
    while k > 1 and _before(positions, kink, heap[k // 2]):
        heap[k] = heap[k // 2]
        k //= 2
    heap[k] = kink


@jit
def _pop(heap, positions):
    kink = heap[heap[0]]
    heap[0] -= 1
    k = 1
    child = 2
    while child <= heap[0]:
        if child < heap[0] and _before(positions, heap[child + 1], heap[child]):
            child += 1
        if _before(positions, kink, heap[child]):
            break
        heap[k] = heap[child]
        k = child
        child = 2 * k
    heap[k] = kink


@jit
def _before(positions, a, b):
    """Whether kink a lies below kink b, or at the same position and came first."""
    return positions[a] < positions[b] or (positions[a] == positions[b] and a < b)
