"""The ledger has every published number, and its verdicts follow from the recorded results."""

import csv
import math
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import baselines, ledger, missing, placebos, registry
from experiments.chance import FALSE_CAUSES, Change, choice, gains, halves, judged, tally, unlikely
from experiments.choices import CHOICES, FIT, OPEN, Choice, choices
from experiments.contents import Cause, Ours, Paper, Printed, Table
from experiments.evidence import ODD_ONES, REACH, density, log_ratio
from experiments.naeini2014 import tables
from experiments.recording import RESULTS
from experiments.said import SAID
from experiments.vovk2014 import held_out
from experiments.vovk2014 import tables as vovk2014

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "book" / "_ext"))

import recorded_numbers  # noqa: E402
from protocol_pages import ratio  # noqa: E402

PUBLISHED = sorted((RESULTS / "published").glob("*.csv"))
NAMES_A_ROW = {"table", "calibration_size"}  # columns of numbers that name a row or a table
WRITTEN = ledger.read_ledger()
PAPERS = registry.papers()
TRIALS = {
    name: [t for t in ledger.read_ledger(ledger.CAUSES, ledger.Trial) if t.paper == name]
    for name in PAPERS
}
DOCUMENTED = {(p.name, c.name) for p in PAPERS.values() for c in p.causes if c.documented}
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
    assert trials == TRIALS[name]


def test_accepted_causes_mend_more_than_they_spoil_and_are_unlikely_by_chance():
    tried = {(t.paper, t.cause): t for t in ledger.read_ledger(ledger.CAUSES, ledger.Trial)}
    for name, paper in PAPERS.items():
        ways = {}
        for cause in paper.causes:
            trial = tried[name, cause.name]
            assert trial.tuned == bool(cause.tuned)
            assert not trial.accepted or not cause.after or tried[name, cause.after].accepted
            assert trial.accepted or trial.explains == 0
            ways.setdefault(cause.setting or cause.name, []).append(trial)
        accepted = [[t for t in same if t.accepted] for same in ways.values()]
        assert all(len(few) <= 1 for few in accepted)
        for (trial,) in filter(None, accepted):
            if (paper.name, trial.cause) not in DOCUMENTED:
                assert trial.mended > trial.spoiled
                assert trial.chance <= FALSE_CAUSES


def test_what_a_cause_mends_is_nearer_by_half_within_the_error_that_was_there_before():
    checked = 0
    for entry in filter(lambda entry: entry.cause, WRITTEN):
        table = TABLES[entry.paper, entry.table]
        half = next(p.half for p in table.printed() if p[:2] == (entry.row, entry.column))
        before, after = (
            max(0, abs(ours - entry.published) - half * (1 + 1e-4))
            for ours in [entry.ours, entry.ours_under_cause]
        )
        if math.isfinite(before):
            assert after <= before / 2 and after <= 2 * entry.error * (1 + 1e-4)
            checked += 1
    assert checked > 100


def test_a_fit_explains_nothing():
    tuned = {(p.name, c.name) for p in PAPERS.values() for c in p.causes if c.tuned}
    for entry in WRITTEN:
        assert (entry.verdict == ledger.TUNED) == ((entry.paper, entry.cause) in tuned)


SHARES = ledger.read_ledger(baselines.SHARES, baselines.Share)
RATES = ledger.read_ledger(placebos.PLACEBOS, placebos.Rate)


@pytest.mark.parametrize("name", [name for name, paper in PAPERS.items() if paper.tables])
def test_the_shares_follow_from_the_record(name):
    found = baselines.shares(PAPERS[name], ledger.reader(), TRIALS[name])
    assert found == [one for one in SHARES if one.paper == name]
    own = ledger.totals([entry for entry in WRITTEN if entry.paper == name])
    of = {one.reading: one for one in found}
    assert own[ledger.AGREES] == of[baselines.PLAIN].settled
    assert own.settled == of[baselines.EXPLAINED].settled
    assert {one.comparable for one in found} == {own.comparable}


