"""Write what lecturers and students get: ``python -m course.tools.build --term 2026a``.

course/release/               the student versions, without solutions and hidden tests

With --archives, of the release as it is, slides and projects included:

course/archives/students      the release as one archive
course/archives/cartridge     the same for Moodle (IMS Common Cartridge 1.1)
course/archives/canvas        the same for Canvas (1.3), with an assignment for each set
course/archives/calendar      with --start 2026-10-05, the first Monday: the last day of each set
course/archives/instructor    the sources with solutions, as a course of nbgrader
course/archives/data          the data that the sets draw, as text files for other software
"""

import argparse
import io
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stdout
from datetime import date
from pathlib import Path

import nbformat
import numpy as np

from .archives import archive_bytes, files, rewrite_archive, write_archive
from .cartridge import assignment, calendar, last_day, manifest
from .release import write_release, write_sources
from .source import COURSE, questions, read_set, secret_lines, set_names, title

ROOT = COURSE.parent
NAME = "Calibrating Binary Classifiers"
README = """\
# Calibrating Binary Classifiers: problem sets

A folder holds one problem set: a notebook and `kit.py`, which draws its data. You need Python 3.11
or newer. In this folder:

    python -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    .venv/bin/python -m jupyterlab

On Windows write `.venv\\Scripts\\python` for `.venv/bin/python`.

Write your student number into the first code cell of a set, and your answers where it says "your
code here" or "Your answer". "Run All" stops at the first question that is not answered yet: run the
cells of a question one by one. Hand in the notebook under its own name.
"""
CONFIG = """\
c = get_config()
c.CourseDirectory.root = "."
"""


def write_wheel(folder):
    """Build calib from a copy, so that nothing is left in the clone, and return the file's name."""
    with tempfile.TemporaryDirectory() as copy:
        for package in ["calib", "calibkit"]:
            shutil.copytree(ROOT / package, Path(copy, package))
        for file in ["pyproject.toml", "README.md", "LICENSE"]:
            shutil.copy(ROOT / file, copy)
        options = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
        command = [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, copy]
        subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    rewrite_archive(wheel)
    return wheel.name


def write_set_up(folder):
    """Write what students install, and how."""
    (folder / "README.md").write_text(README)
    shutil.copyfile(COURSE / "requirements-course.lock", folder / "constraints.txt")
    wheel = write_wheel(folder)
    lines = ["--constraint constraints.txt", f"./{wheel}[plots]", "jupyterlab"]
    (folder / "requirements.txt").write_text("\n".join(lines) + "\n")


def check_release(folder):
    """Stop if a notebook below the folder holds a line of a solution or of a hidden test."""
    for path in sorted(folder.rglob("*.ipynb")):
        lines = [
            line.strip()
            for cell in nbformat.read(path, as_version=4).cells
            for line in cell.source.splitlines()
        ]
        leaked = secret_lines(read_set(path.stem)).intersection(lines)
        if leaked:
            raise SystemExit(f"{path} holds lines of solutions or hidden tests: {leaked}")


def drawn_data(folder):
    """Names and values of the arrays that a set draws for the student nobody."""
    (notebook,) = folder.glob("*.ipynb")
    cells = nbformat.read(notebook, as_version=4).cells
    drawn = [cell for cell in cells if cell.cell_type == "code" and not is_graded(cell)]
    namespace, here = {}, Path.cwd()
    sys.path.insert(0, str(folder))
    os.chdir(folder)
    try:
        with redirect_stdout(io.StringIO()):
            for cell in drawn:
                exec(cell.source, namespace)
    finally:
        os.chdir(here)
        sys.path.remove(str(folder))
        sys.modules.pop("kit", None)
    arrays = {n: v for n, v in namespace.items() if isinstance(v, np.ndarray)}
    return {n: v for n, v in arrays.items() if v.ndim in [1, 2] and not n.startswith("_")}


def is_graded(cell):
    """Whether a cell of a released notebook is an answer or a test."""
    metadata = cell.metadata.get("nbgrader", {})
    return metadata.get("grade", False) or metadata.get("solution", False)


def handed_in_by(start):
    """The last day of each set, by its name; none without the day on which the course begins."""
    return {name: last_day(start, int(name[:2])) for name in set_names()} if start else {}


