"""Write a problem set as a notebook: for nbgrader, for a submission, or for learners alone."""

from copy import deepcopy

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from .source import HIDDEN, SOLUTION, questions

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


def nbgrader_metadata(cell):
    """What nbgrader has to know about a cell; None for cells that it leaves alone."""
    common = {"schema_version": 3, "task": False}
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


def new_cell(cell, source, identifier):
    """The notebook's cell for a cell of the source."""
    make = new_markdown_cell if cell.is_prose else new_code_cell
    return make(source, id=identifier)


def source_notebook(cells):
    """The notebook that nbgrader reads, with solutions and hidden tests."""
    notebook = new_notebook(metadata=KERNEL)
    numbers = {q.name: number for number, q in enumerate(questions(cells), 1)}
    for i, cell in enumerate(cells):
        if cell.kind == "hint":
            continue
        source = cell.source
        if cell.kind == "question":
            source = heading(cell, numbers[cell.question.name])
        made = new_cell(cell, source, f"cell-{i}")
        metadata = nbgrader_metadata(cell)
        if cell.kind == "code":  # set-up that a student must not change
            metadata = {
                **{"schema_version": 3, "grade_id": f"locked-{i}", "task": False},
                **{"grade": False, "solution": False, "locked": True},
            }
        if metadata:
            made.metadata["nbgrader"] = metadata
        notebook.cells.append(made)
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
    numbers = {q.name: number for number, q in enumerate(questions(cells), 1)}
    for i, cell in enumerate(cells):
        source = cell.source
        if cell.kind == "question":
            source = heading(cell, numbers[cell.question.name])
        elif cell.kind == "hint":
            source = f"<details><summary>A hint</summary>\n\n{source}\n\n</details>"
        source = without_solutions(source, TEXT_STUB if cell.is_prose else CODE_STUB)
        notebook.cells.append(new_cell(cell, source, f"cell-{i}"))
    return notebook
