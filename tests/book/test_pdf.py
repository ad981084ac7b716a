"""The book as a PDF: contents, links, fonts, formulas, and nothing beyond the text.

The PDF is that of make pdf, which needs Chromium; where there is none, these tests are skipped.
"""

import html
import re
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pikepdf
import pytest
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import build_pdf  # noqa: E402

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
MARGIN = TOP = 18 / 25.4 * 72  # in points, as in book/pdf/compact.css
BOTTOM = 15 / 25.4 * 72
HEIGHT, WIDTH = 842, 595
FIRST = "notebooks/01_what_calibration_is"
LISTED = build_pdf.parts(build_pdf.NOT_PRINTED)
pytestmark = pytest.mark.skipif(not build_pdf.PDF.exists(), reason="make pdf has not been run")


@pytest.fixture(scope="module")
def pdf():
    with pikepdf.open(build_pdf.PDF) as document:
        yield document


@pytest.fixture(scope="module")
def articles():
    """The articles of the site that are printed, by page."""
    pages = [page for _, names in LISTED for page in names]
    return {
        page: BeautifulSoup((build_pdf.SITE / f"{page}.html").read_bytes(), "lxml").article
        for page in pages
    }


@pytest.fixture(scope="module")
def kept(articles):
    """The same without what is left to the site, with the anchors of the book."""
    return {page: build_pdf.chapter(page, set(articles), True)["article"] for page in articles}


def links(pdf):
    return [a for page in pdf.pages for a in page.get("/Annots", []) if a.Subtype == "/Link"]


def is_seen(word):
    """Less than two points high is the text of formulas for screen readers, which nobody sees."""
    _, top, _, bottom, _ = word
    return bottom - top > 2


def words(text):
    return " ".join(text.split())


