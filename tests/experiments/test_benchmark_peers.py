"""The benchmark of other packages' calibrators: what is run, how it is read, what is recorded."""

import os

import numpy as np
import pytest
from recorded_rows import assert_as_recorded

from calib.metrics import brier_score_loss, log_loss
from experiments import recorded
from experiments.benchmark import analysis, copies, peers_answers, second, second_peers
from experiments.benchmark.calibrators import RAW
from experiments.benchmark.copies import BENCHMARK_COPIES
from experiments.benchmark.data import BY_NAME, DATA_SETS
from experiments.benchmark.peers import Peer, check_installed, outcome
from experiments.benchmark.peers_answers import HARMS_LESS, STATEMENTS, against_each, answers
from experiments.benchmark.second import AVERAGE, SIZES
from experiments.benchmark.second_peers import BENCHMARK_SECOND_PEERS, CANDIDATES, PACKAGES

NAMES = [one.name for one in DATA_SETS]

# What is run


class Pairs:
    """A calibrator of the kind that gives a probability, and a pair of them, for each row."""

    def __init__(self, shift=0.0):
        self.shift = shift

    def fit(self, scores, labels):
        if labels.min() == labels.max():
            raise RuntimeError("one class")

    def predict_proba(self, scores):
        return scores + [-self.shift, self.shift], scores


def test_a_peer_is_asked_in_its_own_form(monkeypatch):
    scores, labels = np.array([0.2, 0.5, 0.7]), np.array([0, 1, 1])
    peer = Peer(__name__, "Pairs", {"shift": 0.1}, 2, "predict_proba")
    assert peer.fit(scores, labels).predict(scores) == pytest.approx([0.3, 0.6, 0.8])
    found = outcome(peer, scores, labels, scores, labels, second_peers.measures)
    assert found["log_loss"] == pytest.approx(log_loss(labels, scores + 0.1), abs=1e-5)
    assert found["brier"] == pytest.approx(brier_score_loss(labels, scores + 0.1), abs=1e-5)
    assert (found["refuted"], found["error"]) == (0, "")


@pytest.mark.parametrize(
    "shift, labels, error", [(0.0, [1, 1, 1], "RuntimeError"), (0.5, [0, 1, 1], "ValueError")]
)
def test_what_a_peer_does_not_give_is_named(shift, labels, error):
    """An error of its own; numbers that are no probabilities."""
    scores, labels = np.array([0.2, 0.5, 0.7]), np.array(labels)
    peer = Peer(__name__, "Pairs", {"shift": shift}, 2, "predict_proba")
    found = outcome(peer, scores, labels, scores, np.array([0, 1, 1]), second_peers.measures)
    assert found.pop("error") == error
    assert list(found) == ["log_loss", "brier", "refuted", "seconds"]
    assert np.isnan(list(found.values())).all()


def test_what_is_missing_is_named():
    with pytest.raises(ImportError, match="needs no_such_package: install"):
        check_installed(["numpy", "no_such_package"])


def test_every_package_has_its_methods():
    packages = {peers_answers.package_of(name) for name in CANDIDATES}
    assert {name.replace("-", "_").lower() for name in packages} == {*PACKAGES, "scikit_learn"}
    assert len(CANDIDATES) >= 45
    assert peers_answers.method_of("Isotonic, centred, probcal") == "Isotonic, centred"


# How it is read


def rows_of(losses, calibrators, *, points=200):
    """A row a data set and calibrator, with the log loss of `losses(k, name)`."""
    lines = [
        {
            "dataset": dataset,
            "model": "forest",
            "split": 0,
            "points": points,
            "calibrator": name,
            "log_loss": losses(k, name),
            "brier": 0.5 if np.isinf(losses(k, name)) else losses(k, name) / 10,
        }
        for k, dataset in enumerate(NAMES)
        for name in calibrators
    ]
    return {key: np.array([line[key] for line in lines]) for key in lines[0]}


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch):
    monkeypatch.setattr(analysis, "N_RESAMPLES", 400)


def test_failures_and_infinite_losses_are_counted():
    ours = rows_of(lambda k, name: 1.0, [RAW, AVERAGE])

    def losses(k, name):
        if k < 3:
            return np.nan
        return np.inf if k < 9 else 1.0 + 0.2 * (k % 2)

    theirs = rows_of(losses, [RAW, "Beta, betacal"])
    (found,) = against_each(ours, theirs, 200)
    assert (found.name, found.cases) == ("Beta, betacal", len(NAMES))
    assert (found.failed, found.infinite) == (3, 6)
    odd = sum(k % 2 for k in range(9, len(NAMES)))
    finite, given = len(NAMES) - 9, len(NAMES) - 3
    assert found.log_loss.value == np.inf
    assert found.won.value == pytest.approx((6 + odd + 0.5 * (finite - odd)) / given)
    assert found.brier.value == pytest.approx((0.4 * 6 + 0.02 * odd) / given)
    assert found.won.lower < found.won.value < found.won.upper


