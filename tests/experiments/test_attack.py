"""The attack on the inequalities of the book finds what is false, and nothing else."""

import csv
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from experiments.attack import __main__ as command
from experiments.attack.chances import any_of, mean_deviation, sum_of
from experiments.attack.laws import MOST_CELLS, Law, draw, moved
from experiments.attack.of_orders import isotonic
from experiments.attack.samples import mean, quantile
from experiments.attack.search import Found, margin_of, search
from experiments.attack.statements import STATEMENTS
from experiments.chapter_numbers import number_of
from experiments.prerequisites import labels
from experiments.recording import RESULTS

ROOT = Path(__file__).resolve().parents[2]
TRUE = {name: statement for name, statement in STATEMENTS.items() if statement.holds}
FALSE = {name: statement for name, statement in STATEMENTS.items() if not statement.holds}
BY_SAMPLES = [name for name in TRUE if re.match("thm-c3-any|thm-c4-any|thm-c5-high", name)]
RECORDED = command.read(RESULTS, seed=0)
SHARP = [name for name in TRUE if name in RECORDED and RECORDED[name].margin < 1.01]


@pytest.mark.parametrize("statement", TRUE.values(), ids=TRUE)
def test_every_statement_is_in_its_chapter(statement):
    assert number_of(labels()[statement.label]) == statement.chapter


@pytest.mark.parametrize("name", TRUE)
def test_no_statement_fails(name):
    if name in BY_SAMPLES:
        rng = np.random.default_rng(1)
        assert min(margin_of(TRUE[name], draw(rng)) for _ in range(10)) > 1
    else:
        assert not search(TRUE[name], 100, seed=1).violated


@pytest.mark.parametrize("name", FALSE)
def test_the_false_ones_are_found(name):
    found = search(FALSE[name], 2000, seed=1)
    assert found.violated
    assert margin_of(FALSE[name], found.worst) == found.margin
    assert found.worst.mass.max() > 0.3  # a large tie is what breaks them


@pytest.mark.parametrize("name", SHARP)
def test_a_bound_that_is_five_percent_smaller_is_found_out(name):
    """So a search that finds nothing has looked where something could be."""
    sides = TRUE[name].sides

    def tightened(law):
        found = sides(law)
        return found and (found[0], 0.95 * found[1])

    assert search(replace(TRUE[name], sides=tightened, holds=False), 1500, seed=2).violated


def test_the_record_is_complete_and_of_today():
    """Each worst law has the margin that is printed; the laws add up to what the pages say."""
    assert RECORDED.keys() == STATEMENTS.keys()
    assert sum(found.laws for found in RECORDED.values()) >= 100_000
    for name, found in RECORDED.items():
        assert found.violated != STATEMENTS[name].holds
        assert margin_of(STATEMENTS[name], found.worst) == pytest.approx(found.margin, rel=1e-4)
    with (RESULTS / command.TABLE).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["statement"] for row in rows] == list(STATEMENTS)
    for row in rows:
        assert float(row["smallest_margin"]) == pytest.approx(
            RECORDED[row["statement"]].margin, rel=1e-3
        )


def test_a_moved_law_is_a_law_and_survives_its_file():
    rng = np.random.default_rng(3)
    law = draw(rng)
    for _ in range(2000):
        law = moved(law, rng, rng.choice([0.01, 0.5]))
        sizes = {getattr(law, name).size for name in ("mass", "truth", "counts", "group", "spread")}
        assert len(sizes) == 1 and 1 <= law.mass.size <= MOST_CELLS
        assert law.mass.min() > 0 and law.mass.sum() == pytest.approx(1)
        for part in (law.truth, law.prediction):
            assert part.min() >= 0 and part.max() <= 1
        assert law.size >= 1 and np.all((law.positives >= 0) & (law.positives <= law.counts))
        assert np.all(np.diff(law.group) >= 0) and law.group.max() < law.mass.size
        assert 0 < law.alpha < 1 and 0 < law.threshold < 1 and law.n_bins >= 1
    again = Law.from_json(law.to_json())
    assert again.to_json() == law.to_json()
    np.testing.assert_array_equal(again.mass, law.mass)


def test_a_search_goes_on_where_it_stopped():
    statement = STATEMENTS["thm-c5-between"]
    at_once = search(statement, 300, seed=4)
    in_two = search(statement, 300, 4, search(statement, 100, 4))
    assert (at_once.laws, at_once.margin) == (in_two.laws, in_two.margin) and at_once.laws == 300
    assert at_once.worst.to_json() == in_two.worst.to_json()


def test_margins():
    law = draw(np.random.default_rng(5))
    statement = STATEMENTS["thm-bias"]
    for sides, margin in [((0.5, 1), 2), ((0, 1), np.inf), (None, np.inf), ((1, -1), -1)]:
        assert margin_of(replace(statement, sides=lambda law, s=sides: s), law) == margin
    assert Found(1, 0.99).violated and not Found(1, 1 - 1e-9).violated


def test_the_command_says_what_failed(tmp_path, capsys, monkeypatch):
    planted = replace(STATEMENTS["thm-bias"], sides=lambda law: (1.0, 0.5))
    monkeypatch.setitem(STATEMENTS, "thm-bias", planted)
    names = ["--statement", "thm-bias", "--statement", "thm-c5-between"]
    assert command.main(["--laws", "200", *names], folder=tmp_path) == 1
    out, err = capsys.readouterr()
    assert '{"mass": [' in out and err == "not as the book says: thm-bias\n"
    assert command.read(tmp_path, 0)["thm-bias"].violated and command.read(tmp_path, 1) == {}


def test_chances_are_those_of_scipy():
    k = np.arange(8)
    for p in (0.0, 0.3, 0.5, 1.0):
        exact = binom.pmf(k, 7, p) @ np.abs(k / 7 - p)
        assert mean_deviation(np.array([7]), p) == pytest.approx(exact)
    both = sum_of([3, 4], [0.3, 0.3])
    np.testing.assert_allclose(both, binom.pmf(k, 7, 0.3))
    assert any_of(np.array([0.5, 0.5])) == 0.75 and any_of(np.array([1.0])) == 1


def test_isotonic_regression_by_hand():
    np.testing.assert_allclose(isotonic(np.array([1, 0, 2]), np.array([1, 3, 2])), [0.25, 0.25, 1])


def test_verdicts_are_certain():
    """A share of 0.1 above 1 is no evidence against alpha = 0.1, a share of 0.5 is."""
    ratios = np.r_[np.full(90, 0.5), np.full(10, 2.0)]
    assert quantile(ratios, 0.1) == 0.5 and quantile(np.repeat([0.5, 2], 50), 0.1) == 2
    values = np.random.default_rng(6).random(2000)
    assert 0.4 < mean(values, 1) < 0.5
