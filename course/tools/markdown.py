"""From the Markdown of the book to HTML: formulas drawn, references in words, no script.

The roles and fences are those of MyST that chapters, slides, exams and projects use; an unknown one
is an error.
"""

import re
import sys
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.myst_role import myst_role_plugin
from pybtex.database import parse_file

from .chapters import ROOT, Formula, Number, Statement, find

sys.path.append(str(ROOT / "book" / "_ext"))
from broken_lines import variants  # noqa: E402
from formulas import USED, typesetter  # noqa: E402

WIDEST = 92  # of a displayed formula, in ex


def inline_formula(self, tokens, i, options, env):
    """A formula in a line of text."""
    return typesetter().inline(tokens[i].content)


def displayed_formula(self, tokens, i, options, env):
    """A formula on lines of its own, in its widest form that fits."""
    drawings = [typesetter().drawing(tex, True) for tex in variants(tokens[i].content)]
    fitting = [drawing for drawing, width in drawings if width <= WIDEST]
    return f'<div class="formula">{(fitting or [drawings[-1][0]])[0]}</div>\n'


def numbered_formula(self, tokens, i, options, env):
    """A formula with a label: it gets the next number of the document."""
    numbers = env["formulas"]
    number = numbers.setdefault(tokens[i].info, len(numbers) + 1)
    drawing = displayed_formula(self, tokens, i, options, env)
    return drawing.replace("</div>", f'<span class="number">({number})</span></div>')


def author_and_year(key, text):
    """A reference like "Vovk and Petej (2014)", in brackets if it is no part of the sentence."""
    entry = references().entries[key]
    names = [
        " ".join(person.prelast_names + person.last_names) for person in entry.persons["author"]
    ]
    names = [re.sub(r"[{}]", "", name) for name in names]
    joined = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
    year = entry.fields["year"]
    return escape(f"{joined} ({year})" if text else f"({joined}, {year})")


@cache
def references():
    """The literature of the book."""
    return parse_file(str(ROOT / "book" / "references.bib"))


def role(self, tokens, i, options, env):
    """A reference to a formula, a statement or the literature, or a number of a chapter."""
    name, target = tokens[i].meta["name"], tokens[i].content
    if name == "eq":
        if target not in env["formulas"]:
            find(target, Formula)
            raise ValueError(
                f"{target} is referred to before it is shown: show it with {{formula}}"
            )
        return f"({env['formulas'][target]})"
    if name == "prf:ref":
        statement = find(target, Statement)
        return f"<cite>{render_inline(statement.title)}</cite> (chapter {statement.chapter})"
    if name in ["cite:t", "cite:p"]:
        return author_and_year(target, name == "cite:t")
    if name == "glue:text":
        return escape(find(target, Number).text)
    raise ValueError(f"unknown role {{{name}}}`{target}`")


def fence(self, tokens, i, options, env):
    """A fence ``:::{name} argument``: the document that is read says what it means."""
    name, _, argument = tokens[i].info.strip().partition(" ")
    try:
        write = env["fences"][name.strip("{}")]
    except KeyError:
        raise ValueError(f"unknown fence {tokens[i].info!r}") from None
    return write(argument.strip(), tokens[i].content, env)


@cache
def parser():
    """The reader of MyST's Markdown."""
    reader = MarkdownIt("commonmark", {"html": False, "typographer": True})
    reader.enable(["table", "smartquotes"])
    reader.use(dollarmath_plugin, allow_blank_lines=True).use(colon_fence_plugin)
    reader.use(myst_role_plugin)
    for token, rule in [
        ("math_inline", inline_formula),
        ("math_block", displayed_formula),
        ("math_block_label", numbered_formula),
        ("myst_role", role),
        ("colon_fence", fence),
    ]:
        reader.add_render_rule(token, rule)
    return reader


def new_document(fences):
    """What rendering remembers: numbers of formulas, and what each kind of fence means."""
    return {"formulas": {}, "fences": fences}


def render(text, env):
    """Markdown as HTML."""
    return parser().render(text, env)


def render_inline(text):
    """A title or another line without paragraphs."""
    return parser().renderInline(text, new_document({}))


def statement_fence(argument, content, env):
    """``{statement} label``: a definition, theorem ... of the book; ``small`` sets a long one."""
    label, _, size = argument.partition(" ")
    found = find(label, Statement)
    title = f" ({render_inline(found.title)})" if found.title else ""
    return (
        f'<div class="statement {size}">'
        f'<p class="kind"><strong>{found.kind.capitalize()}</strong>{title}'
        f'<span class="chapter">chapter {found.chapter}</span></p>\n'
        f"{render(found.text, env)}</div>\n"
    )


def formula_fence(label, content, env):
    """``{formula}``: a numbered formula of the book, by its label."""
    return render(f"$$\n{find(label, Formula).tex}\n$$ ({label})\n", env)


def close():
    """Stop V8, which else may hang when the program ends."""
    typesetter().engine.close()


def with_outlines(page):
    """The page with the outlines of all glyphs that its formulas use."""
    head, end, tail = page.rpartition("</body>")
    return head + typesetter().outlines(set(USED.findall(page))) + end + tail
