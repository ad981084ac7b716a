"""The packages are what CONTRIBUTING says: small, without arrows upward, and not compressed."""

import ast
import graphlib
import json
import re
import subprocess
import sys
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = sorted((ROOT / "calib").rglob("*.py"))
KIT = sorted((ROOT / "calibkit").rglob("*.py"))
EXPERIMENTS = sorted((ROOT / "experiments").rglob("*.py"))
CODE = [*CORE, *KIT]
PACKAGES = {"calib", "calibkit", "experiments"}
MAX_CODE_LINES = 5500  # lines of calib that hold code, without docstrings and comments
MAX_ROOMS = 9  # rooms of calib
MAX_PUBLIC_NAMES = 60  # names of calib and calib.metrics together

FLOOR = {"calib.kernels", "calib.base"}
MEASURED = FLOOR | {"calib.metrics"}
LEARNED = FLOOR | {"calib.methods"}
INFERRED = MEASURED | {"calibkit.inference"}
APPLICATIONS = {"calibkit.cli", "calibkit.report"}  # they may use everything
MAY_IMPORT = {  # rooms on floors below that a room imports; every entry is in use
    "calib.kernels": set(),
    "calib.base": {"calib.kernels"},
    "calib.methods": FLOOR,
    "calib.metrics": FLOOR,
    "calib.heterogeneous": LEARNED,
    "calib.classifier": LEARNED,
    "calibkit.datasets": FLOOR,
    "calibkit.theory": FLOOR,
    "calibkit.testing": FLOOR,
    "calibkit.prediction_intervals": FLOOR,
    "calibkit.inference": MEASURED,
    "calibkit.diagrams": INFERRED,
    "calibkit.deployment": MEASURED | {"calib.methods"},
    "calibkit.groups": LEARNED | {"calib.heterogeneous"},
    "calibkit.streams": MEASURED | LEARNED,
    "calibkit.multiclass": INFERRED | LEARNED | {"calibkit.theory"},
    "calibkit.comparison": INFERRED | LEARNED | {"calibkit.diagrams"},
}


