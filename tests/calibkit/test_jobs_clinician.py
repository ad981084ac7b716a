"""The job of a clinical statistician: from a file of patients to the finished clinical report."""

import json
import re
import shlex

import numpy as np
import pytest
from scipy.special import expit, logit

import calib
from calibkit.cli import main
from calibkit.deployment import load_map
from calibkit.inference import (
    brier_skill_interval,
    curve_distance_intervals,
    decision_curve,
    recalibration_intervals,
    recalibration_test,
)
from calibkit.report import make_report

ITEMS = ["10", "11", "12d", "12e", "12f", "15", "20a", "23a", "23b", "24"]
COLUMNS = ["--score", "predicted risk (%)", "--label", "died in 30 days"]


@pytest.fixture
def patients(tmp_path, monkeypatch):
    """A file as a hospital exports it: semicolons, decimal commas, words, and missing cells."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 3000
    risk = expit(rng.normal(-1.2, 1.2, n)).round(4)
    hospital = rng.integers(0, 60, n)
    effect = rng.normal(0, 0.2, 60)[hospital]
    died = (rng.random(n) < expit(-0.3 + 0.8 * logit(risk) + effect)).astype(int)
    lines = ["hospital;sex;predicted risk (%);died in 30 days"]
    for k in range(n):
        cell = "" if k % 100 == 99 else str(risk[k]).replace(".", ",")
        lines.append(f"H{hospital[k]:02};{'fm'[k % 2]};{cell};{'yes' if died[k] else 'no'}")
    (tmp_path / "patients.csv").write_text("\n".join(lines))
    kept = np.arange(n) % 100 != 99
    return died[kept], risk[kept], hospital[kept]


READING = ["--separator", ";", "--decimal", ",", "--positive", "yes", "--drop-missing"]
JOB = ["report", "patients.csv", *COLUMNS, *READING, "--cluster", "hospital", "--group", "sex"]


def test_one_command_from_the_file_to_the_report(patients, capsys, tmp_path):
    """The text has all items in the order of the checklist, with the numbers of the functions."""
    assert main([*JOB, "--threshold", "0.2", "--clinical", "-o", "report.html"]) == 0
    text = capsys.readouterr().out
    assert re.findall(r"^(\d+\w?) ", text, re.M) == ITEMS
    died, risk, hospital = patients
    line = recalibration_intervals(died, risk, clusters=hospital)
    distances = curve_distance_intervals(died, risk, clusters=hospital)
    skill = brier_skill_interval(died, risk, clusters=hospital)
    for name, interval in [
        ("Calibration slope", line.slope),
        ("ICI", distances.ici),
        ("E90", distances.e90),
        ("Scaled Brier score", skill),
    ]:
        printed = f"{name}: {interval.estimate:.3f} ({interval.lower:.3f} to {interval.upper:.3f})"
        assert printed in text
    joint = recalibration_test(died, risk, clusters=hospital)
    assert f"Joint test of intercept 0 and slope 1: {joint.statistic:.3f}, p < 0.001" in text
    assert f"Observed / expected: {died.mean() / risk.mean():.3f} (" in text
    curve = decision_curve(died, risk, thresholds=[0.2])
    assert f"standardised {curve.standardised[0]:.3f}" in text
    assert f"{died.sum():,} with the outcome" in text
    assert "30 rows" in text  # those that were left out
    assert "60 clusters" in text
    assert "Group f:" in text and "Group m:" in text
    assert "not made with clusters" in text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<h2 id="tripod+ai">TRIPOD+AI</h2>' in page
    assert "Smooth calibration curves" in page
    assert all(f"<h3>{item} " in page for item in ITEMS)


def test_the_numbers_are_also_written_for_programs(patients, capsys, tmp_path):
    assert main([*JOB, "--clinical", "--json", "-o", "report.json"]) == 0
    capsys.readouterr()
    clinical = json.loads((tmp_path / "report.json").read_text())["clinical"]
    assert [item["number"] for item in clinical["items"]] == ITEMS
    assert [curve["method"] for curve in clinical["curves"]] == ["loess", "spline"]
    performance = clinical["items"][ITEMS.index("23a")]
    keys = [estimate["key"] for estimate in performance["estimates"]]
    assert keys == [
        *["observed_over_expected", "in_the_large", "slope", "intercept"],
        *["ici", "e50", "e90", "emax", "brier_skill", "brier", "auc"],
    ]
    assert all(estimate["lower"] is not None for estimate in performance["estimates"])
    assert [decision["threshold"] for decision in performance["decisions"]] == [
        *[0.05, 0.1, 0.2, 0.3, 0.5]
    ]
    for curve in clinical["curves"]:
        lower, observed, upper = map(np.array, (curve["lower"], curve["observed"], curve["upper"]))
        assert np.all((lower <= observed) & (observed <= upper))


def test_without_clusters_the_update_is_tested(patients, capsys):
    assert main(["report", "patients.csv", *COLUMNS, *READING, "--clinical"]) == 0
    text = capsys.readouterr().out
    assert "A new intercept and slope is chosen. The logits become" in text
    assert "No clusters were named" in text


def test_the_advice_of_the_report_can_be_followed(patients, capsys, tmp_path):
    """The command that the report names fits the default without splitting a hospital."""
    made = ["report", "patients.csv", *COLUMNS, *READING, "--cluster", "hospital"]
    assert main([*made, "--clinical", "--json", "-o", "report.json"]) == 0
    capsys.readouterr()
    advice = " ".join(json.loads((tmp_path / "report.json").read_text())["advice"])
    (command,) = re.findall(r"(calib fit .*? -o map\.json)", advice)
    assert "--cluster hospital" in command
    assert main(shlex.split(command)[1:]) == 0
    died, risk, hospital = patients
    names = [f"H{number:02}" for number in hospital]
    expected = calib.StackedCalibrator().fit(risk, died, groups=names)
    stored = load_map(tmp_path / "map.json")
    np.testing.assert_allclose(stored(risk), expected.predict(risk), atol=1e-12)
    assert (
        main(
            [
                "fit",
                "patients.csv",
                *COLUMNS,
                *READING,
                *"--cluster hospital".split(),
                *"--method platt -o platt.json".split(),
            ]
        )
        == 2
    )
    assert "--method platt splits no folds" in capsys.readouterr().err


def test_the_page_may_only_be_left_out_with_the_checklist(patients, capsys):
    assert main(["report", "patients.csv", *COLUMNS, *READING]) == 2
    assert "name a file for the page with -o" in capsys.readouterr().err


def test_margins_are_refused(tmp_path, capsys):
    (tmp_path / "margins.csv").write_text("s,y\n" + "-2.5,0\n1.5,1\n" * 30)
    margins = str(tmp_path / "margins.csv")
    assert main(["report", margins, "--score", "s", "--label", "y", "--clinical"]) == 2
    assert "--clinical: the checklist asks for predicted risks" in capsys.readouterr().err


def items_of(made):
    return {item.number: item for item in made.clinical.items}


def test_predictions_of_0_have_no_line_and_say_so():
    rng = np.random.default_rng(1)
    p = rng.random(300).round(1)
    made = make_report(p, rng.random(300) < p, clinical=True)
    performance = items_of(made)["23a"]
    assert performance.tests == ()
    assert "no finite line fits" in performance.sentences[0]
    assert "No update is tested" in items_of(made)["24"].sentences[0]
    assert [curve.method for curve in made.clinical.curves] == ["loess"]
    assert "Calibration slope: No finite line" in made.clinical_text()


def test_weights_from_sampling_get_what_is_proved_for_them():
    rng = np.random.default_rng(2)
    p = expit(rng.normal(-1, 1, 800))
    weights = rng.choice([0.5, 1.7], 800)
    labels = rng.random(800) < p
    made = make_report(p, labels, sample_weight=weights, clinical=True)
    estimates = {estimate.key: estimate for estimate in items_of(made)["23a"].estimates}
    assert estimates["ici"].value is None
    assert "not for such weights" in estimates["ici"].note
    assert estimates["slope"].lower < 1 < estimates["slope"].upper
    assert made.clinical.curves == ()
    positives = re.findall(r"800 in all: (\d+) with", items_of(made)["20a"].sentences[0])
    assert int(positives[0]) == labels.sum()
    assert "weights are no counts" in items_of(made)["12d"].sentences[0]
    made.to_json()
    made.to_html()


def test_counts_give_the_items_of_the_rows():
    rng = np.random.default_rng(3)
    p = expit(rng.normal(-1, 1, 600)).round(2).clip(0.01, 0.99)
    labels = (rng.random(600) < p).astype(int)
    cells, counts = np.unique(np.stack([p, labels]), axis=1, return_counts=True)
    of_rows = make_report(p, labels, clinical=True)
    of_counts = make_report(cells[0], cells[1], sample_weight=counts, clinical=True)
    for number in ("20a", "23a", "24"):
        ours, theirs = items_of(of_counts)[number], items_of(of_rows)[number]
        assert ours.sentences == theirs.sentences
        for one, other in zip(ours.estimates, theirs.estimates, strict=True):
            assert one.value == pytest.approx(other.value, rel=1e-9)
            assert one.upper == pytest.approx(other.upper, rel=1e-6)


def test_few_patients_of_one_class():
    made = make_report([0.2, 0.3, 0.4, 0.1], [0, 0, 0, 0], clinical=True)
    assert "Scaled Brier score: Needs both classes." in made.clinical_text()
    assert "Guidance asks for 100 rows of each class" in made.clinical_text()
    made.to_json()
    made.to_html()
    assert make_report([0.2, 0.3, 0.4, 0.1], [0, 0, 0, 0]).clinical_text() == ""
