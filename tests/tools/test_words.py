"""One word for one thing: names of calib and calibkit against the table in CONTRIBUTING.md."""

import ast
import numbers
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = [
    path for package in ("calib", "calibkit") for path in sorted((ROOT / package).rglob("*.py"))
]
MAX_VAGUE_LOCALS = 7  # parameters and variables of functions; this number may only fall


def section():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return text.split("## Words of the code")[1].split("\n## ")[0]


def table():
    """Rows of the table: the words in its first column, and the names that are never used."""
    lines = [line for line in section().splitlines() if line.startswith("| `")]
    cells = [line.strip("| ").split(" | ") for line in lines]
    return [[re.findall(r"`(\w+)`", cell) for cell in (row[0], row[2])] for row in cells]


def names_after(sentence):
    """Names between backticks, from this text on to the end of its sentence."""
    return set(re.findall(r"`(\w+)`", section().split(sentence)[1].split(".")[0]))


def words(name):
    """The words of a name, in lower case: ``MAX_BINS`` and ``MaxBins`` have the same."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def has(name, phrase):
    return f" {' '.join(words(phrase))} " in f" {' '.join(words(name))} "


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def targets(node):
    """Names to which a statement assigns."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from (part.id for part in ast.walk(target) if isinstance(part, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def names(tree):
    """Functions, classes, parameters, attributes, fields and names at the top of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        if isinstance(node, ast.ClassDef | ast.Module):
            for statement in node.body:
                yield from targets(statement)


def constants(tree):
    """Assignments at the top of a module to names in capitals, with the names."""
    for node in tree.body:
        for name in targets(node):
            if name.isupper():
                yield node, name


def local_names(tree):
    """Parameters of functions and the variables that are assigned in them, by line."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    for node in {inner for function in functions for inner in ast.walk(function)}:
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def uncommented(text, numeric):
    """Constants named in `numeric` that have no comment on their lines or on the line above."""
    lines = text.splitlines()
    for node, name in constants(ast.parse(text)):
        own_lines = lines[node.lineno - 1 : node.end_lineno]
        above = lines[node.lineno - 2].lstrip() if node.lineno > 1 else ""
        if name in numeric and not any("#" in line for line in own_lines):
            if not above.startswith("#"):
                yield name


NEVER = {name for row in table() for name in row[1]}
BANNED = names_after("It is never an adjective alone:")
VAGUE = names_after("A local variable is a noun for what it holds, not")
NAMES = {(path, name) for path in CODE for name in names(tree_of(path))}
CONSTANTS = {(path, name) for path in CODE for _, name in constants(tree_of(path))}


def where(found):
    return sorted(f"{path.relative_to(ROOT)}: {name}" for path, name in found)


def test_the_table_has_the_words_that_there_are():
    assert {"ties", "groups", "clusters", "map", "band", "draw"} <= {
        w for r in table() for w in r[0]
    }
    assert {"region", "metric", "bucket"} <= NEVER
    assert {"MANY", "GAP"} <= BANNED and {"found", "look"} <= VAGUE
    for row in table():
        for word in row[0]:
            assert any(has(name, word) or has(name, f"{word}s") for _, name in NAMES), word


def test_no_name_is_one_that_is_never_used():
    assert not where(pair for pair in NAMES if any(has(pair[1], never) for never in NEVER))


def test_no_module_or_room_has_such_a_name():
    paths = [*CODE, *{path.parent for path in CODE}]
    modules = {(path, path.stem) for path in paths} - {(ROOT / "calib/metrics", "metrics")}
    assert not where(pair for pair in modules if any(has(pair[1], never) for never in NEVER))


def test_no_constant_is_an_adjective_alone():
    assert not where(pair for pair in CONSTANTS if pair[1].strip("_") in BANNED)


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_constant_that_is_a_number_says_its_unit(path):
    text = path.read_text(encoding="utf-8")
    capitals = [name for _, name in constants(ast.parse(text))]
    if capitals:
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        numeric = {name for name in capitals if isinstance(getattr(module, name), numbers.Real)}
        assert not list(uncommented(text, numeric))


def test_vague_locals_become_fewer():
    vague = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in CODE
        for line, name in local_names(tree_of(path))
        if name in VAGUE
    ]
    assert len(vague) <= MAX_VAGUE_LOCALS, "\n".join(sorted(vague))


# What the tests see


@pytest.mark.parametrize(
    "code",
    [
        "bucket = 1",
        "def in_region(x): pass",
        "class ScoreGroups: pass",
        "def f(metric): pass",
        "self.ci = 1",
        "class A:\n    n_buckets: int",
    ],
)
def test_a_name_that_is_never_used_is_seen(code):
    assert any(has(name, never) for name in names(ast.parse(code)) for never in NEVER)


@pytest.mark.parametrize("code", ["decision = 1", "symmetric = 1", "def f():\n    region = 1"])
def test_other_names_are_left_alone(code):
    assert not any(has(name, never) for name in names(ast.parse(code)) for never in NEVER)


def test_a_constant_without_a_comment_is_seen():
    text = "A = 1\nB = 2  # rows\n# of a test\nC = 3\nD = (\n    4  # draws\n)\nE = 5\n"
    assert list(uncommented(text, set("ABCDE"))) == ["A", "E"]


def test_a_vague_local_is_seen():
    tree = ast.parse("found = 1\ndef f(own, x):\n    for here in x:\n        kept, y = x\n")
    assert {name for _, name in local_names(tree)} & VAGUE == {"own", "here", "kept"}
