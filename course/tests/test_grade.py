"""make course-grade: whatever a class hands in becomes tables, feedback and a list of problems."""

import csv
import io
import json
import os
import zipfile

import nbformat
import pytest

from course.tests.conftest import model_answers
from course.tools.grade import grade
from course.tools.handed_in import NoNotebook, read_notebook
from course.tools.marks import HEAD, MarksError
from course.tools.notebooks import fill_in, released_notebook
from course.tools.source import questions, read_set, set_names, written
from course.tools.submissions import find, which_set

NAME = set_names()[0]
CELLS = read_set(NAME)
BY_HAND = sorted(written(CELLS))
RELEASED = released_notebook(CELLS)
MODEL = model_answers(CELLS)
FULL = {q.name: "" if q.name in BY_HAND else str(q.points) for q in questions(CELLS)}
NOTHING = dict.fromkeys(FULL, "")
FILE = f"{NAME}.ipynb"

pytestmark = pytest.mark.xdist_group("grade")


def text_of(notebook):
    return nbformat.writes(notebook)


def honest():
    return fill_in(RELEASED, MODEL)


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def points_of(output):
    points = {}
    for row in rows(output / "points.csv"):
        points.setdefault(row["student"], {})[row["question"]] = row["points"]
    return points


def put(folder, files):
    """Write files, text or bytes by path."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def archive(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return buffer.getvalue()


def copied(kind):
    """A notebook in which Jupyter's copy and paste has doubled a cell of one kind."""
    notebook = honest()
    for i, cell in enumerate(notebook.cells):
        marks = cell.metadata.get("nbgrader", {})
        if (kind == "answer" and marks.get("solution")) or (kind == "test" and marks.get("grade")):
            notebook.cells.insert(i + 1, nbformat.from_dict(dict(cell) | {"id": f"copy-{i}"}))
            break
    return notebook


def changed(change):
    """A notebook with a change."""
    notebook = honest()
    change(notebook)
    return notebook


def first_code(notebook):
    return next(cell for cell in notebook.cells if cell.cell_type == "code")


def set_source(source):
    return lambda notebook: first_code(notebook).update(source=source)


def forget_marks(notebook):
    for cell in notebook.cells:
        cell.metadata.pop("nbgrader", None)


def forget_locked(notebook):
    notebook.cells = [c for c in notebook.cells if not c.metadata.get("nbgrader", {}).get("locked")]


def reverse_tests(notebook):
    tests = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")]
    notebook.cells = [c for c in notebook.cells if c not in tests] + tests


def long_output(notebook):
    text = "x" * 10**6 + "\n"
    output = nbformat.v4.new_output("stream", name="stdout", text=text * 200)
    first_code(notebook).outputs = [output]


def own_cell(source):
    return lambda notebook: notebook.cells.insert(1, nbformat.v4.new_code_cell(source))


def to_file_format(encode):
    return encode(text_of(honest()))


