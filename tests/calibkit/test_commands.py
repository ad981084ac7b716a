"""The command line, from the words to the files: compare, fit, apply, export, monitor."""

import csv
import io
import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import calib
import calibkit
from calib import CalibrationMap, LinearMap, SigmoidMap, StepMap
from calib.base.curve_maps import MirroredMap, MixtureMap
from calib.base.maps import MAP_KINDS
from calibkit.cli import main
from calibkit.cli.arguments import CLASSES_OF_METHODS, LANGUAGES
from calibkit.cli.monitor import _got, _locked
from calibkit.cli.output import Progress, new_file
from calibkit.deployment import load_map, scores_at
from calibkit.deployment.programs import PROGRAMS, program, rule
from calibkit.deployment.stored_maps import FittedTo, StoredMap

COLUMNS = ["--score", "prob", "--label", "y"]
RUN = [sys.executable, "-m", "calibkit"]


def sample(n=300, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.random(n).round(3)
    return scores, (rng.random(n) < scores**2).astype(int)


@pytest.fixture
def data(tmp_path):
    """A table with a column that no command reads."""
    return table(tmp_path / "scores.csv", *sample())


def table(path, scores, labels):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "prob", "y"])
        writer.writerows(
            (f"no. {i}, {s!r}", s, y)
            for i, (s, y) in enumerate(zip(scores.tolist(), labels.tolist(), strict=True))
        )
    return str(path)


@pytest.fixture
def stored(data, tmp_path):
    path = str(tmp_path / "map.json")
    assert main(["fit", data, *COLUMNS, "--method", "venn_abers", "-o", path]) == 0
    return path


def refusal(capfd, *words):
    """What a command says that ends with exit code 2."""
    assert main([str(word) for word in words]) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.startswith(f"calib {words[0]}: error: ") and err.count("\n") == 1
    return err


# Help and errors


def test_help_lists_commands_and_exit_codes_and_imports_nothing_heavy():
    code = (
        "import sys\nfrom calibkit.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n    print('heavy:', {'numpy', 'scipy', 'numba'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    for word in (
        "report",
        "compare",
        "fit",
        "apply",
        "export",
        "monitor",
        "exit codes:",
        "130",
        "heavy: set()",
    ):
        assert word in out


@pytest.mark.parametrize(
    "words",
    [[], ["fit"], ["fly"], ["fit", "x.csv", "--score", "s"], ["fit", "x.csv", "--label", "z"]],
)
def test_wrong_words_end_with_2(words, capfd):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2 and "usage: calib" in capfd.readouterr().err


def test_errors_are_one_line(data, stored, tmp_path, capfd):
    new = tmp_path / "new"
    assert "No such file" in refusal(capfd, "fit", tmp_path / "absent", *COLUMNS, "-o", new)
    assert "[Errno" not in refusal(capfd, "apply", stored, tmp_path / "absent", "--score", "p")
    assert "no column 'p'" in refusal(capfd, "apply", stored, data, "--score", "p")
    assert "No such file" in refusal(capfd, "apply", tmp_path / "absent", data, "--score", "prob")
    assert "holds no map" in refusal(capfd, "apply", data, data, "--score", "prob")
    assert "exists" in refusal(capfd, "fit", data, *COLUMNS, "-o", stored)
    assert "is a folder" in refusal(capfd, "fit", data, *COLUMNS, "-o", tmp_path)
    assert "no folder" in refusal(capfd, "fit", data, *COLUMNS, "-o", tmp_path / "absent" / "x")
    margins = table(tmp_path / "margins.csv", sample()[0] - 0.5, sample()[1])
    uniform = ["--method", "histogram", "--parameter", "strategy=uniform", "-o", new]
    refused = refusal(capfd, "fit", margins, *COLUMNS, *uniform)
    assert "line 3, column 'prob'" in refused and "--method platt" in refused
    assert "no probability" in refusal(capfd, "monitor", margins, *COLUMNS)
    assert not new.exists()


# fit and load_map


@pytest.mark.parametrize("method", CLASSES_OF_METHODS)
def test_a_map_gives_bit_for_bit_what_the_calibrator_gives(method, data, tmp_path):
    path = tmp_path / "map.json"
    assert main(["fit", data, *COLUMNS, "--method", method, "-o", str(path)]) == 0
    scores, labels = sample()
    name = CLASSES_OF_METHODS[method]
    room = calib if hasattr(calib, name) else calibkit.comparison
    calibrator = getattr(room, name)().fit(scores, labels)
    grid = np.linspace(0, 1, 1001)
    np.testing.assert_array_equal(load_map(path)(grid), calibrator.predict(grid))


def test_what_a_file_of_a_map_says(data, tmp_path):
    path = tmp_path / "map.json"
    more = ["--method", "histogram", "--parameter", "n_bins=7", "--positive", "1", "--weight", "y"]
    scores, labels = sample()
    data = table(data, scores, labels)
    with open(data, newline="") as file:
        rows = list(csv.reader(file))
    with open(data, "w", newline="") as file:
        csv.writer(file).writerows([[*row, "w" if i == 0 else 2] for i, row in enumerate(rows)])
    more[-1] = "w"
    assert main(["fit", data, *COLUMNS, *more, "-o", str(path)]) == 0
    document = json.loads(path.read_text())
    map_ = document.pop("map")
    assert map_["kind"] == "step" and len(map_["probabilities"]) == 7
    assert document == {
        "format": "calib-map",
        "version": 1,
        "method": {
            "name": "HistogramBinning",
            "parameters": {"n_bins": 7, "strategy": "quantile"},
        },
        "fitted_to": {
            "file": "scores.csv",
            "score": "prob",
            "label": "y",
            "positive": "1",
            "rows": 300,
            "positives": int(labels.sum()),
            "total_weight": 600.0,
            "lowest_score": scores.min(),
            "highest_score": scores.max(),
        },
        "package": f"calib {calib.__version__}",
    }
    assert str(tmp_path) not in path.read_text()


def test_parameters_that_a_method_does_not_have(data, tmp_path, capfd):
    for setting in ("bins=3", "n_bins", "n_bins=-1", "n_bins=many", "strategy=odd"):
        words = ["fit", data, *COLUMNS, "--method", "histogram", "--parameter", setting]
        message = refusal(capfd, *words, "-o", tmp_path / "map.json")
        assert "n_bins" in message or "strategy" in message


def test_warnings_are_one_line(tmp_path, capfd):
    data = tmp_path / "scores.csv"
    data.write_text("prob,y,w\n0.2,0,0.5\n0.6,1,0.5\n")
    words = ["fit", str(data), *COLUMNS, "--weight", "w", "--method", "platt"]
    assert main([*words, "-o", str(tmp_path / "map.json")]) == 0
    err = capfd.readouterr().err
    assert err.startswith("calib fit: warning: sample_weight sums to 1") and err.count("\n") == 1


