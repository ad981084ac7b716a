"""The page *When the model comes to another hospital*: its programs print what it shows."""

import re
import shlex
from pathlib import Path

import pytest

from calibkit.cli import main

PAGE = (Path(__file__).parents[2] / "book" / "external_validation.md").read_text(encoding="utf-8")
FENCES = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.S)
PROGRAM = "\n".join(text for kind, text in FENCES if kind == "python")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The folder in which the programs of the page ran, and the lines that they printed."""
    folder = tmp_path_factory.mktemp("hospital")
    printed = []

    def show(*values, file=None, sep=" "):
        line = sep.join(map(str, values))
        if file is None:
            printed.append(line)
        else:
            file.write(line + "\n")

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(PROGRAM, {"print": show})
    return folder, printed


def test_the_programs_print_what_the_page_promises(ran):
    _, printed = ran
    assert printed == re.findall(r"^# (.*)$", PROGRAM, re.M)
    assert len(printed) == 7


def test_the_sentence_about_the_number_of_patients(ran):
    _, printed = ran
    rows = [[float(number) for number in line.split()] for line in printed[2:5]]
    best = {int(n): losses.index(min(losses)) for n, *losses in rows}
    assert best == {100: 0, 300: 2, 1000: 2}
    for _, *losses in rows:
        assert min(losses[:3]) < losses[3] < max(losses[:3])


def test_the_commands_print_the_items_of_the_page(ran, capsys, monkeypatch):
    folder, _ = ran
    monkeypatch.chdir(folder)
    printed, n_shown = "", 0
    for kind, text in FENCES:
        if kind == "sh":
            _, *words = shlex.split(text)
            assert main(words) == 0
            printed = capsys.readouterr().out
        elif kind == "text":
            assert text in printed
            n_shown += 1
    assert n_shown == 3
    assert "TRIPOD+AI" in (folder / "report.html").read_text(encoding="utf-8")
