"""Where the statements of the book come from: the last line inside each fence says it.

The line has one of three forms, in italics: ``Source: WORK, PLACE.`` for what stands so in print,
``Changed from WORK, PLACE: HOW.`` and ``New here, as far as we know.``
"""

import json
import re
from collections import Counter
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
STATEMENT = re.compile(
    r"^(?P<fence>:{3,}|`{3,})\{prf:(?:theorem|proposition|lemma|corollary)\}[^\n]*\n"
    r"(?P<text>.*?)^(?P=fence)$",
    re.M | re.S,
)
LABEL = re.compile(r"^:label: (\S+)$", re.M)
WORK = r"\{cite:t\}`[a-z0-9]+`"
PLACE = r"(?:, [^:*]+)?"
FORMS = {
    "source": re.compile(rf"\*Source: {WORK}{PLACE}\.\*"),
    "changed": re.compile(rf"\*Changed from {WORK}(?: and {WORK})?{PLACE}: [^*]+\.\*"),
    "new": re.compile(
        r"\*New here, as far as we know(?:; a step of the proof of \{prf:ref\}`[\w-]+`)?\.\*"
    ),
}
LIKE_ONE = re.compile(r"^\s*\*(Source|Changed|New)\b", re.M)


def kind(text):
    """The kind of the text of a fence; None if it has no such line at its end, or two of them."""
    *_, last = text.rstrip("\n").split("\n")
    found = [name for name, form in FORMS.items() if form.fullmatch(last)]
    return found[0] if found and len(LIKE_ONE.findall(text)) == 1 else None


def statements(pages):
    """Label and text of the theorems, propositions, lemmas and corollaries in texts of pages."""
    for page in pages:
        for found in STATEMENT.finditer(page):
            label = LABEL.search(found["text"])
            yield label[1] if label else None, found["text"]


def chapters():
    """The text of each chapter."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def kinds():
    """The kind of each statement of the book, by label."""
    return {label: kind(text) for label, text in statements(chapters())}


def counts():
    """How many there are of each kind, and of all, for ``{{ statements_new }}`` in a page."""
    found = Counter(kinds().values())
    return {f"statements_{name}": str(found[name]) for name in FORMS} | {
        "statements_all": str(found.total())
    }
