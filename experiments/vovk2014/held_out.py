"""Bags of REPTree on numbers that had no part in the choice of them: those of VA.

REPTree was found by the losses of W, SVA and DIR. The following was written down and committed
before the full Venn-Abers predictor had been computed with it.

The numbers are the finite printed losses of VA with bagged trees, in Tables 1 and 2, with
Echocardiogram as survival for a year, which is an accepted reading. Independent draws are tested;
those of Weka 3.6 stand beside them. REPTree passes if all of this holds, by the errors of the
reading with J48:

1. in each half of the numbers it mends more than it spoils, and its moves, given to other data
   sets, gain as much in one of twenty draws at most (`experiments.chance`, judged alone);
2. the likelihood ratio against J48 is ten at least (`experiments.evidence`);
3. it is not a tenth as likely as bags of distinct rows, the fit that it would replace, or less.

It is accepted as a cause if it passes and the rules of the ledger, which are not changed for it,
choose it on all numbers of the paper.

(So far what was written down before. The reading of Echocardiogram has lost its acceptance since,
by a rule that was made stricter for another paper; the test keeps it. Weka 3.6.14 turned out to
draw independently: the draws that stand beside are those of Weka until 2012.)
"""

import math
from typing import NamedTuple

import numpy as np

from experiments import ledger
from experiments.chance import Change, judged, tally
from experiments.evidence import log_ratio
from experiments.recording import RESULTS

HELD_OUT = RESULTS / "ledger_held_out.csv"
FIRST, FIT = "", "j48-bagging-distinct"
TESTED = "reptree-bagging"
GIVEN = "echo-one-year"
OTHERS = (FIT, TESTED, "reptree-bagging-older-draws")
BY_CHANCE = 0.05
RATIO = 10.0


class HeldOut(NamedTuple):
    """A reading of bagged trees on the numbers of VA.

    Attributes
    ----------
    reading : str
        Name of a cause; "" for J48.
    numbers, agree : int
    wrong : float
        How many would agree on average with the printed number of another data set.
    mended, spoiled : int
        Beside J48.
    chance : float
        As in the first condition; 1 if a half of the numbers gains nothing.
    ratio : float
        Decimal logarithm of the likelihood ratio against J48.
    """

    reading: str
    numbers: int
    agree: int
    wrong: float
    mended: int
    spoiled: int
    chance: float
    ratio: float


def held_out(paper, read):
    """A `HeldOut` for J48, for the fit and for both kinds of bags of REPTree.

    Parameters
    ----------
    paper : Paper
        That of Vovk and Petej.
    read : callable
        As from `experiments.ledger.reader`.
    """
    printed = {
        place: number
        for place, number in ledger.printed_numbers(paper).items()
        if place[0] != "table3"
        and place[1].startswith("J48 Bagging / ")
        and place[2] == "VA"
        and math.isfinite(number.value)
    }
    first = ledger.protocol(paper, read, {GIVEN})
    found = []
    for name in [FIRST, *OTHERS]:
        own = ledger.protocol(paper, read, {GIVEN, name})
        changes = [
            Change(*ledger.exchange(paper, place), number, first[place], own[place])
            for place, number in printed.items()
        ]
        _, mended, spoiled = tally(changes)
        found.append(
            HeldOut(
                name,
                len(printed),
                sum(ledger.agrees(number, own[place]) for place, number in printed.items()),
                round(float(_wrong(printed, own)), 1),
                mended,
                spoiled,
                judged([changes])[1] if name else 1.0,
                log_ratio(paper, printed, own, first),
            )
        )
    return found


def _wrong(printed, own):
    """How many agree on average with the number of another data set, of the same table."""
    tables = {place[0] for place in printed}
    return sum(
        np.mean([ledger.agrees(printed[o], own[place]) for o in printed if _elsewhere(o, place)])
        for table in tables
        for place in printed
        if place[0] == table
    )


def _elsewhere(other, place):
    return other[0] == place[0] and other != place


def passes(found):
    """Whether the tested reading meets the three conditions."""
    by_name = {one.reading: one for one in found}
    own, fit = by_name[TESTED], by_name[FIT]
    least = math.log10(RATIO)
    return own.chance <= BY_CHANCE and own.ratio >= least and own.ratio > fit.ratio - least
