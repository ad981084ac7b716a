"""JSON lines, the logs of decision models: from the file to a report and to a threshold."""

import json
import sys

import numpy as np
import pytest

from calibkit.cli import main
from calibkit.cli.read import read_scores
from calibkit.cli.tables import InputError
from calibkit.inference import risk_controlled_threshold, risk_controlled_thresholds

COLUMNS = ["--score", "p", "--label", "expect"]


def records(n=1200):
    rng = np.random.default_rng(0)
    p = rng.beta(2, 0.5, n).round(2).tolist()
    hits = (rng.random(n) < p).tolist()
    questions = ["mail", "chat"] * (n // 2)
    return [
        {"id": i, "question": question, "p": p[i], "expect": hits[i]}
        for i, question in enumerate(questions)
    ]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def log(tmp_path):
    return write(tmp_path / "log.jsonl", records())


def test_the_rows_are_those_of_the_file(log):
    read = read_scores(log, score="p", label="expect", group="question")
    assert read.scores.tolist() == [row["p"] for row in records()]
    assert read.labels.tolist() == [row["expect"] for row in records()]
    assert read.groups.tolist() == [row["question"] for row in records()]


def test_a_key_that_a_line_lacks_is_a_missing_cell(tmp_path):
    rows = records(6)
    del rows[2]["p"]
    rows[4]["expect"] = None
    log = write(tmp_path / "log.jsonl", rows)
    with pytest.raises(InputError, match="line 3, column 'p'.*missing"):
        read_scores(log, score="p", label="expect")
    read = read_scores(log, score="p", label="expect", drop_missing=True)
    assert read.scores.tolist() == [rows[i]["p"] for i in (0, 1, 3, 5)]


def test_a_damaged_line_and_a_missing_package_are_said(tmp_path, log, monkeypatch):
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text('{"p": 0.5, "expect": true}\n{"p": 0.5, "expect"\n')
    with pytest.raises(InputError, match="cannot be read as JSON lines"):
        read_scores(damaged, score="p", label="expect")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(InputError, match="JSON lines, which need DuckDB: pip install"):
        read_scores(log, score="p", label="expect")


def test_apply_writes_text_from_json_lines(log, tmp_path):
    fitted, table = str(tmp_path / "map.json"), tmp_path / "table.csv"
    assert main(["fit", log, *COLUMNS, "--method", "platt", "-o", fitted]) == 0
    assert main(["apply", fitted, log, "--score", "p", "-o", str(table)]) == 0
    lines = table.read_text().splitlines()
    assert lines[0] == "id,question,p,expect,calibrated"
    assert len(lines) == 1 + len(records())


def test_counts_of_json_lines_are_those_of_the_rows(log, tmp_path):
    counts = str(tmp_path / "counts.csv")
    assert main(["counts", log, *COLUMNS, "-o", counts]) == 0
    read = read_scores(counts, score="p", label="expect", weight="count")
    positives = sum(row["expect"] for row in records())
    assert read.weights.sum() == len(records())
    assert (read.weights * read.labels).sum() == positives


def test_from_a_log_to_a_verdict_a_threshold_and_a_monitor(log, tmp_path, capsys):
    """The job of the page: three commands on one file."""
    page = tmp_path / "report.html"
    assert main(["report", log, *COLUMNS, "--group", "question", "-o", str(page)]) == 0
    assert "No evidence of miscalibration" in page.read_text()
    capsys.readouterr()
    promise = ["--group", "question", "--max-error", "0.1", "--json"]
    assert main(["threshold", log, *COLUMNS, *promise]) == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    read = read_scores(log, score="p", label="expect", group="question")
    found = risk_controlled_thresholds(read.labels, read.scores, read.groups, max_error=0.1)
    assert [line["threshold"] for line in printed] == [found[g].threshold for g in ("chat", "mail")]
    assert all(0.3 < line["share"] < 0.9 for line in printed)
    assert main(["monitor", log, *COLUMNS, "--state", str(tmp_path / "state.json")]) == 0


def test_threshold_in_words(log, capsys):
    assert main(["threshold", log, *COLUMNS, "--max-error", "0.1"]) == 0
    read = read_scores(log, score="p", label="expect")
    found = risk_controlled_threshold(read.labels, read.scores, max_error=0.1)
    said = f"accept from {found.threshold:g} on, which automates {found.share:.1%} of the rows"
    assert said in capsys.readouterr().out
    assert main(["threshold", log, *COLUMNS, "--max-error", "0.001"]) == 0
    assert "no threshold can be promised" in capsys.readouterr().out


@pytest.mark.parametrize("flag", ["--weight", "--cluster"])
def test_threshold_refuses_what_is_not_proved(flag, log, capfd):
    assert main(["threshold", log, *COLUMNS, "--max-error", "0.1", flag, "id"]) == 2
    assert "proved for independent rows only" in capfd.readouterr().err
