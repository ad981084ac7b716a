"""Sums of a kernel over a sorted sample: S(y) = sum_i w_i K((y - x_i) / h) at sorted queries y.

Neighbouring queries, those within a fraction of the bandwidth, are answered together: what the
sample contributes to all of them is gathered once, as moments about their centre, and a query then
costs one polynomial. Every point takes part in a bounded number of such groups, so that n points
and m sorted queries cost O(n + m).

Boxcar, Epanechnikov and tricube are (1 - |u|^a)^b on |u| <= 1, polynomials on either side of the
query, for which moments are exact. They are only ever added up, never subtracted: no cancellation
as with differences of cumulative sums. The Gaussian is expanded (`gaussian_sums`).
"""

import math

import numpy as np

from calib.kernels.compiling import jit

SHAPES = {"boxcar": (1, 0), "epanechnikov": (2, 1), "tricube": (3, 3)}  # (a, b)
KERNELS = [*SHAPES, "gaussian"]

GROUP_WIDTH = 0.25  # of a group of queries, in bandwidths
SMALL_SHARE = 1e-3  # a smaller sum per unit of weight is summed directly: moments would cancel

REACH = 10.5  # exp(-REACH^2 / 2) = 1e-24
BLOCK_WIDTH = 0.125  # of a block of points, in bandwidths
N_MOMENTS = 10  # (REACH * BLOCK_WIDTH / 2)^10 / 10! < 1e-8
N_NODES = 12
_ANGLES = (np.arange(N_NODES) + 0.5) * (np.pi / N_NODES)
NODES = np.cos(_ANGLES)  # Chebyshev points
TO_COEFFICIENTS = np.linalg.inv(np.vander(NODES, increasing=True))


def kernel_sums(kernel, points, weights, bandwidth, queries):
    """Kernel sums at increasing `queries`: O(n + m).

    Parameters
    ----------
    kernel : {"boxcar", "epanechnikov", "tricube", "gaussian"}
        Without its normalising constant: K(0) = 1.
    points, weights : ndarray of shape (n,)
        Increasing points and their positive weights.
    bandwidth : float
        h >= 0; a bandwidth of 0 gives the weight at the query itself.
    queries : ndarray of shape (m,)
        Increasing queries.
    """
    if bandwidth == 0:
        return polynomial_sums(points, weights, 0.0, *SHAPES["boxcar"], queries)
    if kernel == "gaussian":
        return gaussian_sums(points, weights, bandwidth, queries, NODES, TO_COEFFICIENTS)
    return polynomial_sums(points, weights, bandwidth, *SHAPES[kernel], queries)


@jit
def polynomial_sums(points, weights, h, a, b, queries):
    """Sums of (1 - |u|^a)^b over the points with ``abs(x - y) <= h``, u = (x - y) / h.

    The points in reach of a group of queries, from left to right: those that only some queries
    reach, those left of every query, those among the queries, those right of every query, and
    again those that only some queries reach. Going up through the queries, points come within
    reach on the right and pass to the left side; going down, the other way round.
    """
    n, m = points.size, queries.size
    expansion = binomial_expansion(a, b)
    even, odd = np.empty(a * b + 1), np.empty(a * b + 1)
    sums, masses = np.zeros(m), np.zeros(m)
    some_left, all_left, first_right, all_right, right_end, end = 0, 0, 0, 0, 0, 0
    start = 0
    while start < m:
        first = queries[start]
        stop = start + 1
        while stop < m and queries[stop] - first <= GROUP_WIDTH * h:
            stop += 1
        last = queries[stop - 1]
        while some_left < n and first - points[some_left] > h:
            some_left += 1
        while all_left < n and last - points[all_left] > h:
            all_left += 1
        while first_right < n and points[first_right] <= first:
            first_right += 1
        while all_right < n and points[all_right] <= last:
            all_right += 1
        while right_end < n and points[right_end] - first <= h:
            right_end += 1
        while end < n and points[end] - last <= h:
            end += 1
        n_points, n_queries = end - some_left, stop - start
        if n_points * n_queries <= 16 * n_queries + 4 * n_points:
            for q in range(start, stop):
                sums[q] = direct_sum(points, weights, h, a, b, queries[q], some_left, end)
            start = stop
            continue

        centre = first / 2 + last / 2
        even[:] = 0.0
        odd[:] = 0.0
        for i in range(all_left, first_right):
            add_point(even, odd, weights[i], (points[i] - centre) / h, 1.0)
        for i in range(all_right, right_end):
            add_point(even, odd, weights[i], (points[i] - centre) / h, -1.0)
        passed, reached = first_right, right_end
        for q in range(start, stop):
            y = queries[q]
            while passed < all_right and points[passed] <= y:
                add_point(even, odd, weights[passed], (points[passed] - centre) / h, 1.0)
                passed += 1
            while reached < end and points[reached] - y <= h:
                add_point(even, odd, weights[reached], (points[reached] - centre) / h, -1.0)
                reached += 1
            sums[q] = evaluate(even, odd, expansion, a, (y - centre) / h)
            masses[q] = even[0]

        even[:] = 0.0
        odd[:] = 0.0
        passed, reached = all_right - 1, all_left - 1
        for q in range(stop - 1, start - 1, -1):
            y = queries[q]
            while passed >= first_right and points[passed] > y:
                add_point(even, odd, weights[passed], (points[passed] - centre) / h, -1.0)
                passed -= 1
            while reached >= some_left and y - points[reached] <= h:
                add_point(even, odd, weights[reached], (points[reached] - centre) / h, 1.0)
                reached -= 1
            sums[q] += evaluate(even, odd, expansion, a, (y - centre) / h)
            masses[q] += even[0]
            if sums[q] < SMALL_SHARE * masses[q]:
                sums[q] = direct_sum(points, weights, h, a, b, y, some_left, end)
        start = stop
    return sums


