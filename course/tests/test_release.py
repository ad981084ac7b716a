"""What students get: no solutions, no hidden tests, notebooks that run, data of their own."""

import ast
import re
import sys

import nbformat
import nbgrader.api
import pytest
from alembic.script import ScriptDirectory
from nbclient import NotebookClient
from nbgrader.apps.api import NbGraderAPI
from nbgrader.dbutil import ALEMBIC_DIR
from traitlets.config import Config

from course.tools.build import check_release
from course.tools.notebooks import CODE_STUB, TEXT_STUB, self_study_notebook
from course.tools.release import write_release, write_sources
from course.tools.source import secret_lines, set_names


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_the_release_holds_no_solution_and_no_hidden_test(graded):
    check_release(graded.released)
    assert secret_lines(graded.cells)
    for path in graded.released.rglob("*"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(BEGIN|END) (SOLUTION|HIDDEN)|Rubric", text), path


def test_the_release_runs_and_only_tests_of_open_questions_fail(graded):
    notebook = nbformat.read(graded.released / f"{graded.name}.ipynb", as_version=4)
    folder = {"metadata": {"path": str(graded.released)}}
    NotebookClient(notebook, timeout=120, allow_errors=True, resources=folder).execute()
    failed = 0
    for cell in code_cells(notebook):
        errors = [output.ename for output in cell.outputs if output.output_type == "error"]
        is_test = cell.metadata.get("nbgrader", {}).get("grade", False)
        assert errors == (["NotImplementedError"] if is_test else []), cell.source
        failed += is_test
    assert failed


def test_self_study_has_asserts_and_no_solution(graded):
    notebook = self_study_notebook(graded.cells)
    text = "\n".join(cell.source for cell in notebook.cells)
    lines = {line.strip() for line in text.splitlines()}
    assert not lines & secret_lines(graded.cells)
    assert not re.search(r"(BEGIN|END) (SOLUTION|HIDDEN)|Rubric", text)
    for cell in code_cells(notebook):
        ast.parse(cell.source)
    assert "<summary>A hint</summary>" in text


def test_model_answers_pass_the_asserts_of_self_study(graded, monkeypatch):
    """The cells run in this process, in the released folder, where kit.py is."""
    monkeypatch.chdir(graded.released)
    monkeypatch.syspath_prepend(graded.released)
    monkeypatch.delitem(sys.modules, "kit", raising=False)
    namespace = {}
    for cell, made in zip(graded.cells, self_study_notebook(graded.cells).cells, strict=True):
        if cell.kind == "answer":
            exec(graded.model[cell.question.name], namespace)
        elif made.cell_type == "code":
            exec(made.source, namespace)


@pytest.mark.xdist_group("build")
@pytest.mark.filterwarnings("ignore")
def test_nbgrader_makes_the_same_release(tmp_path):
    """The instructor's archive is a course of nbgrader, as it says."""
    nbgrader.api.get_alembic_version = ScriptDirectory(ALEMBIC_DIR).get_current_head
    name, config = set_names()[0], Config()
    write_sources(tmp_path / "source" / name, name, "test")
    write_release(tmp_path / "ours", name, "test")
    config.CourseDirectory.root = str(tmp_path)
    config.CourseDirectory.db_url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    config.ClearSolutions.code_stub = {"python": CODE_STUB}
    config.ClearSolutions.text_stub = TEXT_STUB
    result = NbGraderAPI(config=config).generate_assignment(name)
    assert result["success"], result
    theirs = nbformat.read(tmp_path / "release" / name / f"{name}.ipynb", as_version=4)
    ours = nbformat.read(tmp_path / "ours" / f"{name}.ipynb", as_version=4)
    assert [c.source for c in ours.cells] == [c.source for c in theirs.cells]
    ids = [
        [c.metadata.get("nbgrader", {}).get("grade_id") for c in n.cells] for n in (ours, theirs)
    ]
    assert ids[0] == ids[1]
