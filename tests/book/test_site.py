"""The built site: its files, links, formulas, search, and what its buttons do.

The site is the one that the environment variable SITE names, else it is built for these tests.
"""

import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
import yaml
from docutils import nodes
from docutils.utils import new_document

import calib
from experiments.chapter_numbers import number_of

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "book" / "_ext"), str(ROOT / "tools")]
import browsers  # noqa: E402
import checksums  # noqa: E402
import moved  # noqa: E402
import object_pages  # noqa: E402
import offer_downloads  # noqa: E402
from broken_lines import variants  # noqa: E402
from formulas import WordsWithFormulas, typesetter  # noqa: E402

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
WRITTEN = [TOC["root"], *(page["file"] for part in TOC["parts"] for page in part["chapters"])]
GENERATED = ["genindex", "prf-prf", "py-modindex", "search", "404"]
PAGES = WRITTEN + GENERATED
OBJECTS = {  # the page of its kind, by the full name of a class or function
    f"{module}.{name}": kind
    for kind, module, name in object_pages.listed(dict(object_pages.kinds(ROOT)))
}
WIDTHS = {"desktop": 1280, "phone": 390}
# After a change of width the page has it soon, not at once, and then menus slide.
AS_WIDE_AS = "(width) => window.innerWidth === width && !document.getAnimations().length"
SWITCHES = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
FETCHED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "video": "src"}
FETCHED_RELATIONS = {"stylesheet", "preload", "modulepreload", "icon", "manifest"}


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    if "SITE" in os.environ:
        return (ROOT / os.environ["SITE"]).resolve()
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / "tools" / "build_site.py", folder], check=True)
    return folder / "_build" / "html"


# The files


class Page(HTMLParser):
    """Addresses that a page links to, addresses that it loads, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[key] for key in ("id", "name") if attrs.get(key)}
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        if attrs.get(FETCHED.get(tag)):
            self.loads.append(attrs[FETCHED[tag]])
        if tag == "link" and FETCHED_RELATIONS & set(attrs.get("rel", "").split()):
            self.loads.append(attrs["href"])


read = cache(Page)


def problem(path, address):
    """What is wrong with an address found on the page at `path`, or None."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return "no such file"
    if target.suffix == ".html" and unquote(parts.fragment) not in read(target).anchors:
        return "no such anchor"
    return None


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(site, page):
    path = site / f"{page}.html"
    broken = {a: problem(path, a) for a in read(path).links + read(path).loads}
    assert not {address: why for address, why in broken.items() if why}


@pytest.mark.parametrize("old, new, cut", moved.rows())
def test_old_addresses_lead_to_the_chapters_of_today(site, old, new, cut):
    path = site / "notebooks" / f"{old}.html"
    assert not (ROOT / "notebooks" / f"{old}.ipynb").exists()
    assert set(read(path).links) == {f"{new}.html"}
    text = path.read_text(encoding="utf-8")
    places = json.loads(re.search("^const places = (.*);$", text, re.M)[1])
    targets = {urlsplit(address).path for address in places.values()}
    assert targets == {f"{page}.html" for page in [new, cut] if page}
    assert not [a for a in [*read(path).links, *places.values()] if problem(path, a)]


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_loaded_from_the_network(site, page):
    loads = read(site / f"{page}.html").loads
    assert loads
    assert not [a for a in loads if urlsplit(a).netloc]


@pytest.mark.parametrize("page", WRITTEN)
def test_it_has_an_address_only_if_there_is_one(site, page):
    html = (site / f"{page}.html").read_text(encoding="utf-8")
    assert ('<link rel="canonical"' in html) == ("Documentation" in URLS)
    buttons = html.split('<div class="article-header-buttons">')[1].split('<div id="jb-print')[0]
    assert "window.print()" in buttons
    assert ('href="http' in buttons) == ("Repository" in URLS)


