"""Mutation testing: how many small errors in the code make a test fail.

python tools/mutate.py                            every 12th error, in all modules but dask
python tools/mutate.py --every 1 calib/methods    every one in the room calib/methods

A mutant is the code with one operator, number, `min`/`max` or end of a range changed. It is tried
on the tests that call its function (see `calls`), the fastest first, as many as take SECONDS;
without compilation, in a fork of this process that has the libraries in memory. A mutant that runs
twice as long as the code counts as killed, one that no test calls as survived. Survivors are
printed, and the score of every room goes to results/mutants.csv, which the status page prints.

Numbers outside functions, sizes of blocks and tolerances, are left alone: tests ought not to hang
on them. Mutants that do what the code does stand with the reason in equivalent_mutants.csv and are
counted apart. Calls and verdicts are kept in a folder for temporary files: what has not changed is
not tried again.
"""

import argparse
import ast
import csv
import hashlib
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import accumulate
from pathlib import Path

import pytest
from calls import OPTIONS, all_tests, functions, in_fork

ROOT = Path(__file__).resolve().parents[1]
EQUIVALENT = ROOT / "tools" / "equivalent_mutants.csv"
KEPT = Path(tempfile.gettempdir()) / "calib-mutants"
LIBRARIES = [  # slow to import
    "matplotlib.pyplot", "numba", "pandas", "scipy.optimize", "scipy.stats", "sklearn.calibration",
    "sklearn.ensemble", "sklearn.linear_model",
]  # fmt: skip
LEFT_OUT = "dask"  # its tests need an extra, and threads that a fork cannot have
SECONDS = 8  # of tests, for one mutant
TABLE = ROOT / "results" / "mutants.csv"
COUNTS = ["modules", "mutants", "equivalent", "tried", "killed", "survived"]
COLUMNS = ["room", *COUNTS, "date", "commit"]
SWAPS = {
    **{ast.Lt: [ast.LtE, ast.Gt], ast.LtE: [ast.Lt, ast.GtE]},
    **{ast.Gt: [ast.GtE, ast.Lt], ast.GtE: [ast.Gt, ast.LtE]},
    **{ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is]},
    **{ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult]},
    **{ast.FloorDiv: [ast.Mult], ast.Mod: [ast.Mult], ast.Pow: [ast.Mult]},
    **{ast.RShift: [ast.LShift], ast.BitAnd: [ast.BitOr], ast.BitOr: [ast.BitAnd]},
    **{ast.And: [ast.Or], ast.Or: [ast.And]},
}
LOOKS = {  # keywords that no test ought to hang on: of pictures, and that zip is strict
    *["capsize", "figsize", "fontsize", "height_ratios", "linewidth", "strict", "title_fontsize"],
    "zorder",
}
NAMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}


