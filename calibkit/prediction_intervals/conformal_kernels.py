"""Self-calibrating conformal prediction, exactly, for every outcome of the new object at once.

The cumulative sum diagram has the points (W_i, S_i): number and sum of the outcomes in the first i
groups of equal scores. Isotonic regression is the slope of its greatest convex minorant. A new
object with outcome c lies between the points `low` <= `high` of the diagram, or on a group of its
own score. Its level set is the window of groups between a corner a <= low of the minorant of the
points up to `low`, and a corner b >= high of that of the points from `high` on. As c grows, groups
leave the window on the left and join it on the right, and the level

    u = (S_b - S_a + c) / (W_b - W_a + 1)

grows. Between two such changes the window is fixed, and the outcomes c that conform to it are an
interval.
"""

from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit

NEAR = 1e-13  # two levels nearer than this, in units of the largest outcome, may be equal
SLACK = 3e-10  # rounding of outcomes that conform, in the same unit


class Limits(NamedTuple):
    """What is the same for all new objects."""

    miscoverage: float
    lowest: float  # outcome that is possible
    highest: float
    smallest: float  # outcome of the sample
    largest: float
    near: float
    slack: float


@jit
def corners(weights, sums):
    """The neighbouring corner of each point in the minorant of all points on one side of it.

    Parameters
    ----------
    weights, sums : ndarray of shape (g + 1,)
        The points of the cumulative sum diagram.

    Returns
    -------
    left, right : ndarray of shape (g + 1,)
        The corner before point i in the minorant of the points up to i, and the corner behind it in
        that of the points from i on; of points on one edge only its ends are corners. O(g).
    """
    g = weights.size - 1
    left, right = np.zeros(g + 1, np.int64), np.empty(g + 1, np.int64)
    right[g] = g
    for i in range(1, g + 1):
        j = i - 1
        while j > 0 and _slope(weights, sums, left[j], j) >= _slope(weights, sums, j, i):
            j = left[j]
        left[i] = j
    for i in range(g - 1, -1, -1):
        j = i + 1
        while j < g and _slope(weights, sums, i, j) >= _slope(weights, sums, j, right[j]):
            j = right[j]
        right[i] = j
    return left, right


def self_calibrating_intervals(
    outcomes, starts, sums, left, right, lows, highs, miscoverage, lowest, highest
):
    """Calibrated values and conformal intervals of new objects.

    Parameters
    ----------
    outcomes : ndarray of shape (n,)
        Sorted by score. What is small against them is rounding: their middle should be near 0.
    starts, sums : ndarray of shape (g + 1,)
        First row of each group, and n; sum of the outcomes before it. The points of the diagram.
    left, right : ndarray of shape (g + 1,)
        From `corners`.
    lows, highs : ndarray of shape (q,)
        For each new object the number of groups below its score, and of those not above it.
    miscoverage : float
        In (0, 1).
    lowest, highest : float
        All outcomes lie between them.

    Returns
    -------
    values : ndarray of shape (q, 2)
        The level of the new object with the lowest and with the highest outcome.
    intervals : ndarray of shape (q, 2)
        The smallest interval that holds all outcomes that conform.
    """
    smallest, largest = outcomes.min(), outcomes.max()
    size = max(largest, -smallest)
    limits = Limits(miscoverage, lowest, highest, smallest, largest, NEAR * size, SLACK * size)
    return _intervals(outcomes, starts, sums, left, right, lows, highs, limits)


@jit
def _intervals(outcomes, starts, sums, left, right, lows, highs, limits):
    values, intervals = np.empty((lows.size, 2)), np.empty((lows.size, 2))
    path, room = np.empty(starts.size, np.int64), np.empty(outcomes.size)
    for q in range(lows.size):
        k, b, values[q, 0] = _lowest_window(
            starts, sums, left, right, lows[q], highs[q], path, limits
        )
        values[q, 1], least, most = _sweep(
            outcomes, starts, sums, right, path, room, k, b, values[q, 0], limits
        )
        intervals[q, 0] = max(least - 2 * limits.slack, limits.lowest)
        intervals[q, 1] = min(most + 2 * limits.slack, limits.highest)
    return values, intervals