def where_it_was_built(html, site):
    """Paths of a machine in a page."""
    places = [rf"(?<![\w.-]){re.escape(str(place))}\b" for place in [ROOT, site]]
    text = re.sub(r'(?:href|src)="[^"]*"', "", html)
    paths = r"PosixPath|WindowsPath|[\s\"'(](?:/(?:home|root|Users|tmp)|[A-Z]:\\)/?\w"
    return re.findall("|".join(places), html) + re.findall(paths, text)


@pytest.mark.parametrize("page", PAGES)
def test_it_does_not_say_where_it_was_built(site, page):
    assert not where_it_was_built((site / f"{page}.html").read_text(encoding="utf-8"), site)


def test_no_drawing_says_when_it_was_drawn(site):
    drawings = [path.read_text(encoding="utf-8") for path in site.glob("_images/*.svg")]
    assert drawings and not [drawing for drawing in drawings if "<dc:date>" in drawing]


def test_pages_describe_themselves(site):
    descriptions = {}
    for page in WRITTEN:
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        (descriptions[page],) = re.findall(r'<meta name="description" content="([^"]*)"', html)
    short = {page: text for page, text in descriptions.items() if len(text) < 30}
    lists = {"book/references", "book/indices", "book/changelog"}  # they begin with no sentence
    assert set(short) <= lists, short


def test_pages_have_a_title_of_their_own_an_icon_and_a_card_to_share(site):
    titles = set()
    for page in WRITTEN:
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        (title,) = re.findall("<title>(.*?)</title>", html)
        titles.add(title)
        assert re.search('<link rel="icon" href="[^"]*favicon.svg"', html)
        card = dict(re.findall('<meta property="og:([a-z_]+)" content="([^"]+)"', html))
        assert {"title", "type", "site_name"} <= set(card)
        (text,) = re.findall('<meta name="description" content="([^"]*)"', html)
        assert card.get("description", "") == text
        assert title.startswith(card["title"])
    assert len(titles) == len(WRITTEN)


@pytest.mark.parametrize("page", PAGES)
def test_only_the_search_page_loads_the_words_of_all_pages(site, page):
    loads = [urlsplit(address).path.split("/")[-1] for address in read(site / f"{page}.html").loads]
    for name in ["words.js", "language_data.js"]:
        assert loads.count(name) == (page == "search"), name
    assert "searchindex.js" not in loads


@pytest.mark.parametrize("page", WRITTEN)
def test_an_article_begins_with_its_title(site, page):
    article = (site / f"{page}.html").read_text(encoding="utf-8").split("<article")[1]
    assert article.index("<h1") < article.index("<p")


def test_front_door_leads_to_the_first_page(site):
    assert f"url={TOC['root']}.html" in (site / "index.html").read_text()


def test_next_leads_from_the_front_page_to_the_first_chapter(site):
    html = (site / f"{TOC['root']}.html").read_text(encoding="utf-8")
    (following,) = re.findall(r'class="right-next"\s+href="([^"]*)"', html)
    assert following == "../notebooks/01_what_calibration_is.html"


WHEEL = f"calibrating_binary_classifiers-{calib.__version__}-py3-none-any.whl"
JOURNEYS = {  # who comes: the first click, on the front page, the second, and what is found there
    "practitioner, for a method": ("book/which_method", None, f"pip install {WHEEL}"),
    "practitioner, with a file": ("book/which_method", "notebooks/your_own_scores", "report"),
    "newcomer": ("book/hour/1_what_it_is", "book/hour/2_see_it", "reliability diagram"),
    "student": ("notebooks/01_what_calibration_is", None, "What you will be able to do"),
    "lecturer": ("book/teach", None, "course.zip"),
    "reviewer, of a table": ("book/reproduce", "notebooks/20_rings", "Paper against ours"),
    "reviewer, of errors": ("book/findings", "book/scoreboard", "printed"),
}


CHAPTERS = [page for page in WRITTEN if page.startswith("notebooks/")]
NUMBERED = [page for page in CHAPTERS if number_of(page.removeprefix("notebooks/"))]


OPENS_WITH_CODE = re.compile(r'<div class="cell [^>]*>\s*<(details|div class="cell_input)')
UNDER_CODE = re.compile(r'</details>\s*<div class="cell_output docutils container">\s*<(?!/div)')