def cartridge_members(folder, term, assignments=None):
    """Members of a cartridge: archives of set-up, sets, slides and projects, and the contents.

    ``assignments`` are files by the name of their set.
    """
    top = [(path.name, path.read_bytes()) for path in sorted(folder.iterdir()) if path.is_file()]
    archives, tasks = {"Set-up": ("set-up.zip", archive_bytes(top))}, {}
    for name in set_names():
        members = files(folder / name, f"{name}/")
        most = sum(question.points for question in questions(read_set(name)))
        module = f"{title(read_set(name))} ({most} points)"
        archives[module] = (f"{name}.zip", archive_bytes(members))
        if assignments:
            tasks[module] = (f"{name}.xml", assignments[name].encode())
    for name in ["slides", "projects"]:
        if (folder / name).is_dir():
            members = files(folder / name, f"{name}/")
            archives[name.capitalize()] = (f"{name}.zip", archive_bytes(members))
    modules = {
        module: [members[module][0] for members in (archives, tasks) if module in members]
        for module in archives
    }
    yield "imsmanifest.xml", manifest(f"calibration-{term}", NAME, modules).encode()
    yield from archives.values()
    yield from tasks.values()


def instructor_members(term):
    """Members of the instructor's archive."""
    yield "nbgrader_config.py", CONFIG.encode()
    yield "README.md", (COURSE / "README.md").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        for name in set_names():
            write_sources(Path(folder, name), name, term)
        yield from files(Path(folder), "source/")


def data_members(folder):
    """Members of the data pack: one text file for each array, and files that are shipped."""
    for name in set_names():
        for array, values in drawn_data(folder / name).items():
            text = io.StringIO()
            numbers = np.issubdtype(values.dtype, np.number) or values.dtype == bool
            np.savetxt(text, values, fmt="%.17g" if numbers else "%s", delimiter=",")
            yield f"{name}/{array}.csv", text.getvalue().encode()
        for file, content in files(folder / name, f"{name}/"):
            if not file.endswith(".ipynb"):
                yield file, content


def build(term, output=COURSE):
    """Write the folder release of a term."""
    handed_out = output / "release"
    shutil.rmtree(handed_out, ignore_errors=True)
    for name in set_names():
        write_release(handed_out / name, name, term)
    check_release(handed_out)
    write_set_up(handed_out)


def pack(term, output=COURSE, start=None):
    """Write the archives of a term from its release; other terms keep theirs."""
    titles, days = {name: title(read_set(name)) for name in set_names()}, handed_in_by(start)
    points = {name: sum(q.points for q in questions(read_set(name))) for name in titles}
    assignments = {n: assignment(n, titles[n], points[n], days.get(n)) for n in titles}
    handed_out, archives = output / "release", output / "archives"
    archives.mkdir(exist_ok=True)
    write_archive(archives / f"students-{term}.zip", files(handed_out, f"calibration-{term}/"))
    write_archive(archives / f"cartridge-{term}.zip", cartridge_members(handed_out, term))
    canvas = cartridge_members(handed_out, term, assignments)
    write_archive(archives / f"canvas-{term}.zip", canvas)
    if days:
        text = calendar({titles[name]: day for name, day in days.items()})
        (archives / f"calendar-{term}.ics").write_bytes(text.encode())
    write_archive(archives / f"instructor-{term}.zip", instructor_members(term))
    write_archive(archives / f"data-{term}.zip", data_members(handed_out))


def main():
    """Build the term that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = (COURSE / "term.txt").read_text().strip()
    parser.add_argument("--term", default=default, help="seed of all numbers, any word")
    parser.add_argument("--archives", action="store_true", help="pack what lies in the release")
    parser.add_argument("--start", type=date.fromisoformat, help="first day of week 1: dates")
    arguments = parser.parse_args()
    term = arguments.term
    if not term.replace("-", "").isalnum():
        parser.error(f"a term is made of letters, digits and '-', such as 2026a, not {term!r}")
    if arguments.archives:
        pack(term, start=arguments.start)
        print(f"Archives are in {COURSE / 'archives'}.")
    else:
        build(term)
        print(f"Student versions are in {COURSE / 'release'}.")


if __name__ == "__main__":
    main()
