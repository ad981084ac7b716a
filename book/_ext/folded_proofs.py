"""Proofs are folded behind their first word; a switch above a page shows or folds all of them.

The switch needs site.js, which remembers it; without, each proof opens by itself. On paper they are
open.
"""

from docutils import nodes
from sphinx_proof.nodes import proof_node

WORD = "Proof. "  # the directive puts it before the text
OPENING = "<details><summary>Proof</summary>"
SWITCH = '<button type="button" class="proofs" hidden></button>'


def fold(app, doctree, docname):
    """Put the text of each proof into a box that opens."""
    proofs = list(doctree.findall(proof_node))
    if app.builder.format != "html" or not proofs:
        return
    for (box,) in proofs:
        del box["ids"]  # the same for all
        first = next(box.findall(nodes.Text))
        first.parent.replace(first, nodes.Text(first.removeprefix(WORD)))
        box.insert(0, html(OPENING))
        box.append(html("</details>"))
    title = next(doctree.findall(nodes.title))
    title.parent.insert(title.parent.index(title) + 1, html(SWITCH))


def html(text):
    """A node of ready HTML."""
    return nodes.raw("", text, format="html")


def setup(app):
    """Fold when references are resolved."""
    app.connect("doctree-resolved", fold)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
