"""The parts of the project agree: set-up, table of contents, notebooks, layers, interface page."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import calib
import calibkit
from calibkit.cli import arguments, main
from calibkit.datasets import load
from experiments.chapter_numbers import is_evidence, number_of
from experiments.minutes import FOLDED

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "book" / "_ext"))
import object_pages  # noqa: E402

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
PAGES = [TOC["root"], *(page["file"] for part in TOC["parts"] for page in part["chapters"])]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, SETUPTOOLS = PYPROJECT["project"], PYPROJECT["tool"]["setuptools"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


# Set-up


def test_no_file_says_where_it_was_made():
    files = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, cwd=ROOT)
    place = re.compile(rb"(?<![\w.-])" + re.escape(os.fsencode(ROOT)) + rb"\b")
    names = files.stdout.split("\0")[:-1]
    assert not [name for name in names if place.search((ROOT / name).read_bytes())]


def lock(name="requirements.lock"):
    lines = text(name).splitlines()
    entries = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {entry.name.lower().replace("_", "-"): entry for entry in entries}


def test_the_lock_names_one_version_of_each_package():
    for entry in lock().values():
        assert re.fullmatch(r"==[^*]+", str(entry.specifier)), entry


def test_the_course_has_the_versions_of_the_book():
    book, course = lock(), lock("course/requirements-course.lock")
    assert {"nbgrader", "numpy", "numba", "scikit-learn"} <= course.keys()
    for name in book.keys() & course.keys():
        assert book[name].specifier == course[name].specifier, name


@pytest.mark.parametrize("name", ["requirements", "course/requirements-course"])
def test_the_hashes_are_those_of_the_versions_of_the_lock(name):
    lines = text(f"{name}-hashed.lock").replace("\\\n", "").splitlines()
    entries = [line.split("--hash=") for line in lines if line and not line.startswith("#")]
    assert set(map(pin, map(Requirement, (entry[0] for entry in entries)))) == set(
        map(pin, lock(f"{name}.lock").values())
    )
    for _, *hashes in entries:
        assert hashes
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", digest.strip()) for digest in hashes)


def pin(requirement):
    """Name, version and marker."""
    name = canonicalize_name(requirement.name)
    return name, str(requirement.specifier), str(requirement.marker)


def test_the_lock_satisfies_the_project():
    extras = PROJECT["optional-dependencies"]
    apart = ["bench", "networks"]  # in environments of their own
    needs = PROJECT["dependencies"] + [n for e in extras if e not in apart for n in extras[e]]
    for need in map(Requirement, needs):
        version = str(lock()[need.name.lower()].specifier).removeprefix("==")
        assert need.specifier.contains(version), need


def imported(path):
    """Names of the packages that a file imports."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in names}


def test_what_programs_import_is_declared():
    extras = PROJECT["optional-dependencies"].values()
    needs = [*PROJECT["dependencies"], *(need for extra in extras for need in extra)]
    declared = {canonicalize_name(Requirement(need).name) for need in needs}
    declared |= {"distributed", PROJECT["name"]}  # the first is an extra of dask
    files = subprocess.run(["git", "ls-files", "*.py"], capture_output=True, text=True, cwd=ROOT)
    paths = [ROOT / name for name in files.stdout.split() if not name.startswith("course/")]
    installed = packages_distributions()
    names = {name for path in paths for name in imported(path) if name in installed}
    used = {canonicalize_name(name) for package in names for name in installed[package]}
    assert used <= declared, used - declared


