"""Write the folder of a problem set: for lecturers with its solutions, for students without."""

import shutil

import nbformat

from .notebooks import released_notebook, source_notebook
from .source import COURSE, read_set, shipped_files


def write_sources(folder, name, term):
    """Write the notebook with solutions, and what is shipped with it."""
    write_folder(folder, name, term, source_notebook(read_set(name)))


def write_release(folder, name, term):
    """Write what students get."""
    write_folder(folder, name, term, released_notebook(read_set(name)))


def write_folder(folder, name, term, notebook):
    """Write a notebook and what is shipped with it."""
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, folder / f"{name}.ipynb")
    shutil.copyfile(COURSE / "kit.py", folder / "kit.py")
    (folder / "term.txt").write_text(f"{term}\n")
    for path in shipped_files(name):
        shutil.copyfile(path, folder / path.name)
