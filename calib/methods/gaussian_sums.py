"""Sums of the Gaussian kernel over a sorted sample, to a relative error below 1e-7.

Blocks of neighbouring points are expanded about their centres, and the sum over the blocks is
interpolated between the Chebyshev points of a run of neighbouring queries. All terms are positive
and the error of each term is relative to the term, so the bound holds in the tails as well.
"""

import math

import numpy as np

from calib.kernels.compiling import jit
from calib.kernels.fast.exponential_search import reach_end, reach_start, run_starts

REACH = 10.5  # bandwidths; exp(-REACH^2 / 2) = 1e-24
BLOCK_WIDTH = 0.125  # bandwidths, the width of a block of points
N_MOMENTS = 10  # error z^10 / 10! < 1e-8, z = REACH * BLOCK_WIDTH / 2
QUERY_RUN_WIDTH = 0.25  # bandwidths, the width of a run of queries
N_NODES = 12  # error 2 (z / 2)^12 exp(2 z) / 12! < 1e-9, z = REACH * QUERY_RUN_WIDTH / 2
NODES = np.cos((np.arange(N_NODES) + 0.5) * (np.pi / N_NODES))  # Chebyshev points
TO_COEFFICIENTS = np.linalg.inv(np.vander(NODES, increasing=True))


@jit
def gaussian_sums(points, weights, h, queries):
    """Sums of exp(-u^2 / 2), u = (x - y) / h, without the points beyond some REACH bandwidths."""
    sums = np.empty(queries.size)
    if queries.size == 0:
        return sums
    near = slice(
        reach_start(points, queries[0], (REACH + 1) * h, 0),
        reach_end(points, queries[-1], (REACH + 1) * h, 0),
    )
    centres, moments = block_moments(points[near], weights[near], h)
    low, high = 0, 0
    starts = run_starts(queries, QUERY_RUN_WIDTH * h)
    for r in range(starts.size - 1):
        start = starts[r]
        stop = starts[r + 1]
        low = reach_start(centres, queries[start], REACH * h, low)
        high = reach_end(centres, queries[stop - 1], REACH * h, high)
        run, blocks = slice(start, stop), slice(low, high)
        if stop - start <= N_NODES or low == high:
            for q in range(start, stop):
                sums[q] = block_sum(centres[blocks], moments[blocks], h, queries[q])
        else:
            interpolate_run(centres[blocks], moments[blocks], h, queries[run], sums[run])
    return sums


@jit
def interpolate_run(centres, moments, h, queries, sums):
    """Fill in the sums at a run of neighbouring queries, by interpolation.

    With t = (y - c) / h and c the centre of the queries, exp(t^2 / 2) S(y) is a sum of positive
    exponentials in t, which a polynomial approximates to a small relative error.
    """
    centre = queries[0] / 2 + queries[-1] / 2
    radius = queries[-1] / 2 - queries[0] / 2
    coefficients = np.zeros(N_NODES)
    for node in range(N_NODES):
        t = radius * NODES[node] / h
        value = math.exp(t * t / 2) * block_sum(centres, moments, h, centre + t * h)
        for k in range(N_NODES):  # a matrix product takes a second to compile
            coefficients[k] += TO_COEFFICIENTS[k, node] * value
    for q in range(queries.size):
        offset = queries[q] - centre
        x = offset / radius if radius > 0 else 0.0
        value = 0.0
        for k in range(N_NODES - 1, -1, -1):
            value = value * x + coefficients[k]
        t = offset / h
        sums[q] = math.exp(-t * t / 2) * value


@jit
def block_moments(points, weights, h):
    """Blocks of neighbouring points: centres and sums of w exp(-s^2 / 2) s^k / k!."""
    starts = run_starts(points, BLOCK_WIDTH * h)
    centres = np.empty(starts.size - 1)
    moments = np.zeros((starts.size - 1, N_MOMENTS))
    for block in range(starts.size - 1):
        start = starts[block]
        stop = starts[block + 1]
        centres[block] = points[start] / 2 + points[stop - 1] / 2
        for i in range(start, stop):
            s = (points[i] - centres[block]) / h
            term = weights[i] * math.exp(-s * s / 2)
            for k in range(N_MOMENTS):
                moments[block, k] += term
                term *= s / (k + 1)
    return centres, moments


@jit
def block_sum(centres, moments, h, y):
    """Sum over the blocks: exp(-(d - s)^2 / 2) = exp(-d^2 / 2) exp(-s^2 / 2) exp(d s)."""
    total = 0.0
    for block in range(centres.size):
        d = (y - centres[block]) / h
        value = 0.0
        for k in range(N_MOMENTS - 1, -1, -1):
            value = value * d + moments[block, k]
        total += math.exp(-d * d / 2) * value
    return total
