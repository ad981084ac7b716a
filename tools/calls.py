"""Which tests call which function of calib, and how long each test takes.

The tests of one file run in a fork, without compilation, on a copy of calib in which every function
begins with a note of its name. What is found is kept in a file for as long as the test file, and
the names of all functions, stay the same.
"""

import ast
import builtins
import gc
import hashlib
import json
import os
import resource
import sys
import time

import hypothesis
import pytest

SECONDS = 200  # of the processor, for the tests of one file; those after are not looked at
MEMORY = 8 * 2**30
OPTIONS = ["-q", "--assert=plain", "-p", "no:cacheprovider"]  # and no plugins but ours


def functions(tree):
    """The functions and methods of a module that do not lie within another."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield node
        else:
            yield from functions(node)


def noted(source, module):
    """The source with a note of the name at the begin of every function."""
    tree = ast.parse(source)
    for function in functions(tree):
        note = ast.parse(f"_calls.add({f'{module}:{function.name}'!r})").body
        has_words = ast.get_docstring(function) is not None
        function.body[has_words:has_words] = note
    return ast.unparse(ast.fix_missing_locations(tree))


class Notes:
    """A plugin of pytest: writes a line with time and calls of every test that passes."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.calls = builtins._calls = set()
        self.fixtures, self.failed = {}, set()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef, request):
        """What makes a fixture is called for every test that asks for it."""
        before = set(self.calls)
        self.calls.clear()
        try:
            return (yield)
        finally:
            self.fixtures.setdefault(fixturedef.argname, set()).update(self.calls)
            self.calls |= before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Write what a test took and called."""
        self.calls.clear()
        start = time.process_time()
        result = yield
        seconds = time.process_time() - start
        asked = getattr(item, "fixturenames", ())  # a doctest has none
        calls = self.calls.union(*(self.fixtures.get(name, ()) for name in asked))
        if item.nodeid not in self.failed:
            self.file.write(json.dumps([item.nodeid, round(seconds, 3), sorted(calls)]) + "\n")
            self.file.flush()
        return result

    def pytest_runtest_logreport(self, report):
        """Remember what did not pass."""
        if not report.passed:
            self.failed.add(report.nodeid)


def in_fork(folder, seconds, work):
    """Whether `work()`, in a fork within a folder, says 0 before some seconds are over."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    try:
        gc.freeze()  # pytest collects garbage at the end: not among the libraries
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))  # _AS stops JavaScript
        os.chdir(folder)
        for stream in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        sys.path.insert(0, str(folder))
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # no time for shrinking
        hypothesis.settings.register_profile(
            "short", phases=phases, database=None, derandomize=True, deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )  # fmt: skip
        hypothesis.settings.load_profile("short")
        os._exit(int(work()))
    finally:  # whatever happens, there is only one parent
        os._exit(1)


def tests_of(folder, path, kept, names):
    """Tests of one file that pass: name, seconds, and what they call."""
    known_by = f"{names}\n{path}\n{(folder / path).read_text()}"
    place = kept / hashlib.sha256(known_by.encode()).hexdigest()
    if not place.exists():
        partial = place.with_suffix(".part")
        partial.touch()
        speed = "" if path.name == "test_kernel_bounds.py" else "not slow"
        in_fork(
            folder, SECONDS,
            lambda: pytest.main([*OPTIONS, "-m", speed, str(path)], plugins=[Notes(partial)]),
        )  # fmt: skip
        partial.rename(place)
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]


def all_tests(folder, kept):
    """By function, the tests that call it, fastest first; `folder` has a copy of calib."""
    sources = {path: path.read_text() for path in folder.glob("calib*/**/*.py")}
    for path, source in sources.items():
        path.write_text(noted(source, path.relative_to(folder).with_suffix("").as_posix()))
    names = sorted(
        f"{path.relative_to(folder)}:{function.name}"
        for path, source in sources.items()
        for function in functions(ast.parse(source))
    )
    files = [
        *folder.glob("tests/calib*/test_*.py"),
        *(p for p, s in sources.items() if ">>> " in s),
    ]
    found = {}
    for path in sorted(files):
        for test, seconds, calls in tests_of(folder, path.relative_to(folder), kept, names):
            for function in calls:
                found.setdefault(function, []).append((seconds, test))
    for path, source in sources.items():
        path.write_text(source)
    return {function: sorted(tests) for function, tests in found.items()}
