"""The mutants of tools/mutate.py, and the tests that tools/calls.py finds for them."""

import ast
import csv
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import mutate  # noqa: E402

SOURCE = '''
SIZE = 64

def clip(x: int = 0, top=1.5):
    if not x < top:
        raise ValueError(f"{x + 1} is too large")
    return min(x, 2 * top)

class Counter:
    def count(self, n):
        """Count."""
        return [i for i in range(0, n) if i == 3 or True]
'''
TESTS = """
import pytest
from calib.counting import Counter, clip

@pytest.fixture(scope="module")
def clipped():
    return clip(1, 2)

def test_count():
    assert Counter().count(2) == [0, 1]

def test_clip(clipped):
    assert clipped == 1

def test_clip_again(clipped):
    assert clipped < 2

def test_that_fails():
    assert clip(1, 2) == 2
"""


def all_mutants(source):
    """Function, line, changed line and source of every mutant."""
    tree = ast.parse(source)
    for function, *place in mutate.places(tree):
        yield function, *mutate.mutant(tree, *place)


CHANGED = """
def clip(x: int=1, top=1.5):
def clip(x: int=-1, top=1.5):
def clip(x: int=0, top=2.5):
def clip(x: int=0, top=0.5):
if not not x < top:
if not x <= top:
if not x > top:
return max(x, 2 * top)
return min(x, 2 / top)
return min(x, 3 * top)
return min(x, 1 * top)
return [i for i in range(0, n - 1) if i == 3 or True]
return [i for i in range(1, n) if i == 3 or True]
return [i for i in range(-1, n) if i == 3 or True]
return [i for i in range(0, n) if i == 3 and True]
return [i for i in range(0, n) if i != 3 or True]
return [i for i in range(0, n) if i == 4 or True]
return [i for i in range(0, n) if i == 2 or True]
return [i for i in range(0, n) if i == 3 or False]
"""


def test_every_mutant_has_one_small_error_inside_a_function():
    found = list(all_mutants(SOURCE))
    assert sorted(after for _, _, after, _ in found) == sorted(CHANGED.strip().splitlines())
    for function, before, after, source in found:
        assert function == ("count" if "for i" in before else "clip")
        assert before not in source and after in source
        assert "SIZE = 64" in source and "{x + 1}" in source


def test_a_mutant_meets_the_tests_that_pass_and_call_its_function(tmp_path):
    for name, text in {
        "calib/__init__.py": "",
        "calib/counting.py": SOURCE,
        "tests/calibkit/test_counting.py": TESTS,
        "pyproject.toml": "[tool.pytest.ini_options]\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "kept").mkdir()
    program = (
        "import json, sys, calls; from pathlib import Path; sys.dont_write_bytecode = True\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "print(json.dumps(calls.all_tests(folder, folder / 'kept')))\n"
    )
    found = json.loads(output_of(program))
    names = {key: {test for _, test in tests} for key, tests in found.items()}
    assert names == {
        "calib/counting:count": {"tests/calibkit/test_counting.py::test_count"},
        "calib/counting:clip": {
            "tests/calibkit/test_counting.py::test_clip",
            "tests/calibkit/test_counting.py::test_clip_again",  # by way of a fixture
        },
    }
    assert (tmp_path / "calib" / "counting.py").read_text() == SOURCE
    wrong = SOURCE.replace("min(", "max(")
    (tmp_path / "calib" / "counting.py").write_text(wrong)
    program = (
        "import mutate, sys; from pathlib import Path; sys.dont_write_bytecode = True\n"
        f"for name in {sorted(set().union(*names.values()))}:\n"
        f"    print(mutate.passes(Path({str(tmp_path)!r}), [(0.1, name)]))\n"
    )
    assert output_of(program) == "False\nFalse\nTrue\n"


def output_of(program):
    """What a program prints that has the tools at hand: it is in a process of its own."""
    command = [sys.executable, "-c", program]
    options = {"cwd": ROOT / "tools", "capture_output": True, "text": True, "check": True}
    return subprocess.run(command, **options).stdout


def test_the_recorded_scores_are_those_of_nine_in_ten_at_least_and_say_of_which_rooms():
    with open(ROOT / "results" / "mutants.csv", encoding="utf-8") as file:
        *rows, total = csv.DictReader(file)
    assert all(row["date"] and row["commit"] for row in rows)
    page = (ROOT / "book" / "status.md").read_text(encoding="utf-8")
    of_today = [row["room"] for row in rows] == list(mutate.rooms(ROOT))
    assert of_today != ("The rooms of this record are older than the split" in page)
    for column in mutate.COUNTS:
        assert int(total[column]) == sum(int(row[column]) for row in rows)
    for row in rows:
        assert int(row["killed"]) + int(row["survived"]) == int(row["tried"])
        assert int(row["killed"]) >= 0.9 * int(row["tried"]), row["room"]


def test_every_equivalent_mutant_is_one_of_calib():
    for module, *known in mutate.equivalents():
        source = (ROOT / f"{module}.py").read_text(encoding="utf-8")
        found = [lines for *lines, _ in all_mutants(source)]
        assert known in found, (module, *known)
