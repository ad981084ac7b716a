"""What agreement is worth: the same counts with printed numbers of the wrong row.

A number of ours is set beside every printed number of another row of the same column, once of the
same data set and once of another one; where a table has no data sets, both are all other rows. The
expected counts stand beside the true ones. The last two of the `READINGS` are one protocol a paper:
one set of choices for all of its tables, no cause of its own for each number.
"""

from typing import NamedTuple

import numpy as np

from experiments import ledger
from experiments.chance import mended
from experiments.contents import Ours
from experiments.recording import RESULTS

SHARES = RESULTS / "ledger_shares.csv"
BEFORE = RESULTS / "ledger_shares_before.csv"  # with two tuned constants in the first reading
PLAIN, EXPLAINED, PROTOCOL, FITS = READINGS = (
    "as described",
    "or explained",
    "one protocol",
    "one protocol, tuned",
)


class Share(NamedTuple):
    """How many numbers of a paper a reading settles.

    Attributes
    ----------
    paper, reading : str
        One of `READINGS`.
    comparable, settled : int
    wrong, shuffled : float
        How many would be with a number of another row of the same data set, and of another data
        set.
    """

    paper: str
    reading: str
    comparable: int
    settled: int
    wrong: float
    shuffled: float

    def percent(self, name):
        """A count as a share of the comparable numbers, such as "65 %"."""
        return f"{100 * getattr(self, name) / self.comparable:.0f} %"


def shares(paper, read, trials):
    """The `Share` of each reading."""
    printed, base = ledger.printed_numbers(paper), ledger.base_numbers(paper, read)
    places = [place for place in printed if isinstance(base[place], Ours)]
    accepted = [one for one in trials if one.accepted]
    causes = [c for c in paper.causes if c.name in {t.cause for t in accepted if not t.tuned}]
    under = [ledger.numbers_under(paper, cause, read, base) for cause in causes]
    together = [
        ledger.protocol(paper, read, {t.cause for t in accepted if not t.tuned or tuned})
        for tuned in [False, True]
    ]
    settles = {
        PLAIN: lambda number, place: ledger.agrees(number, base[place]),
        EXPLAINED: lambda number, place: (
            ledger.agrees(number, base[place])
            or any(mended(number, base[place], one[place]) for one in under if place in one)
        ),
        PROTOCOL: lambda number, place: ledger.agrees(number, together[0][place]),
        FITS: lambda number, place: ledger.agrees(number, together[1][place]),
    }
    others = [_others(paper, printed, places, same) for same in [True, False]]
    found = []
    for reading, settled in settles.items():
        expected = (
            sum(np.mean([settled(printed[o], place) for o in own[place]]) for place in places)
            for own in others
        )
        own = sum(settled(printed[place], place) for place in places)
        found.append(Share(paper.name, reading, len(places), own, *map(_rounded, expected)))
    return found


def _rounded(value):
    return round(float(value), 1)


def _others(paper, printed, places, same):
    """For each number those of the other rows, of the same data set or of another one."""
    tables = {table.name: table for table in paper.tables}
    groups, own = {}, {}
    for place in printed:
        table, row, column = place
        kept, block, unit = tables[table].exchange(row)
        own[place] = (table, column, unit) if same and block != table else (kept, block, column)
        groups.setdefault(own[place], []).append(place)
    return {place: [one for one in groups[own[place]] if one != place] for place in places}


def total(found, reading):
    """The `Share` of all papers together."""
    rows = [one for one in found if one.reading == reading]
    counts = (sum(values) for values in list(zip(*rows, strict=True))[2:])
    return Share("all", reading, *counts)
