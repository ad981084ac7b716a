"""The ledger has every published number, and its verdicts follow from the recorded results."""

import csv
import math
import sys
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from experiments import ledger, registry
from experiments.chance import FALSE_CAUSES, Change, share_by_chance, unlikely
from experiments.contents import Cause, Ours, Paper, Printed, Table
from experiments.recording import RESULTS
from experiments.vovk2014 import tables as vovk2014

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))

import recorded_numbers  # noqa: E402

PUBLISHED = sorted((RESULTS / "published").glob("*.csv"))
NAMES_A_ROW = {"table", "calibration_size"}  # columns of numbers that name a row or a table
WRITTEN = ledger.read_ledger()
PAPERS = registry.papers()
TABLES = {(paper.name, table.name): table for paper in PAPERS.values() for table in paper.tables}


def numbers(path):
    """Every cell of a published file that is a number."""
    for row in pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records"):
        for column, text in row.items():
            try:
                value = float(text)
            except ValueError:
                continue
            if column not in NAMES_A_ROW:
                yield value


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_every_published_number_is_in_the_ledger(path):
    of_file = {key for key, table in TABLES.items() if table.file == path.stem}
    found = [entry.published for entry in WRITTEN if (entry.paper, entry.table) in of_file]
    assert Counter(found) == Counter(numbers(path))


def test_no_number_is_in_it_twice():
    places = [entry[:4] for entry in WRITTEN]
    assert len(places) == len(set(places)) == sum(len(list(numbers(p))) for p in PUBLISHED)


@pytest.mark.parametrize("name", [name for name, paper in PAPERS.items() if paper.tables])
def test_the_ledger_follows_from_the_record(name):
    found, trials = ledger.entries(PAPERS[name], ledger.reader())
    written = [entry for entry in WRITTEN if entry.paper == name]
    assert len(found) == len(written)
    for new, old in zip(found, written, strict=True):
        for value, before in zip(new, old, strict=True):
            if isinstance(value, float):
                assert value == pytest.approx(before, rel=1e-5, abs=1e-9, nan_ok=True)
            else:
                assert value == before, new
    tried = ledger.read_ledger(ledger.CAUSES, ledger.Trial)
    assert trials == [trial for trial in tried if trial.paper == name]


def test_accepted_causes_mend_more_than_they_spoil_and_are_unlikely_by_chance():
    tried = {(t.paper, t.cause): t for t in ledger.read_ledger(ledger.CAUSES, ledger.Trial)}
    for name, paper in PAPERS.items():
        ways = {}
        for cause in paper.causes:
            ways.setdefault(cause.setting or cause.name, []).append(tried[name, cause.name])
        accepted = [[t for t in same if t.accepted] for same in ways.values()]
        assert all(len(few) <= 1 for few in accepted)
        assert all(t.gain > 0 and t.chance <= FALSE_CAUSES for few in accepted for t in few)
        for same, few in zip(ways.values(), accepted, strict=True):
            assert all(t.explains == 0 for t in same if t not in few)
            assert all(t.gain <= few[0].gain for t in same if few)


def test_what_a_verdict_says():
    for entry in WRITTEN:
        assert entry.verdict in ledger.VERDICTS
        assert (entry.verdict == ledger.NOT_COMPARABLE) == bool(entry.reason)
        assert (entry.verdict == ledger.EXPLAINED) == bool(entry.cause)
        if entry.verdict != ledger.NOT_COMPARABLE:
            assert (entry.verdict == ledger.AGREES) == (abs(entry.standardised) <= 2)
        if entry.cause:
            assert abs(entry.standardised_under_cause) <= 2


