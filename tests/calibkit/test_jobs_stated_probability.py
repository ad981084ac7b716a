"""The job of whoever acts on a stated probability: from a log to a threshold, a map and a monitor.

Five commands. With version 0.2.0 the job took seven steps: JSON lines were refused, so a program
had to write a table first, and another program found the threshold, without a promise.
"""

import json

import numpy as np
import pytest
from jobs import run

COLUMNS = "--score p --label expect --group question"
JOB = f"""
calib report log.jsonl {COLUMNS} --max-error 0.1 -o report.html
calib threshold log.jsonl {COLUMNS} --max-error 0.1 --json
calib fit log.jsonl --score p --label expect -o map.json
calib apply map.json week.jsonl --score p -o week.csv
calib monitor week.csv --score calibrated --label expect --group question --state state.json
"""
QUESTIONS = ("is it spam", "refund")


def log(path, seed, n=4000):
    """Write a log of an over-confident model, and return stated and true probabilities."""
    rng = np.random.default_rng(seed)
    stated = (0.01 + 0.98 * rng.beta(2, 0.5, n)).round(2)
    truth = stated**0.7 / (stated**0.7 + (1 - stated) ** 0.7)
    outcomes = rng.random(n) < truth
    lines = [
        json.dumps({"question": QUESTIONS[case % 2], "p": p, "expect": bool(outcome)})
        for case, (p, outcome) in enumerate(zip(stated.tolist(), outcomes, strict=True))
    ]
    path.write_text("".join(f"{line}\n" for line in lines))
    return stated, truth


def test_from_a_log_to_a_threshold_a_map_and_a_monitor(tmp_path, monkeypatch, capfd):
    pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    stated, truth = log(tmp_path / "log.jsonl", seed=1)
    log(tmp_path / "week.jsonl", seed=2, n=1000)
    assert run(JOB) == [0, 0, 0, 0, 0]
    printed, said = capfd.readouterr()
    assert "too extreme" in said
    promises = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert sorted(promise["group"] for promise in promises) == sorted(QUESTIONS)
    for promise in promises:
        cases = np.arange(stated.size) % 2 == QUESTIONS.index(promise["group"])
        accepted = cases & (stated >= promise["threshold"])
        assert accepted.sum() == promise["n_accepted"] > 500
        assert 1 - truth[accepted].mean() < 0.12  # the promise of 0.1 holds in 95 of 100 logs
    assert "A threshold with a promise" in (tmp_path / "report.html").read_text(encoding="utf-8")
