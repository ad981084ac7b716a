"""The page *Is this model's stated probability right*: its commands print what it shows."""

import json
import re
import shlex
from pathlib import Path

import pytest

from calibkit.cli import main
from calibkit.inference import rows_until_promise

PAGE = (Path(__file__).parents[2] / "book" / "stated_probability.md").read_text(encoding="utf-8")
FENCES = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.S)


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """A folder with the logs that the program of the page writes."""
    monkeypatch.chdir(tmp_path)
    (program,) = [text for kind, text in FENCES if kind == "python"]
    exec(program, {})
    return tmp_path


def test_the_commands_of_the_page_in_their_order(logs, capfd):
    """From the log to a verdict, thresholds, a map and an alarm: six commands and their answers."""
    codes, printed, shown = [], "", []
    for kind, text in FENCES:
        if kind == "sh":
            for line in text.splitlines():
                _, *words = shlex.split(line)
                codes.append(main(words))
            out, err = capfd.readouterr()
            printed = out + err
        elif kind == "text":
            assert text in printed
            shown.append(text)
    assert codes == [0, 0, 0, 0, 0, 0, 1]
    assert len(shown) == 4
    page = (logs / "report.html").read_text(encoding="utf-8")
    assert "A threshold with a promise" in page and ">Perfect<" in page


def test_the_line_of_the_log_is_like_its_lines(logs):
    (line,) = [text for kind, text in FENCES if kind == "json"]
    first, *_ = (logs / "log.jsonl").read_text().splitlines()
    assert json.loads(first).keys() == json.loads(line).keys()


def test_the_noise_floor_that_the_page_names(logs):
    columns = ["--score", "p", "--label", "expect"]
    assert main(["report", "log.jsonl", *columns, "--json", "-o", "report.json"]) == 0
    whole = {m["key"]: m for m in json.loads(Path("report.json").read_text())["measures"]}["ece"]
    assert f"the ECE in ten bins is {whole['value']:.3f}" in PAGE
    assert f"a perfect model has {whole['floor']:.3f}" in PAGE
    few = "".join((logs / "log.jsonl").read_text().splitlines(keepends=True)[:60])
    (logs / "few.jsonl").write_text(few)
    assert main(["report", "few.jsonl", *columns, "--json", "-o", "few.json"]) == 0
    floor = {m["key"]: m for m in json.loads(Path("few.json").read_text())["measures"]}["ece"]
    assert floor["floor"] == pytest.approx(0.1, abs=0.015)


def test_the_table_of_rows_until_a_promise():
    rows = re.findall(r"^\| ([\d.]+) \| (\d+) \| (\d+) in each \|$", PAGE, re.M)
    assert len(rows) == 5
    for error, one, ten in rows:
        assert int(one) == rows_until_promise(max_error=float(error))
        assert int(ten) == rows_until_promise(max_error=float(error), n_groups=10)
