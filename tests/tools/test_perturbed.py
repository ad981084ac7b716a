"""The pass with perturbed inputs moves what it should: else it could not fail."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PREAMBLE = """
import numpy as np
from sitecustomize import perturbed
rng = np.random.default_rng(0)
"""
PROGRAMS = {
    "numbers": """
values = np.concatenate([rng.normal(size=50), rng.random(50), [0.0, 1.0]])
moved = perturbed(np.repeat(values, 2))
assert np.all(moved[::2] == moved[1::2])
assert np.all(np.abs(moved[::2] - values) <= 2e-13 * np.abs(values))
assert np.mean(moved[::2] != values) > 0.9
assert np.all(moved[::2][(0 <= values) & (values <= 1)] <= 1)
assert np.all(perturbed(np.arange(5)) == np.arange(5))
assert np.all(np.isfinite(perturbed(np.full(5, np.finfo(float).max) - np.arange(5) * 1e292)))
""",
    "classifiers": """
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
X = rng.random((20, 2))
model = KNeighborsClassifier().fit(X, X[:, 0] > 0.5)
assert np.all(model._fit_X == perturbed(X)) and np.any(model._fit_X != X)
model = make_pipeline(StandardScaler(), KNeighborsClassifier()).fit(X, X[:, 0] > 0.5)
assert np.any(model[-1]._fit_X != model[0].transform(X))
""",
    "data frames": """
import pandas
from sklearn.neighbors import KNeighborsClassifier
frame = pandas.DataFrame({"a": rng.random(20), "b": np.arange(20)})
model = KNeighborsClassifier().fit(frame, frame["b"] > 10)
moved = np.column_stack([perturbed(frame["a"].to_numpy()), frame["b"]])
assert np.all(model._fit_X == moved) and np.any(moved[:, 0] != frame["a"])
""",
    "rows of probabilities": """
from calibkit.multiclass import TemperatureScaling
rows = rng.dirichlet(np.ones(3), 60)
labels = np.where(rng.random(60) < 0.7, rows.argmax(axis=1), 0)
fitted = TemperatureScaling().fit(rows, labels)
logits = np.log(fitted.predict_proba(rows)) * fitted.temperature_
given = (np.diff(np.log(x), axis=1) for x in (rows, perturbed(rows)))
as_they_are, moved = (np.max(np.abs(np.diff(logits, axis=1) - x)) for x in given)
assert moved < 2e-14 < as_they_are
""",
    "scores beside groups or outcomes": """
from calibkit.groups import Multicalibration
from calibkit.prediction_intervals import conformal
scores, groups = rng.random(50), rng.integers(0, 2, 50)
assert np.all(conformal.check_scores(scores) == perturbed(scores))
clean = Multicalibration()._check_rows(scores, scores > 0.5, None, groups)
assert np.all(clean[0] == perturbed(scores))
""",
    "calibrators": """
from calib import IsotonicCalibrator
scores, labels = rng.random(50), rng.integers(0, 2, 50)
fitted = IsotonicCalibrator().fit(scores, labels)
knots = fitted.map_.scores
assert np.all(np.isin(knots, perturbed(scores))) and not np.all(np.isin(knots, scores))
assert np.all(np.isin(fitted.predict(scores), fitted.map_.probabilities))  # it knows them again
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_perturbed(name):
    folder = ROOT / "tools" / "perturbed"
    environment = {**os.environ, "PYTHONPATH": str(folder), "PERTURBATION": "1"}
    command = [sys.executable, "-c", PREAMBLE + PROGRAMS[name]]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