@pytest.mark.parametrize("page", CHAPTERS)
def test_results_stand_above_their_folded_code_and_no_chapter_begins_with_it(site, page):
    html = (site / f"{page}.html").read_text(encoding="utf-8")
    behind_the_aims = html.split("<p><strong>Time</strong>")[1].partition("</p>")[2].lstrip()
    assert not OPENS_WITH_CODE.match(behind_the_aims)
    assert "Show the code" in html and not UNDER_CODE.search(html)


@pytest.mark.parametrize("page", NUMBERED)
def test_a_chapter_has_the_number_of_its_file_and_says_its_minutes(site, page):
    html = (site / f"{page}.html").read_text(encoding="utf-8")
    number = number_of(page.removeprefix("notebooks/"))
    assert f"<title>{number}. " in html
    assert re.search(
        r"<strong>Time</strong>: \d+ minutes; \d+ more for the ", article(site / f"{page}.html")
    )
    assert f'"section-number">{number}.1. ' in html.replace("<span class=", "")


@pytest.mark.parametrize("page, following", [*itertools.pairwise(NUMBERED)])
def test_each_chapter_leads_to_the_next(site, page, following):
    html = (site / f"{page}.html").read_text(encoding="utf-8")
    name = following.removeprefix("notebooks/")
    assert re.search(rf'class="right-next"\s+href="{name}.html"', html)


def test_every_chapter_of_the_old_numbering_has_its_old_address():
    kept = [f"{number_of(page.removeprefix('notebooks/')):>02}" for page in NUMBERED[:7]]
    old = {name[:2] for name, *_ in moved.rows()}
    assert {*kept, *old} == {f"{k:02}" for k in range(1, 43)}


def test_a_section_for_the_specialist_is_folded_and_opens_where_a_link_leads(site, browser):
    tab = browser.new_page()
    address = (site / "notebooks" / "06_platt_and_isotonic.html").as_uri()
    tab.goto(address)
    folded = tab.locator("details.specialist:not([open])")
    count = folded.count()
    assert count == 2 and tab.locator("section > h2 ~ details.specialist").count() == count
    inside = tab.evaluate("document.querySelector('details.specialist h3').parentElement.id")
    tab.goto(f"{address}#{inside}")
    tab.wait_for_function("document.querySelectorAll('details.specialist[open]').length === 1")
    tab.close()


@pytest.mark.parametrize("who", JOURNEYS)
def test_two_clicks_lead_to_what_a_reader_came_for(site, who):
    *clicks, sought = JOURNEYS[who]
    here = site / f"{TOC['root']}.html"
    for page in filter(None, clicks):
        targets = {
            (here.parent / unquote(urlsplit(address).path)).resolve()
            for address in article_links(here)
        }
        following = (site / f"{page}.html").resolve()
        assert following in targets, f"{here.stem} does not lead to {page}"
        here = following
    assert sought in re.sub("<[^>]*>", "", article(here)) or sought in article(here)


def article(path):
    html = path.read_text(encoding="utf-8")
    return html[html.index("<article") : html.rindex("</article>")]


def article_links(path):
    """Addresses in the text of a page, and those below it to the pages before and after."""
    html = path.read_text(encoding="utf-8")
    below = html[html.rindex("</article>") :]
    following = re.findall(r'class="(?:left-prev|right-next)"\s+href="([^"]*)"', below)
    return re.findall(r'href="([^"#][^"]*)"', article(path)) + following


PAGES_TO_INSTALL = ["book/which_method", "book/command_line", "notebooks/your_own_scores"]


@pytest.mark.parametrize("page", PAGES_TO_INSTALL)
def test_a_page_to_work_with_begins_with_how_to_install(site, page):
    text = re.sub("<[^>]*>", "", article(site / f"{page}.html").split("</h1>")[1])
    words = " ".join(text.split())
    download = f"Download the wheel {WHEEL}. Then, in the same folder: "
    assert words.removeprefix(download).startswith(f"pip install {WHEEL}")


