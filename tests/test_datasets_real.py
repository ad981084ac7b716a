"""Loading real data: the folder, OpenML (played by a stand-in), and every way it can fail."""

import hashlib
import json
import os
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from calib.datasets import DatasetNotFound, available, load, real

FRAME = pd.DataFrame(
    {
        "age": [30, 40, 50, 60],
        "id": [7, 8, 9, 10],
        "job": pd.Categorical(["clerk", None, "nurse", "clerk"]),
        "target": np.array([0, 1, 1, 0], np.int8),
    }
)


def write(folder, name="toy", frame=FRAME, extra_columns=("id",), **changes):
    """Add a data set to `folder`; `changes` overwrite its manifest entry."""
    path = folder / f"{name}.parquet"
    frame.to_parquet(path)
    entry = {
        "parquet_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "extra_columns": list(extra_columns),
        **changes,
    }
    manifest = folder / "manifest.json"
    known = json.loads(manifest.read_text())["datasets"] if manifest.exists() else {}
    manifest.write_text(json.dumps({"datasets": known | {name: entry}}))
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIB_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("CALIB_DATA", raising=False)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def fetch_openml(**_):
        raise URLError("no network in tests")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)


# The folder


def test_features_labels_and_extra_columns(folder):
    write(folder)
    X, y, extras = load("toy", return_extras=True)
    pd.testing.assert_frame_equal(X, FRAME[["age", "job"]])
    pd.testing.assert_frame_equal(extras, FRAME[["id"]])
    assert y.dtype == np.int8 and y.tolist() == [0, 1, 1, 0]
    X_alone, y_alone = load("toy")
    pd.testing.assert_frame_equal(X_alone, X)
    assert y_alone.tolist() == y.tolist()


def test_the_folder_comes_before_openml(folder):
    write(folder, "adult")
    X, _ = load("adult")
    assert list(X) == ["age", "job"]


def test_other_bytes_are_refused(folder):
    path = write(folder)
    content = bytearray(path.read_bytes())
    content[10] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"toy\.parquet has SHA-256 .* get the file again"):
        load("toy")


def test_a_missing_checksum_is_refused(folder):
    write(folder, parquet_sha256=None)
    with pytest.raises(ValueError, match=r"toy\.parquet .* manifest\.json says None"):
        load("toy")


def test_a_file_without_entry_is_refused(folder):
    write(folder)
    write(folder, "other").rename(folder / "stranger.parquet")
    with pytest.raises(ValueError, match=r"stranger\.parquet has no entry in manifest\.json"):
        load("stranger")


@pytest.mark.parametrize("content", [None, "not json", "[]", "{}"])
def test_a_broken_manifest_is_refused(folder, content):
    write(folder)
    manifest = folder / "manifest.json"
    manifest.unlink()
    if content is not None:
        manifest.write_text(content)
    with pytest.raises(ValueError, match=r"manifest\.json cannot be used; found .* restore"):
        load("toy")


@pytest.mark.parametrize("column", ["target", "id"])
def test_a_missing_column_is_refused(folder, column):
    write(folder, frame=FRAME.drop(columns=column))
    with pytest.raises(ValueError, match=rf"toy\.parquet lacks the column '{column}'; found \["):
        load("toy")


@pytest.mark.parametrize("target", [[0, 1, 2, 0], [0, 1, None, 0], ["0", "1", "1", "0"]])
def test_labels_other_than_0_and_1_are_refused(folder, target):
    write(folder, frame=FRAME.assign(target=target))
    with pytest.raises(ValueError, match=r"must have 0 or 1 in the column 'target'; found .* row"):
        load("toy")


def test_a_file_that_is_not_parquet_is_refused(folder):
    path = write(folder)
    path.write_bytes(b"age,target\n1,0\n")
    manifest = {"parquet_sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps({"datasets": {"toy": manifest}}))
    with pytest.raises(ValueError, match=r"toy\.parquet is not a readable Parquet file; found"):
        load("toy")


def test_a_folder_that_is_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("CALIB_DATA", str(tmp_path / "nowhere"))
    for call in (lambda: load("adult"), available):
        with pytest.raises(ValueError, match="CALIB_DATA is not a folder; found .*nowhere"):
            call()


# OpenML


def openml_answer(source):
    """Data of the size that OpenML is expected to send."""
    X = pd.DataFrame(np.zeros((source.n_rows, source.n_features)))
    positive = np.arange(source.n_rows) % source.n_rows < source.n_positive
    return X, pd.Series(np.where(positive, source.positive, "another"), dtype="category")


@pytest.mark.parametrize("name", real.OPENML)
def test_openml_labels_become_0_and_1(no_folder, monkeypatch, name):
    source = real.OPENML[name]
    asked = {}

    def fetch_openml(**arguments):
        asked.update(arguments)
        return openml_answer(source)

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
    X, y = load(name)
    assert asked["data_id"] == source.data_id and asked["as_frame"] and asked["return_X_y"]
    assert X.shape == (source.n_rows, source.n_features)
    assert y.dtype == np.int8
    np.testing.assert_array_equal(y, np.arange(source.n_rows) < source.n_positive)


def test_numeric_openml_labels(no_folder, monkeypatch):
    X, labels = openml_answer(real.OPENML["credit_default"])
    labels = (labels == "1").astype(int)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: (X, labels))
    np.testing.assert_array_equal(load("credit_default")[1], labels)


