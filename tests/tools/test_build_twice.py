"""Two machines build the same archives, and a comparison finds what differs."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
import build_twice  # noqa: E402
import checksums  # noqa: E402

ARCHIVES = """
import sys
from pathlib import Path

sys.path[:0] = ["tools", "."]
import distributions
import notebook_archive
from course.tools import self_study

folder = Path(sys.argv[1])
distributions.BOOK = folder
distributions.write()
notebook_archive.write(folder / "notebooks.zip")
self_study.ARCHIVE = folder / "self_study.zip"
self_study.write()
"""
LISTED = "import os; print(os.listdir('.'), [e.name for e in os.scandir('.')])"


def test_two_machines_write_the_same_archives(tmp_path):
    sums = []
    for machine in build_twice.machines(ROOT, ROOT):
        folder = tmp_path / str(len(sums))
        folder.mkdir()
        command = [sys.executable, "-c", ARCHIVES, str(folder)]
        machine.run([*machine.wrapper, *command])
        sums.append(checksums.digests(folder))
    assert len(sums[0]) == 4
    assert sums[0] == sums[1]


def test_the_machines_differ_in_what_programs_see(tmp_path):
    first, second = build_twice.machines(tmp_path / "first", tmp_path / "second")
    assert first.umask != second.umask
    for name, value in first.environment.items():
        assert name == "LC_ALL" or value != second.environment[name]


def test_the_second_machine_lists_folders_in_reverse(tmp_path, capfd):
    for name in "abc":
        (tmp_path / name).touch()
    _, second = build_twice.machines(ROOT, ROOT)
    second._replace(clone=tmp_path).run([sys.executable, "-c", LISTED])
    assert capfd.readouterr().out == "['c', 'b', 'a'] ['c', 'b', 'a']\n"


@pytest.fixture
def clones(tmp_path):
    """Two clones with a site, the same but for one page."""
    for name, text in [("first", "one"), ("second", "two")]:
        site = tmp_path / name / "book" / "_build" / "html"
        site.mkdir(parents=True)
        (site / "index.html").write_text("page")
        (site / "other.html").write_text(text)
    (tmp_path / "second" / "book" / "_build" / "book.pdf").write_text("pdf")
    return tmp_path / "first", tmp_path / "second"


def test_a_comparison_names_what_differs(clones, capsys):
    different = build_twice.compare(*clones)
    assert different == ["book/_build/book.pdf", "book/_build/html/other.html"]
    assert "book/_build/html: 2 files, 1 differ" in capsys.readouterr().out
