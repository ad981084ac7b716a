"""The archive for learners alone, which the site offers."""

import re

import nbformat

from course.tools.self_study import members
from course.tools.source import read_set, secret_lines, set_names


def test_the_archive_holds_every_set_and_no_solution():
    files = dict(members())
    assert {"README.md", "requirements.txt", "requirements.lock", "pyproject.toml"} <= files.keys()
    for name in set_names():
        assert {f"sets/{name}/kit.py", f"sets/{name}/term.txt"} <= files.keys()
        notebook = nbformat.reads(files[f"sets/{name}/{name}.ipynb"].decode(), as_version=4)
        nbformat.validate(notebook)
        lines = {line.strip() for cell in notebook.cells for line in cell.source.splitlines()}
        assert not lines & secret_lines(read_set(name))
        assert any("assert" in line for line in lines)
    for name, content in files.items():
        assert not re.search(rb"(BEGIN|END) (SOLUTION|HIDDEN)", content), name
    assert not any(re.search(r"(^|/)(set|second|wrong)\.py$", name) for name in files)


def test_the_requirements_name_what_the_archive_holds():
    files = dict(members())
    requirements = files["requirements.txt"].decode()
    assert "--editable .[plots]" in requirements and "calib/__init__.py" in files
    assert set(re.findall(r"--constraint (\S+)", requirements)) <= files.keys()
