"""What is measured of a chapter: minutes below its title, map of all chapters, core path.

``{chapter-map}`` is a table of what each chapter needs and how long it takes, ``{core-path}`` of
the chapters that a reader with little time takes. A section that begins
with ``<!-- for the specialist -->`` is folded; its heading stays, and so do links into it.
"""

from docutils import nodes
from ledger_nodes import table, text, to_chapter, to_label, to_page
from sphinx.util.docutils import SphinxDirective

from experiments.chapter_numbers import is_evidence
from experiments.minutes import SPECIALIST
from experiments.prerequisites import CORE, OPENING, chapters

MAP = "map-of-chapters"
SUMMARY = "<details class='specialist'><summary>For the specialist</summary>"
PARTS = {"proofs": "the proofs", "folded": "the folded sections", "exercises": "the exercises"}
APART = {
    "Replications": " The other chapters do not need this one.",
    "Since then": " It belongs to the companion, which the main line does not need.",
    "Evidence": " It belongs to the evidence, which no chapter needs.",
}


def rounded(minutes):
    """Whole minutes; at least one."""
    return max(round(minutes), 1)


def sentence(one):
    """Minutes in words: the main text first."""
    more = [(words, getattr(one.minutes, name)) for name, words in PARTS.items()]
    more = [f"{rounded(found)} for {words}" for words, found in more if found]
    counted = ", ".join(more).replace(" for", " more for", 1)
    counted = "; ".join(filter(None, [f"{rounded(one.minutes.main)} minutes", counted]))
    return f": {counted}.{APART.get(one.part, '')} See the "


def add_minutes(app, doctree):
    """Put the minutes below what a chapter asks for."""
    chapter = chapters().get(app.env.docname.removeprefix("notebooks/"))
    if not chapter:
        return
    opening = OPENING.strip("*")
    first = next(
        node for node in doctree.findall(nodes.paragraph) if node.astext().startswith(opening)
    )
    line = text([nodes.strong("", "Time"), nodes.Text(sentence(chapter))])
    line += to_label(MAP, "map of the chapters")
    line += nodes.Text(".")
    first.parent.insert(first.parent.index(first) + 1, line)


def fold_sections(app, doctree):
    """Put what follows the heading of a marked section into a box that opens."""
    for mark in list(doctree.findall(nodes.raw)):
        section = mark.parent
        if mark.astext().strip() != SPECIALIST or not isinstance(section, nodes.section):
            continue
        section.replace(mark, nodes.raw("", SUMMARY, format="html"))
        section.append(nodes.raw("", "</details>", format="html"))


class CorePath(SphinxDirective):
    """The chapters of the core path with their minutes."""

    def run(self):
        """A table with a row for each chapter and one for all of them."""
        rows, total = [], 0
        for file in CORE:
            one = chapters()[file]
            total += rounded(one.minutes.main)
            title = text([to_page(f"notebooks/{file}", f"{one.number}. {one.title}")])
            rows.append([title, str(rounded(one.minutes.main))])
        rows.append(["all ten", f"{total}, or {total / 60:.1f} hours"])
        return [table(["chapter", "minutes"], rows, ["chapter-map"])]


class ChapterMap(SphinxDirective):
    """What each chapter needs, and how long it takes."""

    def run(self):
        """A table with a row for each chapter, in the order in which they are read."""
        rows = []
        for file, one in chapters().items():
            if is_evidence(file):
                continue
            self.env.note_dependency(self.env.doc2path(f"notebooks/{file}"))
            needs = nodes.paragraph()
            for k, needed in enumerate(one.needs):
                needs += nodes.Text(", " if k else "")
                needs += to_chapter(needed)
            name = f"{one.number}. {one.title}" if one.number else one.title
            title = text([to_page(f"notebooks/{file}", name)])
            counted = [str(rounded(found)) if found else "–" for found in one.minutes]
            rows.append([title, needs, *counted])
        return [table(["chapter", "needs", "minutes", *PARTS], rows, ["chapter-map"])]


def setup(app):
    """Work on chapters as they are read, so that links are resolved with the others."""
    app.add_directive("chapter-map", ChapterMap)
    app.add_directive("core-path", CorePath)
    app.connect("doctree-read", add_minutes)
    app.connect("doctree-read", fold_sections)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
