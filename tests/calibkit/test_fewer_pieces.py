"""Shortened maps: pieces, the error that is said, and the way from a map to short SQL."""

import re

import duckdb
import numpy as np
import pandas as pd
import pytest

from calib import IsotonicCalibrator, PlattScaling, StackedCalibrator, VennAbers
from calib.base.curve_maps import MirroredMap, MixtureMap
from calib.base.maps import LinearMap, StepMap
from calibkit.cli import main
from calibkit.deployment import load_map
from calibkit.deployment.fewer_pieces import with_fewer_pieces


def drawn(n=5000, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.random(n)
    return scores, (rng.random(n) < scores**1.5).astype(int)


def maps():
    scores, labels = drawn()
    rng = np.random.default_rng(1)
    step = VennAbers().fit(scores, labels).map_
    line = IsotonicCalibrator().fit(scores, labels).map_
    jumping = StepMap(np.sort(rng.random(300)), rng.random(301))
    walking = LinearMap(np.sort(rng.random(300)), rng.random(300))
    mixture = MixtureMap(np.array([0.25, 0.75]), (step, line), 3.0)
    return {
        "step": step,
        "line": line,
        "jumping": jumping,
        "walking": walking,
        "mixture": mixture,
        "mirrored": MirroredMap(mixture),
        "stacked": StackedCalibrator().fit(scores, labels).map_,
    }


def tables(map_):
    if isinstance(map_, MirroredMap):
        return tables(map_.map)
    if isinstance(map_, MixtureMap):
        return [table for member in map_.members for table in tables(member)]
    return [map_] if isinstance(map_, StepMap | LinearMap) else []


@pytest.mark.parametrize("name", maps())
@pytest.mark.parametrize("most", [1, 2, 7, 30])
def test_the_error_is_bounded_as_said(name, most):
    whole = maps()[name]
    short = with_fewer_pieces(whole, most)
    for table in tables(short.map):
        assert table.probabilities.size <= most + isinstance(table, LinearMap)
    knots = np.concatenate([t.scores for t in [*tables(whole), *tables(short.map)]])
    at = np.concatenate([knots, np.nextafter(knots, -9), np.linspace(-0.1, 1.1, 20_001)])
    at = np.append(at, -at) if name == "mirrored" else np.clip(at, 0, 1)
    gap = np.abs(short.map(at) - whole(at)).max()
    assert gap <= short.error
    if name in ("step", "line", "jumping", "walking"):
        assert gap == pytest.approx(short.error, abs=1e-12)


def test_the_least_error_of_steps_by_trying_all_cuts():
    """Three steps in place of seven: every pair of cuts."""
    values = np.array([0.1, 0.15, 0.3, 0.32, 0.5, 0.2, 0.9])
    whole = StepMap(np.arange(6.0), values)
    best = min(
        max(np.ptp(part) / 2 for part in np.split(values, [i, j]))
        for i in range(1, 6)
        for j in range(i + 1, 7)
    )
    assert with_fewer_pieces(whole, 3).error == pytest.approx(best, abs=1e-9)


def test_a_map_that_is_short_stays_as_it_is():
    scores, labels = drawn()
    platt = PlattScaling().fit(scores, labels).map_
    assert with_fewer_pieces(platt, 1) == (platt, 0)
    step = StepMap(np.array([0.5]), np.array([0.2, 0.8]))
    assert with_fewer_pieces(step, 2) == (step, 0)


def test_from_a_table_to_short_sql(tmp_path, capfd):
    """The job of an engineer: the expression is short, and as near as the command says."""
    scores, labels = drawn(20_000)
    pd.DataFrame({"p": scores, "y": labels}).to_csv(tmp_path / "rows.csv", index=False)
    stored, sql = str(tmp_path / "map.json"), tmp_path / "map.sql"
    assert (
        main(["fit", str(tmp_path / "rows.csv"), "--score", "p", "--label", "y", "-o", stored]) == 0
    )
    words = ["export", stored, "--to", "sql", "--score", "p", "-o", str(sql), "--force"]
    assert main(words) == 0
    long = sql.stat().st_size
    capfd.readouterr()
    assert main([*words, "--max-pieces", "50"]) == 0
    said = float(re.search(r"differs by at most (\S+) from the map", capfd.readouterr().err)[1])
    assert sql.stat().st_size < 50_000 < 100_000 < long
    assert f"differs by at most {said:.2g} from the map" in sql.read_text()
    with duckdb.connect() as connection:
        connection.register("rows", pd.DataFrame({"p": scores}))
        found = connection.sql(f"SELECT {sql.read_text()} AS c FROM rows").fetchnumpy()["c"]
    assert np.abs(found - load_map(stored)(scores)).max() <= said < 0.02
    assert main([*words, "--max-pieces", "0"]) == 2
    assert "--max-pieces must be" in capfd.readouterr().err


def test_a_partitioned_folder_is_refused_with_the_way_that_works(tmp_path, capfd):
    folder = tmp_path / "rows"
    with duckdb.connect() as connection:
        connection.sql(
            "COPY (SELECT (range % 100) / 100.0 AS p, (range % 3 = 0)::INT AS y, range % 4 AS part "
            f"FROM range(900)) TO '{folder}' (FORMAT parquet, PARTITION_BY (part))"
        )
    columns = ["--score", "p", "--label", "y"]
    assert main(["compare", str(folder), *columns]) == 2
    pattern = re.search(r"calib counts '(.*?)' -o", capfd.readouterr().err)[1]
    counts = str(tmp_path / "counts.parquet")
    assert main(["counts", pattern, *columns, "-o", counts]) == 0
    assert pd.read_parquet(counts)["count"].sum() == 900
    fitted = str(tmp_path / "map.json")
    assert main(["fit", counts, *columns, "--weight", "count", "-o", fitted]) == 0
