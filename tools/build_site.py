"""Build the site anew from the stored notebooks; any warning fails the build.

python tools/build_site.py FOLDER      writes FOLDER/_build/html
"""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import checksums
import distributions
import notebook_archive
from jupyter_book.cli.main import main as jupyter_book

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from course.tools import self_study  # noqa: E402


def build(folder):
    """Build into a clean folder: Sphinx does not repeat the warnings of pages it has cached."""
    shutil.rmtree(folder / "_build", ignore_errors=True)
    distributions.write()  # pages offer these, and the archives that follow
    notebook_archive.write()
    self_study.write()
    subprocess.run([sys.executable, "-m", "course.tools.lecturer"], cwd=ROOT, check=True)
    options = ["--nitpick", "--warningiserror", "--keep-going", "--quiet"]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        arguments = ["build", str(ROOT), "--path-output", str(folder), *options]
        jupyter_book(arguments, standalone_mode=False)  # else the process would end here
    checksums.offer(folder / "_build" / "html")


if __name__ == "__main__":
    print("Building the site ...", flush=True)
    build(Path(sys.argv[1]))
