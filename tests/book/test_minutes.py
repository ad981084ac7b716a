"""How long a chapter takes, by one measure, and what it asks for before."""

import graphlib
import re
from pathlib import Path

import pytest

from experiments import minutes
from experiments.chapter_numbers import is_evidence, place_of
from experiments.minutes import CHAPTER, FIGURE, FORMULA, LINES, SPECIALIST, SPEED
from experiments.prerequisites import CORE, chapters, depths, needs_of

ROOT = Path(__file__).resolve().parents[2]
REPLICATIONS, COMPANION = "Replications", "Since then"
WORDS = "word " * SPEED
FILES = [file for file in chapters() if not is_evidence(file)]
EVIDENCE = [file for file in chapters() if is_evidence(file)]
MAIN = {
    file: one
    for file, one in chapters().items()
    if one.number and place_of(one.number) < place_of("C1")
}
# The main line has 111,300 words and no chapter above 45 minutes. The limits may only fall.
WORDS_OF_THE_MAIN_LINE, LONGEST = 112_000, 45


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


def text_of(file):
    return (ROOT / "notebooks" / f"{file}.ipynb").read_text(encoding="utf-8")


def test_chapters_are_numbered_in_the_order_of_the_contents():
    numbers = [one.number for one in chapters().values() if one.number]
    main, companion = numbers[: len(MAIN)], numbers[len(MAIN) :]
    assert main == [str(k + 1) for k in range(len(main))] and len(main) <= 25
    assert companion == [f"C{k + 1}" for k in range(len(companion))]
    assert {one.part for one in chapters().values() if one.number in companion} == {COMPANION}
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} == set(chapters())


def test_the_main_line_is_not_longer_than_it_was():
    assert sum(one.words for one in MAIN.values()) <= WORDS_OF_THE_MAIN_LINE
    assert max(one.minutes.main for one in MAIN.values()) <= LONGEST


@pytest.mark.parametrize("file", FILES)
def test_a_chapter_takes_an_hour_at_most_if_it_is_no_replication(file):
    one = chapters()[file]
    assert one.minutes.main > 15
    assert one.part == REPLICATIONS or one.minutes.main <= CHAPTER


def test_no_other_chapter_needs_the_replications():
    apart = {file for file, one in chapters().items() if one.part == REPLICATIONS}
    assert {chapters()[file].number for file in apart} == {str(k) for k in range(20, 26)}
    for file in FILES:
        one = chapters()[file]
        assert file in apart or not apart & set(one.needs), file
        ours = re.search(r'"## Paper against ours.*\n(.*)', text_of(file))
        assert file in apart or not ours or SPECIALIST in ours[1], file


@pytest.mark.parametrize("file", EVIDENCE)
def test_a_page_of_the_evidence_belongs_to_a_replication_that_leads_to_it(file):
    one = chapters()[file]
    assert (one.number, one.part) == ("", "Evidence") and one.needs
    for needed in one.needs:
        assert chapters()[needed].part == REPLICATIONS
        assert f"]({file}.ipynb)" in text_of(needed), needed
    assert not re.search(r'"## (Summary|Exercises)', text_of(file))


def test_no_minutes_are_typed():
    for file in chapters():
        assert "minutes" not in text_of(file).partition("**Before you start")[2][:600], file


def test_needs_run_in_no_circle_and_name_chapters():
    needs = {file: one.needs for file, one in chapters().items()}
    assert {n for own in needs.values() for n in own} <= set(needs)
    depth = depths(needs)
    first = "01_what_calibration_is"
    assert [file for file, k in depth.items() if k == 0] == [first]
    assert all(own for file, own in needs.items() if file != first)


@pytest.mark.parametrize("file", [file for file in FILES if chapters()[file].number])
def test_a_chapter_needs_only_chapters_before_it(file):
    before = FILES[: FILES.index(file)]
    assert set(chapters()[file].needs) <= set(before)


def test_the_core_path_has_ten_chapters_and_all_that_they_need():
    assert len(CORE) == 10 and set(CORE) <= set(MAIN)
    assert list(CORE) == sorted(CORE)
    assert {needed for file in CORE for needed in chapters()[file].needs} <= set(CORE)
    assert sum(chapters()[file].minutes.main for file in CORE) < 7 * 60  # two afternoons


def test_depths():
    assert depths({1: (), 2: (1,), 3: (1, 2)}) == {1: 0, 2: 1, 3: 2}
    with pytest.raises(graphlib.CycleError):
        depths({1: (2,), 2: (1,)})


def test_needs_are_read_from_links_and_references():
    opening = (
        "**Before you start:** [a](03_mce_bound.ipynb), {prf:ref}`prop-c22-parts`.\n[b](04_x.ipynb)"
    )
    assert needs_of(opening) == ("03_mce_bound", "15_auc_optimality")
    assert needs_of("[a](03_mce_bound.ipynb)") == ()


def test_the_map_states_its_speeds():
    page = (ROOT / "book" / "where_to_start.md").read_text(encoding="utf-8")
    said = f"{SPEED} words a minute, half as many in proofs and exercises, {LINES} lines of code"
    assert said in page and (minutes.CAREFUL, FIGURE, minutes.TABLE) == (2, 1.5, 1)
    assert FORMULA == minutes.PRINT == 0.5
