"""What each estimator takes and gives: the table in book/methods.md, row by row."""

import re
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator

import calib
import calibkit
from calib import (
    CalibrationMap,
    OneClassWarning,
)
from calib.methods.out_of_fold import OutOfFoldCalibrator


class Row(NamedTuple):
    """What the table says of one estimator."""

    estimator: str
    fit: str
    predict: str
    weights: str
    scores: str
    one_class: str
    gives: str
    map_: str
    monotone: str

    def make(self):
        room, _, name = self.estimator.rpartition(".")
        return getattr(getattr(calibkit, room) if room else calib, name)()


def table():
    """The rows of both tables, what an estimator takes and what it gives, put together."""
    text = (Path(__file__).parents[2] / "book" / "methods.md").read_text(encoding="utf-8")
    section = text.split("\n## What each takes and gives\n")[1].split("\n## ")[0]
    takes, gives = (
        [[cell.strip(" `$") for cell in line.strip("|").split(" | ")] for line in rows.splitlines()]
        for rows in re.findall(r"\|---\|\n((?:\|.*\n)+)", section)
    )
    assert [row[0] for row in takes] == [row[0] for row in gives]
    return [Row(*taken, *given[1:]) for taken, given in zip(takes, gives, strict=True)]


TABLE = table()
N = 60
LONG = np.linspace(0, 1, 301)


LAWS = [lambda s: s, lambda s: 1 - s, lambda s: 4 * s * (1 - s)]


def rows_of(seed=0):
    """Everything that an estimator may be fitted to, of the same rows."""
    rng = np.random.default_rng(seed)
    scores = rng.random(N)
    labels = (rng.random(N) < LAWS[seed % 3](scores)).astype(int)
    groups = rng.choice(["north", "south"], N)
    features = np.column_stack([scores, rng.random(N)])
    rows = rng.dirichlet([1, 1, 1], N)
    return {
        "scores": scores,
        "labels": labels,
        "outcomes": labels * rng.random(N),
        "groups": groups,
        "features": features,
        "X": features,
        "y": np.array(["no", "yes"])[labels],
        "probabilities": rows,
        "codes": np.array([rng.choice(3, p=row) for row in rows]),
        "lam": 0.01,
        "lower": scores / 2,
        "upper": (1 + scores) / 2,
    }


def chosen(words, data):
    """Positional and keyword arguments by their names in the table; of two, the first."""
    names = [name.split(" or ")[0] for name in words.split(", ")]
    beside = {name: data[name] for name in names if name in ("groups", "lower", "upper")}
    return [data[name] for name in names if name not in beside], beside


def quietly(function, *arguments, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **named)


def fitted_by(row, data, **weights):
    positional, beside = chosen(row.fit, data)
    return quietly(row.make().fit, *positional, **beside, **weights)


def test_the_table_has_every_estimator():
    def estimators(module):
        found = {name: getattr(module, name) for name in module.__all__}
        return {n for n, v in found.items() if isinstance(v, type) and issubclass(v, BaseEstimator)}

    expected = estimators(calib) - {"Calibrator", "ScoreModel"}
    bases = {"Calibrator", "MulticlassCalibrator", "OnlineCalibrator"}
    for room in calibkit.__all__:
        expected |= {f"{room}.{n}" for n in estimators(getattr(calibkit, room)) - bases}
    assert sorted(row.estimator for row in TABLE) == sorted(expected)


each_row = pytest.mark.parametrize("row", TABLE, ids=lambda row: row.estimator)


@each_row
def test_what_the_table_says_of_arguments(row):
    data = rows_of()
    model, (positional, beside) = fitted_by(row, data), chosen(row.fit, data)
    if row.weights == "yes":
        fitted_by(row, data, sample_weight=np.full(N, 2.0))
    else:
        with pytest.raises(TypeError, match="sample_weight"):
            fitted_by(row, data, sample_weight=np.full(N, 2.0))
    if isinstance(model, calib.ScoreModel):
        with pytest.raises(TypeError, match="positional argument"):
            row.make().fit(*positional, np.ones(N), **beside)
        if "groups" in row.fit:
            missing = "groups must be given|pass either groups"
            for call in [row.make().fit, model.score]:
                with pytest.raises(ValueError, match=missing):
                    call(*positional)
            for method in (model.predict, model.predict_proba, model.predict_logit):
                with pytest.raises(ValueError, match=missing):
                    method(data["scores"])
        else:
            of_folds = isinstance(model, OutOfFoldCalibrator)
            calls = [] if of_folds else [(row.make().fit, positional)]
            if isinstance(model, calib.Calibrator):
                methods = [model.predict, model.predict_proba, model.predict_logit]
                methods += [model.predict_interval] if "interval" in row.gives else []
                calls += [(method, positional[:1]) for method in methods]
                calls += [(model.score, positional)]
            for call, arguments in calls:
                with pytest.raises(
                    ValueError, match="takes none: leave them out, or take Mondrian"
                ):
                    call(*arguments, groups=data["groups"])
    if "features" in row.fit:
        model.fit(*positional, features=data["features"])
        assert model.predict(data["scores"], features=data["features"]).shape == (N,)
    if "scores" in row.fit or "probabilities" in row.fit:
        beyond = {name: 5 * data[name] - 1 for name in ("scores", "probabilities", "outcomes")}
        beyond["outcomes"] = data["outcomes"]
        if row.scores == "real":
            fitted_by(row, data | beyond)
        else:
            with pytest.raises(ValueError, match=re.escape("must lie in [0, 1]")):
                fitted_by(row, data | beyond)


