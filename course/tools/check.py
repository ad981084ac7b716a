"""Grade the answers that lie beside a problem set, in this process: quick, while one writes it.

python -m course.tools.check 01_probabilities     one set; without a name every set

Full marks for the model answers and for the second ones, also where they return lists for arrays,
none without answers; and each wrong answer loses points for every one of forty students.
"""

import os
import sys
from contextlib import redirect_stdout

import numpy as np

from .handed_in import defined_functions
from .notebooks import CODE_STUB, without_solutions
from .source import (
    COURSE,
    SETS,
    SUBJECTS,
    goals,
    questions,
    read_answers,
    read_set,
    set_names,
    written,
)
from .testing import no_empty_arrays, run_test

ASIDES = ["text", "code", "free", "hint"]
STUDENTS = [f"student {number}" for number in range(40)]  # whom wrong answers are tried on
FEW = 3  # of them, on whom right ones are


class Desk:
    """A set with the data of a student, where single answers are tested."""

    def __init__(self, name, cells, student):
        self.name, self.cells, self.student = name, cells, student
        self.names = {"__name__": "__main__"}
        self._run([cell.source for cell in cells if cell.kind in ["code", "free"]], self.names)

    def _run(self, sources, names):
        os.environ["COURSE_STUDENT"] = self.student
        os.chdir(SETS / self.name)
        with redirect_stdout(None):
            for source in sources:
                exec(source, names)

    def points(self, question, answer, change=None):
        """Points of an answer and what its test says; ``change`` is done to what it returns."""
        (test,) = (c for c in self.cells if c.kind == "test" and c.question.name == question)
        names = dict(self.names)
        self._run([answer], names)
        for function in defined_functions(model_answers(self.cells)[question]) if change else []:
            names[function] = changed(names[function], change)
        with redirect_stdout(None):
            return run_test(test.source, names, test.question.points)


def changed(function, change):
    """The function, with a change to what it returns."""
    return lambda *arguments, **named: change(function(*arguments, **named))


def as_lists(value):
    """The value with lists in the place of arrays."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [as_lists(part) for part in value] if isinstance(value, list | tuple) else value


def as_series(value):
    """The value with columns of pandas in the place of arrays, as the grader receives them."""
    import pandas

    if isinstance(value, np.ndarray) and value.ndim == 1:
        return np.asarray(pandas.Series(value, index=range(5, 5 + len(value))))
    return tuple(map(as_series, value)) if isinstance(value, tuple) else value


STYLES = {"": None, " in lists": as_lists, " in pandas": as_series}  # of right answers


def model_answers(cells):
    """The model answer to each question that a test grades."""
    return {cell.question.name: cell.source for cell in cells if cell.kind == "answer"}


def lost_by(desk, answers, change=None):
    """What the tests say to answers that do not get all points, by question."""
    most = {q.name: q.points for q in questions(desk.cells)}
    for question, answer in answers.items():
        points, said = desk.points(question, answer, change)
        if points != most[question]:
            yield question, said


def stubs(cells):
    """Answers of a student who hands in what was handed out."""
    answers = [cell for cell in cells if cell.kind == "answer"]
    return {c.question.name: without_solutions(c.source, CODE_STUB) for c in answers}


def problems_of(name):
    """What is wrong with a set, a line each."""
    cells = read_set(name)
    asked = questions(cells)
    autograded = {q.name for q in asked} - written(cells)
    if len({q.name for q in asked}) < len(asked):
        yield "two questions have one name"
    if sum(q.points for q in asked) != 40:
        yield f"the points add up to {sum(q.points for q in asked)}, not 40"
    if not 10 <= len(asked) <= 14:
        yield f"{len(asked)} questions, not 10 to 14"
    if set(SUBJECTS) - {q.subject for q in asked}:
        yield f"no question of the subject {set(SUBJECTS) - {q.subject for q in asked}}"
    if {q.goal for q in asked} != set(goals(cells)):
        yield f"goals {sorted(goals(cells))}, but questions for {sorted({q.goal for q in asked})}"
    for question in asked:
        kinds = [c.kind for c in cells if c.question == question and c.kind not in ASIDES]
        if kinds not in [["question", "answer", "test"], ["question", "written"]]:
            yield f"{question.name} should have an answer and a test, or a written answer"
    second = dict(read_answers(name, "second.py"))
    if set(second) != autograded:
        yield f"second.py should answer {autograded ^ set(second)}, and nothing else"
    desks = [Desk(name, cells, student) for student in STUDENTS]
    right = {"the model answer": model_answers(cells), "the second answer": second}
    for kind, answers in right.items():
        for how, change in STYLES.items():
            for desk in desks[:FEW]:
                for question, said in lost_by(desk, answers, change):
                    yield f"{kind}{how} loses {question} for {desk.student}:\n{said}"
    kept = autograded - {question for question, _ in lost_by(desks[0], stubs(cells))}
    if kept:
        yield f"without an answer nobody loses {kept}"
    wrong = read_answers(name, "wrong.py")
    if len(wrong) < 6:
        yield f"wrong.py has {len(wrong)} mistakes, not 6 or more"
    most = {q.name: q.points for q in asked}
    for head, answer in wrong:
        question = head.split(":")[0]
        kept = [d.student for d in desks if d.points(question, answer)[0] == most[question]]
        if kept:
            yield f"{head!r} keeps its points for {len(kept)} of {len(desks)} students"


def main():
    """Check the sets that the command line names."""
    sys.path.insert(0, str(COURSE))
    no_empty_arrays()
    found = False
    for name in sys.argv[1:] or set_names():
        problems = list(problems_of(name))
        print(f"{name}: {'as it should be' if not problems else ''}")
        for problem in problems:
            print(f"  {problem}")
        found |= bool(problems)
    sys.exit(found)


if __name__ == "__main__":
    main()
