"""Print the built site as PDFs: their numbers, figures and links are those of the site.

python tools/build_pdf.py        reads book/_build/html, writes two PDFs to book/_build

One is the short book, the other the whole of it. The articles of its pages are joined to one page,
which Chromium lays out and prints until the page numbers in the contents are those of the print.
Folded code is left out, folded results are open.
"""

import io
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urldefrag

import browsers
import matplotlib
import pikepdf
import yaml
from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "book" / "_build" / "html"
PDF = ROOT / "book" / "_build" / "calibrating-binary-classifiers.pdf"
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
SHORT_PDF = PDF.with_name("calibration-in-an-hour.pdf")
SHORT = "Calibration in an hour"
# Indices only link to pages that Sphinx generates; in the others one looks things up.
PAGES_ON_SCREEN_ONLY = {"book/indices", "book/api", "book/scoreboard", "book/status"}
ON_SCREEN_ONLY = (
    "a.headerlink, .toctree-wrapper, summary, .sd-summary-state-marker, script, noscript, button"
)
TEXT_WIDTH = 627  # 166 mm, as in book.css
MINUTES = 60_000  # milliseconds


def parts():
    """Captions of the parts, each with the names of its pages; the front page opens the first."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    found = {
        part["caption"]: [
            page["file"] for page in part["chapters"] if page["file"] not in PAGES_ON_SCREEN_ONLY
        ]
        for part in toc["parts"]
    }
    next(iter(found.values())).insert(0, toc["root"])
    return list(found.items())


def leave_the_screen(article):
    """Drop what a sheet of paper cannot use; open what is folded, except for code."""
    for code in article.select("details > .cell_input"):
        code.decompose()
    for title in article.select(".sd-dropdown > summary"):
        title.name, title["class"] = "p", "rubric"
    for word in article.select("div.proof > details > summary"):
        word.name = "p"
    for element in article.select(ON_SCREEN_ONLY):
        element.decompose()
    for widget in article.select(".widget"):
        widget.clear()  # the text may link to its place
    for element in article.select("details, a.image-reference"):
        element.unwrap()


def name_headings(article):
    """Put the anchors of a section on its heading: the section may begin on the page before."""
    for heading in article.select("section[id] > :is(h1, h2, h3, h4, h5)"):
        section = heading.parent
        heading["id"] = section.attrs.pop("id")
        for place in section.find_all("span", id=True, recursive=False):
            heading.insert(0, place.extract())


def anchor(page, fragment):
    """The anchor in the book of an anchor of a page; of the page itself if there is none."""
    return f"{page}#{fragment}" if fragment else page


def join(article, name, pages):
    """Turn anchors, addresses and headings of a page's article into those of the one long page."""
    folder = (SITE / name).parent
    for element in article.select("[id]"):
        element["id"] = anchor(name, element["id"])
    for image in article.select("img"):
        image["src"] = (folder / unquote(image["src"])).resolve().as_uri()
    for link in article.select("a[href]"):
        address, fragment = urldefrag(link["href"])
        if re.match("https?:", address):
            continue
        target = (folder / address).resolve() if address else SITE / f"{name}.html"
        page = target.relative_to(SITE).with_suffix("").as_posix()
        if page in pages:
            link["href"] = "#" + anchor(page, unquote(fragment))
        else:  # a file for download or an index: nothing on paper
            link.unwrap()
    for level in range(5, 0, -1):  # a part has the first level
        for heading in article.select(f"h{level}"):
            heading.name = f"h{level + 1}"


def entry(heading, target):
    """A line of the contents: where it leads, and the words of the heading."""
    return {"target": target, "title": heading.get_text(), "html": heading.decode_contents()}


def chapter(name, pages):
    """A page of the site, with its lines of the contents."""
    html = (SITE / f"{name}.html").read_text(encoding="utf-8")
    page = BeautifulSoup(html, "lxml")
    article = page.select_one("article")
    leave_the_screen(article)
    name_headings(article)
    join(article, name, pages)
    sections = [entry(h, h["id"]) for h in article.select("section > h3")]
    opening = entry(article.select_one("h2"), name)
    glyphs = {path["id"]: str(path) for path in page.select("svg.glyphs path")}
    return opening | {"sections": sections, "article": article.decode_contents(), "glyphs": glyphs}


