"""Sentences that a table could contradict, and what guards each of them.

python tools/claims.py          rows for claims that tools/claims.csv does not have yet

A claim is a sentence with a typed number or a word of order, count or winner, in a front page or
in the summary of a chapter; formulas, code, links, references and names of chapters do not count.
It needs no guard of its own if it refers to a proof, or if it types no number and takes one from a
chapter (glue). Every other claim has a row in claims.csv, word for word, so that whoever changes
the sentence meets its guard:

assert NN: CODE     an assertion that holds CODE, in the notebook whose file begins with NN
test FILE: NAME     a test
proof LABEL         a theorem, proposition, lemma, corollary or remark
printed FILE        a number of a paper, in results/published
words REASON        no claim about a result: a definition, a name, a way to read the page
open                nothing yet
"""

import csv
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tools" / "claims.csv"
COLUMNS = ["place", "claim", "guard"]
PAGES = ["intro", "where_to_start", "which_method", "methods", "findings"]
SECTIONS = {"Summary", "What stands"}
ORDER = (
    "first second third last one two three four five six seven eight nine ten eleven twelve dozen "
    "half quarter most few fewer fewest none nobody never always every each all only best worst "
    "largest smallest least highest lowest more less better worse twice often rarely usually "
    "mostly nearly almost"
)
WORD = re.compile(rf"\b({'|'.join(ORDER.split())})\b", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\w^_])\d")
NO_CLAIM = re.compile(
    r"\$\$.*?\$\$|\$[^$]*\$|\{[a-z:]+\}`[^`]*`|\{\{[^}]*\}\}|`[^`]*`|\]\([^)]*\)"
    r"|\b(?:[Cc]hapter|Table|Figure|Theorem|[Ss]ection|[Ee]quation|Lemma|Part|Algorithm)s? "
    r"\(?[\dIVX]+(?:\.\d+|\([a-z]\)|\)|,? (?:and|to|or) [\dIVX]+)*",
    re.DOTALL,
)
GLUED = re.compile(r"\{glue[:a-z]*\}|\{\{")
PROVED = re.compile(r"\{prf:ref\}")


def sentences(text):
    """Sentences of running text, items and cells of tables: no code, headings or options."""
    text = re.sub(r"(?ms)^(`{3,}|~{3,}).*?^\1", "", text)
    for line in text.splitlines():
        if not re.match(r"\s*(#|:|\(|---|%|\|[-: |]+\|$)", line):
            line = re.sub(r"^\s*(?:[*-]|\d+\.)\s+", "", line)
            for sentence in re.split(r"(?<=[.!?])\s+|\s*\|\s*", line):
                if sentence.strip():
                    yield sentence.strip()


def is_claim(sentence):
    """Whether a sentence needs a guard of its own."""
    bare = NO_CLAIM.sub(" ", sentence)
    if PROVED.search(sentence):
        return False
    return bool(NUMBER.search(bare) or (WORD.search(bare) and not GLUED.search(sentence)))


def texts():
    """Place and text of what is looked at."""
    for name in PAGES:
        yield name, (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        words = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        for part in re.split(r"(?m)^## ", "\n".join(words)):
            if part.split("\n", 1)[0].strip() in SECTIONS:
                yield path.stem, part.split("\n", 1)[-1]


def claims():
    """Every claim that needs a guard: place and sentence."""
    return [
        (place, sentence)
        for place, text in texts()
        for sentence in sentences(text)
        if is_claim(sentence)
    ]


def guards():
    """Rows of the table: place, claim and guard."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        return [tuple(row[name] for name in COLUMNS) for row in csv.DictReader(file)]


def assertions(start):
    """The lines of code of a chapter that assert, each with what it goes on to."""
    (path,) = (ROOT / "notebooks").glob(f"{start}*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return " ".join(" ".join(part.split()) for part in re.findall(r"(?ms)^\s*assert.*?$", code))


def fault(guard):
    """What is wrong with a guard, or None."""
    kind, _, rest = guard.partition(" ")
    where, _, what = rest.partition(": ")
    if kind == "assert":
        return None if what and what in assertions(where) else "no such assertion"
    if kind == "test":
        path = ROOT / where
        found = path.is_file() and f"def {what}(" in path.read_text(encoding="utf-8")
        return None if found else "no such test"
    if kind == "proof":
        source = "".join(p.read_text(encoding="utf-8") for p in ROOT.glob("notebooks/*.ipynb"))
        return None if rest and f":label: {rest}\\n" in source else "no such statement"
    if kind == "printed":
        return None if (ROOT / "results" / "published" / rest).is_file() else "no such table"
    if kind == "words":
        return None if rest else "no reason"
    return None if guard == "open" else "no such kind of guard"


def main():
    """Print the rows that are missing, as the table has them."""
    known = {row[:2] for row in guards()}
    missing = [claim for claim in dict.fromkeys(claims()) if claim not in known]
    csv.writer(sys.stdout, lineterminator="\n").writerows([*claim, "open"] for claim in missing)


if __name__ == "__main__":
    main()
