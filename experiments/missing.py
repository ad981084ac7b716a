"""What one protocol a paper leaves open: how many numbers of each table, on which side, how far.

The protocol has all accepted causes that are no fits, as in `experiments.baselines`.
"""

import math
from statistics import median
from typing import NamedTuple

from experiments import ledger
from experiments.contents import Ours
from experiments.recording import RESULTS

MISSING = RESULTS / "ledger_missing.csv"
ASKED = 0.85  # of the comparable numbers: what was hoped for


class Missing(NamedTuple):
    """The open numbers of a column of a table.

    Attributes
    ----------
    paper, table, column : str
    comparable, open : int
    above, below : int
        Of the open ones, those that are larger and smaller in ours.
    distance : float
        Their median, in standard errors beyond the rounding; infinite if half of them are.
    farthest : str
        The row of the largest.
    """

    paper: str
    table: str
    column: str
    comparable: int
    open: int
    above: int
    below: int
    distance: float
    farthest: str


def missing(paper, read, trials):
    """A `Missing` for each column of a table with an open number."""
    names = {one.cause for one in trials if one.accepted and not one.tuned}
    ours = ledger.protocol(paper, read, names)
    columns = {}
    for place, number in ledger.printed_numbers(paper).items():
        if isinstance(ours[place], Ours):
            distance = ledger.standardised(number, ours[place])
            columns.setdefault((place[0], place[2]), []).append((distance, place[1]))
    found = []
    for (table, column), own in columns.items():
        far = [one for one in own if abs(one[0]) > ledger.STANDARD_ERRORS]
        if far:
            above = sum(distance > 0 for distance, _ in far)
            farthest = max(far, key=lambda one: abs(one[0]))[1]
            middle = median(abs(distance) for distance, _ in far)
            counts = len(own), len(far), above, len(far) - above
            found.append(Missing(paper.name, table, column, *counts, round(middle, 1), farthest))
    return found


def wanted(found, comparable):
    """How many open numbers more would have to be settled for the share that was hoped for."""
    return max(0, math.ceil(ASKED * comparable) - comparable + sum(one.open for one in found))