def offered(site, page, name):
    """The file that a page offers for download under this name."""
    path = site / f"{page}.html"
    (address,) = {a for a in read(path).links if a.endswith(f"/{name}")}
    return (path.parent / address).resolve()


@pytest.mark.parametrize("page", [TOC["root"], "book/which_method", "book/command_line"])
def test_the_wheel_is_offered_where_it_is_needed(site, page):
    assert offered(site, page, WHEEL).is_file()


def test_the_offered_wheel_is_the_package_of_today_and_runs(site, tmp_path):
    with zipfile.ZipFile(offered(site, "book/which_method", WHEEL)) as wheel:
        wheel.extractall(tmp_path)
        names = {name for name in wheel.namelist() if name.startswith(("calib/", "calibkit/"))}
    files = [p for p in ROOT.glob("calib*/**/*") if p.is_file() and "__pycache__" not in p.parts]
    assert names == {path.relative_to(ROOT).as_posix() for path in files}
    for path in files:
        assert (tmp_path / path.relative_to(ROOT)).read_bytes() == path.read_bytes()
    program = (
        "import calib; print(calib.__file__, calib.VennAbers().fit([0, 1], [0, 1]).predict([0]))"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
        "PYTHONPATH": str(tmp_path)
    }
    options = {"cwd": tmp_path, "env": environment, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, "-c", program], **options)
    assert done.stdout.startswith(str(tmp_path)), done.stderr


def test_books_are_offered_once_they_are_made(site, tmp_path):
    """Not before; and each page that has a list of downloads links to what is there."""
    html = '<p>Before</p><div class="downloads"></div><p>after</p>'
    folder = tmp_path / "html"
    (folder / "book").mkdir(parents=True)
    (folder / offer_downloads.FOLDER).mkdir()
    page = folder / "book" / "intro.html"
    page.write_text(html, encoding="utf-8")
    assert offer_downloads.offer(folder) == []
    assert page.read_text(encoding="utf-8") == html
    (tmp_path / "calibration-in-an-hour.pdf").write_bytes(b"%PDF")
    for _ in range(2):  # made again, offered once
        offer_downloads.offer(folder)
        assert [problem(page, a) for a in Page(page).links] == [None]
    assert "calibration-in-an-hour" in Page(page).links[0]
    for name in [TOC["root"], "book/run_teach_reproduce"]:
        assert offer_downloads.PLACE.search((site / f"{name}.html").read_text(encoding="utf-8"))


def test_pages_have_a_picture_to_share(site):
    for page in [TOC["root"], "book/which_method", "notebooks/01_what_calibration_is"]:
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        (address,) = re.findall('<meta property="og:image" content="([^"]+)"', html)
        assert address.startswith("http") == ("Documentation" in URLS)
    picture = (site / "_static" / "preview.png").read_bytes()
    assert [int.from_bytes(picture[k : k + 4], "big") for k in (16, 20)] == [1200, 630]


def test_the_sums_are_those_of_what_the_site_offers(site):
    sums = {
        f"_downloads/{k}": digest for k, digest in checksums.digests(site / "_downloads").items()
    }
    assert len(sums) > 5
    assert (site / "SHA256SUMS").read_text(encoding="utf-8") == checksums.lines(sums)


def test_every_reference_can_be_copied(site):
    html = (site / "book" / "references.html").read_text(encoding="utf-8")
    references = html.count('<div class="citation"')
    assert references > 50
    assert html.count('data-bibtex="@') == references


def test_references_lead_to_their_source(site):
    html = (site / "book" / "references.html").read_text(encoding="utf-8")
    blocks = html.split('<div class="citation"')[1:]
    lost = [block for block in blocks if 'class="reference external"' not in block]
    assert ["siegmund1979" in block for block in lost] == [True]  # no address could be confirmed


