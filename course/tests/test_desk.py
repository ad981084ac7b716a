"""make course-mark: what is given on the pages is saved at once, and becomes grades."""

import csv
import json
import shutil
import threading
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import sync_playwright

from course.tests.conftest import model_answers
from course.tools import sheets
from course.tools.desk import Desk, server
from course.tools.grade import grade
from course.tools.marks import HEAD, MarksError, add_mark, read_marks
from course.tools.notebooks import fill_in, released_notebook
from course.tools.source import questions, read_set, set_names, written
from tools import browsers

NAME = set_names()[0]
CELLS = read_set(NAME)
BY_HAND = sorted(written(CELLS))
ASKED = BY_HAND[0]
PAGE = f"{NAME}/{ASKED}"
MOST = {q.name: q.points for q in questions(CELLS)}
HOSTILE = '</pre></article><script>window.hit = 1</script><img src=x onerror="window.hit = 1">'
# Moodle's folders, and what stands in each written answer.
CLASS = {
    "Ada Lovelace_1": "Ties stay ties. $p = 0$ & $p < 1$",
    "Bob <b>_2": HOSTILE,
    "Cy\"' onclick='window.hit=1'_3": "long " * 2 * 10**6,
    "Di\udcff\r\n_4": "half a character: \ud800, and none: \0",
    "Eve_5": "*Your answer.*",
}
ADA, BOB, CY, DI, EVE = (name.replace("\udcff\r\n", r"\xff\r\n") for name in CLASS)

pytestmark = pytest.mark.xdist_group("desk")


def with_answers(text):
    """The notebook of a student who is right where tests look."""
    answers = model_answers(CELLS) | dict.fromkeys(BY_HAND, text)
    return json.dumps(fill_in(released_notebook(CELLS), answers))


@pytest.fixture(scope="module")
def once_graded(tmp_path_factory):
    """Five notebooks that Moodle exported, graded and taken away: nothing can be run again."""
    root = tmp_path_factory.mktemp("desk")
    for student, text in CLASS.items():
        own = root / "in" / f"{student}_assignsubmission_file_"
        own.mkdir(parents=True)
        (own / f"{NAME}.ipynb").write_text(with_answers(text))
    problems = grade(root / "in", "2026a", root / "grades")
    shutil.rmtree(root / "in")
    (root / "in").mkdir()
    return root, problems


@pytest.fixture
def root(once_graded, tmp_path):
    shutil.copytree(once_graded[0], tmp_path, dirs_exist_ok=True)
    return tmp_path


@contextmanager
def opened(root, marker="", port=0):
    """The address of a running desk."""
    made, address = server(Desk(root / "in", root / "grades", marker), port)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield address
    finally:
        made.shutdown()
        made.server_close()


def got(address):
    with urlopen(address) as reply:
        return reply.read().decode()


def sent(address, **given):
    with urlopen(Request(address, json.dumps(given).encode(), method="POST")) as reply:
        return reply.read().decode()


def refused(address, data=None):
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(address, data))
    return caught.value.code, caught.value.read().decode()


def rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_whatever_they_wrote_all_are_graded(once_graded):
    root, problems = once_graded
    points = {
        (row["student"], row["question"]): row["points"] for row in rows(root / "grades/points.csv")
    }
    for student in [ADA, BOB, CY, DI, EVE]:
        for name, most in MOST.items():
            expected = str(most) if name not in BY_HAND else "0" if student == EVE else ""
            assert points[student, name] == expected, problems


