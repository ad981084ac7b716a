"""Paragraphs that many docstrings share, written once."""

import re
import textwrap
from collections.abc import Mapping
from types import FunctionType

LABELS = "labels : array-like of shape (n,)\n    Outcomes, 0/1 or bool."
PROBABILITIES = "probabilities : array-like of shape (n,)\n    Predictions in [0, 1]."
WEIGHTS = "sample_weight : array-like of shape (n,), optional\n    Non-negative weights; "
RAISES = """\
Raises
------
ValueError
    For input that is not as described; the message names the argument."""

PARAGRAPHS = {
    "labels": LABELS,
    "sample": f"{LABELS}\n{PROBABILITIES}",
    "counts": f"{WEIGHTS}they are counts.",
    "ratios": f"{WEIGHTS}only their ratios matter.",
    "raises": RAISES,
    "raises_without_matplotlib": f"{RAISES}\nImportError\n    If matplotlib is not installed.",
}


def fill_docstrings(names: Mapping[str, object]) -> None:
    """Put the paragraphs into the functions of a module, where a line holds a name in braces."""

    def paragraph(line):
        return textwrap.indent(PARAGRAPHS[line[2]], line[1])

    for thing in names.values():
        if isinstance(thing, FunctionType) and thing.__doc__:  # there is none under python -OO
            thing.__doc__ = re.sub(r"^( *)\{(\w+)\}$", paragraph, thing.__doc__, flags=re.M)
