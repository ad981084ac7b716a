"""Cases that a tie of two optima decides, and what an audit says of them."""

import csv

import numpy as np
import pytest

from experiments import auditing
from experiments.auditing import TIES, compared_case
from experiments.benchmark.undecided import CASES, edges
from experiments.recording import RESULTS, Experiment

CASE = CASES[0]
KNOWN = list(csv.DictReader(TIES.read_text(encoding="utf-8").splitlines()))


def experiment(row, name="benchmark"):
    return Experiment(name=name, title="", seed=0, cases=lambda: [CASE], run_case=lambda _: [row])


def rows_of(log_loss, **changes):
    row = {"dataset": "mushrooms", "model": "logistic", "split": "2", "points": "200"}
    return row | {"calibrator": "Beta", "log_loss": log_loss} | changes


@pytest.mark.parametrize(
    ("new", "old", "answer"),
    [
        ("0.04296", "0", "undecided"),
        ("0", "0.04296", "undecided"),
        ("0.2", "0", "differs"),
        ("0", "0.2", "differs"),
        ("0.04296", "0.04296", "equal"),
    ],
)
def test_a_tie_is_undecided_within_its_spread_alone(monkeypatch, new, old, answer):
    monkeypatch.setattr(auditing, "_moved", lambda *_: set())
    found = compared_case(experiment(rows_of(new)), CASE, [rows_of(old)])
    assert found.split(":")[0] == answer


@pytest.mark.parametrize("changes", [{"calibrator": "Platt"}, {"points": "2000"}])
def test_other_rows_of_the_case_are_no_tie(monkeypatch, changes):
    monkeypatch.setattr(auditing, "_moved", lambda *_: set())
    new, old = rows_of("0.04296", **changes), rows_of("0", **changes)
    assert compared_case(experiment(new), CASE, [old]).startswith("differs")
    same = rows_of("0.04296")
    assert compared_case(experiment(same, name="other"), CASE, [rows_of("0")]).startswith("differs")


def test_the_record_of_the_benchmark_is_one_of_the_two_fits():
    with (RESULTS / "benchmark.csv").open(newline="", encoding="utf-8") as file:
        recorded = list(csv.DictReader(file))
    for case in CASES:
        where = {name: str(value) for name, value in case.items()}
        where |= {"points": "200", "calibrator": "Beta"}
        (row,) = (one for one in recorded if where.items() <= one.items())
        fits = [one for one in KNOWN if where.items() <= one.items()]
        losses = [float(one["log_loss"]) for one in fits]
        assert float(row["log_loss"]) in losses and max(losses) - min(losses) > 0.04
        totals = [float(one["loss"]) for one in fits]
        assert totals[0] == pytest.approx(totals[1], abs=1e-12)


def test_two_fits_of_separated_classes_have_one_loss_and_differ_elsewhere():
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.uniform(0.01, 0.3, 50), rng.uniform(0.9, 0.99, 50)])
    labels = np.repeat([0, 1], 50)
    (loss, p), (other_loss, q) = edges(scores, labels, np.array([0.45, 0.6, 0.75]))
    assert max(loss, other_loss) < 1e-12 and np.abs(p - q).max() > 0.5