def test_marked_merged_and_exported(root):
    with opened(root) as address:
        for student, given in [(ADA, "4"), (BOB, "0"), (CY, "2.5"), (DI, "1")]:
            for name in BY_HAND:
                said = sent(
                    f"{address}{NAME}/{name}", student=student, points=given, comment="é,\r<i>"
                )
                assert said.startswith(f"Saved: {given} of 4")
        assert sent(address).endswith("with 0 lines in problems.txt.")
        assert ">100%<" in got(address) and "differences" not in got(address)
    totals = {row["student"]: row for row in rows(root / "grades" / "totals.csv")}
    automatic = sum(most for name, most in MOST.items() if name not in BY_HAND)
    moodle = {
        row["Identifier"]: row["Grade"] for row in rows(root / "grades/moodle" / f"{NAME}.csv")
    }
    for number, (student, given) in enumerate(
        zip([ADA, BOB, CY, DI, EVE], [4, 0, 2.5, 1, 0], strict=True), 1
    ):
        total = f"{automatic + len(BY_HAND) * given:g}"
        assert (totals[student]["points"], totals[student]["to mark"]) == (total, "0")
        assert moodle[f"Participant {number}"] == total
    feedback = (root / "grades" / "feedback" / BOB / f"{NAME}.html").read_text(encoding="utf-8")
    assert "é,\n&lt;i&gt;" in feedback and "<script" not in feedback and "<img" not in feedback


def test_a_mark_that_is_taken_back_leaves_the_points_of_the_test(root):
    name = next(n for n in MOST if n not in BY_HAND)

    def total():
        return {row["student"]: row["points"] for row in rows(root / "grades/totals.csv")}[ADA]

    before = total()
    with opened(root) as address:
        sent(f"{address}{NAME}/{name}", student=ADA, points="0", comment="copied")
        sent(address)
        assert float(total()) == float(before) - MOST[name]
        sent(f"{address}{NAME}/{name}", student=ADA, points="", comment="")
        sent(address)
        assert total() == before


def test_pages_show_what_students_wrote_as_text(root):
    with opened(root) as address:
        page = got(address + PAGE)
        assert "window.hit" in page and "<script>w" not in page and "<img" not in page
        assert page.count("<article") == 4 and page.count("<script") == 1
        assert 20_000 < len(page) < 200_000 and "[the rest is left out]" in page
        assert "Rubric" in page and "http" not in page.replace("http://www.w3.org", "")
        for name in MOST:
            assert "The question" in got(f"{address}{NAME}/{name}")
        policy = urlopen(address).headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")


def test_what_cannot_be_is_refused_and_not_saved(root):
    with opened(root) as address:
        for points in ["4.5", "-1", "nan", "two"]:
            given = {"student": ADA, "points": points, "comment": ""}
            code, said = refused(address + PAGE, json.dumps(given).encode())
            assert code == 400 and "from 0 to 4 are possible" in said
        for page, given in [
            (PAGE, {"student": "nobody", "points": "1", "comment": ""}),
            (PAGE, {"student": ADA}),
            (PAGE, [1]),
            (f"{NAME}/nothing", {"student": ADA, "points": "1", "comment": ""}),
            ("../../marks.csv", {}),
        ]:
            assert refused(address + page, json.dumps(given).encode())[0] == 404
        assert refused(address + PAGE, b"x" * 200_000) == (400, "too long")
        assert refused(address + PAGE, b"{")[0] == 400
        for page in ["marks.csv", "../desk.py", f"{NAME}/{quote('<b>')}"]:
            assert refused(address + page)[0] == 404
        host, word = address.rstrip("/").rsplit("/", 1)
        assert host.startswith("http://127.0.0.1:") and len(word) > 20
        for other in [
            f"{host}/",
            f"{host}/{word[:-1]}/",
            f"{host}/desk.js",
        ]:  # another user's guess
            assert refused(other)[0] == 404
    assert not (root / "in" / "marks.csv").exists()


def test_a_second_marker_sees_no_marks_and_differences_are_listed(root):
    with opened(root) as first, opened(root, "Zoe") as second:
        for student, points in [(ADA, "3"), (BOB, "1"), (CY, "2")]:
            sent(first + PAGE, student=student, points=points, comment="mine")
        assert "mine" not in got(second + PAGE) and "mine" in got(first + PAGE)
        sent(second + PAGE, student=ADA, points="3", comment="")
        sent(second + PAGE, student=BOB, points="2.5", comment="")
        page = got(first + "differences")
        assert "2 answers were marked more than once, 1 of them with the same points" in page
        assert "<td>1</td><td>2.5</td>" in page and "Ada" not in page and "Bob &lt;b&gt;" in page
        assert refused(second + "differences")[0] == 404
        assert sent(second) == "The desk without a marker's name writes the grades."
        sent(first)
    assert (root / "in" / "marks-Zoe.csv").exists()
    given = {(r["student"], r["question"]): r["points"] for r in rows(root / "grades/points.csv")}
    assert (given[BOB, ASKED], given[ADA, ASKED], given[DI, ASKED]) == ("1", "3", "")