def test_shuffled_rows_are_explained_less_often_than_the_true_ones():
    """No paper has an explained number for which shuffled rows would do as well."""
    for name in PAPERS:
        of = {one.reading: one for one in SHARES if one.paper == name}
        if not of:
            continue
        plain, explained = of[baselines.PLAIN], of[baselines.EXPLAINED]
        gained = explained.settled - plain.settled
        assert gained == 0 or gained > 1.5 * (explained.wrong - plain.wrong)


def test_placebos_pass_at_most_at_the_size_of_the_rules():
    for kind in {rate.kind for rate in RATES}:
        own = [rate for rate in RATES if rate.kind == kind]
        tried, gaining, passed = (sum(column) for column in list(zip(*own, strict=True))[2:])
        assert tried > 200 and gaining > 5 and passed <= FALSE_CAUSES * tried
        if "exchanged" not in kind and "other rows" not in kind:
            assert passed == 0


def test_the_rates_of_placebos_follow_from_the_record():
    found = placebos.rates(PAPERS["naeini2016"], ledger.reader())
    assert found == [rate for rate in RATES if rate.paper == "naeini2016"]


def test_what_a_verdict_says():
    for entry in WRITTEN:
        assert entry.verdict in ledger.VERDICTS
        assert (entry.verdict == ledger.NOT_COMPARABLE) == bool(entry.reason)
        assert (entry.verdict in (ledger.EXPLAINED, ledger.TUNED)) == bool(entry.cause)
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
        assert cause.experiments


READINGS = ledger.read_ledger(CHOICES, Choice)


@pytest.mark.parametrize("name", ["naeini2014", "vovk2014"])
def test_what_was_run_follows_from_the_record(name):
    found = choices(PAPERS[name], ledger.reader(), TRIALS[name])
    assert found == [one for one in READINGS if one.paper == name]


def test_what_fits_best_agrees_no_less_often_than_the_first_reading():
    for one in READINGS:
        assert one.numbers >= one.fit >= one.first
        assert (one.fit > one.first) == bool(one.reading)
        assert (one.unused > 0) == (one.status == FIT)


def test_the_evidence_for_what_is_accepted_is_above_one():
    for one in READINGS:
        assert math.isfinite(one.evidence)
        assert one.evidence > 0 or one.status == OPEN


def test_what_is_said_is_about_settings_that_there_are():
    for name, said in SAID.items():
        settings = {cause.setting or cause.name for cause in PAPERS[name].causes}
        assert set(said) <= settings
        assert all("(" in words for words in said.values())  # the section


def test_fits_gain_on_numbers_that_did_not_choose_them():
    fits = {one.reading: one for one in READINGS if one.status == FIT}
    one = fits["nn-rate-01"]
    assert one.unused > 20 and one.unused_fit > 1.5 * one.unused_first
    assert all(own.unused_fit >= own.unused_first for own in fits.values())
    assert set(fits) == {
        "nn-rate-01",
        "lr-codes",
        "quadratic-penalty-0.0075",
        "liblinear-svm-ten-bins-at-least",
    }


HELD = {one.reading: one for one in ledger.read_ledger(held_out.HELD_OUT, held_out.HeldOut)}


def test_bags_of_reptree_pass_their_test_and_share_their_gain_with_the_fit():
    paper, read = PAPERS["vovk2014"], ledger.reader()
    found = held_out.held_out(paper, read)
    assert found == list(HELD.values()) and held_out.passes(found)
    fails = [one._replace(chance=0.06) if one.reading == held_out.TESTED else one for one in found]
    assert not held_out.passes(fails)
    first, own = HELD[held_out.FIRST], HELD[held_out.TESTED]
    assert own.agree >= 2 * first.agree > 2 * own.wrong
    printed, base = ledger.printed_numbers(paper), ledger.base_numbers(paper, read)
    by_half = {}
    for cause in paper.causes:
        if cause.name in [held_out.TESTED, *held_out.OTHERS]:
            under = {cause.name: ledger.numbers_under(paper, cause, read, base)}
            changes = ledger.changes(paper, cause, printed, base, under)
            by_half[cause.name] = gains(
                [c for c in changes if math.isfinite(c.old.value + c.new.value + c.printed.value)],
                None,
                1,
            ).ravel()
            assert judged([changes])[1] < 0.01  # alone, each would be accepted
    for other in set(held_out.OTHERS) - {held_out.TESTED}:  # one half chooses another
        difference = by_half[held_out.TESTED] - by_half[other]
        assert difference.min() < 0 < difference.max()
    tried = {trial.cause: trial for trial in TRIALS["vovk2014"]}
    assert not tried[held_out.TESTED].accepted and not tried[held_out.FIT].accepted