@pytest.mark.parametrize("failures", [len(NAMES), len(NAMES) - 5])
def test_a_method_that_fails_in_most_cases_decides_nothing(failures):
    ours = rows_of(lambda k, name: 1.0, [RAW, AVERAGE])
    theirs = rows_of(
        lambda k, name: 2.0 if name == "Spline, probcal" else np.nan if k < failures else 0.5,
        ["Beta, betacal", "Spline, probcal"],
    )
    found = against_each(ours, theirs, 200)
    assert [one.failed for one in found] == [failures, 0]
    assert [one.works for one in found] == [False, True]
    assert found[1].won == (1, 1, 1)
    judged = answers(dict.fromkeys(SIZES, found))
    assert len(judged) == len(SIZES) * (len(STATEMENTS) + 1)
    compared = [one for one in judged if one.statement != HARMS_LESS]
    assert {(one.against, one.answer) for one in compared} == {("Spline, probcal", "yes")}
    alone = [one for one in judged if one.statement == HARMS_LESS]
    assert {(one.against, one.answer) for one in alone} == {("", "yes")}


@pytest.mark.parametrize("better, answer", [(1, "no"), (2, "undecided")])
def test_one_method_that_is_ahead_decides(better, answer):
    """One of two has the smaller loss in every case, or in every second one."""
    ours = rows_of(lambda k, name: 1.0, [RAW, AVERAGE])
    theirs = rows_of(
        lambda k, name: 0.9 if name == "Beta, betacal" and k % better == 0 else 1.1,
        ["Beta, betacal", "Spline, probcal"],
    )
    found = against_each(ours, theirs, 200)
    for one in answers(dict.fromkeys(SIZES, found)):
        if one.statement != HARMS_LESS:
            assert (one.against, one.answer) == ("Beta, betacal", answer)


@pytest.mark.parametrize("harms, answer", [([0.5, 0.2], "yes"), ([0.2, 0.4], "no")])
def test_harm_is_compared_with_who_may_gain_as_much(harms, answer):
    """The average harms in every third or so case, a method with the same mean in others."""

    def loss(k, harm):
        share = (7 * k % 20) / 20  # the same mean whatever the share of harmed cases
        return 1.0 + (1.0 / harm if share < harm else -1.0 / (1 - harm))

    ours = rows_of(lambda k, name: 1.0 if name == RAW else loss(k, harms[1]), [RAW, AVERAGE])
    theirs = rows_of(
        lambda k, name: loss(k, harms[0]) if name == "Beta, betacal" else 9.0,
        ["Beta, betacal", "Spline, probcal"],
    )
    found = against_each(ours, theirs, 200)
    assert [one.may_gain_as_much for one in found] == [True, False]
    expected = np.mean([(loss(k, harms[0]) > 1) * 1.0 - (loss(k, harms[1]) > 1) for k in range(39)])
    assert found[0].harm.value == pytest.approx(expected)
    judged = [one for one in answers(dict.fromkeys(SIZES, found)) if one.statement == HARMS_LESS]
    assert {(one.against, one.answer) for one in judged} == {("Beta, betacal", answer)}


def test_an_infinite_mean_is_larger():
    ours = rows_of(lambda k, name: 1.0, [RAW, AVERAGE])
    theirs = rows_of(
        lambda k, name: np.inf if name == "Beta, betacal" and k == 0 else 0.8 + k % 2,
        ["Beta, betacal", "Spline, probcal"],
    )
    found = against_each(ours, theirs, 200)
    judged = {one.statement: one for one in answers(dict.fromkeys(SIZES, found))}
    assert judged["smaller mean log loss"].against == "Spline, probcal"
    mean = np.mean([k % 2 for k in range(len(NAMES))]) - 0.2
    assert judged["smaller mean log loss"].estimate.value == pytest.approx(mean)


def test_intervals_are_wider_for_more_methods():
    ours = rows_of(lambda k, name: 1.0, [RAW, AVERAGE])

    def width(names):
        theirs = rows_of(lambda k, name: 0.9 + 0.1 * (k % 4), names)
        won = against_each(ours, theirs, 200)[0].won
        return won.upper - won.lower

    assert width(["Beta, betacal"]) < width(list(CANDIDATES)[:10] + ["Beta, betacal"])


