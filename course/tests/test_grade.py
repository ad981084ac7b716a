"""make course-grade: a folder of submissions becomes tables and feedback."""

import csv

import nbformat
import pytest

from course.tools.grade import MARKS, grade
from course.tools.grading import CourseFolder, GradingError
from course.tools.notebooks import fill_in
from course.tools.source import read_set, set_names, written

NAME = set_names()[0]
BY_HAND = sorted(written(read_set(NAME)))

pytestmark = pytest.mark.xdist_group("grade")


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = CourseFolder(tmp_path_factory.mktemp("release"), NAME, "2026a").release()
    return nbformat.read(folder / f"{NAME}.ipynb", as_version=4)


def is_test(cell):
    return cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade", False)


@pytest.fixture
def submissions(released, tmp_path):
    """Ada has answered in prose; Bob has emptied tests and removed one; Cy's file is broken."""
    folder = tmp_path / "submissions"
    cheated = fill_in(released, {})
    tests = [cell for cell in cheated.cells if is_test(cell)]
    cheated.cells.remove(tests.pop())
    for cell in tests:
        cell.source = "pass"
    texts = fill_in(released, dict.fromkeys(BY_HAND, "An answer."))
    files = {"ada": nbformat.writes(texts), "bob": nbformat.writes(cheated), "cy": "{"}
    for student, text in files.items():
        (folder / student / "attempt").mkdir(parents=True)
        (folder / student / "attempt" / f"{NAME}.ipynb").write_text(text)
    return folder


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_marks(folder, *marks):
    lines = [",".join(map(str, row)) for row in [MARKS, *marks]]
    (folder / "marks.csv").write_text("\n".join(lines))


def test_points_marks_and_feedback(submissions, tmp_path):
    write_marks(submissions, ("ada", NAME, BY_HAND[0], 2.5, "Well argued"))
    output = tmp_path / "grades"
    (problem,) = grade(submissions, "2026a", output)
    assert f"cy/attempt/{NAME}.ipynb" in problem
    assert (output / "problems.txt").read_text() == problem
    points = {(r["student"], r["question"]): r["points"] for r in rows(output / "points.csv")}
    assert points["ada", BY_HAND[0]] == "2.5"
    assert [points["ada", q] for q in BY_HAND[1:]] == [""] * (len(BY_HAND) - 1)
    assert {p for (student, _), p in points.items() if student == "bob"} == {"0"}
    assert {p for (student, _), p in points.items() if student == "cy"} == {""}
    totals = {row["student"]: row for row in rows(output / "totals.csv")}
    assert totals["ada"] == {
        "student": "ada",
        "set": NAME,
        "points": "2.5",
        "maximum": "40",
        "to mark": str(len(BY_HAND) - 1),
    }
    assert totals["bob"]["to mark"] == "0"
    feedback = (output / "feedback" / "ada" / f"{NAME}.html").read_text(encoding="utf-8")
    assert "Well argued" in feedback and "An answer." in feedback


@pytest.mark.parametrize(
    "mark, message",
    [
        (("ada", NAME, "no_such", 1, ""), "no question 'no_such'"),
        (("ada", NAME, BY_HAND[0], 400, ""), "400 points"),
        (("eve", NAME, BY_HAND[0], 1, ""), "'eve' has handed in no"),
    ],
)
def test_marks_that_cannot_be_are_named(submissions, tmp_path, mark, message):
    write_marks(submissions, mark)
    with pytest.raises(GradingError, match=message):
        grade(submissions, "2026a", tmp_path / "grades")


def test_a_table_of_marks_without_its_head_is_named(submissions, tmp_path):
    (submissions / "marks.csv").write_text("ada,2\n")
    with pytest.raises(GradingError, match="should begin with the line student,set"):
        grade(submissions, "2026a", tmp_path / "grades")


def test_an_unknown_notebook_is_named(submissions, tmp_path):
    (submissions / "bob" / "homework.ipynb").write_text("{}")
    with pytest.raises(GradingError, match="homework.ipynb is no problem set"):
        grade(submissions, "2026a", tmp_path / "grades")


def test_two_notebooks_of_a_student_are_named(submissions, tmp_path):
    (submissions / "bob" / f"{NAME}.ipynb").write_text("{}")
    with pytest.raises(GradingError, match="twice"):
        grade(submissions, "2026a", tmp_path / "grades")
