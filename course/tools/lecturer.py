"""The course for a lecturer without a clone: ``python -m course.tools.lecturer``.

Writes book/course.zip, which the site offers: the syllabus, the slides, two exams without answers,
the tasks of the projects, and the problem sets without solutions and hidden tests.
"""

import re
import sys
import tempfile
from pathlib import Path

from . import papers, slides
from .archives import files, write_archive
from .build import check_release
from .markdown import ROOT, close, new_document, render, with_outlines
from .page import document
from .release import write_release
from .self_study import REQUIREMENTS, package_members
from .source import COURSE, set_names

sys.path.append(str(ROOT / "book" / "_ext"))
from course_goals import lines  # noqa: E402

ARCHIVE = ROOT / "book" / "course.zip"
FOLDER = "calibration-course"
SYLLABUS = ["Ten weeks", "Fifteen weeks", "Goals", "Prerequisites"]  # sections of the page *Teach*
README = """\
# Calibrating Binary Classifiers: the course

* `syllabus.html`: ten or fifteen weeks, shorter courses, goals and prerequisites
* `slides/index.html`: fifteen lectures of 90 minutes with notes for the speaker, without a network
* `exams/`: a mid-term and a final of two hours each, without answers
* `students/projects/`: the tasks of six projects, with milestones and rubrics
* `students/sets/`: the problem sets, without solutions and hidden tests

Model answers, marking guides, examples of good projects and the grader need a clone of the book:
`make course TERM=2026a` writes them, and draws other numbers for each term. The numbers here are
drawn for the term "{term}".

Text and figures are under CC BY 4.0, code under the BSD 3-Clause license: take any part, change it,
and name the source.
"""
# pyproject.toml names a README: in this folder it is the README of the students.
FOR_STUDENTS = """\
# Calibrating Binary Classifiers: problem sets and projects

You need Python 3.11 or newer. In this folder:

    python -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    .venv/bin/python -m jupyterlab sets

On Windows write `.venv\\Scripts\\python` for `.venv/bin/python`. Write your student number into the
first code cell of a set, and your answers where it says "your code here" or "Your answer".
"""


def syllabus(page):
    """The sections of the page *Teach* that make a syllabus, as a page of its own."""
    sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    by_title = {section.partition("\n")[0].removeprefix("## "): section for section in sections}
    text = "# Syllabus\n\n" + "".join(by_title[title] for title in SYLLABUS)
    text = re.sub(r"^\([\w-]+\)=$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    fences = {"dropdown": _under_its_title, "course-goals": _goals}
    style = (COURSE / "slides" / "slides.css").read_text(encoding="utf-8")
    return with_outlines(document("Syllabus", render(text, new_document(fences)), style))


def _under_its_title(title, content, env):
    return f"<h3>{title}</h3>\n{render(content, env)}"


def _goals(argument, content, env):
    return render("\n".join(lines()), env)


def write_course(folder, term):
    """Write everything but the package into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "README.md").write_text(README.format(term=term))
    page = (ROOT / "book" / "teach.md").read_text(encoding="utf-8")
    (folder / "syllabus.html").write_text(syllabus(page), encoding="utf-8")
    slides.write(folder / "slides")
    for name in papers.EXAMS:
        text = papers.exam(name, term)
        papers.write(folder / "exams", f"{name}-{term}", papers.page(text, papers.WITHOUT))
    papers.write_tasks(folder / "students")
    for name in set_names():
        write_release(folder / "students" / "sets" / name, name, term)
    check_release(folder / "students" / "sets")
    (folder / "students" / "requirements.txt").write_text(REQUIREMENTS)
    (folder / "students" / "README.md").write_text(FOR_STUDENTS)


def members(term):
    """Name and bytes of every file of the archive."""
    with tempfile.TemporaryDirectory() as name:
        write_course(Path(name), term)
        yield from files(Path(name))
    yield from ((f"students/{name}", content) for name, content in package_members())


def write():
    """Write the archive."""
    term = (COURSE / "term.txt").read_text().strip()
    write_archive(ARCHIVE, ((f"{FOLDER}/{name}", content) for name, content in members(term)))


if __name__ == "__main__":
    write()
    close()
    print(f"The course is in {ARCHIVE}")
