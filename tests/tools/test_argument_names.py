"""One name for one thing: public signatures against the table in CONTRIBUTING.md."""

import importlib
import inspect
import re
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import calib
import calibkit
from calib.base.options import check_random_state
from calib.metrics import brier_score_loss
from calibkit.comparison import compare
from calibkit.datasets import LAWS, rings
from calibkit.inference import (
    bootstrap_by_group,
    bootstrap_difference,
    bootstrap_interval,
    calibration_test,
    cluster_tests,
    consistency_band,
    curve_distance_intervals,
)
from calibkit.multiclass import canonical_calibration_test
from calibkit.report import make_report

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
MODULES = [
    "calib",
    "calib.metrics",
    *(f"calibkit.{room}" for room in calibkit.__all__),
    "calibkit.deployment.dask",
]


def table():
    """Rows of the table: the names in its first column, and those that nothing is called."""
    section = CONTRIBUTING.read_text(encoding="utf-8").split("## Names of arguments")[1]
    lines = [line for line in section.split("\n## ")[0].splitlines() if line.startswith("| `")]
    cells = [line.strip("| ").split(" | ") for line in lines]
    return [[re.findall(r"`(\w+)`", cell) for cell in (row[0], row[2])] for row in cells]


def public_callables():
    """Functions, constructors and methods of the public names, by module and name."""
    for module in map(importlib.import_module, MODULES):
        names = getattr(module, "__all__", [n for n in vars(module) if not n.startswith("_")])
        for name in names:
            value = getattr(module, name)
            if not getattr(value, "__module__", "").startswith("calib"):
                continue
            if inspect.isfunction(value):
                yield (value.__module__, name), value
            elif inspect.isclass(value):
                is_record = is_dataclass(value) or issubclass(value, tuple)  # made by us, not users
                for method, function in inspect.getmembers(value, callable):
                    if not method.startswith("_") or (method == "__init__" and not is_record):
                        if getattr(function, "__module__", "").startswith("calib"):
                            yield (value.__module__, f"{name}.{method}"), function


PARAMETERS = {
    (module, function, name): parameter
    for (module, function), value in public_callables()
    for name, parameter in inspect.signature(value).parameters.items()
}


def test_the_table_names_what_there_is():
    names = [name for row in table() for name in row[0]]
    assert {"alpha", "confidence", "loss", "scale", "random_state", "groups"} <= set(names)
    assert set(names) <= {where[-1] for where in PARAMETERS}


def test_nothing_has_a_second_name():
    refused = {name for row in table() for name in row[1]}
    assert {"delta", "significance", "level", "rng", "seed"} <= refused
    assert not [where for where in PARAMETERS if where[-1] in refused]


@pytest.mark.parametrize("function", [compare, make_report])
def test_groups_are_one_thing_and_clusters_another(function):
    assert {"groups", "clusters"} <= set(inspect.signature(function).parameters)


@pytest.mark.parametrize(
    "name, values", [("loss", {"log", "brier", None}), ("scale", {"logit", "score"})]
)
def test_words_mean_the_same_everywhere(name, values):
    found = {where: p.default for where, p in PARAMETERS.items() if where[-1] == name}
    assert found and set(found.values()) - {inspect.Parameter.empty} <= values


@pytest.mark.parametrize("name", ["alpha", "confidence"])
def test_probabilities_are_small_numbers_or_large_ones(name):
    """Of an error they are below 1/2, of an interval above: the two are not mixed up."""
    found = {p.default for where, p in PARAMETERS.items() if where[-1] == name}
    assert found
    for default in found - {inspect.Parameter.empty}:
        assert 0 < default < 0.5 if name == "alpha" else 0.5 < default < 1


# random_state