def module_name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room(name):
    """Package and room of a module, as in ``calib.methods``."""
    return ".".join(name.split(".")[:2])


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path):
    """Modules of the project that the file imports, at its top or inside a function."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] in PACKAGES)


# Small


def code_lines(tree):
    """Number of lines that hold code: not docstrings, not comments."""
    documented = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and ast.get_docstring(node, clean=False) is not None
        for line in range(node.body[0].lineno, node.body[0].end_lineno + 1)
    }
    ends = {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt)
        for line in (node.lineno, node.end_lineno)
    }
    return len(ends - documented)


def public_names(module):
    return set(import_module(module).__all__)


def test_calib_is_small():
    assert sum(code_lines(tree_of(path)) for path in CORE) <= MAX_CODE_LINES
    assert len({room(module_name(path)) for path in CORE} - {"calib"}) <= MAX_ROOMS
    assert len(public_names("calib") | public_names("calib.metrics")) <= MAX_PUBLIC_NAMES


def test_the_readme_says_how_small_calib_is():
    lines = sum(code_lines(tree_of(path)) for path in CORE)
    said = re.search(r"`calib` has\s([\d,]+)\slines\sof\scode", (ROOT / "README.md").read_text())
    assert said and lines <= int(said[1].replace(",", "")) <= lines + 200


# Who imports whom

FACES = {"calib", "calibkit", "calibkit.__main__"}


def rooms_of(path):
    """The other rooms whose modules a file imports."""
    found = {room(name) for name in imports(path)}
    return {name for name in found if (ROOT / name.replace(".", "/")).is_dir()} - {
        *FACES,
        room(module_name(path)),
    }


@pytest.mark.parametrize("path", CODE, ids=module_name)
def test_rooms_import_only_from_floors_below(path):
    own = room(module_name(path))
    if own not in APPLICATIONS | FACES:
        assert rooms_of(path) <= MAY_IMPORT[own]


def test_every_row_of_the_table_is_needed():
    drawn = defaultdict(set)
    for path in CODE:
        own = room(module_name(path))
        drawn[own] |= rooms_of(path)
    assert drawn.keys() - APPLICATIONS - FACES == MAY_IMPORT.keys()
    for own, allowed in MAY_IMPORT.items():
        assert allowed - FLOOR <= drawn[own], own


def test_calib_never_imports_calibkit_and_neither_imports_experiments():
    for path in CORE:
        assert {name.split(".")[0] for name in imports(path)} <= {"calib"}, path
    for path in KIT:
        assert {name.split(".")[0] for name in imports(path)} <= {"calib", "calibkit"}, path


BUILDERS = ("calib.base.", "calib.kernels.")  # their modules serve whoever builds a calibrator
INSIDE = {  # files that study or show the inside of a package, and the modules they open
    "experiments/atlas.py": "calibkit.inference",
    "experiments/atlas_designs.py": "calibkit.inference",
    "benchmarks/definitions.py": "calibkit.inference",
    "experiments/benchmark/first_average.py": "calib.",
    "experiments/benchmark/undecided.py": "calib.methods.logistic_fit",
    "experiments/verdicts/study.py": "calibkit.report",
    "experiments/verdicts/verdict.py": "calibkit.report",
    "experiments/vovk2014/protocol.py": "calib.methods.venn_abers",
    "book/hour/census.py": "calibkit.comparison.guide",
    "notebooks/19_where_to_split.ipynb": "calib.heterogeneous.auc_split_tree",
    "notebooks/your_own_scores.ipynb": "calibkit.cli.read",
    "notebooks/C09_many_classes.ipynb": "calibkit.inference.simultaneous_intervals",
    "notebooks/C10_two_probabilities_at_work.ipynb": "calibkit.inference.decisions",
    "notebooks/C11_which_calibrator.ipynb": "calibkit.comparison.guide",
    "notebooks/C12_the_average_of_all_of_them.ipynb": "calib.methods.folds",
    "notebooks/C13_a_second_benchmark.ipynb": "calibkit.comparison.guide",
}
OUTSIDE = [
    path
    for folder in ("benchmarks", "book", "course", "experiments", "notebooks", "tools")
    for suffix in ("py", "ipynb")
    for path in sorted((ROOT / folder).rglob(f"*.{suffix}"))
    if "_build" not in path.parts and ".ipynb_checkpoints" not in path.parts
]


def programs(path):
    """The text of a Python file, or of each code cell of a notebook that is plain Python."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return [text]
    cells = json.loads(text)["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [source for source in code if not source.lstrip().startswith(("%", "!"))]


def private_imports(path):
    """Names that a file imports from the packages although they are not public."""
    for source in programs(path):
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            if node.module.split(".")[0] not in {"calib", "calibkit"}:
                continue
            public = ["__version__", "metrics"]
            if room(node.module) == node.module:
                public += getattr(import_module(node.module), "__all__", [])
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if alias.name not in public and not full.startswith(BUILDERS):
                    yield full


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_whoever_stands_outside_imports_public_names(path):
    opened = INSIDE.get(path.relative_to(ROOT).as_posix(), "nothing")
    found = [full for full in private_imports(path) if not full.startswith(opened)]
    assert not found


def test_no_circles():
    """Neither between rooms nor inside one: modules can be read from the bottom up."""
    known = {module_name(path): path for path in [*CODE, *EXPERIMENTS]}
    graph = {
        name: {other for other in imports(path) if other in known and not name.startswith(other)}
        for name, path in known.items()
    }
    graphlib.TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def test_the_packages_cite_no_chapter():
    """A user of the packages may not have the book."""
    assert not [path for path in CODE if re.search(r"\bchapter\b", path.read_text(), re.I)]


def test_numba_options_stand_in_one_place():
    users = [
        path.name for path in CODE if re.search(r"^\s*(import|from) numba", path.read_text(), re.M)
    ]
    assert users == ["compiling.py"]


def printed(program):
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout


@pytest.mark.parametrize("package", ["calib", "calibkit"])
def test_import_is_light(package):
    heavy = ["matplotlib", "pandas", "sklearn", "numba", "dask"]
    program = f"import sys, {package}; print([m for m in {heavy} if m in sys.modules])"
    assert printed(program) == "[]\n"


def test_a_measure_loads_only_its_needs():
    heavy = ["matplotlib", "pandas", "sklearn", "numba", "scipy.optimize"]
    program = (
        "import sys; from calib.metrics import brier_score_loss; "
        f"print(brier_score_loss([1], [1.0]), [m for m in {heavy} if m in sys.modules])"
    )
    assert printed(program) == "0.0 []\n"


def test_calibrators_and_measures_need_no_plotting():
    program = (
        "import sys, calib, calib.metrics\n"
        "for room in (calib, calib.metrics):\n"
        "    for name in room.__all__: getattr(room, name)\n"
        "print([m for m in ['matplotlib', 'calibkit'] if m in sys.modules])"
    )
    assert printed(program) == "[]\n"


# No compression


def literal(node):
    return isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)


def form(node):
    """The structure of an expression, without its names and constants."""
    if isinstance(node, ast.Name):
        return "name"
    if isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    ):
        return "constant"
    function = getattr(node, "func", None)
    called = getattr(function, "attr", getattr(function, "id", None))
    return type(node).__name__, called, tuple(form(child) for child in ast.iter_child_nodes(node))


def records_of(trees):
    """Names of the classes that are named tuples or dataclasses."""
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases = {getattr(base, "id", "") for base in node.bases}
                decorators = {
                    getattr(getattr(decorator, "func", decorator), "id", "")
                    for decorator in node.decorator_list
                }
                if "NamedTuple" in bases or "dataclass" in decorators:
                    yield node.name


def in_kernels(tree):
    """Nodes of compiled functions, in which records are built by position."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            "jit" in ast.dump(decorator) for decorator in node.decorator_list
        ):
            yield from ast.walk(node)


def packed_calls(tree):
    """Calls whose arguments were packed into a local literal, only to be starred."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        packed = {
            node.targets[0].id
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and literal(node.value)
            and (getattr(node.value, "elts", None) or getattr(node.value, "keys", None))
        }
        for node in ast.walk(function):
            if isinstance(node, ast.Call):
                starred = [a.value for a in node.args if isinstance(a, ast.Starred)]
                starred += [keyword.value for keyword in node.keywords if keyword.arg is None]
                if any(isinstance(value, ast.Name) and value.id in packed for value in starred):
                    yield node, "arguments packed into a local literal"


