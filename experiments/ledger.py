"""The ledger: every published number beside ours, with a verdict that is computed.

A number *agrees* if ours rounds to it or is, beyond the rounding of the print, within two standard
errors of the difference, which is the distance that chapters 11, 20 and 21 use.
If it does not, the causes that were tried for the paper are asked in their order. A cause *mends* a
number if under it ours agrees, by the standard error of the base reading, and at most half of the
gap is left. It is accepted if each half of the rows, taken alone, chooses it of all ways to set the
same thing, and if its moves given to other rows hardly ever gain as much (`experiments.chance`),
with a correction for the number of settings that were tried for the paper. A cause that the
authors' public code documents needs no test of chance: it is accepted whatever it mends or spoils,
since printed numbers would choose it if only a helpful one were. Where a constant in a cause was
chosen by printed numbers, what it mends *fits, tuned*, and is not explained.

The accepted causes together are one protocol of a paper, the same for all of its tables.
"""

import csv
import functools
import math
from typing import NamedTuple

from experiments.chance import (
    STANDARD_ERRORS,
    Change,
    beyond_rounding,
    judged,
    mended,
    tally,
    unlikely,
)
from experiments.contents import Ours
from experiments.recording import RESULTS, recorded
from experiments.second_hand import apart, read_second_hand, verdict

LEDGER = RESULTS / "ledger.csv"
CAUSES = RESULTS / "ledger_causes.csv"
AGREES = "agrees"
EXPLAINED = "differs: explained"
TUNED = "differs: fits, tuned"
UNEXPLAINED = "differs: not explained"
NOT_COMPARABLE = "not comparable"
VERDICTS = (AGREES, EXPLAINED, TUNED, UNEXPLAINED, NOT_COMPARABLE)


class Entry(NamedTuple):
    """A row of the ledger.

    Attributes
    ----------
    paper, table, row, column : str
    published, ours, spread : float
    repetitions : int
    error : float
        Standard error of the difference.
    standardised : float
        Ours less the nearest value that rounds to the published number, in standard errors of the
        difference.
    verdict : str
        One of `VERDICTS`.
    cause : str
        Name of the cause that mends the number, or "".
    ours_under_cause, standardised_under_cause : float
        The latter in standard errors of the base reading.
    reason : str
        Why the number cannot be compared, or "".
    second : float
        The number of the second hand, an independent program (`experiments.second_hand`).
    apart : float
        The second hand less ours, in standard errors of the difference of the two means.
    hands : str
        Whether the two hands agree within Monte Carlo error; "" without a second hand.
    """

    paper: str
    table: str
    row: str
    column: str
    published: float
    ours: float = math.nan
    spread: float = math.nan
    repetitions: int = 0
    error: float = math.nan
    standardised: float = math.nan
    verdict: str = NOT_COMPARABLE
    cause: str = ""
    ours_under_cause: float = math.nan
    standardised_under_cause: float = math.nan
    reason: str = ""
    second: float = math.nan
    apart: float = math.nan
    hands: str = ""


class Trial(NamedTuple):
    """What a cause does to the numbers that it may change.

    Attributes
    ----------
    paper, cause : str
    changed : int
        Numbers that it changes, of those that can be compared.
    mended, spoiled : int
        As in `experiments.chance`.
    chance : float
        How often exchanged moves gain as much; 1 if the halves of the rows do not choose it.
    accepted : bool
    tuned : bool
        Whether a constant in it was chosen by printed numbers.
    explains : int
        Entries of the ledger that it mends, and no cause before it.
    """

    paper: str
    cause: str
    changed: int
    mended: int
    spoiled: int
    chance: float = 1.0
    accepted: bool = False
    tuned: bool = False
    explains: int = 0


