"""The stored texts of two protocols: what their records hash, and what the programs still do."""

import builtins
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import calib
from calib import metrics
from calibkit import datasets, inference
from experiments import recorded
from experiments.benchmark import drift, second
from experiments.benchmark.data import Sample
from experiments.benchmark.first_average import LikeliestAverage
from experiments.recording import RESULTS

LIVING = {"benchmark_second": second, "benchmark_drift": drift}
RECORDS = {
    "benchmark_second": ["benchmark_second", "benchmark_second_peers"],
    "benchmark_drift": ["benchmark_drift"],
}
PACKAGES = [calib, metrics, inference, datasets]  # have the names that the texts import
CONSTANTS = ["SEED", "N_SPLITS", "SIZES", "MOST_TRAINING", "MOST_TEST", "CANDIDATES"]
CONSTANTS_OF_ONE = {
    "benchmark_second": ["AVERAGE", "CAUTIOUS"],
    "benchmark_drift": """
        FEWEST_ROWS MOST_CALIBRATION FEWEST_OF_A_CLASS MODELS SHIFTED SAME DRIFT DOWN UP QUARTER
        FACTORS LEFT_OUT NAMES
    """.split(),
}


def public(name):
    """The object that has this name in a public package of today."""
    return next(getattr(package, name) for package in PACKAGES if name in package.__all__)


# The average of the stored texts, which have another one than `calib` by its name.
OF_THAT_DAY = {"StackedCalibrator": LikeliestAverage}


def todays_import(module, scope=None, local=None, names=(), level=0):
    """Import, where modules of calib that a text names may have moved since."""
    if module.partition(".")[0] != "calib":
        return builtins.__import__(module, scope, local, names, level)
    return SimpleNamespace(**{name: OF_THAT_DAY.get(name) or public(name) for name in names})


def executed(name, monkeypatch):
    """The stored text of a protocol as a module."""
    path = RESULTS / "protocols" / f"{name}.txt"
    module = {
        "__name__": name,
        "__file__": path,
        "__builtins__": {**vars(builtins), "__import__": todays_import},
    }
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), module)
    return SimpleNamespace(**module)


def described(value):
    """Plain data of a parameter, with estimators as their classes and parameters."""
    if isinstance(value, BaseEstimator):
        return type(value), described(value.get_params(deep=False))
    if isinstance(value, dict):
        return [(key, described(each)) for key, each in value.items()]
    if isinstance(value, list | tuple):
        return [described(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


def invented(n_rows, seed):
    """Rows of four features, of which two have few values, and labels."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n_rows, 2)), rng.integers(0, 5, (n_rows, 2))])
    return Sample(X, (rng.random(n_rows) < 1 / (1 + np.exp(-X[:, 0]))).astype(np.int64))


def numbers_of_second(module):
    """Splits, samples and measures of the second protocol on invented rows."""
    rows = invented(2500, 0)
    groups = np.random.default_rng(1).integers(0, 900, 2500)
    p = np.clip(rows.X[:, 0] / 4 + 0.5, 0, 1)
    return {
        "samples": list(module.samples(rows, 7)) + list(module.samples(invented(90, 1), 7)),
        "split_groups": module.split_groups(groups, rows.labels, [0.5, 0.25, 0.2], 3),
        "measures": module.measures(rows.labels, p),
    }


def numbers_of_drift(module):
    """Samples, tests, the correction and measures of the third protocol on invented rows."""
    rows = invented(2500, 0)
    p = 1 / (1 + np.exp(-rows.X[:, 0]))
    weights = np.where(rows.labels == 1, 4.0, 1.0)
    return {
        "orders": [(name, order.what) for name, order in module.ORDERS.items()],
        "samples": list(module.samples(rows, 7)) + list(module.samples(invented(900, 1), 7)),
        "tests_of": module.tests_of(rows, invented(300, 2), invented(200, 3)),
        "prior_shifted": module.prior_shifted(rows.labels, p, weights),
        "measures": module.measures(rows.labels, p, weights),
    }


NUMBERS = {"benchmark_second": numbers_of_second, "benchmark_drift": numbers_of_drift}


def content(name, module):
    """What a protocol fixes: parameters, cases, seeds, expectations, and numbers that it makes."""
    fixed = {constant: getattr(module, constant) for constant in CONSTANTS + CONSTANTS_OF_ONE[name]}
    fixed["cases"] = module.cases()
    fixed["seeds"] = [module.seed_of(case["dataset"], case["split"]) for case in module.cases()]
    expectations = module.__doc__.partition("\nExpected, each for")
    assert expectations[1]
    fixed["expectations"] = expectations[2]
    return {key: described(value) for key, value in (fixed | NUMBERS[name](module)).items()}


def differences(name, stored, living):
    """Names of what differs between the stored text and a program."""
    before, now = content(name, stored), content(name, living)
    return {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}


@pytest.mark.parametrize("name", LIVING)
def test_every_recorded_row_holds_the_hash_of_the_stored_text(name, monkeypatch):
    digits = LIVING[name].fingerprint()
    assert len(digits) == 12
    assert executed(name, monkeypatch).fingerprint() == digits
    for record in RECORDS[name]:
        assert set(recorded(record)["protocol"].tolist()) == {digits}


@pytest.mark.parametrize("name", LIVING)
def test_the_stored_text_and_the_program_do_the_same(name, monkeypatch):
    assert differences(name, executed(name, monkeypatch), LIVING[name]) == set()


@pytest.mark.parametrize(
    "name, changed, noticed",
    [
        ("benchmark_second", {"SEED": 36}, {"SEED"}),
        ("benchmark_second", {"SIZES": (100, 200, 500)}, {"SIZES"}),
        ("benchmark_second", {"cases": lambda: second.cases()[:-1]}, {"cases", "seeds"}),
        ("benchmark_second", {"seed_of": lambda name, number: number}, {"seeds"}),
        ("benchmark_second", {"__doc__": "\nExpected, each for all: less."}, {"expectations"}),
        ("benchmark_drift", {"FACTORS": {"odds / 4": 1 / 3, "odds x 4": 3.0}}, {"FACTORS"}),
        ("benchmark_drift", {"NAMES": drift.NAMES[1:]}, {"NAMES"}),
        ("benchmark_drift", {"samples": second.samples}, {"samples"}),
    ],
)
def test_a_change_of_the_program_would_be_noticed(name, changed, noticed, monkeypatch):
    copy = SimpleNamespace(**{**vars(LIVING[name]), **changed})
    assert differences(name, executed(name, monkeypatch), copy) == noticed


@pytest.mark.parametrize(
    "key, other",
    [
        ("BBQ", calib.ABB()),
        ("Isotonic, centred", calib.IsotonicCalibrator(centred=True)),
        ("Chosen by CV", calib.CalibratorCV(second.MEMBERS[:-1])),
        ("Average", LikeliestAverage(cautious=True)),
    ],
)
def test_another_parameter_of_a_candidate_would_be_noticed(key, other, monkeypatch):
    candidates = second.CANDIDATES | {key: second.CANDIDATES[key]._replace(calibrator=other)}
    copy = SimpleNamespace(**{**vars(second), "CANDIDATES": candidates})
    stored = executed("benchmark_second", monkeypatch)
    assert differences("benchmark_second", stored, copy) == {"CANDIDATES"}
