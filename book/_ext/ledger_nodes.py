"""Pieces of the pages Scoreboard and Reproduce: the ledger, tables, links to chapters, to items."""

from functools import cache

from docutils import nodes
from sphinx import addnodes

from experiments.chapter_numbers import number_of
from experiments.ledger import VERDICTS, read_ledger
from experiments.prerequisites import chapters
from experiments.registry import papers

SCOREBOARD, REPRODUCE = "book/scoreboard", "book/reproduce"
VERDICT_WORDS = {verdict: verdict.removeprefix("differs: ") for verdict in VERDICTS}


@cache
def ledger():
    """Entries of the ledger by paper."""
    found = read_ledger()
    return {name: [e for e in found if e.paper == name] for name in papers()}


def text(content):
    """A paragraph of plain text, or of the nodes given."""
    paragraph = nodes.paragraph()
    paragraph += nodes.Text(content) if isinstance(content, str) else content
    return paragraph


def to_page(name, content):
    """A link to a page of the book, such as ``"notebooks/20_rings"``."""
    options = {"refdomain": "std", "reftype": "doc", "reftarget": f"/{name}"}
    return _link(content, **options)


def to_label(name, content):
    """A link to an anchor that `anchor` has set."""
    return _link(content, refdomain="std", reftype="ref", reftarget=name)


def _link(content, **options):
    link = addnodes.pending_xref(refexplicit=True, refwarn=True, **options)
    link += nodes.inline("", content)
    return link


def to_chapter(notebook, word=""):
    """A link to a chapter by its number: "8", or with a word before it; else by its title."""
    number = number_of(notebook)
    name = f"{word}{number}" if number else chapters()[notebook].title
    return to_page(f"notebooks/{notebook}", name)


def anchor(env, docname, label, title, node):
    """Give a node an anchor on a page that `to_label` finds."""
    identifier = nodes.make_id(label)
    node["ids"].append(identifier)
    env.get_domain("std").note_hyperlink_target(label, docname, identifier, title)
    return node


def table(heads, rows, classes=()):
    """A table; a cell is a string, a node, or a pair of these and a list of classes."""
    width = len(heads)
    whole = nodes.table(classes=["ledger", *classes])
    group = nodes.tgroup(cols=width)
    group += [nodes.colspec(colwidth=1) for _ in heads]
    head = nodes.thead()
    head += _row(heads)
    body = nodes.tbody()
    for row in rows:
        cells, own = row if isinstance(row, tuple) else (row, [])
        body += _row(cells, own)
    group += [head, body]
    whole += group
    return whole


def _row(cells, classes=()):
    row = nodes.row(classes=list(classes))
    for cell in cells:
        content, own = cell if isinstance(cell, tuple) else (cell, [])
        entry = nodes.entry(classes=list(own))
        if isinstance(content, nodes.paragraph):
            entry += content
        else:
            entry += text(content)
        row += entry
    return row
