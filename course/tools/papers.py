"""Exams and projects as pages to print: their numbers are computed, formulas are drawn.

python -m course.tools.papers FOLDER --term 2026a   for lecturers: exams, projects, all solutions
python -m course.tools.papers FOLDER --tasks        for students: the tasks of the projects only

Beside a text ``name.md`` lies ``name.py`` with a function ``numbers``; for a number of it the
text writes ``{{ key }}``. An exam has fences ``:::{solution} points`` and ``:::{rubric}``, which
the paper for students leaves out.
"""

import argparse
import hashlib
import re
import shutil
import sys
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path

import numpy as np

from .chapters import ROOT
from .markdown import close, new_document, render, with_outlines
from .page import document

COURSE = Path(__file__).resolve().parents[1]
EXAMS = ["midterm", "final"]
PROJECTS = sorted(path.parent.name for path in COURSE.glob("projects/*/task.md"))
NUMBER = re.compile(r"\{\{ (\w+) \}\}")


def generator(term, name):
    """Random generator of an exam in a term."""
    return np.random.default_rng(list(hashlib.sha256(f"{term}/{name}".encode()).digest()))


def filled(text, numbers):
    """The text with its numbers."""
    missing = set(NUMBER.findall(text)) - set(numbers)
    if missing:
        raise ValueError(f"no numbers with the names {sorted(missing)}")
    return NUMBER.sub(lambda found: str(numbers[found[1]]), text)


def boxed(kind):
    """A fence whose content stands in a box."""

    def write(argument, content, env):
        label = f"Solution, {points_in_words(argument)}" if kind == "solution" else "Marking"
        body = render(content, env)
        return f'<div class="{kind}"><p><strong>{label}</strong></p>\n{body}</div>\n'

    return write


def points_in_words(points):
    """1 point, 2 points."""
    return f"{points} point{'s' * (points != '1')}"


def only_points(argument, content, env):
    """What the paper shows in the place of a solution: its points."""
    return f'<p class="chapter">{points_in_words(argument)}</p>\n'


def nothing(argument, content, env):
    """A fence that is left out."""
    return ""


WITH_SOLUTIONS = {"solution": boxed("solution"), "rubric": boxed("rubric")}
WITHOUT = {"solution": only_points, "rubric": nothing}


def page(text, fences, code=""):
    """A whole page from its Markdown; code is shown at its end."""
    body = render(text, new_document(fences))
    if code:
        body += f"<h2>The code</h2>\n<pre><code>{escape(code)}</code></pre>\n"
    title = text.partition("\n")[0].strip("# ")
    style = (COURSE / "slides" / "slides.css").read_text(encoding="utf-8")
    return with_outlines(document(title, body, style))


def exam(name, term):
    """The text of an exam with the numbers of a term."""
    text = (COURSE / "exams" / f"{name}.md").read_text(encoding="utf-8")
    numbers = import_module(f"course.exams.{name}").numbers(generator(term, name))
    return filled(text, numbers)


def task(project):
    """The text of a project."""
    return (COURSE / "projects" / project / "task.md").read_text(encoding="utf-8")


@cache
def example(project):
    """The text of a project's example of good work, its numbers computed, and its code."""
    folder = COURSE / "projects" / project
    numbers = import_module(f"course.projects.{project}.example").numbers()
    text = filled((folder / "example.md").read_text(encoding="utf-8"), numbers)
    return text, (folder / "example.py").read_text(encoding="utf-8")


def write(folder, name, content):
    """Write a page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.html").write_text(content, encoding="utf-8")


def write_tasks(folder):
    """Write what students get: the tasks of the projects."""
    for project in PROJECTS:
        write(folder / "projects", project, page(task(project), WITHOUT))
    tables = folder / "projects" / "results" / "published"
    shutil.copytree(ROOT / "results" / "published", tables, dirs_exist_ok=True)


def write_all(folder, term):
    """Write what lecturers get."""
    for name in EXAMS:
        text = exam(name, term)
        write(folder / "exams", f"{name}-{term}", page(text, WITHOUT))
        write(folder / "exams", f"{name}-{term}-solutions", page(text, WITH_SOLUTIONS))
    write_tasks(folder)
    for project in PROJECTS:
        text, code = example(project)
        write(folder / "projects", f"{project}-example", page(text, WITHOUT, code))


def main(arguments):
    """Write the pages; a problem of a source is told in one line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    default = (COURSE / "term.txt").read_text().strip()
    parser.add_argument(
        "--term", default=default, help="seed of the numbers of the exams, any word"
    )
    parser.add_argument("--tasks", action="store_true", help="only what students may see")
    options = parser.parse_args(arguments)
    problem = None
    try:
        write_tasks(options.folder) if options.tasks else write_all(options.folder, options.term)
    except ValueError as error:
        problem = str(error)
    close()
    sys.exit(problem)


if __name__ == "__main__":
    main(sys.argv[1:])
