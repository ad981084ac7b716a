"""The sources keep the rules of course/README.md, and the quick check agrees with nbgrader."""

import subprocess
import sys

import pytest

from course.tools import source
from course.tools.check import STYLES
from course.tools.source import COURSE, questions, read_answers, read_set, set_names, written


@pytest.mark.parametrize("name", set_names())
def test_the_quick_check_finds_nothing(name):
    command = [sys.executable, "-m", "course.tools.check", name]
    checked = subprocess.run(command, cwd=COURSE.parent, capture_output=True, text=True)
    assert checked.stdout == f"{name}: as it should be\n" and not checked.returncode, checked


def test_how_many_answers_the_grader_has_been_tried_on():
    """The quick check grades each right answer as it is, with lists, and with pandas."""
    sets = {name: read_set(name) for name in set_names()}
    written_down = sum(len(questions(cells)) - len(written(cells)) for cells in sets.values())
    written_down += sum(len(read_answers(name, "second.py")) for name in sets)
    right = len(STYLES) * written_down
    wrong = sum(len(read_answers(name, "wrong.py")) for name in sets)
    print(f"{right} right answers, of which {written_down} were written, and {wrong} wrong ones")
    assert right >= 250 and wrong >= 400


@pytest.mark.parametrize(
    "text, message",
    [
        ("# %% task\n1\n", "cells are text, code"),
        ('# %% question brier, numerics\nr"""x"""\n', "should read like"),
        ('# %% question a, sums, 1 point, goal 1\nr"""x"""\n', "with a subject of theory"),
        ("# %% text\nprose\n", "is prose; write it as"),
    ],
)
def test_a_mistake_in_a_source_is_named(text, message, tmp_path, monkeypatch):
    monkeypatch.setattr(source, "SETS", tmp_path)
    (tmp_path / "01_x").mkdir()
    (tmp_path / "01_x" / "set.py").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_set("01_x")
