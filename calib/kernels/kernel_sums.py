"""Sums of a kernel over a sorted sample: S(y) = sum_i w_i K((y - x_i) / h) at sorted queries y.

Boxcar, Epanechnikov and tricube are (1 - u^a)^b at a distance of u <= 1 bandwidths. That is a
polynomial in u, and also one in v = 1 - u, the depth inside the support, so that the sum over some
points follows from their moments, sum w u^k or sum w v^k.

Neighbouring queries are answered together, by a walk down through them. It counts the points below
all of them, which come into reach and then lie deeper and deeper, by depth; and the points among
them that it has passed, which stay behind, by distance. On a walk up it is the other way round: the
same walk in the mirror. Every v and u only grows on the way, by the same amount for all points, and
so do the moments: nothing is ever subtracted, and even a sum over a crowd at the very edge of reach
has a small relative error.

A point takes part in at most four groups of queries, so that n points and m sorted queries cost
O(n + m). The Gaussian is in `gaussian_sums`.
"""

import numpy as np
from numpy.polynomial import Polynomial

from calib.kernels.compiling import jit
from calib.kernels.galloping import run_starts
from calib.kernels.gaussian_sums import gaussian_sums

SHAPES = {"boxcar": (1, 0), "epanechnikov": (2, 1), "tricube": (3, 3)}  # (a, b)
KERNELS = [*SHAPES, "gaussian"]
GROUP_WIDTH = 0.75  # of a group of queries, in bandwidths: well below 1, where powers of u cancel


def expansions(a, b):
    """Coefficients of (1 - u^a)^b in powers of u, and in powers of v = 1 - u.

    As tuples, for a compiled function knows their length: it unrolls the loops over them.
    """
    by_distance = (1 - Polynomial.basis(a)) ** b
    by_depth = by_distance(Polynomial([1, -1]))
    return tuple(by_distance.coef.tolist()), tuple(by_depth.coef.tolist())


EXPANSIONS = {kernel: expansions(*shape) for kernel, shape in SHAPES.items()}


def kernel_sums(kernel, points, weights, bandwidth, queries):
    """Kernel sums at increasing `queries`.

    Parameters
    ----------
    kernel : {"boxcar", "epanechnikov", "tricube", "gaussian"}
        Without its normalising constant: K(0) = 1.
    points, weights : ndarray of shape (n,)
        Strictly increasing points and their positive weights.
    bandwidth : float
        h >= 0; a bandwidth of 0 gives the weight at the query itself.
    queries : ndarray of shape (m,)
        Increasing queries.
    """
    if bandwidth > 0 and kernel == "gaussian":
        return gaussian_sums(points, weights, bandwidth, queries)
    sums = weights_at(points, weights, queries)
    if bandwidth > 0:
        shape = EXPANSIONS[kernel]
        starts = run_starts(queries, GROUP_WIDTH * bandwidth)
        sums += walks_down(points, weights, bandwidth, *shape, queries, starts)
        mirrored = -points[::-1], weights[::-1].copy(), bandwidth, *shape, -queries[::-1]
        sums += walks_down(*mirrored, queries.size - starts[::-1])[::-1]
    return sums


@jit
def weights_at(points, weights, queries):
    """Weight of the point that equals the query, or 0."""
    sums = np.zeros(queries.size)
    i = 0
    for q in range(queries.size):
        while i < points.size and points[i] < queries[q]:
            i += 1
        if i < points.size and points[i] == queries[q]:
            sums[q] = weights[i]
    return sums


def walks_down(points, weights, h, by_distance, by_depth, queries, starts):
    """Sums over the points below each group, and over those in the group above the query."""
    below = np.searchsorted(points, queries[starts[:-1]])
    above = np.searchsorted(points, queries[starts[1:] - 1], side="right")
    return _walks_down(points, weights, h, by_distance, by_depth, queries, starts, below, above)


@jit
def _walks_down(points, weights, h, by_distance, by_depth, queries, starts, below, above):
    sums = np.zeros(queries.size)
    edge, centre = np.empty(len(by_depth)), np.empty(len(by_distance))
    for g in range(below.size):
        first, entering, passing = below[g], below[g] - 1, above[g] - 1
        y = queries[starts[g]]
        if passing < first and not (entering >= 0 and y - points[entering] <= h):
            continue
        for k in range(len(by_depth)):
            edge[k] = 0.0
            centre[k] = 0.0
        y = queries[starts[g + 1] - 1]
        for q in range(starts[g + 1] - 1, starts[g] - 1, -1):
            if queries[q] < y:
                d = (y - queries[q]) / h
                move(by_depth, edge, d)
                move(by_distance, centre, d)
                y = queries[q]
            while entering >= 0 and y - points[entering] <= h:
                add(by_depth, edge, weights[entering], depth(points[entering], y, h))
                entering -= 1
            while passing >= first and points[passing] > y:
                add(by_distance, centre, weights[passing], (points[passing] - y) / h)
                passing -= 1
            sums[q] = value(by_depth, edge) + value(by_distance, centre)
    return sums


@jit
def depth(x, y, h):
    """1 - (y - x) / h, with a small relative error even where it is almost nothing."""
    distance = y - x
    other = distance - y
    rounded_off = (y - (distance - other)) - (x + other)  # Knuth's two-sum: exact
    return max((h - distance) - rounded_off, 0.0) / h


@jit
def add(coefficients, moments, weight, z):
    """Add a point at `z` to the moments sum w z^k."""
    for k in range(len(coefficients)):
        moments[k] += weight
        weight *= z


@jit
def move(coefficients, moments, d):
    """Moments of the points at z + d instead of z: the binomial theorem, as repeated sums."""
    n = len(coefficients)
    for first in range(n - 1):
        for k in range(n - 1, first, -1):
            moments[k] += d * moments[k - 1]


@jit
def value(coefficients, moments):
    """Sum of a polynomial over the points in the moments."""
    total = 0.0
    for k in range(len(coefficients)):
        total += coefficients[k] * moments[k]
    return total
