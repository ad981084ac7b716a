"""Paragraphs that many docstrings share, written once."""

import re
import textwrap
from collections.abc import Mapping
from types import FunctionType

LABELS = "labels : array-like of shape (n,)\n    Outcomes, 0/1 or bool."
PROBABILITIES = "probabilities : array-like of shape (n,)\n    Predictions in [0, 1]."
WEIGHTS = "sample_weight : array-like of shape (n,), optional\n    "
CLUSTERS = """\
clusters : array-like of shape (n,), optional
    Cluster of each row, such as a patient, where only rows of different ones are independent:
    numbers or strings."""
RAISES = """\
Raises
------
ValueError
    For input that is not as described; the message names the argument."""

PARAGRAPHS = {
    "labels": LABELS,
    "sample": f"{LABELS}\n{PROBABILITIES}",
    "clusters": CLUSTERS,
    "counts": f"{WEIGHTS}Counts: a row of weight w stands for w rows. Not negative.",
    "whole": (
        f"{WEIGHTS}Counts, whole numbers: a row of weight w stands for w rows, each with an\n"
        "    outcome of its own."
    ),
    "null": (
        'null : {"auto", "draws", "asymptotic"}, default="auto"\n'
        "    Law of the statistic: that of outcomes drawn from the predictions, which is exact;\n"
        "    that of large samples; or the latter where it serves, see Notes.\n"
        "n_resamples : int, default=1999\n"
        "    Most draws; fewer are made where the p value is not small.\n"
        "random_state : None, int, numpy Generator or RandomState, default=0\n"
        "    Source of the draws."
    ),
    "sampling": (
        "sampling_weight : array-like of shape (n,), optional\n"
        "    How many rows of the population a row stands for, though it is one outcome: by\n"
        "    reweighting or case-control sampling. Not negative; only the ratios matter."
    ),
    "ratios": f"{WEIGHTS}Not negative: counts or sampling weights, as only their ratios matter.",
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