def changes(node):
    """The fields of a node that may be changed, each with another value."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return [("ops", [swap()]) for swap in SWAPS.get(type(node.ops[0]), [])]
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        return [("op", swap()) for swap in SWAPS.get(type(node.op), [])]
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return [("value", not node.value)]
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return [("value", node.value + 1), ("value", node.value - 1)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [("operand", ast.UnaryOp(ast.Not(), node.operand))]
    if isinstance(node, ast.Name) and node.id in NAMES:
        return [("id", NAMES[node.id])]
    if isinstance(node, ast.Attribute) and node.attr in NAMES:
        return [("attr", NAMES[node.attr])]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range":
        end = min(len(node.args), 2) - 1
        shorter = ast.BinOp(node.args[end], ast.Sub(), ast.Constant(1))
        return [("args", [*node.args[:end], shorter, *node.args[end + 1 :]])]
    return []


def places(tree):
    """Every place of a module where a mutant can be made: function, node, field, another value."""
    for function in functions(tree):
        skipped = {id(part) for left in unchanged(function) for part in ast.walk(left)}
        for node in ast.walk(function):
            if id(node) not in skipped:
                for field, value in changes(node):
                    yield function.name, node, field, value


def unchanged(function):
    """Parts of a function that are no code of it: types, decorators, messages, looks."""
    if any(getattr(name, "id", "") == "overload" for name in function.decorator_list):
        yield function
    for node in ast.walk(function):
        if isinstance(node, ast.keyword) and node.arg in LOOKS:
            yield node
        yield from getattr(node, "decorator_list", [])
        for name in ("annotation", "returns"):
            if getattr(node, name, None):
                yield getattr(node, name)
        if isinstance(node, ast.Raise):
            yield node


def mutant(tree, node, field, value):
    """The line that is changed at a place, what it becomes, and the whole source of the mutant."""
    kept, source = getattr(node, field), ast.unparse(tree)
    setattr(node, field, value)
    changed = ast.unparse(tree)
    setattr(node, field, kept)
    lines = zip(source.splitlines(), changed.splitlines(), strict=True)
    before, after = next(pair for pair in lines if pair[0] != pair[1])
    return before.strip(), after.strip(), changed


class Chosen:
    """A plugin of pytest: run these tests only, file by file, the fastest first."""

    def __init__(self, tests):
        self.seconds = {test: seconds for seconds, test in tests}
        self.files = {}
        for test, seconds in self.seconds.items():
            file = test.split("::")[0]
            self.files[file] = self.files.get(file, 0) + seconds

    def arguments(self):
        """The files, those that are done soonest first."""
        return sorted(self.files, key=self.files.get)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        """Leave the other tests out and sort these."""
        place = {file: i for i, file in enumerate(self.arguments())}
        items[:] = sorted(
            (item for item in items if item.nodeid in self.seconds),
            key=lambda item: (place[item.nodeid.split("::")[0]], self.seconds[item.nodeid]),
        )


def fastest(tests):
    """As many of the sorted tests as take SECONDS, but at least one."""
    times = accumulate(seconds for seconds, _ in tests)
    return [test for test, time in zip(tests, times, strict=True) if time < SECONDS] or tests[:1]


def passes(folder, tests):
    """Whether the tests pass, in twice the time that they took."""
    chosen = Chosen(tests)
    limit = 5 + int(2 * sum(chosen.seconds.values()))
    options = [*OPTIONS, "-x", *chosen.arguments()]
    return in_fork(folder, limit, lambda: pytest.main(options, plugins=[chosen]))


def verdict(folder, source, tests):
    """Try a mutant; what is known of the same mutant and the same tests is not asked again."""
    files = sorted({test.split("::")[0] for _, test in tests})
    texts = [source, *(test for _, test in tests), *((folder / f).read_text() for f in files)]
    place = KEPT / hashlib.sha256("\n".join(texts).encode()).hexdigest()
    if not place.exists():
        place.write_text("survived" if not tests or passes(folder, tests) else "killed")
    return place.read_text()


def equivalents():
    """Module, function, line and changed line of the mutants that do what the code does."""
    with open(EQUIVALENT, encoding="utf-8", newline="") as file:
        return {tuple(row.values())[:4] for row in csv.DictReader(file)}


def score(folder, path, tests, every, offset):
    """Try every so-manieth mutant of a module: number of mutants, equivalents, and verdicts."""
    module = path.relative_to(folder).with_suffix("").as_posix()
    source, known = path.read_text(), equivalents()
    tree = ast.parse(source)
    found, n_equivalent, verdicts = list(places(tree)), 0, []
    for function, *place in found[offset % every :: every]:
        before, after, changed = mutant(tree, *place)
        if (module, function, before, after) in known:
            n_equivalent += 1
            continue
        path.write_text(changed)
        calling = fastest(tests.get(f"{module}:{function}", []))
        verdicts.append(verdict(folder, changed, calling))
        if verdicts[-1] == "survived":
            print(f"  survived {len(calling)} tests of {function} in {module}.py:")
            print(f"    {before}\n    {after}", flush=True)
    path.write_text(source)
    return len(found), n_equivalent, verdicts


def rooms(folder):
    """The modules of every room, such as calib/methods; the face of a package is no room."""
    found = {}
    for path in sorted(folder.glob("calib*/*/**/*.py")):
        room = "/".join(path.relative_to(folder).parts[:2])
        if path.stem != LEFT_OUT and list(places(ast.parse(path.read_text()))):
            found.setdefault(room, []).append(path)
    return found


def row(folder, room, paths, tests, every, offset):
    """The score of a room."""
    calling = [tests[name] for name in tests if name.startswith(f"{room}/")]
    if not passes(folder, fastest(sorted(set().union(*calling)))):
        sys.exit(f"{room}: the tests fail before anything is changed")
    n, n_equivalent, verdicts = 0, 0, []
    for path in paths:
        more, left_out, found = score(folder, path, tests, every, offset)
        n, n_equivalent, verdicts = n + more, n_equivalent + left_out, verdicts + found
    survived = verdicts.count("survived")
    counts = [len(paths), n, n_equivalent, len(verdicts), len(verdicts) - survived, survived]
    return [room, *counts, time.strftime("%Y-%m-%d"), commit()]


def record(scored):
    """Put the row of a room into the table, and the sums below all rows."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        known = {row["room"]: row for row in csv.DictReader(file)} | {scored["room"]: scored}
    rows = [known[room] for room in rooms(ROOT) if room in known]
    total = {name: sum(int(row[name]) for row in rows) for name in COUNTS}
    with open(TABLE, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, {"room": "all", **total}])


def commit():
    """The commit that is tried, with a plus if code or tests have changed since."""

    def git(*arguments):
        command = ["git", "-C", ROOT, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    changed = git("status", "--porcelain", "calib", "calibkit", "tests")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def main():
    """Parse the arguments, try the mutants, write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooms", nargs="*", help="rooms, such as calib/methods; else all")
    parser.add_argument("--every", type=int, default=12, help="take one in so many")
    parser.add_argument("--seed", type=int, default=0, help="which one")
    options = parser.parse_args()
    sys.dont_write_bytecode = True  # a mutant may be of the same size and second
    os.environ.update(NUMBA_DISABLE_JIT="1", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    for name in LIBRARIES:
        importlib.import_module(name)
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("calib", "calibkit", "experiments", "results", "tests"):
            shutil.copytree(
                ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
            )
        shutil.copy(ROOT / "pyproject.toml", folder)
        tests = all_tests(folder, KEPT)
        for room, paths in rooms(folder).items():
            if not options.rooms or room in options.rooms:
                scored = row(folder, room, paths, tests, options.every, options.seed)
                print(*scored, flush=True)
                record(dict(zip(COLUMNS, scored, strict=True)))


if __name__ == "__main__":
    main()