def test_rows_are_added_and_the_last_one_counts(tmp_path):
    path = tmp_path / "marks.csv"
    path.write_text(f"{','.join(HEAD)},mine\nada,{NAME},{ASKED},1,first,kept", encoding="utf-8-sig")
    add_mark(path, "ada", NAME, ASKED, "2", 'two\nlines, "quoted"')
    add_mark(path, "bob", NAME, ASKED, "", "to be read again")
    assert read_marks(path) == {
        ("ada", NAME, ASKED): (2, 'two\nlines, "quoted"'),
        ("bob", NAME, ASKED): (None, "to be read again"),
    }
    assert "1,first,kept\n" in path.read_text(encoding="utf-8-sig")


def test_marks_in_another_encoding_are_named(tmp_path):
    (tmp_path / "marks.csv").write_bytes(f"{','.join(HEAD)}\nM\xfcller".encode("latin-1"))
    with pytest.raises(MarksError, match="not in UTF-8"):
        read_marks(tmp_path / "marks.csv")


def test_statistics():
    results = [
        {"points": p, "maximum": 4, "said": s}
        for p, s in [(4, ""), (None, ""), (1, "x 1.5"), (1, "x 2")]
    ]
    assert sheets.shares(results) == ("50%", "33%")
    assert sheets.shares(results[1:2]) == ("", "")
    assert sheets.common(results) == [("x #", 2)]


@pytest.fixture(scope="module")
def browser():
    executable = browsers.chromium() or pytest.skip(browsers.MISSING)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_marking_by_keyboard(root, browser, width):
    tab = browser.new_page(viewport={"width": width, "height": 800})
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    with opened(root) as address:
        tab.goto(address + PAGE)
        tab.locator("article").first.focus()
        tab.keyboard.press("3")
        tab.keyboard.press("h")
        tab.get_by_text("Saved: 3.5 of 4 points").wait_for()
        tab.keyboard.press("c")
        tab.keyboard.type("n 1 h")  # a comment, no keys
        tab.keyboard.press("Escape")
        tab.locator("article.unsaved").first.wait_for(state="detached")
        tab.keyboard.press("n")
        assert tab.evaluate("document.activeElement.dataset.student") == BOB
        tab.keyboard.press("0")
        tab.locator("article").nth(1).get_by_text("Saved: 0 of 4 points").wait_for()
        assert tab.locator("#left").text_content() == "2"
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.evaluate("window.hit") is None
        tab.goto(address)
        tab.locator("#merge").press("Enter")
        tab.get_by_text("lines in problems.txt").wait_for()
        assert all(url.startswith(address) for url in asked)
    tab.close()
    assert read_marks(root / "in" / "marks.csv") == {
        (ADA, NAME, ASKED): (3.5, "n 1 h"),
        (BOB, NAME, ASKED): (0, ""),
    }


def test_what_is_not_saved_says_so_and_is_tried_again(root, browser):
    tab = browser.new_page()
    with opened(root) as address:
        tab.goto(address + PAGE)
        (root / "in" / "marks.csv").mkdir()  # nothing can be written there
        tab.locator("article").first.focus()
        tab.keyboard.press("2")
        tab.get_by_text("NOT SAVED").wait_for()
        assert tab.locator("article.unsaved").count() == 1
        assert tab.locator("#left").text_content() == "4"
        (root / "in" / "marks.csv").rmdir()
        tab.get_by_text("Saved: 2 of 4 points").wait_for()
        assert tab.locator("#left").text_content() == "3"
    tab.close()
    assert read_marks(root / "in" / "marks.csv") == {(ADA, NAME, ASKED): (2, "")}
