"""Sums of a kernel over a sorted sample: S(y) = sum_i w_i K((y - x_i) / h) at sorted queries y.

Neighbouring queries, those within a fraction of the bandwidth, are answered together: what the
sample contributes to all of them is gathered once, as moments about their centre, and a query then
costs one polynomial. A point takes part in a bounded number of groups, so that n points and m
sorted queries cost O(n + m).

Boxcar, Epanechnikov and tricube are (1 - |u|^a)^b on |u| <= 1, polynomials on either side of the
query, for which moments are exact. Points are only ever added to the moments, never removed: no
cancellation as with differences of cumulative sums. The Gaussian is in `gaussian_sums`.
"""

import numpy as np

from calib.kernels.compiling import jit
from calib.kernels.galloping import reach_end, reach_start
from calib.kernels.gaussian_sums import gaussian_sums

SHAPES = {"boxcar": (1, 0), "epanechnikov": (2, 1), "tricube": (3, 3)}  # (a, b)
KERNELS = [*SHAPES, "gaussian"]
GROUP_WIDTH = 0.25  # of a group of queries, in bandwidths
SMALL_SHARE = 1e-3  # a smaller sum per unit of weight is summed directly: moments would cancel


def kernel_sums(kernel, points, weights, bandwidth, queries):
    """Kernel sums at increasing `queries`.

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
        return gaussian_sums(points, weights, bandwidth, queries)
    return polynomial_sums(points, weights, bandwidth, *SHAPES[kernel], queries)


@jit
def polynomial_sums(points, weights, h, a, b, queries):
    """Sums of (1 - |u|^a)^b over the points with ``abs(x - y) <= h``, u = (x - y) / h."""
    expansion = binomial_expansion(a, b)
    even, odd = np.empty(a * b + 1), np.empty(a * b + 1)
    sums, masses = np.zeros(queries.size), np.zeros(queries.size)
    zones = np.zeros(6, np.int64)
    start = 0
    while start < queries.size:
        stop = reach_end(queries, queries[start], GROUP_WIDTH * h, start)
        group = slice(start, stop)
        find_zones(zones, points, queries[start], queries[stop - 1], h)
        n_points, n_queries = zones[5] - zones[0], stop - start
        few = n_points * n_queries <= 16 * n_queries + 4 * n_points
        if not few:
            sample = (points, weights, h, zones)
            moments = (even, odd, expansion, a)
            sweep_up(sample, moments, queries[group], sums[group], masses[group])
            sweep_down(sample, moments, queries[group], sums[group], masses[group])
        for q in range(start, stop):
            if few or sums[q] < SMALL_SHARE * masses[q]:
                sums[q] = direct_sum(points, weights, h, a, b, queries[q], zones)
        start = stop
    return sums


@jit
def find_zones(zones, points, first, last, h):
    """Ends of the zones of points in reach of a group of queries from `first` to `last`.

    Zones 0-1 and 4-5: in reach of some of the queries; 1-2: left of all queries; 2-3: among the
    queries; 3-4: right of all queries.
    """
    zones[0] = reach_start(points, first, h, zones[0])
    zones[1] = reach_start(points, last, h, zones[1])
    zones[2] = reach_end(points, first, 0.0, zones[2])
    zones[3] = reach_end(points, last, 0.0, zones[3])
    zones[4] = reach_end(points, first, h, zones[4])
    zones[5] = reach_end(points, last, h, zones[5])


@jit
def sweep_up(sample, moments, queries, sums, masses):
    """Add zones 1-2 and 3-4, and what a walk up through the queries adds to them.

    Going up, points among the queries pass to the left side of the query, and points further up
    come within reach.
    """
    points, weights, h, zones = sample
    even, odd, expansion, a = moments
    centre = queries[0] / 2 + queries[-1] / 2
    even[:] = 0.0
    odd[:] = 0.0
    for i in range(zones[1], zones[2]):
        add_point(even, odd, weights[i], (points[i] - centre) / h, 1.0)
    for i in range(zones[3], zones[4]):
        add_point(even, odd, weights[i], (points[i] - centre) / h, -1.0)
    passed, reached = zones[2], zones[4]
    for q in range(queries.size):
        y = queries[q]
        while passed < zones[3] and points[passed] <= y:
            add_point(even, odd, weights[passed], (points[passed] - centre) / h, 1.0)
            passed += 1
        while reached < zones[5] and points[reached] - y <= h:
            add_point(even, odd, weights[reached], (points[reached] - centre) / h, -1.0)
            reached += 1
        sums[q] += evaluate(even, odd, expansion, a, (y - centre) / h)
        masses[q] += even[0]


@jit
def sweep_down(sample, moments, queries, sums, masses):
    """Add what a walk down adds: points that pass to the right side or come within reach below.

    A point in reach of a query is thus counted in exactly one of the two sweeps.
    """
    points, weights, h, zones = sample
    even, odd, expansion, a = moments
    centre = queries[0] / 2 + queries[-1] / 2
    even[:] = 0.0
    odd[:] = 0.0
    passed, reached = zones[3] - 1, zones[1] - 1
    for q in range(queries.size - 1, -1, -1):
        y = queries[q]
        while passed >= zones[2] and points[passed] > y:
            add_point(even, odd, weights[passed], (points[passed] - centre) / h, -1.0)
            passed -= 1
        while reached >= zones[0] and y - points[reached] <= h:
            add_point(even, odd, weights[reached], (points[reached] - centre) / h, 1.0)
            reached -= 1
        sums[q] += evaluate(even, odd, expansion, a, (y - centre) / h)
        masses[q] += even[0]


@jit
def direct_sum(points, weights, h, a, b, y, zones):
    """The sum at one query, term by term."""
    total = 0.0
    for i in range(zones[0], zones[5]):
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
