"""Long experiments resume, keep their order and record where they come from."""

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest

from calibkit.datasets import DatasetNotFound
from experiments import __main__ as command
from experiments.recording import Experiment, read_table, record, recorded


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
    from experiments.naeini2014.protocol import CALIBRATION_SIZE

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


# Missing data


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder of data files, named by CALIB_DATA, with the set "a" and without "b"."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(b"some rows")
    monkeypatch.setenv("CALIB_DATA", str(folder))
    return folder


def on_data(folder, name="toy"):
    """An experiment that needs a file of the folder for each case."""

    def run_case(case):
        asked.append(case["dataset"])
        path = folder / f"{case['dataset']}.parquet"
        if not path.exists():
            raise DatasetNotFound(f"{path.name} not found")
        return [{"bytes": path.stat().st_size}]

    asked = []
    return asked, Experiment(
        name=name,
        title="A toy",
        seed=1,
        cases=lambda: [{"dataset": d, "run": run} for d in "ba" for run in range(3)],
        run_case=run_case,
        datasets=("a", "b"),
    )


def test_cases_without_data_are_left_out_and_the_others_recorded(data, tmp_path):
    asked, experiment = on_data(data)
    with pytest.raises(DatasetNotFound, match=r"3 of 6 cases left out.*\n  b.parquet not found$"):
        record(experiment, folder=tmp_path)
    assert asked == ["b", "a", "a", "a"]  # once is enough to learn that a set is not there
    assert recorded("toy", folder=tmp_path)["dataset"].tolist() == ["a"] * 3
    about = json.loads((tmp_path / "toy.json").read_text())
    assert about["rows"] == 3
    assert about["data_sha256"] == {"a": hashlib.sha256(b"some rows").hexdigest()}
    (data / "b.parquet").write_bytes(b"found")
    record(experiment, folder=tmp_path)
    assert asked[4:] == ["b", "b", "b"]
    assert recorded("toy", folder=tmp_path)["dataset"].tolist() == ["b"] * 3 + ["a"] * 3
    both = json.loads((tmp_path / "toy.json").read_text())["data_sha256"]
    assert both == about["data_sha256"] | {"b": hashlib.sha256(b"found").hexdigest()}


def test_workers_leave_out_what_has_no_data(data, tmp_path):
    _, experiment = on_data(data)
    with pytest.raises(DatasetNotFound, match="3 of 6 cases left out"):
        record(experiment, folder=tmp_path, n_jobs=2)
    assert recorded("toy", folder=tmp_path)["dataset"].tolist() == ["a"] * 3


def test_without_any_data_nothing_is_written(data, tmp_path):
    (data / "a.parquet").unlink()
    _, experiment = on_data(data)
    with pytest.raises(DatasetNotFound, match="6 of 6 cases left out"):
        record(experiment, folder=tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_a_run_without_new_rows_leaves_the_record_as_it_is(data, tmp_path):
    _, experiment = on_data(data)
    with pytest.raises(DatasetNotFound):
        record(experiment, folder=tmp_path)
    (tmp_path / "toy.json").write_text((tmp_path / "toy.json").read_text().replace("A toy", "Old"))
    with pytest.raises(DatasetNotFound, match="3 of 3 cases left out"):
        record(experiment, folder=tmp_path)
    assert json.loads((tmp_path / "toy.json").read_text())["title"] == "Old"


def test_rows_of_two_versions_of_a_data_set_are_not_mixed(data, tmp_path):
    _, experiment = on_data(data)
    record(experiment, folder=tmp_path, cases=[{"dataset": "a", "run": 0}])
    before = (tmp_path / "toy.csv").read_text()
    (data / "a.parquet").write_bytes(b"other rows")
    with pytest.raises(ValueError, match=r"rest on 'a' [0-9a-f]{64}, this run reads .*CALIB_DATA"):
        record(experiment, folder=tmp_path)
    assert (tmp_path / "toy.csv").read_text() == before


def test_a_case_that_names_no_data_set_needs_all_of_them(data, tmp_path):
    (data / "b.parquet").write_bytes(b"more")
    experiment = Experiment("toy", "A toy", 1, lambda: [{"run": 0}], lambda _: [{"x": 1}])
    record(experiment, folder=tmp_path / "none")
    assert json.loads((tmp_path / "none" / "toy.json").read_text())["data_sha256"] == {}
    experiment = Experiment(
        "toy", "A toy", 1, lambda: [{"run": 0}], lambda _: [{"x": 1}], datasets=("a", "b")
    )
    record(experiment, folder=tmp_path / "both")
    about = json.loads((tmp_path / "both" / "toy.json").read_text())
    assert list(about["data_sha256"]) == ["a", "b"]


# Reading


def test_a_missing_record_says_how_to_make_it(tmp_path):
    for name, remedy in [
        ("nothing", "python -m experiments nothing"),
        ("cost", "python benchmarks/cost.py"),
    ]:
        with pytest.raises(FileNotFoundError, match=rf"{name}\.csv in the folder .*: run {remedy}"):
            recorded(name, folder=tmp_path)


@pytest.mark.parametrize("content", ["", "\n", "method,value\n"], ids=["empty", "line", "header"])
def test_an_empty_record_is_refused(tmp_path, content):
    (tmp_path / "toy.csv").write_text(content)
    with pytest.raises(ValueError, match=r"toy\.csv .* has no rows: .*-m experiments toy"):
        recorded("toy", folder=tmp_path)
    with pytest.raises(ValueError, match=r"toy\.csv .* has no rows: fetch it anew"):
        read_table(tmp_path / "toy.csv")


# The command


@pytest.fixture
def run(data, tmp_path, monkeypatch):
    """Run the command on two experiments, one of which lacks data."""
    known = {name: on_data(data, name)[1] for name in ["partly", "wholly"]}
    known["wholly"] = toy()
    monkeypatch.setattr(command, "experiments", lambda: known)
    monkeypatch.setattr(
        command, "record", lambda experiment, n_jobs: record(experiment, folder=tmp_path / "out")
    )

    def run(*names):
        monkeypatch.setattr(sys, "argv", ["experiments", *names])
        command.main()

    return run


def test_the_command_goes_on_and_ends_with_what_is_not_complete(run, capsys):
    with pytest.raises(SystemExit, match=r"Not complete: partly\..*book/data\.md"):
        run()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        "partly: 3 of 6 cases left out, for want of data",
        "  b.parquet not found",
        "wholly: A toy",
        "wholly: written to out/toy.csv",
    ]


def test_the_command_says_nothing_more_where_all_is_recorded(run, capsys):
    run("wholly")
    assert capsys.readouterr().out.endswith("wholly: written to out/toy.csv\n")


def test_the_command_answers_a_wrong_name_with_all_names(run, capsys):
    with pytest.raises(SystemExit):
        run("whole")
    assert "unknown experiment 'whole'; known are partly, wholly" in capsys.readouterr().err


def test_the_command_names_a_package_that_is_not_installed():
    program = (
        "import runpy, sys\n"
        "sys.modules['pandas'] = None\n"
        "sys.argv = ['experiments', '--help']\n"
        "runpy.run_module('experiments', run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "the experiments need pandas, which is not installed: run "
        'pip install --editable ".[data]" in your clone\n'
    )
