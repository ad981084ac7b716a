"""Grade one notebook: the student's code in its process, the tests in this one.

The process that calls ``examine`` should be one of its own: it runs tests on whatever a student's
code returns, for which it gives up memory beyond a limit.
"""

import os
import re
import resource
import shutil
import signal
import sys
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from .handed_in import NoNotebook, defined_functions, read_notebook, steps
from .source import COURSE, HIDDEN, read_set, shipped_files
from .student import SECONDS, Student
from .testing import TooLong, at_most, no_empty_arrays, run_test

ROOT = COURSE.parent
LARGEST = 400 * 2**20  # bytes of a notebook, outputs included
LONGEST = 20_000  # characters of an answer, and of what it printed, that are kept
MEMORY = 6 * 2**30  # bytes of addresses, for tests
MISSING = re.compile(r"No module named '([\w.]+)'")
CONSTANT = re.compile(re.escape(sys.prefix) + "|" + re.escape(str(ROOT)))


@dataclass
class Result:
    """A student's result in a question; ``points`` is None while a person has to mark it."""

    question: str
    points: float | None
    maximum: int
    said: str = ""  # by the test
    answer: str = ""
    printed: str = ""


def prepare(name, term, folder):
    """Write what a student's process gets: what was released, and calib with its compiled code."""
    folder.mkdir(parents=True)
    for path in [COURSE / "kit.py", COURSE / "tools" / "values.py", *shipped_files(name)]:
        shutil.copy(path, folder)
    (folder / "term.txt").write_text(f"{term}\n")
    leave_out = shutil.ignore_patterns("tests", "experiments")
    for package in ["calib", "calibkit"]:
        shutil.copytree(ROOT / package, folder / package, ignore=leave_out)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def trusted_namespace(folder, student):
    """Names that the tests start from; kit is the one of the set's folder."""
    os.chdir(folder)
    os.environ["COURSE_STUDENT"] = student
    sys.modules.pop("kit", None)
    sys.path.insert(0, str(COURSE))
    import kit

    kit.TERM = (folder / "term.txt").read_text().strip()
    return {"__name__": "__main__", "STUDENT": student, "kit": kit}


class Examination:
    """The examination of one notebook."""

    def __init__(self, name, folder, student, seconds, kind):
        self.cells = read_set(name)
        self.folder, self.student = folder, student
        self.names = trusted_namespace(folder, student)
        self.seconds, self.kind = seconds, kind
        self.problems, self.results, self.outputs = [], {}, {}

    def run(self, handed_in):
        """Run and test everything; results by question, in the order of the set."""
        no_empty_arrays()
        with Student(self.folder, self.student, self.seconds, self.kind) as student:
            student.run(f"STUDENT = {self.student!r}")
            for step in steps(self.cells, handed_in):
                getattr(self, f"_{step.kind}")(student, step)
        return list(self.results.values())

    def _locked(self, student, step):
        with redirect_stdout(None):
            exec(step.sources[0], self.names)
        self._own(student, step)

    def _own(self, student, step):
        for source in step.sources:
            printed, error = student.run(source)
            for module in MISSING.findall(error or ""):
                self.problems.append(f"the module {module} is missing where grading runs")
            if step.question:
                self._note(step.question.name, printed)

    def _answer(self, student, step):
        name = step.question.name
        self.results[name] = Result(name, 0, step.question.points, answer="\n\n".join(step.sources))
        self._own(student, step)

    def _written(self, student, step):
        name, answer = step.question.name, "\n\n".join(step.sources)
        points = None if answer else 0
        said = "" if answer else "not answered"
        self.results[name] = Result(name, points, step.question.points, said, answer)

    def _test(self, student, step):
        result = self.results[step.question.name]
        shown, whole = step.sources
        printed, _ = student.run(shown)
        self._note(result.question, printed)
        (model,) = (
            cell.source
            for cell in self.cells
            if cell.kind == "answer" and cell.question == step.question
        )
        functions = {name: student.function(name) for name in defined_functions(model)}
        secret = sha256("".join(HIDDEN.findall(whole)).encode()).hexdigest()
        os.environ["COURSE_STUDENT"] = f"{self.student}/{secret}"  # nobody knows the hidden data
        student.allow()
        try:
            with at_most(2 * self.seconds), redirect_stdout(None):
                points, said = run_test(whole, self.names | functions, result.maximum)
        except (TooLong, MemoryError) as error:
            points, said = 0, f"the test needs too much time or memory: {error}"
        os.environ["COURSE_STUDENT"] = self.student
        for module in MISSING.findall(said):
            self.problems.append(f"the module {module} is missing where grading runs")
        result.points, result.said = points, CONSTANT.sub("...", said)

    def _note(self, question, printed):
        result = self.results.get(question)
        if result and printed:
            result.printed = result.printed + CONSTANT.sub("...", printed)


def kept(value):
    """Text without what no file can hold, and no longer than people read; numbers as they are."""
    if not isinstance(value, str):
        return value
    end = "\n[the rest is left out]" if len(value) > LONGEST else ""
    return value[:LONGEST].encode("utf-8", "replace").decode() + end


def examine(path, name, folder, student, seconds=SECONDS, kind=None):
    """Results and problems of a notebook, as plain values; ``folder`` is one that was prepared."""
    if path.stat().st_size > LARGEST:
        return {"results": [], "problems": [f"a file of {path.stat().st_size // 2**20} MB"]}
    try:
        handed_in = read_notebook(path.read_bytes())
    except NoNotebook as error:
        return {"results": [], "problems": [str(error)]}
    examination = Examination(name, folder, student, seconds, kind)
    results = examination.run(handed_in)
    problems = list(dict.fromkeys(examination.problems))
    shown = [{key: kept(value) for key, value in asdict(result).items()} for result in results]
    return {"results": shown, "problems": problems}


def alone(connection, path, name, folder, *others):
    """Examine in a process of its own, and send what was found."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # the student's process ends first
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    connection.send(examine(Path(path), name, Path(folder), *others))
