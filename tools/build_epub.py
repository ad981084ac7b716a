"""Make EPUBs of the built site, for e-readers: the short book and the whole one.

python tools/build_epub.py        reads book/_build/html, writes two EPUBs to book/_build

Pages are those of the site, so that numbers, figures and links are its own. Formulas are drawings
in the text, in its colour and size, with their MathML read aloud; of the variants of a long one,
that for a narrow column is taken. Folded code is left out, folded results are open.
"""

import re
import zipfile
from datetime import UTC, datetime
from html import escape, unescape
from uuid import NAMESPACE_URL, uuid5

from book_pages import (
    CITATION,
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
from jinja2 import Environment, FileSystemLoader
from lxml import etree
from lxml import html as lxml_html

EPUB = SITE.parent / "calibrating-binary-classifiers.epub"
SHORT_EPUB = EPUB.with_name("calibration-in-an-hour.epub")
XHTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"
TYPES = {".png": "image/png", ".svg": "image/svg+xml", ".jpg": "image/jpeg"}
# What belongs to the looks of the site, or is of an older HTML than that of EPUB.
NEEDLESS = re.compile("data-|aria-|on|(?:align|border|role|tabindex|loading|target|valign|scope)$")
FORMULA = re.compile(
    r"<mjx-container[^>]*><svg ([^>]*)>(.*)</svg>\s*<mjx-assistive-mml[^>]*>(.*)"
    r"</mjx-assistive-mml></mjx-container>",
    re.DOTALL,
)
EX = 0.5  # of an em: readers take an ex for anything
ZIP_DATE = (1980, 1, 1, 0, 0, 0)


def file_of(page):
    """The name of the file of a page."""
    return page.replace("/", "-") + ".xhtml"


def narrowest(article):
    """Keep, of the variants of a formula, the last: it is for columns of any width."""
    for formula in article.select(".math"):
        for variant in formula.select("mjx-container")[:-1]:
            variant.decompose()


def in_em(match):
    """A length in em."""
    return f"{float(match[1]) * EX:.4g}em"


def drawing(markup):
    """A formula of the site as a picture, named by what screen readers say."""
    attributes, inside, said = FORMULA.fullmatch(markup).groups()
    words = " ".join(unescape(re.sub("<[^>]*>", "", said)).split()) or "formula"
    given = dict(re.findall(r'([\w-]+)="([^"]*)"', attributes))
    style = f"width:{given['width']};height:{given['height']};{given.get('style', '')}"
    style = re.sub(r"(-?[\d.]+)ex", in_em, style)
    return (
        f'<svg xmlns="{SVG}" class="formula" role="img" aria-label="{escape(words)}" '
        f'style="{style}" viewBox="{given["viewBox"]}">{inside}</svg>'
    )


def tidy(article):
    """Leave out attributes that EPUB does not know, and what holds nothing."""
    for element in article.find_all(lambda e: e.name != "mjx-container"):
        for name in [name for name in element.attrs if NEEDLESS.match(name)]:
            del element[name]
    for widget in article.select(".widget:empty, .downloads:empty, form, style"):
        widget.decompose()
    seen = set()
    for element in article.select("[id]"):  # every proof has the same inside
        if element["id"] in seen:
            del element["id"]
        else:
            seen.add(element["id"])
    for number, picture in enumerate(article.select("img")):
        picture.attrs.setdefault("alt", f"Figure {number}")


def serialized(article, formulas, glyphs):
    """The article as XHTML, with the outlines of its glyphs."""
    tree = lxml_html.fragment_fromstring(f"<div>{article.decode_contents()}</div>")
    text = with_formulas(etree.tostring(tree, encoding="unicode"), formulas)
    used = set(re.findall('<use href="#([^"]*)"', text))
    outlines = "".join(path for name, path in sorted(glyphs.items()) if name in used)
    return text + f'<svg xmlns="{SVG}" class="glyphs"><defs>{outlines}</defs></svg>' * bool(used)


def chapter(name, pages, images):
    """A page of the site for the EPUB; its images are added to those of the others."""
    article, formulas, glyphs = read(name)
    narrowest(article)
    tidy(article)
    follow_links(article, name, pages, lambda page, part: file_of(page) + f"#{part}" * bool(part))
    for picture in article.select("img"):
        path = image(name, picture["src"])
        images.setdefault(path, f"images/{len(images)}{path.suffix}")
        picture["src"] = images[path]
    title = " ".join(article.h1.get_text().split())
    ids = {element["id"] for element in article.select("[id]")}
    sections = [(h.parent["id"], h.get_text()) for h in article.select("section[id] > h2")]
    return {
        "name": name,
        "file": file_of(name),
        "title": title,
        "sections": sections,
        "ids": ids,
        "has_formulas": bool(article.select("mjx-container")),
        "article": article,
        "formulas": {place: drawing(markup) for place, markup in formulas.items()},
        "glyphs": glyphs,
    }


def unlink(chapters):
    """Links to what is not in the book are plain words."""
    there = {one["file"]: one["ids"] for one in chapters}
    for one in chapters:
        for link in one["article"].select("a[href]"):
            target, _, part = link["href"].partition("#")
            if target in there and part and part not in there[target]:
                link.unwrap()


def make(path, listed, title):
    """Write an EPUB of the given parts, and say where it is."""
    print(f"Making {title} for e-readers ...", flush=True)
    pages, images = {page for _, names in listed for page in names}, {}
    by_part = [(caption, [chapter(n, pages, images) for n in names]) for caption, names in listed]
    chapters = [one for _, group in by_part for one in group]
    unlink(chapters)
    date = date_of_the_version() or datetime(*ZIP_DATE, tzinfo=UTC)
    content = {
        "title": title,
        "citation": CITATION,
        "identifier": uuid5(NAMESPACE_URL, f"{title} {CITATION['version']}").urn,
        "date": date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "parts": by_part,
        "chapters": chapters,
        "images": [(name, TYPES[path.suffix]) for path, name in images.items()],
    }
    options = {"trim_blocks": True, "lstrip_blocks": True, "autoescape": True}
    templates = Environment(loader=FileSystemLoader(ROOT / "book" / "epub"), **options)
    files = {"META-INF/container.xml": (ROOT / "book" / "epub" / "container.xml").read_text()}
    for name in ["content.opf", "nav.xhtml", "cover.xhtml"]:
        files[f"book/{name}"] = templates.get_template(name).render(content)
    for one in chapters:
        body = serialized(one["article"], one["formulas"], one["glyphs"])
        files[f"book/{one['file']}"] = PAGE.format(title=escape(one["title"]), body=body)
    files["book/epub.css"] = (ROOT / "book" / "epub" / "epub.css").read_text(encoding="utf-8")
    files["book/pygments.css"] = light_colours((SITE / "_static" / "pygments.css").read_text())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("mimetype", ZIP_DATE), "application/epub+zip")
        for name, text in files.items():
            write(archive, name, text.encode())
        for source, name in images.items():
            write(archive, f"book/{name}", plain(source))
    size = path.stat().st_size / 1e6
    print(f"It has {len(chapters)} chapters and {size:.1f} MB: open {path.as_uri()}", flush=True)


def plain(path):
    """An image; a drawing without the reference to a definition of its language."""
    if path.suffix != ".svg":
        return path.read_bytes()
    text = re.sub(r"<!DOCTYPE[^>]*>", "", path.read_text(encoding="utf-8"))
    return re.sub(r"<path(?![^>]* d=)", '<path d=""', text).encode()


def write(archive, name, data):
    """Add a file, without a date."""
    entry = zipfile.ZipInfo(name, ZIP_DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


def light_colours(styles):
    """The rules of the light theme: e-readers have no other."""
    rules = [line for line in styles.splitlines() if 'data-theme="light"' in line]
    return "\n".join(line.replace('html[data-theme="light"] ', "") for line in rules) + "\n"


PAGE = f"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="{XHTML}" lang="en" xml:lang="en">
<head><title>{{title}}</title>
<link rel="stylesheet" href="pygments.css"/><link rel="stylesheet" href="epub.css"/></head>
<body>{{body}}</body>
</html>
"""


if __name__ == "__main__":
    make(SHORT_EPUB, short_parts(), SHORT)
    make(EPUB, parts(), CITATION["title"])
