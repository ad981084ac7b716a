"""The number of a chapter, which is the beginning of the name of its file.

``08_bayesian_binning`` is chapter 8 of the main line, ``C04_guarantees_without_assumptions`` is
chapter C4 of the companion, and ``your_own_scores`` is a page without a number. A label in a
chapter, such as ``thm-c19-root``, is a name: its number is the number that the chapter had when the
label was made, and nothing reads it.
"""

import re

FILE = re.compile(r"(C?)(\d\d)_")


def number_of(stem):
    """The number as it is printed, "8" or "C4"; an empty string for a page without a number."""
    found = FILE.match(stem)
    return f"{found[1]}{int(found[2])}" if found else ""


def place_of(number):
    """The place of a chapter in the order of reading: the companion after the main line."""
    return number.startswith("C"), int(number.removeprefix("C"))
