"""The recipes for pandas and Spark, of the page *Recipes for your library*."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from calibkit.cli import main
from calibkit.deployment import load_map

PAGE = Path(__file__).resolve().parents[2] / "book" / "recipes.md"
SECTION = PAGE.read_text(encoding="utf-8").split("## pandas and Spark")[1]
PANDAS, SPARK, CASE = re.findall(r"^```python\n(.*?)^```", SECTION, re.M | re.S)
SCORES = [0.1, None, 0.45, float("inf"), 0.9]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a map as JSON and as SQL."""
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text("score,label\n0.2,0\n0.4,1\n0.6,0\n0.8,1\n")
    fit = ["fit", "scores.csv", "--score", "score", "--label", "label", "--method", "isotonic"]
    assert main([*fit, "-o", "map.json"]) == 0
    assert main(["export", "map.json", "--to", "sql", "-o", "map.sql"]) == 0
    return tmp_path


def expected():
    known = load_map("map.json")([0.1, 0.45, 0.9])
    return [known[0], np.nan, known[1], np.nan, known[2]]


def test_a_map_in_pandas(folder):
    names = {"frame": pd.DataFrame({"score": SCORES})}
    exec(PANDAS, names)
    np.testing.assert_array_equal(names["frame"]["calibrated"], expected())
    exec(PANDAS, names | {"frame": (nullable := names["frame"].convert_dtypes())})
    np.testing.assert_array_equal(nullable["calibrated"], expected())


def test_a_map_in_spark(folder, monkeypatch):
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    spark = sql.SparkSession.builder.master("local[1]").getOrCreate()
    try:
        names = {"__name__": "__main__", "frame": pd.DataFrame({"score": [0.5]})}
        exec(PANDAS, names)
        rows = [(score,) for score in SCORES]
        names["table"] = spark.createDataFrame(rows, "score double")
        exec(SPARK, names)
        exec(CASE, names)
        found = names["table"].toPandas()
    finally:
        spark.stop()
    np.testing.assert_array_equal(found["calibrated"].astype(float), expected())
    np.testing.assert_allclose(found["by_case"].astype(float), expected(), rtol=0, atol=1e-15)