@each_row
def test_what_the_table_says_of_one_class(row):
    data = rows_of()
    alone = {name: np.full_like(data[name], data[name][0]) for name in ("labels", "y", "codes")}
    alone |= {"outcomes": np.zeros(N)}
    positional, beside = chosen(row.fit, data | alone)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if row.one_class == "refuses":
            with pytest.raises(ValueError):
                row.make().fit(*positional, **beside)
            return
        row.make().fit(*positional, **beside)
    about = any(issubclass(one.category, OneClassWarning) for one in said)
    assert about == (row.one_class == "warns")


@each_row
def test_what_the_table_says_of_results(row):
    data = rows_of()
    model, (positional, beside) = fitted_by(row, data), chosen(row.predict, data)
    kind, *interval = row.gives.split(", ")
    if kind == "class":  # a training or two for each
        positional = [positional[0][:6]]
    if kind == "probabilities":
        found = model.predict_proba(*positional)
        np.testing.assert_allclose(found.sum(axis=1), 1)
        assert found.shape == (N, 3) and not hasattr(model, "predict_logit")
    elif kind == "leaf":
        assert set(model.apply(*positional)) <= set(range(model.tree_.feature.size))
    else:
        found = model.predict(*positional, **beside)
        assert found.shape == (len(positional[0]),)
        if kind == "class":
            np.testing.assert_allclose(model.predict_proba(*positional).sum(axis=1), 1)
            assert set(found) <= {"no", "yes"}
        else:
            assert np.all((found >= 0) & (found <= 1))
        if isinstance(model, calib.Calibrator):
            assert kind == "probability"
            both = model.predict_proba(*positional, **beside)
            np.testing.assert_array_equal(both, np.column_stack([1 - found, found]))
            logits = model.predict_logit(*positional, **beside)
            np.testing.assert_allclose(expit(logits), found, atol=1e-9)
            brier = model.score(*positional, data["labels"], **beside)
            assert brier == pytest.approx(-np.mean((found - data["labels"]) ** 2))
    assert hasattr(model, "predict_interval") == (interval == ["interval"])
    if interval:
        lower, upper = model.predict_interval(*positional, **beside)
        assert lower.shape == upper.shape == (len(positional[0]),)
        assert kind == "class" or np.all(lower <= upper)
    assert hasattr(model, "map_") == (row.map_ != "–")
    if row.map_ == "as the chosen one":
        assert model.map_ is not None and isinstance(model.map_, CalibrationMap)
    elif row.map_ != "–":
        assert type(model.map_).__name__ == row.map_


def ways(row):
    """How the predictions of several samples run along the scores, within a group or in all."""
    for seed in range(6):
        data = rows_of(seed)
        model = fitted_by(row, data)
        long = {"scores": LONG, "lam": 0.01, "lower": LONG / 2, "upper": (1 + LONG) / 2}
        for group in ["north", "south"] if row.monotone.endswith("in a group") else [None]:
            of = np.full(LONG.size, "north") if group is None else np.full(LONG.size, group)
            positional, beside = chosen(row.predict, long | {"groups": of})
            steps = np.diff(model.predict(*positional, **beside))
            up, down = np.any(steps > 1e-12), np.any(steps < -1e-12)
            yield "both" if up and down else "down" if down else "up"


@each_row
def test_what_the_table_says_of_monotone_maps(row):
    expected = {
        "increasing": {"up"},
        "either way": {"up", "down"},
        "no": {"both"},
    }.get(row.monotone.removesuffix(" in a group"))
    if expected is None:
        assert row.monotone in ("–", "as the chosen one")
        return
    found = set(ways(row))
    holds = found == expected if row.monotone != "no" else found >= expected
    assert holds, f"the table says {row.monotone!r}, and the maps of some samples run {found}"


def test_a_star_brings_neither_rooms_nor_measures():
    assert set(calib.__all__) & {*calib.metrics.__all__, "metrics"} == set()
    assert "metrics" in dir(calib)


ROOMS = [calib.metrics, *(getattr(calibkit, name) for name in calibkit.__all__)]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.__name__)
def test_docstrings_have_no_holes(room):
    for name in room.__all__:
        for line in (getattr(room, name).__doc__ or "").splitlines():
            assert not re.fullmatch(r" *\{\w+\}", line), name
