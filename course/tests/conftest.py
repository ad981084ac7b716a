"""Every set is handed out and graded once, by one worker; the tests read the grades."""

import re
from types import SimpleNamespace

import nbformat
import pytest

from course.tools.grading import CourseFolder
from course.tools.notebooks import fill_in
from course.tools.source import SOLUTION, read_answers, read_set, set_names


def solution_text(source):
    """An answer cell without the marks of its solution."""
    return re.sub(r"^ *### (BEGIN|END) SOLUTION\n?", "", source, flags=re.M).rstrip("\n")


def six_of(wrong):
    """Six mistakes, of as many questions as there are: nbgrader takes seconds for each.

    test_sources.py tries all of them, without nbgrader.
    """
    asked = [mistake.split(":")[0] for mistake, _ in wrong]
    earlier = [asked[:i].count(question) for i, question in enumerate(asked)]
    return [wrong[i] for i in sorted(range(len(wrong)), key=earlier.__getitem__)[:6]]


def model_answers(cells):
    """Model answers, written ones included, by name of their question."""
    answered = [cell for cell in cells if SOLUTION.search(cell.source)]
    return {cell.question.name: solution_text(cell.source) for cell in answered}


@pytest.fixture(
    scope="session",
    params=[pytest.param(n, marks=pytest.mark.xdist_group(n)) for n in set_names()],
)
def graded(request, tmp_path_factory):
    """A set after grading: its cells, the released folder, and the points by student."""
    name, root = request.param, tmp_path_factory.mktemp("course")
    cells = read_set(name)
    folder = CourseFolder(root, name, "test")
    released = folder.release()
    handed_out = nbformat.read(released / folder.notebook, as_version=4)
    model = model_answers(cells)
    wrong = six_of(read_answers(name, "wrong.py"))
    answers = {
        "model": model,
        "empty": {},
        "second": model | dict(read_answers(name, "second.py")),
        **{f"wrong-{i}": model | {w[0].split(":")[0]: w[1]} for i, w in enumerate(wrong)},
    }
    points = {}
    for student, own in answers.items():
        submitted = root / f"{student}.ipynb"
        nbformat.write(fill_in(handed_out, own), submitted)
        folder.grade(student, submitted)
        points[student] = {g.question: g.points for g in folder.grades(student)}
    return SimpleNamespace(
        name=name, cells=cells, released=released, model=model, wrong=wrong, points=points
    )
