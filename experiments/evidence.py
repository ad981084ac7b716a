"""How strongly printed numbers speak for one reading of a paper against another.

Under the true reading the distance of a printed number from ours, in standard errors of the first
reading and beyond the rounding of the print, is taken to be a standard normal number; or, for one
number in twenty, whatever the reading, anything up to ten standard errors on either side. So no
single number, not even a misprint, counts for more than a factor of about 150.

The numbers of one data set, or of one row where there are no data sets, hang together: only the
mean of their logarithms counts, once for each. This is a cautious likelihood, not an exact one.
"""

import math

import numpy as np

from experiments import ledger
from experiments.contents import Ours

ODD_ONES = 0.05  # numbers that have another reason
REACH = 10.0  # standard errors


def density(distance):
    """That of a distance in standard errors, which may be infinite."""
    normal = math.exp(-(distance**2) / 2) / math.sqrt(2 * math.pi)
    return (1 - ODD_ONES) * normal + ODD_ONES / (2 * REACH)


def log_ratio(paper, printed, one, other):
    """Decimal logarithm of the likelihood ratio of two readings: above 0 it speaks for `one`.

    Parameters
    ----------
    paper : Paper
    printed : dict
        From places to `Printed`.
    one, other : dict
        From places to `Ours` under either reading; only where they differ it matters.
    """
    units = {}
    for place, number in printed.items():
        if not all(isinstance(own.get(place), Ours) for own in [one, other]):
            continue  # what cannot be compared says nothing
        if one[place].value != other[place].value:
            _, block, unit = ledger.exchange(paper, place)
            logs = [math.log10(density(_distance(number, own[place]))) for own in [one, other]]
            units.setdefault((block, unit), []).append(logs[0] - logs[1])
    return round(float(sum(np.mean(logs) for logs in units.values())), 2)


def _distance(printed, ours):
    return abs(ledger.standardised(printed, ours))