@pytest.mark.parametrize("spoil", ["rows", "features", "labels", "missing label"])
def test_other_data_from_openml_are_refused(no_folder, monkeypatch, spoil):
    X, labels = openml_answer(real.OPENML["diabetes"])
    if spoil == "rows":
        X, labels = X.iloc[1:], labels.iloc[1:]
    elif spoil == "features":
        X = X.assign(more=1)
    elif spoil == "labels":
        labels = labels.cat.rename_categories({"tested_positive": "positive"})
    else:
        labels = labels.where(np.arange(len(labels)) < len(labels) - 1)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", lambda **_: (X, labels))
    with pytest.raises(ValueError, match="OpenML data set 37 is not the 'diabetes' expected"):
        load("diabetes")


def test_the_arguments_are_those_of_scikit_learn(no_folder, monkeypatch, tmp_path):
    monkeypatch.undo()  # the real function, with an empty cache and no connection
    monkeypatch.delenv("CALIB_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))

    def urlopen(*_, **__):
        raise ConnectionRefusedError("no network in tests")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", urlopen)
    with pytest.raises(DatasetNotFound, match="OpenML could not be reached: no network"):
        load("diabetes")


# Neither


def test_both_ways_are_told(no_folder):
    with pytest.raises(LookupError) as caught:
        load("adult")
    message = str(caught.value)
    assert "no network in tests" in message
    assert "set CALIB_DATA to a folder that holds adult.parquet" in message
    assert "OpenML has it as data set 1590" in message
    assert "Did you mean" not in message


def test_near_names_are_suggested(folder):
    write(folder, "mammography")
    with pytest.raises(DatasetNotFound, match="Did you mean 'mammography'?"):
        load("mamography")
    with pytest.raises(DatasetNotFound, match="Did you mean 'adult'?"):
        load("Adult")
    with pytest.raises(DatasetNotFound, match=r"add adult\.parquet and its entry .* to"):
        load("adult")


def test_extra_columns_are_not_on_openml(no_folder):
    with pytest.raises(DatasetNotFound, match="Extra columns are in the folder only"):
        load("adult", return_extras=True)


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_a_missing_package_is_named(folder, monkeypatch, package):
    write(folder)
    monkeypatch.setitem(__import__("sys").modules, package, None)
    with pytest.raises(ImportError, match=f"calib.datasets.load needs {package}: python -m pip"):
        load("toy")


def test_available_tells_where_from(folder):
    write(folder)
    write(folder, "adult")
    write(folder, "absent").unlink()
    sources = available()
    assert sources["toy"] == sources["adult"] == "CALIB_DATA"
    assert sources["diabetes"] == "OpenML"
    assert "absent" not in sources
    assert list(sources) == sorted(sources)


def test_available_without_a_folder(no_folder):
    assert available() == dict.fromkeys(sorted(real.OPENML), "OpenML")


# The files themselves, where they are


HELD = [n for n, source in available().items() if source == "CALIB_DATA"]


@pytest.mark.skipif(not HELD, reason="CALIB_DATA is not set")
def test_the_files_are_as_the_manifest_says():
    manifest = real._manifest(real._folder())
    for name in HELD:
        X, y, extras = load(name, return_extras=True)
        entry = manifest[name]
        assert X.shape == (entry["n_rows"], entry["n_features"]), name
        assert y.sum() == entry["n_positive"], name
        assert list(extras) == entry["extra_columns"], name


@pytest.mark.skipif(not HELD, reason="CALIB_DATA is not set")
@pytest.mark.parametrize("name", real.OPENML)
def test_openml_and_folder_are_the_same_set(name):
    manifest = real._manifest(real._folder())
    if name not in manifest:
        pytest.skip(f"{os.environ['CALIB_DATA']} does not hold {name}")
    entry, source = manifest[name], real.OPENML[name]
    assert entry["openml_id"] == source.data_id
    assert (entry["n_rows"], entry["n_features"]) == (source.n_rows, source.n_features)
    assert entry["n_positive"] == source.n_positive
