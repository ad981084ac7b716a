"""The benchmark of drift: what differs between the rows, the correction, and the answers."""

import os

import numpy as np
import pandas as pd
import pytest
from recorded_rows import assert_as_recorded

from calib.metrics import brier_score_loss, log_loss
from calibkit.inference import kuiper_error
from experiments import recorded
from experiments.benchmark import analysis, data, drift, drift_answers
from experiments.benchmark.calibrators import RAW
from experiments.benchmark.drift import (
    BENCHMARK_DRIFT,
    CANDIDATES,
    DOWN,
    DRIFT,
    FACTORS,
    QUARTER,
    SAME,
    SHIFTED,
    UP,
    Order,
)
from experiments.benchmark.second import AVERAGE, CAUTIOUS
from experiments.benchmark.second_answers import HARM

TESTS = [SAME, DRIFT, DOWN, UP, QUARTER]

# What differs


@pytest.fixture
def invented(monkeypatch):
    """A data set of 2000 rows from ten places, and its extra column."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 2))
    labels = (rng.random(2000) < 1 / (1 + np.exp(-2 * x[:, 0] + 1))).astype(np.int8)
    frame = pd.DataFrame({"first": x[:, 0], "second": x[:, 1]})
    extras = pd.DataFrame({"place": rng.integers(0, 10, 2000)})

    def load(name, return_extras=False):
        return (frame.copy(), labels, extras) if return_extras else (frame.copy(), labels)

    monkeypatch.setattr(data, "load", load)
    monkeypatch.setattr(drift, "load", load)
    order = Order("places", drift._new_places("place"))
    monkeypatch.setitem(drift.ORDERS, "invented", order)
    for cached in [drift.split, data.table]:
        cached.cache_clear()
    yield frame, labels, extras["place"].to_numpy()
    for cached in [drift.split, data.table]:
        cached.cache_clear()


def test_drifted_rows_are_of_other_places_and_parts_share_no_row(invented, monkeypatch):
    frame, _, places = invented
    place_of = dict(zip(frame["first"], places, strict=True))
    monkeypatch.setattr(drift, "encoded", lambda frame, labels, parts: parts)
    drawn = []
    for number in range(2):
        drift.split.cache_clear()
        parts = drift.split("invented", number)
        there = {place_of[x] for x in frame["first"].iloc[parts[3]]}
        here = {place_of[x] for part in parts[:3] for x in frame["first"].iloc[part]}
        assert there and here and not there & here
        sizes = [part.size for part in parts]
        assert np.unique(np.concatenate(parts)).size == sum(sizes)
        source = 2000 - sizes[3]
        assert source > 2000 * 2 / 3 and abs(sizes[1] - 0.4 * source) <= 2
        drawn.append(there)
    assert drawn[0] != drawn[1]


def test_a_later_third_comes_after_all_others(invented):
    later = drift._last_third("invented", None)
    assert later.sum() == 667 and np.all(np.diff(later.astype(int)) >= 0)


def test_ranks_are_shares_and_ties_stand_in_order():
    assert drift._ranks(np.array([3.0, 1.0, 1.0, 7.0])).tolist() == [0.5, 0, 0.25, 0.75]


def test_tests_weigh_the_rows_they_mean(invented):
    training, _, same, drifted = drift.split("invented", 0)
    tests = drift.tests_of(training, same, drifted)
    assert list(tests) == [SAME, DOWN, UP, QUARTER, DRIFT]
    n = same.labels.size
    assert all((weights[n:] == 0).all() for name, weights in tests.items() if name != DRIFT)
    assert tests[DRIFT].tolist() == [0] * n + [1] * drifted.labels.size
    positive = same.labels == 1
    for name, factor in FACTORS.items():
        weights = tests[name][:n]
        odds = weights[positive].sum() / weights[~positive].sum()
        assert odds == pytest.approx(factor * positive.sum() / (~positive).sum())
    inside = tests[QUARTER][:n] == 1
    assert drift.feature_of(training) == 0
    assert abs(inside.sum() - n / 4) < 1
    assert same.X[inside, 0].min() > same.X[~inside, 0].max()
    assert DRIFT not in drift.tests_of(training, same)
    binary = training._replace(X=(training.X > 0).astype(float))
    assert QUARTER not in drift.tests_of(binary, same)


def test_weights_are_repetitions():
    rng = np.random.default_rng(1)
    p = rng.random(50)
    labels = (rng.random(50) < p).astype(int)
    found = drift.measures(labels, p, np.where(labels == 1, 4.0, 1.0))
    repeated = np.repeat(np.arange(50), np.where(labels == 1, 4, 1))
    for name, measure in [
        ("log_loss", log_loss),
        ("brier", brier_score_loss),
        ("kuiper", kuiper_error),
    ]:
        assert found[name] == pytest.approx(measure(labels[repeated], p[repeated]), abs=1e-5)


def test_the_correction_is_where_the_em_algorithm_goes_to():
    rng = np.random.default_rng(2)
    p = rng.beta(1, 3, 4000)
    labels = (rng.random(4000) < p).astype(int)
    weights = np.where(labels == 1, 4.0, 1.0)
    shifted, prior = drift.prior_shifted(labels, p, weights)
    source, rate = labels.mean(), 0.5
    for _ in range(500):  # Saerens, Latinne and Decaestecker, one step
        ones, zeros = p * rate / source, (1 - p) * (1 - rate) / (1 - source)
        rate = np.average(ones / (ones + zeros), weights=weights)
    assert prior == pytest.approx(rate, abs=1e-4)
    np.testing.assert_allclose(shifted, ones / (ones + zeros), atol=1e-4)
    assert prior == pytest.approx(np.average(labels, weights=weights), abs=0.05)
    same, refused = drift.prior_shifted(labels, np.full(4000, source), weights)
    assert np.isnan(refused) and (same == source).all()


def test_a_case_has_a_row_for_every_calibrator_and_test(invented):
    rows = drift.run_case({"dataset": "invented", "model": "logistic", "split": 0})
    names = {RAW, *CANDIDATES, SHIFTED}
    assert {row["points"] for row in rows} == {500}
    assert {(row["test"], row["calibrator"]) for row in rows} == {
        (test, name) for test in TESTS for name in names
    }
    assert len(rows) == len(TESTS) * len(names)
    assert {row["protocol"] for row in rows} == {drift.fingerprint()}
    rate = {row["test"]: row["rate"] for row in rows}
    assert rate[DOWN] < rate[SAME] < rate[UP] and rate[SAME] < rate[QUARTER]
    assert all(np.isnan(row["prior"]) or row["calibrator"] == SHIFTED for row in rows)
    loss = {(row["test"], row["calibrator"]): row["log_loss"] for row in rows}
    for test in FACTORS:
        assert loss[test, SHIFTED] < loss[test, AVERAGE]


# How it is read


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(analysis, "N_RESAMPLES", 200)


NAMES = drift.NAMES


def rows_of(loss, *, points=500, names=NAMES, models=("forest",)):
    """Invented rows: a log loss for each test and calibrator."""
    lines = [
        {
            "dataset": name,
            "model": model,
            "split": 0,
            "points": points,
            "test": test,
            "calibrator": one,
            "log_loss": loss(k, test, one),
        }
        for k, name in enumerate(names)
        for model in models
        for test in TESTS
        for one in drift_answers.ALL
    ]
    return {key: np.array([line[key] for line in lines]) for key in lines[0]}


def answer_of(expect, loss, **options):
    return expect(rows_of(loss, **options), 500)


@pytest.mark.parametrize(
    "expect, better, worse, tests",
    [
        (drift_answers.gains_under_drift, AVERAGE, RAW, [DRIFT]),
        (drift_answers.wins_under_drift, AVERAGE, "Spline", [DRIFT]),
        (drift_answers.gains_under_prior_shift, AVERAGE, RAW, [DOWN, UP]),
        (drift_answers.correction_helps, SHIFTED, AVERAGE, [DOWN, UP]),
        (drift_answers.correction_hurts_elsewhere, AVERAGE, SHIFTED, [SAME, QUARTER, DRIFT]),
    ],
)
def test_shares_of_wins_are_decided_by_their_tests_alone(expect, better, worse, tests):
    def loss(won):
        """The better one wins where it is said; in other tests it loses."""
        return lambda k, test, name: (
            1.0 if name == better else 1.0 + (1 if test in tests and won(k) else -1) * 0.1
        )

    assert answer_of(expect, loss(lambda k: True)).answer == "yes"
    assert answer_of(expect, loss(lambda k: False)).answer == "no"
    assert answer_of(expect, loss(lambda k: k % 2 == 0)).answer == "undecided"
    one_test = answer_of(
        expect, lambda k, test, name: 1.0 - 0.1 * (name == better and test != tests[-1])
    )
    assert one_test.estimate.value == 0 and one_test.answer == "undecided"  # ties are half
    assert one_test.against in (worse, tests[-1], *drift_answers.OTHERS)


def test_harm_is_beyond_its_limit_and_against_the_same_cases():
    def above_raw(by):
        """The losses where the average is so much above raw, under drift alone."""
        return lambda k, test, name: 1.0 + by * (name == AVERAGE and test == DRIFT)

    found = answer_of(drift_answers.harms_more_under_drift, above_raw(1.1 * HARM))
    assert found.answer == "yes" and found.estimate.value == 1
    found = answer_of(drift_answers.harms_more_under_drift, above_raw(0.9 * HARM))
    assert found.answer != "yes" and found.estimate.value == 0
    everywhere = answer_of(
        drift_answers.harms_more_under_drift,
        lambda k, test, name: 1.0 + (name == AVERAGE),
    )
    assert everywhere.estimate.value == 0
    cautious = answer_of(
        drift_answers.cautious_harms_under_drift,
        lambda k, test, name: 1.0 + (name == CAUTIOUS and test == DRIFT),
    )
    assert cautious.answer == "yes" and cautious.estimate.value == pytest.approx(0.95)
    no_harm = answer_of(drift_answers.cautious_harms_under_drift, above_raw(0.0))
    assert no_harm.answer == "no" and no_harm.estimate.value == pytest.approx(-0.05)


def test_a_rise_is_from_the_same_rows_and_beside_one_parameter():
    def loss(k, test, name):
        rise = {"Temperature": 0.1, "Spline": 0.3}.get(name, 0.2)
        return 1.0 + k + (rise if test == DRIFT else 0)

    found = answer_of(drift_answers.one_parameter_rises_least, loss)
    assert found.answer == "yes" and found.estimate.value == pytest.approx(0.1)
    turned = answer_of(
        drift_answers.one_parameter_rises_least,
        lambda k, test, name: loss(k, test, name) - 0.15 * (name == "Spline" and test == DRIFT),
    )
    assert turned.against == "Spline" and turned.estimate.value == pytest.approx(0.05)
    infinite = answer_of(
        drift_answers.one_parameter_rises_least,
        lambda k, test, name: np.inf if k == 0 and name == "Temperature" else loss(k, test, name),
    )
    assert infinite.estimate.value == pytest.approx(0.1)
    rows = rows_of(loss)
    found = drift_answers.costs(rows, 500, DRIFT)["Spline"]
    assert found.rise.value == pytest.approx(0.3) and found.harmed.value == 1
    assert found.won.value == 0
    raw_infinite = rows | {"log_loss": np.where(rows["calibrator"] == RAW, np.inf, 1.0)}
    kept = rows["dataset"] != NAMES[0]
    raw_infinite["log_loss"][kept] = rows["log_loss"][kept]
    found = drift_answers.costs(raw_infinite, 500, DRIFT)["Spline"]
    assert found.rise.value == pytest.approx(0.3)
    assert found.won.value == pytest.approx(1 / len(NAMES))


def test_estimated_base_rates_are_judged_in_log_odds():
    rows = {
        "test": np.array([DOWN] * 3),
        "calibrator": np.array([SHIFTED] * 3),
        "points": np.array([500.0] * 3),
        "dataset": np.array(["a", "a", "b"]),
        "prior": np.array([0.5, np.nan, 0.2]),
        "rate": np.array([1 / (1 + np.e), 0.5, 0.2]),
    }
    distance, refused, cases = drift_answers.prior_errors(rows, 500, DOWN)
    assert (distance, refused, cases) == (pytest.approx(0.5), 1, 3)


def test_cases_without_a_test_are_left_out_of_the_comparison():
    rows = rows_of(lambda k, test, name: 1.0 + k, names=NAMES[:3])
    kept = (rows["test"] != DRIFT) | (rows["dataset"] == NAMES[1])
    rows = {key: column[kept] for key, column in rows.items()}
    same, drifted = drift_answers.both(rows, 500, DRIFT)
    assert same.datasets.tolist() == drifted.datasets.tolist() == [NAMES[1]]
    assert same.of[RAW].tolist() == [2.0]


# What is recorded


@pytest.fixture(scope="module")
def rows():
    return recorded(BENCHMARK_DRIFT.name)


def test_the_record_is_of_this_protocol_and_has_whole_cases(rows):
    """A run that is interrupted leaves later splits out: the first one is there."""
    assert set(rows["protocol"].tolist()) == {drift.fingerprint()}
    planned = {tuple(case.values()) for case in BENCHMARK_DRIFT.cases()}
    cases = set(zip(rows["dataset"], rows["model"], rows["split"].astype(int), strict=True))
    assert {case for case in planned if case[2] == 0} <= cases <= planned
    assert np.sum(rows["calibrator"] == RAW) * len(drift_answers.ALL) == rows["test"].size
    assert set(rows["dataset"][rows["test"] == DRIFT]) == set(drift.ORDERS)


def test_base_rates_of_prior_shift_are_those_of_the_odds(rows):
    rate = {test: rows["rate"][rows["test"] == test] for test in (SAME, DOWN, UP)}
    odds = {test: found / (1 - found) for test, found in rate.items()}
    for test, factor in FACTORS.items():
        np.testing.assert_allclose(odds[test], factor * odds[SAME], rtol=0.02)


@pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="CALIB_DATA is not set")
def test_a_case_as_recorded():
    case = {"dataset": "svmguide1", "model": "logistic", "split": 0}
    live = [{k: v for k, v in row.items() if k != "prior"} for row in drift.run_case(case)]
    assert_as_recorded(BENCHMARK_DRIFT.name, case, live, tolerance=1e-3)