@pytest.mark.parametrize(
    "change, word",
    [
        (lambda d: "[", "no JSON"),
        (lambda d: "[" * 100_000, "no JSON"),
        (lambda d: [], "calib-map"),
        (lambda d: d | {"format": "x"}, "calib-map"),
        (lambda d: d | {"version": 2}, "version 2"),
        (lambda d: {k: v for k, v in d.items() if k != "method"}, "'method'"),
        (lambda d: d | {"fitted_to": {}}, "fitted_to|missing"),
        (lambda d: d | {"fitted_to": d["fitted_to"] | {"lowest_score": None}}, "lowest_score"),
        (lambda d: d | {"fitted_to": d["fitted_to"] | {"highest_score": "1"}}, "highest_score"),
        (lambda d: d | {"map": {"kind": "cubic"}}, "kind must be"),
        (lambda d: d | {"map": d["map"] | {"scores": [0.5, 0.1]}}, "probabilities|increase"),
        (lambda d: d | {"map": d["map"] | {"probabilities": [float("nan")]}}, "finite"),
    ],
)
def test_a_file_that_is_no_map(change, word, stored, tmp_path):
    changed = change(json.loads(Path(stored).read_text()))
    path = tmp_path / "changed.json"
    path.write_text(changed if isinstance(changed, str) else json.dumps(changed))
    with pytest.raises(ValueError, match=word) as error:
        load_map(path)
    assert "changed.json" in str(error.value)


# apply


def rows_of(text, separator=","):
    return list(csv.reader(io.StringIO(text), delimiter=separator))


def test_apply_keeps_all_columns_and_adds_one(data, stored, tmp_path, capfd):
    out = tmp_path / "out.csv"
    words = ["apply", stored, data, "--score", "prob"]
    assert main([*words, "-o", str(out)]) == 0
    assert main(words) == 0
    assert capfd.readouterr().out == out.read_text()
    before, after = rows_of(Path(data).read_text()), rows_of(out.read_text())
    assert [row[:-1] for row in after] == before and after[0][-1] == "calibrated"
    added = [float(row[-1]) for row in after[1:]]
    np.testing.assert_array_equal(added, load_map(stored)(sample()[0]))
    assert "exists" in refusal(capfd, *words, "-o", out)
    assert "'calibrated' already" in refusal(capfd, "apply", stored, out, "--score", "prob")
    again = ["apply", stored, str(out), "--score", "prob", "--column", "again", "-o", str(out)]
    assert main([*again, "--force"]) == 0  # over its own input, which is read to the end first
    assert rows_of(out.read_text())[0] == ["name", "prob", "y", "calibrated", "again"]
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_apply_warns_of_scores_where_the_map_has_seen_none(stored, tmp_path, capfd):
    scores = np.array([-1.0, 0.5, 1.5, 2.5])
    data = table(tmp_path / "far.csv", scores, scores)
    assert main(["apply", stored, data, "--score", "prob"]) == 0
    assert "1 below, 2 above" in capfd.readouterr().err
    seen = json.loads(Path(stored).read_text())["fitted_to"]
    ends = np.array([seen["lowest_score"], seen["highest_score"]])
    ends = table(tmp_path / "ends.csv", ends, ends)
    assert main(["apply", stored, ends, "--score", "prob"]) == 0
    assert capfd.readouterr().err == ""


def test_apply_asks_whether_these_are_the_scores_that_the_map_was_fitted_to(tmp_path, capfd):
    def said(fitted_range, scores, *more):
        fitted_to = FittedTo("old.csv", "prob", "y", None, 9, 4, None, *fitted_range)
        path = tmp_path / "map.json"
        path.write_text(StoredMap(SigmoidMap(1.0, 0.0), "Some", {}, fitted_to, "calib").dumps())
        data = table(tmp_path / "data.csv", np.array(scores), np.array(scores))
        assert main(["apply", str(path), data, *(more or ["--score", "prob"])]) == 0
        return capfd.readouterr().err

    inside = np.linspace(0.2, 0.8, 30)
    assert said((0.1, 0.9), inside) == said((-5.0, 4.0), [*inside, -0.1]) == ""
    assert said((-5.0, 4.0), inside[:5]) == ""
    assert "all 30 are in [0, 1]: are they probabilities" in said((-5.0, 4.0), inside)
    margins = said((0.1, 0.9), [0.5, -1.0, 7.0])
    assert "2 of 3 are not: are they margins" in margins and "1 below, 1 above" in margins
    assert "no score lies" not in margins and margins.count("\n") == 2
    assert "no score lies in that range" in said((0.1, 0.15), inside)
    other = said((0.1, 0.9), inside, "--score", "y")
    assert other == (
        "calib apply: warning: the map was fitted to the column 'prob' of old.csv, and is applied "
        "to 'y'\n"
    )
    assert said((0.1, 0.9), inside, "--score", "2") == ""  # the number of the same column


def test_apply_writes_as_the_text_is_written(stored, tmp_path, capfd):
    data = tmp_path / "german.csv"
    data.write_bytes("Größe;0,25\n;\nklein;0,75\n".encode("latin-1"))
    words = ["apply", stored, str(data), "--score", "2", "--separator", ";", "--decimal", ","]
    words += ["--encoding", "latin-1", "--no-header", "-o", str(tmp_path / "out.csv")]
    assert "line 2" in refusal(capfd, *words)
    assert main([*words, "--drop-missing"]) == 0
    assert "1 row of 3" in capfd.readouterr().err
    rows = rows_of((tmp_path / "out.csv").read_bytes().decode("latin-1"), ";")
    assert [row[:2] for row in rows] == [["Größe", "0,25"], ["klein", "0,75"]]
    added = [float(row[2].replace(",", ".")) for row in rows]
    np.testing.assert_array_equal(added, load_map(stored)([0.25, 0.75]))


def test_apply_to_parquet(stored, tmp_path, capfd):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    scores = np.random.default_rng(0).random(10_000)
    before = pyarrow.table({"prob": scores, "name": list(map(str, range(10_000)))})
    data, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet.write_table(before, data)
    words = ["apply", stored, str(data), "--score", "prob"]
    assert "ends in .parquet" in refusal(capfd, *words)
    assert main([*words, "-o", str(out)]) == 0
    after = parquet.read_table(out)
    assert after.drop_columns("calibrated").equals(before)
    np.testing.assert_array_equal(after["calibrated"].to_numpy(), load_map(stored)(scores))


