"""The mutants of tools/mutate.py."""

import csv
import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = """
SIZE = 64

def clip(x: int = 0, top=1.5):
    if not x < top:
        raise ValueError(f"{x + 1} is too large")
    return min(x, 2 * top)

def count(n):
    return [i for i in range(0, n) if i == 3 or True]
"""


def mutate():
    spec = importlib.util.spec_from_file_location("mutate", ROOT / "tools" / "mutate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_mutant_has_one_small_error_inside_a_function():
    found = dict(mutate().mutants(SOURCE))
    assert set(found) == {
        "4: 0 -> 1",
        "4: 0 -> -1",
        "4: 1.5 -> 2.5",
        "4: 1.5 -> 0.5",
        "5: not x < top -> not not x < top",
        "5: x < top -> x <= top",
        "5: x < top -> x > top",
        "7: min -> max",
        "7: 2 * top -> 2 / top",
        "7: 2 -> 3",
        "7: 2 -> 1",
        "10: range(0, n) -> range(0, n - 1)",
        "10: 0 -> 1",
        "10: 0 -> -1",
        "10: i == 3 or True -> i == 3 and True",
        "10: i == 3 -> i != 3",
        "10: 3 -> 4",
        "10: 3 -> 2",
        "10: True -> False",
    }
    for change, mutant in found.items():
        assert change.split(" -> ")[1] in mutant
        assert "SIZE = 64" in mutant and "x: int" in mutant and "{x + 1}" in mutant


def test_the_recorded_score_is_that_of_all_modules():
    with open(ROOT / "results" / "mutants.csv", encoding="utf-8") as file:
        *rows, total = csv.DictReader(file)
    assert [row["module"] for row in rows] == list(mutate().TESTS)
    for column in ["mutants", "tried", "killed", "survived"]:
        assert int(total[column]) == sum(int(row[column]) for row in rows)
