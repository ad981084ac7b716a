"""Grade a folder of submissions: ``python -m course.tools.grade SUBMISSIONS --term 2026a``.

SUBMISSIONS              a folder for each student, or what Moodle or Canvas export (submissions.py)
SUBMISSIONS/marks.csv    student,set,question,points,comment: what was marked by hand, if anything

course/grades/points.csv          points of each student for each question; empty if to be marked
course/grades/totals.csv          their sums by set, and how many questions are to be marked
course/grades/problems.txt        what could not be graded, or not to its end, and why
course/grades/feedback/STUDENT/   a page for each set
course/grades/moodle, canvas      the sums as these platforms read them, if they were the source
course/grades/results.json        all of it before marks, for the marking desk (desk.py)

Submissions are programs. Each one runs in a process of its own, in a sandbox where there is one
(sandbox.py); points are written here only. The last grades stay until the new ones are complete.
"""

import argparse
import csv
import json
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

from . import feedback, platforms
from .examine import alone, prepare
from .marks import MarksError, read_marks
from .sandbox import WARNING, kind_here
from .source import COURSE, questions, read_set
from .student import QUESTIONS, SECONDS
from .submissions import Submission, find
from .warm import compile_calibrators

GRADES = COURSE / "grades"
GRACE = 60  # seconds for a process to end


def nothing(name):
    """Results of a notebook that could not be graded: a person has to look at it."""
    return [
        {"question": q.name, "points": None, "maximum": q.points}
        | {"said": "", "answer": "", "printed": ""}
        for q in questions(read_set(name))
    ]


def checked(name, results):
    """Results, if they are those of the set and no points are above the maximum."""
    most = {q.name: q.points for q in questions(read_set(name))}
    found = {r["question"]: r["points"] for r in results}
    if set(found) != set(most):
        raise ValueError("results of other questions")
    if not all(points is None or 0 <= points <= most[q] for q, points in found.items()):
        raise ValueError("points that are not possible")
    return results


def examined(submission, folder, context, seconds=SECONDS, kind=None):
    """Results and problems of a submission, whatever it does: a process of its own examines it."""
    ours, theirs = context.Pipe(duplex=False)
    paths = (str(submission.path), submission.set_name, str(folder), submission.student)
    process = context.Process(target=alone, args=(theirs, *paths, seconds, kind))
    process.start()
    theirs.close()
    where = f"{submission.student}, {submission.set_name}"
    try:
        most = 2 * QUESTIONS * seconds  # once for the student's code, once for the tests
        if not ours.poll(most):
            raise TimeoutError(f"not done after {most} seconds")
        found = ours.recv()
        results = checked(submission.set_name, found["results"]) if found["results"] else None
        problems = found["problems"]
    except (EOFError, OSError, ValueError, TypeError, KeyError) as error:
        results, problems = None, [f"could not be graded ({error or 'its process has ended'})"]
    finally:
        process.terminate()
        process.join(GRACE)
        process.kill()
        ours.close()
    return results or nothing(submission.set_name), [f"{where}: {p}" for p in problems]


def grader_context():
    """Where examinations start: copies of a process that has imported what tests use."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["course.tools.examine", "course.tools.warm"])
    return context


def grade_all(submissions, root, term, seconds=SECONDS, kind=None):
    """Results by submission, and problems; the sets are prepared below the folder ``root``."""
    context = grader_context()
    kind = kind or kind_here()
    compile_calibrators()
    folders = {name: root / name for name in {s.set_name for s in submissions}}
    for name, folder in folders.items():
        prepare(name, term, folder)

    def work(submission):
        return examined(submission, folders[submission.set_name], context, seconds, kind)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(work, submissions))
    graded = {s: results for s, (results, _) in zip(submissions, done, strict=True)}
    return graded, [problem for _, problems in done for problem in problems]


def with_marks(graded, marks):
    """The results, with points and comments that were given by hand over those of tests."""

    def marked(submission, result):
        key = (submission.student, submission.set_name, result["question"])
        points, comment = marks.get(key, (None, ""))
        points = result["points"] if points is None else points
        return result | {"points": points, "comment": comment}

    return {s: [marked(s, result) for result in results] for s, results in graded.items()}


def unknown(marks, graded):
    """Problems with marks for what nobody has handed in."""
    handed_in = {(s.student, s.set_name) for s in graded}
    missing = {key[:2] for key in marks} - handed_in
    return [f"marks.csv: {student!r} has handed in no {name!r}" for student, name in missing]


def write_table(path, head, rows):
    """Write a table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def write_tables(graded, folder):
    """Write points.csv and totals.csv."""
    points, totals = [], []
    for s, results in sorted(graded.items(), key=lambda p: (p[0].student, p[0].set_name)):
        given = [r["points"] for r in results if r["points"] is not None]
        for r in results:
            shown = "" if r["points"] is None else f"{r['points']:g}"
            points.append([s.student, s.set_name, r["question"], shown, r["maximum"]])
        most = sum(r["maximum"] for r in results)
        waiting = len(results) - len(given)
        totals.append([s.student, s.set_name, f"{sum(given):g}", most, waiting])
    write_table(folder / "points.csv", ["student", "set", "question", "points", "maximum"], points)
    write_table(folder / "totals.csv", ["student", "set", "points", "maximum", "to mark"], totals)