# What is recorded


@pytest.fixture(scope="module")
def rows():
    return recorded(BENCHMARK_SECOND_PEERS.name)


def keys_of(rows, kept):
    return list(
        zip(
            *(rows[key][kept].tolist() for key in ["dataset", "model", "split", "points"]),
            strict=True,
        )
    )


def test_the_record_is_of_the_second_protocol_and_has_every_data_set(rows):
    """A run that is interrupted leaves base models and splits out: two models are there."""
    assert set(rows["protocol"].tolist()) == {second.fingerprint()}
    planned = {tuple(case.values()) for case in BENCHMARK_SECOND_PEERS.cases()}
    cases = set(zip(rows["dataset"], rows["model"], rows["split"].astype(int), strict=True))
    assert {(name, m, 0) for name in NAMES for m in ("logistic", "boosting")} <= cases <= planned


def test_raw_scores_are_those_of_the_second_benchmark(rows):
    """The same base models, splits and samples: to the last recorded digit."""
    ours = recorded("benchmark_second")
    raw = {
        key: (loss, brier)
        for key, loss, brier in zip(
            keys_of(ours, ours["calibrator"] == RAW),
            *(ours[key][ours["calibrator"] == RAW] for key in ["log_loss", "brier"]),
            strict=True,
        )
    }
    here = rows["calibrator"] == RAW
    same = [
        raw[key] == (loss, brier)
        for key, loss, brier in zip(
            keys_of(rows, here), rows["log_loss"][here], rows["brier"][here], strict=True
        )
    ]
    assert len(same) > 0 and all(same)


def test_every_method_has_a_row_in_every_case_up_to_its_size(rows):
    sizes = rows["points"][rows["calibrator"] == RAW]
    for name, (_, most) in CANDIDATES.items():
        assert (rows["calibrator"] == name).sum() == (sizes <= most).sum(), name
    failed = rows["error"] != ""
    assert (np.isnan(rows["log_loss"]) == failed).all()
    assert np.isfinite(rows["brier"][~failed]).all()
    assert (np.isinf(rows["log_loss"]) == (rows["refuted"] > 0))[~failed].all()


@pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="CALIB_DATA is not set")
def test_a_case_as_recorded(monkeypatch):
    """Scikit-learn's methods, and those of whatever package is there."""
    installed = [name for name in PACKAGES if not _missing(name)]
    kept = {
        name: one
        for name, one in CANDIDATES.items()
        if one.calibrator.module.partition(".")[0] in [*installed, "sklearn"]
    }
    assert len(kept) >= 3
    monkeypatch.setattr(second_peers, "CANDIDATES", kept)
    monkeypatch.setattr(second_peers, "PACKAGES", installed)
    case = {"dataset": "diabetes", "model": "logistic", "split": 0}
    live = second_peers.run_case(case)
    rows = recorded(BENCHMARK_SECOND_PEERS.name)
    for row in live:
        del row["seconds"]
    whole = np.isin(rows["calibrator"], [RAW, *kept])
    monkeypatch.setattr(
        "recorded_rows.recorded", lambda name: {k: v[whole] for k, v in rows.items()}
    )
    assert_as_recorded(BENCHMARK_SECOND_PEERS.name, case, live, tolerance=1e-3)


def _missing(package):
    try:
        check_installed([package])
    except ImportError:
        return True
    return False


# Copies


def test_a_tenth_or_so_of_the_calibration_rows_was_learnt():
    rows = recorded(BENCHMARK_COPIES.name)
    assert set(rows["dataset"]) == set(copies.WITH_COPIES)
    assert rows["learnt"].min() >= 0.09
    assert (rows["calibrator"] == RAW).sum() * (len(second.CANDIDATES) + 1) == rows["points"].size


@pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="CALIB_DATA is not set")
def test_copies_lie_in_several_parts_here_and_in_one_there():
    parts, group = copies.parts_of("vote")
    assert np.isin(group[parts[1]], group[parts[0]]).mean() > 0.1
    assert sum(part.size for part in parts) == BY_NAME["vote"].rows
    frame, labels = copies.table("vote")
    of = np.unique(group, return_inverse=True)[1]
    grouped = second.split_groups(of, labels, [0.5, 0.25, 0.25], 1)
    assert not np.isin(of[grouped[1]], of[grouped[0]]).any()
