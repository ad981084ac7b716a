"""The job of an engineer: from a folder of logits to a map in three places of service.

Four commands. With version 0.2.0 the job took eight steps: `calib fit` refused logits, so a program
had to write a table of probabilities before the second try, and the expression of SQL had 347 kB,
so a second map had to be fitted and exported for the database.
"""

import os
from pathlib import Path

import numpy as np
import pytest
from jobs import run

from calibkit.deployment import load_map

COLUMNS = "--score logit --label label"
JOB = f"""
calib fit logits {COLUMNS} -o map.json
calib export map.json --to sql --score logit --max-pieces 100 -o map.sql
calib export map.json --to onnx --score logit -o map.onnx
calib apply map.json new.parquet --score logit -o served.parquet
"""
TEMPERATURE = f"""
calib fit logits {COLUMNS} --method temperature --parameter scale=score -o temperature.json
"""
MAX_BYTES = 70_000  # a query that every database takes


@pytest.fixture
def truth(tmp_path, monkeypatch):
    """True probabilities of the new rows; the folder has their logits and those to learn from."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    os.mkdir("logits")
    rng = np.random.default_rng(0)
    logits = rng.normal(-1, 2, 20_000).astype(np.float32)
    truth = 1 / (1 + np.exp(-0.5 * logits.astype(float)))
    labels = rng.random(20_000) < truth
    table = pyarrow.table({"logit": logits, "label": labels})
    for name, start, length in (("a", 0, 8000), ("b", 8000, 8000)):
        parquet.write_table(table.slice(start, length), f"logits/{name}.parquet")
    parquet.write_table(table.slice(16_000).select(["logit"]), "new.parquet")
    return truth[16_000:]


def test_from_logits_to_three_places_of_service(truth, capfd):
    duckdb = pytest.importorskip("duckdb")
    onnxruntime = pytest.importorskip("onnxruntime")
    assert run(JOB) == [0, 0, 0, 0]
    assert "differs by at most" in capfd.readouterr().err
    assert os.path.getsize("map.sql") < MAX_BYTES

    case = Path("map.sql").read_text()
    query = f"SELECT logit, calibrated, {case} AS by_sql FROM 'served.parquet'"
    logits, served, by_sql = map(np.array, zip(*duckdb.sql(query).fetchall(), strict=True))
    session = onnxruntime.InferenceSession("map.onnx")
    (by_onnx,) = session.run(["probability"], {"logit": logits.astype(float)})
    by_row = [load_map("map.json")([logit])[0] for logit in logits[:100].tolist()]

    assert np.abs(served - truth).max() < 0.05
    np.testing.assert_allclose(by_sql, served, rtol=0, atol=2e-4)
    np.testing.assert_allclose(by_onnx, served, rtol=0, atol=1e-12)
    np.testing.assert_allclose(by_row, served[:100], rtol=0, atol=1e-15)


def test_temperature_scaling_takes_logits_in_one_command(truth):
    assert run(TEMPERATURE) == [0]
    assert load_map("temperature.json").slope == pytest.approx(0.5, abs=0.03)