def write_results(graded, problems, path):
    """Write what was found before marks, for the marking desk."""
    stored = [
        {"student": s.student, "set": s.set_name, "platform": s.platform}
        | {"number": s.number, "prefix": s.prefix, "results": results}
        for s, results in graded.items()
    ]
    path.write_text(json.dumps({"problems": problems, "graded": stored}, indent=1))


def read_results(path):
    """What write_results has written: results by submission, and problems."""
    found = json.loads(path.read_text())
    graded = {
        Submission(g["student"], g["set"], None, g["platform"], g["number"], g["prefix"]): g[
            "results"
        ]
        for g in found["graded"]
    }
    return graded, found["problems"]


def write_all(graded, marks, problems, folder):
    """Write what the grading has found into an empty folder, and return all problems."""
    write_results(graded, problems, folder / "results.json")
    problems = problems + unknown(marks, graded)
    graded = with_marks(graded, marks)
    write_tables(graded, folder)
    for submission, results in graded.items():
        own = folder / "feedback" / submission.student
        own.mkdir(parents=True, exist_ok=True)
        text = feedback.page(submission.set_name, submission.student, results)
        (own / f"{submission.set_name}.html").write_text(text, encoding="utf-8")
    platforms.write(graded, folder)
    (folder / "problems.txt").write_text("".join(f"{p}\n" for p in problems), encoding="utf-8")
    return problems


def swap(new, output):
    """Put the new grades in the place of the last ones."""
    old = output.with_name(f"{output.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if output.exists():
        output.rename(old)
    new.rename(output)
    shutil.rmtree(old, ignore_errors=True)


@contextmanager
def new_grades(output):
    """A folder that takes the place of the last grades when it is complete."""
    output.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=output.parent, prefix=f"{output.name}.new-"))
    try:
        yield new
        new.chmod(0o755)
        swap(new, output)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def grade_below(folder, work, *options):
    """Results by submission and problems of what is in a folder; ``work`` is an empty one."""
    work.chmod(0o711)  # a student's process may go through to its own set
    for name in ["sets", "unpacked"]:
        (work / name).mkdir(mode=0o711 if name == "sets" else 0o700)
    submissions, problems = find(folder, work / "unpacked")
    graded, more = grade_all(submissions, work / "sets", *options)
    return graded, problems + more


def grade(folder, term, output=GRADES, seconds=SECONDS, kind=None):
    """Grade every submission, write tables and feedback, and return what was not as it should."""
    marks = read_marks(folder / "marks.csv")
    with new_grades(output) as new:
        with tempfile.TemporaryDirectory(prefix="course-") as work:
            graded, problems = grade_below(folder, Path(work), term, seconds, kind)
        return write_all(graded, marks, problems, new)


def merge(marks, output=GRADES):
    """Write the last grades anew with these marks; nothing is run."""
    graded, problems = read_results(output / "results.json")
    with new_grades(output) as new:
        return write_all(graded, marks, problems, new)


def main():
    """Grade the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submissions", help="folder of what students have handed in")
    default = (COURSE / "term.txt").read_text().strip()
    parser.add_argument("--term", default=default, help="the term of the release")
    parser.add_argument("--output", type=Path, default=GRADES, help="where the grades are written")
    arguments = parser.parse_args()
    folder = Path(arguments.submissions)
    if not arguments.submissions or not folder.is_dir():
        parser.error(f"{arguments.submissions!r} is no folder; SUBMISSIONS=... names one")
    if kind_here() == "same user":
        print(WARNING, file=sys.stderr)
    try:
        problems = grade(folder, arguments.term, arguments.output)
    except MarksError as error:
        parser.exit(1, f"{error}\n")
    print(f"Points and feedback are in {arguments.output}.")
    if problems:
        print(f"Not everything was as it should be: {len(problems)} lines in problems.txt.")


if __name__ == "__main__":
    main()