@jit
def _lowest_window(starts, sums, left, right, low, high, path, limits):
    """The level set of a new object with the lowest outcome, and its level.

    The corners from `low` to the left are written into `path`, as far as the window reaches: it
    begins at path[k] and ends at b.
    """
    lowest, near = limits.lowest, limits.near
    path[0], k, b = low, 0, high
    level = (sums[b] - sums[low] + lowest) / (starts[b] - starts[low] + 1)
    while True:
        if path[k] > 0 and _slope(starts, sums, left[path[k]], path[k]) >= level - near:
            path[k + 1] = left[path[k]]
            k += 1
        elif b < starts.size - 1 and _slope(starts, sums, b, right[b]) <= level + near:
            b = right[b]
        else:
            return k, b, level
        level = (sums[b] - sums[path[k]] + lowest) / (starts[b] - starts[path[k]] + 1)


@jit
def _sweep(outcomes, starts, sums, right, path, room, k, b, level, limits):
    """Let the outcome c grow from the lowest; returns the last level and the ends of what conforms.

    Where groups leave or join, at a single c, all of them are in the level set. In between, c stays
    away from these places by twice the slack, so that it cannot conform by rounding alone.
    """
    highest, near, slack = limits.highest, limits.near, limits.slack
    least, most, c = np.inf, -np.inf, limits.lowest
    while True:
        while b < starts.size - 1 and not _slope(starts, sums, b, right[b]) > level + near:
            b = right[b]
        total = sums[b] - sums[path[k]]
        first, last = _conforming(outcomes, starts[path[k]], starts[b], total, c, c, room, limits)
        least, most = min(least, first), max(most, last)
        if not c < highest:
            return level, least, most
        while k > 0 and not _slope(starts, sums, path[k], path[k - 1]) > level + near:
            k -= 1
        total, size = sums[b] - sums[path[k]], starts[b] - starts[path[k]]
        level = last_level = (total + highest) / (size + 1)
        if k > 0:
            level = min(level, _slope(starts, sums, path[k], path[k - 1]))
        if b < starts.size - 1:
            level = min(level, _slope(starts, sums, b, right[b]))
        following = highest
        if level < last_level - near:  # else it happens at the highest outcome
            following = max(min((size + 1) * level - total, highest), c)
        window = starts[path[k]], starts[b], total, c + 2 * slack, following - 2 * slack
        first, last = _conforming(outcomes, *window, room, limits)
        least, most, c = min(least, first), max(most, last), following


@jit
def _conforming(outcomes, start, end, total, lower, upper, room, limits):
    """The outcomes c between `lower` and `upper` that conform to the level set of rows and c.

    The set's rows are ``start <= row < end``, `total` is the sum of their outcomes. With m rows, c
    conforms unless ceil((1 - miscoverage) (m + 1)) of their residuals are smaller than its own. The
    residual of row i is at least that of c where c lies between the outcome of i and

        (2 total - (m + 1) outcome) / (m - 1),

    an interval around the mean of the rows. Returns the two ends, or (inf, -inf) if none conforms.
    """
    if lower > upper:
        return np.inf, -np.inf
    m, slack = end - start, limits.slack
    allowed = int(np.ceil((1 - limits.miscoverage) * (m + 1) - 1e-9)) - 1  # smaller residuals
    if m <= max(allowed, 1):
        return lower, upper
    farthest = (2 * total - (m + 1) * limits.smallest) / (m - 1)
    if lower > max(farthest, limits.largest) + slack:
        return np.inf, -np.inf  # without a look at the rows
    farthest = (2 * total - (m + 1) * limits.largest) / (m - 1)
    if upper < min(farthest, limits.smallest) - slack:
        return np.inf, -np.inf
    for i in range(m):
        own = outcomes[start + i]
        room[i] = min(own, (2 * total - (m + 1) * own) / (m - 1))
    lower = max(lower, _select(room, m, m - 1 - allowed) - slack)
    for i in range(m):
        own = outcomes[start + i]
        room[i] = max(own, (2 * total - (m + 1) * own) / (m - 1))
    upper = min(upper, _select(room, m, allowed) + slack)
    if lower > upper:
        return np.inf, -np.inf
    return lower, upper


@jit
def _select(values, size, k):
    """The value that would be at place k if the first `size` were sorted: Hoare's quickselect.

    Expected O(size); the values are moved about. To compile `np.partition` would take seconds.
    """
    low, high = 0, size - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


@jit
def _slope(weights, sums, i, j):
    """Mean outcome of the groups between two points of the diagram."""
    return (sums[j] - sums[i]) / (weights[j] - weights[i])
