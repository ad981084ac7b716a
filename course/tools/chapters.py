"""What the chapters hold: statements, formulas, figures and numbers, found by their labels."""

import json
import re
from base64 import b64decode
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from experiments.chapter_numbers import number_of

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
STATEMENT = re.compile(
    r"^(?P<fence>:{3,})\{prf:(?P<kind>\w+)\}(?P<title>[^\n]*)\n"
    r":label: (?P<label>\S+)\n(?P<text>.*?)"
    r"(?:\n\*(?:Source|Changed|New here)[^\n]*\n)?^(?P=fence)$",  # where it comes from
    re.M | re.S,
)
GLUED = "application/papermill.record/text/plain"
FORMULA = re.compile(r"^\$\$\n(?P<tex>(?:(?!^\$\$).)*?)\n\$\$ \((?P<label>[\w-]+)\)$", re.M | re.S)


@dataclass(frozen=True)
class Statement:
    """A definition, theorem, algorithm ...; its text is Markdown."""

    label: str
    kind: str
    title: str
    text: str
    chapter: str


@dataclass(frozen=True)
class Formula:
    """A displayed formula with a label."""

    label: str
    tex: str
    chapter: str


@dataclass(frozen=True)
class Figure:
    """A stored picture, as PNG, with its caption and its description in words."""

    label: str
    caption: str
    description: str
    png: bytes
    chapter: str


@dataclass(frozen=True)
class Number:
    """A number that a chapter computes for its text, as printed there."""

    label: str
    text: str
    chapter: str


def picture(cell):
    """The stored picture of a cell that has a figure."""
    (data,) = (o["data"]["image/png"] for o in cell["outputs"] if "image/png" in o.get("data", {}))
    return b64decode("".join(data))


def parts_of(cell, chapter):
    """Everything with a label in a cell of a notebook."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        for found in STATEMENT.finditer(source):
            yield Statement(
                found["label"], found["kind"], found["title"].strip(), found["text"], chapter
            )
        for found in FORMULA.finditer(source):
            yield Formula(found["label"], found["tex"], chapter)
        return
    for output in cell["outputs"]:
        name = output.get("metadata", {}).get("scrapbook", {}).get("name")
        if name and GLUED in output["data"]:
            yield Number(name, "".join(output["data"][GLUED]).strip("'"), chapter)
    if "figure" in cell["metadata"].get("mystnb", {}):
        shown = cell["metadata"]["mystnb"]
        name, caption = shown["figure"]["name"], shown["figure"]["caption"]
        yield Figure(name, caption, shown["image"]["alt"], picture(cell), chapter)


@cache
def labelled():
    """All of them, by label."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for part in parts_of(cell, number_of(path.stem)):
                if part.label in found:
                    raise ValueError(f"the label {part.label} occurs twice in the chapters")
                found[part.label] = part
    return found


def find(label, kind):
    """The part with this label; kind is the class that it must have."""
    part = labelled().get(label)
    if not isinstance(part, kind):
        raise ValueError(f"no {kind.__name__.lower()} of the chapters has the label {label!r}")
    return part
