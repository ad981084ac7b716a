"""Whether a supposed cause does better than its own moves given to the wrong rows.

A cause moves our numbers. If it has to do with the differences, it matters which row gets which
move. So the moves are exchanged among the rows of a table, many times, once as differences and once
as ratios, and the share of draws is counted that gain at least as much as the cause itself; the
larger of the two shares counts. A shift of every number is unchanged by the first exchange and a
factor on every number by the second: neither can pass.

What is gained is the numbers mended less those spoiled. Of the ways in which one thing can be set,
each half of the numbers chooses the best for itself; if they choose differently, or if one of them
gains nothing, the gain is none. The draws are treated alike, so that the choice costs what it must.
"""

import math
import zlib
from typing import NamedTuple

import numpy as np
from scipy import stats

SEED = 5
N_DRAWS = 2000
FALSE_CAUSES = 0.1  # of those accepted, on average
STANDARD_ERRORS = 2.0
HALVED = 0.5  # a mended number has at most this share of its gap left


class Change(NamedTuple):
    """A number that a cause may change.

    Attributes
    ----------
    where : hashable
        What an exchange keeps: the table, the column, and the keys that are not exchanged.
    block, unit : hashable
        What is exchanged, a row or a data set, and among which: units of one block trade places,
        everywhere at once.
    printed : Printed
    old, new : Ours
        Without the cause and with it, both with the error of the base reading.
    """

    where: object
    block: object
    unit: object
    printed: object
    old: object
    new: object


def beyond_rounding(printed, value):
    """Distance from the nearest value that rounds to the printed number; array or number.

    An error of rounding in ours shall not decide.
    """
    return np.maximum(0.0, np.abs(value - printed.value) - printed.half * (1 + 1e-9))


def mends(before, after, reach):
    """Whether a gap beyond what is allowed gets smaller than that, and less than half."""
    return (before > reach) & (after <= reach) & (after <= HALVED * before)


def spoils(before, after, reach):
    """Whether a gap gets larger than what is allowed, from within that or by a factor of two."""
    return (after > reach) & ((before <= reach) | (before <= HALVED * after))


def mended(printed, old, new):
    """Whether a cause mends a number, which may be infinite."""
    return bool(mends(*_gaps(printed, old, new)))


def tally(changes):
    """How many numbers a cause changes, mends and spoils, the infinite ones among them."""
    moved = [(c.printed, c.old, c.new) for c in changes if c.old.value != c.new.value]
    spoiled = sum(bool(spoils(*_gaps(*one))) for one in moved)
    return len(moved), sum(mended(*one) for one in moved), spoiled


def _gaps(printed, old, new):
    """Distance before and after, and the distance that is allowed."""
    gaps = (
        0.0 if printed.value == ours.value else beyond_rounding(printed, ours.value)
        for ours in [old, new]
    )
    return *gaps, STANDARD_ERRORS * new.error


def halves(changes):
    """For each number to which half it belongs; the same whatever the cause."""
    names = [f"{one.where}/{one.block}/{one.unit}" for one in changes]
    return np.array([zlib.crc32(name.encode()) % 2 for name in names])


def choice(gains):
    """The way that both halves choose and its gain, for arrays of shape (ways, halves, draws).

    -1 and 0 where they choose differently, or where one of them gains nothing.
    """
    best = gains.argmax(axis=0)
    draws = np.arange(gains.shape[2])
    agreed = (best[0] == best[1]) & (gains.max(axis=0) > 0).all(axis=0)
    return np.where(agreed, best[0], -1), np.where(agreed, gains[best[0], :, draws].sum(1), 0)


def judged(ways):
    """Of the ways of a setting the one that both halves choose, and its share by chance.

    Parameters
    ----------
    ways : list of list of Change
        What each way does.

    Returns
    -------
    way : int
        -1 if none is chosen.
    share : float
        To four digits; the cause itself counts as one draw.
    """
    ways = [[c for c in changes if _finite(c)] for changes in ways]
    own = choice(np.array([gains(changes, None, 1) for changes in ways]))
    way, gain = int(own[0][0]), own[1][0]
    if way < 0:
        return way, 1.0
    shares = []
    for scale in ["difference", "ratio"]:
        drawn = np.array([gains(changes, scale, N_DRAWS) for changes in ways])
        shares.append((1 + np.sum(choice(drawn)[1] >= gain)) / (1 + N_DRAWS))
    return way, round(float(max(shares)), 4)


def _finite(change):
    """Whether all three numbers are finite: others can be neither exchanged nor counted."""
    numbers = change.printed.value, change.old.value, change.new.value
    return all(map(math.isfinite, numbers))


def gains(changes, scale, n_draws):
    """Numbers mended less those spoiled, by half and draw; without a scale nothing is exchanged.

    Parameters
    ----------
    changes : list of Change
    scale : {"difference", "ratio", None}
    n_draws : int

    Returns
    -------
    gains : ndarray of shape (2, n_draws)
    """
    if not changes:
        return np.zeros((2, n_draws))
    old, new, value, half, error = np.array(
        [(c.old.value, c.new.value, c.printed.value, c.printed.half, c.new.error) for c in changes]
    ).T
    sources = None if scale is None else exchanged(changes, n_draws)
    moved = new[None] if scale is None else shuffled(old, new, sources, scale)
    beyond = np.maximum(0.0, np.abs(np.vstack([old[None], moved]) - value) - half * (1 + 1e-9))
    before, after, reach = beyond[:1], beyond[1:], STANDARD_ERRORS * error
    found = mends(before, after, reach).astype(int) - spoils(before, after, reach)
    side = halves(changes)
    return np.array([found[:, side == k].sum(axis=1) for k in range(2)])


def shuffled(old, new, sources, scale):
    """Our numbers with the moves of others; -1 among the sources is no move."""
    if scale == "difference":
        return old + np.append(new - old, 0.0)[sources]
    ratios = np.divide(new, old, out=np.ones_like(old), where=old != 0)
    return old * np.append(ratios, 1.0)[sources]


def exchanged(changes, n_draws):
    """For each draw and change the index of the one whose move it gets; -1 if there is none."""
    rng = np.random.default_rng(SEED)
    units, index = {}, {}
    for k, one in enumerate(changes):
        units.setdefault(one.block, {}).setdefault(one.unit, len(units[one.block]))
        index[one.where, one.block, units[one.block][one.unit]] = k
    orders = {
        block: rng.permuted(np.tile(np.arange(len(own)), (n_draws, 1)), axis=1)
        for block, own in units.items()
    }
    found = np.empty((n_draws, len(changes)), dtype=int)
    for k, one in enumerate(changes):
        own = units[one.block]
        there = [index.get((one.where, one.block, unit), -1) for unit in range(len(own))]
        found[:, k] = np.array(there)[orders[one.block][:, own[one.unit]]]
    return found


def unlikely(shares):
    """Which settings pass: by Benjamini and Hochberg, one in ten of them by chance at most.

    The more are tried, the smaller a share has to be.

    Examples
    --------
    >>> unlikely([0.04, 0.2, 0.9]).tolist(), unlikely([0.04, 0.03, 0.02]).tolist()
    ([False, False, False], [True, True, True])
    """
    return stats.false_discovery_control(shares) <= FALSE_CAUSES if len(shares) else []
