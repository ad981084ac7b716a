"""Write a problem set as a notebook: for nbgrader, for a submission, or for learners alone."""

from copy import deepcopy

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from .source import HIDDEN, SOLUTION

KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CODE_STUB = "# your code here\nraise NotImplementedError"
TEXT_STUB = "*Your answer.*"


def heading(cell, number):
    """Text of a question under its number, subject and points."""
    title, _, text = cell.source.partition("\n")
    asked = cell.question
    points = "1 point" if asked.points == 1 else f"{asked.points} points"
    title = title.removeprefix("## ")
    return f"## Question {number}. {title}\n\n*{asked.subject.capitalize()}, {points}.*\n{text}"


def with_headings(cells):
    """Pairs of cell and text, questions under their headings."""
    number = 0
    for cell in cells:
        number += cell.kind == "question"
        yield cell, heading(cell, number) if cell.kind == "question" else cell.source


def nbgrader_metadata(cell, number):
    """What nbgrader has to know about a cell; None for cells that it leaves alone."""
    common = {"schema_version": 3, "task": False}
    if cell.kind == "code":  # set-up that a student must not change
        name = f"locked-{number}"
        return common | {"grade_id": name, "grade": False, "solution": False, "locked": True}
    if cell.kind == "answer":
        name = f"{cell.question.name}-answer"
        return common | {"grade_id": name, "grade": False, "solution": True, "locked": False}
    if cell.kind in ["test", "written"]:
        return common | {
            "grade_id": cell.question.name,
            "grade": True,
            "solution": cell.kind == "written",
            "locked": cell.kind == "test",
            "points": cell.question.points,
        }
    return None


def new_cell(cell, source, number):
    """The notebook's cell for a cell of the source."""
    make = new_markdown_cell if cell.is_prose else new_code_cell
    return make(source, id=f"cell-{number}")


def source_notebook(cells):
    """The notebook that nbgrader reads, with solutions and hidden tests."""
    notebook = new_notebook(metadata=KERNEL)
    for number, (cell, source) in enumerate(with_headings(cells)):
        if cell.kind == "hint":
            continue
        made = new_cell(cell, source, number)
        metadata = nbgrader_metadata(cell, number)
        if metadata:
            made.metadata["nbgrader"] = metadata
        notebook.cells.append(made)
    return notebook


def released_notebook(cells):
    """The notebook that students get: no solutions, no hidden tests."""
    notebook = source_notebook(cells)
    for cell in notebook.cells:
        stub = CODE_STUB if cell.cell_type == "code" else TEXT_STUB
        cell.source = without_solutions(cell.source, stub)
    return notebook


def fill_in(released, answers):
    """A copy of a released notebook with answers, by name of their question."""
    notebook = deepcopy(released)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "").removesuffix("-answer")
        if name in answers and cell.metadata.nbgrader.solution:
            cell.source = answers[name]
    return notebook


def without_solutions(source, stub):
    """Text without its solutions and hidden tests."""

    def indented(match):
        return "".join(f"{match[1]}{line}\n" for line in stub.split("\n"))

    return HIDDEN.sub("", SOLUTION.sub(indented, source)).rstrip("\n")


def self_study_notebook(cells):
    """The notebook for learners alone: plain asserts and hints, neither solutions nor grading."""
    notebook = new_notebook(metadata=KERNEL)
    for number, (cell, source) in enumerate(with_headings(cells)):
        if cell.kind == "hint":
            source = f"<details><summary>A hint</summary>\n\n{source}\n\n</details>"
        source = without_solutions(source, TEXT_STUB if cell.is_prose else CODE_STUB)
        notebook.cells.append(new_cell(cell, source, number))
    return notebook
