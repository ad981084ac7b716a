"""Where statements come from: each says it in its last line, and the page of new ones has them."""

import re
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))
import statement_sources  # noqa: E402

FOUND = list(statement_sources.statements(statement_sources.chapters()))
KINDS = statement_sources.kinds()
WORKS = re.findall(r"^@\w+\{(\w+),$", (ROOT / "book" / "references.bib").read_text("utf-8"), re.M)


def prose(name):
    return (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")


def new_ones(page):
    """Labels of the statements that a page refers to."""
    return set(re.findall(r"\{prf:ref\}`(?:[^`<]*<)?([\w-]+)>?`", page))


@pytest.mark.parametrize("label, text", FOUND, ids=[str(label) for label, _ in FOUND])
def test_every_statement_says_at_its_end_where_it_comes_from(label, text):
    assert label is not None
    assert statement_sources.kind(text) in statement_sources.FORMS, text.splitlines()[-1]
    assert set(re.findall(r"\{prf:ref\}`([\w-]+)`", text.splitlines()[-1])) <= set(KINDS)


def test_no_statement_is_overlooked():
    fences = re.compile(r"^[:`]{3,}\{prf:(?:theorem|proposition|lemma|corollary)\}", re.M)
    assert (
        len(FOUND)
        == len(KINDS)
        == sum(len(fences.findall(c)) for c in statement_sources.chapters())
    )


def test_the_works_are_in_the_bibliography():
    lines = [text.splitlines()[-1] for _, text in FOUND]
    assert set(re.findall(r"\{cite:t\}`(\w+)`", " ".join(lines))) <= set(WORKS)
    assert max(Counter(WORKS).values()) == 1


def test_the_page_of_new_statements_has_all_of_them_and_no_others():
    new = {label for label, kind in KINDS.items() if kind == "new"}
    assert new_ones(prose("new_here")) == new


def test_counts_are_computed_and_not_typed():
    counts = statement_sources.counts()
    assert counts["statements_all"] == str(len(FOUND))
    assert sum(int(counts[f"statements_{kind}"]) for kind in statement_sources.FORMS) == len(FOUND)
    for page in map(prose, ["new_here", "indices"]):
        assert "{{ statements_new }}" in page
        words = re.sub(r"`[^`]*`|\]\([^)]*\)", "", page)  # no labels, no addresses
        assert not {*re.findall(r"\d+", words)} & {*counts.values()}


@pytest.mark.parametrize(
    "last, kind",
    [
        ("*Source: {cite:t}`brier1950`.*", "source"),
        ("*Source: {cite:t}`vovk2014`, equations (10) and (11).*", "source"),
        ("*Source: {cite:t}`brier1950`*", None),
        ("*Source: Brier.*", None),
        ("Source: {cite:t}`brier1950`.", None),
        ("*Changed from {cite:t}`vovk2014`, Lemma 1: ties; $1 - p$.*", "changed"),
        ("*Changed from {cite:t}`vovk2014` and {cite:t}`vovk2015`: ties.*", "changed"),
        ("*Changed from {cite:t}`vovk2014`, Lemma 1.*", None),
        ("*New here, as far as we know.*", "new"),
        ("*New here, as far as we know; a step of the proof of {prf:ref}`thm-x`.*", "new"),
        ("*New here.*", None),
        ("*Source: {cite:t}`brier1950`.*\n\nThe end.", None),
        ("*New here, as far as we know.*\n\n*Source: {cite:t}`brier1950`.*", None),
        ("No line.", None),
    ],
)
def test_what_is_such_a_line(last, kind):
    assert statement_sources.kind(f":label: thm-x\n\nA statement.\n\n{last}\n") == kind


def test_statements_of_a_page():
    page = (
        ":::{prf:theorem} One\n:label: thm-1\nText.\n:::\n"
        ":::{prf:remark} Not this\n:label: rem-1\nText.\n:::\n"
        "::::{prf:lemma}\nText.\n:::\nMore.\n::::\n"
    )
    assert list(statement_sources.statements([page])) == [
        ("thm-1", ":label: thm-1\nText.\n"),
        (None, "Text.\n:::\nMore.\n"),
    ]
    assert new_ones("{prf:ref}`thm-1`, {prf:ref}`the other <thm-2>`, {ref}`c3`") == {
        "thm-1",
        "thm-2",
    }
