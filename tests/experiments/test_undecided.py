"""Cases that a tie of two optima decides, and what an audit says of them."""

import csv

import numpy as np
import pytest

from experiments import auditing
from experiments.auditing import TIES, compared_case
from experiments.benchmark.undecided import CASES, edges, is_undecided
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


def numbers(row):
    """A recorded fit with its measures as numbers."""
    words = {"dataset", "model", "calibrator", "at_zero"}
    return {name: text if name in words else float(text) for name, text in row.items()}


def test_the_record_of_the_benchmark_is_one_of_the_two_fits():
    with (RESULTS / "benchmark.csv").open(newline="", encoding="utf-8") as file:
        recorded = list(csv.DictReader(file))
    for case in CASES:
        where = {name: str(value) for name, value in case.items()} | {"calibrator": "Beta"}
        (row,) = (one for one in recorded if where.items() <= one.items())
        fits = [numbers(one) for one in KNOWN if where.items() <= one.items()]
        assert is_undecided(fits, row)


def test_two_fits_are_undecided_only_with_one_loss_other_measures_and_a_record():
    first = {"at_zero": "b", "loss": 9.4, "log_loss": np.inf, "brier": 0.2}
    second = {"at_zero": "a", "loss": 9.4 + 1e-15, "log_loss": 0.3, "brier": 0.2}
    recorded = {"log_loss": "inf", "brier": "0.2", "seconds": "1"}
    assert is_undecided([first, second], recorded)
    assert is_undecided([second, first], recorded | {"log_loss": "0.3"})
    assert not is_undecided([first, second | {"loss": 9.41}], recorded)
    assert not is_undecided([first, first | {"at_zero": "a"}], recorded)
    assert not is_undecided([first, second], recorded | {"log_loss": "0.4"})


def test_two_fits_of_separated_classes_have_one_loss_and_differ_elsewhere():
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.uniform(0.01, 0.3, 50), rng.uniform(0.9, 0.99, 50)])
    labels = np.repeat([0, 1], 50)
    (loss, p), (other_loss, q) = edges(scores, labels, np.array([0.45, 0.6, 0.75]))
    assert max(loss, other_loss) < 1e-12 and np.abs(p - q).max() > 0.5
