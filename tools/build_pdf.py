"""Print the built site as PDFs: their numbers, figures and links are those of the site.

python tools/build_pdf.py        reads book/_build/html, writes two PDFs to book/_build

One is the short book, the other the whole of it, in smaller type. The articles of its pages are
joined to one page, which Chromium lays out and prints until the page numbers in the contents are
those of the print. Folded code is left out, folded results are open; of the whole book, solutions,
long programs, long tables, sections for the specialist without a theorem, such as comparisons with
a paper, and the pages to look things up are left to the site.
"""

import io
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import browsers
import matplotlib
import pikepdf
from book_pages import (
    CITATION,
    ON_THE_SITE_ONLY,
    ROOT,
    SHORT,
    SITE,
    date_of_the_version,
    follow_links,
    image,
    parts,
    read,
    short_parts,
    with_formulas,
)
from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader
from playwright.sync_api import sync_playwright

from experiments.chapter_numbers import EVIDENCE

PDF = SITE.parent / "calibrating-binary-classifiers.pdf"
SHORT_PDF = PDF.with_name("calibration-in-an-hour.pdf")
NOT_PRINTED = ON_THE_SITE_ONLY | {
    SHORT,  # it has a PDF of its own
    *["book/command_line", "book/any_size", "book/stated_probability"],
    *["book/external_validation", "book/recipes"],
    *["book/reproduce", "book/what_was_run", "book/speed", "book/peers", "book/verdicts"],
    *["book/for_calarena", "book/data", "book/run_teach_reproduce", "book/teach"],
    *["book/troubleshooting", "book/changelog"],
    *(f"notebooks/{path.stem}" for path in (ROOT / "notebooks").glob(f"*{EVIDENCE}.ipynb")),
}
LONGEST = {"program": 16, "table": 12}  # lines or rows of what is printed in the whole book
PLACE = "on the site, and in the notebook of this chapter"
TEXT_WIDTHS = {False: 627, True: 657}  # 166 and 174 mm, as in book.css and compact.css
MINUTES = 60_000  # milliseconds


def note(text):
    """A paragraph that stands for what is left out."""
    paragraph = BeautifulSoup(features="lxml").new_tag("p")
    paragraph["class"] = "left-out"
    paragraph.string = text
    return paragraph


def leave_to_the_site(article):
    """Drop what is long or for few in a chapter, and say where it is; theorems and proofs stay."""
    for solution in article.select(".solution"):
        solution.decompose()
    for section in article.select(".specialist"):
        if not section.select(".proof"):
            section.replace_with(note(f"For the specialist: {PLACE}."))
    if exercises := article.select(".exercise"):
        exercises[-1].insert_after(note(f"Solutions are {PLACE}."))
    for program in article.select(".cell_input"):
        lines = len(program.get_text().strip().splitlines())
        if lines > LONGEST["program"]:
            program.replace_with(note(f"A program of {lines} lines: {PLACE}."))
    for table in article.select(".cell_output table"):
        rows = len(table.select("tbody > tr"))
        if rows > LONGEST["table"]:
            stands = note(f" A table of {rows} rows: {PLACE}.")
            if "id" in table.attrs:
                stands["id"] = table["id"]
            if table.caption:
                stands.insert(0, table.caption.extract())
                stands.caption.name = "span"
            table.replace_with(stands)


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
    for element in article.select("[id]"):
        element["id"] = anchor(name, element["id"])
    for picture in article.select("img"):
        picture["src"] = image(name, picture["src"]).as_uri()
    follow_links(article, name, pages, lambda page, fragment: "#" + anchor(page, fragment))
    for level in range(5, 0, -1):  # a part has the first level
        for heading in article.select(f"h{level}"):
            heading.name = f"h{level + 1}"


def entry(heading, target):
    """A line of the contents: where it leads, and the words of the heading."""
    return {"target": target, "title": heading.get_text(), "html": heading.decode_contents()}


def chapter(name, pages, compact):
    """A page of the site, with its lines of the contents."""
    article, formulas, glyphs = read(name)
    if compact and name.startswith("notebooks/"):
        leave_to_the_site(article)
    name_headings(article)
    join(article, name, pages)
    sections = [entry(h, h["id"]) for h in article.select("section > h3")]
    opening = entry(article.select_one("h2"), name)
    drawn = {"formulas": formulas, "glyphs": glyphs}
    return opening | drawn | {"sections": sections, "article": article}


