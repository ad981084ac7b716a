"""Search: subjects that readers look for, prose instead of TeX and code, excerpts from disk too.

Sphinx's search page fetches every page it has found to quote from it: from disk a browser forbids
that, and the quotation is full of code. Here the prose of all pages is one file beside the index.
"""

import json
from pathlib import Path

import sphinx.search
import yaml
from docutils import nodes
from formulas import plain_text
from sphinx import addnodes

LEFT_OUT = (nodes.literal_block, nodes.table, nodes.math_block, nodes.raw, nodes.comment)


def add_subjects(app, document):
    """Put the subjects of a page into the index, where search looks first."""
    anchor = next(document.findall(nodes.section))["ids"][0]
    subjects = app.subjects.get(app.env.docname, [])
    entries = [("single", subject, anchor, "main", None) for subject in subjects]
    if entries:
        document.insert(0, addnodes.index(entries=entries))


def prose(doctree):
    """The paragraphs of a page by the section that they stand in: pairs of anchor and text."""
    for section in doctree.findall(nodes.section):
        texts = [
            plain_text(node)
            for node in section.findall(nodes.paragraph)
            if nearest(node, nodes.section) is section and not nearest(node, LEFT_OUT)
        ]
        yield section["ids"][0], " ".join(filter(None, texts))


def nearest(node, kinds):
    """The innermost ancestor of one of the kinds, or None."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return node
    return None


def keep_prose(app, doctree, docname):
    """Keep the prose of a page whose references are resolved."""
    app.prose[docname] = list(prose(doctree))


def write_prose(app, exception):
    """Write the prose of all pages for the search page."""
    if exception is None and app.builder.format == "html":
        text = (
            f"const PROSE = {json.dumps(app.prose, ensure_ascii=False, separators=(',', ':'))};\n"
        )
        Path(app.outdir, "_static", "prose.js").write_text(text, encoding="utf-8")


class ProseCollector(sphinx.search.WordCollector):
    """Collects the words of a page for the index of search, those of formulas excepted."""

    def dispatch_visit(self, node):
        """Skip formulas: their words are TeX commands."""
        if isinstance(node, (nodes.math, nodes.math_block)):
            raise nodes.SkipNode
        super().dispatch_visit(node)


def setup(app):
    """Read the subjects, and take the place of Sphinx's collector."""
    subjects = Path(__file__).with_name("subjects.yml").read_text(encoding="utf-8")
    app.subjects = yaml.safe_load(subjects)
    sphinx.search.WordCollector = ProseCollector
    app.connect("doctree-read", add_subjects)
    app.prose = {}
    app.connect("doctree-resolved", keep_prose)
    app.connect("build-finished", write_prose)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
