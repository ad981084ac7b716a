"""Mutation testing: how many small errors in the code make a test fail.

python tools/mutate.py                       every 12th error, in all modules below
python tools/mutate.py --every 1 binning     every one in kernels/binning.py

A mutant is the code with one operator, number, `min`/`max` or end of a range changed. It is tried
on the tests of its module, without compilation, in a fork of this process that has the libraries
in memory; a mutant that runs twice as long as the code counts as killed. Survivors are
printed, and the score goes to results/mutants.csv, which the status page prints. Numbers outside
functions, sizes of blocks and tolerances, are left alone: tests ought not to hang on them.
"""

import argparse
import ast
import csv
import importlib
import os
import resource
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
BOUNDS = "tests/test_kernel_bounds.py -m '' -k "
LIBRARIES = ["numba", "scipy.optimize", "scipy.stats", "sklearn.linear_model"]  # slow to import
TESTS = {  # module: what pytest is given, once or more
    "kernels/auc_split": ["tests/test_auc_split_tree.py"],
    "kernels/bayesian_binning": ["tests/test_bayesian_binning.py"],
    "kernels/binning": [
        "tests/test_kernels.py tests/test_metrics.py tests/test_histogram_platt_isotonic.py",
        BOUNDS + "bins",
    ],
    "kernels/galloping": ["tests/test_kernel_density.py -k 'formula or edge'", BOUNDS + "sums"],
    "kernels/gaussian_sums": ["tests/test_kernel_density.py -k 'gaussian or formula'"],
    "kernels/grouping": ["tests/test_kernels.py", BOUNDS + "ties"],
    "kernels/interval_sums": ["tests/test_adaptive.py"],
    "kernels/kernel_sums": ["tests/test_kernel_density.py -k 'formula or edge'", BOUNDS + "sums"],
    "kernels/logistic": ["tests/test_histogram_platt_isotonic.py", "tests/test_logistic.py"],
    "kernels/mixture": ["tests/test_dirichlet_process.py"],
    "kernels/near_isotonic": ["tests/test_near_isotonic.py"],
    "kernels/patching": ["tests/test_multicalibration.py", BOUNDS + "multicalibration"],
    "kernels/adjacent_violators": ["tests/test_kernels.py tests/test_validation.py"],
    "kernels/searching": ["tests/test_kernels.py", BOUNDS + "'searching or bins'"],
    "kernels/sorting": ["tests/test_kernels.py", BOUNDS + "ties"],
    "kernels/venn_abers": ["tests/test_venn_abers.py", BOUNDS + "isotonic"],
    "metrics/binned": ["tests/test_metrics.py"],
    "metrics/discrimination": ["tests/test_metrics.py"],
    "metrics/losses": ["tests/test_metrics.py"],
    "metrics/summary": ["tests/test_metrics.py"],
    "theory/bounds": [
        "tests/test_theory_and_laws.py -k 'hand or published or refused or limits or best'"
    ],
}
SWAPS = {
    **{ast.Lt: [ast.LtE, ast.Gt], ast.LtE: [ast.Lt, ast.GtE]},
    **{ast.Gt: [ast.GtE, ast.Lt], ast.GtE: [ast.Gt, ast.LtE]},
    **{ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot], ast.IsNot: [ast.Is]},
    **{ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult]},
    **{ast.FloorDiv: [ast.Mult], ast.Mod: [ast.Mult], ast.Pow: [ast.Mult]},
    **{ast.RShift: [ast.LShift], ast.BitAnd: [ast.BitOr], ast.BitOr: [ast.BitAnd]},
    **{ast.And: [ast.Or], ast.Or: [ast.And]},
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


def mutants(source):
    """Every mutant of a module: what is changed, and the whole source."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    skipped = {id(part) for part in unchanged(functions) for part in ast.walk(part)}
    for node in (node for function in functions for node in ast.walk(function)):
        if id(node) in skipped:
            continue
        skipped.add(id(node))  # a function may lie within another
        for field, value in changes(node):
            kept, before = getattr(node, field), ast.unparse(node)
            setattr(node, field, value)
            yield f"{node.lineno}: {before} -> {ast.unparse(node)}", ast.unparse(tree)
            setattr(node, field, kept)


def unchanged(functions):
    """Parts of functions that are no code of theirs: types, decorators and messages."""
    for function in functions:
        yield from function.decorator_list
        for node in ast.walk(function):
            yield from (
                getattr(node, name)
                for name in ("annotation", "returns")
                if name in vars(node) and getattr(node, name)
            )
            if isinstance(node, ast.Raise):
                yield node


def verdict(folder, tests, limit):
    """Run tests in a fork, for some seconds at most: "killed" or "survived"."""
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        return "killed" if status else "survived"
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    os.chdir(folder)
    for stream in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    sys.path.insert(0, str(folder))
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # no time for shrinking
    hypothesis.settings.register_profile("short", phases=phases, database=None, derandomize=True)
    hypothesis.settings.load_profile("short")
    options = ["-x", "--assert=plain", "-p", "no:cacheprovider", "-m", "not slow"]
    try:
        os._exit(int(any(pytest.main([*options, *shlex.split(part)]) for part in tests)))
    finally:  # whatever happens, there is only one parent
        os._exit(1)


def score(folder, module, every, offset):
    """Try every so-manieth mutant of a module: (number of mutants, verdicts)."""
    path = folder / "calib" / f"{module}.py"
    source, tests = path.read_text(), TESTS[module]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    if verdict(folder, tests, 600) != "survived":
        sys.exit(f"{module}: the tests fail before anything is changed")
    limit = 3 + int(2 * (resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before))
    found, verdicts = list(mutants(source)), []
    for change, mutant in found[offset % every :: every]:
        path.write_text(mutant)
        verdicts.append(verdict(folder, tests, limit))
        if verdicts[-1] == "survived":
            print(f"  survived: calib/{module}.py:{change}", flush=True)
    path.write_text(source)
    return len(found), verdicts


def main():
    """Parse the arguments, try the mutants, write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help="names without folder, such as binning")
    parser.add_argument("--every", type=int, default=12, help="take one in so many")
    parser.add_argument("--seed", type=int, default=0, help="which one")
    options = parser.parse_args()
    sys.dont_write_bytecode = True  # a mutant may be of the same size and second
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    for name in LIBRARIES:
        importlib.import_module(name)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("calib", "tests"):
            shutil.copytree(
                ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__")
            )
        shutil.copy(ROOT / "pyproject.toml", folder)
        for module in TESTS:
            if not options.modules or module.split("/")[-1] in options.modules:
                n, verdicts = score(folder, module, options.every, options.seed)
                survived = verdicts.count("survived")
                rows.append([module, n, len(verdicts), len(verdicts) - survived, survived])
                print(*rows[-1], flush=True)
    rows.append(["all", *(sum(column) for column in list(zip(*rows, strict=True))[1:])])
    print(*rows[-1])
    if not options.modules:
        with open(ROOT / "results" / "mutants.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([["module", "mutants", "tried", "killed", "survived"], *rows])


if __name__ == "__main__":
    main()
