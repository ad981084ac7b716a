"""The pages Scoreboard and Reproduce, made from the ledger and the registry when the site is built.

``{ledger-totals}``, ``{ledger-shares}``, ``{ledger-uncertainty}``, ``{ledger-heat-maps} PAPER``,
``{ledger-list}``, ``{ledger-causes}``, ``{ledger-placebos}``, ``{reproduce-items} PAPER`` and
``{reproduce-chapters}`` give the tables of these pages. At its end each chapter gets links to what
can be reproduced of it.
"""

import math
from functools import cache
from statistics import median, pstdev

from docutils import nodes
from ledger_nodes import REPRODUCE, SCOREBOARD, anchor, table, text, to_chapter, to_label, to_page
from sphinx.util.docutils import SphinxDirective

from experiments.baselines import READINGS, SHARES, Share, total
from experiments.ledger import (
    AGREES,
    CAUSES,
    EXPLAINED,
    NOT_COMPARABLE,
    STANDARD_ERRORS,
    VERDICTS,
    Trial,
    read_ledger,
    totals,
)
from experiments.placebos import PLACEBOS, Rate
from experiments.registry import items, papers
from experiments.states import data_of, seconds_of

SHORT = dict(zip(VERDICTS, ["agrees", "explained", "tuned", "open", "apart"], strict=True))
WORDS = {verdict: verdict.removeprefix("differs: ") for verdict in VERDICTS}
MARKS = dict(zip(VERDICTS, ["", "◐", "○", "●", "–"], strict=True))
LEVELS = [STANDARD_ERRORS, 4, 8]  # standard errors at which the colour of a cell changes


@cache
def ledger():
    """Entries of the ledger by paper."""
    found = read_ledger()
    return {name: [e for e in found if e.paper == name] for name in papers()}


class Totals(SphinxDirective):
    """Counts by paper and verdict."""

    def run(self):
        """A table with a row for each paper and one for all."""
        names = {name: paper.short for name, paper in papers().items()}
        rows = [[names[name], *_counts(own)] for name, own in ledger().items() if own]
        rows.append(["all", *_counts([e for own in ledger().values() for e in own])])
        heads = ["", "numbers", *WORDS.values()]
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
                    WORDS[e.verdict],
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


class Items(SphinxDirective):
    """What can be reproduced of a paper."""

    required_arguments = 1

    def run(self):
        """A table with a row for each item."""
        paper = papers()[self.arguments[0]]
        rows = [self.row(paper, name, content) for name, content in paper.contents.items()]
        heads = ["item and command", "what it shows", "minutes", "data", "agreement", "chapter"]
        return [table(heads, rows, ["items"]), self.code(paper)]

    def code(self, paper):
        """Where the code of a paper is, with a link if the repository has an address."""
        folder = f"experiments/{paper.name}"
        repository = self.env.app.addresses["repository"]
        path = nodes.literal("", folder)
        if repository:
            path = nodes.reference("", "", path, refuri=f"{repository}/tree/main/{folder}")
        return text([nodes.Text("Protocol, data, tables and items: "), path, nodes.Text(".")])

    def row(self, paper, name, content):
        """Cells of an item."""
        item = f"{paper.name}/{name}"
        missing = getattr(content, "missing", "")
        command = nodes.literal("", "" if missing else f"make reproduce ITEM={item}")
        title = text([nodes.strong("", name), nodes.Text(" "), command])
        anchor(self.env, self.env.docname, f"item-{paper.name}-{name}", item, title)
        seconds, sets = seconds_of(content), len(data_of(content))
        own = [e for e in ledger()[paper.name] if e.table == name]
        return [
            title,
            f"{content.title}. Cannot be had: {missing}" if missing else content.title,
            "" if missing or seconds is None else f"{seconds / 60:.1f}",
            f"{sets} set{'s' * (sets > 1)}" if sets else "",
            self.agreement(paper, own) if own else "",
            text(to_chapter(content.chapter)) if content.chapter else "",
        ]

    def agreement(self, paper, found):
        """Numbers that agree and that an accepted cause explains, of the comparable ones."""
        count = totals(found)
        if not count.comparable:
            return "not comparable"
        words = f"{count[AGREES]} + {count[EXPLAINED]} of {count.comparable}"
        return text(to_page(SCOREBOARD, words))


class Chapters(SphinxDirective):
    """The figures of our own chapters."""

    def run(self):
        """A table with a row for each figure."""
        rows = []
        for item, (_, content) in items().items():
            if not item.startswith("chapter"):
                continue
            link = to_page(f"notebooks/{content.chapter}", content.name)
            command = nodes.literal("", f"make reproduce ITEM={item}")
            rows.append([text(link), content.title, text(command)])
        return [table(["figure", "what it shows", "command"], rows, ["items"])]


def link_items(app, doctree):
    """At the end of a chapter, how its tables and figures are reproduced."""
    folder, _, notebook = app.env.docname.partition("/")
    if folder != "notebooks":
        return
    found = [
        to_label(f"item-{item.replace('/', '-')}", item)
        for item, (_, content) in items().items()
        if content.chapter == notebook and not item.startswith("chapter")
    ]
    number = notebook.split("_")[0]
    figures = nodes.literal("", f"make reproduce ITEM=chapter{number}")
    content = [nodes.Text("All figures of this chapter as SVG and PDF: "), figures, nodes.Text(".")]
    if found:
        content.append(nodes.Text(" Of the papers: "))
        for link in found:
            content += [link, nodes.Text(", ")]
        content[-1] = nodes.Text(".")
    content += [nodes.Text(" "), to_page(REPRODUCE, "How to reproduce an item"), nodes.Text(".")]
    paragraph = text(content)
    paragraph["classes"].append("reproduce")
    chapter = next(doctree.findall(nodes.section))
    chapter += paragraph


def add_assets(app, pagename, templatename, context, doctree):
    """The filters and colours of the scoreboard, on that page alone."""
    if pagename == SCOREBOARD:
        app.add_js_file("scoreboard.js", loading_method="defer")
    if pagename in (SCOREBOARD, REPRODUCE):
        app.add_css_file("scoreboard.css")


def setup(app):
    """Register the directives and the links."""
    directives = {
        "ledger-totals": Totals,
        "ledger-shares": Shares,
        "ledger-placebos": Placebos,
        "ledger-uncertainty": Uncertainty,
        "ledger-heat-maps": HeatMaps,
        "ledger-list": List,
        "ledger-causes": Causes,
        "reproduce-items": Items,
        "reproduce-chapters": Chapters,
    }
    for name, directive in directives.items():
        app.add_directive(name, directive)
    app.connect("doctree-read", link_items)
    app.connect("html-page-context", add_assets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
