"""Grade the answers that lie beside a problem set, in this process: quick, while one writes it.

python -m course.tools.check 01_probabilities     one set; without a name every set

What it promises is what course/tests ask of nbgrader: full marks for the model answers and for
the second ones, none without answers, and for each wrong answer exactly its question lost.
"""

import os
import sys
import traceback
from contextlib import redirect_stdout

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

ASIDES = ["text", "code", "free", "hint"]


def where(cell):
    """The question that a cell belongs to, for messages."""
    return cell.question.name if cell.question else "set-up"


def lost_questions(name, cells, answers=None, student="student"):
    """Error by name of each autograded question that is lost; every cell runs as in a notebook."""
    os.environ["COURSE_STUDENT"] = student
    os.chdir(SETS / name)
    namespace, lost = {"__name__": "__main__"}, {}
    for cell in cells:
        if cell.is_prose:
            continue
        source = cell.source
        if cell.kind == "answer" and answers is not None:
            source = answers.get(cell.question.name, source)
        try:
            with redirect_stdout(None):
                exec(compile(source, f"{name}: {where(cell)}", "exec"), namespace)
        except Exception:
            if cell.kind == "test":
                lost[cell.question.name] = traceback.format_exc(limit=-1)
            elif cell.kind != "answer":
                raise
    return lost


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
    for student in ["student", "another", "third"]:
        for question, error in lost_questions(name, cells, student=student).items():
            yield f"the model answer loses {question} for {student}:\n{error}"
        second = dict(read_answers(name, "second.py"))
        if set(second) != autograded:
            yield f"second.py should answer {autograded ^ set(second)}, and nothing else"
        for question, error in lost_questions(name, cells, second, student).items():
            yield f"the second answer loses {question} for {student}:\n{error}"
    kept = autograded - set(lost_questions(name, cells, stubs(cells)))
    if kept:
        yield f"without an answer nobody loses {kept}"
    wrong = read_answers(name, "wrong.py")
    if len(wrong) < 6:
        yield f"wrong.py has {len(wrong)} mistakes, not 6 or more"
    for head, code in wrong:
        question = head.split(":")[0]
        lost = lost_questions(name, cells, {question: code})
        if set(lost) != {question}:
            yield f"{head!r} loses {set(lost) or 'nothing'}\n{''.join(lost.values())}"


def main():
    """Check the sets that the command line names."""
    sys.path.insert(0, str(COURSE))
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
