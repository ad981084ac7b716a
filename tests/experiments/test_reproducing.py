"""One command reproduces an item, says what it does, and goes on after it was killed."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import __main__ as command
from experiments import auditing, ledger, registry
from experiments.contents import ChapterFigure, Figure, Table
from experiments.recording import RESULTS, recorded_cases
from experiments.reproducing import Reproduction, chosen, compared
from experiments.states import state_of

ROOT = Path(__file__).resolve().parents[2]
ITEMS = registry.items()
needs_data = pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="CALIB_DATA is not set")


# What there is


def test_every_published_file_is_a_table_that_can_be_reproduced():
    files = {content.file for _, content in ITEMS.values() if isinstance(content, Table)}
    left = {path.stem for path in (RESULTS / "published").glob("*.csv")} - files
    assert left == {"naeini2016_table7_complexity"}  # formulas; its item is a study of the cost
    assert "naeini2016/table7" in ITEMS


def test_every_figure_of_a_chapter_is_an_item():
    text = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "notebooks").glob("*.ipynb"))
    drawn = re.findall(r'"name": "(fig-[\w-]+)"', text)
    figures = [c.name for _, c in ITEMS.values() if isinstance(c, ChapterFigure)]
    assert len(drawn) == len(set(drawn)) and set(figures) == set(drawn)


def test_every_experiment_is_behind_an_item():
    behind = {name for _, content in ITEMS.values() for name in content.experiments}
    assert set(registry.experiments()) <= behind


@pytest.mark.parametrize(
    "content",
    [c for _, c in ITEMS.values() if isinstance(c, Figure)],
    ids=[name for name, (_, c) in ITEMS.items() if isinstance(c, Figure)],
)
def test_a_figure_is_drawn_or_says_why_not(content):
    assert (content.draw is None) == bool(content.missing)


def test_every_chapter_of_an_item_exists():
    for name, (_, content) in ITEMS.items():
        if content.chapter:
            assert (ROOT / "notebooks" / f"{content.chapter}.ipynb").exists(), name


def test_names_stand_for_items_papers_chapters_and_all():
    assert chosen("naeini2016/table1a") == ["naeini2016/table1a"]
    assert chosen("naeini2016/table1") == ["naeini2016/table1a", "naeini2016/table1b"]
    assert chosen("naeini2016/tableI") == chosen("naeini2016/table1")
    names = ["table1", "table2", "table3", "echocardiogram", "trained", "trained_full"]
    assert set(chosen("vovk2014")) == {f"vovk2014/{name}" for name in names}
    assert all(name.startswith("chapter08/") for name in chosen("chapter08"))
    assert chosen("all") == list(ITEMS)


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="unknown item 'naeini2014/tabel1a'.*naeini2014/table1a"):
        chosen("naeini2014/tabel1a")


def test_without_a_name_the_command_lists_all_with_their_state(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["experiments", "reproduce"])
    command.main()
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == list(ITEMS)
    states = {line.split()[0]: line for line in lines}
    assert "recorded" in states["naeini2014/table1a"] and " 37 sets" in states["naeini2016/table4"]
    assert "cannot be had" in states["durfee2022/figure2"]


# From the record


def test_a_table_is_read_from_the_record_and_set_beside_the_paper(tmp_path):
    lines = []
    run = Reproduction(into=tmp_path, say=lines.append)
    assert run("naeini2014/table2b") == {}
    text = "\n".join(lines)
    assert "reads the record results/naeini2014_calibration_size.csv" in text
    assert "naeini2014/table2b.csv, .md" in text
    written = ledger.read_ledger(tmp_path / "naeini2014" / "table2b.csv")
    own = [e for e in ledger.read_ledger() if (e.paper, e.table) == ("naeini2014", "table2b")]
    count = ledger.totals(own)[ledger.UNEXPLAINED]
    assert count and f"differs: not explained: {count}" in text
    for new, old in zip(written, own, strict=True):
        assert (new.row, new.column, new.verdict) == (old.row, old.column, old.verdict)
    assert (tmp_path / "naeini2014" / "table2b.md").read_text(encoding="utf-8") in text


@pytest.mark.parametrize("item", ["naeini2014/figure2", "durfee2022/figure4"])
def test_a_figure_is_drawn_as_svg_and_pdf_with_the_rows_behind_it(item, tmp_path):
    assert Reproduction(into=tmp_path, say=lambda line: None)(item) == {}
    path = tmp_path / item
    assert "<svg" in path.with_suffix(".svg").read_text(encoding="utf-8")
    assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    assert len(pd.read_csv(path.with_suffix(".csv"))) > 50


def test_what_cannot_be_had_is_said(tmp_path):
    lines = []
    run = Reproduction(into=tmp_path, say=lines.append)
    assert run("naeini2015/figure1") == {}  # an answer, and no failure
    assert "cannot be had" in lines[-1] and "summary" in lines[-1]
    assert run("naeini2015") == {}  # all of a paper is all that can be had
    assert sum("cannot be had" in line for line in lines) == 3


def test_a_few_random_cases_are_compared_with_the_record(tmp_path):
    lines = []
    run = Reproduction(n_cases=3, into=tmp_path / "new", say=lines.append)
    assert run("naeini2014/table1a") == {}
    assert re.search("naeini2014_rings: . of 3 random cases are equal to the record", lines[-1])
    assert "differs" not in lines[-1]
    assert not (tmp_path / "new").exists()


def test_an_audit_tells_equal_cases_from_different_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(auditing, "_moved", lambda *_: set())  # has a test of its own, below
    name = "naeini2014_rings"
    known = {name: registry.experiments()[name]}
    for suffix in ["csv", "json"]:
        shutil.copy(RESULTS / f"{name}.{suffix}", tmp_path)
    found = auditing.audit(10, 5, 1, known=known, folder=tmp_path, say=lambda line: None)
    assert found["equal"] + found["close"] == 2  # on another processor close
    assert (found["different"], found["left_out"]) == (0, 0)
    assert re.match("[0-9a-f]{40}", found["commit"]) and found["machine"]["packages"]["numpy"]
    path = tmp_path / "naeini2014_rings.csv"
    rows = pd.read_csv(path)
    for gap, said in [(1e-3, "close"), (0.5, "different")]:
        (rows.assign(RMSE=rows["RMSE"] + gap)).to_csv(path, index=False)
        found = auditing.audit(10, 5, 1, known=known, folder=tmp_path, say=lambda line: None)
        assert found[said] == 2 and f"by {gap:.1g}"[:5] in found["cases"][0]["answer"]
    rows.assign(RMSE=np.inf).to_csv(path, index=False)  # is never close to a number
    found = auditing.audit(10, 5, 1, known=known, folder=tmp_path, say=lambda line: None)
    assert found["different"] == 2
    found = auditing.audit(10, 0, 1, known=known, folder=tmp_path, say=lambda line: None)
    assert found["left_out"] == 2


def test_a_case_is_undecided_only_where_last_digits_move_what_differs(monkeypatch):
    experiment = registry.experiments()["naeini2014_rings"]
    case, rows = recorded_cases(experiment)[0]
    column = next(place for place, key in enumerate(rows[0]) if key == "RMSE")
    wrong = [{**row, "RMSE": "0.9"} for row in rows]
    places = {column + k * len(rows[0]) for k in range(len(rows))}
    assert auditing._moved(experiment, case, rows) == set()  # computed by another process
    assert auditing.compared_case(experiment, case, wrong).startswith("differs")
    for moved, said in [(places, "undecided"), (places - {column}, "differs")]:
        monkeypatch.setattr(auditing, "_moved", lambda *_, moved=moved: moved)
        assert auditing.compared_case(experiment, case, wrong).startswith(said)
    kept = auditing.compared_case(experiment, case, rows)
    assert kept == auditing.EQUAL or kept.startswith("close")


def test_an_audit_leaves_out_what_an_accelerator_drew():
    experiment = replace(registry.experiments()["naeini2014_rings"], accelerator="of another kind")
    found = auditing.compared_case(experiment, *recorded_cases(experiment)[0])
    assert found.startswith("left out") and found.endswith("of another kind")
    drawn = {name for name, one in registry.experiments().items() if one.accelerator}
    assert drawn == {"durfee2022_full"}


@pytest.mark.slow
def test_a_figure_of_a_chapter_is_drawn_by_its_notebook(tmp_path):
    lines = []
    run = Reproduction(into=tmp_path, say=lines.append)
    run("chapter01/fig-c1-reliability")
    path = tmp_path / "chapter01" / "fig-c1-reliability"
    assert "<svg" in path.with_suffix(".svg").read_text(encoding="utf-8")
    assert path.with_suffix(".pdf").read_bytes().startswith(b"%PDF")
    run("chapter01/fig-c1-reliability")
    assert lines[-1].endswith("(drawn before)")


# Computed


@pytest.fixture
def results(tmp_path):
    """A copy of the records, to be damaged."""
    folder = tmp_path / "results"
    folder.mkdir()
    for path in RESULTS.glob("*.*"):
        if path.is_file():
            shutil.copy(path, folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("item", "name"),
    [("naeini2014/table1a", "naeini2014_rings"), ("naeini2016/table1b", "naeini2016_rings")],
)
def test_a_record_that_was_deleted_comes_again(item, name, results, tmp_path):
    for suffix in ["csv", "json"]:
        (results / f"{name}.{suffix}").unlink()
    lines = []
    Reproduction(n_jobs=1, into=tmp_path, results=results, say=lines.append)(item)
    assert re.search(r"20 of 20 cases of \w+ are not recorded: running them", "\n".join(lines))
    assert_the_same(name, results, tolerance=2e-3)  # the last bits of a processor move margins


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize(
    ("item", "name", "case"),
    [
        ("vovk2014/table2", "vovk2014_splits", {"dataset": "labor", "classifier": "NB"}),
        (
            "durfee2022/table1",
            "durfee2022_lift",
            {"dataset": "credit_default", "inputs": "raw", "size": "S", "regularisation": "none"},
        ),
    ],
)
def test_cases_that_were_deleted_come_again(item, name, case, results, tmp_path):
    rows = pd.read_csv(results / f"{name}.csv", dtype=str)
    gone = (rows[list(case)] == list(case.values())).all(axis=1)
    assert gone.any()
    rows[~gone].to_csv(results / f"{name}.csv", index=False)
    Reproduction(n_jobs=1, into=tmp_path, results=results, say=lambda line: None)(item)
    assert_the_same(name, results, tolerance=2e-3)


def assert_the_same(name, folder, *, tolerance):
    line = compared(name, folder)
    if line != "equal to the record in every digit":
        assert float(re.search(r"record is ([\d.e+-]+)", line)[1]) <= tolerance


@pytest.mark.slow
def test_fresh_computes_anew_leaves_the_record_alone_and_compares(tmp_path):
    before = (RESULTS / "naeini2016_rings.csv").read_bytes()
    lines = []
    run = Reproduction(fresh=True, n_jobs=1, into=tmp_path, say=lines.append)
    run("naeini2016/table1a")
    text = "\n".join(lines)
    assert "computing naeini2016_rings anew: 20 cases" in text and "record" in text
    assert (RESULTS / "naeini2016_rings.csv").read_bytes() == before
    assert (tmp_path / "fresh" / "naeini2016_rings.csv").exists()
    assert not list((tmp_path / "unfinished").iterdir())


def test_fresh_runs_no_program_that_writes_over_the_record(tmp_path):
    lines = []
    Reproduction(fresh=True, into=tmp_path, say=lines.append)("naeini2016/table7")
    assert "cannot be had" in lines[-1] and "benchmarks/cost.py" in lines[-1]


def test_fresh_trains_no_networks_for_a_table(monkeypatch, tmp_path):
    computed = []
    monkeypatch.setattr(
        Reproduction,
        "_compute",
        lambda self, experiment, seconds: computed.append(experiment.name) or RESULTS,
    )
    Reproduction(fresh=True, into=tmp_path, say=lambda line: None)("durfee2022/table2")
    assert computed == ["durfee2022_lift"]


def test_comparing_tells_how_far_the_rows_are(tmp_path):
    rows = (RESULTS / "naeini2016_rings.csv").read_text()
    changed = rows.replace("0.516652", "0.516752", 1)
    assert changed != rows
    (tmp_path / "naeini2016_rings.csv").write_text(changed)
    line = compared("naeini2016_rings", tmp_path)
    assert line == "the largest difference from the record is 0.0001, in the column AUC"
    (tmp_path / "naeini2016_rings.csv").write_text(rows.rsplit("\n", 2)[0] + "\n")
    assert "other rows" in compared("naeini2016_rings", tmp_path)


# Killed

SLOW = """
import sys, time
from pathlib import Path
from experiments import Experiment, record

