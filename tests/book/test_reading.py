"""The record of the reading test fits the book."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from experiments.chapter_numbers import is_evidence
from experiments.reading import kind_of
from experiments.recording import RESULTS, read_table

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import reading_sample  # noqa: E402

QUESTIONS = read_table(RESULTS / "reading_test.csv")
SENTENCES = read_table(RESULTS / "reading_sentences.csv")
NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
CHAPTERS = [name for name in NOTEBOOKS if not is_evidence(name)]


def test_each_page_has_three_questions_with_a_verdict():
    first = QUESTIONS["round"] == 1
    assert set(Counter(QUESTIONS["page"][first].tolist()).values()) == {3}
    assert set(QUESTIONS["verdict"]) <= {"right", "partly", "wrong", "not found"}


@pytest.mark.parametrize("page", CHAPTERS)
def test_every_chapter_was_asked_about_and_read(page):
    assert page in QUESTIONS["page"]
    assert page in SENTENCES["page"]


def test_a_sentence_that_stopped_the_reader_has_a_reason():
    hard = SENTENCES["mark"] != "once"
    assert set(SENTENCES["mark"]) == {"once", "twice", "not"}
    assert all(SENTENCES["why"][hard])


def test_questions_that_were_partly_right_were_asked_again():
    first = QUESTIONS["round"] == 1
    pairs = zip(QUESTIONS["page"], QUESTIONS["number"], strict=True)
    keys = np.array([f"{page} {number}" for page, number in pairs])
    assert set(keys[first & (QUESTIONS["verdict"] != "right")]) == set(keys[~first])
    assert set(QUESTIONS["verdict"][~first]) == {"right"}


@pytest.mark.parametrize("number", [2, 3, 4])
def test_each_round_has_all_pages_with_sentences_and_no_more_than_planned(number):
    drawn = Counter(SENTENCES["page"][SENTENCES["round"] == number].tolist())
    assert set(drawn) <= set(reading_sample.pages())
    assert set(CHAPTERS) <= set(drawn)
    planned = reading_sample.N_SENTENCES[number]
    assert all(n <= planned[kind_of(page)] for page, n in drawn.items())


def test_the_same_seed_draws_the_same_sentences():
    first, second = list(reading_sample.sample(3)), list(reading_sample.sample(3))
    assert first == second
    assert {page for page, _, _ in first} <= set(reading_sample.pages())


@pytest.mark.parametrize("number", [3, 4])
def test_a_later_round_says_which_sentences_were_rewritten(number):
    assert set(SENTENCES["rewritten"][SENTENCES["round"] == number]) == {"yes", "no"}


def test_sentences_of_a_page_have_no_headings_code_or_cells():
    found = [sentence for sentence, _ in reading_sample.sentences("book/status")]
    assert "A third reader judged the answers." in found
    assert not any(sentence.startswith(("#", "```", "make ")) for sentence in found)
    assert not reading_sample.is_read("| 1 | 2 |")
    assert not reading_sample.is_read("{prf:ref}`thm-c32-promise`")
    assert reading_sample.is_read("| 7 | The map is exact. | nothing |")
