"""The page *What the authors must have run*, made from the choices of each paper.

``{protocol-choices} PAPER`` gives them and their evidence, ``{protocol-unused} PAPER`` the numbers
that did not choose a fit, ``{protocol-held-out}`` those that did not choose a cause of V14, and
``{protocol-constants}`` every constant of every paper.
"""

from ledger_nodes import table, text, to_label
from sphinx.util.docutils import SphinxDirective

from experiments.choices import ACCEPTED, CHOICES, FIRST, FIT, NO_OTHER, OPEN, Choice
from experiments.constants import CONSTANTS, KINDS
from experiments.ledger import read_ledger
from experiments.registry import papers
from experiments.vovk2014.held_out import HELD_OUT, HeldOut

STATUS = [ACCEPTED, FIT, OPEN]
LARGE = 4  # from this power of ten on it is written as one
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Choices(SphinxDirective):
    """The choices that a paper leaves open, and which reading fits best."""

    required_arguments = 1

    def run(self):
        """A table with a row for each choice, the accepted ones first."""
        name = self.arguments[0]
        rows = []
        for one in sorted(choices_of(name), key=lambda one: STATUS.index(one.status)):
            label = to_label(f"cause-{name}-{one.reading}", one.reading) if one.reading else None
            reading = text(label or FIRST)
            rival = "–" if one.rival == NO_OTHER else str(one.rival)
            counts = [f"{one.fit} of {one.numbers}", f"{one.first}, {rival}"]
            rows.append([one.setting, one.said, reading, *counts, ratio(one.evidence), one.status])
        heads = ["choice", "the paper", "what fits best", "agree", "first, next", "ratio"]
        return [table([*heads, "scoreboard"], rows)]


class Unused(SphinxDirective):
    """Fits on the numbers that did not choose their constants."""

    required_arguments = 1

    def run(self):
        """A table with a row for each fit."""
        rows = [
            [one.reading, *map(str, [one.unused, one.unused_fit, one.unused_first])]
            + [ratio(one.unused_evidence)]
            for one in choices_of(self.arguments[0])
            if one.status == FIT
        ]
        heads = ["fit", "numbers not used", "agree with it", "agree without it", "ratio"]
        return [table(heads, rows)]


class Held(SphinxDirective):
    """Readings of V14's bagged trees on the numbers of VA."""

    def run(self):
        """A table with a row for each reading."""
        found = read_ledger(HELD_OUT, HeldOut)
        rows = [
            [one.reading or FIRST, f"{one.agree} of {one.numbers}", f"{one.wrong:.1f}"]
            + (
                [str(one.mended), str(one.spoiled), f"{one.chance:.4g}"]
                if one.reading
                else [""] * 3
            )
            + [ratio(one.ratio) if one.reading else ""]
            for one in found
        ]
        heads = ["bags", "agree", "wrong row", "mends", "spoils", "by chance", "ratio"]
        return [table(heads, rows)]


class Constants(SphinxDirective):
    """Every constant of the protocols, and where it comes from."""

    def run(self):
        """A table with a row for each constant, by paper and kind."""
        short = {name: paper.short for name, paper in papers().items()}
        order = list(short)
        rows = [
            [
                f"{short[one.paper]}, {_tables(one.tables)}",
                one.name,
                one.value,
                one.kind,
                one.source,
                ", ".join(one.causes),
            ]
            for one in sorted(
                CONSTANTS, key=lambda one: (order.index(one.paper), KINDS.index(one.kind))
            )
        ]
        return [table(["where", "constant", "value", "kind", "from", "cause"], rows)]


def _tables(names):
    """Names of tables for people: "Tables 1a, 1b"."""
    numbers = [name.removeprefix("table") for name in names]
    return f"Table{'s' * (len(numbers) > 1)} {', '.join(numbers)}"


def choices_of(name):
    """Those of a paper."""
    return [one for one in read_ledger(CHOICES, Choice) if one.paper == name]


def ratio(power):
    """10 to this power for people: "52", "10⁷", "1/3"."""
    if power < 0:
        return f"1/{ratio(-power)}"
    if power < LARGE:
        return f"{float(f'{10**power:.2g}'):,.4g}"
    return f"10{str(round(power)).translate(RAISED)}"


def setup(app):
    """Register the directives."""
    app.add_directive("protocol-choices", Choices)
    app.add_directive("protocol-unused", Unused)
    app.add_directive("protocol-held-out", Held)
    app.add_directive("protocol-constants", Constants)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
