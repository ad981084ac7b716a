"""How often a supposed cause that has nothing to do with the differences would do as well.

A cause moves our numbers. If it has nothing to do with the differences, it might as well have moved
each row of a table the other way, or by half or twice as much. So the moves of each row are
multiplied by a random number between -2 and 2, many times, and the share of draws is counted in
which at least as many numbers are mended, less those spoiled, as by the cause itself.
"""

from typing import NamedTuple

import numpy as np
from scipy import stats

SEED = 5
N_DRAWS = 4000
REACH = 2.0
FALSE_CAUSES = 0.1  # of those accepted, on average


class Change(NamedTuple):
    """A number that a cause changes.

    Attributes
    ----------
    row : hashable
        Numbers of one row rest on the same predictions and move together.
    printed : Printed
    old, new : Ours
        Without the cause and with it.
    """

    row: object
    printed: object
    old: object
    new: object


def share_by_chance(changes, agrees_now, n_errors):
    """Share of draws in which random moves mend, less what they spoil, as much as the cause.

    Parameters
    ----------
    changes : list of Change
    agrees_now : list of bool
        Whether each number agrees with the cause.
    n_errors : float
        Standard errors within which numbers agree.

    Returns
    -------
    share : float
        In (0, 1], to four digits; the cause itself counts as one draw. A number that is infinite
        with or without the cause is not moved in the draws.
    """
    if not changes:
        return 1.0
    old, new, printed, half, error = np.array(
        [(c.old.value, c.new.value, c.printed.value, c.printed.half, c.new.error) for c in changes]
    ).T
    finite = np.isfinite(new - old) & np.isfinite(printed)
    order = {row: k for k, row in enumerate(dict.fromkeys(c.row for c in changes))}
    of_row = [order[c.row] for c in changes]
    factors = np.random.default_rng(SEED).uniform(-REACH, REACH, (N_DRAWS, len(order)))
    with np.errstate(invalid="ignore"):
        moved = old + factors[:, of_row] * (new - old)
        near = np.abs(moved - printed) <= half * (1 + 1e-9) + n_errors * error
    agree = np.where(finite, near, agrees_now).sum(axis=1)
    as_good = np.sum(agree >= np.sum(agrees_now))
    return round(float((1 + as_good) / (1 + N_DRAWS)), 4)


def unlikely(shares):
    """Which causes pass: by Benjamini and Hochberg, one in ten of them by chance at most.

    The more causes are tried, the smaller a share has to be.

    Examples
    --------
    >>> unlikely([0.04, 0.2, 0.9]).tolist(), unlikely([0.04, 0.03, 0.02]).tolist()
    ([False, False, False], [True, True, True])
    """
    return stats.false_discovery_control(shares) <= FALSE_CAUSES if len(shares) else []