def test_the_glossary_leads_to_where_each_word_is_defined(site):
    html = (site / "book" / "glossary.html").read_text(encoding="utf-8")
    entries = html.split('<dl class="simple glossary">')[1].split("</dl>")[0].split("<dt")[1:]
    assert len(entries) > 40
    assert not [e for e in entries if not re.search('href="../notebooks/[^"]*#', e)]


# The interface: its pages are small and alike, so that a browser opens only some (test_pages.py)


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_has_a_page_to_which_all_others_lead(site, name):
    path = site / object_pages.FOLDER / f"{name}.html"
    html = article(path)
    assert html.count("<h1") == 1 and f'id="{name}"' in html
    assert f'href="../{OBJECTS[name].removeprefix("book/api/")}.html"' in html
    for index, folder in [("book/api", "api/objects"), (OBJECTS[name], "objects")]:
        assert f"{folder}/{name}.html#{name}" in read(site / f"{index}.html").links
    page = read(path)
    assert not {a for a in page.links + page.loads if problem(path, a)}
    assert not [a for a in page.loads if urlsplit(a).netloc]
    assert "words.js" not in " ".join(page.loads)
    text = path.read_text(encoding="utf-8")
    assert not where_it_was_built(text, site)
    (description,) = re.findall('<meta name="description" content="([^"]*)"', text)
    assert len(description) > 15 and "`" not in description
    assert not re.findall('<img(?![^>]* alt="[^"]+")', html)


def test_names_of_pages_differ_in_more_than_capitals():
    assert len({name.lower() for name in OBJECTS}) == len(OBJECTS) > 200


def test_calibrators_have_a_figure_and_chapters_to_read(site):
    for name in ["calib.VennAbers", "calib.StackedCalibrator", "calibkit.diagrams.corp_diagram"]:
        html = article(site / object_pages.FOLDER / f"{name}.html")
        assert "<img" in html and "&gt;&gt;&gt; " in html and "/notebooks/" in html


# Formulas


@pytest.mark.parametrize(
    ("source", "widest"),
    [
        (r"a &= b \\ &= c", "a = b = c"),
        (r"&a \\ &\quad = b \\ &\qquad + c", "a = b + c"),
        (r"a ={}& -b \\ &- c", "a = -b - c"),
        (r"& a \\ \le {} & b", r"a \le b"),
        (r"&f \le \\ &\quad \sqrt{x}", r"f \le \sqrt{x}"),
        (r"a &= b, \\ c &= d", r"\begin{aligned} a &= b, \\ c &= d \end{aligned}"),
        (r"a &= b, & c &= d", r"\begin{aligned} a &= b, & c &= d \end{aligned}"),
        (
            r"a &= \begin{cases} b \\ -c \end{cases} \\ &\le d",
            r"a = \begin{cases} b \\ -c \end{cases} \le d",
        ),
    ],
)
def test_lines_broken_for_phones_are_joined(source, widest):
    tex = rf"\begin{{aligned}} {source} \end{{aligned}}"
    first, *_, last = variants(tex)
    assert " ".join(first.split()) == widest
    assert last == tex


def test_other_formulas_stay_as_they_are():
    for tex in ["x_i", r"x = \begin{cases} a \\ b \end{cases}"]:
        assert variants(tex) == [tex]


def test_what_touches_a_formula_goes_with_it():
    formulas = [nodes.math(text="x"), nodes.math(text="y"), nodes.math(text="z")]
    texts = [nodes.Text(text) for text in ["As (", "), so\n", " and\n", ",\nwe"]]
    document = new_document("page")
    document += nodes.paragraph("", "", texts[0], formulas[0], texts[1], formulas[1], texts[2])
    document[0] += [formulas[2], texts[3]]
    before = document.astext()
    WordsWithFormulas(document).run()
    assert document.astext() == before
    assert [word.astext() for word in document.findall(nodes.inline)] == ["(x),", "z,"]


@pytest.mark.parametrize("page", WRITTEN)
def test_a_line_does_not_end_between_a_formula_and_what_touches_it(site, page):
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    together = r'<span class="together">[^<]*<span class="math.*?</span>[^<]*</span>'
    apart = re.sub(together, "", text, flags=re.DOTALL)
    assert not re.findall(r'[^\s>]<span class="math.{40}|.{40}</mjx-container></span>[^\s<]', apart)


