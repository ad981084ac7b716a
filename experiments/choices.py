"""What the authors must have run: for each choice that a paper leaves open, the reading that fits.

A choice is a setting of the causes of the ledger. Of the readings of it that we have recorded, the
accepted one is taken, or the one that gains most agreement; on the numbers that it changes it is
compared with our first reading and with the next best, all by the errors of the first reading.
`experiments.evidence` has the model of the likelihood ratios.
"""

from typing import NamedTuple

from experiments import ledger
from experiments.contents import Ours
from experiments.evidence import log_ratio
from experiments.recording import RESULTS
from experiments.said import SAID

CHOICES = RESULTS / "ledger_choices.csv"
FIRST = "as we first read it"
NO_OTHER = -1  # in the place of a count where one reading alone was tried
ACCEPTED, FIT, OPEN = "accepted", "fit", "not accepted"


class Choice(NamedTuple):
    """A choice and its evidence.

    Attributes
    ----------
    paper, setting : str
    said : str
        What the paper says of it.
    reading : str
        Name of the cause that fits best; "" for our first reading.
    numbers : int
        Those that it changes; for our first reading, those that its nearest rival changes.
    fit, first, rival : int
        How many of them agree under it, under our first reading and under the next best other one,
        `NO_OTHER` if there is none.
    status : str
        By the rules of the scoreboard.
    evidence : float
        Decimal logarithm of the likelihood ratio against the likeliest other reading, the first
        among them.
    unused, unused_fit, unused_first : int
        For a fit, numbers that were not used to choose its constant, how many of them agree under
        all accepted readings with it, and without it.
    unused_evidence : float
        As `evidence`, by these numbers alone, against our first reading.
    """

    paper: str
    setting: str
    said: str
    reading: str
    numbers: int
    fit: int
    first: int
    rival: int
    status: str
    evidence: float
    unused: int = 0
    unused_fit: int = 0
    unused_first: int = 0
    unused_evidence: float = 0.0


def choices(paper, read, trials):
    """A `Choice` for each setting whose causes change any number."""
    printed, base = ledger.printed_numbers(paper), ledger.base_numbers(paper, read)
    trial = {one.cause: one for one in trials}
    settings = {}
    for cause in paper.causes:
        if not cause.after or trial[cause.after].accepted:
            settings.setdefault(cause.setting or cause.name, []).append(cause)
    found = []
    for setting, causes in settings.items():
        given = {one.name for cause in causes for one in ledger.given(paper, cause)}
        first = ledger.protocol(paper, read, given)
        ways = []
        for cause in causes:
            under = ledger.numbers_under(paper, cause, read, base)
            places = [
                place
                for place, ours in under.items()
                if place in printed and ours.value != first[place].value
            ]
            gain = _agreeing(printed, under, places) - _agreeing(printed, first, places)
            ways.append((trial[cause.name].accepted, gain, cause.name, under, places))
        ways.sort(key=lambda way: way[:2], reverse=True)
        accepted, gain, name, under, places = ways[0]
        counts = [_agreeing(printed, one, places) for one in [under, first]]
        rival = _agreeing(printed, ways[1][3], places) if len(ways) > 1 else NO_OTHER
        if gain <= 0:  # our first reading is the best, and this one its rival
            name, rival, counts = "", counts[0], [counts[1]] * 2
        status = OPEN if not accepted else FIT if trial[name].tuned else ACCEPTED
        said = SAID.get(paper.name, {}).get(setting, "not stated")
        readings = {"": first} | {own: first | numbers for _, _, own, numbers, _ in ways}
        best = readings.pop(name)
        evidence = min(log_ratio(paper, printed, best, other) for other in readings.values())
        one = Choice(paper.name, setting, said, name, len(places), *counts, rival, status, evidence)
        if places:
            found.append(_with_unused(paper, read, trials, one))
    return found


def _agreeing(printed, numbers, places):
    return sum(
        place in numbers and ledger.agrees(printed[place], numbers[place]) for place in places
    )


def _with_unused(paper, read, trials, choice):
    cause = next((one for one in paper.causes if one.name == choice.reading), None)
    if choice.status != FIT or cause.unused is None:
        return choice
    printed = ledger.printed_numbers(paper)
    others = {t.cause for t in trials if t.accepted and not t.tuned}
    with_it, without = (
        ledger.protocol(paper, read, names) for names in [others | {cause.name}, others]
    )
    places = [
        place
        for place, number in printed.items()
        if cause.unused(place)
        and isinstance(without[place], Ours)
        and with_it[place].value != without[place].value
    ]
    counts = [_agreeing(printed, numbers, places) for numbers in [with_it, without]]
    evidence = log_ratio(paper, {place: printed[place] for place in places}, with_it, without)
    return choice._replace(
        unused=len(places),
        unused_fit=counts[0],
        unused_first=counts[1],
        unused_evidence=evidence,
    )
