"""Long experiments resume, keep their order and record where they come from."""

import json

import numpy as np
import pytest

from calib.experiments.recording import Experiment, record, recorded


def toy(seed=1, fail_at=None):
    def run_case(case):
        if case["run"] == fail_at:
            raise KeyboardInterrupt
        value = np.random.default_rng([seed, case["run"]]).random()
        return [{"method": m, "value": value + k} for k, m in enumerate(["a", "b"])]

    return Experiment(
        name="toy",
        title="A toy",
        seed=seed,
        cases=lambda: [{"law": law, "run": run} for law in ["x", "y"] for run in range(3)],
        run_case=run_case,
        deviations=("none",),
    )


def test_rows_and_provenance(tmp_path):
    record(toy(), folder=tmp_path)
    rows = recorded("toy", folder=tmp_path)
    assert rows["law"].tolist() == ["x"] * 6 + ["y"] * 6
    assert rows["run"].tolist() == [0, 0, 1, 1, 2, 2] * 2
    assert rows["method"].tolist() == ["a", "b"] * 6
    np.testing.assert_allclose(rows["value"][1::2] - rows["value"][::2], 1, atol=1e-5)
    about = json.loads((tmp_path / "toy.json").read_text())
    assert (about["seed"], about["rows"], about["deviations"]) == (1, 12, ["none"])
    assert "numpy" in about["packages"]


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        record(toy(fail_at=2), folder=tmp_path)
    assert recorded("toy", folder=tmp_path)["run"].tolist() == [0, 0, 1, 1]
    calls = []
    experiment = toy()

    def counting(case):
        calls.append((case["law"], case["run"]))
        return experiment.run_case(case)

    record(Experiment("toy", "A toy", 1, experiment.cases, counting), folder=tmp_path)
    assert calls == [("x", 2), ("y", 0), ("y", 1), ("y", 2)]
    whole = recorded("toy", folder=tmp_path)
    record(toy(), folder=tmp_path / "at_once")
    at_once = recorded("toy", folder=tmp_path / "at_once")
    assert {k: v.tolist() for k, v in whole.items()} == {k: v.tolist() for k, v in at_once.items()}


def test_workers_give_the_same_table(tmp_path):
    from calib.experiments.naeini2014 import CALIBRATION_SIZE

    cases = [{"svm": "quadratic", "size": 100, "run": run} for run in range(3)]
    one = record(CALIBRATION_SIZE, folder=tmp_path / "one", cases=cases)
    two = record(CALIBRATION_SIZE, folder=tmp_path / "two", cases=cases, n_jobs=2)
    assert one.read_text() == two.read_text()


def test_rows_of_another_protocol_are_not_mixed(tmp_path):
    record(toy(), folder=tmp_path)
    with pytest.raises(ValueError, match=r"toy.json was recorded with seed 1, not 2"):
        record(toy(seed=2), folder=tmp_path)
    (tmp_path / "toy.csv").write_text("method,value\na,1\n")
    with pytest.raises(ValueError, match="toy.csv has columns"):
        record(toy(), folder=tmp_path)


def test_a_missing_record_says_how_to_make_it(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"python -m calib.experiments nothing"):
        recorded("nothing", folder=tmp_path)