@pytest.mark.parametrize("page", WRITTEN)
def test_inserted_text_shows_no_marks_of_markup(site, page):
    text = (site / f"{page}.html").read_text(encoding="utf-8")
    article = text[text.index("<article") : text.rindex("</article>")]
    code = r"<(script|style|pre|code|svg|mjx-container)\b.*?</\1>"
    prose = re.sub("<[^>]*>", "", re.sub(code, "", article, flags=re.DOTALL))
    assert not re.findall(r"`[^`\n]+`|\*\w[^*\n]*\*", prose)


FORMULAS = {
    r"\tfrac13 - \tfrac14 = \tfrac1{12}": "1/3 − 1/4 = 1/12",
    r"\frac{a + b}{2N}": "(a + b)/(2N)",
    r"x_i^2 \le x_{i+1}": "x_i² ≤ x_(i + 1)",
    r"N^{-1/4}, \sqrt{B/N}": "N^(−1/4), √(B/N)",
    r"2(N \operatorname{Var} z)^{1/3}": "2(N Var z)^(1/3)",
    r"-\log(p / (1 - p))": "−log(p/(1 − p))",
    r"\hat\pi(s)": "π̂(s)",
    r"\sum_{i=1}^n p_i": "∑_(i = 1)ⁿp_i",
    r"a \text{ if } b": "a if b",
}


@pytest.mark.parametrize("tex", FORMULAS)
def test_formulas_in_excerpts_say_what_they_say_on_the_page(tex):
    assert typesetter().characters(tex) == FORMULAS[tex]


# The pages in a browser; test_pages.py looks at every one of them


@pytest.fixture(scope="session")
def executable():
    return browsers.chromium() or pytest.skip(browsers.MISSING)


@pytest.fixture(scope="module")
def browser(executable):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=SWITCHES)
        yield chromium
        chromium.close()


def test_a_button_copies_its_reference(site, browser):
    window = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    tab = window.new_page()
    tab.goto((site / "book" / "references.html").as_uri())
    button = tab.locator("button.copy-bibtex").nth(3)
    button.press("Enter")
    tab.get_by_text("Copied", exact=True).wait_for()
    copied = tab.evaluate("navigator.clipboard.readText()")
    assert copied == button.get_attribute("data-bibtex")
    assert copied.startswith("@") and "title" in copied
    window.close()


# Where the keyboard is: a line or a shadow around it that it has not otherwise.
FOCUS = """() => {
  const e = document.activeElement;
  const style = getComputedStyle(e);
  const look = () => [style.outlineStyle, style.boxShadow].join();
  const focused = look();
  e.blur();
  const shown = look() !== focused;
  e.focus();
  return [e.textContent.trim() || e.className, shown];
}"""


def test_the_keyboard_can_skip_to_the_text_and_is_seen_on_its_way(site, browser):
    tab = browser.new_page()
    tab.goto((site / "notebooks" / "01_what_calibration_is.html").as_uri())
    tab.add_style_tag(content="* { transition: none !important; }")
    tab.keyboard.press("Tab")
    assert tab.evaluate(FOCUS) == ["Skip to main content", True]
    tab.keyboard.press("Enter")
    assert tab.evaluate("location.hash") == "#main-content"
    for _ in range(25):
        tab.keyboard.press("Tab")
        name, shown = tab.evaluate(FOCUS)
        assert shown, name
    tab.close()


@pytest.mark.parametrize(
    "old, new",
    [
        ("12_near_isotonic_path.html#thm-c12-path", "10_near_isotonic_path.html#thm-c13-path"),
        ("22_partitioned_calibration.html#c22-real", "19_where_to_split.html#c26-real"),
        ("15_cost.html#nowhere", "C14_cost.html"),
        ("19_venn_abers.html#thm-c19-root", "13_venn_abers.html#thm-c19-root"),
        ("29_your_own_scores.html#fig-c29-before", "your_own_scores.html#fig-c29-before"),
    ],
)
def test_an_old_anchor_leads_to_where_its_part_is_now(site, browser, old, new):
    tab = browser.new_page()
    tab.goto(f"{(site / 'notebooks').as_uri()}/{old}")
    tab.wait_for_url(f"**/{new}")
    tab.close()