def test_the_bags_that_agree_are_as_many_as_the_page_says():
    page = (ROOT / "book" / "what_was_run.md").read_text(encoding="utf-8")
    agree, read = Counter(), ledger.reader()
    names = ["", "J48 Bagging distinct", "REPTree Bagging"]
    names += [f"{learner} Bagging older draws" for learner in ["REPTree", "J48"]]
    for table, loss in zip(vovk2014.TABLES, ["log", "square"], strict=False):
        wanted = {one[:2]: one for one in table.printed() if one.row.startswith("J48 Bagging / ")}
        for name in names:
            ways = {"JB": name} if name else {}
            found = vovk2014.losses(read, loss, echo="one year", **ways)
            for place, number in wanted.items():
                if place[1] != "VA" and math.isfinite(number.value):
                    agree[name] += ledger.agrees(number, found[place])
                    agree["finite"] += not name
    counts = [agree[name] for name in ["finite", *names]]
    words = "Of the {} finite .*, {} agree with bags .*, {} with .*, and {} with bags of REPTree"
    assert re.search(words.format(*counts[:4]), page)
    assert f"{counts[4]} agree with REPTree and {counts[5]} with J48" in page


LEFT = ledger.read_ledger(missing.MISSING, missing.Missing)


@pytest.mark.parametrize("name", [name for name, paper in PAPERS.items() if paper.tables])
def test_what_is_missing_follows_from_the_record(name):
    found = missing.missing(PAPERS[name], ledger.reader(), TRIALS[name])
    assert found == [one for one in LEFT if one.paper == name]
    (share,) = (o for o in SHARES if (o.paper, o.reading) == (name, baselines.PROTOCOL))
    assert sum(one.open for one in found) == share.comparable - share.settled
    assert all(one.open == one.above + one.below > 0 for one in found)
    assert all(one.distance > ledger.STANDARD_ERRORS for one in found)


def test_how_many_numbers_are_too_many():
    one = missing.Missing("p", "t", "c", 20, 7, 7, 0, 3.0, "r")
    assert missing.wanted([one], 20) == 4  # 17 of 20 are 85 %
    assert missing.wanted([one], 100) == 0
    assert missing.wanted(LEFT, sum(o.comparable for o in SHARES if o.reading == "as described"))


def test_the_pages_say_what_is_missing():
    """Sentences of the section *Missing numbers* that no substitution writes."""
    tuned = {o.paper: o for o in SHARES if o.reading == baselines.FITS}
    v14, n16 = tuned["vovk2014"], [one for one in LEFT if one.paper == "naeini2016"]
    open_ones = [e for e in WRITTEN if e.paper == "vovk2014" and e.verdict == ledger.UNEXPLAINED]
    bagged_or_echo = [e for e in open_ones if "Bagging" in e.row or "Echo" in e.row]
    assert v14.settled < missing.ASKED * v14.comparable
    assert len(bagged_or_echo) > 0.6 * len(open_ones)
    most, share = Counter(), {}
    for one in LEFT:
        most[one.paper] += one.open
    assert most.most_common(1)[0][0] == "vovk2014"
    for one in SHARES:
        if one.reading == baselines.PROTOCOL:
            share[one.paper] = one.settled / one.comparable
    assert min(share, key=share.get) == "durfee2022"
    d22 = [one for one in LEFT if one.paper == "durfee2022"]
    assert all(
        (one.below if one.column == "printed_lift" else one.above) == one.open for one in d22
    )
    assert sum(one.open for one in n16 if one.table == "table3") == 7
    n14 = [(one.table, one.farthest) for one in LEFT if one.paper == "naeini2014"]
    assert {("table1b", "Platt"), ("table2b", "1e2"), ("table3c", "SVM")} <= set(n14)


def test_a_first_reading_with_tuned_constants_agreed_more_often():
    before = ledger.read_ledger(baselines.BEFORE, baselines.Share)
    for old, new in zip(before, SHARES, strict=True):
        assert (old.paper, old.reading) == (new.paper, new.reading)
        assert new.reading == baselines.FITS or new.settled <= old.settled