def date_of_the_version():
    """When the last change of the book was committed; None where this is no clone."""
    git = ["git", "-C", ROOT, "log", "-1", "--format=%cI"]
    done = subprocess.run(git, capture_output=True, text=True)
    return datetime.fromisoformat(done.stdout.strip()) if done.stdout else None


def book(listed, title):
    """Everything that book.html asks for, of the given parts."""
    pages = {page for _, names in listed for page in names}
    chapters = {name: chapter(name, pages) for name in pages}
    return {
        "title": title,
        "citation": CITATION,
        "date": date_of_the_version(),
        "parts": [
            {"title": caption, "chapters": [chapters[name] for name in names]}
            for caption, names in listed
        ],
        "fonts": Path(matplotlib.get_data_path(), "fonts", "ttf").as_uri(),
        "styles": [(SITE / "_static" / name).as_uri() for name in ["pygments.css", "formulas.css"]],
        "glyphs": {name: path for c in chapters.values() for name, path in c["glyphs"].items()},
    }


def anchors(document):
    """Where the links of a PDF lead: the number of its page by the name of each anchor."""
    number = {page.objgen: n for n, page in enumerate(document.pages, start=1)}
    places = document.Root.Dests.items()
    return {name.removeprefix("/"): number[place[0].objgen] for name, place in places}


def printed(path):
    """The PDF of the page at `path`, its contents filled in."""
    executable = browsers.chromium()
    if executable is None:
        sys.exit(f"the PDF cannot be printed: {browsers.MISSING}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": TEXT_WIDTH, "height": 900})
        tab.set_default_timeout(20 * MINUTES)
        tab.emulate_media(media="print")
        tab.goto(path.as_uri())
        if too_wide := tab.evaluate("layOut()"):
            sys.exit("these do not fit the page:\n" + "\n".join(too_wide))
        numbers = None
        while True:  # numbers in the contents may move what they count
            pdf = tab.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
            document = pikepdf.open(io.BytesIO(pdf))
            print(f"  printed {len(document.pages)} pages", flush=True)
            if anchors(document) == numbers:
                break
            numbers = anchors(document)
            tab.evaluate("fillContents", numbers)
        browser.close()
    return document


def outline(lines, pages):
    """Bookmarks for lines of the contents and what is below them."""
    for line in lines:
        below = line.get("chapters", line.get("sections", []))
        page = pages[line.get("target") or below[0]["target"]]
        item = pikepdf.OutlineItem(line["title"], page - 1)
        item.children.extend(outline(below, pages))
        yield item


def finish(document, content):
    """Add bookmarks, title, authors and the date of the version."""
    with document.open_outline() as bookmarks:
        bookmarks.root.extend(outline(content["parts"], anchors(document)))
    citation, date = content["citation"], content["date"]
    del document.docinfo
    document.docinfo["/Title"] = content["title"]
    document.docinfo["/Author"] = ", ".join(author["name"] for author in citation["authors"])
    document.docinfo["/Subject"] = citation["abstract"]
    document.docinfo["/Keywords"] = ", ".join(citation["keywords"])
    if date:
        document.docinfo["/CreationDate"] = date.strftime("D:%Y%m%d%H%M%S")


def print_book(pdf, listed, title):
    """Join the pages of some parts, print them and say where the PDF is."""
    print(f"Printing {title} ...", flush=True)
    content = book(listed, title)
    page = pdf.with_suffix(".html")
    templates = Environment(loader=FileSystemLoader(ROOT / "book" / "pdf"))
    page.write_text(templates.get_template("book.html").render(content), encoding="utf-8")
    with printed(page) as document:
        finish(document, content)
        document.save(pdf, object_stream_mode=pikepdf.ObjectStreamMode.generate)
        print(f"It has {len(document.pages)} pages: open {pdf.as_uri()}", flush=True)


if __name__ == "__main__":
    PARTS = parts()
    print_book(SHORT_PDF, [part for part in PARTS if part[0] == SHORT], SHORT)
    print_book(PDF, PARTS, CITATION["title"])