def test_an_old_anchor_of_the_interface_leads_to_its_page(site, browser):
    tab = browser.new_page()
    for page, name in [("api", "StackedCalibrator"), ("api/venn_abers", "VennAbers.combine")]:
        tab.goto(f"{(site / 'book' / f'{page}.html').as_uri()}#calib.{name}")
        tab.wait_for_url(f"**/objects/calib.{name.split('.')[0]}.html#calib.{name}")
    tab.close()


def test_proofs_are_folded_by_a_switch_that_is_remembered(site, browser):
    address = (site / "notebooks" / "03_mce_bound.html").as_uri()
    folded = "div.proof > details:not([open])"
    plain = browser.new_page(java_script_enabled=False)
    plain.goto(address)
    proofs = plain.locator(folded).count()
    plain.locator("div.proof > details > summary").first.click()
    assert plain.locator(folded).count() == proofs - 1 > 0
    plain.close()
    tab = browser.new_page()
    tab.goto(address)
    assert tab.locator(folded).count() == proofs
    inside = tab.evaluate("document.querySelector('div.proof > details [id]').id")
    tab.evaluate("(name) => { location.hash = name; }", inside)
    tab.wait_for_function(f"document.querySelectorAll('{folded}').length === {proofs - 1}")
    tab.get_by_role("button", name="Show the proofs").press("Enter")
    assert tab.locator(folded).count() == 0
    tab.goto(address.partition("#")[0])
    tab.reload()
    assert tab.locator(folded).count() == 0
    tab.get_by_role("button", name="Fold the proofs").click()
    assert tab.locator(folded).count() == proofs
    tab.close()


STOPS = """[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
  .filter((node) => node.tabIndex >= 0 && node.checkVisibility())"""


def test_the_scoreboard_has_few_stops_and_arrows_inside_its_tables(site, browser):
    tab = browser.new_page()
    tab.goto((site / "book" / "scoreboard.html").as_uri())
    assert tab.evaluate(f"{STOPS}.length") < 250  # 110 of them in the contents of the book
    assert tab.evaluate(f"{STOPS}.filter((node) => node.closest('main')).length") < 150
    first = tab.locator("table.heat a[tabindex='0']").first
    first.focus()
    rows = []
    for key in ["ArrowDown", "ArrowRight", "ArrowUp", "ArrowLeft"]:
        tab.keyboard.press(key)
        rows.append(tab.evaluate("document.activeElement.closest('tr').rowIndex"))
    assert rows[0] == rows[1] == rows[2] + 1 == rows[3] + 1
    tab.close()


SEARCHES = {  # what readers type: the page that must be first or second
    "which method": "book/which_method",
    "which calibrator": "notebooks/C11_which_calibrator",
    "how to calibrate probabilities": "book/which_method",
    "Platt": "notebooks/06_platt_and_isotonic",
    "sigmoid": "notebooks/06_platt_and_isotonic",
    "isotonic regression python": "notebooks/06_platt_and_isotonic",
    "temperature scaling": "book/which_method",
    "beta calibration": "notebooks/C07_two_parameters_or_three",
    "Venn-Abers": "notebooks/13_venn_abers",
    "BBQ": "notebooks/08_bayesian_binning",
    "ENIR": "notebooks/11_enir",
    "StackedCalibrator": "book/api/objects/calib.StackedCalibrator",
    "stacking": "notebooks/C12_the_average_of_all_of_them",
    "CSV": "book/command_line",
    "install": "book/run_teach_reproduce",
    "class imbalance": "book/which_method",
    "reliability diagram": "notebooks/01_what_calibration_is",
    "calibration plot": "notebooks/01_what_calibration_is",
    "Brier": "notebooks/01_what_calibration_is",
    "ECE": "notebooks/02_measuring_it",
    "overconfident neural network": "notebooks/17_over_confidence",
    "multiclass": "notebooks/C09_many_classes",
    "fairness": "notebooks/C08_groups",
    "decision threshold": "notebooks/22_decisions_and_money",
    "label shift": "notebooks/your_own_scores",
    "conformal prediction": "notebooks/C10_two_probabilities_at_work",
    "how much calibration data": "notebooks/21_calibration_size",
    "errata": "book/findings",
    "glossary": "book/glossary",
    "teaching": "book/teach",
    "xgboost": "book/which_method",
    "how many samples do I need": "notebooks/21_calibration_size",
    "platt scaling formula": "notebooks/06_platt_and_isotonic",
    "confidence interval": "book/api/intervals",
    "scikit-learn pipeline": "book/api/classifiers",
    "isotonic": "notebooks/06_platt_and_isotonic",
}
FOUND = """() => [...document.querySelectorAll("#search-results li")].map(item =>
  [item.querySelector("a").href, item.querySelector("p").textContent])"""


