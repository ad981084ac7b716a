"""make course: the release and the archives of a term."""

import io
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile
from datetime import date
from pathlib import Path

import nbformat
import numpy as np
import pytest

from course.tools.build import build, check_release, pack
from course.tools.cartridge import ASSIGNMENT, CANVAS, CARTRIDGE
from course.tools.release import write_sources
from course.tools.source import read_set, secret_lines, set_names, title


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    output = tmp_path_factory.mktemp("course")
    build("2026a", output)
    (output / "release" / "slides").mkdir()
    (output / "release" / "slides" / "index.html").write_text("slides")
    pack("2026b", output)  # of another term: it stays
    pack("2026a", output, date(2026, 10, 5))
    return output


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.xdist_group("build")
def test_the_release_has_every_set_and_what_it_needs(built):
    release = built / "release"
    for name in set_names():
        assert {"kit.py", "term.txt", f"{name}.ipynb"} <= {
            p.name for p in (release / name).iterdir()
        }
        assert (release / name / "term.txt").read_text() == "2026a\n"
    requirements = (release / "requirements.txt").read_text()
    (wheel,) = release.glob("*.whl")
    assert f"./{wheel.name}[plots]" in requirements
    inside = zipfile.ZipFile(wheel).namelist()
    assert "calib/__init__.py" in inside and not any("course" in name for name in inside)


@pytest.mark.xdist_group("build")
def test_what_students_get_holds_no_solutions(built):
    archives = built / "archives"
    public = members(archives / "students-2026a.zip") | members(archives / "data-2026a.zip")
    for kind in ["cartridge", "canvas"]:
        for content in members(archives / f"{kind}-2026a.zip").values():
            if content.startswith(b"PK"):
                public |= members(io.BytesIO(content))
    notebooks = [name for name in public if name.endswith(".ipynb")]
    assert len(notebooks) == 2 * len(set_names())
    for name in notebooks:
        cells = nbformat.reads(public[name].decode(), as_version=4).cells
        lines = {line.strip() for cell in cells for line in cell.source.splitlines()}
        assert not lines & secret_lines(read_set(Path(name).stem))
    for name, content in public.items():
        assert not re.search(rb"(BEGIN|END) (SOLUTION|HIDDEN)", content), name


@pytest.mark.xdist_group("build")
def test_the_check_of_the_release_finds_a_solution(tmp_path):
    name = set_names()[0]
    write_sources(tmp_path, name, "2026a")
    with pytest.raises(SystemExit, match="holds lines of solutions"):
        check_release(tmp_path)


@pytest.mark.xdist_group("build")
def test_the_cartridge_lists_its_files(built):
    inside = members(built / "archives" / "cartridge-2026a.zip")
    root = xml.fromstring(inside["imsmanifest.xml"])
    named = {"c": CARTRIDGE.format(1)}
    files = {r.get("identifier"): r.get("href") for r in root.iterfind(".//c:resource", named)}
    assert set(files.values()) == set(inside) - {"imsmanifest.xml"}
    linked = [i.get("identifierref") for i in root.iterfind(".//c:item[@identifierref]", named)]
    assert linked == list(files)
    titles = {element.text for element in root.iterfind(".//c:title", named)}
    assert {f"{title(read_set(name))} (40 points)" for name in set_names()} <= titles
    assert "Slides" in titles


@pytest.mark.xdist_group("build")
def test_canvas_gets_an_assignment_with_points_and_date_for_each_set(built):
    inside = members(built / "archives" / "canvas-2026a.zip")
    root = xml.fromstring(inside["imsmanifest.xml"])
    kinds = {r.get("href"): r.get("type") for r in root.iter(f"{{{CARTRIDGE.format(3)}}}resource")}
    assert set(kinds) == set(inside) - {"imsmanifest.xml"}
    tasks = {file for file, kind in kinds.items() if kind == "assignment_xmlv1p0"}
    assert tasks == {f"{name}.xml" for name in set_names()}
    due = {}
    for name in set_names():
        task = xml.fromstring(inside[f"{name}.xml"])
        assert task.findtext(f"{{{ASSIGNMENT}}}title") == title(read_set(name))
        assert task.find(f"{{{ASSIGNMENT}}}gradable").get("points_possible") == "40"
        due[name] = task.findtext(f".//{{{CANVAS}}}due_at")
    first, *_, last = due.values()
    assert first == "2026-10-11T23:59:00" and last == "2027-01-17T23:59:00"
    calendar = (built / "archives" / "calendar-2026a.ics").read_bytes().decode()
    days = re.findall(r"DTSTART;VALUE=DATE:(\d{4})(\d\d)(\d\d)\r\n", calendar)
    assert ["-".join(day) for day in days] == [moment[:10] for moment in due.values()]


@pytest.mark.xdist_group("build")
def test_without_a_first_day_there_are_points_and_no_dates(built):
    inside = members(built / "archives" / "canvas-2026b.zip")
    for name in set_names():
        assert (
            b"points_possible" in inside[f"{name}.xml"] and b"due_at" not in inside[f"{name}.xml"]
        )
    assert not (built / "archives" / "calendar-2026b.ics").exists()


@pytest.mark.xdist_group("build")
def test_archives_hold_slides_and_other_terms_stay(built):
    archives = built / "archives"
    assert "calibration-2026a/slides/index.html" in members(archives / "students-2026a.zip")
    assert (archives / "students-2026b.zip").exists()


@pytest.mark.xdist_group("build")
def test_the_instructor_gets_the_solutions(built):
    inside = members(built / "archives" / "instructor-2026a.zip")
    for name in set_names():
        assert b"BEGIN SOLUTION" in inside[f"source/{name}/{name}.ipynb"]
    assert "nbgrader_config.py" in inside


@pytest.mark.xdist_group("build")
def test_the_data_pack_has_numbers(built):
    inside = members(built / "archives" / "data-2026a.zip")
    tables = [name for name in inside if name.startswith("01_") and name.endswith(".csv")]
    assert tables
    for name in tables:
        assert np.all(np.isfinite(np.loadtxt(io.BytesIO(inside[name]), delimiter=",")))


DRAW = "import kit, sys; print(kit.rng('question', sys.argv[1]).integers(10**9))"


@pytest.mark.xdist_group("build")
def test_terms_students_and_the_grader_have_their_own_numbers(tmp_path):
    name, drawn = set_names()[0], {}
    for term in ["2026a", "2026b"]:
        write_sources(tmp_path / term, name, term)
        for student in ["ada", "bob"]:
            for grader in [{}, {"COURSE_STUDENT": "ada"}]:
                run = subprocess.run(
                    [sys.executable, "-c", DRAW, student],
                    cwd=tmp_path / term,
                    env=grader,
                    check=True,
                    capture_output=True,
                )
                drawn[term, student, bool(grader)] = int(run.stdout)
    own = {key: number for key, number in drawn.items() if not key[2]}
    assert len(set(own.values())) == 4
    for term in ["2026a", "2026b"]:
        for student in ["ada", "bob"]:  # whatever the notebook says
            assert drawn[term, student, True] == drawn[term, "ada", False]