@jit
def direct_sum(points, weights, h, a, b, y, start, stop):
    """The sum at one query, term by term; `start` and `stop` enclose the points in reach."""
    total = 0.0
    for i in range(start, stop):
        distance = abs(points[i] - y)
        if distance <= h:
            u = distance / h if h > 0 else 0.0
            total += weights[i] * (1.0 - u**a) ** b
    return total


@jit
def binomial_expansion(a, b):
    """Coefficients of t^(p-k) s^k, p = a j, in (1 - (t - s)^a)^b: row j, column k."""
    expansion = np.zeros((b + 1, a * b + 1))
    outer = 1.0
    for j in range(b + 1):
        p = a * j
        inner = outer
        for k in range(p + 1):
            expansion[j, k] = inner
            inner *= -(p - k) / (k + 1)
        outer *= -(b - j) / (j + 1)
    return expansion


@jit
def add_point(even, odd, weight, s, side):
    """Add a point to the moments; `side` is 1 left of the query and -1 right of it.

    |t - s|^p is (t - s)^p on the left; on the right an odd p changes the sign.
    """
    for k in range(even.size):
        even[k] += weight
        odd[k] += side * weight
        weight *= s


@jit
def evaluate(even, odd, expansion, a, t):
    """Sum of the kernel over the points in the moments, at a query at `t`."""
    total = 0.0
    for j in range(expansion.shape[0]):
        moments = odd if (a * j) % 2 else even
        value = 0.0
        for k in range(a * j + 1):
            value = value * t + expansion[j, k] * moments[k]
        total += value
    return total


@jit
def gaussian_sums(points, weights, h, queries, nodes, to_coefficients):
    """Sums of exp(-u^2 / 2) to a relative error below 1e-7, points beyond REACH left out.

    With t = (y - c) / h and c the centre of a group of queries, exp(t^2 / 2) S(y) is a sum of
    positive exponentials in t. It is evaluated at the Chebyshev points of the group and
    interpolated there.
    """
    n_queries = queries.size
    sums = np.empty(n_queries)
    centres, moments = block_moments(points, weights, h)
    n_nodes = nodes.size
    values = np.empty(n_nodes)
    low, high = 0, 0
    start = 0
    while start < n_queries:
        first = queries[start]
        stop = start + 1
        while stop < n_queries and queries[stop] - first <= GROUP_WIDTH * h:
            stop += 1
        last = queries[stop - 1]
        while low < centres.size and first - centres[low] > REACH * h:
            low += 1
        while high < centres.size and centres[high] - last <= REACH * h:
            high += 1
        if stop - start <= n_nodes or low == high:
            for q in range(start, stop):
                sums[q] = block_sum(centres, moments, low, high, h, queries[q])
            start = stop
            continue
        centre, radius = first / 2 + last / 2, last / 2 - first / 2
        for k in range(n_nodes):
            t = radius * nodes[k] / h
            y = centre + radius * nodes[k]
            values[k] = math.exp(t * t / 2) * block_sum(centres, moments, low, high, h, y)
        coefficients = to_coefficients @ values
        scale = 1.0 / radius if radius > 0 else 0.0
        for q in range(start, stop):
            t = (queries[q] - centre) / h
            x = (queries[q] - centre) * scale
            value = 0.0
            for k in range(n_nodes - 1, -1, -1):
                value = value * x + coefficients[k]
            sums[q] = math.exp(-t * t / 2) * value
        start = stop
    return sums


@jit
def block_moments(points, weights, h):
    """Blocks of neighbouring points: centres and sums of w exp(-s^2 / 2) s^k / k!."""
    n_blocks = 0
    start = 0
    for i in range(points.size):
        if i == 0 or points[i] - points[start] > BLOCK_WIDTH * h:
            start = i
            n_blocks += 1
    centres = np.empty(n_blocks)
    moments = np.zeros((n_blocks, N_MOMENTS))
    start = 0
    for block in range(n_blocks):
        stop = start + 1
        while stop < points.size and points[stop] - points[start] <= BLOCK_WIDTH * h:
            stop += 1
        centre = points[start] / 2 + points[stop - 1] / 2
        centres[block] = centre
        for i in range(start, stop):
            s = (points[i] - centre) / h
            term = weights[i] * math.exp(-s * s / 2)
            for k in range(N_MOMENTS):
                moments[block, k] += term
                term *= s / (k + 1)
        start = stop
    return centres, moments


@jit
def block_sum(centres, moments, low, high, h, y):
    """Gaussian sum over the blocks: exp(-(d - s)^2 / 2) = exp(-d^2 / 2 + d s - s^2 / 2)."""
    total = 0.0
    for block in range(low, high):
        d = (y - centres[block]) / h
        value = 0.0
        for k in range(N_MOMENTS - 1, -1, -1):
            value = value * d + moments[block, k]
        total += math.exp(-d * d / 2) * value
    return total