# Folders of one student each, in which the answers are right: they get their points.
RIGHT = {
    "plain": {FILE: text_of(honest())},
    "Ada [A]": {FILE: text_of(honest())},
    "Ada (B) {c} *": {FILE: text_of(honest())},
    'O\'Brien "Bob"; rm -rf': {FILE: text_of(honest())},
    "Łukasz Çelik 王": {FILE: text_of(honest())},
    " spaces  here ": {FILE: text_of(honest())},
    "-dash": {FILE: text_of(honest())},
    "$(id)": {FILE: text_of(honest())},
    "%s%n": {FILE: text_of(honest())},
    "deep": {f"a/b/c/d/week 1/{FILE}": text_of(honest())},
    "checkpoints": {
        FILE: text_of(honest()),
        f".ipynb_checkpoints/{NAME}-checkpoint.ipynb": "{",
    },
    "mac": {FILE: text_of(honest()), f"__MACOSX/._{FILE}": b"\x00\x05\x16\x07"},
    "dot file": {FILE: text_of(honest()), f"._{FILE}": b"\x00\x05"},
    "browser": {f"{NAME} (1).ipynb": text_of(honest())},
    "copy": {f"{NAME}-Copy1.ipynb": text_of(honest())},
    "copy of": {f"Copy of {FILE}": text_of(honest())},
    "named": {f"Ada_Lovelace_{NAME}_final.ipynb": text_of(honest())},
    "upper": {FILE.upper().replace("IPYNB", "ipynb"): text_of(honest())},
    "extension": {FILE.replace("ipynb", "IPYNB"): text_of(honest())},
    "renamed": {"homework.ipynb": text_of(honest())},
    "twice the same": {FILE: text_of(honest()), f"again/{FILE}": text_of(honest())},
    "zipped": {"homework.zip": archive({FILE: text_of(honest())})},
    "zipped folder": {"a.zip": archive({f"sets/{NAME}/{FILE}": text_of(honest())})},
    "zip in zip": {"a.zip": archive({"b.zip": archive({FILE: text_of(honest())})})},
    "zip that climbs": {"a.zip": archive({f"../../../{FILE}": text_of(honest())})},
    "other files": {FILE: text_of(honest()), "kit.py": "1/0", "data.csv": "1", "a.pdf": b"%PDF"},
    "broken archive": {FILE: text_of(honest()), "a.zip": b"PK no"},
    "copied answer": {FILE: text_of(copied("answer"))},
    "copied test": {FILE: text_of(copied("test"))},
    "no number": {FILE: text_of(changed(set_source("")))},
    "broken number": {FILE: text_of(changed(set_source("STUDENT = 04711")))},
    "number without quotes": {FILE: text_of(changed(set_source("STUDENT = 4711")))},
    "deleted number": {FILE: text_of(changed(set_source("del STUDENT")))},
    "marks lost": {FILE: text_of(changed(forget_marks))},
    "locked cells deleted": {FILE: text_of(changed(forget_locked))},
    "tests at the end": {FILE: text_of(changed(reverse_tests))},
    "200 megabytes": {FILE: text_of(changed(long_output))},
    "missing package": {FILE: text_of(changed(own_cell("import no_such_package")))},
    "magic": {FILE: text_of(changed(own_cell("%matplotlib inline\n!ls\nimport math")))},
    "display": {FILE: text_of(changed(own_cell("from IPython.display import *\ndisplay(1)")))},
    "shadows": {FILE: text_of(changed(own_cell("values = fractions = _rng = print = None")))},
    "exits": {FILE: text_of(changed(own_cell("raise SystemExit")))},
    "dies": {FILE: text_of(changed(own_cell("import os; os.abort()")))},
    "input": {FILE: text_of(changed(own_cell("input('your number? ')")))},
    "bom": {FILE: to_file_format(lambda text: text.encode("utf-8-sig"))},
    "utf-16": {FILE: to_file_format(lambda text: text.encode("utf-16"))},
    "windows lines": {FILE: to_file_format(lambda text: text.replace("\n", "\r\n"))},
    "one line": {FILE: to_file_format(lambda text: json.dumps(json.loads(text)))},
    "other kernel": {FILE: text_of(changed(lambda n: n.metadata.update(kernelspec={"name": "R"})))},
}
# Files as the platforms write them, and whose they are.
FLAT = {
    f"Ada Lovelace_123_assignsubmission_file_/{FILE}": "Ada Lovelace_123",
    f"Bob_124_assignsubmission_file/01/{FILE}": "Bob_124",
    f"Cy_125_assignsubmission_file_{FILE}": "Cy_125",
    f"dadadada_126_9001_{FILE}": "dadadada_126",
    f"eve_LATE_127_9002_{NAME}-1.ipynb": "eve_127",
}
# What nobody could grade: it is listed, and stands in nobody's way.
BROKEN = {
    "empty file": {FILE: ""},
    "cut": {FILE: text_of(honest())[:5000]},
    "a list": {FILE: "[]"},
    "a number": {FILE: "1"},
    "no cells": {FILE: "{}"},
    "cells of text": {FILE: '{"cells": "none"}'},
    "binary": {FILE: bytes(range(256))},
    "nested": {FILE: "[" * 100_000},
}