def hear_interrupts():
    """What runs in the background of a shell is deaf to Ctrl-C, and so are its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def started(*words, **how):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    how = {"preexec_fn": hear_interrupts if os.name == "posix" else None} | pipes | how
    return subprocess.Popen([*RUN, *map(str, words)], text=True, **how)


# More than a block, and less than a pipe holds, so that to write it never waits
ROWS = "prob\n" + "".join(f"{i / 5000}\n" for i in range(5000))


def test_apply_streams_and_a_closed_pipe_ends_it_quietly(stored):
    """The first rows come out before the last went in."""
    with started("apply", stored, "-", "--score", "prob") as process:
        process.stdin.write(ROWS)
        process.stdin.flush()
        assert process.stdout.readline() == "prob,calibrated\n"
        assert process.stdout.readline().startswith("0.0,")
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == ""


@pytest.mark.parametrize("number, code", [("SIGKILL", -9), ("SIGTERM", 143), ("SIGINT", 130)])
def test_a_run_that_is_killed_leaves_no_half_written_file(number, code, stored, tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("what was there before")
    words = ["apply", stored, "-", "--score", "prob", "-o", out, "--force"]
    with started(*words) as process:
        process.stdin.write(ROWS)
        process.stdin.flush()
        while not any(path.stat().st_size for path in tmp_path.glob(".out.csv.*.part")):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.send_signal(getattr(signal, number))
        assert process.wait(timeout=60) == code
        assert process.stderr.read() == ""
    assert out.read_text() == "what was there before"
    assert bool(list(tmp_path.glob(".out.csv.*"))) == (number == "SIGKILL")


def test_a_file_takes_its_name_when_it_is_whole(tmp_path):
    path = tmp_path / "new.txt"
    with pytest.raises(RuntimeError), new_file(path) as file:
        file.write("half")
        file.flush()
        assert not path.exists()
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "link.txt").symlink_to(path)
    path.write_text("old")
    with new_file(tmp_path / "link.txt", force=True) as file:
        file.write("new")
    assert path.read_text() == "new" and (tmp_path / "link.txt").is_symlink()
    with new_file("/dev/null") as file:
        file.write("gone")


# export


def stored_map(map_):
    fitted_to = FittedTo("a\nb.csv", "s", "y", None, 9, 4, None, 0.0, 1.0)
    return StoredMap(map_, "Some", {}, fitted_to, "calib")


PIECES = {  # of a spline, which goes on smoothly
    **{"least": -1e306, "greatest": 1e306},
    "coefficients": [
        *[[-1.0, 0.5, 0.0, 0.0], [-1.0, 0.5, 0.0, 0.25]],
        *[[-0.25, 1.25, 0.75, -0.5], [1.25, 1.25, -0.75, 0.25], [2.0, 0.5, 0.0, 0.0]],
    ],
}


def maps():
    rng = np.random.default_rng(0)
    many = np.sort(rng.normal(size=400))
    yield StepMap(np.array([]), np.array([0.25]))
    yield StepMap(np.array([0.1, 0.5]), np.array([0.0, 1 / 3, 1.0]))
    yield StepMap(many, rng.random(401))
    yield StepMap(np.array([-1e308, -5e-324, 0.0, 5e-324, 1e308]), rng.random(6))
    yield LinearMap(np.array([0.5]), np.array([0.25]))
    yield LinearMap(many, np.sort(rng.random(400)))
    yield LinearMap(many, rng.random(400).round(1))
    yield LinearMap(np.array([-1e308, 0.1, 1e308]), np.array([0.1, 0.2, 1.0]))
    yield LinearMap(np.array([0.0, 5e-324, 1.0]), np.array([0.1, 0.2, 1.0]))
    yield SigmoidMap(5.25, -2.5)
    yield SigmoidMap(-1e3, 0.1)
    for numbers in (
        {"kind": "logit_polynomial", "coefficients": [-0.3, 1.7], "centre": 0.2},
        {"kind": "logit_polynomial", "coefficients": [0.3, 0.9, -0.1], "centre": -1.0},
        {"kind": "beta", "a": 0.5, "b": 1.25, "level": -0.5, "centre": 0.3},
        {"kind": "spline", "low": -1.5, "high": 1.0} | PIECES,
        {"kind": "spline", "low": -1e308, "high": 1e308} | PIECES,
        {"kind": "logit_spline", "low": -2.0, "high": 3.0} | PIECES,
        {"kind": "logit_spline", "low": -2.0, "high": 3.0} | PIECES | {"least": -1, "greatest": 5},
    ):
        yield CalibrationMap.from_dict(numbers)
    plain = StepMap(np.array([0.1]), np.array([0.3, 0.9])), SigmoidMap(5.25, -2.5)
    yield MixtureMap(np.array([0.25, 0.75]), plain)
    moved = MixtureMap(np.array([0.25, 0.75]), plain, odds_factor=1.75)
    yield moved
    yield MirroredMap(moved)
    yield MirroredMap(SigmoidMap(5.25, -2.5))
    yield MirroredMap(StepMap(many, rng.random(401)))
    yield MirroredMap(LinearMap(np.array([0.0, 5e-324, 1.0]), np.array([0.1, 0.2, 1.0])))


def queries(map_):
    """Cuts, their neighbours, what lies between and far outside."""
    if isinstance(map_, MirroredMap):
        return -queries(map_.map)[::-1]
    cuts = getattr(map_, "scores", np.array([0.0, 0.5]))
    near = [
        cuts,
        np.nextafter(cuts, -np.inf),
        np.nextafter(cuts, np.inf),
        cuts[1:] / 2 + cuts[:-1] / 2,
    ]
    far = [-np.finfo(float).max, -1e300, -1e5, -1.0, -0.0, 0.0, 5e-324, 1.0, 750.0, 1e5, 1e300]
    return np.unique(np.concatenate([*near, far, np.random.default_rng(1).normal(size=200)]))


def kind_within(map_):
    """Kind of a map, or of the map that is mirrored."""
    return map_.map.kind if isinstance(map_, MirroredMap) else map_.kind


def in_python(map_, scores):
    with np.errstate(over="ignore"):  # of the log-odds of huge scores
        return map_(scores)


each_map = pytest.mark.parametrize("map_", list(maps()), ids=lambda map_: type(map_).__name__)


@each_map
def test_javascript_gives_what_python_gives(map_):
    racer = pytest.importorskip("py_mini_racer").MiniRacer()
    scores = queries(map_)
    racer.eval(program(stored_map(map_), "javascript", "score"))
    found = json.loads(racer.eval(f"JSON.stringify({json.dumps(scores.tolist())}.map(calibrate))"))
    tolerance = 0 if kind_within(map_) in ("step", "linear") else 1e-15
    np.testing.assert_allclose(found, in_python(map_, scores), rtol=0, atol=tolerance)
    for wrong in ("NaN", "Infinity", "'0.5'", "null", "undefined"):
        caught = f"try {{ calibrate({wrong}) }} catch (e) {{ e instanceof RangeError }}"
        assert racer.eval(caught) is True


@each_map
def test_sql_gives_what_python_gives(map_):
    connection = sqlite3.connect(":memory:")
    connection.create_function("EXP", 1, math.exp)  # not every SQLite has them
    connection.create_function("LN", 1, math.log)
    connection.execute('CREATE TABLE t ("the ""score""" REAL)')
    scores = queries(map_)
    connection.executemany("INSERT INTO t VALUES (?)", [(s,) for s in [*scores.tolist(), None]])
    expression = program(stored_map(map_), "sql", 'the "score"')
    found = [value for (value,) in connection.execute(f"SELECT\n{expression}FROM t")]
    assert found.pop() is None
    tolerance = 0 if kind_within(map_) == "step" else 1e-15
    np.testing.assert_allclose(found, in_python(map_, scores), rtol=0, atol=tolerance)


@each_map
def test_onnx_gives_what_python_gives(map_, tmp_path):
    reason = "the extra onnx is not installed"
    onnx = pytest.importorskip("onnx", reason=reason)
    runtime = pytest.importorskip("onnxruntime", reason=reason)
    path, written = tmp_path / "map.json", tmp_path / "map.onnx"
    path.write_text(stored_map(map_).dumps())
    command = ["export", path, "--to", "onnx", "--score", "the score", "-o", written]
    assert main([str(word) for word in command]) == 0
    model = onnx.load(written)
    onnx.checker.check_model(model, full_check=True)
    assert "Some, fitted to 9 rows of a\\nb.csv" in model.doc_string
    session = runtime.InferenceSession(written, providers=["CPUExecutionProvider"])
    scores = np.append(queries(map_), [np.nan, np.inf, -np.inf])
    (found,) = session.run(["probability"], {"the score": scores})
    assert found.dtype == np.float64 and np.isnan(found[-3:]).all()
    tolerance = 0 if kind_within(map_) in ("step", "linear") else 1e-15
    np.testing.assert_allclose(found[:-3], in_python(map_, scores[:-3]), rtol=0, atol=tolerance)