def test_the_difference_is_the_one_of_the_table():
    """Computed once more from the columns of the file."""
    checked = 0
    for entry in WRITTEN:
        if math.isfinite(entry.standardised) and entry.standardised:
            half = next(
                p.half
                for p in TABLES[entry.paper, entry.table].printed()
                if (p.row, p.column) == (entry.row, entry.column)
            )
            gap = entry.ours - entry.published
            beyond = math.copysign(abs(gap) - half, gap) / entry.error
            assert entry.standardised == pytest.approx(beyond, rel=1e-2, abs=1e-3)
            checked += 1
    assert checked > 400


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_a_cause_names_what_there_is(paper):
    names = [cause.name for cause in paper.causes]
    assert len(names) == len(set(names))
    for k, cause in enumerate(paper.causes):
        assert set(cause.tables) <= {table.name for table in paper.tables}
        assert (ROOT / "notebooks" / f"{cause.chapter}.ipynb").exists()
        assert not cause.after or cause.after in names[:k]
        assert set(cause.experiments) <= {one.name for one in paper.experiments}
        assert cause.experiments or cause.name == "other-versions"  # sizes of data sets


# The rules, on a toy


def printed(value, half=0.005):
    return Printed("row", "column", value, half)


@pytest.mark.parametrize(
    ("ours", "error", "distance"),
    [
        (0.204, 0.001, 0.0),  # rounds to it
        (0.215, 0.005, 2.0),  # 0.01 beyond the rounding
        (0.185, 0.005, -2.0),
        (0.21, 0.0, math.inf),  # nothing is random
        (0.19, 0.0, -math.inf),
        (math.inf, math.inf, math.inf),
    ],
)
def test_the_distance_is_to_what_rounds_to_the_printed_number(ours, error, distance):
    found = ledger.standardised(printed(0.2), Ours(ours, error=error))
    assert found == pytest.approx(distance, rel=1e-6)


def test_two_infinite_numbers_agree():
    assert ledger.agrees(printed(math.inf), Ours(math.inf, error=math.inf))


def test_an_infinite_number_and_a_finite_one_do_not():
    assert not ledger.agrees(printed(0.2), Ours(math.inf, error=math.inf))


VALUES = {"": [1.0, 1.0, 5.0, 5.0], "good": [1.0, 9.0, 3.0, 4.0], "bad": [9.0, 9.0, 3.0, 5.0]}


