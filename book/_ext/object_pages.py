"""A page for each class and function of the interface, written when the site is built.

Pages of kinds, in ``book/api``, list names of a module,

    .. objects:: calib.metrics

       log_loss

or all public names of it where the list is empty. In a list, ``...`` stands for the public names
of the module that no page lists, so that a new one has its place. The pages show a table of these
names with one-line summaries. Each name gets a page: how to import it, its docstring, methods of
its own and inherited ones, a figure where there is one, and the chapters that use it. ``book/api``
has all tables.
"""

import inspect
import re
import shutil
import textwrap
from importlib import import_module
from pathlib import Path

import object_uses
import yaml
from docutils.statemachine import StringList
from sphinx.ext.autosummary import Autosummary

import calib
from experiments.chapter_numbers import number_of

KINDS = "book/api"
FOLDER = f"{KINDS}/objects"
LIST = re.compile(r"^\.\. objects:: (\S+)\n((?:\n? {3}\S+\n)*)", re.M)
REST = "..."
FIGURE = re.compile(r"^\.\. plot::\n(?: {3}.*\n|\n(?= {3}))+", re.M)
TITLE = re.compile("^# (.*)$", re.M)
SUMMARY = re.compile(r"(?<=[.:?])\s")
MARKUP, ESCAPED = re.compile(r"([\\`*_|])"), r"\\\1"
METHODS = (classmethod, staticmethod, property)
MAP = """
from {module} import {name}
from calibkit.datasets import LAWS
from calibkit.diagrams import calibration_map

law = LAWS["overconfident"]
scores, labels = law.sample(1000, 0)
calibrator = {name}().fit(scores, labels)
ax = calibration_map({{"{name}": calibrator}}, truth=law.pi)
"""
BAND = """
grid = np.linspace(0, 1, 501)
ax.fill_between(grid, *calibrator.predict_interval(grid), alpha=0.3)
"""


def public(module):
    """Classes and functions that a module offers."""
    there = vars(module)
    names = getattr(module, "__all__", None) or [
        name
        for name, thing in there.items()
        if getattr(thing, "__module__", None) == module.__name__ and not name.startswith("_")
    ]
    things = {name: getattr(module, name) for name in names}
    return [
        name
        for name, thing in things.items()
        if inspect.isclass(thing) or inspect.isroutine(thing) and thing.__doc__
    ]


def named(module, name):
    """The object of a name such as ``contract.counts.Counts`` of a module."""
    *rooms, last = f"{module}.{name}".split(".")
    return getattr(import_module(".".join(rooms)), last)


def unlisted(module, texts):
    """Public names of a module that no list on these pages has."""
    names = {
        name
        for text in texts
        for other, listed_names in LIST.findall(text)
        if other == module
        for name in listed_names.split()
    }
    return [name for name in public(import_module(module)) if name not in names]


def listed(texts):
    """Page, module and name of each object that the pages of kinds list, given their texts."""
    for page, text in texts.items():
        for module, names in LIST.findall(text):
            for name in names.split() or public(import_module(module)):
                for one in unlisted(module, texts.values()) if name == REST else [name]:
                    yield page, module, one


def kinds(source):
    """The pages of kinds in their order: docname and text."""
    toc = yaml.safe_load((source / "_toc.yml").read_text(encoding="utf-8"))
    pages = [page for part in toc.get("parts", [toc]) for page in part["chapters"]]
    indices = [page for page in pages if page["file"] == KINDS]  # none in a book of some pages
    for page in (kind for index in indices for kind in index["sections"]):
        yield page["file"], (source / f"{page['file']}.md").read_text(encoding="utf-8")


def summary(thing):
    """The first sentence of a docstring, without its markup."""
    text = inspect.getdoc(thing).split("\n\n")[0]
    text = re.sub(r":\w+:`~?([^`]*)`", r"\1", " ".join(text.split()))
    return SUMMARY.split(text.replace("`", ""))[0].rstrip(":")


def is_method(member):
    """Whether a member of a class is called or computed."""
    return inspect.isfunction(member) or isinstance(member, METHODS)


def described_with(cls, pages):
    """The class and those of its bases that have no page, neither of their own nor of a base."""
    listed = [base for base in cls.__mro__[1:] if base in pages]
    rooms = ("calib.", "calibkit.", "experiments.")
    return [cls] + [
        base
        for base in cls.__mro__[1:]
        if base not in pages
        and base.__module__.startswith(rooms)
        and not any(issubclass(one, base) for one in listed)
    ]


def own_methods(cls, pages):
    """Public methods and properties that the page of a class describes.

    What a class learns is no method, nor is a property in place of a setting of its base.
    """
    for one in described_with(cls, pages):
        for name, member in vars(one).items():
            is_public = name == "__call__" or not (name.startswith("_") or name.endswith("_"))
            above = [vars(base)[name] for base in one.__mro__[1:] if name in vars(base)]
            is_setting = not all(map(is_method, above))
            if is_public and is_method(member) and not is_setting and getattr(one, name).__doc__:
                yield name


def inherited(cls, pages):
    """Full names of methods that a class has from others with a page, by name."""
    seen = dict.fromkeys(vars(cls))
    found = {}
    for base in cls.__mro__[1:]:
        if base in pages:
            own = own_methods(base, pages)
            found |= {name: f"{pages[base]}.{name}" for name in own if name not in seen}
        seen |= dict.fromkeys(vars(base))
    return found