def test_conda_and_binder_install_the_lock():
    environment = yaml.safe_load(text("environment.yml"))
    pip = next(d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    assert pip == ["-r requirements.lock", "-e ."]


def test_container_and_nix_have_the_python_of_the_environment():
    version = re.search(r"python=(\S+)", text("environment.yml"))[1]
    assert f"FROM python:{version}-" in text("Containerfile")
    assert f"pkgs.python{version.replace('.', '')} " in text("shell.nix")


def test_the_peers_are_those_of_the_project():
    lines = text("benchmarks/requirements.txt").splitlines()
    assert set(PROJECT["optional-dependencies"]["bench"]) <= set(lines)


def test_the_version_stands_in_one_place_and_in_the_changelog():
    assert PROJECT["dynamic"] == ["version"] and "version" not in PROJECT
    assert SETUPTOOLS["dynamic"]["version"] == {"attr": "calib.__version__"}
    assert re.search(rf"^## {re.escape(calib.__version__)}\b", text("CHANGELOG.md"), re.M)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_hash(path):
    actions = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert actions
    for action in actions:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


def test_actions_have_one_version():
    everything = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    actions = dict(re.findall(r"uses: ([^@]*)(.*)", everything))
    assert {f"{name}{version}" for name, version in actions.items()} == set(
        re.findall(r"uses: (.*)", everything)
    )


def test_the_source_distribution_has_the_tests_of_the_packages_that_need_no_clone():
    needs_clone = re.compile(r"(?m)^ *(import|from) experiments|parents\[2\]|import test_site")
    tests = [p for owner in ("calib", "calibkit") for p in (ROOT / "tests" / owner).glob("*.py")]
    left_out = set(re.findall(r"^exclude (.*)$", text("MANIFEST.in"), re.M))
    needing = {p for p in tests if needs_clone.search(p.read_text(encoding="utf-8"))}
    assert left_out == {path.relative_to(ROOT).as_posix() for path in needing}
    for path in set(tests) - needing:
        imported = re.findall(r"(?m)^(?:from|import) (\w+)", path.read_text(encoding="utf-8"))
        assert not set(imported) & {other.stem for other in needing}, path


def examples(page):
    """The programs on a page, one after the other, and the lines that they promise to print."""
    blocks = re.findall(r"```python\n(.*?)^ *```", text(page), re.S | re.M)
    program = "\n".join(map(textwrap.dedent, blocks))
    return program, re.findall(r"^# (.*)$", program, re.M)


@pytest.mark.parametrize(
    "page", ["README.md", "book/which_method.md", "book/findings.md", "book/open_problems.md"]
)
def test_examples_print_what_they_promise(page, capsys, monkeypatch):
    monkeypatch.chdir(ROOT / "book")
    program, promised = examples(page)
    exec(program, {})
    assert capsys.readouterr().out.splitlines() == promised != []


def test_the_page_of_the_command_line_has_every_flag_and_right_words():
    page, parser = text("book/command_line.md"), arguments.parser()
    lines = re.findall(r"^calib (\w+ .*--.*)$", page, re.M)
    commands = {parser.parse_args(shlex.split(line)).command for line in lines}
    (choices,) = (action.choices for action in parser._actions if action.choices)
    assert commands == set(choices)
    for command in choices.values():
        for action in command._actions:
            names = action.option_strings
            assert not names or any(f"`{name}" in page for name in names), names
    for word in [*arguments.CLASSES_OF_METHODS, *arguments.LANGUAGES]:
        assert f"`{word}`" in page or f"--to {word}`" in page, word


def test_the_first_example_prints_what_it_promises(capsys):
    program = text("book/first_example.py")
    exec(program, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^# (.*)$", program, re.M) != []


def test_the_file_of_scores_is_what_its_page_says():
    images, digits = load_digits(return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    fresh = cross_val_predict(GaussianNB(), images, digits % 2, cv=folds, method="predict_proba")[
        :, 1
    ]
    scores, labels = np.loadtxt(ROOT / "book" / "scores.csv", delimiter=",", skiprows=1).T
    np.testing.assert_array_equal(labels, digits % 2)
    np.testing.assert_allclose(scores, fresh, atol=1e-3)


@pytest.mark.skipif(not os.environ.get("CALIB_DATA"), reason="needs the data set adult")
def test_the_scores_of_the_census_are_what_their_page_says():
    X, y, extras = load("adult", return_extras=True)
    train = (extras["split"] == "train").to_numpy()
    features = make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include="number")),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
    )
    model = LogisticRegression(class_weight="balanced", max_iter=1000, tol=1e-8)
    model = make_pipeline(features, model).fit(X[train], y[train])
    rows = np.random.default_rng(0).choice(np.flatnonzero(~train), 12_000, replace=False)
    rows.sort()
    census = pd.read_csv(ROOT / "book" / "census_scores.csv")
    np.testing.assert_array_equal(census["income"] == ">50K", y[rows] == 1)
    np.testing.assert_array_equal(census["sex"], X["sex"].astype(str).iloc[rows].str.strip())
    scores = model.predict_proba(X.iloc[rows])[:, 1]
    np.testing.assert_allclose(census["score"], scores, atol=1e-4)


def test_the_report_of_the_census_is_what_the_command_writes_now(tmp_path):
    rows = text("book/census_scores.csv").splitlines(keepends=True)[:6001]
    (tmp_path / "learn.csv").write_text("".join(rows), encoding="utf-8")
    flags = ["--score", "score", "--label", "income", "--positive", ">50K", "--group", "sex"]
    page = tmp_path / "report.html"
    assert main(["report", str(tmp_path / "learn.csv"), *flags, "-o", str(page)]) == 0
    drawing = re.compile(r"<svg.*?</svg>", re.S)
    now, stored = page.read_text(encoding="utf-8"), text("book/census_report.html")
    assert drawing.sub("", now) == drawing.sub("", stored)


# The book


@pytest.mark.parametrize("page", PAGES)
def test_the_table_of_contents_lists_what_is_there(page):
    assert any((ROOT / page).with_suffix(suffix).exists() for suffix in (".md", ".ipynb"))


def test_every_notebook_is_in_the_book():
    assert {f"notebooks/{path.stem}" for path in NOTEBOOKS} <= set(PAGES)