def test_a_machine_that_nothing_tunes_prints_the_raw_row_of_the_rings():
    found, printed_row = tables.rings(ledger.reader(), "linear", "label", liblinear=True), {}
    for number in TABLES["naeini2014", "table1a"].printed():
        printed_row[number.row, number.column] = number
    for measure in tables.MEASURES:
        assert ledger.agrees(printed_row["SVM", measure], found["SVM", measure])


def test_a_reversed_margin_is_not_accepted():
    trials = {trial.cause: trial for trial in TRIALS["naeini2014"]}
    reversed_margin = trials["reversed-margin"]
    assert reversed_margin.mended > reversed_margin.spoiled and not reversed_margin.accepted


def test_last_epochs_fit_more_numbers_than_the_first_reading_and_are_not_accepted():
    epochs = next(o for o in READINGS if (o.paper, o.setting) == ("durfee2022", "epochs"))
    assert epochs.reading.startswith("last-of-") and epochs.fit > epochs.first
    trial = next(t for t in TRIALS["durfee2022"] if t.cause == epochs.reading)
    assert not trial.accepted


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


N_ROWS = 12
TRUTH = [float(k * k % 11) for k in range(N_ROWS)]
OFF = [0.0 if k % 3 == 0 else float(k % 5 + 1) for k in range(N_ROWS)]  # that of the base reading
VALUES = {"": [truth + off for truth, off in zip(TRUTH, OFF, strict=True)], "good": TRUTH}


