"""The original files of N16's missing data sets are read, checked and run, here invented ones."""

from dataclasses import replace

import numpy as np
import pytest

from calibkit.datasets import DatasetNotFound
from experiments.naeini2016 import original_files
from experiments.naeini2016.data import MISSING
from experiments.naeini2016.original_files import FILES, ORIGINAL_FILES, read_original

ROWS, FEATURES, MINORITY = 60, 6, 20


def invented(name, rng):
    """Numbers, some of them unknown in *ad*, and the lines of a file of the original form."""
    labels = rng.permutation(np.arange(ROWS) < MINORITY)
    numbers = rng.integers(0, 9, (ROWS, FEATURES)) + 3 * labels[:, None]
    about = FILES[name]
    classes = np.where(labels, about.positive, about.negative)
    if name == "ad":
        fields = numbers.astype("U9")
        fields[:3, 0] = "   ?"
        lines = [",".join([*row, c]) for row, c in zip(fields, classes, strict=True)]
        numbers = numbers.astype(float)
        numbers[:3, 0] = np.nan
    elif name == "gisette scale":
        lines = [
            " ".join([c, *(f"{k + 1}:{v}" for k, v in enumerate(row) if v)])
            for row, c in zip(numbers, classes, strict=True)
        ]
    else:
        lines = [
            "\t".join(["279", str(k), c, *map(str, row)])
            for k, (row, c) in enumerate(zip(numbers, classes, strict=True))
        ]
    return numbers, labels, lines


@pytest.fixture
def written(tmp_path, monkeypatch):
    """The three files, with the sizes that they have here, and what they hold."""
    monkeypatch.setenv("CALIB_DATA", str(tmp_path))
    small = {name: replace(about, rows=ROWS, features=FEATURES) for name, about in FILES.items()}
    monkeypatch.setattr(original_files, "FILES", small)
    original_files._encoded.cache_clear()
    rng, held = np.random.default_rng(0), {}
    for name, about in small.items():
        numbers, labels, lines = invented(name, rng)
        (tmp_path / about.name).write_text("".join(line + "\n" for line in lines))
        held[name] = numbers, labels, lines
    return tmp_path, held


def test_the_files_are_those_of_the_sets_that_are_missing():
    assert list(FILES) == MISSING


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_the_original_form_is_read(written, name):
    folder, held = written
    table, labels = read_original(name, folder)
    np.testing.assert_array_equal(table.to_numpy(float), held[name][0])
    np.testing.assert_array_equal(labels, held[name][1])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("ad", lambda lines: lines[:-1], "ad.data has 59 rows"),
        ("ad", lambda lines: [lines[0].replace("ad.", "add")] + lines[1:], "ad.data, line 1: the"),
        ("ad", lambda lines: ["x" + lines[0].strip()] + lines[1:], "ad.data, line 1: 'x"),
        ("ad", lambda lines: ["1," + line for line in lines], "ad.data has 7 attributes but 6"),
        ("gisette scale", lambda lines: lines + lines[:1], "gisette_scale has 61 rows"),
        ("protein homology", lambda lines: [s + "\t1" for s in lines], "bio_train.dat has 7 attr"),
    ],
)
def test_a_broken_file_is_refused_by_name(written, name, change, message):
    folder, held = written
    lines = change(held[name][2])
    path = folder / original_files.FILES[name].name
    path.write_text("".join(line + "\n" for line in lines))
    with pytest.raises(ValueError, match=message):
        read_original(name, folder)


def test_the_protocol_runs_on_them(written):
    folder, _ = written
    assert len(ORIGINAL_FILES.cases()) == 9
    rows = ORIGINAL_FILES.run_case({"dataset": "ad", "classifier": "LR"})
    assert {row["method"] for row in rows} >= {"Raw", "Isotonic", "BBQ", "ENIR"}
    assert all(0 <= row["RMSE"] <= 1 and row["AUC"] > 0.5 for row in rows)
    (folder / "ad.data").unlink()
    assert len(ORIGINAL_FILES.cases()) == 6


def test_without_the_files_it_says_where_they_come_from(tmp_path, monkeypatch):
    monkeypatch.setenv("CALIB_DATA", str(tmp_path))
    with pytest.raises(DatasetNotFound, match="ad.data is not found: get it from the UCI"):
        ORIGINAL_FILES.cases()