@pytest.fixture(scope="module")
def odd_class(tmp_path_factory):
    """More than sixty odd folders, graded together."""
    folder, output = tmp_path_factory.mktemp("class"), tmp_path_factory.mktemp("out") / "grades"
    for student, files in (RIGHT | BROKEN).items():
        put(folder / student, files)
    put(folder, dict.fromkeys(FLAT, text_of(honest())))
    put(folder, {FILE: text_of(honest()), "notes/shopping.ipynb": '{"cells": []}'})
    (folder / "linked").mkdir()
    os.symlink("/etc/passwd", folder / "linked" / FILE)
    (folder / "nothing").mkdir()
    problems = grade(folder, "2026a", output)
    return output, problems


def test_right_answers_get_their_points_in_every_folder(odd_class):
    output, problems = odd_class
    points = points_of(output)
    assert len(RIGHT) + len(FLAT) + len(BROKEN) >= 60
    lost = {
        student: {q: p for q, p in points.get(student, {}).items() if p != FULL[q]}
        for student in [*RIGHT, *FLAT.values()]
        if points.get(student) != FULL
    }
    assert lost == {}, problems


def test_what_cannot_be_graded_is_listed(odd_class):
    output, problems = odd_class
    points = points_of(output)
    told = (output / "problems.txt").read_text().splitlines()
    assert told == problems
    for student in BROKEN:
        assert points[student] == NOTHING
        assert any(line.startswith(f"{student}, {NAME}: ") for line in told), student
    for name in ["broken archive/a.zip", f"{FILE}: whose", "notes/shopping.ipynb: no problem set"]:
        assert any(name in line for line in told), name
    assert any("no_such_package" in line for line in told)
    assert not {"linked", "nothing", "notes"} & set(points)


def test_the_platforms_get_tables_that_they_read(odd_class):
    output, _ = odd_class
    (ada, bob, cy) = rows(output / "moodle" / f"{NAME}.csv")
    assert ada["Identifier"] == "Participant 123" and ada["Full name"] == "Ada Lovelace"
    assert ada["Grade"] == "" and ada["Maximum Grade"] == "40"  # a person has to read first
    with zipfile.ZipFile(output / "moodle" / f"{NAME}-feedback.zip") as feedback:
        assert f"Ada Lovelace_123_assignsubmission_file_/{NAME}.html" in feedback.namelist()
    assert [row["ID"] for row in rows(output / "canvas" / f"{NAME}.csv")] == ["126", "127"]


def test_feedback_names_questions_and_shows_no_path(odd_class):
    output, _ = odd_class
    page = (output / "feedback" / "plain" / f"{NAME}.html").read_text(encoding="utf-8")
    assert "Question 1. The calibration function of a score with ties" in page
    pages = [path.read_text(encoding="utf-8") for path in output.glob("feedback/*/*.html")]
    assert len(pages) > 50
    for text in pages:
        assert "http" not in text and "<script" not in text and os.getcwd() not in text


@pytest.fixture
def submissions(tmp_path):
    """Ada has answered in prose; Bob has answered nothing; Cy's file is broken."""
    folder = tmp_path / "submissions"
    texts = fill_in(RELEASED, dict.fromkeys(BY_HAND, "An answer."))
    files = {"ada": text_of(texts), "bob": text_of(RELEASED), "cy": "{"}
    put(folder, {f"{student}/attempt/{FILE}": text for student, text in files.items()})
    return folder


