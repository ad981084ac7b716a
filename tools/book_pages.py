"""The pages of the built site as chapters of a book, for paper and for e-readers."""

import re
import subprocess
from datetime import datetime
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag, urlsplit

import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "book" / "_build" / "html"
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
SHORT = "Calibration in an hour"
# On these one looks things up, plays or downloads; indices link to pages that Sphinx generates.
ON_THE_SITE_ONLY = {"book/indices", "book/api", "book/scoreboard", "book/status", "book/calibrate"}
ON_SCREEN_ONLY = (
    "a.headerlink, .toctree-wrapper, summary, .sd-summary-state-marker, script, noscript, button"
)
RESERVED = ":/?#[]@!$&'()*+,;=%"
FORMULA = re.compile("<mjx-container.*?</mjx-container>", re.DOTALL)
PUT_ASIDE = re.compile('<mjx-container data-formula="([^"]*)">.*?</mjx-container>', re.DOTALL)
GLYPH = re.compile(r'<path id="(glyph-\d+)" d="[^"]*"/>')


def parts(left_out=ON_THE_SITE_ONLY):
    """Captions of the parts, each with the names of its pages; the front page opens the first.

    What is left out may be a page or, by its caption, a part.
    """
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    found = {
        part["caption"]: [p["file"] for p in part["chapters"] if p["file"] not in left_out]
        for part in toc["parts"]
        if part["caption"] not in left_out
    }
    next(iter(found.values())).insert(0, toc["root"])
    return [(caption, names) for caption, names in found.items() if names]


def short_parts():
    """The part that is a book of its own, after the front page."""
    return [(caption, names) for caption, names in parts() if caption == SHORT]


def leave_the_screen(article):
    """Drop what only a screen can use; open what is folded, except for code."""
    for code in article.select("details > .cell_input"):
        code.decompose()
    for title in article.select(".sd-dropdown > summary"):
        title.name, title["class"] = "p", "rubric"
    for word in article.select("div.proof > details > summary"):
        word.name = "p"
    for section in article.select("details.specialist"):
        section.name = section.summary.name = "div"
    for element in article.select(ON_SCREEN_ONLY):
        element.decompose()
    for widget in article.select(".widget"):
        widget.clear()  # the text may link to its place
    for element in article.select("details, a.image-reference"):
        element.unwrap()


def read(name):
    """A page of the site: its article, its formulas, and the outlines of their glyphs.

    Formulas are most of a page: put aside, they need not be parsed. Their words hold their places.
    """
    html = (SITE / f"{name}.html").read_text(encoding="utf-8")
    glyphs = {match[1]: match[0] for match in GLYPH.finditer(html)}
    formulas = {}

    def put_aside(match):
        place = f"{name}:{len(formulas)}"
        formulas[place] = match[0]
        words = re.sub("<[^>]*>", "", match[0])
        return f'<mjx-container data-formula="{place}">{words}</mjx-container>'

    page = BeautifulSoup(FORMULA.sub(put_aside, GLYPH.sub("", html)), "lxml")
    article = page.select_one("article")
    leave_the_screen(article)
    return article, formulas, glyphs


def with_formulas(markup, formulas):
    """The markup with formulas in their places."""
    return PUT_ASIDE.sub(lambda match: formulas[match[1]], markup)


def follow_links(article, name, pages, address):
    """Give links within the book their address there; others lead nowhere, but for the web."""
    folder = (SITE / name).parent
    for link in article.select("a[href]"):
        path, fragment = urldefrag(link["href"])
        if urlsplit(path).scheme:
            link["href"] = quote(link["href"], safe=RESERVED)  # some DOIs have < and >
            continue
        target = (folder / unquote(path)).resolve() if path else SITE / f"{name}.html"
        page = target.relative_to(SITE).with_suffix("").as_posix()
        if page in pages:
            link["href"] = address(page, unquote(fragment))
        else:  # a file for download, or a page of the site alone
            link.unwrap()


def image(name, source):
    """The file of an image of a page."""
    return ((SITE / name).parent / unquote(source)).resolve()


def date_of_the_version():
    """When the last change of the book was committed; None where this is no clone."""
    git = ["git", "-C", ROOT, "log", "-1", "--format=%cI"]
    done = subprocess.run(git, capture_output=True, text=True)
    return datetime.fromisoformat(done.stdout.strip()) if done.stdout else None
