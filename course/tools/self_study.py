"""The problem sets for learners alone: ``python -m course.tools.self_study``.

Writes book/self_study.zip, which the site offers: notebooks with hints and plain asserts, without
solutions and hidden tests, and the package.
"""

import nbformat

from .archives import write_archive
from .notebooks import self_study_notebook
from .source import COURSE, read_set, set_names, shipped_files

ROOT = COURSE.parent
ARCHIVE = ROOT / "book" / "self_study.zip"
FOLDER = "calibration-problem-sets"
PACKAGE = ["pyproject.toml", "requirements.lock", "LICENSE", "calib*/**/*.py", "calib*/**/*.pyi"]
# pyproject.toml names a README: in the archive it is this one.
README = """\
# Calibrating Binary Classifiers: problem sets for learning alone

Each set has 10 to 14 questions, about four hours of work. Answer where it says "your code here" and
run the asserts that follow: an answer that passes them is right on their example, and often in
general. Hints are folded. You need Python 3.11 or newer. In this folder:

    python -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    .venv/bin/python -m jupyterlab sets

On Windows write `.venv\\Scripts\\python` for `.venv/bin/python`.
"""
REQUIREMENTS = """\
--constraint requirements.lock
--editable .[plots]
jupyterlab
"""


def package_members():
    """Name and bytes of the files that install the package."""
    for pattern in PACKAGE:
        for path in sorted(ROOT.glob(pattern)):
            yield path.relative_to(ROOT).as_posix(), path.read_bytes()


def members():
    """Name and bytes of every file of the archive."""
    yield "README.md", README.encode()
    yield "requirements.txt", REQUIREMENTS.encode()
    yield from package_members()
    for name in set_names():
        notebook = nbformat.writes(self_study_notebook(read_set(name)))
        yield f"sets/{name}/{name}.ipynb", notebook.encode()
        yield f"sets/{name}/kit.py", (COURSE / "kit.py").read_bytes()
        yield f"sets/{name}/term.txt", b"alone\n"
        for path in shipped_files(name):
            yield f"sets/{name}/{path.name}", path.read_bytes()


def write():
    """Write the archive."""
    write_archive(ARCHIVE, ((f"{FOLDER}/{name}", content) for name, content in members()))


if __name__ == "__main__":
    write()
    print(f"The problem sets are in {ARCHIVE}")
