"""What the theme leaves out of a page: description, card to share, version, plain markup."""

import html
import re

from docutils import nodes
from formulas import plain_text

import calib

LENGTH = 200  # of a description: what search engines show
EMPTY_HEADER = re.compile(r'<th class="head">(?:<p></p>)?</th>')
SPREAD = re.compile(r"(?<=\d) (±|\+/-) (?=\d)")
UNBROKEN = "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}"
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
COUNTS = re.compile(r"(?<=\d) (/) (?=-?\d)")
SIZE = re.compile(r'(<img [^>]*)style="width: (\d+)px; height: (\d+)px;"')


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


def card(config, context, text):
    """What a page shows of itself where somebody shares its address."""
    properties = {
        "title": html.escape(plain_title(context["title"]), quote=True),
        "description": text,
        "type": "article",
        "site_name": html.escape(config.html_title, quote=True),
        "url": context.get("pageurl"),
    }
    return "".join(
        f'<meta property="og:{name}" content="{value}">'
        for name, value in properties.items()
        if value
    )


def plain_title(markup):
    """The title of a page without its markup."""
    return html.unescape(re.sub("<[^>]*>", "", markup))


def complete(app, pagename, templatename, context, doctree):
    """Add the description; mend what screen readers and narrow columns stumble over."""
    context["site_address"] = app.config.html_baseurl
    if doctree is not None:
        text = html.escape(description(doctree), quote=True)
        context["metatags"] = (
            f'{context.get("metatags", "")}<meta name="description" content="{text}">'
            f"{card(app.config, context, text)}"
        )
    if "body" in context:
        # the label hides what a summary says
        body = context["body"].replace(' aria-label="Toggle hidden content"', "")
        body = EMPTY_HEADER.sub('<td class="head"></td>', body)
        # attributes keep the place, and in a narrow column the proportions, too
        body = SIZE.sub(r'\1width="\2" height="\3"', body)
        body = CELL.sub(lambda cell: COUNTS.sub(UNBROKEN, cell[0]), body)
        context["body"] = SPREAD.sub(UNBROKEN, body)


def setup(app):
    """Configure before the theme reads its options, complete when the body is there."""
    app.connect("config-inited", configure, priority=1)
    app.connect("html-page-context", complete)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
