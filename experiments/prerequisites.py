"""What each chapter asks for: the chapters named after *Before you start*, as a graph."""

import json
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import yaml

from experiments.chapter_numbers import number_of
from experiments.minutes import Minutes, of_cells

ROOT = Path(__file__).resolve().parents[1]
OPENING = "**Before you start"
NAMED = re.compile(r"\]\((\w+)\.ipynb|\{prf:ref\}`([\w-]+)`")
LABEL = re.compile(r"^:label: (\S+)$", re.M)

CORE = (  # ten chapters with all that they need, for a reader of two afternoons
    "01_what_calibration_is",
    "02_measuring_it",
    "03_mce_bound",
    "06_platt_and_isotonic",
    "08_bayesian_binning",
    "10_near_isotonic_path",
    "12_venn_predictors",
    "13_venn_abers",
    "15_auc_optimality",
    "18_partitioned_calibration",
)


class Chapter(NamedTuple):
    """A chapter: its number, title, part of the book, needs, minutes, and words of its text."""

    number: str
    title: str
    part: str
    needs: tuple
    minutes: Minutes
    words: int


def needs_of(opening):
    """Files of the chapters that the first line after *Before you start* names."""
    line = opening.partition(OPENING)[2].partition("\n")[0]
    return tuple(sorted({file or labels()[label] for file, label in NAMED.findall(line)}))


@cache
def labels():
    """The file that has each labelled statement."""
    return {
        label: path.stem
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
        for label in LABEL.findall("\n".join(_texts(_cells(path))))
    }


@cache
def chapters():
    """Each `Chapter` by its file without suffix, in the order of the table of contents."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    found = {}
    for part in toc["parts"]:
        for page in part["chapters"]:
            path = ROOT / f"{page['file']}.ipynb"
            if path.exists():
                found[path.stem] = _chapter(path, part["caption"])
    return found


def _cells(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def _texts(cells):
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]


def _chapter(path, part):
    cells = _cells(path)
    opening = "".join(cells[0]["source"])
    return Chapter(
        number=number_of(path.stem),
        title=re.search(r"^# (.*)$", opening, re.M)[1],
        part=part,
        needs=needs_of(opening),
        minutes=of_cells(cells),
        words=sum(len(text.split()) for text in _texts(cells)),
    )


def depths(needs):
    """How many chapters in a row come before each, at most; CycleError if they run in a circle."""
    found = {}
    for number in TopologicalSorter(needs).static_order():
        found[number] = 1 + max((found[n] for n in needs.get(number, ())), default=-1)
    return found
