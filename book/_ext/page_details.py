"""What the theme leaves out of a page: description, card to share, version, way on, markup."""

import html
import re

from docutils import nodes
from formulas import plain_text
from preview import NAME

import calib
from experiments.chapter_numbers import EVIDENCE

FIRST_CHAPTER = "notebooks/01_what_calibration_is"
LENGTH = 200  # of a description: what search engines show
# What is not of a chapter has no number.
UNNUMBERED = re.compile(
    rf"book/(?:intro$|where_to_start$|hour/)|notebooks/(?:your_own_scores|\w+{EVIDENCE})$"
)
FIGURE_NUMBER = re.compile(r'<span class="caption-number">[^<]*</span>')
EMPTY_HEADER = re.compile(r'<th class="head">(?:<p></p>)?</th>')
SPREAD = re.compile(r"(?<=\d) (±|\+/-) (?=\d)")
UNBROKEN = "\N{NO-BREAK SPACE}\\1\N{NO-BREAK SPACE}"
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
COUNTS = re.compile(r"(?<=\d) (/) (?=-?\d)")
SIZE = re.compile(r'(<img [^>]*)style="width: (\d+)px; height: (\d+)px;"')


def configure(app, config):
    """Print the version at the foot of every page."""
    licences = "text and figures CC BY 4.0, code BSD 3-Clause"
    config.html_theme_options["extra_footer"] = f"Version {calib.__version__}; {licences}"


def description(doctree):
    """The first paragraph that is a sentence, as much of it as a description holds."""
    paragraphs = doctree.findall(lambda n: isinstance(n, nodes.paragraph) and begins(n))
    sentences = re.split(r"(?<=[.?!]) ", next(map(plain_text, paragraphs), ""))
    text = sentences[0]
    for sentence in sentences[1:]:
        if len(text) + len(sentence) < LENGTH:
            text += f" {sentence}"
        else:
            break
    return text


def begins(node):
    """Whether the paragraph stands in a section, not in a list, and goes on from no code."""
    return isinstance(node.parent, nodes.section) and not node.astext()[0].islower()


def card(app, pagename, context, text):
    """What a page shows of itself where somebody shares its address."""
    properties = {
        "title": html.escape(plain_title(context["title"]), quote=True),
        "description": text,
        "type": "article",
        "site_name": html.escape(app.config.html_title, quote=True),
        "url": context.get("pageurl"),
        "image": picture(app, pagename),
    }
    return "".join(
        f'<meta property="og:{name}" content="{value}">'
        for name, value in properties.items()
        if value
    )


def picture(app, pagename):
    """The address of the preview, from this page where the site has no address."""
    path = f"_static/{NAME}"
    if app.config.html_baseurl:
        return f"{app.config.html_baseurl.rstrip('/')}/{path}"
    return "../" * pagename.count("/") + path


def plain_title(markup):
    """The title of a page without its markup."""
    return html.unescape(re.sub("<[^>]*>", "", markup))


def complete(app, pagename, templatename, context, doctree):
    """Add the description; mend what screen readers and narrow columns stumble over."""
    context["site_address"] = app.config.html_baseurl
    if doctree is not None:
        written = (context.get("meta") or {}).get("description")
        text = html.escape(written or description(doctree), quote=True)
        context["metatags"] = (
            f'{context.get("metatags", "")}<meta name="description" content="{text}">'
            f"{card(app, pagename, context, text)}"
        )
    if pagename == app.config.root_doc and FIRST_CHAPTER in app.env.titles:
        title = app.env.titles[FIRST_CHAPTER].astext()
        link = app.builder.get_relative_uri(pagename, FIRST_CHAPTER)
        context["next"] = {"link": link, "title": f"Chapter 1: {html.escape(title)}"}
    if "body" in context:
        # the label hides what a summary says
        body = context["body"].replace(' aria-label="Toggle hidden content"', "")
        body = EMPTY_HEADER.sub('<td class="head"></td>', body)
        # attributes keep the place, and in a narrow column the proportions, too
        body = SIZE.sub(r'\1width="\2" height="\3"', body)
        if UNNUMBERED.match(pagename):
            body = FIGURE_NUMBER.sub("", body)
        body = CELL.sub(lambda cell: COUNTS.sub(UNBROKEN, cell[0]), body)
        context["body"] = SPREAD.sub(UNBROKEN, body)


def setup(app):
    """Configure before the theme reads its options, complete when the body is there."""
    app.connect("config-inited", configure, priority=1)
    app.connect("html-page-context", complete)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