def test_no_output_of_a_notebook_is_large():
    cells = [(path.stem, cell) for path in NOTEBOOKS for cell in nbformat.read(path, 4).cells]
    sizes = {
        (name, cell.id): len(json.dumps(output))
        for name, cell in cells
        for output in cell.get("outputs", [])
    }
    assert max(sizes.values()) <= 300_000, max(sizes, key=sizes.get)


OPEN_LINES, OPEN_WIDTH = 25, 79  # of a cell that is not folded
# Folded cells behind a folded figure, by chapter: whoever mends one lowers the number.
PAIRED = {"11": 1}
BARS = {"hide-input", "hide-cell", "hide-output"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
class TestNotebook:
    @pytest.fixture
    def notebook(self, path):
        return nbformat.read(path, as_version=4)

    @pytest.fixture
    def cells(self, notebook):
        return [c for c in notebook.cells if c.cell_type == "code" and c.source.strip()]

    @pytest.fixture
    def outputs(self, cells):
        return [output for cell in cells for output in cell.outputs]

    def test_was_run_from_top_to_bottom(self, cells):
        assert [c.execution_count for c in cells] == list(range(1, len(cells) + 1))

    def test_begins_with_what_it_teaches_and_needs(self, path, notebook):
        opening = notebook.cells[0].source
        parts = ["# ", "**What you will be able to do**", "**Before you start"]
        if is_evidence(path.stem):  # it teaches nothing
            del parts[1]
        places = [opening.find(part) for part in parts]
        assert min(places) >= 0 and places == sorted(places)

    def test_has_no_long_open_cells(self, cells):
        opened = [c.source for c in cells if not FOLDED & set(c.metadata.get("tags", []))]
        assert max(len(source.splitlines()) for source in opened) <= OPEN_LINES
        assert max(len(line) for source in opened for line in source.splitlines()) <= OPEN_WIDTH

    def test_a_sentence_announces_every_open_cell(self, notebook):
        shown = [
            cell.cell_type == "code" and not FOLDED & set(cell.metadata.get("tags", []))
            for cell in notebook.cells
        ]
        assert not any(a and b for a, b in zip(shown, shown[1:], strict=False))

    def test_no_two_bars_of_folded_code_stand_together(self, path, notebook):
        bars = [
            cell.cell_type == "code" and bool(BARS & set(cell.metadata.get("tags", [])))
            for cell in notebook.cells
        ]
        pairs = sum(a and b for a, b in zip(bars, bars[1:], strict=False))
        assert pairs <= PAIRED.get(number_of(path.stem), 0)

    def test_was_run_without_errors_and_warnings(self, outputs):
        assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]

    def test_tells_nothing_about_the_machine(self, path, outputs):
        assert not re.search(r"/(root|home|work|tmp|Users|private)/\w", str(outputs))
        assert '"execution"' not in path.read_text()

    def test_asks_for_the_kernel_everybody_has(self, notebook):
        assert notebook.metadata.kernelspec.name == "python3"

    def test_describes_its_pictures(self, cells):
        for cell in cells:
            pictures = ["image/png" in output.get("data", {}) for output in cell.outputs]
            book = cell.metadata.get("mystnb", {})
            if any(pictures):
                assert book.get("image", {}).get("alt"), cell.source
                assert book.get("figure", {}).get("caption"), cell.source

    def test_has_its_seconds_on_the_status_page(self, path):
        assert re.search(rf"^{path.stem},\d+$", text("results/notebook_seconds.csv"), re.M)


# The interface


PUBLIC = ["calib", "calib.metrics", *(f"calibkit.{room}" for room in calibkit.__all__)]
PAGES_OF_KINDS = {path.stem: path.read_text() for path in sorted(ROOT.glob("book/api/*.md"))}
LISTED = [(module, name) for _, module, name in object_pages.listed(PAGES_OF_KINDS)]


@pytest.mark.parametrize("module", sorted({module for module, _ in LISTED} | set(PUBLIC)))
def test_the_interface_lists_every_public_name_of_a_module_and_no_other(module):
    """Names such as ``groups.parts.Part`` are of objects that users meet without importing them."""
    names = [name for room, name in LISTED if room == module and "." not in name]
    assert len(names) == len(set(names))
    offered = object_pages.public(import_module(module))
    elsewhere = {id(object_pages.named(room, name)) for room, name in LISTED if room != module}
    documented = {n for n in offered if id(getattr(import_module(module), n)) in elsewhere}
    assert set(offered) - documented <= set(names) <= set(offered)


def test_dots_in_a_list_are_the_names_that_no_page_lists():
    pages = {
        "one": ".. objects:: calib\n\n   ABB\n",
        "two": ".. objects:: calib\n\n   BBQ\n   ...\n",
    }
    rows = list(object_pages.listed(pages))
    assert rows[:2] == [("one", "calib", "ABB"), ("two", "calib", "BBQ")]
    assert {page for page, _, _ in rows[2:]} == {"two"}
    assert sorted(name for _, _, name in rows) == sorted(object_pages.public(calib))
