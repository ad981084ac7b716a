"""Our numbers on prose pages come from the recorded results and from the chapters."""

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "book" / "_ext"))

import recorded_numbers  # noqa: E402
import statement_sources  # noqa: E402

PAGES = {
    path.name: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "book").glob("*.md"))
    if path.name not in ("run_teach_reproduce.md", "troubleshooting.md")  # Jinja of their own
}
USED = {name for text in PAGES.values() for name in re.findall(r"\{\{ (\w+) \}\}", text)}


def test_pages_name_numbers_that_there_are():
    found = recorded_numbers.numbers() | statement_sources.counts()
    assert USED and found.keys() >= USED - {"authors", "year", "version", "repository"}


def test_a_glued_number_is_what_its_chapter_prints():
    """The chapter prints the line itself; the page has its count."""
    notebook = (ROOT / "notebooks" / "23_many_data_sets.ipynb").read_text(encoding="utf-8")
    agree, never = re.search(r"(\d+) of 30 verdicts agree; .* agrees with (\d+)", notebook).groups()
    glued = dict(recorded_numbers.glued())
    assert (glued["c15_same"], glued["c15_never"]) == (agree, never)


@pytest.mark.parametrize("name", sorted(name for name in USED if name.startswith("rings")))
def test_numbers_are_those_of_the_table(name):
    """Computed once more, from the file itself."""
    experiment, method, measure, ties = name.split("_")
    assert experiment == "rings"
    table = pd.read_csv(ROOT / "results" / "naeini2014_rings.csv").query("svm == 'linear'")
    rows = table[table["method"].str.lower().eq(method) & table["ties"].eq(ties)]
    assert dict(recorded_numbers.rings())[name] == f"{rows[measure.upper()].mean():.2f}"
