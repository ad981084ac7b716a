"""The page *Any size*: its SQL runs in the engines that are there, and means the rows."""

import csv
import importlib.util
import re
import shutil
import sqlite3
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from test_rounding import OF_BOUND, OF_DELTA

import calib
import calibkit
from calibkit.cli import main
from calibkit.inference import kuiper_error

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book" / "any_size.md").read_text(encoding="utf-8")
COUNT, ROUND, JOIN, ASOF, LINEAR = re.findall(r"```sql\n(.*?)```", PAGE, re.S)


def rows(size=4000, decimals=3):
    rng = np.random.default_rng(0)
    scores = np.append(rng.beta(1, 2, size - 2).round(decimals), [0.0, 1.0])
    labels = (rng.random(size) < scores**1.5).astype(np.int64)
    return pd.DataFrame({"score": scores, "label": labels})


def by_duckdb(statement, scores):
    with duckdb.connect() as connection:
        connection.register("scores", scores)
        return connection.sql(statement).df()


def by_sqlite(statement, scores):
    with sqlite3.connect(":memory:") as database:
        scores.to_sql("scores", database)
        try:
            return pd.read_sql(statement, database)
        except pd.errors.DatabaseError as error:
            if "no such function: FLOOR" in str(error):
                pytest.skip("this SQLite is built without functions of mathematics")
            raise


def by_polars(statement, scores):
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    return polars.SQLContext(scores=polars.from_pandas(scores)).execute(statement).collect()


def by_spark(statement, scores):
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    spark = sql.SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    try:
        rows = list(scores.itertuples(index=False, name=None))
        spark.createDataFrame(rows, list(scores)).createOrReplaceTempView("scores")
        return pd.DataFrame([row.asDict() for row in spark.sql(statement).collect()])
    finally:
        spark.stop()


ENGINES = [by_duckdb, by_sqlite, by_polars, by_spark]
each_engine = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)


def sorted_columns(table):
    columns = [np.asarray(table[name], float) for name in ["score", "positives", "counts"]]
    order = np.argsort(columns[0])
    return [column[order] for column in columns]


def by_pandas(scores):
    table = scores.groupby("score")["label"].agg(["sum", "count"])
    return [np.asarray(column, float) for column in (table.index, table["sum"], table["count"])]


@each_engine
def test_one_select_counts_in_every_engine(engine):
    found = sorted_columns(engine(COUNT, rows()))
    for column, expected in zip(found, by_pandas(rows()), strict=True):
        np.testing.assert_array_equal(column, expected)


@each_engine
def test_it_rounds_as_the_function_does(engine):
    scores = rows(decimals=9)
    found = sorted_columns(engine(ROUND, scores))
    expected = by_pandas(scores.assign(score=calib.rounded_scores(scores["score"], 1 / 1200)))
    assert found[0].size <= 600 < scores["score"].nunique()
    # Polars multiplies by 1/600, as the page says
    np.testing.assert_array_max_ulp(found[0], expected[0], maxulp=int(engine is by_polars))
    for column, other in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(column, other)


def test_pandas_and_dask_count_the_same():
    pytest.importorskip("dask", reason="the extra dask is not installed")
    import dask.dataframe

    import calibkit.deployment.dask

    assert '`frame.groupby("score")["label"].agg(["sum", "count"])`' in PAGE
    frame = dask.dataframe.from_pandas(rows(), npartitions=3)
    counts = calibkit.deployment.dask.counts(frame["score"], frame["label"])
    for column, expected in zip(counts, by_pandas(rows()), strict=True):
        np.testing.assert_array_equal(column, expected)


def test_the_program_of_the_page():
    scores = rows()
    with duckdb.connect() as connection:
        connection.register("scores", scores)
        program, *_ = re.findall(r"```python\n(.*?)```", PAGE, re.S)
        given = {"select": COUNT, "connection": connection}
        exec(program.replace("duckdb.sql", "connection.sql"), given)
    grid = np.linspace(0, 1, 101)
    expected = calib.VennAbers().fit(scores["score"], scores["label"]).predict(grid)
    np.testing.assert_array_equal(given["calibrator"].predict(grid), expected)
    error = kuiper_error(scores["label"], scores["score"])
    assert given["error"] == pytest.approx(error, abs=1e-12)


