"""The record of the reading test fits the book."""

from collections import Counter
from pathlib import Path

import pytest

from experiments.recording import RESULTS, read_table

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = read_table(RESULTS / "reading_test.csv")
SENTENCES = read_table(RESULTS / "reading_sentences.csv")
CHAPTERS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


def test_each_page_has_three_questions_with_a_verdict():
    assert set(Counter(QUESTIONS["page"].tolist()).values()) == {3}
    assert set(QUESTIONS["verdict"]) <= {"right", "partly", "wrong", "not found"}


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_chapter_was_asked_about_and_read(page):
    assert page in QUESTIONS["page"]
    assert page in SENTENCES["page"]


def test_a_sentence_that_stopped_the_reader_has_a_reason():
    hard = SENTENCES["mark"] != "once"
    assert set(SENTENCES["mark"]) == {"once", "twice", "not"}
    assert all(SENTENCES["why"][hard])