@pytest.fixture(scope="module")
def search_page(site, browser):
    tab = browser.new_page()
    tab.goto((site / "search.html").as_uri())
    tab.wait_for_function("typeof search === 'object'")
    yield tab
    tab.close()


@pytest.mark.parametrize("query", SEARCHES)
def test_search_finds_what_readers_ask_for(search_page, query):
    shown = search_page.evaluate("(query) => search.rank(query).shown", query)
    assert SEARCHES[query] in [one["page"] for one in shown[:2]]


def test_references_of_our_checks_come_after_chapters(search_page):
    shown = search_page.evaluate("search.rank('isotonic').shown")
    internal = [k for k, one in enumerate(shown) if ".references." in one["title"]]
    assert not internal or internal[0] > 5


def test_search_of_nonsense_finds_nothing(search_page):
    assert search_page.evaluate("search.rank('xyzzy')") == {"count": 0, "shown": []}


@pytest.mark.parametrize("query", ["which method", "Brier", "near-isotonic", "AUC"])
def test_the_search_page_lists_what_was_found_and_quotes_prose(site, browser, query):
    tab = browser.new_page()
    tab.goto(f"{(site / 'search.html').as_uri()}?q={quote(query)}")
    tab.wait_for_selector("#search-results li")
    found = tab.evaluate(FOUND)
    assert 1 < len(found) <= 30
    for address, excerpt in found:
        assert not problem(site / "search.html", os.path.relpath(unquote(address[7:]), site))
        code = r"\\[a-z]|import (numpy|calib)|def \w+\(|#"
        assert not re.search(code, excerpt), (address, excerpt)
    assert tab.locator("#search-results mark").count() > 1
    tab.close()


def test_the_scoreboard_filters_its_list_and_is_whole_without_the_script(site, browser):
    address = (site / "book" / "scoreboard.html").as_uri()
    rows = "table.filtered tbody tr"
    plain = browser.new_page(java_script_enabled=False)
    plain.goto(address)
    everything = plain.locator(rows).count()
    assert plain.locator(f"{rows}:visible").count() == everything > 100
    assert plain.locator("form.ledger-filters").count() == 0
    plain.close()
    tab = browser.new_page()
    tab.goto(address)
    explained = tab.locator(f"{rows}.verdict-explained").count()
    tab.get_by_label("differs: explained", exact=True).uncheck()
    assert tab.locator(f"{rows}:visible").count() == everything - explained
    assert tab.locator("table.heat td.verdict-explained:not(.faded)").count() == 0
    tab.get_by_label("differs: explained", exact=True).check()
    tab.get_by_label("Paper", exact=True).select_option("D22")
    own = tab.locator(f"{rows}.paper-durfee2022").count()
    assert 0 < tab.locator(f"{rows}:visible").count() == own < everything
    tab.get_by_label("Words in the list").fill("misprint")
    assert tab.locator(f"{rows}:visible").count() == 1
    tab.close()
