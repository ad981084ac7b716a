"""The job of a forecaster: from percentages, as a spreadsheet writes them, to a verification.

Six steps: two messages that name flags, the report that says to divide by 100, the division, the
report with the skill score, and the map. With version 0.2.0 the job took eight: three messages
named one flag each, and the skill score had to be computed by hand.
"""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from jobs import run, written
from scipy.special import expit, logit

from calib.metrics import score_decomposition

FORM = "--separator ';' --decimal ,"
FIRST_TRY = "calib report rain.csv --score 'rain %' --label result -o rain.html"
SECOND_TRY = f"{FIRST_TRY} {FORM}"
THIRD_TRY = f"{SECOND_TRY} --positive yes"
REPORT = f"calib report rain.csv --score p --label result --positive yes {FORM} --json -o rain.json"
FIT = f"calib fit rain.csv --score p --label result --positive yes {FORM} -o map.json"


@pytest.fixture
def forecasts(tmp_path, monkeypatch):
    """Forecasts in [0, 1] and their outcomes, of which the folder has a file of percentages."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = rng.beta(1.2, 2, 4000).clip(0.01, 0.99)
    percent = np.round(100 * expit(1.7 * logit(truth)), 1)
    outcomes = rng.random(4000) < truth
    rows = [
        (day, str(cell).replace(".", ","), "yes" if rain else "no")
        for day, (cell, rain) in enumerate(zip(percent, outcomes, strict=True))
    ]
    written(tmp_path / "rain.csv", ["day", "rain %", "result"], rows, separator=";")
    return percent / 100, outcomes


def flags_named(message):
    """The flags that the end of a message tells to pass."""
    return shlex.split(re.search(r"(?:pass|with) (--(?!score)[^:]*)$", message.strip())[1])


def test_from_percentages_to_a_skill_score_and_calibrated_forecasts(forecasts, capfd):
    assert run(FIRST_TRY) == [2]
    assert flags_named(capfd.readouterr().err) == ["--separator", ";", "--decimal", ","]
    assert run(SECOND_TRY) == [2]
    assert flags_named(capfd.readouterr().err) == ["--positive", "VALUE"]
    assert run(THIRD_TRY) == [0]
    advice = "First see whether the scores are percentages. If so, divide them by 100"
    assert advice in capfd.readouterr().err
    divided_by_100("rain.csv")
    assert run(REPORT) == [0]
    assert "Miscalibrated" in capfd.readouterr().err
    measured = {
        measure["key"]: measure for measure in json.loads(Path("rain.json").read_text())["measures"]
    }
    p, outcomes = forecasts
    parts = score_decomposition(outcomes, p, loss="brier")
    skill = 1 - parts.score / parts.uncertainty
    assert measured["brier_skill"]["value"] == pytest.approx(skill)
    assert measured["ece"]["value"] > 3 * measured["ece"]["floor"]
    assert run(FIT) == [0]


def divided_by_100(path):
    """Divide the column by 100, as in a spreadsheet, and call it p."""
    header, *lines = Path(path).read_text().splitlines()
    rows = [line.split(";") for line in lines]
    divided = [
        (day, repr(round(float(cell.replace(",", ".")) / 100, 3)).replace(".", ","), result)
        for day, cell, result in rows
    ]
    written(Path(path), [header.replace("rain %", "p")], divided, separator=";")