def test_a_long_expression_is_remarked(tmp_path, capfd):
    path = tmp_path / "map.json"
    for n_steps, is_long in ((100, False), (20_000, True)):
        scores = np.linspace(0, 1, n_steps)
        path.write_text(stored_map(StepMap(scores, np.linspace(0, 1, n_steps + 1))).dumps())
        written = tmp_path / "map.sql"
        command = [
            "export",
            str(path),
            "--to",
            "sql",
            "--score",
            "s",
            "-o",
            str(written),
            "--force",
        ]
        assert main(command) == 0
        said = capfd.readouterr().err
        size = f"{len(written.read_text()) / 1000:,.0f} kB"
        assert (f"warning: the expression has {size}" in said) == is_long


def test_without_onnx_it_is_said_in_words(stored, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert "pip install onnx" in refusal(capfd, "export", stored, "--to", "onnx")


def test_sql_of_what_is_no_finite_float():
    """SQLite stores NaN as NULL; an integer is compared as the float that it is rounded to."""
    map_ = StepMap(np.array([2.0**53]), np.array([0.25, 0.5]))
    expression = program(stored_map(map_), "sql", "order")
    for values, expected in (
        ([math.nan, math.inf, -math.inf, None], [None] * 4),
        ([0, 2**53 - 1, 2**53, 2**53 + 1], [0.25, 0.25, 0.5, 0.5]),
    ):
        connection = sqlite3.connect(":memory:")
        connection.execute('CREATE TABLE t ("order" NUMERIC)')
        connection.executemany("INSERT INTO t VALUES (?)", [(value,) for value in values])
        found = connection.execute(f"SELECT\n{expression}FROM t ORDER BY rowid").fetchall()
        assert [value for (value,) in found] == expected


@each_map
@pytest.mark.parametrize("kind", ["DOUBLE", "DECIMAL(38, 20)", "INTEGER"])
def test_duckdb_gives_what_python_gives(map_, kind):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    expression = program(stored_map(map_), "sql", "t.user")
    scores = queries(map_) if kind == "DOUBLE" else np.unique(queries(map_).clip(-99, 99).round(9))
    scores = np.unique(scores.round()) if kind == "INTEGER" else scores
    more = ["NULL", "'nan'", "'inf'", "'-inf'"] if kind == "DOUBLE" else ["NULL"]
    rows = ", ".join(f"({i}, {s})" for i, s in enumerate([*map(repr, scores.tolist()), *more]))
    connection.execute(f'CREATE TABLE t (i INTEGER, "user" {kind}); INSERT INTO t VALUES {rows}')
    answer = connection.execute(f"SELECT\n{expression}FROM t ORDER BY i")
    assert [column[1] for column in answer.description] == ["DOUBLE"]
    found = [value for (value,) in answer.fetchall()]
    assert found[len(scores) :] == [None] * len(more)
    tolerance = 0 if kind_within(map_) == "step" else 1e-15
    expected = in_python(map_, scores)
    np.testing.assert_allclose(found[: len(scores)], expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize(
    "name, expected",
    [
        *[("prob", "prob"), ("t.prob", "t.prob"), ("Order", '"Order"'), ("t.null", 't."null"')],
        *[("a b", '"a b"'), ('t."x"', '"t.""x"""'), ("grün", '"grün"'), ("1", '"1"')],
    ],
)
def test_names_are_quoted_where_sql_would_read_something_else(name, expected):
    sql = program(stored_map(SigmoidMap(1.0, 0.0)), "sql", name)
    assert f"\nCASE WHEN {expected} - {expected} = 0 THEN" in sql


def test_nothing_in_a_map_ends_the_comment(stored, tmp_path, capfd):
    document = json.loads(Path(stored).read_text()) | {"package": "calib 1\nalert(1) //"}
    path = tmp_path / "foreign.json"
    path.write_text(json.dumps(document))
    assert main(["export", str(path), "--to", "javascript"]) == 0
    assert not any(line.startswith("alert") for line in capfd.readouterr().out.splitlines())


def test_every_kind_of_map_can_be_exported():
    assert set(PROGRAMS) == set(LANGUAGES)
    for language in PROGRAMS:
        assert set(PROGRAMS[language]) == (
            set(MAP_KINDS) if language != "table" else {"step", "linear"}
        )


def test_export_from_the_command_line(stored, tmp_path, capfd):
    path = tmp_path / "map.sql"
    assert main(["export", stored, "--to", "sql", "--score", "t.prob", "-o", str(path)]) == 0
    assert main(["export", stored, "--to", "sql", "--score", "t.prob"]) == 0
    out = capfd.readouterr().out
    assert out == path.read_text() and "CASE WHEN t.prob - t.prob = 0 THEN" in out


@each_map
def test_a_table_gives_what_python_gives(map_, tmp_path, capfd):
    path = tmp_path / "map.json"
    path.write_text(stored_map(map_).dumps())
    if map_.kind not in ("step", "linear"):
        message = refusal(capfd, "export", path, "--to", "table")
        assert "cannot be exported to table: step, linear maps can" in message
        return
    assert main(["export", str(path), "--to", "table"]) == 0
    header, *rows = rows_of(capfd.readouterr().out)
    if map_.kind == "linear":
        assert header == ["score", "probability"]
        columns = np.array(rows, float).T
        np.testing.assert_array_equal(columns, [map_.scores, map_.probabilities])
        return
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE map (lower REAL, upper REAL, probability REAL)")
    database.executemany("INSERT INTO map VALUES (?, ?, ?)", rows)
    assert header == ["lower", "upper", "probability"]
    database.execute("CREATE TABLE t (score REAL)")
    scores = queries(map_)
    database.executemany("INSERT INTO t VALUES (?)", [(score,) for score in scores.tolist()])
    joined = "t LEFT JOIN map ON score >= lower AND score < upper ORDER BY t.rowid"
    found = [value for (value,) in database.execute(f"SELECT probability FROM {joined}")]
    np.testing.assert_array_equal(found, map_(scores))


def test_export_says_where_a_probability_is_reached(stored, tmp_path, capfd):
    map_ = load_map(stored)
    lower, upper, _ = scores_at(map_, 0.5)
    for language, comment in (("sql", "--"), ("javascript", "//")):
        assert main(["export", stored, "--to", language, "--threshold", "0.5"]) == 0
        out, err = capfd.readouterr()
        line = out.splitlines()[2]
        assert err == "" and line.startswith(
            f"{comment} the probability is at least 0.5 where the score is >= "
        )
        assert repr(lower) in line and (lower == upper or repr(upper) in line)
    assert main(["export", stored, "--to", "table", "--threshold", "0.5"]) == 0
    out, err = capfd.readouterr()
    assert out.startswith("lower,upper,probability\n") and err.startswith("calib export: the prob")
    assert "for no score" in rule(map_, 1.0)
    for always in (map_, SigmoidMap(-1.0, 0.0)):
        assert "for every score" in rule(always, 0.0)
    falling = rule(SigmoidMap(-1e3, 1e3), 0.25)
    assert "where the score is <= 1.0" in falling
    assert "[0, 1]" in refusal(capfd, "export", stored, "--to", "sql", "--threshold", "50")
    path = tmp_path / "turning.json"
    path.write_text(stored_map(StepMap(np.array([0.5, 0.6]), np.array([0.5, 0.1, 0.9]))).dumps())
    message = refusal(capfd, "export", path, "--to", "sql", "--threshold", "0.5")
    assert "is not monotone" in message


# compare; the tests of report are those of its page


def test_compare_prints_a_table_and_json(data, capfd, monkeypatch):
    expected = calibkit.comparison.compare(
        *sample(), [calib.PlattScaling(), calib.IsotonicCalibrator()]
    )

    def same(scores, labels, sample_weight, clusters, cv, loss, verbose):
        np.testing.assert_array_equal(scores, sample()[0])
        np.testing.assert_array_equal(labels, sample()[1])
        assert (sample_weight, clusters, cv, loss, verbose) == (None, None, 5, "log", 0)
        return expected

    monkeypatch.setattr(calibkit.comparison, "compare", same)
    assert main(["compare", data, *COLUMNS]) == 0
    out = capfd.readouterr().out
    assert out.startswith(f"{expected}\ncalib fit --method takes these names in small letters")
    assert main(["compare", data, *COLUMNS, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["recommended"] == expected.chosen
    rows = {row["method"]: row for row in found["methods"]}
    assert list(rows) == list(expected.results)
    assert rows["IsotonicCalibrator()"]["log_gain"] is None  # minus infinity
    assert rows["IsotonicCalibrator()"]["brier"] == expected.results["IsotonicCalibrator()"].brier


def patients(path, n=40):
    """A table with a column of n patients, each with eight rows, and one of groups."""
    scores, labels = sample(8 * n)
    rows = zip(scores.tolist(), labels.tolist(), np.repeat(np.arange(n), 8).tolist(), strict=True)
    lines = (f"{s!r},{y},no. {c},{'fm'[c % 2]}" for s, y, c in rows)
    path.write_text("\n".join(["prob,y,patient,sex", *lines]))
    return path


def test_compare_and_report_take_clusters(tmp_path, capfd, monkeypatch):
    path = patients(tmp_path / "patients.csv")
    names = np.repeat([f"no. {c}" for c in range(40)], 8)
    expected = calibkit.comparison.compare(*sample(320), [calib.PlattScaling()], clusters=names)

    def same(scores, labels, clusters, **_):
        np.testing.assert_array_equal(clusters, names)
        return expected

    # the report is loaded first, because it keeps the `compare` that it finds
    monkeypatch.setattr("calibkit.report.calibrators.compared", lambda *_: None)
    monkeypatch.setattr(calibkit.comparison, "compare", same)
    assert main(["compare", str(path), *COLUMNS, "--cluster", "patient"]) == 0
    assert capfd.readouterr().out.startswith(f"{expected}\n")
    page = ["--cluster", "patient", "--group", "sex", "--json", "-o", "-"]
    assert main(["report", str(path), *COLUMNS, *page]) == 0
    document = json.loads(capfd.readouterr().out)
    assert [group["name"] for group in document["groups"]] == ["f", "m"]
    assert any("Rows of one cluster" in text for text in document["methods"])


def test_errors_name_flags_that_are_there(tmp_path, capfd):
    path = patients(tmp_path / "patients.csv")
    message = refusal(capfd, "compare", path, *COLUMNS, "--group", "sex")
    assert "--cluster" in message and "calib report judges groups, with --group" in message
    message = refusal(capfd, "compare", path, *COLUMNS, "--cluster", "sex")
    assert "2 clusters ('sex')" in message and "cv" not in message
    few = table(tmp_path / "few.csv", np.linspace(0, 1, 40), (np.arange(40) > 36).astype(int))
    message = refusal(capfd, "compare", few, *COLUMNS)
    assert "3 rows with a label of class 1 are too few for the 5 folds" in message
    known = set(re.findall(r"--[a-z-]+", message)) | {"--cluster", "--group"}
    assert known == {"--cluster", "--group"}


# monitor


def monitored(path, seed, n, change=lambda p: p):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(0.05, 0.95, n)
    return table(path, scores, (rng.random(n) < change(scores)).astype(int))


def test_monitor_without_and_with_an_alarm(tmp_path, capfd):
    good = monitored(tmp_path / "good.csv", 0, 4000)
    assert main(["monitor", good, *COLUMNS]) == 0
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 9 and "calibration" not in out and err == ""
    assert [int(line.split()[0]) for line in out.splitlines()[1:]] == list(range(500, 4001, 500))
    bad = monitored(tmp_path / "bad.csv", 1, 4000, lambda p: p**2)
    assert main(["monitor", bad, *COLUMNS]) == 1
    assert "calibration" in capfd.readouterr().out.splitlines()[-1]


def test_monitor_writes_small_rates_with_the_digits_of_their_error(tmp_path, capfd):
    """Of 40,000 rows one in 1,000 comes true: a standard error of 0.00016."""
    path = table(tmp_path / "rare.csv", np.full(40_000, 0.001), 1 * (np.arange(40_000) % 976 == 0))
    assert main(["monitor", path, *COLUMNS, "--batch", "40000"]) == 0
    assert capfd.readouterr().out.splitlines()[1].split()[1:3] == ["0.00103", "0.00100"]


def test_monitor_gives_half_of_alpha_to_each_of_its_two_tests(tmp_path, capfd):
    path = monitored(tmp_path / "data.csv", 1, 2000, lambda p: p**1.2)
    main(["monitor", path, *COLUMNS])
    lines = [line.split() for line in capfd.readouterr().out.splitlines()[1:]]
    smallest = min(float(p) for line in lines for p in line[3:5])
    assert smallest < 0.4
    assert main(["monitor", path, *COLUMNS, "--alpha", str(1.9 * smallest)]) == 0
    assert main(["monitor", path, *COLUMNS, "--alpha", str(2.1 * smallest)]) == 1


def test_monitor_sees_a_base_rate_that_changes_with_the_predictions(tmp_path, capfd):
    rng = np.random.default_rng(2)
    scores = np.where(np.arange(8000) < 4000, 0.3, 0.4)
    path = table(tmp_path / "shift.csv", scores, (rng.random(8000) < scores).astype(int))
    assert main(["monitor", path, *COLUMNS]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert "base rate" not in lines[8] and lines[-1].endswith("  base rate")


def test_monitor_goes_on_where_it_stopped(tmp_path, capfd):
    whole = monitored(tmp_path / "whole.csv", 3, 3000, lambda p: p**1.2)
    rows = Path(whole).read_text().splitlines(keepends=True)
    parts = []
    for i in range(3):
        parts.append(tmp_path / f"part{i}.csv")
        parts[-1].write_text("".join([rows[0], *rows[1 + 1000 * i : 1001 + 1000 * i]]))
    code = main(["monitor", whole, *COLUMNS, "--state", str(tmp_path / "once.json")])
    once = capfd.readouterr().out.splitlines()
    state = ["--state", str(tmp_path / "state.json")]
    codes = [main(["monitor", str(part), *COLUMNS, *state]) for part in parts]
    line = capfd.readouterr().out.splitlines()
    assert [words for words in line if words != line[0]] == once[1:] and codes[-1] == code
    assert (tmp_path / "state.json").read_text() == (tmp_path / "once.json").read_text()


def test_monitor_remembers_an_outcome_that_was_given_no_chance(tmp_path):
    path = table(tmp_path / "sure.csv", np.array([0.0, 0.5, 0.5]), np.array([1, 0, 1]))
    words = ["monitor", path, *COLUMNS, "--state", str(tmp_path / "state.json")]
    assert main(words) == 1
    good = monitored(tmp_path / "good.csv", 0, 1000)
    assert main(["monitor", good, *words[2:]]) == 1


def test_monitor_leaves_the_state_as_it_was_when_it_fails(data, tmp_path, capfd):
    state = tmp_path / "state.json"
    words = ["monitor", data, *COLUMNS, "--state", str(state)]
    main(words)
    before = state.read_text()
    capfd.readouterr()
    with open(data, "a") as file:
        file.write("x,0.5,2\n")
    assert main(words) == 2
    assert "line 302, column 'y': found '2'" in capfd.readouterr().err
    assert state.read_text() == before


def stream(path, n_batches, seed=0):
    """Rows of three groups, of which b's high scores come true too seldom in the second half."""
    rng = np.random.default_rng(seed)
    n = 300 * n_batches
    scores, groups = rng.uniform(0.05, 0.95, n), rng.choice(list("abc"), n)
    wrong = (np.arange(n) >= n // 2) & (groups == "b") & (scores > 0.7)
    labels = rng.random(n) < np.where(wrong, scores - 0.35, scores)
    rows = zip(scores, labels.astype(int), groups, strict=True)
    path.write_text("s,y,g\n" + "".join(f"{s},{y},{g}\n" for s, y, g in rows))
    return str(path)


def test_monitor_names_the_group_the_batch_and_the_scores(tmp_path, capfd):
    path = stream(tmp_path / "stream.csv", 40)
    words = ["monitor", path, "--score", "s", "--label", "y", "--group", "g", "--batch", "300"]
    picture = tmp_path / "evidence.svg"
    assert main([*words, "--json", "--plot", str(picture)]) == 1
    lines = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert len(lines) == 40 and lines[-1]["rows"] == 12000 and not lines[19]["alarms"]
    alarm = next(a for a in lines[-1]["alarms"] if a.startswith("calibration of b"))
    batch = int(alarm.split("batch ")[1].split(",")[0])
    assert 17 <= batch <= 25 and alarm.endswith("scores 0.7 to 0.9)")
    assert not any("calibration of a" in a or "of c" in a for a in lines[-1]["alarms"])
    assert picture.read_text().startswith("<?xml")
    assert "exists" in refusal(capfd, *words, "--plot", str(picture))
    assert "--plot must end in" in refusal(capfd, *words, "--plot", "x.gif")


def test_monitor_with_weights_is_monitor_with_copies(tmp_path, capfd):
    rng = np.random.default_rng(0)
    scores, copies = rng.uniform(0.05, 0.95, 60).round(3), rng.integers(0, 4, 60)
    labels = (rng.random(60) < scores).astype(int)
    rows = list(zip(scores, labels, copies, strict=True))
    head = "s,y,w\n"
    (tmp_path / "w.csv").write_text(head + "".join(f"{s},{y},{w}\n" for s, y, w in rows))
    (tmp_path / "c.csv").write_text(head + "".join(w * f"{s},{y},1\n" for s, y, w in rows))
    seen = []
    for name in ("w.csv", "c.csv"):
        words = [str(tmp_path / name), "--score", "s", "--label", "y", "--weight", "w", "--json"]
        main(["monitor", *words])
        seen.append(json.loads(capfd.readouterr().out))
    for row in seen:
        assert row.pop("alarms") == []
    assert seen[0] == pytest.approx(seen[1])


def test_a_state_in_use_is_left_alone(data, tmp_path, capfd):
    words = ["monitor", data, *COLUMNS, "--state", str(tmp_path / "state.json")]
    lock = tmp_path / "state.json.lock"
    main(words)
    before = (tmp_path / "state.json").read_text()
    assert not lock.exists()
    capfd.readouterr()
    with _locked(tmp_path / "state.json"):
        assert "another run of calib monitor uses" in refusal(capfd, *words)
        assert (tmp_path / "state.json").read_text() == before and lock.exists()
        lock.unlink()
        lock.touch()  # of a third run, which began as the first one ended
        with lock.open("ab") as other, lock.with_name("else").open("ab") as stale:
            assert _got(other, lock) and not _got(stale, lock)
    lock.unlink(missing_ok=True)
    lock.touch()  # left by a run that was killed
    assert main(words) in (0, 1) and not lock.exists()


@pytest.mark.parametrize("kind", ["group", "cluster"])
def test_a_process_of_its_own_reports_and_loads_little(kind, data, tmp_path):
    table = tmp_path / "named.csv"
    rows = Path(data).read_text().splitlines()
    table.write_text("".join(f"{row},{kind if i == 0 else i % 40}\n" for i, row in enumerate(rows)))
    program = (
        "import sys, calibkit.cli; code = calibkit.cli.main(); "
        "unused = {'pandas', 'scipy.stats', 'sklearn.model_selection', 'matplotlib'}; "
        "assert not code and not unused & set(sys.modules); import pandas, sklearn.utils.fixes"
    )
    words = ["report", table, *COLUMNS, f"--{kind}", kind, "-o", tmp_path / "report.html"]
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "</html>" in (tmp_path / "report.html").read_text(encoding="utf-8")


LABELLED = "prob,label\n" + "".join(f"{i / 5000},{i % 2}\n" for i in range(5000))


@pytest.mark.parametrize("command", ["report", "fit", "monitor"])
def test_a_run_that_is_killed_outright_leaves_what_was_there(command, tmp_path):
    """In the middle: all the rows that a pipe holds are read, and more are waited for."""
    out = tmp_path / "out"
    state = command == "monitor"
    before = "" if state else "what was there before"
    out.write_text(before)
    if state:
        out.unlink()
    columns = ["--score", "prob", "--label", "label"]
    words = [command, "-", *columns, *(["--state", out] if state else ["-o", out, "--force"])]
    with started(*words) as process:
        process.stdin.write(LABELLED)
        process.stdin.flush()
        end = time.monotonic() + 60
        while state and not process.stdout.readline() and time.monotonic() < end:
            pass
        if not state:
            time.sleep(2)
        assert process.poll() is None
        process.kill()
        assert process.wait(timeout=60) == -9
    assert [path.name for path in tmp_path.iterdir()] == ["out.lock" if state else "out"]
    assert state or out.read_text() == before
    with started(*words) as process:  # nothing is in the way of the next one
        process.communicate(LABELLED, timeout=300)
        assert process.returncode in (0, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["out"] and out.read_text() != before


EMPTY = {"format": "calib-monitor", "version": 2, "calibration": {}, "base_rate": {}}


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", json.dumps(EMPTY), json.dumps(EMPTY | {"version": 1})]
)
def test_a_state_that_is_none(content, data, tmp_path, capfd):
    state = tmp_path / "state.json"
    state.write_text(content)
    assert "no state of calib monitor" in refusal(
        capfd, "monitor", data, *COLUMNS, "--state", state
    )
    assert state.read_text() == content


@pytest.mark.parametrize("words", [["--batch", "0"], ["--alpha", "0"], ["--alpha", "nan"]])
def test_bounds_of_monitor(words, data, capfd):
    assert words[0] in refusal(capfd, "monitor", data, *COLUMNS, *words)


# progress


def test_progress_is_said_on_request_and_on_a_terminal(monkeypatch, capsys):
    clock = iter(np.arange(0, 100, 0.6))
    monkeypatch.setattr("calibkit.cli.output.time.monotonic", lambda: next(clock))
    for wanted, terminal, expected in (
        (False, False, ""),
        (True, False, "2,000 rows\n4,000 rows\n"),
        (False, True, "\r2,000 rows\r4,000 rows\n"),
    ):
        monkeypatch.setattr("sys.stderr.isatty", lambda terminal=terminal: terminal)
        with Progress(wanted) as progress:
            for n_rows in range(1000, 5000, 1000):
                progress(n_rows)
        assert capsys.readouterr().err == expected


# Report


def test_a_report_of_few_rows_says_what_it_read(tmp_path, capfd):
    """Of so few rows nothing is compared, which would take long."""
    rng = np.random.default_rng(0)
    words = np.where(rng.random(30) < 0.5, "yes", "no")
    data = tmp_path / "few.csv"
    pairs = zip(rng.random(30).tolist(), words, strict=True)
    data.write_text("prob,clicked\n" + "".join(f"{p},{word}\n" for p, word in pairs))
    out = tmp_path / "few.json"
    columns = ["--score", "prob", "--label", "clicked"]
    columns += ["--positive", "yes", "--json", "-o", str(out), "--threshold", "0.3"]
    assert main(["report", str(data), *columns, "--threshold", "0.25"]) == 0
    found = json.loads(out.read_text())
    notes = found["notes"]
    assert [escape["threshold"] for escape in found["escapes"]] == [0.3, 0.25]
    assert notes[0] == "Columns: score from 'prob', label from 'clicked'. Positive: 'yes'."
    assert capfd.readouterr().err.startswith("calib report: ")
    message = refusal(capfd, "report", data, *columns, "--force", "--threshold", "1.5")
    assert "--threshold must be a number between 0 and 1; found 1.5" in message


# What comes in


def written(path, *columns, header="prob,y"):
    rows = zip(*[np.asarray(column).tolist() for column in columns], strict=True)
    path.write_text(header + "\n" + "".join(",".join(map(repr, row)) + "\n" for row in rows))
    return str(path)


def said_by(capfd, *words):
    """What a command that succeeds says on standard error."""
    assert main([str(word) for word in words]) == 0
    return capfd.readouterr().err


def fitted(capfd, tmp_path, data, *words):
    return said_by(capfd, "fit", data, *COLUMNS, *words, "-o", tmp_path / "new.json", "--force")


def test_fit_says_what_is_odd_about_scores(tmp_path, capfd):
    rng = np.random.default_rng(0)
    p = rng.random(1000)
    y = (rng.random(1000) < p).astype(int)
    path = tmp_path / "odd.csv"

    def said(scores, *words):
        return fitted(capfd, tmp_path, written(path, scores, y), *words)

    assert said(p) == said(p, "--method", "venn_abers") == ""
    assert "turned round" in said(np.round(900 - 600 * p)) and "AUC" in said(900 - 600 * p)
    by_isotonic = said(np.round(900 - 600 * p), "--method", "isotonic")
    assert "take minus the score" in by_isotonic and "the map is nearly constant" in by_isotonic
    assert "take minus the score" in said(900 - 600 * p, "--method", "platt")
    assert "percentages" in said(np.round(100 * p).clip(1, 96))
    marks = said(np.where(rng.random(1000) < 0.1, -999, p))
    assert "Scores of -999, in " in marks and "marks for missing values" in marks
    folded = said(np.maximum(p, 1 - p), "--method", "platt")
    assert "Scores of the predicted class" in folded


def test_fit_says_that_a_map_of_tiny_margins_is_constant(tmp_path, capfd):
    rng = np.random.default_rng(0)
    margins = rng.normal(size=300)
    y = (rng.random(300) < 1 / (1 + np.exp(-3 * margins))).astype(int)
    tiny = written(tmp_path / "tiny.csv", 1e-300 * margins, y)
    assert "the map is nearly constant (0." in fitted(capfd, tmp_path, tiny, "--method", "platt")
    small = written(tmp_path / "small.csv", 1e-200 * margins, y)
    assert fitted(capfd, tmp_path, small, "--method", "platt") == ""


def test_fit_says_that_a_sum_is_off_and_what_mends_it(tmp_path, capfd):
    rng = np.random.default_rng(0)
    p = 0.05 * rng.random(2000) ** 2
    y = (rng.random(2000) < p).astype(int)
    rare = written(tmp_path / "rare.csv", p, y)
    said = fitted(capfd, tmp_path, rare, "--method", "venn_abers")
    off = float(re.search(r"(\d+) % too many", said)[1])
    map_ = load_map(tmp_path / "new.json")
    assert off == round(100 * (map_(p).sum() / y.sum() - 1)) and off > 10
    for words in re.findall(r"--method \w+(?: --parameter smoothing=1)?", said):
        assert words != "--method venn_abers"
    for words in (["isotonic", "--parameter", "smoothing=1"], ["spline"]):
        assert "add up" not in fitted(capfd, tmp_path, rare, "--method", *words)
    weights = np.where(y == 1, 1, 7)
    counted = written(tmp_path / "counts.csv", np.full(2000, 0.5), y, weights, header="prob,y,n")
    said = fitted(capfd, tmp_path, counted, "--weight", "n", "--method", "temperature")
    assert f"add up to {weights.sum() / 2:g}, and {y.sum()} are positive" in said


def test_fit_names_the_line_and_the_way_for_logits(tmp_path, capfd):
    logits = np.random.default_rng(0).normal(size=300)
    y = (np.random.default_rng(1).random(300) < 1 / (1 + np.exp(-logits / 2))).astype(int)
    logits[:2] = 0.5, -1.5
    data = written(tmp_path / "logits.csv", logits, y)
    new = ["-o", tmp_path / "new.json"]
    for method, way in (("temperature", "--parameter scale=score"), ("beta", "--method platt")):
        refused = refusal(capfd, "fit", data, *COLUMNS, "--method", method, *new)
        assert "line 3, column 'prob'" in refused and way in refused
    way = ["--method", "temperature", "--parameter", "scale=score"]
    assert fitted(capfd, tmp_path, data, *way) == ""
    assert load_map(tmp_path / "new.json")([0.0]) == 0.5
    percentages = written(tmp_path / "percent.csv", 100 * np.abs(logits) / 4, y)
    new = ["-o", tmp_path / "other.json"]
    refused = refusal(capfd, "fit", percentages, *COLUMNS, "--method", "beta", *new)
    assert "divide percentages by 100" in refused


def test_rounding_beyond_the_ends_is_clipped_and_said_by_every_command(tmp_path, capfd):
    rng = np.random.default_rng(0)
    p = rng.random(300)
    y = (rng.random(300) < p).astype(int)
    p[3], p[7] = y[3], y[7] = 1, 0
    exact = written(tmp_path / "exact.csv", p, y)
    p[3], p[7] = 1.0000001192092896, -1e-9
    hair = written(tmp_path / "hair.csv", p, y)
    note = "2 scores lie beyond [0, 1] by 1.2e-07 at most (line 5, line 9): taken for rounding"
    maps = tmp_path / "exact.json", tmp_path / "hair.json"
    said_by(capfd, "fit", exact, *COLUMNS, "--method", "beta", "-o", maps[0])
    assert note in said_by(capfd, "fit", hair, *COLUMNS, "--method", "beta", "-o", maps[1])
    stored = [json.loads(path.read_text()) for path in maps]
    assert stored[0]["map"] == stored[1]["map"]
    assert stored[1]["fitted_to"]["highest_score"] == 1
    outputs = []
    for path in (exact, hair):
        for words in (
            ["apply", maps[0], path, "--score", "prob"],
            ["monitor", path, *COLUMNS],
            ["compare", path, *COLUMNS, "--json"],
        ):
            assert main([str(word) for word in words]) == 0
            out, err = capfd.readouterr()
            assert (note in err) == (path == hair) and "margins" not in err
            found = {
                "apply": lambda text: [row.rpartition(",")[2] for row in text.splitlines()],
                "monitor": str,
                "compare": lambda text: json.loads(text)["methods"],
            }
            outputs.append(found[words[0]](out))
    assert outputs[:3] == outputs[3:]


def test_monitor_refuses_what_lies_further_beyond(tmp_path, capfd):
    data = written(tmp_path / "far.csv", [0.5, 1.00002, 0.25], [0, 1, 0])
    refused = refusal(capfd, "monitor", data, *COLUMNS)
    assert "line 3" in refused and "'1.00002'" in refused and "percentages" in refused


def test_fractional_weights_are_taken_by_every_command(tmp_path, capfd):
    rng = np.random.default_rng(0)
    p = rng.random(400)
    y, w = (rng.random(400) < p).astype(int), rng.uniform(0.3, 1.5, 400)
    data = written(tmp_path / "weighted.csv", p, y, w, header="prob,y,w")
    words = [data, *COLUMNS, "--weight", "w"]
    assert "weights are no whole numbers" in said_by(
        capfd, "fit", *words, "-o", tmp_path / "m.json"
    )
    assert "weights are no whole numbers" in said_by(capfd, "compare", *words)
    assert "No evidence" in said_by(capfd, "report", *words, "-o", tmp_path / "r.html")
    assert "they are no whole numbers" in (tmp_path / "r.html").read_text()


def test_the_map_of_decimals_is_that_of_the_same_numbers_and_of_its_sql(tmp_path, capfd):
    duckdb = pytest.importorskip("duckdb")
    table = tmp_path / "decimals.parquet"
    database = duckdb.connect()
    database.execute("SELECT setseed(0.5)")
    database.execute(
        "CREATE TABLE t AS SELECT round(u, 2)::DECIMAL(4, 2) AS prob, (random() < u)::INT AS y "
        "FROM (SELECT random() AS u FROM range(2000))"
    )
    database.execute(f"COPY t TO '{table}' (FORMAT parquet)")
    database.execute(f"COPY t TO '{tmp_path}/decimals.csv' (HEADER)")
    maps = []
    for data in (table, tmp_path / "decimals.csv"):
        fitted(capfd, tmp_path, data, "--method", "venn_abers")
        maps.append(load_map(tmp_path / "new.json"))
    assert maps[0].to_dict() == maps[1].to_dict()
    stored = tmp_path / "new.json"
    output = tmp_path / "calibrated.parquet"
    said_by(capfd, "apply", stored, table, "--score", "prob", "-o", output)
    said_by(capfd, "export", stored, "--to", "sql", "--score", "prob", "-o", tmp_path / "map.sql")
    case = (tmp_path / "map.sql").read_text()
    rows = database.execute(f"SELECT calibrated, {case} FROM '{output}'").fetchall()
    assert len(rows) == 2000 and all(applied == by_sql for applied, by_sql in rows)


def test_a_line_for_excel_is_skipped_by_every_command(tmp_path, capfd):
    pytest.importorskip("duckdb")
    scores, labels = sample()
    rows = "".join(f"{s!r};{y}\n" for s, y in zip(scores.tolist(), labels.tolist(), strict=True))
    data = tmp_path / "excel.csv"
    data.write_text(f"sep=;\nprob;y\n{rows}")
    form = ["--separator", ";"]
    fitted(capfd, tmp_path, data, *form)
    assert main(["apply", str(tmp_path / "new.json"), str(data), "--score", "prob", *form]) == 0
    out = capfd.readouterr().out
    assert out.startswith("prob;y;calibrated\n") and out.count("\n") == 301
    counts = tmp_path / "counts.csv"
    said_by(capfd, "counts", data, *COLUMNS, *form, "-o", counts)
    counted = counts.read_text().splitlines()
    assert counted[0] == "prob,y,count"
    assert sum(int(line.rpartition(",")[2]) for line in counted[1:]) == 300
    (tmp_path / "plain.csv").write_text(f"prob;y\n{rows}")
    refused = refusal(capfd, "counts", tmp_path / "*.csv", *COLUMNS, *form, "-o", counts, "--force")
    assert "columns" in refused or "a line for Excel" in refused


def test_clicks_are_counted_as_the_page_says(tmp_path, capfd, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    page = Path(__file__).parents[2] / "book" / "command_line.md"
    query = re.search(r"```sql\n(COPY .*?)```", page.read_text(encoding="utf-8"), re.S)[1]
    rng = np.random.default_rng(0)
    p = np.round(rng.random(200), 2)
    impressions = rng.integers(0, 40, 200)
    clicks = rng.binomial(impressions, p)
    ads = written(tmp_path / "ads.csv", p, impressions, clicks, header="pctr,impressions,clicks")
    monkeypatch.chdir(tmp_path)
    refused = refusal(capfd, "fit", ads, "--score", "pctr", "--label", "clicks", "-o", "map.json")
    assert "clicks of impressions" in refused
    duckdb.connect().execute(query)
    columns = ["--score", "score", "--label", "label", "--weight", "count"]
    said = said_by(capfd, "fit", "counts.csv", *columns, "--method", "spline", "-o", "map.json")
    assert said == ""
    expected = calib.SplineCalibrator().fit_counts(p, clicks, impressions)
    np.testing.assert_allclose(load_map("map.json")(p), expected.predict(p), rtol=0, atol=1e-9)


def test_fit_names_centred_where_it_sets_the_sum_right(tmp_path, capfd):
    rng = np.random.default_rng(0)
    p = 0.05 * rng.random(2000) ** 2
    y = (rng.random(2000) < p).astype(int)
    rare = written(tmp_path / "rare.csv", p, y)
    said = fitted(capfd, tmp_path, rare, "--method", "venn_abers")
    assert "take --parameter centred=true or --method stacked --parameter centred=true" in said
    for method in ("venn_abers", "stacked"):
        centred = ["--method", method, "--parameter", "centred=true"]
        assert "add up" not in fitted(capfd, tmp_path, rare, *centred)
        assert abs(load_map(tmp_path / "new.json")(p).sum() / y.sum() - 1) < 1e-6
