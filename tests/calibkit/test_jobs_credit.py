"""The job of a credit analyst: from a file of a scorecard to probabilities of default in service.

Five commands. A scorecard increases where default is less likely. With version 0.2.0 the job took
seven, because `calib fit` wrote a constant map of such a score without a word: the analyst saw it
in the output of `apply` only, and fitted and applied another method.
"""

import csv
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from jobs import run, written
from scipy.special import expit

JOB = """
calib report dev.csv --score score --label default_flag -o report.html
calib fit dev.csv --score score --label default_flag -o pd.json
calib export pd.json --to sql --score score --max-pieces 100 --threshold 0.1 -o pd.sql
calib apply pd.json january.csv --score score -o january_pd.csv
calib monitor january_pd.csv --score calibrated --label default_flag --state state.json
"""
NEXT_MONTH = """
calib apply pd.json june.csv --score score -o june_pd.csv
calib monitor june_pd.csv --score calibrated --label default_flag --state state.json
"""
LEVEL = -4.2  # log-odds of default at the mean quality


def accounts(path, n, seed, level=LEVEL):
    """Write the accounts of a month, and return their true probabilities of default."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=n)
    truth = expit(level - 1.3 * quality)
    score = np.round(600 + 60 * (quality + 0.3 * rng.normal(size=n))).astype(int)
    default = (rng.random(n) < truth).astype(int)
    rows = ((f"{i:07d}", s, d) for i, (s, d) in enumerate(zip(score, default, strict=True)))
    written(path, ["account", "score", "default_flag"], rows)
    return truth


def columns(path, *names):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return [np.array([row[name] for row in rows]) for name in names]


@pytest.fixture
def truth(tmp_path, monkeypatch):
    """The true probabilities of the accounts of January, whose file lies in the folder."""
    monkeypatch.chdir(tmp_path)
    accounts(tmp_path / "dev.csv", 20_000, seed=1)
    accounts(tmp_path / "june.csv", 3000, seed=3, level=LEVEL + 1)
    return accounts(tmp_path / "january.csv", 3000, seed=2)


def test_from_a_scorecard_to_probabilities_in_service(truth, capfd):
    assert run(JOB) == [0, 0, 0, 0, 0]
    said = capfd.readouterr().err
    assert "calib fit: warning: scores are turned round" in said
    names, scores, pd = columns("january_pd.csv", "account", "score", "calibrated")
    assert names[7] == "0000007"
    pd = pd.astype(float)

    assert pd.sum() == pytest.approx(truth.sum(), rel=0.1)
    for grade in np.array_split(np.argsort(pd), 5):
        assert pd[grade].mean() == pytest.approx(truth[grade].mean(), abs=0.01)

    case = Path("pd.sql").read_text()
    rows = [(int(score),) for score in scores]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE accounts (score)")
    database.executemany("INSERT INTO accounts VALUES (?)", rows)
    by_sql = [value for (value,) in database.execute(f"SELECT {case} FROM accounts")]
    np.testing.assert_allclose(by_sql, pd, rtol=0, atol=1e-4)
    cut = float(case.split("the score is <= ")[1].split()[0])
    assert set(pd[scores.astype(int) <= cut] >= 0.1) == {True}
    assert set(pd[scores.astype(int) > cut + 1] >= 0.1) == {False}


def test_the_monitor_finds_the_month_in_which_defaults_rose(truth, capfd):
    run(JOB)
    assert "alarm" in capfd.readouterr().out
    assert run(NEXT_MONTH) == [0, 1]
    assert "calibration (since about batch" in capfd.readouterr().out
