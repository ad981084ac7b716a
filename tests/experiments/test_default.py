"""The fourth protocol: what its rows hash, what the program does, and what its record says."""

import os
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from experiments import recorded
from experiments.benchmark import default, default_answers
from experiments.benchmark.calibrators import Candidate
from experiments.recording import RESULTS

TEXT = RESULTS / "protocols" / "benchmark_default.txt"
ROUNDED = 2e-5  # numbers are recorded to five decimals, or six digits


def stored():
    """The stored text as a module."""
    module = {"__name__": "stored", "__file__": str(TEXT)}
    exec(compile(TEXT.read_text(encoding="utf-8"), TEXT, "exec"), module)
    return SimpleNamespace(**module)


def described(value):
    """Plain data of candidates, with estimators as names of classes and parameters."""
    if isinstance(value, Candidate):
        return [described(each) for each in value]
    if isinstance(value, BaseEstimator):
        parameters = value.get_params(deep=False)
        return type(value).__name__, {key: described(each) for key, each in parameters.items()}
    if isinstance(value, dict):
        return [(key, described(each)) for key, each in value.items()]
    return value


@pytest.mark.parametrize("name", ["benchmark_default", "benchmark_default_rare"])
def test_every_row_holds_the_hash_of_the_stored_text(name):
    assert set(recorded(name)["protocol"].tolist()) == {default.fingerprint()}
    assert stored().fingerprint() == default.fingerprint()


def test_the_stored_text_and_the_program_do_the_same():
    then = stored()
    assert then.__doc__ == default.__doc__
    for name in ["FOR_PROBABILITIES", "FOR_MARGINS", "SCORECARDS", "SHARES", "LAWS", "SPREAD"]:
        assert described(getattr(then, name)) == described(getattr(default, name))
    assert then.rare_cases() == default.rare_cases()
    case = default.rare_cases()[0]
    for ours, theirs in zip(default.run_rare(case), then.run_rare(case), strict=True):
        assert ours | {"seconds": 0} == theirs | {"seconds": 0}
    rng = np.random.default_rng(0)
    scores = rng.random(300)
    labels = (rng.random(300) < scores).astype(int)
    parts = (scores[:200], labels[:200]), (scores[200:], labels[200:])
    for ours, theirs in zip(
        default.judged(*parts, default.FOR_MARGINS),
        then.judged(*parts, then.FOR_MARGINS),
        strict=True,
    ):
        assert ours.pop("rows_of_test") == 100  # beyond the protocol
        assert ours | {"seconds": 0} == theirs | {"seconds": 0}


def differs(ours, recorded_row):
    """Columns in which a row is not the recorded one, but for rounding."""
    return [
        key
        for key, value in ours.items()
        if key != "seconds"
        and not (
            abs(value - recorded_row[key]) <= ROUNDED + 1e-5 * abs(value)
            if isinstance(value, float)
            else value == recorded_row[key]
        )
    ]


def rows_of(name, **case):
    """The recorded rows of a case."""
    rows = recorded(name)
    kept = np.all([rows[key] == value for key, value in case.items()], axis=0)
    return [{key: column[kept][k] for key, column in rows.items()} for k in range(np.sum(kept))]


@pytest.mark.parametrize("case", default.rare_cases()[:5])
def test_simulated_cases_are_those_recorded(case):
    known = {row["calibrator"]: row for row in rows_of("benchmark_default_rare", **case)}
    found = default.run_rare(case)
    assert len(found) == len(known)
    for row in found:
        assert not differs(row, known[row["calibrator"]])


@pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="needs the real data")
def test_a_real_case_is_the_one_recorded():
    case = {"dataset": "spect", "model": "logistic", "split": 0}
    known = {
        (row["scores"], row["calibrator"]): row for row in rows_of("benchmark_default", **case)
    }
    found = default.run_case(case)
    assert len(found) == len(known)
    for row in found:
        assert not differs(row, known[row["scores"], row["calibrator"]])


@pytest.fixture(scope="module")
def answers():
    names = ["benchmark_default", "benchmark_default_rare", "benchmark_second_peers"]
    return default_answers.answers(*map(recorded, names))


def test_what_became_of_the_expectations(answers):
    failed = [one.statement for one in answers if one.answer == "no"]
    assert failed == [
        "mean log loss, 10,000 points",
        "mean Brier score, 10,000 points",
        "order kept",
        "sums within a standard error",
        "2 % positives: less excess than Average",
        "0.5 % positives: less excess than Average",
    ]
    (harm,) = [one.estimate for one in answers if one.statement == "harms less, all sizes"]
    assert 0 < harm.lower < 0.03 < harm.value < 0.05 < harm.upper < 0.06


def test_the_rule_keeps_the_trust():
    for loss, harm in default_answers.trusts(recorded("benchmark_default")).values():
        assert not (loss.upper < 0 and harm.lower <= 0)


def test_margins_alone_are_turned_round():
    rows = recorded("benchmark_default")
    kept = rows["calibrator"] == default.DEFAULT
    wrong = np.where(rows["scores"] == "scorecard", rows["rises"], rows["falls"])
    assert not wrong[kept & (rows["scores"] == "probabilities")].any()
    turned = kept & (wrong > 0)
    right = np.where(rows["scores"] == "scorecard", rows["falls"], rows["rises"])
    assert not right[turned].any()  # from end to end