def standardised(printed, ours):
    """From the nearest value that rounds to the printed number to ours, in standard errors.

    0 if ours rounds to the printed number or both are infinite; infinite if they differ and nothing
    is random, or one is infinite alone.
    """
    if ours.value == printed.value:
        return 0.0
    beyond = beyond_rounding(printed, ours.value)
    if beyond == 0:
        return 0.0
    decided = ours.error == 0 or math.isinf(beyond)
    distance = math.inf if decided else float(beyond) / ours.error
    return math.copysign(distance, ours.value - printed.value)


def agrees(printed, ours):
    """Whether ours is within two standard errors of what rounds to the printed number."""
    return abs(standardised(printed, ours)) <= STANDARD_ERRORS


def reader(folder=RESULTS):
    """A function from the name of an experiment to its recorded columns, each read once."""
    return functools.cache(functools.partial(recorded, folder=folder))


def entries(paper, read, tables=None):
    """Rows of the ledger for a paper, and what its causes do.

    Parameters
    ----------
    paper : Paper
    read : callable
        As from `reader`.
    tables : list of str, optional
        Names of the tables whose rows are wanted; causes are judged on all of their tables.

    Returns
    -------
    entries : list of Entry
    trials : list of Trial
    """
    printed, base = printed_numbers(paper), base_numbers(paper, read)
    under = {cause.name: numbers_under(paper, cause, read, base) for cause in paper.causes}
    trials = judge(paper, {c.name: changes(paper, c, printed, base, under) for c in paper.causes})
    accepted = [trial for trial in trials if trial.accepted]
    accepted.sort(key=lambda trial: trial.tuned)  # what is no fit comes first
    second = read_second_hand()
    found = []
    for place, number in printed.items():
        entry = _entry(
            paper.name, place, number, base[place], [(t, under[t.cause]) for t in accepted]
        )
        found.append(_with_second_hand(entry, base[place], second))
    explained = [entry.cause for entry in found]
    trials = [trial._replace(explains=explained.count(trial.cause)) for trial in trials]
    return [entry for entry in found if tables is None or entry.table in tables], trials


def printed_numbers(paper):
    """From table, row and column to `Printed`, in the order of the tables."""
    return {(t.name, one.row, one.column): one for t in paper.tables for one in t.printed()}


def base_numbers(paper, read):
    """Ours by table, row and column, by the protocol that the paper describes."""
    return {
        (table.name, *cell): ours
        for table in paper.tables
        for cell, ours in table.ours(read, **table.reading).items()
    }


def numbers_under(paper, cause, read, base):
    """The numbers that a cause may change, under it and those that it takes as given."""
    found = {}
    for table in paper.tables:
        if table.name in cause.tables:
            found |= _numbers(table, read, [*given(paper, cause), cause], base)
    return found


def protocol(paper, read, names):
    """Our numbers under one protocol: the causes of these names together, in their order."""
    base = base_numbers(paper, read)
    found = dict(base)
    for table in paper.tables:
        causes = []
        for cause in paper.causes:
            if cause.name in names and table.name in cause.tables:
                causes.append(cause)
                found |= _numbers(table, read, causes, base)
    return found


def _numbers(table, read, causes, base):
    """Numbers of a table under several causes, with the errors of the base reading."""
    reading = dict(table.reading)
    for cause in causes:
        reading |= cause.changes if table.name in cause.tables else {}
    found = {}
    for cell, ours in table.ours(read, **reading).items():
        place = table.name, *cell
        if isinstance(ours, Ours) and isinstance(base[place], Ours):
            # where the base reading is infinite it has no error
            own = base[place].error
            found[place] = ours._replace(error=own) if math.isfinite(own) else ours
    return found


def given(paper, cause):
    """The causes that one takes as given, the first of them first."""
    for other in paper.causes:
        if other.name == cause.after:
            return [*given(paper, other), other]
    return []


def changes(paper, cause, printed, base, under):
    """What a cause does beside those that it takes as given, or beside none: `Change` by number."""
    before = dict(base)
    for other in given(paper, cause):
        before |= under[other.name]
    return [
        Change(*exchange(paper, place, cause.exchanged), printed[place], before[place], new)
        for place, new in under[cause.name].items()
        if place in printed
    ]