def draws_a_map(thing):
    """Whether the object is a calibrator that scores and labels are enough for."""
    if not inspect.isclass(thing) or not issubclass(thing, calib.Calibrator):
        return False
    try:
        thing().fit([0.2, 0.6, 0.4, 0.8], [0, 0, 1, 1])
    except (TypeError, ValueError, AttributeError):  # another argument is needed; a base class
        return False
    return True


def plot(code, alt):
    """A figure with its program."""
    options = f"   :include-source: true\n   :alt: {alt}\n"
    return f".. plot::\n{options}\n{textwrap.indent(code.strip(), '   ')}\n"


def figure(module, name, thing, text):
    """The map of a calibrator; else the first figure of the pages of kinds that uses the object."""
    if draws_a_map(thing) and hasattr(import_module(module), name):
        code = MAP.format(module=module, name=name)
        if hasattr(thing, "predict_interval"):
            code = "import numpy as np" + code + BAND
        return plot(code, f"The map that {name} learned from a thousand scores, beside the truth.")
    shown = (match[0] for match in FIGURE.finditer(text))
    return next((one for one in shown if re.search(rf"import .*\b{name}\b", one)), "")


def heading(text, mark):
    """A title of reStructuredText."""
    return f"{text}\n{mark * len(text)}\n"


def page(module, name, kind, text, pages, uses):
    """The page of an object."""
    thing = named(module, name)
    *rooms, last = f"{module}.{name}".split(".")
    room = ".".join(rooms)
    title = f"{room}.{last}".removeprefix("calib.").removeprefix("calibkit.")
    directive = "autoclass" if inspect.isclass(thing) else "autofunction"
    methods = list(dict.fromkeys(own_methods(thing, pages))) if inspect.isclass(thing) else []
    others = inherited(thing, pages) if inspect.isclass(thing) else {}
    pieces = [
        f":orphan:\n:description: {title}: {MARKUP.sub(ESCAPED, summary(thing))}\n",
        heading(title, "="),
        f".. currentmodule:: {room}\n",
        f".. code-block:: python\n\n   from {room} import {last}\n",
        f"This object is listed on the page :doc:`/{kind}`.\n",
        f".. {directive}:: {last}\n" + f"   :members: {', '.join(methods)}\n" * bool(methods),
    ]
    if others:
        names = [others[method].removeprefix(f"{room}.") for method in sorted(others)]
        rows = "".join(f"   ~{one}\n" for one in names)
        table = f".. autosummary::\n   :nosignatures:\n\n{rows}"
        pieces += [heading("Inherited methods", "-"), table]
    if drawn := figure(module, name, thing, text):
        pieces += [heading("Figure", "-"), drawn]
    if used := uses.get(thing):
        pieces += [heading("In the book", "-"), f"{in_the_book(used)}.\n"]
    return f"{room}.{last}", "\n".join(pieces)


def in_the_book(used):
    """Links to these chapters by their numbers, and then to pages without a number."""
    numbers = {stem: number_of(stem) for stem in used}
    numbered = [f":doc:`{n} </notebooks/{stem}>`" for stem, n in numbers.items() if n]
    pages = [f":doc:`/notebooks/{stem}`" for stem, n in numbers.items() if not n]
    if numbered:
        numbered[0] = f"Chapter{'s' * (len(numbered) > 1)} {numbered[0]}"
    return ", ".join(numbered + pages)


def write(app):
    """Write the pages anew; they are in no table of contents, and read all the same."""
    source = Path(app.srcdir)
    shutil.rmtree(source / FOLDER, ignore_errors=True)
    (source / FOLDER).mkdir(parents=True)
    texts = dict(kinds(source))
    rows = list(listed(texts))
    pages = {}
    for _, module, name in rows:
        pages.setdefault(named(module, name), f"{module}.{name}")
    uses = object_uses.chapters(source / "notebooks")
    for kind, module, name in rows:
        full, text = page(module, name, kind, "\n".join(texts.values()), pages, uses)
        (source / FOLDER / f"{full}.rst").write_text(text, encoding="utf-8")
    kept = [name for name in app.config.exclude_patterns if not name.startswith(f"{FOLDER}/")]
    app.config.exclude_patterns = kept


def list_all(app, docname, source):
    """Put the tables of all kinds on the page of the interface."""
    if docname != KINDS:
        return
    for kind, text in kinds(Path(app.srcdir)):
        tables = "\n".join(match[0] for match in LIST.finditer(text))
        link = f"{kind.removeprefix('book/')}.md"
        source[0] += f"\n## [{TITLE.search(text)[1]}]({link})\n\n```{{eval-rst}}\n{tables}```\n"


class Objects(Autosummary):
    """``.. objects:: module`` and names: a table of their summaries, and a page for each."""

    required_arguments = 1

    def run(self):
        """Return the table."""
        (module,) = self.arguments
        self.env.ref_context["py:module"] = module
        self.options["nosignatures"] = True
        names = list(self.content) or public(import_module(module))
        if REST in names:
            texts = dict(kinds(Path(self.env.srcdir)))
            names = [name for name in names if name != REST] + unlisted(module, texts.values())
        self.content = StringList(names, source=self.env.docname)
        return super().run()


def setup(app):
    """Write before pages are looked for."""
    app.add_directive("objects", Objects)
    app.connect("builder-inited", write)
    app.connect("source-read", list_all)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