def poppler(*options):
    """What pdftotext says about the PDF."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext, of poppler-utils, is not installed")
    command = ["pdftotext", *options, build_pdf.PDF, "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def printed():
    """The words of each page with their boxes: left, top, right, bottom, word."""
    word = r'<word xMin="([^"]*)" yMin="([^"]*)" xMax="([^"]*)" yMax="([^"]*)">(.*)</word>'
    pages = []
    for page in poppler("-bbox").split("<page ")[1:]:
        found = re.findall(word, page)
        pages.append([(*map(float, box), html.unescape(text)) for *box, text in found])
    return pages


def test_title_page():
    page = words(poppler("-l", "1"))
    version = f"Version {CITATION['version']}"
    for expected in [CITATION["title"], version, "CC BY 4.0", "BSD 3-Clause"]:
        assert expected in page


def test_every_link_leads_somewhere(pdf):
    anchors = build_pdf.anchors(pdf)
    found = links(pdf)
    inside = [str(link.Dest).removeprefix("/") for link in found if "/Dest" in link]
    assert set(inside) <= set(anchors)
    outside = [str(link.A.URI) for link in found if "/Dest" not in link]
    assert not [address for address in outside if not address.startswith("https://")]


def test_the_links_of_the_site_are_links_of_the_pdf(pdf, kept):
    """A formula or theorem that a page links to is an anchor of the PDF, unless it is left out."""
    anchors = build_pdf.anchors(pdf)
    there = {element["id"] for article in kept.values() for element in article.select("[id]")}
    there |= set(kept)
    targets = {
        link["href"][1:]
        for article in kept.values()
        for link in article.select("p a[href^='#'], li a[href^='#']")
    }
    assert len(targets & there) > 0.95 * len(targets)
    assert targets & there <= set(anchors)


def test_bookmarks_have_every_chapter(pdf, articles):
    titles = {}
    with pdf.open_outline() as outline:
        for part in outline.root:
            titles[part.title] = [words(chapter.title) for chapter in part.children]
    assert titles == {
        caption: [words(articles[name].h1.get_text().removesuffix("#")) for name in names]
        for caption, names in LISTED
    }


def test_contents_have_the_page_numbers(pdf, articles):
    anchors = build_pdf.anchors(pdf)
    start = min(anchors[page] for page in articles)
    contents = words(poppler("-raw", "-f", "2", "-l", str(start - 1)))
    for page, article in articles.items():
        heading = words(article.h1.get_text().removesuffix("#"))
        assert f"{heading} {anchors[page]}" in contents


def test_it_is_one_volume_that_soon_begins(pdf):
    assert len(pdf.pages) <= 450
    assert build_pdf.anchors(pdf)[FIRST] < 24  # after the contents and the page *Your own scores*


def test_the_short_book_is_read_in_an_hour():
    with pikepdf.open(build_pdf.SHORT_PDF) as short:
        assert 15 <= len(short.pages) <= 27


def test_it_says_what_is_left_to_the_site(articles, kept, printed):
    """Solutions, long programs and long tables are gone, and something stands in their place."""
    text = " ".join(word[4] for page in printed for word in page)
    assert not [page for page, article in kept.items() if article.select(".solution")]
    with_solutions = [page for page, article in articles.items() if article.select(".solution")]
    assert text.count(f"Solutions are {build_pdf.PLACE}.") == len(with_solutions) > 30
    assert f"lines: {build_pdf.PLACE}" in text and f"rows: {build_pdf.PLACE}" in text


def test_no_number_of_a_formula_is_cut_in_two(kept, printed):
    number = re.compile(r"\(\d+\.\d+\)")
    found = [(n, word) for n, page in enumerate(printed, 1) for word in page if is_seen(word)]
    numbers = [(n, word) for n, word in found if number.fullmatch(word[4])]
    assert len(numbers) > sum(len(article.select(".eqno")) for article in kept.values()) > 100
    cut = []
    for n, (_, top, _, bottom, text) in numbers:
        middle = (top + bottom) / 2  # a box has room above and below its digits, which are 10 high
        if middle - 5 < TOP or middle + 5 > HEIGHT - BOTTOM:
            cut.append(f"{text} on page {n}")
    assert not cut


def test_headings_are_where_links_lead_and_have_text_below(pdf, articles, printed):
    """Those of the contents, but not those with formulas, whose words are out of order."""
    numbers = {page.objgen: number for number, page in enumerate(pdf.pages)}
    places = {name.removeprefix("/"): place for name, place in pdf.Root.Dests.items()}
    for page, article in articles.items():
        for heading in article.select("section[id] > h2:not(:has(.math))"):
            sheet, _, _, top, _ = places[build_pdf.anchor(page, heading.parent["id"])]
            start = float(sheet.MediaBox[3] - top) + TOP  # Chromium leaves out the margin
            seen = filter(is_seen, printed[numbers[sheet.objgen]])
            below = [word for word in seen if word[3] > start]
            title = heading.get_text().removesuffix("#").split()
            assert [word[4] for word in below[: len(title)]] == title
            assert len(below) > len(title), f"{page}: {' '.join(title)} ends a page"


def test_titles_of_folded_text_are_kept(articles):
    titles = [t for article in articles.values() for t in article.select(".sd-summary-text")]
    assert {title.get_text() for title in titles} <= set(poppler("-raw").splitlines())


def test_fonts_are_embedded(pdf):
    fonts = [o for o in pdf.objects if isinstance(o, pikepdf.Dictionary)]
    descriptors = [o for o in fonts if o.get("/Type") == "/FontDescriptor"]
    assert descriptors
    for descriptor in descriptors:
        assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor.keys())


def test_every_formula_and_figure_is_there_and_named(pdf, kept):
    """Chromium makes a figure with an alternative text of each; widgets are left out."""
    objects = [o for o in pdf.objects if isinstance(o, pikepdf.Dictionary)]
    named = [o for o in objects if o.get("/S") == "/Figure" and "/Alt" in o]
    pictures = ":is(.math, img):not(.widget *)"
    expected = sum(len(article.select(pictures)) for article in kept.values())
    assert len(named) == expected


def test_no_text_beyond_the_margins(printed):
    outside = []
    for word in chain(*printed):
        left, top, right, bottom, text = word
        margin = MARGIN - 1 if is_seen(word) else 0
        if left < margin or right > WIDTH - margin or top < 0 or bottom > HEIGHT:
            outside.append(text)
    assert not outside
