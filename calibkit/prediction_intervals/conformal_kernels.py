"""Self-calibrating conformal prediction, exactly, for every outcome of the new object at once.

The loops of `calibkit.prediction_intervals.conformal`. The cumulative sum diagram has the points
(W_i, S_i): number and sum of the outcomes in the first i ties. Isotonic regression is the slope of
its greatest convex minorant. A new object with outcome c lies between the points `low` <= `high` of
the diagram, or on the tie of its own score. Its level set is the window of ties between a corner
a <= low of the minorant of the points up to `low`, and a corner b >= high of the minorant of the
points from `high` on. As c grows, ties leave the window on the left and join it on the right, and
the level

    u = (S_b - S_a + c) / (W_b - W_a + 1)

grows. Between two such changes the window is fixed, and the outcomes c that conform to it are an
interval.
"""

from typing import NamedTuple

import numpy as np

from calib.kernels.compiling import jit

LEVEL_TOLERANCE = 1e-13  # distance of levels that may be equal, in units of the largest outcome
OUTCOME_SLACK = 3e-10  # rounding of the outcomes that conform, in the same unit


class Diagram(NamedTuple):
    """The cumulative sum diagram of g ties, with a corner on either side of each point."""

    outcomes: np.ndarray  # sorted by score
    starts: np.ndarray  # W_i: first row of each tie, and the number of rows
    sums: np.ndarray  # S_i
    left: np.ndarray
    right: np.ndarray


class Limits(NamedTuple):
    """Numbers that are the same for all new objects."""

    miscoverage: float
    lowest: float  # smallest outcome that is possible
    highest: float
    smallest: float  # smallest outcome of the sample
    largest: float
    tolerance: float  # distance of levels that may be equal
    slack: float  # rounding of the outcomes that conform


@jit
def minorant_corners(weights, sums):
    """Find the neighbouring corners of each point in the minorants of the points on either side.

    Parameters
    ----------
    weights, sums : ndarray of shape (g + 1,)
        The points of the cumulative sum diagram.

    Returns
    -------
    left, right : ndarray of shape (g + 1,)
        The corner before point i in the minorant of the points up to i, and the corner behind it in
        the minorant of the points from i on. Only the ends of an edge are corners. O(g).
    """
    g = weights.size - 1
    left = np.zeros(g + 1, np.int64)
    right = np.empty(g + 1, np.int64)
    right[g] = g
    for i in range(1, g + 1):
        j = i - 1
        while j > 0 and _is_on_or_above(weights, sums, left[j], j, i):
            j = left[j]
        left[i] = j
    for i in range(g - 1, -1, -1):
        j = i + 1
        while j < g and _is_on_or_above(weights, sums, i, j, right[j]):
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
        Sorted by score. Their middle should be near 0, because outcomes are rounded to digits of
        the largest one.
    starts, sums : ndarray of shape (g + 1,)
        First row of each tie, and n; sum of the outcomes before it. The points of the diagram.
    left, right : ndarray of shape (g + 1,)
        From `minorant_corners`.
    lows, highs : ndarray of shape (q,)
        For each new object the number of ties below its score, and of ties not above it.
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
    diagram = Diagram(outcomes=outcomes, starts=starts, sums=sums, left=left, right=right)
    smallest = outcomes.min()
    largest = outcomes.max()
    size = max(largest, -smallest)
    limits = Limits(
        miscoverage=miscoverage,
        lowest=lowest,
        highest=highest,
        smallest=smallest,
        largest=largest,
        tolerance=LEVEL_TOLERANCE * size,
        slack=OUTCOME_SLACK * size,
    )
    return _intervals(diagram, lows, highs, limits)


@jit
def _intervals(diagram, lows, highs, limits):
    """Values and intervals of all new objects."""
    values = np.empty((lows.size, 2))
    intervals = np.empty((lows.size, 2))
    corners = np.empty(diagram.starts.size, np.int64)  # room for the corners left of a new object
    room = np.empty(diagram.outcomes.size)
    for q in range(lows.size):
        k, b, lowest_level = _lowest_window(diagram, lows[q], highs[q], corners, limits)
        highest_level, least, most = _sweep(diagram, corners, k, b, lowest_level, room, limits)
        values[q, 0] = lowest_level
        values[q, 1] = highest_level
        intervals[q, 0] = max(least - 2 * limits.slack, limits.lowest)
        intervals[q, 1] = min(most + 2 * limits.slack, limits.highest)
    return values, intervals


@jit
def _lowest_window(diagram, low, high, corners, limits):
    """The level set of a new object with the lowest outcome, and its level.

    The corners from `low` to the left are written into `corners`, as far as the window reaches. The
    window begins at corners[k] and ends at b.
    """
    starts = diagram.starts
    sums = diagram.sums
    left = diagram.left
    right = diagram.right
    n_ties = starts.size - 1
    tolerance = limits.tolerance
    corners[0] = low
    k = 0
    b = high
    level = (sums[b] - sums[low] + limits.lowest) / (starts[b] - starts[low] + 1)
    while True:
        a = corners[k]
        if a > 0 and _diagram_slope(starts, sums, left[a], a) >= level - tolerance:
            k += 1
            corners[k] = left[a]
        elif b < n_ties and _diagram_slope(starts, sums, b, right[b]) <= level + tolerance:
            b = right[b]
        else:
            return k, b, level
        a = corners[k]
        level = (sums[b] - sums[a] + limits.lowest) / (starts[b] - starts[a] + 1)


