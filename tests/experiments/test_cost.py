"""The recorded costs are complete, and the script that records them runs."""

import importlib.util

import numpy as np
import pytest

from experiments import recorded
from experiments.recording import RESULTS


@pytest.fixture(scope="module")
def cost():
    spec = importlib.util.spec_from_file_location("cost", RESULTS.parent / "benchmarks" / "cost.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_case_is_recorded(cost):
    rows = recorded("cost")
    found = list(zip(rows["round"], rows["method"], rows["n"], strict=True))
    assert found == [(c["round"], c["method"], c["n"]) for c in cost.COST.cases()]
    for column in ["argsort", "fit", "predict_one", "predict_many"]:
        assert np.all(rows[column] > 0)
    weighed = np.isfinite(rows["fit_bytes"])
    assert rows["method"][weighed].tolist() == list(cost.METHODS)


@pytest.mark.parametrize("method", ["Histogram", "Path", "ACP"])
def test_a_case_can_be_measured(cost, method):
    (row,) = cost.measure({"round": 1, "method": method, "n": 100})
    assert set(row) == set(recorded("cost")) - {"round", "method", "n"}
    assert 0 < row["fit"] < 60