def starred_calls(tree, records):
    """Calls of ``f(*map(...))``, and records that are not built by keyword."""
    compiled = set(in_kernels(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        starred = [a.value for a in node.args if isinstance(a, ast.Starred)]
        for value in starred:
            called = getattr(getattr(value, "func", None), "id", "")
            if isinstance(value, ast.GeneratorExp | ast.ListComp) or called == "map":
                yield node, "f(*map(...)) or f(*(... for ...))"
            if literal(value):
                yield node, "a literal starred into a call"
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in records and node not in compiled and (starred or len(node.args) > 2):
            yield node, f"the record {name} is not built by keyword"


def packed_literals(tree):
    """Literals unpacked into literals, and literals times a condition."""
    for node in ast.walk(tree):
        elements = getattr(node, "elts", [])
        if any(isinstance(e, ast.Starred) and literal(e.value) for e in elements):
            yield node, "a literal unpacked into a literal"
        if isinstance(node, ast.Dict) and any(
            key is None and literal(value)
            for key, value in zip(node.keys, node.values, strict=True)
        ):
            yield node, "a literal unpacked into a literal"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for value, factor in ((node.left, node.right), (node.right, node.left)):
                text = isinstance(value, ast.JoinedStr) or isinstance(
                    getattr(value, "value", None), str
                )
                condition = isinstance(factor, ast.Compare | ast.BoolOp) or (
                    isinstance(factor, ast.UnaryOp) and isinstance(factor.op, ast.Not)
                )
                if (literal(value) or text) and condition:
                    yield node, "a literal times a condition"


def parallel_assignments(tree):
    """Parallel assignments that are neither swaps nor pairs of values of one form."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
            continue
        target, value = node.targets[0], node.value
        if not isinstance(target, ast.Tuple | ast.List):
            continue
        called = getattr(getattr(value, "func", None), "id", "")
        if isinstance(value, ast.GeneratorExp | ast.ListComp) or called == "map":
            yield node, "an assignment unpacks a generator or a map"
        if isinstance(value, ast.Tuple | ast.List):
            names = sorted(ast.unparse(element) for element in target.elts)
            swap = names == sorted(ast.unparse(element) for element in value.elts)
            pair = len(value.elts) == 2 and form(value.elts[0]) == form(value.elts[1])
            starred = any(isinstance(e, ast.Starred) for e in [*target.elts, *value.elts])
            if not (swap or pair or starred):
                yield node, "a parallel assignment that is no swap and no pair"


def compression(tree, records):
    yield from packed_calls(tree)
    yield from starred_calls(tree, records)
    yield from packed_literals(tree)
    yield from parallel_assignments(tree)


def test_nothing_is_compressed():
    trees = {path: tree_of(path) for path in CODE}
    records = set(records_of(trees.values()))
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {what}"
        for path, tree in trees.items()
        for node, what in compression(tree, records)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "code",
    [
        "def f(a):\n    both = a, 1\n    return g(*both)",
        "f(*map(float, x))",
        "f(*(float(v) for v in x))",
        "f(*[1, 2])",
        "x = [*[1, 2], 3]",
        "x = {**{'a': 1}, 'b': 2}",
        "x = ['a'] * (n > 1)",
        "x = 's' * (n > 1)",
        "a, b = 1, f(x)",
        "a, b, c = 1, 2, 3",
        "a, b = (v + 1 for v in x)",
        "from typing import NamedTuple\nclass R(NamedTuple):\n    a: int\nR(1, 2, 3)",
    ],
)
def test_compression_is_seen(code):
    tree = ast.parse(code)
    assert list(compression(tree, set(records_of([tree]))))


@pytest.mark.parametrize(
    "code", ["a, b = b, a", "a, b = f(x), f(y)", "a, b = 0.0, 1.0", "f(*rows)"]
)
def test_plain_code_is_left_alone(code):
    assert not list(compression(ast.parse(code), set()))


# One name, one thing

SHARED = {  # in two rooms these are the same thing for two kinds of input
    "StackedCalibrator",
    "TemperatureScaling",
    "brier_score_loss",
    "expected_calibration_error",
    "isotonic_counts",
    "kuiper_error",
    "log_loss",
    "roc_auc_score",
    "venn_abers",
}
REFERENCES = "calibkit.testing.references"  # slow definitions, named as the functions they check


def module_names(path):
    """Names that a module defines at its top, private ones included."""
    for node in tree_of(path).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id


def test_no_module_level_name_is_defined_twice():
    modules = defaultdict(set)
    for path in CODE:
        if module_name(path) != REFERENCES:
            for name in module_names(path):
                modules[name].add(module_name(path))
    hooks = {name for name in modules if name.startswith("__")}
    twice = {name for name, places in modules.items() if len(places) > 1}
    assert twice - hooks == SHARED & twice