def write_marks(folder, *marks):
    lines = [",".join(map(str, row)) for row in [HEAD, *marks]]
    (folder / "marks.csv").write_text("\n".join(lines))


def test_points_marks_and_feedback(submissions, tmp_path):
    write_marks(
        submissions, ("ada", NAME, BY_HAND[0], 2.5, "Well argued"), ("eve", NAME, "brier", 1, "")
    )
    output = tmp_path / "grades"
    problems = grade(submissions, "2026a", output)
    assert len(problems) == 2 and "cy, " in problems[0] and "'eve' has handed in no" in problems[1]
    points = points_of(output)
    assert points["ada"][BY_HAND[0]] == "2.5"
    assert [points["ada"][q] for q in BY_HAND[1:]] == [""] * (len(BY_HAND) - 1)
    assert set(points["bob"].values()) == {"0"}
    assert set(points["cy"].values()) == {""}
    totals = {row["student"]: row for row in rows(output / "totals.csv")}
    assert totals["ada"] == {
        "student": "ada",
        "set": NAME,
        "points": "2.5",
        "maximum": "40",
        "to mark": str(len(BY_HAND) - 1),
    }
    assert totals["bob"]["to mark"] == "0"
    feedback = (output / "feedback" / "ada" / FILE.replace("ipynb", "html")).read_text("utf-8")
    assert "Well argued" in feedback and "An answer." in feedback


@pytest.mark.parametrize(
    "text, message",
    [
        (f"ada,{NAME},no_such,1,", "no question 'no_such'"),
        (f"ada,{NAME},{BY_HAND[0]},400,", "400 points"),
        (f"ada,{NAME},{BY_HAND[0]},nan,", "nan points"),
        (f"ada,{NAME},{BY_HAND[0]},two,", "two points"),
    ],
)
def test_marks_that_cannot_be_are_named_and_the_last_grades_stay(tmp_path, text, message):
    put(tmp_path, {"in/marks.csv": f"{','.join(HEAD)}\n{text}\n", "grades/points.csv": "last"})
    with pytest.raises(MarksError, match=message):
        grade(tmp_path / "in", "2026a", tmp_path / "grades")
    assert (tmp_path / "grades" / "points.csv").read_text() == "last"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["grades", "in"]


def test_a_table_of_marks_without_its_head_is_named(tmp_path):
    put(tmp_path, {"in/marks.csv": "ada,2\n"})
    with pytest.raises(MarksError, match="should begin with the line student,set"):
        grade(tmp_path / "in", "2026a", tmp_path / "grades")


def test_of_two_notebooks_the_last_saved_is_graded(tmp_path):
    put(tmp_path / "in", {f"ada/{FILE}": "{}", f"ada/{NAME} (1).ipynb": '{"cells": []}'})
    os.utime(tmp_path / "in" / "ada" / FILE, (2e9, 2e9))
    (tmp_path / "work").mkdir()
    (found,), (problem,) = find(tmp_path / "in", tmp_path / "work")
    assert found.path.name == FILE
    assert problem == f"ada/{FILE}: graded, as the last one saved; left out: ada/{NAME} (1).ipynb"


@pytest.mark.parametrize("name", set_names())
def test_a_set_is_known_by_its_questions(name, tmp_path):
    path = tmp_path / "homework.ipynb"
    path.write_text(text_of(released_notebook(read_set(name))))
    assert which_set("homework.ipynb", path) == name


def test_a_notebook_of_the_old_format():
    sheet = {"cells": [{"cell_type": "code", "input": ["x = 1\n", "y = 2"], "metadata": {}}]}
    (cell,) = read_notebook(json.dumps({"worksheets": [sheet], "nbformat": 3}).encode())
    assert cell.is_code and cell.source == "x = 1\ny = 2"


def test_too_many_cells():
    with pytest.raises(NoNotebook, match="2001 cells"):
        read_notebook(json.dumps({"cells": [{}] * 2001}).encode())
