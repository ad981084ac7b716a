"""Real data sets: from files, from OpenML (replaced by a stand-in: no test needs a network)."""

import hashlib
import json
import os
import sys
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from calibkit.datasets import DatasetNotFound, available, load

REAL_FOLDER = os.environ.get("CALIB_DATA")

FRAME = pd.DataFrame(
    {
        "id": [7, 8, 9],
        "age": [30.0, np.nan, 50.0],
        "colour": pd.Categorical(["red", "green", "red"]),
        "target": np.array([0, 1, 1], np.int8),
    }
)


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("CALIB_DATA", raising=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of data files with the set "toy", named by CALIB_DATA."""
    monkeypatch.setenv("CALIB_DATA", str(tmp_path))
    write(tmp_path, "toy", FRAME, extra_columns=["id"])
    return tmp_path


def write(folder, name, frame, **entry):
    frame.to_parquet(folder / f"{name}.parquet")
    register(folder, name, **entry)


def register(folder, name, **entry):
    content = (folder / f"{name}.parquet").read_bytes()
    entry = {"parquet_sha256": hashlib.sha256(content).hexdigest(), **entry}
    (folder / "manifest.json").write_text(json.dumps({"datasets": {name: entry}}))


@pytest.fixture
def openml(monkeypatch):
    """A stand-in for `fetch_openml` that answers for breast_wisconsin."""
    calls = []

    def fetch(**query):
        calls.append(query)
        labels = pd.Categorical(["malignant"] * 241 + ["benign"] * 458)
        return Bunch(data=pd.DataFrame(np.ones((699, 9))), target=pd.Series(labels))

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    return calls


# Files


def test_a_file_gives_features_and_labels(folder):
    X, y = load("toy")
    pd.testing.assert_frame_equal(X, FRAME[["age", "colour"]])
    assert y.dtype == np.int8 and y.tolist() == [0, 1, 1]
    y[0] = 1  # the reader's own copy
    assert load("toy")[1].tolist() == [0, 1, 1]


def test_extra_columns_come_on_request(folder):
    X, y, extras = load("toy", return_extras=True)
    assert list(X) == ["age", "colour"]
    pd.testing.assert_frame_equal(extras, FRAME[["id"]])
    write(folder, "plain", FRAME)
    X, y, extras = load("plain", return_extras=True)
    assert list(X) == ["id", "age", "colour"]
    assert extras.shape == (3, 0)


def test_the_folder_comes_before_openml(folder, openml):
    write(folder, "breast_wisconsin", FRAME)
    assert len(load("breast_wisconsin")[1]) == 3
    assert not openml
    assert available()["breast_wisconsin"] == str(folder / "breast_wisconsin.parquet")


def test_a_changed_file_is_refused(folder):
    path = folder / "toy.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    found = hashlib.sha256(content).hexdigest()
    with pytest.raises(
        ValueError, match=rf"toy\.parquet has SHA-256 {found}, but .* copy the file"
    ):
        load("toy")
    register(folder, "toy", parquet_sha256=None)
    with pytest.raises(ValueError, match="manifest.json next to it says None"):
        load("toy")


@pytest.mark.parametrize(
    "content",
    [b"", b"not Parquet", b"PAR1 cut off in the middle PAR1"],
    ids=["empty", "text", "cut"],
)
def test_an_unreadable_file_is_refused(folder, content):
    (folder / "toy.parquet").write_bytes(content)
    register(folder, "toy")
    with pytest.raises(ValueError, match=r"toy\.parquet is no readable Parquet file \(.*\): copy"):
        load("toy")


@pytest.mark.parametrize(
    "frame, message",
    [
        (FRAME.drop(columns="target"), r"lacks the columns \['target'\]: write it again"),
        (FRAME.drop(columns="id"), r"lacks the columns \['id'\]"),
        (FRAME.assign(target=[0, 1, 2]), "values other than 0 and 1 in 'target'"),
        (FRAME.assign(target=[0, 1, None]), "values other than 0 and 1 in 'target'"),
        (FRAME.assign(target=["no", "yes", "yes"]), "values other than 0 and 1 in 'target'"),
    ],
)
def test_a_file_without_its_columns_is_refused(folder, frame, message):
    write(folder, "toy", frame, extra_columns=["id"])
    with pytest.raises(ValueError, match=message):
        load("toy")


@pytest.mark.parametrize(
    "manifest, finding",
    [
        (None, r"manifest\.json is missing"),
        ("{", r"manifest\.json is no valid JSON"),
        ("[]", r"manifest\.json has no entry datasets/toy"),
        ("{}", r"manifest\.json has no entry datasets/toy"),
        ('{"datasets": {}}', r"manifest\.json has no entry datasets/toy"),
    ],
)
def test_a_file_that_the_manifest_does_not_vouch_for_is_refused(folder, manifest, finding):
    if manifest is None:
        (folder / "manifest.json").unlink()
    else:
        (folder / "manifest.json").write_text(manifest)
    with pytest.raises(ValueError, match=rf"{finding}.*so toy\.parquet cannot be checked: copy it"):
        load("toy")


def test_a_mistyped_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIB_DATA", str(tmp_path / "dta"))
    for call in load, lambda _: available():
        with pytest.raises(
            ValueError, match="CALIB_DATA is '.*dta', which is no folder: correct it"
        ):
            call("diabetes")
    monkeypatch.setenv("CALIB_DATA", "")
    assert "diabetes" in available()


# OpenML


def test_openml_serves_what_the_folder_has_not(folder, openml):
    X, y = load("breast_wisconsin")
    assert openml == [
        {"data_id": 15, "target_column": "default-target", "as_frame": True, "parser": "auto"}
    ]
    assert X.shape == (699, 9)
    assert y.dtype == np.int8 and y.sum() == 241 and y[0] == 1
    assert available()["breast_wisconsin"] == "https://www.openml.org/d/15"


@pytest.mark.parametrize("name", ["adult", "diabetes", "higgs"])
def test_another_set_under_the_same_number_is_refused(openml, name):
    with pytest.raises(ValueError, match=rf"OpenML has .* = \(699, 9, 0\) where '{name}' has"):
        load(name)


def test_labels_that_are_not_recognised_are_refused(openml, monkeypatch):
    data, target = pd.DataFrame(np.ones((98050, 28))), pd.Series(np.ones(98050))  # 1.0, not "1"
    monkeypatch.setattr(
        "sklearn.datasets.fetch_openml", lambda **_: Bunch(data=data, target=target)
    )
    with pytest.raises(ValueError, match=r"\(98050, 28, 0\) where 'higgs' has"):
        load("higgs")
    target.iloc[: 98050 // 2] = 0
    target = target.astype(int)
    assert load("higgs")[1].sum() == 98050 // 2


def test_a_missing_label_is_not_class_0(monkeypatch):
    labels = pd.Series(["malignant"] * 241 + ["benign"] * 457 + [None])
    bunch = Bunch(data=pd.DataFrame(np.ones((699, 9))), target=labels)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: bunch)
    with pytest.raises(ValueError, match=r"\(698, 9, 241\) where 'breast_wisconsin' has"):
        load("breast_wisconsin")


def test_the_label_column_is_named_where_openml_has_another_default(openml):
    with pytest.raises(ValueError, match="where 'liver_disorders' has"):
        load("liver_disorders")
    assert openml[0]["target_column"] == "selector"


def test_extras_are_not_asked_of_openml(openml):
    with pytest.raises(DatasetNotFound, match="OpenML has no extra columns of 'breast_wisconsin'"):
        load("breast_wisconsin", return_extras=True)
    assert not openml


def test_without_a_network_both_ways_are_told(monkeypatch):
    def offline(**_):
        raise URLError("no route")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    with pytest.raises(DatasetNotFound) as caught:
        load("diabetes")
    message = str(caught.value)
    assert "no route" in message and "openml.org/d/37" in message
    assert "CALIB_DATA (now not set) to a folder with diabetes.parquet and manifest.json" in message


# Neither


def test_an_unknown_name_is_answered_with_its_neighbours(folder):
    with pytest.raises(
        DatasetNotFound, match=r"no data set 'diabets' \(did you mean 'diabetes'\?\)"
    ):
        load("diabets")
    with pytest.raises(DatasetNotFound, match="did you mean 'toy'"):
        load("toys")
    with pytest.raises(DatasetNotFound) as caught:
        load("qqq")
    message = str(caught.value)
    assert "did you mean" not in message
    assert f"(now {str(folder)!r}, without this file)" in message and "adult, australian" in message
    assert isinstance(caught.value, LookupError)


def test_the_list_of_names_is_sorted_and_complete(folder):
    names = available()
    assert list(names) == sorted(names)
    assert len(names) == 12 and names["toy"] == str(folder / "toy.parquet")


def test_missing_packages_are_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        ImportError, match=r"need pandas and pyarrow .*: pip install pandas pyarrow"
    ):
        load("toy")


@pytest.mark.skipif(not REAL_FOLDER, reason="CALIB_DATA is not set")
def test_the_real_folder(monkeypatch):
    monkeypatch.setenv("CALIB_DATA", REAL_FOLDER)
    with open(os.path.join(REAL_FOLDER, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)["datasets"]
    assert set(manifest) <= set(available())
    for name, entry in manifest.items():
        X, y, extras = load(name, return_extras=True)
        assert X.shape == (entry["n_rows"], entry["n_features"]), name
        assert y.sum() == entry["n_positive"] and set(y) == {0, 1}, name
        assert list(extras) == entry["extra_columns"], name
        assert not set(X) & {"target", *entry["extra_columns"]}, name
        assert X.isna().to_numpy().sum() == entry["n_missing_cells"], name


@pytest.mark.skipif(not REAL_FOLDER, reason="CALIB_DATA is not set")
def test_openml_is_compared_with_the_sizes_of_the_manifest(monkeypatch):
    from calibkit.datasets.real import _OPENML

    with open(os.path.join(REAL_FOLDER, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)["datasets"]
    assert set(_OPENML) == {name for name, entry in manifest.items() if entry["openml_id"]}
    for name, source in _OPENML.items():
        entry = manifest[name]
        assert source.data_id == entry["openml_id"]
        if name != "higgs":  # the file is a part of it
            sizes = entry["n_rows"], entry["n_features"], entry["n_positive"]
            assert (source.rows, source.features, source.positives) == sizes
