"""How long a chapter takes, by one measure, and what it asks for before."""

import graphlib
import re
from pathlib import Path

import pytest

from experiments import minutes
from experiments.minutes import CHAPTER, FIGURE, FORMULA, LINES, SPECIALIST, SPEED
from experiments.prerequisites import chapters, depths, needs_of

ROOT = Path(__file__).resolve().parents[2]
REPLICATIONS = "Replications"
WORDS = "word " * SPEED
NUMBERS = sorted(chapters())


def text_cell(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code_cell(source="", tags=(), outputs=()):
    cell = {"cell_type": "code", "metadata": {"tags": [*tags]}, "source": source}
    return cell | {"outputs": [*outputs]}


def picture():
    return {"output_type": "display_data", "data": {"image/png": "", "text/plain": ""}}


# The measure


def test_words_and_formulas_take_their_time():
    assert minutes.of_text(WORDS) == pytest.approx(1)
    assert minutes.of_text(f"{WORDS}\n\n$$\na + b\n$$ (eq-a)\n") == pytest.approx(
        1 + FORMULA, abs=0.02
    )
    assert minutes.of_text("[one](../a/long/address.ipynb)") == pytest.approx(1 / SPEED)


@pytest.mark.parametrize(
    "cell, found",
    [
        (code_cell("a = 1\n\n" * LINES), 1),
        (code_cell("a = 1\n" * LINES, ["hide-input"], [picture()]), FIGURE),
        (code_cell("a = 1\n" * LINES, ["hide-cell"], [picture()]), 0),
        (code_cell("", [], [{"output_type": "stream"}] * 2), minutes.PRINT),
    ],
)
def test_code_counts_where_it_is_seen(cell, found):
    assert minutes.of_cell(cell) == pytest.approx(found)


def test_proofs_folded_sections_and_exercises_are_counted_apart():
    proof = f":::{{prf:proof}}\n{WORDS}\n:::\n"
    found = minutes.of_cells(
        [
            text_cell(f"# Title\n\n{WORDS}\n{proof}{WORDS}"),
            text_cell(f"### Part\n{SPECIALIST}\n\n{WORDS}{proof}"),
            code_cell("a = 1\n" * LINES),
            text_cell(f"#### Below\n\n{WORDS}\n### Next\n\n{WORDS}\n## Exercises\n\n{WORDS}\n"),
            code_cell("a = 1\n" * LINES),
            text_cell(f"## Further reading\n\n{WORDS}"),
        ]
    )
    assert found == pytest.approx((4, 2, 7, 3), abs=0.2)


def test_a_page_counts_plots_and_widgets():
    page = f"{WORDS}\n```{{eval-rst}}\n.. plot:: a.py\n   :alt: many words\n```\n"
    assert minutes.of_page(page) == pytest.approx(1 + FIGURE)


# The chapters


@pytest.mark.parametrize("number", NUMBERS)
def test_a_chapter_of_the_main_line_takes_an_hour_at_most(number):
    one = chapters()[number]
    assert one.minutes.main > 15
    assert one.part == REPLICATIONS or one.minutes.main <= CHAPTER


def test_the_main_line_reads_without_the_replications():
    apart = {number for number, one in chapters().items() if one.part == REPLICATIONS}
    assert apart == {8, 9, 10, 15, 21, 27}
    for number, one in chapters().items():
        assert number in apart or not apart & set(one.needs), number
        text = (ROOT / "notebooks" / f"{one.file}.ipynb").read_text(encoding="utf-8")
        ours = re.search(r'"## Paper against ours.*\n(.*)', text)
        assert number in apart or not ours or SPECIALIST in ours[1], number


def test_no_minutes_are_typed():
    for number, one in chapters().items():
        text = (ROOT / "notebooks" / f"{one.file}.ipynb").read_text(encoding="utf-8")
        assert "minutes" not in text.partition("**Before you start")[2][:600], number


def test_needs_run_in_no_circle_and_name_chapters():
    needs = {number: one.needs for number, one in chapters().items()}
    assert {n for own in needs.values() for n in own} <= set(needs)
    depth = depths(needs)
    assert [number for number, k in depth.items() if k == 0] == [1]
    assert all(own for number, own in needs.items() if number != 1)


def test_depths():
    assert depths({1: (), 2: (1,), 3: (1, 2)}) == {1: 0, 2: 1, 3: 2}
    with pytest.raises(graphlib.CycleError):
        depths({1: (2,), 2: (1,)})


def test_needs_are_read_from_links_and_references():
    opening = (
        "**Before you start:** [a](03_mce_bound.ipynb), {prf:ref}`prop-c22-parts`.\n[b](04_x.ipynb)"
    )
    assert needs_of(opening) == (3, 22)
    assert needs_of("[a](03_mce_bound.ipynb)") == ()


def test_the_map_states_its_speeds():
    page = (ROOT / "book" / "where_to_start.md").read_text(encoding="utf-8")
    said = f"{SPEED} words a minute, half as many in proofs and exercises, {LINES} lines of code"
    assert said in page and (minutes.CAREFUL, FIGURE, minutes.TABLE) == (2, 1.5, 1)
    assert FORMULA == minutes.PRINT == 0.5
