"""What the theme leaves out of a page: a description, the version, plain table markup."""

import html
import re

from docutils import nodes
from formulas import plain_text

import calib

LENGTH = 200  # of a description: what search engines show
EMPTY_HEADER = re.compile(r'<th class="head">(?:<p></p>)?</th>')
SPREAD = re.compile(r"(?<=\d) (±|\+/-) (?=\d)")


def configure(app, config):
    """Print the version at the foot of every page."""
    config.html_theme_options["extra_footer"] = f"Version {calib.__version__}"


def description(doctree):
    """The first paragraph of a page, as many of its sentences as a description holds."""
    paragraphs = doctree.findall(lambda n: isinstance(n, nodes.paragraph) and at_top(n))
    sentences = re.split(r"(?<=[.?!]) ", next(map(plain_text, paragraphs), ""))
    text = sentences[0]
    for sentence in sentences[1:]:
        if len(text) + len(sentence) < LENGTH:
            text += f" {sentence}"
        else:
            break
    return text


def at_top(node):
    """Whether the node stands in a section, not in a note or a list."""
    return isinstance(node.parent, nodes.section)


def complete(app, pagename, templatename, context, doctree):
    """Add the description; mend what screen readers and narrow columns stumble over."""
    context["site_address"] = app.config.html_baseurl
    if doctree is not None:
        text = html.escape(description(doctree), quote=True)
        context["metatags"] = (
            f'{context.get("metatags", "")}<meta name="description" content="{text}">'
        )
    if "body" in context:
        # the label hides what a summary says
        body = context["body"].replace(' aria-label="Toggle hidden content"', "")
        body = EMPTY_HEADER.sub('<td class="head"></td>', body)
        context["body"] = SPREAD.sub("\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}", body)


def setup(app):
    """Configure before the theme reads its options, complete when the body is there."""
    app.connect("config-inited", configure, priority=1)
    app.connect("html-page-context", complete)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
