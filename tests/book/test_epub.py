"""The books for e-readers: their form, links, formulas and pictures.

They are those of make epub; where they have not been made, these tests are skipped. epubcheck (on
Debian: apt install epubcheck) judges them too where it is installed.
"""

import posixpath
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from lxml import etree

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import build_epub  # noqa: E402

BOOKS = {build_epub.SHORT_EPUB: build_epub.short_parts(), build_epub.EPUB: build_epub.parts()}
SVG = f"{{{build_epub.SVG}}}"
XHTML = f"{{{build_epub.XHTML}}}"
JAR = Path("/usr/share/java/epubcheck.jar")
made = all(path.exists() for path in BOOKS)
pytestmark = [
    pytest.mark.skipif(not made, reason="make epub has not been run"),
    pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem),
]


@cache
def contents(path):
    """The parsed files of the book that are XML, and the names of all."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        parsed = (".xhtml", ".opf", ".xml", ".svg")
        xml = {n: etree.fromstring(archive.read(n)) for n in names if n.endswith(parsed)}
    return xml, names


def pages(path):
    return {name: tree for name, tree in contents(path)[0].items() if name.endswith(".xhtml")}


def test_it_begins_with_its_type(path):
    with zipfile.ZipFile(path) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert archive.read(first) == b"application/epub+zip"
        assert archive.testzip() is None


def test_it_lists_all_its_files_and_no_other(path):
    xml, names = contents(path)
    items = xml["book/content.opf"].findall(".//{*}item")
    listed = [f"book/{item.get('href')}" for item in items]
    there = {name for name in names if name.startswith("book/")} - {"book/content.opf"}
    assert sorted(listed) == sorted(there)
    for item in items:
        if item.get("href").endswith(".xhtml"):
            drawn = xml[f"book/{item.get('href')}"].find(f".//{SVG}svg") is not None
            assert ("svg" in (item.get("properties") or "")) == drawn


def test_it_has_every_chapter_in_its_place(path):
    xml, _ = contents(path)
    expected = [build_epub.file_of(page) for _, names in BOOKS[path] for page in names]
    ids = {i.get("id"): i.get("href") for i in xml["book/content.opf"].findall(".//{*}item")}
    spine = [ids[i.get("idref")] for i in xml["book/content.opf"].findall(".//{*}itemref")]
    assert spine == ["cover.xhtml", "nav.xhtml", *expected]
    lines = xml["book/nav.xhtml"].findall(f".//{XHTML}li/{XHTML}ol/{XHTML}li/{XHTML}a")
    assert [line.get("href") for line in lines] == expected


def test_links_and_pictures_lead_somewhere(path):
    anchors = {
        n: {e.get("id") for e in tree.iter() if e.get("id")} for n, tree in pages(path).items()
    }
    _, names = contents(path)
    for name, tree in pages(path).items():
        ids = [e.get("id") for e in tree.iter() if e.get("id")]
        assert len(ids) == len(set(ids)), name
        for element in [*tree.iter(f"{XHTML}a"), *tree.iter(f"{XHTML}img")]:
            address = element.get("href") or element.get("src") or ""
            if address.startswith("https:"):
                continue
            file, _, part = unquote(address).partition("#")
            target = posixpath.normpath(f"book/{file}") if file else name
            assert target in names, (name, address)
            assert not part or part in anchors[target], (name, address)
            assert element.tag != f"{XHTML}img" or element.get("alt").strip()


def test_formulas_are_drawn_and_said(path):
    count = 0
    for name, tree in pages(path).items():
        outlines = {e.get("id") for e in tree.iter(f"{SVG}path")}
        for use in tree.iter(f"{SVG}use"):
            assert use.get("href").removeprefix("#") in outlines, name
        drawings = [e for e in tree.iter(f"{SVG}svg") if e.get("class") == "formula"]
        count += len(drawings)
        for drawing in drawings:
            assert drawing.get("viewBox") and drawing.get("aria-label"), name
            assert "ex" not in drawing.get("style") and "em" in drawing.get("style"), name
    assert count > (3000 if path == build_epub.EPUB else 0)
    with zipfile.ZipFile(path) as archive:
        assert not [n for n in archive.namelist() if b"mjx-" in archive.read(n)]


def test_epubcheck_finds_nothing(path):
    if shutil.which("java") is None or not JAR.exists():
        pytest.skip("epubcheck is not installed")
    done = subprocess.run(["java", "-jar", JAR, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "0 errors / 0 warnings" in done.stdout
