"""Put the notebooks into an archive that runs by itself, away from a clone and without data.

python tools/notebook_archive.py        writes book/notebooks.zip, which the site offers

Notebooks read the package, its experiments, the recorded results and a file of scores, and all four
are inside.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from course.tools.archives import write_archive  # noqa: E402

ARCHIVE = ROOT / "book" / "notebooks.zip"
FOLDER = "calibrating-binary-classifiers"
FILES = [
    *("pyproject.toml", "requirements.lock", "LICENSE", "CITATION.cff"),
    "notebooks/*.ipynb",
    *("calib/**/*.py", "calib/**/*.pyi", "calib/py.typed"),
    *(
        "calibkit/**/*.py",
        "calibkit/**/*.pyi",
        "calibkit/py.typed",
        "calibkit/report/page.css",
        "calibkit/report/page.html",
    ),
    *("experiments/**/*.py", "results/**/*"),
    "book/census_scores.csv",  # the example of two chapters
]
# Needed to install, view and run; the versions are those that made the stored outputs.
REQUIREMENTS = """\
--constraint requirements.lock
--editable .[plots,data]
myst-nb
jupyterlab
"""
README = """\
# Calibrating Binary Classifiers: the notebooks

The chapters of the book with their outputs, the package `calib` and the recorded results that they
read. They need Python 3.11 or newer and no data files. In this folder:

    python -m venv .venv
    .venv/bin/python -m pip install -r requirements.txt
    .venv/bin/python -m jupyterlab notebooks

On Windows write `.venv\\Scripts\\python` for `.venv/bin/python`. Most notebooks
take under a minute, the longest three.

Code is under the BSD 3-Clause license (LICENSE), text and figures under CC BY 4.0; CITATION.cff
says how to cite.
"""


def contents():
    """Path in the archive and bytes of every file."""
    yield "README.md", README.encode()
    yield "requirements.txt", REQUIREMENTS.encode()
    for pattern in FILES:
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file():
                yield path.relative_to(ROOT).as_posix(), path.read_bytes()


def write(path=ARCHIVE):
    """Write the archive."""
    write_archive(path, ((f"{FOLDER}/{name}", content) for name, content in contents()))


if __name__ == "__main__":
    write()
    print(f"The notebooks are in {ARCHIVE}")
