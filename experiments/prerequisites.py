"""What each chapter asks for: the chapters named after *Before you start*, as a graph."""

import json
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import yaml

from experiments.minutes import Minutes, of_cells

ROOT = Path(__file__).resolve().parents[1]
OPENING = "**Before you start"
NAMED = re.compile(r"\]\((\d\d)_\w+\.ipynb|\{prf:ref\}`\w+-c(\d+)-")


class Chapter(NamedTuple):
    """A chapter: its file without suffix, title, part of the book, needs, and minutes."""

    file: str
    title: str
    part: str
    needs: tuple
    minutes: Minutes


def needs_of(opening):
    """Numbers of the chapters that the first line after *Before you start* names."""
    line = opening.partition(OPENING)[2].partition("\n")[0]
    return tuple(sorted({int(a or b) for a, b in NAMED.findall(line)}))


@cache
def chapters():
    """Each `Chapter` by its number, in the order of the table of contents."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    found = {}
    for part in toc["parts"]:
        for page in part["chapters"]:
            path = ROOT / f"{page['file']}.ipynb"
            if path.exists():
                found[int(path.stem[:2])] = _chapter(path, part["caption"])
    return found


def _chapter(path, part):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    opening = "".join(cells[0]["source"])
    title = re.search(r"^# (.*)$", opening, re.M)[1]
    return Chapter(path.stem, title, part, needs_of(opening), of_cells(cells))


def depths(needs):
    """How many chapters in a row come before each, at most; CycleError if they run in a circle."""
    found = {}
    for number in TopologicalSorter(needs).static_order():
        found[number] = 1 + max((found[n] for n in needs.get(number, ())), default=-1)
    return found
