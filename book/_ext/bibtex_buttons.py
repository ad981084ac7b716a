"""Beside each reference, a button that copies its BibTeX entry.

Chapters cite by author and year, so that the labels in brackets, such as Aka74, are left out.
"""

import html
import re

CITATION = re.compile(
    r'<div class="citation" id="([^"]*)" role="doc-biblioentry">\s*'
    r'<span class="label">.*?</span></span>(.*?)</div>',
    re.DOTALL,
)


def add_buttons(app, pagename, templatename, context, doctree):
    """Write the list of references as a plain list of blocks, each with its button."""
    entries = {c.citation_id: c.entry for c in app.env.get_domain("cite").citations}

    def block(match):
        name, content = match.groups()
        source = html.escape(entries[name].to_string("bibtex").strip(), quote=True)
        button = (
            f'<button type="button" class="copy-bibtex" data-bibtex="{source}">Copy BibTeX</button>'
        )
        return f'<div class="citation" id="{name}">{content}{button}</div>'

    if 'class="citation-list"' in context.get("body", ""):
        body = context["body"].replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )
        context["body"] = CITATION.sub(block, body)


def setup(app):
    """Run when the body of a page is there."""
    app.connect("html-page-context", add_buttons)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
