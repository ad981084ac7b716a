"""Sums over runs of an array in logarithmic time, by additions only.

A difference of prefix sums loses a small weight among large weights. A tree of partial sums does
not.
"""

import numpy as np

from calib.kernels.compiling import jit


@jit
def sum_tree(values):
    """Tree of partial sums: node k has the sum of the nodes 2k and 2k + 1. The leaves come last."""
    n = values.size
    tree = np.zeros(2 * n)
    for i in range(n):
        tree[n + i] = values[i]
    for node in range(n - 1, 0, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]
    return tree


@jit
def interval_sums(tree, starts, ends):
    """Sum of ``values[start:end]`` for each pair, O(log n) each, or 0 where a run is empty."""
    n = tree.size // 2
    sums = np.zeros(starts.size)
    for i in range(starts.size):
        left, right = starts[i] + n, ends[i] + n
        while left < right:
            if left % 2:
                sums[i] += tree[left]
                left += 1
            if right % 2:
                right -= 1
                sums[i] += tree[right]
            left //= 2
            right //= 2
    return sums
