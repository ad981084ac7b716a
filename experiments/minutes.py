"""How long a page takes to read: its words, formulas, figures and lines of code, by one measure.

The chapters print what this finds, and tests hold the budget of a chapter and of the short book.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

SPEED = 130  # words a minute of a reader whose first language is another
CAREFUL = 2  # times as long for a word of a proof, an exercise or a solution
LINES = 15  # of visible code a minute
FIGURE, TABLE, WIDGET, FORMULA, PRINT = 1.5, 1.0, 3.0, 0.5, 0.5  # minutes for each
CHAPTER = 60  # minutes of a chapter without proofs, folded sections and exercises: the most

MAIN, PROOFS, FOLDED_AWAY, EXERCISES = "main", "proofs", "folded", "exercises"
SPECIALIST = "<!-- for the specialist -->"  # the first line of a section that the site folds
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
UNSEEN = {"hide-output", "hide-cell", "remove-output", "remove-cell"}
FENCE = re.compile(r"(:{3,}|`{3,})(?:\{([^}]*)\})?")
OPTION = re.compile(r"\s*:[\w-]+:")
FORMULAS = re.compile(r"\$\$.*?\$\$", re.DOTALL)
NO_WORDS = re.compile(r"\]\([^)]*\)|[:`{}]+|^\(\S+\)=$|^\|[-:| ]+\|$", re.MULTILINE)
WORD = re.compile(r"\w[\w'-]*")
KINDS = {"widget": WIDGET, "table": TABLE, "list-table": TABLE}


class Minutes(NamedTuple):
    """Minutes for what every reader reads, proofs, folded sections, exercises with solutions."""

    main: float
    proofs: float
    folded: float
    exercises: float


def of_text(text, careful=1):
    """Minutes for the words and the displayed formulas of running text."""
    words = WORD.findall(NO_WORDS.sub(" ", FORMULAS.sub("", text)))
    return careful * len(words) / SPEED + FORMULA * len(FORMULAS.findall(text))


def of_page(text):
    """Minutes for a page in Markdown, its plots and widgets included."""
    bare = re.sub(r"(?s)```\{eval-rst\}.*?```", "", text)
    return of_text(bare) + FIGURE * text.count(".. plot::") + WIDGET * text.count(":::{widget}")


def of_cell(cell):
    """Minutes for the visible code of a cell, its printout, tables and figures."""
    tags = set(cell["metadata"].get("tags", []))
    found = 0.0
    if not tags & FOLDED:
        found += sum(map(bool, "".join(cell["source"]).split("\n"))) / LINES
    if tags & UNSEEN:
        return found
    for output in cell["outputs"]:
        data = output.get("data", {})
        found += FIGURE * ("image/png" in data) + TABLE * ("text/markdown" in data)
    return found + PRINT * any(output["output_type"] == "stream" for output in cell["outputs"])


def parts(text, part):
    """Pieces of a cell in Markdown: the part of the chapter each belongs to, and its text."""
    opened, piece = [], []
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if fence is None:
            piece.append("" if OPTION.match(line) else line)
            continue
        yield part_of(opened, part), "\n".join(piece)
        piece = [line[fence.end() :]]
        if fence[2] is not None:
            opened.append(fence[2])
            yield part_of(opened, part), KINDS.get(fence[2], 0.0)
        elif opened:
            opened.pop()
    yield part_of(opened, part), "\n".join(piece)


def part_of(opened, part):
    """The part of what stands in these directives."""
    return PROOFS if part == MAIN and "prf:proof" in opened else part


def of_cells(cells):
    """`Minutes` of the cells of a chapter."""
    found, part, folded_at = Counter(), MAIN, 0
    for cell in cells:
        if cell["cell_type"] == "code":
            found[part] += of_cell(cell)
            continue
        for section in re.split(r"(?m)^(?=##+ )", "".join(cell["source"])):
            level = len(section) - len(section.lstrip("#"))
            if level == 2 or 0 < level <= folded_at:
                part, folded_at = MAIN, 0
            if level == 2 and section.startswith("## Exercises"):
                part = EXERCISES
            if level and part == MAIN and SPECIALIST in section.split("\n", 2)[1:2]:
                part, folded_at = FOLDED_AWAY, level
            for where, what in parts(section, part):
                careful = 1 if where == MAIN else CAREFUL
                found[where] += what if isinstance(what, float) else of_text(what, careful)
    return Minutes(*(found[name] for name in (MAIN, PROOFS, FOLDED_AWAY, EXERCISES)))


def of_chapter(path):
    """`Minutes` of a notebook."""
    return of_cells(json.loads(Path(path).read_text(encoding="utf-8"))["cells"])
