"""``calib counts``: what DuckDB groups, other engines group, and it means what the rows mean."""

import csv
import gzip
import json
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

import calibkit
from calibkit.cli import main

COLUMNS = ["--score", "score", "--label", "label"]


def rows(size=3000, seed=0):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.beta(1, 3, size), 2)
    labels = (rng.random(size) < scores**1.5).astype(int)
    return pd.DataFrame({"score": scores, "label": labels, "site": rng.choice(list("ab"), size)})


@pytest.fixture
def files(tmp_path):
    """Three CSV files of the rows, the last in gzip."""
    table = rows()
    for day, part in enumerate(np.array_split(np.arange(len(table)), 3)):
        name = tmp_path / f"day{day}.csv"
        table.iloc[part].to_csv(name, index=False)
    data = name.read_bytes()
    name.unlink()
    (tmp_path / "day2.csv.gz").write_bytes(gzip.compress(data))
    return tmp_path


def count(pattern, output, *more):
    return main(["counts", str(pattern), *COLUMNS, *more, "-o", str(output)])


def as_sets(table):
    return {tuple(row) for row in table.astype({"count": int}).itertuples(index=False)}


def test_the_counts_are_those_of_other_engines(files):
    assert count(files / "day[01].csv", files / "some.csv", "--group", "site") == 0
    table = rows().iloc[:2000]
    found = as_sets(pd.read_csv(files / "some.csv"))
    grouped = table.groupby(["score", "label", "site"]).size().rename("count").reset_index()
    assert found == as_sets(grouped)
    statement = "SELECT score, label, COUNT(*) AS count FROM scores GROUP BY score, label"
    with sqlite3.connect(":memory:") as database:
        table.to_sql("scores", database)
        by_sqlite = as_sets(pd.read_sql(statement, database))
    scores = table[["score", "label"]]  # noqa: F841 -- DuckDB finds it by its name
    assert by_sqlite == as_sets(duckdb.sql(statement).df())
    without = as_sets(pd.read_csv(files / "some.csv").drop(columns="site"))
    assert {row[:2] for row in by_sqlite} == {row[:2] for row in without}


def test_parts_are_counted_one_by_one_and_then_together(files):
    for name in ["day0.csv", "day1.csv", "day2.csv.gz"]:
        assert count(files / name, files / f"{name}.parquet") == 0
    folder = files / "parts"
    folder.mkdir()
    for part in files.glob("*.parquet"):
        part.rename(folder / part.name)
    assert count(folder, files / "all.csv", "--weight", "count") == 0
    together = rows().groupby(["score", "label"]).size().rename("count").reset_index()
    assert as_sets(pd.read_csv(files / "all.csv")) == as_sets(together)


def test_a_map_of_counts_is_the_map_of_the_rows(files, tmp_path):
    table = rows()
    table.to_csv(tmp_path / "rows.csv", index=False)
    assert count(tmp_path / "rows.csv", tmp_path / "counts.parquet", "--memory", "500MB") == 0
    grid = np.linspace(0, 1, 101)
    maps = []
    for data, more in [("rows.csv", []), ("counts.parquet", ["--weight", "count"])]:
        output = str(tmp_path / f"{data}.json")
        fit = ["fit", str(tmp_path / data), *COLUMNS, *more, "--method", "isotonic", "-o", output]
        assert main(fit) == 0
        maps.append(calibkit.deployment.load_map(output)(grid))
    np.testing.assert_array_equal(*maps)


def test_a_comparison_of_counts_is_that_of_the_rows(tmp_path, capfd):
    rows(400).sort_values(["score", "label"]).to_csv(tmp_path / "rows.csv", index=False)
    assert count(tmp_path / "rows.csv", tmp_path / "counts.csv") == 0
    printed = []
    for data, more in [("rows.csv", []), ("counts.csv", ["--weight", "count"])]:
        capfd.readouterr()
        assert main(["compare", str(tmp_path / data), *COLUMNS, *more, "--json"]) == 0
        printed.append(json.loads(capfd.readouterr().out))
    assert printed[0] == printed[1]


def refusal(capfd, *words):
    capfd.readouterr()
    assert main(list(map(str, words))) == 2
    return capfd.readouterr().err


def test_what_cannot_be_counted_is_refused_and_leaves_nothing(files, capfd):
    output = files / "new.csv"
    to = [*COLUMNS, "-o", output]
    before = sorted(files.iterdir())
    assert "no such file" in refusal(capfd, "counts", files / "night*.csv", *to)
    assert "no column 'p'" in refusal(
        capfd, "counts", files / "day0.csv", "--score", "p", "--label", "label", "-o", output
    )
    words = ["counts", files / "day0.csv", *to, "--memory", "lots"]
    assert "Memory" in refusal(capfd, *words)
    with open(files / "day0.csv", "a") as file:
        file.write("0.5,1\n")
    said = refusal(capfd, "counts", files / "day0.csv", *to)
    assert "Expected Number of Columns: 3 Found: 2" in said and said.count("\n") == 1
    (files / "day1.csv").write_text("score,outcome\n0.5,1\n")
    assert "other columns" in refusal(capfd, "counts", files / "day?.csv", *to)
    assert sorted(files.iterdir()) == before


def test_hostile_names_are_names(tmp_path):
    strange = tmp_path / """a'b"[1]*;DROP.csv"""
    with open(strange, "w", newline="") as file:
        csv.writer(file).writerows([['s"; x', "count(*)"], [0.25, 1], [0.25, 1]])
    output = tmp_path / "out'put.csv"
    words = ["counts", str(strange), "--score", 's"; x', "--label", "count(*)"]
    assert main([*words, "-o", str(output)]) == 0
    assert output.read_text().splitlines()[1:] == ["0.25,1,2"]


def test_bad_cells_are_found_by_who_reads_the_counts(tmp_path, capfd):
    (tmp_path / "bad.csv").write_text("score,label\n0.5,1\n0.5,1\noops,0\n")
    assert count(tmp_path / "bad.csv", tmp_path / "counts.csv") == 0
    words = ["fit", tmp_path / "counts.csv", *COLUMNS, "--weight", "count", "-o", tmp_path / "m"]
    assert "found 'oops', which is no number" in refusal(capfd, *words)
