"""The course that the site offers to a lecturer without a clone."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from course.tools import lecturer, papers, slides, source  # noqa: E402

LINK = re.compile(r'(?:href|src)="(?!#|https?:|data:)([^"#?]+)')


@pytest.fixture(scope="module")
def members():
    return dict(lecturer.members("test"))


def test_it_has_slides_exams_projects_sets_and_a_syllabus(members):
    lectures = [path.stem for path in slides.SOURCES.glob("[0-9]*.md")]
    assert len(lectures) == 15
    assert {f"slides/{name}.html" for name in lectures} <= members.keys()
    assert {f"exams/{name}-test.html" for name in papers.EXAMS} <= members.keys()
    assert {f"students/projects/{name}.html" for name in papers.PROJECTS} <= members.keys()
    for name in source.set_names():
        assert f"students/sets/{name}/{name}.ipynb" in members
    text = members["syllabus.html"].decode()
    assert all(f"<td>{week}</td>" in text for week in range(1, 16))
    assert "Prerequisites" in text and "One day" in text


def test_it_has_no_answer(members):
    """The package has none, and a lecture may show how a number is computed."""
    for name, content in members.items():
        assert not re.search(rb"(BEGIN|END) (SOLUTION|HIDDEN)", content), name
        if name.startswith("exams/"):
            assert not re.search(rb'class="(solution|rubric)"', content), name
        assert not name.endswith(("-solutions.html", "-example.html", "/set.py", "/second.py"))


def test_its_pages_link_to_what_it_holds(members):
    n_links = 0
    for name, content in members.items():
        if name.endswith(".html"):
            for link in LINK.findall(content.decode()):
                target = (Path(name).parent / link).as_posix()
                assert target in members, (name, link)
                n_links += 1
    assert n_links > 100


def test_its_requirements_can_be_installed_from_it(members):
    text = members["students/requirements.txt"].decode()
    named = re.findall(r"--constraint (\S+)", text)
    assert named and {f"students/{name}" for name in named} <= members.keys()
    readme = re.search(r'^readme = "(.*)"', members["students/pyproject.toml"].decode(), re.M)[1]
    assert f"students/{readme}" in members
