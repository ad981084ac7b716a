"""Every set is handed out and graded once, by one worker; the tests read the grades."""

import re
from types import SimpleNamespace

import nbformat
import pytest

from course.tools.examine import prepare
from course.tools.grade import examined, grader_context
from course.tools.notebooks import fill_in
from course.tools.release import write_release
from course.tools.sandbox import kind_here
from course.tools.source import SOLUTION, read_answers, read_set, set_names
from course.tools.submissions import Submission
from course.tools.warm import compile_calibrators


def solution_text(source):
    """An answer cell without the marks of its solution."""
    return re.sub(r"^ *### (BEGIN|END) SOLUTION\n?", "", source, flags=re.M).rstrip("\n")


def model_answers(cells):
    """Model answers, written ones included, by name of their question."""
    answered = [cell for cell in cells if SOLUTION.search(cell.source)]
    return {cell.question.name: solution_text(cell.source) for cell in answered}


def one_of_each(wrong):
    """A wrong answer to each question together: questions stand alone."""
    return {head.split(":")[0]: code for head, code in reversed(wrong)}


class Graded:
    """A set that was handed out, and a grader for its notebooks."""

    def __init__(self, name, root):
        self.name, self.root, self.cells = name, root, read_set(name)
        self.released = root / "released" / name
        write_release(self.released, name, "test")
        self.handed_out = nbformat.read(self.released / f"{name}.ipynb", as_version=4)
        self.model = model_answers(self.cells)
        compile_calibrators()
        prepare(name, "test", root / "prepared")

    def grade(self, student, notebook):
        """Results by question, and problems."""
        path = self.root / f"{student}.ipynb"
        text = notebook if isinstance(notebook, str) else nbformat.writes(notebook)
        path.write_text(text, encoding="utf-8")
        submission = Submission(student, self.name, path)
        folder = self.root / "prepared"
        results, problems = examined(submission, folder, grader_context(), kind=kind_here())
        return {r["question"]: SimpleNamespace(**r) for r in results}, problems

    def points(self, student, answers):
        """Points by question of the released notebook with answers."""
        results, _ = self.grade(student, fill_in(self.handed_out, answers))
        return {name: result.points for name, result in results.items()}


@pytest.fixture(
    scope="session",
    params=[pytest.param(n, marks=pytest.mark.xdist_group(n)) for n in set_names()],
)
def graded(request, tmp_path_factory):
    """A set after grading: its cells, the released folder, and the points by student."""
    name = request.param
    own = Graded(name, tmp_path_factory.mktemp("course"))
    own.wrong = one_of_each(read_answers(name, "wrong.py"))
    answers = {
        "model": own.model,
        "empty": {},
        "second": own.model | dict(read_answers(name, "second.py")),
        "wrong": own.model | own.wrong,
    }
    own.given = {student: own.points(student, given) for student, given in answers.items()}
    return own