def joined(statement, calibrator, folder):
    """Scores, what the statement makes of them in DuckDB, and what the map says."""
    rows().to_csv(folder / "rows.csv", index=False)
    names = ["--score", "score", "--label", "label", "--method", calibrator]
    assert main(["fit", str(folder / "rows.csv"), *names, "-o", str(folder / "map.json")]) == 0
    words = ["export", str(folder / "map.json"), "--to", "table", "-o", str(folder / "map.csv")]
    assert main(words) == 0
    scores = pd.DataFrame({"score": np.append(np.linspace(-0.5, 1.5, 4001), rows()["score"])})
    with duckdb.connect() as connection:
        connection.register("scores", scores)
        connection.read_csv(str(folder / "map.csv")).create_view("map")
        found = connection.sql(statement).fetchnumpy()
    return found["score"], found["probability"], calibkit.deployment.load_map(folder / "map.json")


@pytest.mark.parametrize("statement", [JOIN, ASOF], ids=["join", "asof"])
def test_a_step_map_is_joined(statement, tmp_path):
    scores, found, map_ = joined(statement, "histogram", tmp_path)
    assert scores.size == 8001
    np.testing.assert_array_equal(found, map_(scores))


def test_a_linear_map_is_joined(tmp_path):
    scores, found, map_ = joined(LINEAR, "isotonic", tmp_path)
    assert scores.size == 8001
    np.testing.assert_allclose(found, map_(scores), rtol=0, atol=1e-12)


def test_the_table_of_changes_is_what_the_script_writes_now():
    spec = importlib.util.spec_from_file_location("rounding", ROOT / "benchmarks" / "rounding.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    with open(ROOT / "results" / "rounding.csv", encoding="utf-8") as file:
        recorded = list(csv.DictReader(file))
    now = list(script.rows())
    assert len(now) == len(recorded)
    for row, other in zip(now, recorded, strict=True):
        for name in ["rounded", "delta", "what"]:
            assert str(row[name]) == other[name]
        assert (row["bound"] == "none") == (other["bound"] == "none")
        if row["bound"] != "none":
            assert float(other["bound"]) == pytest.approx(float(row["bound"]), rel=0.05)
            assert float(other["change"]) <= float(other["bound"])
        assert float(other["change"]) == pytest.approx(float(row["change"]), rel=0.2, abs=1e-7)


def test_what_the_page_says_of_the_spline():
    assert f"it was {OF_BOUND} of that bound at most" in PAGE
    assert f"was as much as {OF_DELTA} $\\delta$" in PAGE


def test_what_the_page_says_of_the_grid():
    ends = calib.rounded_scores([0.0, 1.0], 0.0005, scale="logit")
    assert 2 * np.log(ends[1] / (1 - ends[1])) * 1020 < 75_000
    assert calib.rounded_scores([0.0], 0.0005, scale="logit")[0] > 0


def script(name, monkeypatch):
    """A benchmark as a module; they import one another."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module(name)


def table(name):
    with open(ROOT / "results" / f"{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


SPEED = (ROOT / "book" / "speed.md").read_text(encoding="utf-8")


def test_the_page_of_speed_says_why_others_are_faster(monkeypatch):
    faster, rows = script("faster", monkeypatch), table("speed")
    behind = {r["task"] for r in rows if faster.ahead([s for s in rows if s["task"] == r["task"]])}
    assert behind and behind == set(faster.FASTER)
    for sentence in faster.FASTER.values():
        assert sentence in SPEED


@pytest.mark.parametrize("name", ["large", "limits", "many_rows"])
def test_the_page_of_speed_is_what_its_tables_say(name, monkeypatch):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    assert script(name, monkeypatch).section().strip() in SPEED


def test_a_worker_of_dask_needs_less_memory_than_all_rows():
    peaks = {
        (row["task"], row["scores"], row["engine"]): float(row["peak_mb"])
        for row in table("large")
        if row["n"] == str(10**7)
    }
    for task, scores, engine in peaks:
        if engine == "Dask":
            assert peaks[task, scores, "Dask"] < peaks[task, scores, "none"]


def test_bits_do_not_depend_on_the_engine():
    found = {}
    for row in table("large"):
        found.setdefault((row["task"], row["scores"], row["n"]), set()).add(row["bits"])
    assert len(found) > 15 and all(len(bits) == 1 for bits in found.values())


def test_rows_in_ranges_give_the_bits_of_calib():
    rows = table("many_rows")
    compared = [row for row in rows if row["same"]]
    assert len(compared) >= 12 and {row["same"] for row in compared} == {"yes"}
    assert all(float(row["inputs"]) < 1 for row in rows if float(row["n"]) >= 1e8)


def test_every_excess_over_the_limits_has_a_reason(monkeypatch):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    limits, rows = script("limits", monkeypatch), table("limits")
    assert [set(found) for found in limits.beyond(rows, "float64")] == [
        set(limits.SLOW),
        set(limits.WIDE),
    ]
