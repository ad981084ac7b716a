"""The page Reproduce, made from the registry when the site is built, and the ends of chapters.

``{reproduce-items} PAPER`` and ``{reproduce-chapters}`` give its tables. At its end each chapter
gets links to what can be reproduced of it.
"""

from docutils import nodes
from ledger_nodes import (
    REPRODUCE,
    SCOREBOARD,
    anchor,
    ledger,
    table,
    text,
    to_chapter,
    to_label,
    to_page,
)
from sphinx.util.docutils import SphinxDirective

from experiments.chapters import name_of
from experiments.contents import ChapterFigure
from experiments.ledger import AGREES, EXPLAINED, totals
from experiments.registry import items, papers
from experiments.states import data_of, seconds_of


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
            if not isinstance(content, ChapterFigure):
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
        if content.chapter == notebook and not isinstance(content, ChapterFigure)
    ]
    figures = nodes.literal("", f"make reproduce ITEM={name_of(notebook)}")
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


def setup(app):
    """Register the directives and the links."""
    app.add_directive("reproduce-items", Items)
    app.add_directive("reproduce-chapters", Chapters)
    app.connect("doctree-read", link_items)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
