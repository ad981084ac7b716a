"""Sentences of the book, drawn at random for the reading test.

python tools/reading_sample.py 2    the sentences of round 2, each with the text before it, as CSV

The pages are the pages of round 1 in results/reading_sentences.csv. Each chapter, front page and
API page gives as many sentences as the other pages of its kind, or all its sentences if there are
fewer. The number of the round is the seed. Markup stays as it is in the source. Headings, code,
displayed formulas and rows of tables without a sentence are left out.
"""

import csv
import inspect
import json
import re
import sys
from importlib import import_module
from pathlib import Path

import numpy as np

from experiments.reading import kind_of

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "results" / "reading_sentences.csv"
N_SENTENCES = {  # of a page, in each round
    2: {"chapter": 6, "front page": 5, "API page": 3},
    3: {"chapter": 4, "front page": 4, "API page": 2},
    4: {"chapter": 4, "front page": 4, "API page": 2},
}
MIN_WORDS = 4  # words of the shortest sentence
CONTEXT = 300  # characters before a sentence


def pages(record=RECORD):
    """Pages of round 1, in their order."""
    with record.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["round"] == "1"]
    return list(dict.fromkeys(row["page"] for row in rows))


def docstrings(name):
    """Docstrings of a class or function and of its public methods."""
    module, _, last = name.rpartition(".")
    thing = getattr(import_module(module), last)
    methods = vars(thing) if inspect.isclass(thing) else {}
    members = [member for method, member in methods.items() if not method.startswith("_")]
    return [inspect.getdoc(one) or "" for one in [thing, *filter(callable, members)]]


def source(page):
    """Text of a page in Markdown, or its docstrings."""
    match kind_of(page):
        case "API page":
            return "\n\n".join(docstrings(page.removeprefix("objects/")))
        case "chapter":
            cells = json.loads((ROOT / "notebooks" / f"{page}.ipynb").read_text("utf-8"))["cells"]
            texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
            return "\n\n".join(texts)
    return (ROOT / f"{page}.md").read_text(encoding="utf-8")


def paragraphs(text):
    """Paragraphs, items and rows of tables."""
    text = re.sub(r"(?s)\A---\n.*?\n---\n", "", text)
    text = re.sub(r"(?ms)^\s*(`{3,}|~{3,}).*?^\s*\1\s*$", "\n\n", text)
    text = re.sub(r"(?ms)^\s*\$\$.*?\$\$", " (formula) ", text)
    text = re.sub(r"(?m)^( *)\.\. math::\n(?:(?:\1 +.*)?\n|\1 +.*\Z)*", " (formula) ", text)
    text = re.sub(r"(?ms)^(?:References|See Also)\n-+\n.*?(?=^\S[^\n]*\n-{3,}$|\Z)", "\n", text)
    text = re.sub(r"(?ms)^ *>>> .*?(?=^\s*$|\Z)", "\n", text)
    text = re.sub(
        r"(?m)^\s*(?:#|:{3,}|:[\w-]+:|\([\w-]+\)=|%|<|\|[-: |]+\|\s*$|\.\. |-{3,}).*$", "\n", text
    )
    text = re.sub(r"(?m)^(?=\s*(?:[*-]|\d+\.|:|\|) )|^(?=\S.* : .*$)", "\n", text)
    return (re.sub(r"\s+", " ", block).strip() for block in re.split(r"\n\s*\n", text))


def sentences(page):
    """Pairs of a sentence of a page and the text before it in the paragraph, or in the last one."""
    before = ""
    for block in paragraphs(source(page)):
        for sentence in re.split(r"(?<=[.!?])[\"')*]*\s+(?=[\"'(\[*$`{]*[A-Z0-9$`{])", block):
            if len(re.findall(r"[A-Za-z]+", sentence)) >= MIN_WORDS:
                yield sentence, before[-CONTEXT:]
            before = f"{before} {sentence}"


def is_read(sentence):
    """Whether it is more than a formula, a link, or a row of a table without a sentence."""
    cells = sentence.startswith("|") and not re.search(r"\.(?: \||$)", sentence)
    link = re.fullmatch(r"(?:\{prf:ref\}`[^`]*`[;, ]*)+", sentence)
    return not (sentence.startswith("\\") or cells or link)


def sample(number):
    """Rows of a round: page, sentence, and the text before it."""
    generator = np.random.default_rng(number)
    for page in pages():
        found = list(sentences(page))
        size = min(N_SENTENCES[number][kind_of(page)], len(found))
        for index in sorted(generator.choice(len(found), size, replace=False)):
            if is_read(found[index][0]):
                yield page, *found[index]


if __name__ == "__main__":
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["page", "sentence", "before"])
    writer.writerows(sample(int(sys.argv[1])))