def toy(causes, tmp_path, monkeypatch):
    """A paper that prints `TRUTH`; ours of a reading stand in `VALUES`."""
    rows = [["row", "value"], *((f"r{k}", value) for k, value in enumerate(TRUTH))]
    (tmp_path / "published").mkdir(exist_ok=True)
    with (tmp_path / "published" / "toy.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    monkeypatch.setattr("experiments.contents.RESULTS", tmp_path)

    def ours(read, how=""):
        values = enumerate(VALUES[how])
        return {(f"r{k}", "value"): Ours(value, error=0.2) for k, value in values}

    table = Table("table1", "a toy", "toy", ("row",), "", ours, "", digits_by="")
    return Paper("toy", "Toy", "T", tables=(table,), causes=causes)


def cause(how, **options):
    return Cause(how, "", {"how": how}, ("table1",), "", (), **options)


def test_a_cause_explains_what_it_mends(tmp_path, monkeypatch):
    found, (trial,) = ledger.entries(toy((cause("good"),), tmp_path, monkeypatch), None)
    wrong = [off > 0 for off in OFF]
    assert [entry.cause == "good" for entry in found] == wrong
    assert [entry.verdict == ledger.EXPLAINED for entry in found] == wrong
    assert trial.mended == trial.explains == sum(wrong) and trial.spoiled == 0
    assert trial.chance < 0.01


def test_a_tuned_cause_fits(tmp_path, monkeypatch):
    paper = toy((cause("good", tuned="by itself"),), tmp_path, monkeypatch)
    found, (trial,) = ledger.entries(paper, None)
    assert trial.accepted and trial.tuned
    assert {entry.verdict for entry in found} == {ledger.AGREES, ledger.TUNED}


@pytest.mark.parametrize("how", ["good", "worse"])
def test_a_documented_cause_is_accepted_whatever_it_does(how, tmp_path, monkeypatch):
    monkeypatch.setitem(VALUES, "worse", [value + 9 for value in VALUES[""]])
    monkeypatch.setattr("experiments.chance.FALSE_CAUSES", 0.0)
    for documented in ["", "a file of theirs"]:
        paper = toy((cause(how, documented=documented),), tmp_path, monkeypatch)
        _, (trial,) = ledger.entries(paper, None)
        assert trial.accepted == bool(documented)
    assert (trial.mended > 0) == (how == "good") and (trial.spoiled > 0) == (how == "worse")


def test_what_a_documented_cause_spoils_counts_against_the_protocol(tmp_path, monkeypatch):
    monkeypatch.setitem(VALUES, "worse", [value + 9 for value in VALUES[""]])
    paper = toy((cause("worse", documented="a file of theirs"),), tmp_path, monkeypatch)
    _, trials = ledger.entries(paper, None)
    plain, _, together, _ = baselines.shares(paper, None, trials)
    assert plain.settled > together.settled == 0


@pytest.mark.parametrize("move", [lambda value: value - 2, lambda value: 0.6 * value])
def test_a_shift_and_a_factor_explain_nothing(move, tmp_path, monkeypatch):
    """Even where they mend more than they spoil."""
    monkeypatch.setitem(VALUES, "", [3.0 if move(3) == 1 else 1 / 0.6 + k for k in range(N_ROWS)])
    monkeypatch.setitem(VALUES, "moved", list(map(move, VALUES[""])))
    monkeypatch.setattr(sys.modules[__name__], "TRUTH", VALUES["moved"])
    _, (trial,) = ledger.entries(toy((cause("moved"),), tmp_path, monkeypatch), None)
    assert trial.mended > trial.spoiled + 5
    assert (trial.chance, trial.accepted, trial.explains) == (1.0, False, 0)


def test_the_moves_of_other_rows_explain_nothing(tmp_path, monkeypatch):
    moves = [t - o for t, o in zip(TRUTH, VALUES[""], strict=True)]
    turned = [o + m for o, m in zip(VALUES[""], moves[1:] + moves[:1], strict=True)]
    monkeypatch.setitem(VALUES, "turned", turned)
    _, (trial,) = ledger.entries(toy((cause("turned"),), tmp_path, monkeypatch), None)
    assert not trial.accepted and trial.explains == 0


def test_of_two_values_of_a_setting_the_better_one_is_accepted(tmp_path, monkeypatch):
    some = [t if k < 4 else o for k, (t, o) in enumerate(zip(TRUTH, VALUES[""], strict=True))]
    monkeypatch.setitem(VALUES, "some", some)
    causes = tuple(cause(how, setting="how") for how in ["some", "good"])
    found, trials = ledger.entries(toy(causes, tmp_path, monkeypatch), None)
    assert [trial.accepted for trial in trials] == [False, True]
    assert {entry.cause for entry in found} == {"", "good"}


def test_what_takes_a_rejected_cause_as_given_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setitem(VALUES, "none", VALUES[""])
    causes = cause("none"), cause("good", after="none")
    _, trials = ledger.entries(toy(causes, tmp_path, monkeypatch), None)
    assert [trial.accepted for trial in trials] == [False, False]


def test_one_protocol_makes_all_its_changes(tmp_path, monkeypatch):
    paper = toy((cause("good"),), tmp_path, monkeypatch)
    for names, values in [({"good"}, TRUTH), (set(), VALUES[""])]:
        found = ledger.protocol(paper, None, names)
        assert [ours.value for ours in found.values()] == values


# Whether a cause does better than chance


def change(row, published, old, new, error=0.01):
    return Change(
        "c", "t", row, Printed(row, "c", published, 0.005), Ours(old), Ours(new, 1, 1, error)
    )


def test_a_number_is_mended_by_half_and_by_the_error_it_had():
    assert tally([change("r", 1.0, 0.0, 1.0)]) == (1, 1, 0)
    assert tally([change("r", 1.0, 1.0, 0.0)]) == (1, 0, 1)
    assert tally([change("r", 1.0, 0.97, 0.985)]) == (1, 1, 0)
    assert tally([change("r", 1.0, 0.97, 0.976)]) == (1, 0, 0)  # nearer, not by half
    assert tally([change("r", 1.0, 0.9, 0.9)]) == (0, 0, 0)


def test_an_open_number_is_spoiled_if_it_gets_twice_as_far():
    assert tally([change("r", 1.0, 0.9, 0.84)]) == (1, 0, 0)  # farther, not by a factor of two
    assert tally([change("r", 1.0, 0.9, 0.8)]) == (1, 0, 1)
    assert tally([change("r", 1.0, 0.9, 1.2)]) == (1, 0, 1)  # on the other side
    assert tally([change("r", 1.0, 1.005, 1.02)]) == (1, 0, 0)  # and still within two errors
    assert gains([change("r", 1.0, 0.9, 0.8)], None, 1).sum() == -1


def test_infinite_numbers_are_mended_and_not_exchanged():
    lost = change("r", 1.0, math.inf, 1.0)
    assert tally([lost]) == (1, 1, 0)
    assert judged([[lost]]) == (-1, 1.0)


def test_both_halves_must_choose_the_same_way():
    def one(*gains):
        return [found[0].item() for found in choice(np.array(gains)[..., np.newaxis])]

    assert one([3, 2], [1, 1]) == [0, 5]
    assert one([3, 0], [1, 2]) == [-1, 0]  # different ones
    assert one([3, 0], [1, 0]) == [-1, 0]  # one gains nothing


def test_the_halves_are_halves_and_the_gain_is_their_sum():
    rows = [change(f"r{k}", 1.0, 0.0, 1.0) for k in range(100)]
    assert 30 < halves(rows).sum() < 70
    assert gains(rows, None, 1).sum() == 100
    for scale in ["difference", "ratio"]:
        assert gains(rows, scale, 7).shape == (2, 7)


def test_the_more_causes_the_smaller_the_share_must_be():
    assert list(unlikely([0.04])) == [True]
    assert list(unlikely([0.04, 0.5, 0.9])) == [False, False, False]
    assert len(unlikely([])) == 0


# Likelihood ratios


def test_the_density_is_one_of_a_distance():
    x = np.linspace(-REACH, REACH, 20_001)
    total = sum(map(density, x)) * (x[1] - x[0])
    assert total == pytest.approx(1, abs=1e-3)
    assert density(math.inf) == pytest.approx(ODD_ONES / 2 / REACH)


def test_a_data_set_counts_once_and_a_single_number_for_no_more_than_150():
    keys, printed_ones = ("kind", "set"), {}
    table = Table("t", "", "", keys, "", None, uncertainty="", exchanged="set")
    paper = Paper("toy", "Toy", "T", tables=(table,))
    for kind in "ab":
        for name in "xyz":
            place = "t", f"{kind} / {name}", "c"
            printed_ones[place] = Printed(*place[1:], 1.0, 0.0)
    true, off = (dict.fromkeys(printed_ones, Ours(v, error=1.0)) for v in [1.0, 3.0])
    power = log_ratio(paper, printed_ones, true, off)
    assert power == pytest.approx(3 * math.log10(density(0) / density(2)), abs=0.005)
    assert log_ratio(paper, printed_ones, off, true) == -power
    assert log_ratio(paper, printed_ones, true, true | {place: "none"}) == 0
    far = true | {place: Ours(math.inf, error=1.0)}
    assert 140 < 10 ** log_ratio(paper, printed_ones, true, far) < 160


@pytest.mark.parametrize(
    ("power", "words"), [(0, "1"), (1.6, "40"), (-0.3, "1/2"), (3.1, "1,300"), (16.2, "10¹⁶")]
)
def test_ratios_are_written_for_people(power, words):
    assert ratio(power) == words


# Numbers of single tables


def test_one_split_does_not_decide_between_infinite_means():
    assert vovk2014._chance(1) > vovk2014.LEVEL > vovk2014._chance(6)
    apart = [e for e in WRITTEN if e.paper == "vovk2014" and e.verdict == ledger.NOT_COMPARABLE]
    assert apart and all(entry.table == "table1" and entry.column == "W" for entry in apart)


def test_what_stays_open_of_durfee2022_lies_on_one_side():
    of = [e for e in WRITTEN if e.paper == "durfee2022" and e.verdict == ledger.UNEXPLAINED]
    assert len(of) > 100
    assert all((e.standardised < 0) == (e.column == "printed_lift") for e in of)


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
        share = (count["agrees"] + count.get("differs: explained", 0)) / comparable
        assert known[f"ledger_{name}_share"] == f"{share:.0%}"


def test_the_pages_have_every_paper():
    for page, directive in [("scoreboard", "ledger-heat-maps"), ("reproduce", "reproduce-items")]:
        text = (ROOT / "book" / f"{page}.md").read_text(encoding="utf-8")
        for name, paper in PAPERS.items():
            wanted = paper.tables if page == "scoreboard" else paper.contents
            assert (f"{{{directive}}} {name}" in text) == bool(wanted)