def toy(causes, tmp_path, monkeypatch):
    """A paper that prints 1, 2, 3, 4; ours of the first and last reading stand in `VALUES`."""
    with (tmp_path / "toy.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["row", "value"], *((f"r{k}", k) for k in [1, 2, 3, 4])])
    monkeypatch.setattr("experiments.contents.RESULTS", tmp_path)
    (tmp_path / "published").mkdir(exist_ok=True)
    (tmp_path / "toy.csv").rename(tmp_path / "published" / "toy.csv")

    def ours(read, how=""):
        cells = enumerate(VALUES[how], start=1)
        return {(f"r{k}", "value"): Ours(value, error=0.2) for k, value in cells}

    table = Table("table1", "a toy", "toy", ("row",), "", ours, "", digits_by="")
    return Paper("toy", "Toy", "T", tables=(table,), causes=causes)


def cause(how, **options):
    return Cause(how, "", {"how": how}, ("table1",), "", (), **options)


def test_a_cause_explains_what_agrees_under_it(tmp_path, monkeypatch):
    found, (trial,) = ledger.entries(toy((cause("good"),), tmp_path, monkeypatch), None)
    assert [entry.cause for entry in found] == ["", "", "good", "good"]
    assert [entry.verdict for entry in found[:2]] == [ledger.AGREES, ledger.UNEXPLAINED]
    assert (trial.changed, trial.mended, trial.spoiled, trial.explains) == (3, 2, 0, 2)


def test_a_cause_that_spoils_as_much_as_it_mends_explains_nothing(tmp_path, monkeypatch):
    found, (trial,) = ledger.entries(toy((cause("bad"),), tmp_path, monkeypatch), None)
    assert (trial.mended, trial.spoiled, trial.accepted) == (1, 1, False)
    assert not any(entry.cause for entry in found)


def test_of_two_values_of_a_setting_the_better_one_is_accepted(tmp_path, monkeypatch):
    monkeypatch.setitem(VALUES, "better", [1.0, 2.0, 3.0, 4.0])
    causes = tuple(cause(how, setting="how") for how in ["good", "better"])
    found, trials = ledger.entries(toy(causes, tmp_path, monkeypatch), None)
    assert [trial.accepted for trial in trials] == [False, True]
    assert [entry.cause for entry in found] == ["", "better", "better", "better"]


def test_a_setting_tried_in_many_ways_has_had_as_many_chances(tmp_path, monkeypatch):
    """What stands out alone does not as the best of sixty ways."""
    for k in range(60):
        monkeypatch.setitem(VALUES, f"none {k}", VALUES[""])
    for setting, accepted in [("", True), ("how", False)]:
        others = tuple(cause(f"none {k}", setting=setting) for k in range(1 if accepted else 60))
        causes = (cause("good", setting=setting), *others)
        _, trials = ledger.entries(toy(causes, tmp_path, monkeypatch), None)
        assert trials[0].accepted == accepted


def test_a_cause_after_another_one_is_judged_beside_it(tmp_path, monkeypatch):
    monkeypatch.setitem(VALUES, "more", [1.0, 9.0, 3.0, 9.0])
    causes = cause("good"), cause("more", after="good")
    _, trials = ledger.entries(toy(causes, tmp_path, monkeypatch), None)
    assert (trials[1].changed, trials[1].mended, trials[1].spoiled) == (1, 0, 1)


# Whether a cause does better than chance


def change(row, published, old, new, error=0.01):
    return Change(row, Printed(row, "c", published, 0.005), Ours(old), Ours(new, error=error))


def test_one_number_is_hit_by_chance_as_often_as_the_window_is_wide():
    """From 0 to 1 with a window of 1 ± 0.025: an interval of 0.05 out of the 4 that are drawn."""
    one = change("r", 1.0, 0.0, 1.0)
    assert share_by_chance([one], [True], 2.0) == pytest.approx(0.05 / 4, abs=0.006)


def test_a_wider_error_alone_is_no_explanation():
    """The number hardly moves; whatever the move, it agrees."""
    assert share_by_chance([change("r", 1.0, 0.9, 0.91, error=0.2)], [True], 2.0) == 1.0


def test_rows_move_together_and_apart_from_others():
    same, other = ([change(row, 1.0, 0.0, 1.0) for row in rows] for rows in ["rr", "rs"])
    assert share_by_chance(same, [True, True], 2.0) > 10 * share_by_chance(other, [True, True], 2.0)


def test_infinite_numbers_stay_where_they_are():
    lost = change("r", 1.0, 1.0, math.inf)
    assert share_by_chance([lost], [False], 2.0) == 1.0


def test_the_more_causes_the_smaller_the_share_must_be():
    assert list(unlikely([0.04])) == [True]
    assert list(unlikely([0.04, 0.5, 0.9])) == [False, False, False]
    assert len(unlikely([])) == 0


# Numbers of single tables


def test_one_split_does_not_decide_between_infinite_means():
    assert vovk2014._chance(1) > vovk2014.LEVEL > vovk2014._chance(6)
    apart = [e for e in WRITTEN if e.paper == "vovk2014" and e.verdict == ledger.NOT_COMPARABLE]
    assert apart and all(entry.table == "table1" and entry.column == "W" for entry in apart)


def test_the_swapped_digits_are_the_one_impossible_number():
    impossible = [e for e in WRITTEN if e.paper == "durfee2022" and "misprint" in e.reason]
    assert [entry.published for entry in impossible] == [0.6951]


def test_numbers_for_prose_are_those_of_the_file():
    table = pd.read_csv(ledger.LEDGER)
    known = dict(recorded_numbers.ledger())
    for name, rows in [("all", table), *table.groupby("paper")]:
        count = rows["verdict"].value_counts()
        assert known[f"ledger_{name}_agree"] == str(count["agrees"])
        assert known[f"ledger_{name}_unexplained"] == str(count["differs: not explained"])
        assert known[f"ledger_{name}_numbers"] == str(len(rows))
        comparable = len(rows) - count.get("not comparable", 0)
        share = (count["agrees"] + count["differs: explained"]) / comparable
        assert known[f"ledger_{name}_share"] == f"{share:.0%}"


def test_the_pages_have_every_paper():
    for page, directive in [("scoreboard", "ledger-heat-maps"), ("reproduce", "reproduce-items")]:
        text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
        for name, paper in PAPERS.items():
            wanted = paper.tables if page == "scoreboard" else paper.contents
            assert (f"{{{directive}}} {name}" in text) == bool(wanted)
