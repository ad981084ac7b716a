"""Placebos: supposed causes that explain nothing, put through the rules of the ledger.

A factor on every number of a column, a shift of every number, and the moves of real causes given to
other rows. The share of them that passes is the size of the rules. Each is judged alone, so that it
passes more easily than among the causes of a paper.
"""

from typing import NamedTuple

import numpy as np

from experiments import ledger
from experiments.chance import FALSE_CAUSES, Change, exchanged, judged, shuffled
from experiments.contents import Ours
from experiments.recording import RESULTS

PLACEBOS = RESULTS / "ledger_placebos.csv"
FACTORS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.998, 1.002, 1.01, 1.02, 1.05, 1.1, 1.25, 2.0)
SHIFTS = (-1.0, -0.5, -0.2, -0.1, -0.05, -0.02, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # in deviations
N_EXCHANGES = 20


class Rate(NamedTuple):
    """How many placebos of a kind pass, and how many mend more than they spoil."""

    paper: str
    kind: str
    tried: int
    gaining: int
    passed: int


def rates(paper, read):
    """A `Rate` for each kind of placebo."""
    found = []
    for kind, placebos in {
        "a factor on every number of a column": columns_changed(paper, read, _scaled, FACTORS),
        "a shift of every number of a column": columns_changed(paper, read, _shifted, SHIFTS),
        "the moves of a cause, given to other rows": causes_exchanged(paper, read),
    }.items():
        placebos = list(placebos)
        gaining = sum(one.mended > one.spoiled for one in map(_tally, placebos))
        passed = sum(judged([one])[1] <= FALSE_CAUSES for one in placebos)
        found.append(Rate(paper.name, kind, len(placebos), gaining, passed))
    return found


def _tally(changes):
    _, mended, spoiled = ledger.tally(changes)
    return ledger.Trial("", "", 0, mended, spoiled)


def _scaled(values, factor):
    return values * factor


def _shifted(values, shift):
    return values + shift * np.std(values)


def columns_changed(paper, read, change, amounts):
    """Each column of all tables that have it, changed by each amount."""
    printed, base = ledger.printed_numbers(paper), ledger.base_numbers(paper, read)
    columns = {}
    for place in printed:
        if isinstance(base[place], Ours) and np.isfinite(base[place].value):
            columns.setdefault(place[2], []).append(place)
    for places in columns.values():
        values = np.array([base[place].value for place in places])
        for amount in amounts:
            moved = change(values, amount)
            yield [
                Change(
                    *ledger.exchange(paper, place),
                    printed[place],
                    base[place],
                    base[place]._replace(value=float(value)),
                )
                for place, value in zip(places, moved, strict=True)
            ]


def causes_exchanged(paper, read):
    """The finite moves of each cause, given to other rows, several times."""
    printed, base = ledger.printed_numbers(paper), ledger.base_numbers(paper, read)
    under = {c.name: ledger.numbers_under(paper, c, read, base) for c in paper.causes}
    for cause in paper.causes:
        changes = [
            one
            for one in ledger.changes(paper, cause, printed, base, under)
            if np.isfinite([one.old.value, one.new.value, one.printed.value]).all()
        ]
        old, new = (np.array([getattr(c, name).value for c in changes]) for name in ["old", "new"])
        for sources in exchanged(changes, N_EXCHANGES):
            moved = shuffled(old, new, sources, "difference")
            yield [
                one._replace(new=one.new._replace(value=float(value)))
                for one, value in zip(changes, moved, strict=True)
            ]
