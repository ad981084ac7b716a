"""Grade a folder of submissions: ``python -m course.tools.grade SUBMISSIONS --term 2026a``.

SUBMISSIONS/STUDENT/.../01_probabilities.ipynb      in a folder for each student, at any depth
SUBMISSIONS/marks.csv    student,set,question,points,comment: what was marked by hand, if anything

course/grades/points.csv          points of each student for each question; empty if to be marked
course/grades/totals.csv          their sums by set, and how many questions are to be marked
course/grades/problems.txt        notebooks that could not be run to their end, and why
course/grades/feedback/STUDENT/   the notebook with points, tests and comments, a page for each set

Submissions are programs. Run them where they can do no harm, for example in a container.
"""

import argparse
import csv
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from .grading import CourseFolder, GradingError
from .source import COURSE, questions, read_set, set_names

GRADES = COURSE / "grades"
MARKS = ["student", "set", "question", "points", "comment"]


def submissions(folder):
    """Notebooks by set and student."""
    found = {name: {} for name in set_names()}
    for student in sorted(path for path in folder.iterdir() if path.is_dir()):
        for notebook in sorted(student.rglob("*.ipynb")):
            if notebook.stem not in found:
                raise GradingError(
                    f"{notebook} is no problem set; a notebook keeps its name, such as "
                    f"{next(iter(found))}.ipynb"
                )
            if student.name in found[notebook.stem]:
                raise GradingError(f"{student} holds {notebook.name} twice; remove one")
            found[notebook.stem][student.name] = notebook
    return {name: notebooks for name, notebooks in found.items() if notebooks}


def read_marks(folder, found):
    """Marks by set and student, each a triple of question, points and comment."""
    path = folder / "marks.csv"
    marks = {name: {student: [] for student in students} for name, students in found.items()}
    if not path.exists():
        return marks
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != MARKS:
            raise GradingError(f"{path} should begin with the line {','.join(MARKS)}")
        for row in reader:
            student, name, question, points, comment = (row[key] for key in MARKS)
            if student not in marks.get(name, {}):
                raise GradingError(f"{path}: {student!r} has handed in no {name!r}")
            maximum = {q.name: q.points for q in questions(read_set(name))}
            if question not in maximum:
                raise GradingError(f"{path}: {name} has no question {question!r}")
            if not 0 <= float(points) <= maximum[question]:
                raise GradingError(
                    f"{path}: {points} points given to {student} for {question} of {name}; "
                    f"from 0 to {maximum[question]} are possible"
                )
            marks[name][student].append((question, float(points), comment))
    return marks


def grade_student(course, student, notebook, marks, feedback):
    """Grades of a student's notebook, and why it could not be run, if so; write feedback."""
    problems = []
    try:
        course.grade(student, notebook)
    except GradingError as error:
        problems.append(f"{notebook}\n{error}")
    for mark in marks:
        course.mark(student, *mark)
    if not problems:
        (feedback / student).mkdir(parents=True, exist_ok=True)
        shutil.copy(course.feedback(student) / f"{course.name}.html", feedback / student)
    return course.grades(student), problems


def grade_set(name, notebooks, marks, feedback, term):
    """Grades and problems of the notebooks of a set, by student, with what was marked by hand."""
    with tempfile.TemporaryDirectory() as root:
        course = CourseFolder(root, name, term)
        course.release()
        return [
            grade_student(course, student, notebook, marks[student], feedback)
            for student, notebook in notebooks.items()
        ]


def write_tables(grades, folder):
    """Write points.csv and totals.csv."""
    with (folder / "points.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["student", "set", "question", "points", "maximum"])
        for g in grades:
            points = "" if g.points is None else f"{g.points:g}"
            writer.writerow([g.student, g.set_name, g.question, points, f"{g.maximum:g}"])
    with (folder / "totals.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["student", "set", "points", "maximum", "to mark"])
        for student, name in sorted({(g.student, g.set_name) for g in grades}):
            own = [g for g in grades if (g.student, g.set_name) == (student, name)]
            given = [g.points for g in own if g.points is not None]
            maximum = sum(g.maximum for g in own)
            row = [student, name, f"{sum(given):g}", f"{maximum:g}", len(own) - len(given)]
            writer.writerow(row)


def grade(folder, term, output=GRADES):
    """Grade every submission, write tables and feedback, and return what could not be run."""
    found = submissions(folder)
    marks = read_marks(folder, found)
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    work = partial(grade_set, feedback=output / "feedback", term=term)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        by_set = pool.map(work, found, found.values(), (marks[name] for name in found))
        graded = [result for results in by_set for result in results]
    write_tables([grade for grades, _ in graded for grade in grades], output)
    problems = [problem for _, problems in graded for problem in problems]
    (output / "problems.txt").write_text("\n".join(problems), encoding="utf-8")
    return problems


def main():
    """Grade the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submissions", help="folder with a folder for each student")
    default = (COURSE / "term.txt").read_text().strip()
    parser.add_argument("--term", default=default, help="the term of the release")
    arguments = parser.parse_args()
    folder = Path(arguments.submissions)
    if not arguments.submissions or not folder.is_dir():
        parser.error(f"{arguments.submissions!r} is no folder; SUBMISSIONS=... names one")
    try:
        problems = grade(folder, arguments.term)
    except GradingError as error:
        parser.exit(1, f"{error}\n")
    print(f"Points and feedback are in {GRADES}.")
    if problems:
        print(f"Notebooks that could not be run: {len(problems)}; problems.txt tells why.")


if __name__ == "__main__":
    main()