@jit
def _sweep(diagram, corners, k, b, level, room, limits):
    """Let the outcome c grow from the lowest; return the last level and the ends of the set.

    Where ties leave or join, at a single c, all of them are in the level set. In between, c stays
    away from these places by twice the slack, so that it cannot conform by rounding alone.
    """
    starts = diagram.starts
    sums = diagram.sums
    right = diagram.right
    n_ties = starts.size - 1
    tolerance = limits.tolerance
    least = np.inf
    most = -np.inf
    c = limits.lowest
    while True:
        # outcome c: ties of the same level belong to the window on both sides
        while b < n_ties and not _diagram_slope(starts, sums, b, right[b]) > level + tolerance:
            b = right[b]
        a = corners[k]
        total = sums[b] - sums[a]
        first, last = _conforming(diagram.outcomes, starts[a], starts[b], total, c, c, room, limits)
        least = min(least, first)
        most = max(most, last)
        if not c < limits.highest:
            return level, least, most
        # the outcomes from c to the next change: the ties of the same level on the left have left
        while k > 0 and not (
            _diagram_slope(starts, sums, corners[k], corners[k - 1]) > level + tolerance
        ):
            k -= 1
        a = corners[k]
        total = sums[b] - sums[a]
        size = starts[b] - starts[a]
        last_level = (total + limits.highest) / (size + 1)
        level = last_level
        if k > 0:
            level = min(level, _diagram_slope(starts, sums, a, corners[k - 1]))
        if b < n_ties:
            level = min(level, _diagram_slope(starts, sums, b, right[b]))
        following = limits.highest
        if level < last_level - tolerance:  # otherwise the window lasts to the highest outcome
            following = max(min((size + 1) * level - total, limits.highest), c)
        first, last = _conforming(
            diagram.outcomes,
            starts[a],
            starts[b],
            total,
            c + 2 * limits.slack,
            following - 2 * limits.slack,
            room,
            limits,
        )
        least = min(least, first)
        most = max(most, last)
        c = following


@jit
def _conforming(outcomes, start, end, total, lower, upper, room, limits):
    """The outcomes c between `lower` and `upper` that conform to the level set of rows and c.

    The rows of the set are ``start <= row < end``, and `total` is the sum of their outcomes. With m
    rows, c conforms unless ceil((1 - miscoverage) (m + 1)) of their residuals are smaller than the
    residual of c. The residual of row i is at least as large where c lies between the outcome of i
    and

        (2 total - (m + 1) outcome) / (m - 1),

    an interval around the mean of the rows. Returns the two ends, or (inf, -inf) if none conforms.
    """
    if lower > upper:
        return np.inf, -np.inf
    m = end - start
    allowed = int(np.ceil((1 - limits.miscoverage) * (m + 1) - 1e-9)) - 1  # smaller residuals
    if m <= max(allowed, 1):
        return lower, upper
    # the outcomes that may conform to any row at all: often none, without a look at the rows
    farthest = (2 * total - (m + 1) * limits.smallest) / (m - 1)
    if lower > max(farthest, limits.largest) + limits.slack:
        return np.inf, -np.inf
    farthest = (2 * total - (m + 1) * limits.largest) / (m - 1)
    if upper < min(farthest, limits.smallest) - limits.slack:
        return np.inf, -np.inf
    for i in range(m):
        outcome = outcomes[start + i]
        room[i] = min(outcome, (2 * total - (m + 1) * outcome) / (m - 1))
    lower = max(lower, _select(room, m, m - 1 - allowed) - limits.slack)
    for i in range(m):
        outcome = outcomes[start + i]
        room[i] = max(outcome, (2 * total - (m + 1) * outcome) / (m - 1))
    upper = min(upper, _select(room, m, allowed) + limits.slack)
    if lower > upper:
        return np.inf, -np.inf
    return lower, upper


@jit
def _select(values, size, k):
    """The value that would be at place k if the first `size` were sorted: Hoare's quickselect.

    Expected O(size). The values are moved about. To compile `np.partition` would take seconds.
    """
    low = 0
    high = size - 1
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
def _is_on_or_above(weights, sums, i, j, k):
    """Whether point j of the diagram lies on the edge from point i to point k, or above it."""
    return _diagram_slope(weights, sums, i, j) >= _diagram_slope(weights, sums, j, k)


@jit
def _diagram_slope(weights, sums, i, j):
    """Mean outcome of the ties between two points of the diagram, the slope between them."""
    return (sums[j] - sums[i]) / (weights[j] - weights[i])