def unlink_what_is_left_out(chapters):
    """Links to what stands on the site alone are plain words on paper."""
    articles = [one["article"] for one in chapters.values()]
    there = {element["id"] for article in articles for element in article.select("[id]")}
    there |= set(chapters)
    for article in articles:
        for link in article.select("a[href^='#']"):
            if link["href"][1:] not in there:
                link.unwrap()


def book(listed, title):
    """Everything that book.html asks for, of the given parts."""
    pages = {page for _, names in listed for page in names}
    compact = title != SHORT
    chapters = {name: chapter(name, pages, compact) for name in sorted(pages)}
    unlink_what_is_left_out(chapters)
    for one in chapters.values():
        one["article"] = one["article"].decode_contents()
    return {
        "title": title,
        "compact": compact,
        "longest": LONGEST,
        "short": SHORT,
        "citation": CITATION,
        "date": date_of_the_version(),
        "parts": [
            {"title": caption, "chapters": [chapters[name] for name in names]}
            for caption, names in listed
        ],
        "fonts": Path(matplotlib.get_data_path(), "fonts", "ttf").as_uri(),
        "styles": [(SITE / "_static" / name).as_uri() for name in ["pygments.css", "formulas.css"]],
        "glyphs": merged(one["glyphs"] for one in chapters.values()),
        "formulas": merged(one["formulas"] for one in chapters.values()),
    }


def merged(tables):
    """One table of several."""
    return {name: value for table in tables for name, value in table.items()}


def anchors(document):
    """Where the links of a PDF lead: the number of its page by the name of each anchor."""
    number = {page.objgen: n for n, page in enumerate(document.pages, start=1)}
    places = document.Root.Dests.items()
    return {name.removeprefix("/"): number[place[0].objgen] for name, place in places}


@contextmanager
def signs_of_life(step, every=10):
    """Say what is being done and, while it lasts, for how long."""
    start, done = time.monotonic(), threading.Event()

    def tell():
        while not done.wait(every):
            print(f"  {step}: {time.monotonic() - start:.0f} s ...", flush=True)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
    print(f"  {step}: {time.monotonic() - start:.0f} s", flush=True)


def printed(path, compact):
    """The PDF of the page at `path`, its contents filled in.

    Tags, for screen readers, take half of the time and no place: the first print has none.
    """
    executable = browsers.chromium()
    if executable is None:
        sys.exit(f"the PDF cannot be printed: {browsers.MISSING}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": TEXT_WIDTHS[compact], "height": 900})
        tab.set_default_timeout(20 * MINUTES)
        tab.emulate_media(media="print")
        with signs_of_life("laying out"):
            tab.goto(path.as_uri())
            if too_wide := tab.evaluate("layOut()"):
                sys.exit("these do not fit the page:\n" + "\n".join(too_wide))
        numbers = None
        while True:  # numbers in the contents may move what they count
            last = numbers is not None
            with signs_of_life("printing" if last else "printing, to count pages"):
                pdf = tab.pdf(prefer_css_page_size=True, print_background=True, tagged=last)
                document = pikepdf.open(io.BytesIO(pdf))
            print(f"  {len(document.pages)} pages", flush=True)
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
    with signs_of_life("joining the pages"):
        content = book(listed, title)
    page = pdf.with_suffix(".html")
    templates = Environment(loader=FileSystemLoader(ROOT / "book" / "pdf"))
    html = templates.get_template("book.html").render(content)
    page.write_text(with_formulas(html, content["formulas"]), encoding="utf-8")
    with printed(page, content["compact"]) as document:
        finish(document, content)
        streams = pikepdf.ObjectStreamMode.generate
        document.save(pdf, object_stream_mode=streams, deterministic_id=True)
        print(f"It has {len(document.pages)} pages: open {pdf.as_uri()}", flush=True)


if __name__ == "__main__":
    print_book(SHORT_PDF, short_parts(), SHORT)
    print_book(PDF, parts(NOT_PRINTED), CITATION["title"])
