"""What the ledger comes to: the short tables of the page Scoreboard.

``{ledger-totals}``, ``{ledger-shares}``, ``{ledger-before}``, ``{ledger-placebos}``,
``{ledger-missing}`` and ``{ledger-missing-columns}``.
"""

import math

from ledger_nodes import VERDICT_WORDS, ledger, table, text, to_label
from sphinx.util.docutils import SphinxDirective

from experiments.baselines import BEFORE, PROTOCOL, READINGS, SHARES, Share, total
from experiments.ledger import VERDICTS, read_ledger, totals
from experiments.missing import MISSING, Missing, wanted
from experiments.placebos import PLACEBOS, Rate
from experiments.registry import papers


class Totals(SphinxDirective):
    """Counts by paper and verdict."""

    def run(self):
        """A table with a row for each paper and one for all."""
        names = {name: paper.short for name, paper in papers().items()}
        rows = [[names[name], *_counts(own)] for name, own in ledger().items() if own]
        rows.append(["all", *_counts([e for own in ledger().values() for e in own])])
        heads = ["", "numbers", *VERDICT_WORDS.values()]
        return [table(heads, rows, ["totals"])]


def _counts(found):
    count = totals(found)
    return [str(count.numbers), *(str(count[verdict]) for verdict in VERDICTS)]


class Shares(SphinxDirective):
    """What each reading settles, beside the same with numbers of wrong rows."""

    def run(self):
        """A table with a row for each paper and reading."""
        found = read_ledger(SHARES, Share)
        names = {name: paper.short for name, paper in papers().items()} | {"all": "all"}
        found += [total(found, reading) for reading in READINGS]
        rows = [
            [names[one.paper], one.reading, str(one.comparable), str(one.settled)]
            + [one.percent(name) for name in ["settled", "wrong", "shuffled"]]
            for one in found
        ]
        heads = ["", "reading", "comparable", "settled", "share", "wrong row", "other data set"]
        return [table(heads, rows, ["totals"])]


class Before(SphinxDirective):
    """One protocol a paper, with tuned constants in the first reading and without."""

    def run(self):
        """A table with a row for each paper and one for all."""
        names = {name: paper.short for name, paper in papers().items()} | {"all": "all"}
        shares = []
        for path in [BEFORE, SHARES]:
            found = read_ledger(path, Share)
            shares.append([one for one in found if one.reading == PROTOCOL])
            shares[-1].append(total(found, PROTOCOL))
        rows = [
            [names[one.paper]]
            + [own.percent(what) for own in [one, other] for what in ["settled", "wrong"]]
            for one, other in zip(*shares, strict=True)
        ]
        heads = ["", "before", "wrong row, before", "after", "wrong row, after"]
        return [table(heads, rows, ["totals"])]


class Placebos(SphinxDirective):
    """How many placebos pass the rules."""

    def run(self):
        """A table with a row for each kind."""
        found = read_ledger(PLACEBOS, Rate)
        rows = []
        for kind in dict.fromkeys(one.kind for one in found):
            own = [one for one in found if one.kind == kind]
            counts = [sum(getattr(o, n) for o in own) for n in ["tried", "gaining", "passed"]]
            rows.append([kind, *map(str, counts), f"{100 * counts[2] / counts[0]:.1f} %"])
        return [table(["placebo", "tried", "mend more than they spoil", "pass", "share"], rows)]


class Open(SphinxDirective):
    """How much one protocol a paper leaves open, and how much of it is too much."""

    def run(self):
        """A table with a row for each paper."""
        left, comparable = read_ledger(MISSING, Missing), {}
        for one in read_ledger(SHARES, Share):
            comparable[one.paper] = one.comparable
        rows = [
            [paper.short, *_open([one for one in left if one.paper == name], comparable[name])]
            for name, paper in papers().items()
            if name in comparable
        ]
        rows.append(["all", *_open(left, sum(comparable.values()))])
        heads = ["", "comparable", "open", "ours above", "ours below", "too many for 85 %"]
        return [table(heads, rows, ["totals"])]


def _open(left, comparable):
    counts = [sum(getattr(one, name) for one in left) for name in ["open", "above", "below"]]
    return map(str, [comparable, *counts, wanted(left, comparable)])


class OpenColumns(SphinxDirective):
    """The same for each column of a table."""

    def run(self):
        """A table with a row for each column that has an open number."""
        rows = []
        for one in read_ledger(MISSING, Missing):
            link = to_label(
                f"item-{one.paper}-{one.table}", f"{papers()[one.paper].short} {one.table}"
            )
            counts = [f"{one.open} of {one.comparable}", str(one.above), str(one.below)]
            distance = "∞" if math.isinf(one.distance) else f"{one.distance:.1f}"
            rows.append([text(link), one.column, *counts, distance, one.farthest])
        heads = ["table", "column", "open", "above", "below", "median of |d|", "farthest"]
        return [table(heads, rows)]


def setup(app):
    """Register the directives."""
    directives = {
        "ledger-totals": Totals,
        "ledger-shares": Shares,
        "ledger-before": Before,
        "ledger-placebos": Placebos,
        "ledger-missing": Open,
        "ledger-missing-columns": OpenColumns,
    }
    for name, directive in directives.items():
        app.add_directive(name, directive)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
