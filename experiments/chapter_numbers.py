"""The number of a chapter, which is the beginning of the name of its file.

``08_bayesian_binning`` is chapter 8 of the main line, ``C04_guarantees_without_assumptions`` is
chapter C4 of the companion, and ``your_own_scores`` is a page without a number. A label such as
``thm-c19-root`` keeps the old number of its chapter, because it is an address on the site.

``rings_cell_by_cell`` belongs to the evidence: it examines the printed numbers of a chapter one by
one. It has no number, no summary and no exercises of its own.
"""

import re

FILE = re.compile(r"(C?)(\d\d)_")
EVIDENCE = "_cell_by_cell"  # the end of the name of a page of the evidence


def number_of(stem):
    """Return "8" or "C4", or an empty string for a page without a number."""
    found = FILE.match(stem)
    return f"{found[1]}{int(found[2])}" if found else ""


def is_evidence(stem):
    """Whether a notebook examines the numbers of a chapter, and is no chapter itself."""
    return stem.endswith(EVIDENCE)


def place_of(number):
    """Return a key that sorts chapters in the order of reading, with the companion last."""
    return number.startswith("C"), int(number.removeprefix("C"))
