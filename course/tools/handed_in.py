"""Read a notebook that was handed in, and bring its cells into the order of the set.

Nothing is run here. Cells that students must not change are those of the release, wherever they
were moved, changed or lost; an answer that was copied is run as often as it is there.
"""

import ast
import json
import re
from dataclasses import dataclass, field

from .notebooks import CODE_STUB, TEXT_STUB, nbgrader_metadata
from .source import HIDDEN, Question

LONGEST = 200_000  # characters of a cell
MOST = 2_000  # cells
ASKED = re.compile(r"^## Question (\d+)\. ", re.M)


class NoNotebook(ValueError):
    """A file that is no notebook, in words for the lecturer."""


@dataclass
class StudentCell:
    """A cell that was handed in."""

    is_code: bool
    source: str
    name: str | None  # nbgrader's grade_id


@dataclass
class Step:
    """What is done next: run cells of the student or of the set, or take a test."""

    kind: str  # locked, answer, test, written, own
    question: Question | None
    sources: list = field(default_factory=list)


def read_notebook(content):
    """Cells of a notebook; its outputs are left out."""
    try:
        encoding = "utf-16" if content[:2] in [b"\xff\xfe", b"\xfe\xff"] else "utf-8-sig"
        notebook = json.loads(content.decode(encoding))
        if "worksheets" in notebook:  # before 2014
            notebook = {"cells": [c for sheet in notebook["worksheets"] for c in sheet["cells"]]}
        cells = notebook["cells"]
        if len(cells) > MOST:
            raise NoNotebook(f"{len(cells)} cells")
        return [student_cell(cell) for cell in cells]
    except NoNotebook:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NoNotebook(f"no notebook ({type(error).__name__}: {error})"[:300]) from None


def student_cell(cell):
    """A cell, as far as it can be read."""
    source = cell.get("source", cell.get("input", ""))
    source = "".join(map(str, source)) if isinstance(source, list) else str(source)
    is_code = cell.get("cell_type") == "code"
    if len(source) > LONGEST and is_code:
        source = "raise MemoryError('a cell of more than 200,000 characters')"
    metadata = cell.get("metadata")
    marks = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = marks.get("grade_id") if isinstance(marks, dict) else None
    return StudentCell(is_code, source[:LONGEST], name and str(name))


def grade_id(cell, number):
    """The name under which nbgrader knows a cell of a set, or None."""
    return (nbgrader_metadata(cell, number) or {}).get("grade_id")


def defined_functions(source):
    """Names of the functions that code defines, as far as it is Python."""
    try:
        return {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(re.findall(r"^def (\w+)", source, re.M))


def is_unanswered(source):
    """Whether a cell holds no answer, or still the line that was handed out."""
    return source.strip() in ["", TEXT_STUB] or CODE_STUB.splitlines()[-1] in source


def answers_of(cell, given):
    """What was handed in for an answer: of several cells those that are more than a stub."""
    answered = [source for source in given if not is_unanswered(source)]
    return answered if cell.is_prose or len(given) > 1 else given


def with_names(cells, handed_in):
    """The student's cells; answers whose marks were lost have them again."""
    named = {cell.name for cell in handed_in}
    functions, texts, question = {}, {}, None
    for cell in cells:
        name = cell.question and f"{cell.question.name}-answer"
        if cell.kind == "answer" and name not in named:
            functions |= dict.fromkeys(defined_functions(cell.source), name)
    asked = [cell for cell in cells if cell.kind == "question"]
    written = {cell.question.name for cell in cells if cell.kind == "written"}
    texts = {n: cell.question.name for n, cell in enumerate(asked, 1)}
    for cell in handed_in:
        if cell.name is None and cell.is_code:
            found = [functions[f] for f in defined_functions(cell.source) if f in functions]
            cell.name = found[0] if found else None
        elif cell.name is None:
            heading = ASKED.search(cell.source)
            if heading:
                question = texts.get(int(heading[1]))
            elif question in written and question not in named:
                cell.name = question
        yield cell


def steps(cells, handed_in):
    """The steps of grading: the cells of the set in order, the student's own in between."""
    keys = [grade_id(cell, number) for number, cell in enumerate(cells)]
    place = {key: i for i, key in enumerate(keys) if key}
    answers, own, seen, last = {}, {}, set(), -1
    for cell in with_names(cells, handed_in):
        at = place.get(cell.name)
        if at is None:
            if cell.is_code:
                own.setdefault(last, []).append(cell.source)
            continue
        if cells[at].kind in ["answer", "written"] and cell.is_code != cells[at].is_prose:
            answers.setdefault(cell.name, []).append(cell.source)
        if cell.name not in seen:
            last = max(last, at)
        seen.add(cell.name)
    yield Step("own", None, own.get(-1, []))
    for i, (cell, key) in enumerate(zip(cells, keys, strict=True)):
        if cell.kind == "code":
            yield Step("locked", cell.question, [cell.source])
        elif cell.kind in ["answer", "written"]:
            yield Step(cell.kind, cell.question, answers_of(cell, answers.get(key, [])))
        elif cell.kind == "test":
            yield Step("test", cell.question, [HIDDEN.sub("", cell.source), cell.source])
        if i in own:
            yield Step("own", cell.question, own[i])