folder = Path(sys.argv[1])

def run_case(case):
    with (folder / "begun").open("a") as file:
        file.write(f"{case['run']}\\n")
    time.sleep(0.02)
    return [{"value": case["run"] / 7}]

record(
    Experiment("slow", "A slow one", 1, lambda: [{"run": k} for k in range(60)], run_case),
    folder=folder,
    n_jobs=1,
)
"""


def begun(folder):
    path = folder / "begun"
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.mark.parametrize("after", [1, 7, 20])
def test_a_run_that_is_killed_loses_the_case_in_hand_alone(after, tmp_path):
    program = [sys.executable, "-c", SLOW, str(tmp_path)]
    process = subprocess.Popen(program, cwd=ROOT)
    while begun(tmp_path) < after:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_begun = begun(tmp_path)
    table = tmp_path / "slow.csv"
    n_recorded = len(pd.read_csv(table)) if table.exists() else 0
    assert n_recorded >= n_begun - 1
    subprocess.run(program, cwd=ROOT, check=True)
    assert begun(tmp_path) == 60 + n_begun - n_recorded
    assert pd.read_csv(table)["run"].tolist() == list(range(60))
    assert json.loads((tmp_path / "slow.json").read_text())["rows"] == 60


@pytest.mark.slow
def test_the_command_goes_on_after_it_was_killed(tmp_path):
    program = [sys.executable, "-m", "experiments", "reproduce", "naeini2014/table1a"]
    program += ["--fresh", "--jobs", "1", "--into", str(tmp_path)]
    process = subprocess.Popen(program, cwd=ROOT, stdout=subprocess.DEVNULL)
    table = tmp_path / "unfinished" / "naeini2014_rings.csv"
    while not (table.exists() and len(pd.read_csv(table)) >= 3 * 14):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = 20 - len(pd.read_csv(table)) // 14
    assert 0 < left < 20
    done = subprocess.run(program, cwd=ROOT, check=True, capture_output=True, text=True)
    assert f"computing naeini2014_rings anew: {left} cases that are left of 20" in done.stdout
    assert "record" in done.stdout and "agrees: 23" in done.stdout
    assert_the_same("naeini2014_rings", tmp_path / "fresh", tolerance=2e-3)


def test_the_state_of_an_item_counts_what_is_not_recorded(monkeypatch, tmp_path):
    monkeypatch.setattr("experiments.states.n_missing", lambda one: (2, 20))
    assert state_of(ITEMS["naeini2014/table1a"][1]) == "not recorded: 2 of 20 cases"
