"""Formulas are typeset when the site is built: pages need no script for them, and nothing jumps.

MathJax, from the PyPI package ``sphinx-mathjax-offline``, runs in V8, from ``mini-racer``. Each
formula becomes a drawing, whose glyphs are stored once a page, and MathML for screen readers.

Sources break long formulas in ``aligned`` for the width of a phone. Where a column is wider, lines
are joined again: every variant is on the page, and a container query shows the widest that fits.
"""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from broken_lines import variants
from docutils import nodes
from formula_text import linear
from py_mini_racer import MiniRacer
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

COMPONENTS = [
    "core",
    "adaptors/liteDOM",
    "input/tex-base",
    "input/tex/extensions/ams",
    "output/svg",
    "output/svg/fonts/tex",
    "a11y/assistive-mml",
]
NUMBER = 8  # the number of a formula and the space beside it, in ex
GLYPH = re.compile(r'<path data-c="[^"]*" d="([^"]*)"([^>]*)></path>')
USED = re.compile(r'<use href="#(glyph-\d+)"')
NEEDLESS = re.compile(
    r' (?:class="MathJax"|jax="SVG"|data-mml-node="[^"]*"|data-mjx-texclass="[^"]*"'
    r'|xmlns="[^"]*"|role="img"|focusable="false"|unselectable="on"|style="position: relative;")'
)
logger = logging.getLogger(__name__)


class Typesetter:
    """MathJax in V8, the glyphs it has drawn, and the widths at which pages change variants."""

    def __init__(self):
        package = Path(find_spec("sphinx-mathjax-offline").origin).parent
        scripts = [package / "static" / "mathjax" / f"{name}.js" for name in COMPONENTS]
        self.engine = MiniRacer()
        self.engine.eval("var global = globalThis, MathJax = {};")
        for script in [*scripts, Path(__file__).with_name("formulas.js")]:
            self.engine.eval(script.read_text(encoding="utf-8") + "; 0")
        self.glyphs = {}  # outline: name
        self.widths = set()
        self.drawing = cache(self._drawing)

    def _drawing(self, tex, display):
        """The formula as markup, and its width in ex."""
        result = self.engine.call("typeset", tex, display)
        if result["error"]:
            raise ValueError(result["error"])
        markup = NEEDLESS.sub("", GLYPH.sub(self._use, result["drawing"]))
        return markup, float(re.search(r'width="([\d.]+)ex"', markup)[1])

    def _use(self, match):
        """A reference to the glyph instead of its outline."""
        name = self.glyphs.setdefault(match[1], f"glyph-{len(self.glyphs)}")
        return f'<use href="#{name}"{match[2]}></use>'

    def inline(self, tex):
        """Markup of a formula in a line of text."""
        return self.drawing(tex, False)[0]

    def displayed(self, tex, numbered):
        """Markup of a formula on lines of its own: all variants, each with the widths it is for."""
        markup, below = [], None
        for variant in variants(tex):
            drawing, width = self.drawing(variant, True)
            needed = int(width) + 1 + numbered * NUMBER
            if below is not None and needed >= below:
                continue  # no narrower than the variant before
            markup.append((drawing, needed, below))
            self.widths.add(needed)
            below = needed
        markup[-1] = (markup[-1][0], 0, markup[-1][2])  # the last is for all that is narrower
        return "".join(shown_between(*piece) for piece in markup)

    def characters(self, tex):
        """The formula as a line of plain text."""
        return linear(re.search("<math>.*</math>", self.inline(tex))[0])

    def outlines(self, names):
        """The glyphs as a drawing that shows nothing by itself."""
        outlines = {name: outline for outline, name in self.glyphs.items()}
        paths = "".join(f'<path id="{name}" d="{outlines[name]}"/>' for name in sorted(names))
        return f'<svg class="glyphs" aria-hidden="true"><defs>{paths}</defs></svg>'


def shown_between(drawing, narrowest, below):
    """The drawing, with classes for the widths of the column at which it is shown."""
    classes = [f"from-{narrowest}"] * (narrowest > 0) + [f"below-{below}"] * (below is not None)
    return drawing.replace("<mjx-container", f'<mjx-container class="{" ".join(classes)}"', 1)


@cache
def typesetter():
    """One for all pages."""
    return Typesetter()


def plain_text(node):
    """The text of a node, its formulas as plain text too."""
    pieces = []
    for part in node.findall(lambda n: isinstance(n, (nodes.Text, nodes.math))):
        if isinstance(part, nodes.math):
            pieces.append(typesetter().characters(part.astext()))
        elif not isinstance(part.parent, nodes.math):
            pieces.append(part.astext())
    return " ".join("".join(pieces).split())


def text_beside(formula, step):
    """The text before (-1) or after (1) a formula, empty if something else stands there."""
    siblings = formula.parent
    place = siblings.index(formula) + step
    beside = siblings[place] if 0 <= place < len(siblings) else None
    return beside if isinstance(beside, nodes.Text) else ""


class WordsWithFormulas(SphinxPostTransform):
    """Keep what touches a formula on its line: a bracket before it, a full stop after it.

    Browsers break lines on either side of a drawing.
    """

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs):
        """Put each formula into one span with what touches it."""
        for formula in list(self.document.findall(nodes.math)):
            before, after = text_beside(formula, -1), text_beside(formula, 1)
            first, last = re.search(r"\S*\Z", before)[0], re.match(r"\S*", after)[0]
            if not first + last:
                continue
            siblings, here = formula.parent, formula.parent.index(formula)
            siblings[here - bool(before) : here + 1 + bool(after)] = [
                nodes.Text(before.removesuffix(first)),
                nodes.inline("", first, formula, nodes.Text(last), classes=["together"]),
                nodes.Text(after.removeprefix(last)),
            ]


def problem(node, error):
    """Report a formula that MathJax cannot read; warnings fail the build."""
    logger.warning("%s in the formula %s", error, node.astext(), location=node)


def visit_inline(translator, node):
    """Write a formula in a line of text."""
    translator.body.append(translator.starttag(node, "span", "", CLASS="math notranslate"))
    try:
        translator.body.append(typesetter().inline(node.astext()))
    except ValueError as error:
        problem(node, error)
    translator.body.append("</span>")
    raise nodes.SkipNode


def visit_displayed(translator, node):
    """Write a formula on lines of its own, and its number."""
    translator.body.append(translator.starttag(node, "div", CLASS="math notranslate"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    try:
        numbered = bool(node["number"])
        translator.body.append(typesetter().displayed(node.astext(), numbered))
    except ValueError as error:
        problem(node, error)
    translator.body.append("</div>")
    raise nodes.SkipNode


def rules(widths):
    """Style rules that show each variant at the widths it is for."""
    for width in sorted(widths):
        for condition, variant in [("<", "from"), (">=", "below")]:
            hidden = f".{variant}-{width} {{ display: none !important; }}"
            yield f"@container (width {condition} {width}ex) {{ {hidden} }}"


def finish(app, exception):
    """Put the glyphs that a page uses at its end, and write the rules."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        used = set(USED.findall(text))
        if used:
            head, end, tail = text.rpartition("</body>")
            path.write_text(head + typesetter().outlines(used) + end + tail, encoding="utf-8")
    styles = "\n".join(rules(typesetter().widths)) + "\n"
    (folder / "_static" / "formulas.css").write_text(styles, encoding="utf-8")


def setup(app):
    """Take the place of Sphinx's own renderer, which leaves the work to the browser."""
    app.add_html_math_renderer("typeset", (visit_inline, None), (visit_displayed, None))
    app.add_post_transform(WordsWithFormulas)
    app.connect("build-finished", finish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