def exchange(paper, place, key=""):
    """What an exchange of rows keeps of a place, among which it exchanges, and what."""
    table = next(table for table in paper.tables if table.name == place[0])
    kept, block, unit = table.exchange(place[1], key)
    return (kept, place[2]), block, unit


def judge(paper, changes):
    """The trials of a paper's causes, those marked that are accepted."""
    ways = {}
    for cause in paper.causes:
        ways.setdefault(cause.setting or cause.name, []).append(cause)
    found = [judged([changes[cause.name] for cause in own]) for own in ways.values()]
    best = {
        own[way].name: (share, bool(passed))
        for own, (way, share), passed in zip(
            ways.values(), found, unlikely([share for _, share in found]), strict=True
        )
        if way >= 0
    }
    accepted, trials = {""}, []
    for cause in paper.causes:
        share, passed = best.get(cause.name, (1.0, False))
        counts = tally(changes[cause.name])
        if (passed or cause.documented) and cause.after in accepted:
            accepted.add(cause.name)
        trials.append(
            Trial(
                paper.name,
                cause.name,
                *counts,
                chance=share,
                accepted=cause.name in accepted,
                tuned=bool(cause.tuned),
            )
        )
    return trials


def _entry(paper, place, printed, ours, causes):
    entry = Entry(paper, *place, printed.value)
    if isinstance(ours, str):
        return entry._replace(reason=ours)
    entry = entry._replace(
        ours=ours.value,
        spread=ours.spread,
        repetitions=ours.repetitions,
        error=ours.error,
        standardised=standardised(printed, ours),
        verdict=AGREES if agrees(printed, ours) else UNEXPLAINED,
    )
    if entry.verdict == AGREES:
        return entry
    for trial, under in causes:
        other = under.get(place)
        if other is not None and mended(printed, ours, other):
            return entry._replace(
                verdict=TUNED if trial.tuned else EXPLAINED,
                cause=trial.cause,
                ours_under_cause=other.value,
                standardised_under_cause=standardised(printed, other),
            )
    return entry


def _with_second_hand(entry, ours, second):
    """The entry with the number of the second hand, where there is one."""
    hand = second.get(entry[:4])
    if hand is None or isinstance(ours, str):
        return entry
    distance = apart(ours, hand)
    return entry._replace(second=hand.ours, apart=distance, hands=verdict(distance))


def write(rows, path=LEDGER):
    """Write entries or trials as a CSV file, numbers to six digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0]._fields)
        writer.writerows(map(formatted, rows))


def formatted(row):
    """The cells of a row as they are written: an empty one where there is no number."""
    return [_text(value) for value in row]


def _text(value):
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def read_ledger(path=LEDGER, kind=Entry):
    """Entries of a written ledger; trials with ``path=CAUSES, kind=Trial``."""
    with path.open(newline="", encoding="utf-8") as file:
        return [_read(row, kind) for row in csv.DictReader(file)]


_CONVERT = {
    str: str,
    int: int,
    float: lambda text: float(text or "nan"),
    bool: lambda text: text == "True",
}


def _read(row, kind):
    kinds = kind.__annotations__
    return kind(**{name: _CONVERT[kinds[name]](text) for name, text in row.items()})


class Totals(dict):
    """Number of entries by verdict, in the order of `VERDICTS`."""

    @property
    def numbers(self):
        """All of them."""
        return sum(self.values())

    @property
    def comparable(self):
        """Those with a number of ours beside them."""
        return self.numbers - self[NOT_COMPARABLE]

    @property
    def settled(self):
        """Those that agree or differ for an accepted cause; not those that a fit mends."""
        return self[AGREES] + self[EXPLAINED]

    @property
    def share(self):
        """Those settled, of the comparable ones."""
        return self.settled / self.comparable


def totals(found):
    """Count entries by verdict."""
    verdicts = [entry.verdict for entry in found]
    return Totals({verdict: verdicts.count(verdict) for verdict in VERDICTS})
