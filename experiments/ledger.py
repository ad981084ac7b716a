"""The ledger: every published number beside ours, with a verdict that is computed.

A number *agrees* if ours rounds to it or is, beyond the rounding of the print, within two standard
errors of the difference, which is the distance that chapters 8, 9 and 14 use.
If it does not, the causes that were tested for its table are asked in their order: a difference is
*explained* if the number under an accepted cause agrees. A cause is accepted if, over all numbers
that it may change, it mends more than it spoils, and if moves of random sign and size would hardly
ever do as well (`experiments.chance`), with a correction for the number of causes that were
tried for the paper; of causes that set the same thing in different ways only the one that mends
most, or of equals the one least likely by chance, and its chance counts as often as there are ways.
So a cause that only adds noise, or fits a number by chance, explains nothing.
"""

import csv
import functools
import math
from typing import NamedTuple

from experiments.chance import Change, share_by_chance, unlikely
from experiments.contents import Ours
from experiments.recording import RESULTS, recorded

LEDGER = RESULTS / "ledger.csv"
CAUSES = RESULTS / "ledger_causes.csv"
STANDARD_ERRORS = 2.0
AGREES = "agrees"
EXPLAINED = "differs: explained"
UNEXPLAINED = "differs: not explained"
NOT_COMPARABLE = "not comparable"
VERDICTS = (AGREES, EXPLAINED, UNEXPLAINED, NOT_COMPARABLE)


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
        Name of the cause that explains the difference, or "".
    ours_under_cause, standardised_under_cause : float
    reason : str
        Why the number cannot be compared, or "".
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


class Trial(NamedTuple):
    """What a cause does to the numbers that it may change.

    Attributes
    ----------
    paper, cause : str
    changed : int
        Numbers that it changes, of those that can be compared.
    mended, spoiled : int
        Numbers that agree with it and not without, and the reverse.
    chance : float
        How often random moves do as well.
    accepted : bool
    explains : int
        Entries of the ledger that it explains.
    """

    paper: str
    cause: str
    changed: int
    mended: int
    spoiled: int
    chance: float = 1.0
    accepted: bool = False
    explains: int = 0

    @property
    def gain(self):
        """Numbers mended less those spoiled."""
        return self.mended - self.spoiled


def standardised(printed, ours):
    """From the nearest value that rounds to the printed number to ours, in standard errors.

    0 if ours rounds to the printed number or both are infinite; infinite if they differ and nothing
    is random, or one is infinite alone.
    """
    if ours.value == printed.value:
        return 0.0
    gap = ours.value - printed.value
    # an error of rounding in ours shall not decide
    beyond = max(0.0, abs(gap) - printed.half * (1 + 1e-9))
    if beyond == 0:
        return 0.0
    decided = ours.error == 0 or math.isinf(beyond)
    return math.copysign(math.inf if decided else beyond / ours.error, gap)


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
    printed = {table.name: table.printed() for table in paper.tables}
    base = {table.name: table.ours(read, **table.reading) for table in paper.tables}
    under = {cause.name: _under(paper, cause, read) for cause in paper.causes}
    trials = _judged(paper, [_trial(paper, c, printed, base, under) for c in paper.causes])
    accepted = [trial.cause for trial in trials if trial.accepted]
    found = [
        _entry(paper.name, table.name, number, base, {name: under[name] for name in accepted})
        for table in paper.tables
        for number in printed[table.name]
    ]
    explained = [entry.cause for entry in found]
    trials = [trial._replace(explains=explained.count(trial.cause)) for trial in trials]
    return [entry for entry in found if tables is None or entry.table in tables], trials


def _under(paper, cause, read):
    """Our numbers under a cause, by table."""
    changes = changes_of(paper, cause)
    return {
        table.name: table.ours(read, **{**table.reading, **changes})
        for table in paper.tables
        if table.name in cause.tables
    }


def changes_of(paper, cause):
    """Changes of the reading by a cause and by those that it takes as given."""
    changes = {}
    for one in [*_given(paper, cause), cause]:
        changes |= one.changes
    return changes


def _given(paper, cause):
    """The causes that one takes as given, the first of them first."""
    for other in paper.causes:
        if other.name == cause.after:
            return [*_given(paper, other), other]
    return []


def _trial(paper, cause, printed, base, under):
    """Compare with the numbers under the cause that it takes as given, or without any."""
    changes = []
    for table, ours in under[cause.name].items():
        before = base[table]
        for given in _given(paper, cause):
            before = {**before, **under[given.name].get(table, {})}
        for number in printed[table]:
            old, new = (found.get((number.row, number.column)) for found in [before, ours])
            if isinstance(old, Ours) and isinstance(new, Ours) and old.value != new.value:
                changes.append(Change((table, number.row), number, old, new))
    before = [agrees(change.printed, change.old) for change in changes]
    now = [agrees(change.printed, change.new) for change in changes]
    return Trial(
        paper.name,
        cause.name,
        len(changes),
        mended=sum(b < n for b, n in zip(before, now, strict=True)),
        spoiled=sum(b > n for b, n in zip(before, now, strict=True)),
        chance=share_by_chance(changes, now, STANDARD_ERRORS),
    )


def _judged(paper, trials):
    """The trials with those accepted: of each setting the best one, if it is unlikely by chance.

    A setting that was tried in several ways has had as many chances, hence the factor.
    """
    ways = {}
    for cause, trial in zip(paper.causes, trials, strict=True):
        ways.setdefault(cause.setting or cause.name, []).append(trial)
    best = [max(same, key=lambda one: (one.gain, -one.chance)) for same in ways.values()]
    shares = [min(1.0, len(s) * b.chance) for s, b in zip(ways.values(), best, strict=True)]
    real = unlikely(shares)
    accepted = [one for one, passed in zip(best, real, strict=True) if passed and one.gain > 0]
    return [trial._replace(accepted=trial in accepted) for trial in trials]


def _entry(paper, table, printed, base, causes):
    place = printed.row, printed.column
    ours = base[table][place]
    entry = Entry(paper, table, *place, printed.value)
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
    for name, under in causes.items():
        other = under.get(table, {}).get(place)
        if isinstance(other, Ours) and agrees(printed, other):
            return entry._replace(
                verdict=EXPLAINED,
                cause=name,
                ours_under_cause=other.value,
                standardised_under_cause=standardised(printed, other),
            )
    return entry


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
        """Those that agree or differ for a tested cause."""
        return self[AGREES] + self[EXPLAINED]

    @property
    def share(self):
        """Those settled, of the comparable ones."""
        return self.settled / self.comparable


def totals(found):
    """Count entries by verdict."""
    verdicts = [entry.verdict for entry in found]
    return Totals({verdict: verdicts.count(verdict) for verdict in VERDICTS})
