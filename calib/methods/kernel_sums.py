"""Sums of a kernel over a sorted sample: S(y) = sum_i w_i K((y - x_i) / h) at sorted queries y.

Boxcar, Epanechnikov and tricube are (1 - u^a)^b at a distance of u <= 1 bandwidths. That is a
polynomial in u, and also one in v = 1 - u, the depth inside the support, so that the sum over some
points follows from their moments, sum w u^k or sum w v^k.

A run of neighbouring queries is answered together, by a walk down through the run. The points below
the run come into reach and then lie deeper and deeper. The walk counts them by depth. The points
among the queries that the walk has passed stay behind. It counts them by distance. A walk up, which
is a walk down in the mirror, counts the points on the other side of a query. Every v and u only
grows on the way, by the same amount for all points, and the moments only grow with them. Nothing is
ever subtracted, and even a sum over many points at the very edge of reach has a small relative
error.

A point takes part in at most four runs of queries, so that n points and m sorted queries cost
O(n + m). The Gaussian is in `gaussian_sums`.
"""

from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial

from calib.kernels.compiling import jit
from calib.kernels.fast.exponential_search import run_starts
from calib.methods.gaussian_sums import gaussian_sums

SHAPES = {"boxcar": (1, 0), "epanechnikov": (2, 1), "tricube": (3, 3)}  # (a, b)
KERNELS = [*SHAPES, "gaussian"]
WALK_WIDTH = 0.75  # bandwidths, the width of a run of queries; near 1 the powers of u cancel


class Expansion(NamedTuple):
    """Coefficients of (1 - u^a)^b in powers of u, and in powers of v = 1 - u.

    A compiled function knows the length of a tuple and unrolls the loops over it.
    """

    by_distance: tuple[float, ...]
    by_depth: tuple[float, ...]


def expand(a, b):
    """Coefficients of (1 - u^a)^b."""
    by_distance = (1 - Polynomial.basis(a)) ** b
    by_depth = by_distance(Polynomial([1, -1]))
    return Expansion(
        by_distance=tuple(by_distance.coef.tolist()), by_depth=tuple(by_depth.coef.tolist())
    )


EXPANSIONS = {kernel: expand(a, b) for kernel, (a, b) in SHAPES.items()}


def kernel_sums(kernel, points, weights, bandwidth, queries):
    """Kernel sums at increasing `queries`.

    Parameters
    ----------
    kernel : {"boxcar", "epanechnikov", "tricube", "gaussian"}
        The kernel without its normalising constant: K(0) = 1.
    points, weights : ndarray of shape (n,)
        Strictly increasing points and their positive weights.
    bandwidth : float
        h >= 0. A bandwidth of 0 gives the weight at the query itself.
    queries : ndarray of shape (m,)
        Increasing queries.
    """
    if bandwidth > 0 and kernel == "gaussian":
        return gaussian_sums(points, weights, bandwidth, queries)
    sums = weights_at(points, weights, queries)
    if bandwidth > 0:
        expansion = EXPANSIONS[kernel]
        starts = run_starts(queries, WALK_WIDTH * bandwidth)
        sums += walks_down(points, weights, bandwidth, expansion, queries, starts)
        mirrored_weights = weights[::-1].copy()
        mirrored_starts = queries.size - starts[::-1]
        sums += walks_down(
            -points[::-1], mirrored_weights, bandwidth, expansion, -queries[::-1], mirrored_starts
        )[::-1]
    return sums


@jit
def weights_at(points, weights, queries):
    """Weight of the point that equals each query, or 0."""
    sums = np.zeros(queries.size)
    i = 0
    for q in range(queries.size):
        while i < points.size and points[i] < queries[q]:
            i += 1
        if i < points.size and points[i] == queries[q]:
            sums[q] = weights[i]
    return sums


def walks_down(points, weights, h, expansion, queries, starts):
    """Sums over the points below each run, and over the points in the run above the query."""
    firsts = np.searchsorted(points, queries[starts[:-1]])
    ends = np.searchsorted(points, queries[starts[1:] - 1], side="right")
    by_distance, by_depth = expansion
    return _walks_down(points, weights, h, by_distance, by_depth, queries, starts, firsts, ends)


@jit
def _walks_down(points, weights, h, by_distance, by_depth, queries, starts, firsts, ends):
    """Walk down each run r, whose points have the indices firsts[r], ..., ends[r] - 1."""
    sums = np.zeros(queries.size)
    edge, centre = np.empty(len(by_depth)), np.empty(len(by_distance))
    for r in range(firsts.size):
        first = firsts[r]
        entering = first - 1  # next point to come into reach
        passing = ends[r] - 1  # next point to be passed
        y = queries[starts[r]]
        if passing < first and not (entering >= 0 and y - points[entering] <= h):
            continue
        for k in range(len(by_depth)):
            edge[k] = 0.0
            centre[k] = 0.0
        y = queries[starts[r + 1] - 1]
        for q in range(starts[r + 1] - 1, starts[r] - 1, -1):
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
    """1 - (y - x) / h, with a small relative error even where the depth is almost 0."""
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
    """Move all points from z to z + d: the binomial theorem, as repeated sums of moments."""
    n = len(coefficients)
    for first in range(n - 1):
        for k in range(n - 1, first, -1):
            moments[k] += d * moments[k - 1]


@jit
def value(coefficients, moments):
    """Sum of a polynomial over the points that the moments describe."""
    total = 0.0
    for k in range(len(coefficients)):
        total += coefficients[k] * moments[k]
    return total
