"""The figures of the book's own chapters: each notebook is run up to the cell that draws one."""

import json
import os
import re
from pathlib import Path

from experiments.chapter_numbers import number_of
from experiments.contents import ChapterFigure, Paper

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
MINUTE = 60


def papers():
    """Each chapter that has figures, in the form of a paper: chapter08 and so on."""
    return [_chapter(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))]


def _chapter(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    described = [cell["metadata"].get("mystnb", {}).get("figure", {}) for cell in cells]
    figures = tuple(
        ChapterFigure(about["name"], _first_sentence(about["caption"]), path.stem, k)
        for k, about in enumerate(described)
        if "name" in about
    )
    number = number_of(path.stem)
    title = next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    title = re.search(r"^# (.*)$", title, re.M)[1]
    named = f"Chapter {number}, {title}" if number else title
    return Paper(name_of(path.stem), named, "", figures=figures)


def name_of(stem):
    """The name under which the figures of a chapter are made: chapter08, chapterC04."""
    return f"chapter{stem.split('_')[0]}" if number_of(stem) else stem


def _first_sentence(caption):
    """Without its full stop, and without the marks of emphasis and code."""
    sentence = re.split(r"(?<=[a-z0-9)])\. ", caption, maxsplit=1)[0]
    return re.sub(r"[*`]", "", sentence).rstrip(".")


def draw(figures, folder):
    """Run a notebook up to the last of these figures of its; each is saved as SVG and PDF.

    A figure is written as soon as it is drawn: an interrupted run leaves the earlier ones.
    """
    import nbformat
    from nbclient import NotebookClient

    path = NOTEBOOKS / f"{figures[0].chapter}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = notebook.cells[: max(figure.cell for figure in figures) + 1]
    for figure in figures:
        cell = notebook.cells[figure.cell]
        cell.source = _SAVING.format(paths=list(map(str, paths(figure, folder)))) + cell.source
    client = NotebookClient(
        notebook,
        timeout=10 * MINUTE,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
    )
    # as in the book: without the files of real data
    client.execute(env={k: v for k, v in os.environ.items() if k != "CALIB_DATA"})


def paths(figure, folder):
    """The files of a figure."""
    return [folder.resolve() / f"{figure.name}.{suffix}" for suffix in ("svg", "pdf")]


_SAVING = """
import matplotlib.pyplot

def _show(*args, _plain=matplotlib.pyplot.show, **options):
    for path in {paths}:
        matplotlib.pyplot.savefig(path, bbox_inches="tight")
    matplotlib.pyplot.show = _plain
    _plain(*args, **options)

matplotlib.pyplot.show = _show
"""
