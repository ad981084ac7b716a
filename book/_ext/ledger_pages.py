"""The page Scoreboard: every number and every cause, made from the ledger when the site is built.

``{ledger-heat-maps} PAPER``, ``{ledger-list}``, ``{ledger-causes}`` and ``{ledger-uncertainty}``
give its long tables; `ledger_summary` has the short ones.
"""

import math
from statistics import median, pstdev

from docutils import nodes
from ledger_nodes import (
    REPRODUCE,
    SCOREBOARD,
    VERDICT_WORDS,
    anchor,
    ledger,
    table,
    text,
    to_chapter,
    to_label,
)
from sphinx.util.docutils import SphinxDirective

from experiments.ledger import (
    AGREES,
    CAUSES,
    NOT_COMPARABLE,
    STANDARD_ERRORS,
    VERDICTS,
    Trial,
    read_ledger,
)
from experiments.registry import papers

SHORT = dict(zip(VERDICTS, ["agrees", "explained", "tuned", "open", "apart"], strict=True))
MARKS = dict(zip(VERDICTS, ["", "◐", "○", "●", "–"], strict=True))
LEVELS = [STANDARD_ERRORS, 4, 8]  # standard errors at which the colour of a cell changes


class Uncertainty(SphinxDirective):
    """How uncertain the printed numbers of each table are taken to be."""

    def run(self):
        """A table with a row for each assumption."""
        found = {}
        for paper in papers().values():
            for item in paper.tables:
                found.setdefault((paper.name, item.uncertainty), []).append(item.name)
        rows = [
            [f"{papers()[name].short} {', '.join(names)}", words, _width(name, names)]
            for (name, words), names in found.items()
        ]
        return [table(["tables", "what is assumed", "half-width"], rows)]


def _width(paper, names):
    """Two standard errors in deviations of the printed column: the median over all numbers."""
    columns = {}
    for entry in ledger()[paper]:
        if entry.table in names and math.isfinite(entry.error) and math.isfinite(entry.published):
            columns.setdefault((entry.table, entry.column), []).append(entry)
    widths = [
        STANDARD_ERRORS * entry.error / deviation
        for own in columns.values()
        if (deviation := pstdev([entry.published for entry in own])) > 0
        for entry in own
    ]
    return f"{median(widths):.2f}" if widths else ""


class HeatMaps(SphinxDirective):
    """The standardised differences of a paper, a map for each table and column."""

    required_arguments = 1

    def run(self):
        """Tables whose cells are links to the item."""
        paper = papers()[self.arguments[0]]
        return [
            one
            for item in paper.tables
            for one in _maps(paper, item, [e for e in ledger()[paper.name] if e.table == item.name])
        ]


def _maps(paper, item, found):
    """With two keys or more the last one goes to the right, and each column has a map."""
    if len(item.keys) == 1:
        places = {entry: ("", entry.row, entry.column) for entry in found}
    else:
        places = {
            entry: (entry.column, *map(str.strip, entry.row.rpartition(" / ")[::2]))
            for entry in found
        }
    for part in dict.fromkeys(place[0] for place in places.values()):
        own = {place[1:]: entry for entry, place in places.items() if place[0] == part}
        rows = list(dict.fromkeys(row for row, _ in own))
        columns = list(dict.fromkeys(column for _, column in own))
        cells = [[row, *(_cell(own.get((row, column))) for column in columns)] for row in rows]
        name = f"{paper.short}, {item.name}{', ' + part if part else ''}"
        caption = text(
            [
                nodes.strong("", name),
                nodes.Text(f": {item.title} ("),
                to_label(f"item-{paper.name}-{item.name}", "command"),
                nodes.Text(", "),
                to_chapter(item.chapter, "chapter "),
                nodes.Text(")"),
            ]
        )
        yield caption
        yield table(["", *columns], cells, ["heat"])


def _cell(entry):
    if entry is None:
        return ""
    link = to_label(
        f"item-{entry.paper}-{entry.table}", f"{_distance(entry)}{MARKS[entry.verdict]}"
    )
    link["reftitle"] = link[0]["reftitle"] = _words(entry)
    return text(link), [f"verdict-{SHORT[entry.verdict]}", f"level-{_level(entry)}"]


