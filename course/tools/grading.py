"""Hand out and grade problem sets with nbgrader, each set in a course folder of its own.

A folder for each set keeps their grade books apart, so that sets can be graded at the same time.
"""

import os
import shutil
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
import nbgrader.api
from alembic.script import ScriptDirectory
from nbformat.warnings import MissingIDFieldWarning
from nbgrader.api import Gradebook
from nbgrader.apps.api import NbGraderAPI
from nbgrader.dbutil import ALEMBIC_DIR
from sqlalchemy.exc import SAWarning
from traitlets.config import Config

from .notebooks import CODE_STUB, TEXT_STUB, source_notebook
from .source import COURSE, read_set, shipped_files

SECONDS_PER_CELL = 120
KERNEL_ARGUMENTS = ["--log-level=ERROR", "--HistoryManager.hist_file=:memory:"]

# nbgrader creates its rows in an order that SQLAlchemy mends; a lecturer need not know.
warnings.filterwarnings("ignore", category=SAWarning, module=r"nbgrader\.")
warnings.filterwarnings("ignore", category=MissingIDFieldWarning)  # of tests that it puts back

# nbgrader asks the console script alembic, which is only found in an activated environment.
nbgrader.api.get_alembic_version = ScriptDirectory(ALEMBIC_DIR).get_current_head


class GradingError(RuntimeError):
    """What nbgrader reports when it cannot go on."""


@dataclass(frozen=True)
class Grade:
    """Points of a student for a question; ``points`` is None while it waits for marking by hand."""

    student: str
    set_name: str
    question: str
    points: float | None
    maximum: float


class CourseFolder:
    """A folder in which nbgrader keeps one problem set: sources, releases, grades, feedback."""

    def __init__(self, root, name, term):
        self.root, self.name = Path(root).resolve(), name
        self.database = f"sqlite:///{self.root / 'gradebook.db'}"
        write_sources(self.root / "source" / name, name, term)
        config = Config()
        config.CourseDirectory.root = str(self.root)
        config.CourseDirectory.db_url = self.database
        config.ClearSolutions.code_stub = {"python": CODE_STUB}
        config.ClearSolutions.text_stub = TEXT_STUB
        config.Execute.timeout = SECONDS_PER_CELL
        config.Execute.extra_arguments = KERNEL_ARGUMENTS
        config.OverwriteCells.add_missing_cells = True
        config.Application.log_level = "ERROR"
        self.nbgrader = NbGraderAPI(config=config)

    @property
    def notebook(self):
        """File name of the notebook of the set."""
        return f"{self.name}.ipynb"

    def release(self):
        """Make the student version and return its folder."""
        self._run(self.nbgrader.generate_assignment, self.name)
        return self.root / "release" / self.name

    def grade(self, student, notebook):
        """Autograde a student's notebook."""
        submitted = self.root / "submitted" / student / self.name
        submitted.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(notebook, submitted / self.notebook)
        with environment(COURSE_STUDENT=student):
            self._run(self.nbgrader.autograde, self.name, student)

    def mark(self, student, question, points, comment=""):
        """Enter the points of a question that is marked by hand."""
        with Gradebook(self.database) as book:
            grade = book.find_grade(question, self.name, self.name, student)
            grade.manual_score, grade.needs_manual_grade = points, False
            book.find_comment(question, self.name, self.name, student).manual_comment = comment
            book.db.commit()

    def feedback(self, student):
        """Write a student's feedback and return its folder."""
        self._run(self.nbgrader.generate_feedback, self.name, student)
        return self.root / "feedback" / student / self.name

    def grades(self, student):
        """Grades of a student, in the order of the questions."""
        with Gradebook(self.database) as book:
            (notebook,) = book.find_submission(self.name, student).notebooks
            scores = {g.name: None if g.needs_manual_grade else g.score for g in notebook.grades}
            most = {g.name: g.max_score for g in notebook.grades}
        order = [cell.question.name for cell in read_set(self.name) if cell.kind == "question"]
        return [Grade(student, self.name, q, scores[q], most[q]) for q in order]

    def _run(self, command, *arguments):
        result = command(*arguments)
        if not result["success"]:
            raise GradingError("\n".join(filter(None, [result.get("log"), result.get("error")])))


def write_sources(folder, name, term):
    """Write the notebook with solutions, and what is shipped with it."""
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(source_notebook(read_set(name)), folder / f"{name}.ipynb")
    shutil.copyfile(COURSE / "kit.py", folder / "kit.py")
    (folder / "term.txt").write_text(f"{term}\n")
    for path in shipped_files(name):
        shutil.copyfile(path, folder / path.name)


@contextmanager
def environment(**variables):
    """Set variables of the environment, and take them back."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
