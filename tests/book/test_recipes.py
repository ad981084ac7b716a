"""The page *Recipes for your library*: its programs, as they stand there, calibrate new rows.

Libraries that are not in the lock are skipped where they are not installed. The recipes for pandas
and Spark are in tests/calibkit/test_outlets.py.
"""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from calibkit.cli import main

PAGE = (Path(__file__).parents[2] / "book" / "recipes.md").read_text(encoding="utf-8")
BOOSTERS = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "CatBoost": "catboost"}
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries


def programs(title, kind="python"):
    """The programs of the section of this title."""
    section = re.split(rf"^##+ {re.escape(title)}$", PAGE, flags=re.M)[1]
    section = re.split(r"^##+ ", section, flags=re.M)[0]
    return re.findall(rf"^```{kind}\n(.*?)^```", section, re.M | re.S)


@pytest.fixture
def names():
    """The names that the first program of the page defines."""
    first = re.search(r"^```python\n(.*?)^```", PAGE, re.M | re.S)[1]
    defined = {}
    exec(first, defined)
    return defined


def mean_over_rate(names, p):
    """The mean of probabilities of the new rows, over the fraction of positives."""
    return p.mean() / names["y_new"].mean()


@pytest.mark.parametrize("title", BOOSTERS)
def test_class_weights_are_undone(title, names):
    pytest.importorskip(BOOSTERS[title])
    (program,) = programs(title)
    exec(program, names)
    raw, shifted, p = names["raw"], names["shifted"], names["p"]
    np.testing.assert_allclose(shifted / (1 - shifted) * names["w"], raw / (1 - raw), rtol=1e-5)
    assert mean_over_rate(names, raw) > 2
    assert mean_over_rate(names, shifted) < 2 / 3
    assert 0.9 < mean_over_rate(names, p) < 1.1
    losses = [log_loss(names["y_new"], names[name]) for name in ("raw", "shifted", "p")]
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("number, library", [(0, "lightgbm"), (1, "xgboost")])
def test_a_booster_without_scikit_learn(number, library, names):
    pytest.importorskip(library)
    exec(programs("A Booster without scikit-learn")[number], names)
    assert 0.9 < mean_over_rate(names, names["p"]) < 1.1
    assert log_loss(names["y_new"], names["p"]) < log_loss(names["y_new"], names["raw"])


def test_logits_of_pytorch(names):
    pytest.importorskip("torch")
    (program,) = programs("Logits of PyTorch")
    exec(program, names)
    assert names["slope"] < 0.9
    assert log_loss(names["y_new"], names["p"]) < log_loss(names["y_new"], names["raw"])
    np.testing.assert_allclose(names["in_torch"], names["p"], rtol=0, atol=1e-12)


@pytest.fixture
def served(names, tmp_path, monkeypatch):
    """The names, with scores of new rows; the folder has the files that the commands read."""
    monkeypatch.chdir(tmp_path)
    model = LogisticRegression(class_weight="balanced").fit(names["X"], names["y"])
    held = model.predict_proba(names["X_held"])[:, 1]
    names["raw"] = model.predict_proba(names["X_new"])[:, 1]
    rows = zip(held.tolist(), names["y_held"].tolist(), strict=True)
    Path("held.csv").write_text("score,label\n" + "".join(f"{s!r},{y}\n" for s, y in rows))
    Path("new.csv").write_text("score\n" + "".join(f"{s!r}\n" for s in names["raw"].tolist()))
    return names


def run(title):
    """Run the commands of a section."""
    (commands,) = programs(title, "sh")
    assert [main(shlex.split(line)[1:]) for line in commands.splitlines()] == [0, 0]


def applied(scores):
    assert main(["apply", "map.json", "new.csv", "--score", "score", "-o", "applied.csv"]) == 0
    return np.loadtxt("applied.csv", delimiter=",", skiprows=1)[:, 1]


def test_onnx(served):
    pytest.importorskip("onnxruntime")
    run("ONNX")
    (program,) = programs("ONNX")
    exec(program, served)
    np.testing.assert_allclose(served["p"], applied(served["raw"]), rtol=0, atol=1e-12)
    assert 0.9 < mean_over_rate(served, served["p"]) < 1.1


def test_sql_of_bounded_size(served, capfd):
    pytest.importorskip("duckdb")
    run("SQL with a map of bounded size")
    bound = float(re.search(r"differs by at most (\S+) from", capfd.readouterr().err)[1])
    (program,) = programs("SQL with a map of bounded size")
    exec(program, served)
    assert np.abs(served["p"] - applied(served["raw"])).max() <= bound < 0.01
    assert len(served["case"]) < 50_000