def _distance(entry):
    d = entry.standardised
    if math.isnan(d):
        return ""
    if math.isinf(d):
        return "+∞" if d > 0 else "−∞"
    return "0" if abs(d) < 0.05 else f"{d:+.1f}".replace("-", "−")


def _level(entry):
    """Which colour: 0 within two standard errors, then p1 to p3 above and m1 to m3 below."""
    d = entry.standardised
    if math.isnan(d):
        return "none"
    level = sum(abs(d) > bound for bound in LEVELS)
    return f"{'p' if d > 0 else 'm'}{level}" if level else "0"


def _number(value):
    if math.isnan(value):
        return ""
    return "∞" if math.isinf(value) else f"{value:.4g}"


def _words(entry):
    if entry.verdict == NOT_COMPARABLE:
        return f"printed {_number(entry.published)}: {entry.reason}"
    words = f"printed {_number(entry.published)}, ours {_number(entry.ours)}: {entry.verdict}"
    return f"{words} by {entry.cause}" if entry.cause else words


class List(SphinxDirective):
    """Every number that does not agree, one by one."""

    def run(self):
        """One table, its rows marked by paper and verdict for the filters."""
        rows = []
        for name, paper in papers().items():
            chapter = {item.name: item.chapter for item in paper.tables}
            for e in ledger()[name]:
                if e.verdict == AGREES:
                    continue
                cells = [
                    text(to_label(f"item-{name}-{e.table}", f"{paper.short} {e.table}")),
                    f"{e.row}, {e.column}",
                    _number(e.published),
                    _number(e.ours),
                    _distance(e),
                    VERDICT_WORDS[e.verdict],
                    _why(e),
                    text(to_chapter(chapter[e.table])),
                ]
                rows.append((cells, [f"paper-{name}", f"verdict-{SHORT[e.verdict]}"]))
        heads = ["table", "cell", "printed", "ours", "d", "", "cause or reason", "chapter"]
        return [table(heads, rows, ["filtered", "longtable"])]


def _why(entry):
    if entry.cause:
        return text(
            [
                to_label(f"cause-{entry.paper}-{entry.cause}", entry.cause),
                nodes.Text(f": {_number(entry.ours_under_cause)}"),
            ]
        )
    return entry.reason


class Causes(SphinxDirective):
    """The causes, what they change, and what the test of each says."""

    def run(self):
        """A table with a row for each cause."""
        trials = {(t.paper, t.cause): t for t in read_ledger(CAUSES, Trial)}
        rows = []
        for name, paper in papers().items():
            for cause in paper.causes:
                trial = trials[name, cause.name]
                title = anchor(
                    self.env,
                    self.env.docname,
                    f"cause-{name}-{cause.name}",
                    cause.name,
                    text(cause.name),
                )
                given = f", given {cause.after}" if cause.after else ""
                counts = [trial.changed, trial.mended, trial.spoiled, f"{trial.chance:.3f}"]
                explains = str(trial.explains) if trial.accepted else "not accepted"
                if trial.tuned:
                    given += f" (tuned: {cause.tuned})"
                    explains = f"fits {explains}" if trial.accepted else explains
                rows.append(
                    [
                        paper.short,
                        title,
                        cause.title + given,
                        *map(str, counts),
                        explains,
                        text(_tested_by(cause)),
                    ]
                )
        counts = ["changes", "mends", "spoils", "by chance"]
        heads = ["", "cause", "what is changed", *counts, "explains", "tested in"]
        return [table(heads, rows)]


def _tested_by(cause):
    """The chapter and the recorded experiments."""
    records = [[nodes.Text(", "), nodes.literal("", name)] for name in cause.experiments]
    return [to_chapter(cause.chapter, "chapter "), *(node for pair in records for node in pair)]


def add_assets(app, pagename, templatename, context, doctree):
    """The filters and colours of the scoreboard, on that page alone."""
    if pagename == SCOREBOARD:
        app.add_js_file("scoreboard.js", loading_method="defer")
    if pagename in (SCOREBOARD, REPRODUCE):
        app.add_css_file("scoreboard.css")


def setup(app):
    """Register the directives."""
    directives = {
        "ledger-uncertainty": Uncertainty,
        "ledger-heat-maps": HeatMaps,
        "ledger-list": List,
        "ledger-causes": Causes,
    }
    for name, directive in directives.items():
        app.add_directive(name, directive)
    app.connect("html-page-context", add_assets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