SCORES, LABELS = rings(60, 0)
SCORES = (SCORES[:, 0] + 4) / 8
CALIBRATED = np.random.default_rng(0).random(SCORES.size) < SCORES
DRAWN = {
    "CalibratedClassifier.__init__": lambda state: (
        calib.CalibratedClassifier(LogisticRegression(), cv=0.5, random_state=state)
        .fit(SCORES[:, np.newaxis], LABELS)
        .predict_proba(SCORES[:, np.newaxis])
    ),
    "DiscreteLaw.random": lambda state: calibkit.theory.DiscreteLaw.random(state, 3, 2).positive,
    "DiscreteLaw.sample": lambda state: calibkit.theory.DiscreteLaw.random(0, 3, 2).sample(
        30, state
    ),
    "ScoreLaw.sample": lambda state: LAWS["rare"].sample(30, state),
    "bootstrap_by_group": lambda state: list(
        bootstrap_by_group(
            brier_score_loss, LABELS, SCORES, SCORES > 0.5, n_resamples=20, random_state=state
        ).values()
    ),
    "bootstrap_difference": lambda state: bootstrap_difference(
        brier_score_loss, LABELS, SCORES, SCORES**2, n_resamples=20, random_state=state
    ),
    "curve_distance_intervals": lambda state: curve_distance_intervals(
        LABELS, SCORES, n_resamples=20, random_state=state
    ),
    "bootstrap_interval": lambda state: bootstrap_interval(
        brier_score_loss, LABELS, SCORES, n_resamples=20, random_state=state
    ),
    "cluster_tests": lambda state: (
        cluster_tests(
            LABELS, SCORES, np.arange(LABELS.size), n_resamples=20, random_state=state
        ).kuiper
    ),
    "calibration_test": lambda state: (
        calibration_test(LABELS, SCORES, n_resamples=5, random_state=state)["kuiper"].draws
    ),
    "canonical_calibration_test": lambda state: (
        canonical_calibration_test(
            LABELS, np.column_stack([1 - SCORES, SCORES]), n_resamples=5, random_state=state
        ).draws
    ),
    **{
        f"{name}_test": lambda state, name=name: [
            getattr(calibkit.inference, f"{name}_test")(
                CALIBRATED, SCORES, null="draws", n_resamples=50, random_state=state
            ).p_value
        ]
        for name in ("hosmer_lemeshow", "kuiper", "spiegelhalter")
    },
    "compare": lambda state: (
        compare(SCORES, LABELS, [calib.PlattScaling()], n_repeats=1, random_state=state)
        .results["PlattScaling()"]
        .log_gain
    ),
    "consistency_band": lambda state: (
        consistency_band(LABELS, SCORES, n_resamples=20, random_state=state).lower
    ),
    "rings": lambda state: rings(30, state)[0],
}
each_that_draws = pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)


def test_all_that_draw_are_tested():
    assert {where[1] for where in PARAMETERS if where[-1] == "random_state"} == {
        *DRAWN,
        "make_report",
    }


@pytest.mark.filterwarnings("ignore")
@each_that_draws
def test_a_random_state_is_none_a_seed_a_generator_or_a_random_state(draw):
    makers = [lambda: 3, lambda: np.random.default_rng(3), lambda: np.random.RandomState(3)]
    for make in makers:
        np.testing.assert_equal(draw(make()), draw(make()))
    draw(None)
    generator = np.random.default_rng(3)  # goes on, and does not begin anew
    draws = [np.hstack([np.ravel(part) for part in draw(generator)]) for _ in range(3)]
    assert any(not np.array_equal(draws[0], other) for other in draws)


@pytest.mark.filterwarnings("ignore")
@each_that_draws
def test_what_is_no_random_state_is_refused(draw):
    for wrong in (-1, "seed", 0.5):
        with pytest.raises(ValueError, match="random_state"):
            draw(wrong)


def test_a_report_takes_a_random_state_too():
    """Of so few rows no calibrators are compared, which would take long."""
    states = np.random.RandomState(3), np.random.RandomState(3), None
    reports = [make_report(SCORES[:30], LABELS[:30], random_state=state) for state in states]
    chance = [[measure.by_chance for measure in report.measures] for report in reports]
    assert chance[0] == chance[1] != chance[2]
    with pytest.raises(ValueError, match="random_state must be None, an integer of at least 0"):
        make_report(SCORES, LABELS, random_state="seed")


def test_a_legacy_state_gives_many_seeds():
    state = np.random.RandomState(3)
    drawn = {check_random_state(state).random() for _ in range(200)}
    assert len(drawn) == 200
