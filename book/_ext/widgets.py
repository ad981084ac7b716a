"""The directive ``widget``: a small program of book/_static/widgets that a reader can play with.

A page writes, right after the figure that the widget extends,

    :::{widget} ties
    Move the share of ties, and see what becomes of the two errors.
    :::

The text says what to try. Widget and text are shown where scripts run, and on the site only: the
figure stays for paper and for readers without scripts, who get one sentence. Pages with a widget
load three small scripts and a style sheet; they load while the page is read, so that the widget has
its place when the page is first drawn.
"""

import json
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from calibkit.datasets import LAWS

SCRIPTS = Path(__file__).parents[1] / "_static" / "widgets"
SHARED = {"methods", "widget"}
NAMES = sorted({path.stem for path in SCRIPTS.glob("*.js")} - SHARED)

# Distribution, size and seed of the sample in the static figure: the first that the chapter draws.
SAMPLES = {"path": ("wave", 100, 12), "venn-abers": ("underconfident", 60, 17)}

MOUNT = "<script>widgets.mount(document.currentScript.previousElementSibling)</script>"
NO_SCRIPTS = "<noscript><p>A small program to play with needs JavaScript.</p></noscript>"


class widget(nodes.General, nodes.Element):  # noqa: N801, nodes are lower case
    """The place of a widget, with the text that says what to try."""


class WidgetDirective(SphinxDirective):
    """``:::{widget} name``, with text."""

    required_arguments = 1
    has_content = True

    def run(self):
        """Return the node of the widget."""
        self.assert_has_content()
        name = self.arguments[0]
        if name not in NAMES:
            raise self.error(f"there is no widget {name!r}: take one of {', '.join(NAMES)}")
        node = widget(name=name, sample=sample(name))
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]


def sample(name):
    """The points of the static figure as JSON, or None for a widget that draws its own."""
    if name not in SAMPLES:
        return None
    law, n, seed = SAMPLES[name]
    scores, labels = LAWS[law].sample(n, seed)
    points = zip(scores.round(6).tolist(), labels.tolist(), strict=True)
    return json.dumps(list(points))


def visit(translator, node):
    """Open the element that ``widgets.mount`` fills."""
    data = {"data-widget": node["name"]}
    if node["sample"]:
        data["data-sample"] = node["sample"]
    attributes = {"ids": [f"widget-{node['name']}"], "class": "widget", **data}
    translator.body.append(translator.starttag({}, "div", **attributes))


def depart(translator, node):
    """Close it and fill it at once."""
    translator.body.append(f"</div>{MOUNT}{NO_SCRIPTS}")


def skip(translator, node):
    """Show nothing on paper."""
    raise nodes.SkipNode


def add_scripts(app, pagename, templatename, context, doctree):
    """Load on a page what its widgets need."""
    names = {node["name"] for node in doctree.findall(widget)} if doctree else ()
    if names:
        app.add_css_file("widgets/widget.css")
        for name in ["methods", "widget", *sorted(names)]:
            app.add_js_file(f"widgets/{name}.js")


def setup(app):
    """Add the directive."""
    app.add_node(widget, html=(visit, depart), latex=(skip, None), text=(skip, None))
    app.add_directive("widget", WidgetDirective)
    app.connect("html-page-context", add_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
