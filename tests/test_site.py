"""The built site: links, offline reading, and every page in a browser, in both themes and widths.

The site is the one that the environment variable SITE names, else it is built for these tests.
"""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "book" / "_ext"))
from broken_lines import variants  # noqa: E402

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
WRITTEN = [TOC["root"], *(page["file"] for part in TOC["parts"] for page in part["chapters"])]
GENERATED = ["genindex", "prf-prf", "py-modindex", "search", "404"]
PAGES = WRITTEN + GENERATED
SWITCHES = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
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


def test_pages_describe_themselves(site):
    descriptions = {}
    for page in WRITTEN:
        html = (site / f"{page}.html").read_text(encoding="utf-8")
        (descriptions[page],) = re.findall(r'<meta name="description" content="([^"]*)"', html)
    short = {page: text for page, text in descriptions.items() if len(text) < 30}
    lists = {"book/references", "book/indices", "book/changelog"}  # they begin with no sentence
    assert set(short) <= lists, short


def test_front_door_leads_to_the_first_page(site):
    assert f"url={TOC['root']}.html" in (site / "index.html").read_text()


def test_every_reference_can_be_copied(site):
    html = (site / "book" / "references.html").read_text(encoding="utf-8")
    references = html.count('<div class="citation"')
    assert references > 50
    assert html.count('data-bibtex="@') == references


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


# The pages in a browser: each is opened once, and the tests look at what was noted there


WIDTHS = {"desktop": 1280, "phone": 390}
DESKTOP, PHONE = ({"width": width, "height": 900} for width in WIDTHS.values())
AT_ONCE = 2
HEAVY = 3e6  # bytes of a page with all that it loads, figures left out

WATCH_LAYOUT = """
window.jumps = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.jumps += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""

# What fades in would be judged in between.
WITHOUT_FADING = "*, ::before, ::after { transition: none !important; animation: none !important; }"

# Solutions and hidden cells are opened, or their formulas would not be measured.
OPEN_EVERYTHING = """() => {
  document.querySelectorAll("details").forEach(e => { e.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach(e => e.classList.remove("toggle-hidden"));
}"""

# Code and tables that a reader must scroll sideways to read.
CUT = r"""() => {
  const boxes = document.querySelectorAll(
    "article :is(.cell_input pre, .pst-scrollable-table-container, .cell_output table)");
  return [...boxes].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1).map(e =>
    `${e.tagName === "PRE" ? "code" : "table"} ${e.scrollWidth - e.clientWidth} px too wide: ` +
    (e.querySelector("caption") ?? e).textContent.trim().replace(/\s+/g, " ").slice(0, 70));
}"""

# Formulas are judged by the box they are drawn in, not by the scrolling box around it.
FITS = r"""() => {
  const findings = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth)
    findings.push(`the page scrolls sideways: ${page.scrollWidth} > ${page.clientWidth}`);
  const article = document.querySelector("article");
  for (const math of article.querySelectorAll(".math")) {
    const drawings = [...math.querySelectorAll("mjx-container > svg")];
    const shown = drawings.filter(e => e.getBoundingClientRect().width);
    const drawing = shown[0];
    const source = math.querySelector("mjx-assistive-mml")?.textContent ?? math.textContent;
    const name = `${math.id || math.closest("[id]")?.id}: ${source.trim().slice(0, 80)}`;
    if (shown.length !== 1) { findings.push(`${shown.length} drawings of ${name}`); continue; }
    if (math.closest("td, th")) continue;  // wide tables scroll in a box of their own
    const block = math.closest("div, p, li, dd, figcaption, h1, h2, h3") ?? article;
    const excess = drawing.getBoundingClientRect().right - block.getBoundingClientRect().right;
    if (excess > 2) findings.push(`formula ${Math.ceil(excess)} px too wide at ${name}`);
  }
  return findings;
}"""

COLUMN = "() => document.querySelector('article').clientWidth"
NAMED = """() => [...document.querySelectorAll("article pre")].every(e =>
  e.scrollWidth <= e.clientWidth + 1 || e.tabIndex === 0)"""

RAW_MARKUP = r"""() => {
  const findings = [];
  const article = document.querySelector("article");
  const text = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (text.nextNode()) {
    const node = text.currentNode;
    if (node.parentElement.closest("pre, code, script, style, .math")) continue;
    const raw = node.data.search(/\\[(\[]|\$\$|\\[a-z]+\{|:::|\{(cite|prf|numref|eq):/);
    if (raw >= 0) findings.push(`raw markup: ${node.data.slice(Math.max(raw - 30, 0), raw + 40)}`);
  }
  return findings;
}"""

FIGURES = """() => [...document.querySelectorAll("article img")].flatMap(e => {
  const name = e.src.split("/").pop();
  const findings = e.alt.trim() ? [] : [`${name} has no alternative text`];
  const scale = e.naturalWidth / e.getBoundingClientRect().width;
  if (!name.endsWith(".svg") && scale < 1.95)
    findings.push(`${name} has ${scale.toFixed(2)} pixels for one of the page`);
  return findings;
})"""

# Drawings of formulas are hidden from screen readers: axe need not walk through them, and would for
# minutes. What is read aloud, the MathML beside them, stays.
EMPTY_DRAWINGS = """() => document.querySelectorAll("mjx-container > svg, svg.glyphs")
  .forEach(e => e.replaceChildren())"""
# Once the structure has been judged, MathML and most of the code may be plain text: it takes the
# same place, and of each kind of word in code one is left for the colours.
PLAIN_TEXT = """() => {
  document.querySelectorAll("mjx-assistive-mml").forEach(e => e.replaceChildren(e.textContent));
  const seen = new Set();
  for (const e of document.querySelectorAll("pre span[class]")) {
    if (seen.has(e.className)) e.replaceWith(e.textContent);
    seen.add(e.className);
  }
}"""
# Colours take axe longest: of texts that look alike in both themes one is left. Texts look alike if
# they and all around them have the same tags and styles. Blocks of text stay or go as a whole, as a
# link is compared with the words beside it.
ONE_OF_EACH_LOOK = r"""() => {
  const STYLES = ["color", "backgroundColor", "backgroundImage", "opacity", "filter", "fontSize",
    "fontWeight", "textDecorationLine", "textShadow", "display", "visibility", "position"];
  document.querySelectorAll("mjx-container").forEach(e => e.remove());
  const numbers = new Map();
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (walker.currentNode.data.trim()) texts.push({ node: walker.currentNode, look: "" });
  for (const theme of ["light", "dark"]) {
    document.documentElement.dataset.theme = theme;
    const looks = new Map([[null, 0]]);
    const look = (e) => {
      if (looks.has(e)) return looks.get(e);
      const style = getComputedStyle(e);
      const key = [look(e.parentElement), e.tagName, ...STYLES.map(name => style[name])].join();
      if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
      looks.set(e, numbers.get(key));
      return looks.get(e);
    };
    for (const text of texts) text.look += ` ${look(text.node.parentElement)}`;
  }
  const inline = "a, abbr, b, button, cite, code, em, i, kbd, label, mark, span, strong, sub, sup";
  const blocks = Map.groupBy(texts, ({ node }) => node.parentElement.closest(`:not(${inline})`));
  const seen = new Set();
  for (const block of blocks.values()) {
    if (block.every(({ look }) => seen.has(look))) block.forEach(({ node }) => node.remove());
    block.forEach(({ look }) => seen.add(look));
  }
  for (const e of document.querySelectorAll("article *"))  // others keep their place among siblings
    if (!e.textContent.trim() && !e.querySelector("img, svg, input, button")) e.replaceChildren();
}"""
SERIOUS = """([context, options]) =>
  axe.run(context, { ...options, preload: false, resultTypes: ["violations"] })
    .then(({ violations }) => violations
      .filter(({ impact }) => ["critical", "serious"].includes(impact))
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id} at ${node.target}: ${node.html}`)))"""
WHOLE = {"include": ["html"]}
ON_COLOURS = ["color-contrast", "link-in-text-block"]
NOT_NOW = [*ON_COLOURS, "region"]  # the last finds nothing serious, slowly
RULES = {name: {"enabled": False} for name in NOT_NOW}
STRUCTURE = [WHOLE, {"rules": RULES | {"label-content-name-mismatch": {"enabled": True}}}]
COLOURS = [WHOLE, {"runOnly": ON_COLOURS}]
BOXES = [WHOLE, {"runOnly": ["scrollable-region-focusable"]}]  # more boxes scroll on a phone


def axe():
    """The source of axe-core."""
    import axe_playwright_python

    return (Path(axe_playwright_python.__path__[0]) / "axe.min.js").read_text(encoding="utf-8")


def size(addresses):
    """Bytes of the files, those of pictures left out."""
    paths = {Path(unquote(urlsplit(a).path)) for a in addresses if a.startswith("file:")}
    return sum(p.stat().st_size for p in paths if p.suffix not in {".png", ".svg"} and p.exists())


async def judge(tab, rules):
    """What axe finds on the page, once the boxes that scroll have their names."""
    from playwright.async_api import TimeoutError

    with suppress(TimeoutError):  # axe reports those without
        await tab.wait_for_function(NAMED, timeout=5000)
    return await tab.evaluate(SERIOUS, rules)


async def visit(window, address, note):
    """Open a page and note what is wrong with it, in lists by subject."""
    tab = await window.new_page()
    await tab.set_viewport_size(DESKTOP)
    await tab.add_init_script(WATCH_LAYOUT)
    loaded = []
    tab.on("request", lambda request: loaded.append(request.url))
    tab.on("pageerror", lambda error: note["errors"].append(f"script error: {error}"))
    tab.on("console", lambda m: m.type == "error" and note["errors"].append(f"console: {m.text}"))
    tab.on("requestfailed", lambda r: note["errors"].append(f"failed to load: {r.url}"))
    await tab.goto(address)
    note["errors"] += [f"asks for {url}" for url in loaded if url.startswith("http")]
    note["bytes"] = size(loaded)
    width = await tab.evaluate(COLUMN)
    note["desktop"] += await tab.evaluate(CUT)
    note["figures"] += await tab.evaluate(FIGURES)
    note["jumps"] = await tab.evaluate("window.jumps")
    await tab.add_style_tag(content=WITHOUT_FADING)
    await tab.evaluate(OPEN_EVERYTHING)
    note["errors"] += await tab.evaluate(RAW_MARKUP)
    note["desktop"] += await tab.evaluate(FITS)
    await tab.evaluate(axe())
    await tab.evaluate(EMPTY_DRAWINGS)
    note["axe"] += await judge(tab, STRUCTURE)
    await tab.evaluate(PLAIN_TEXT)
    await tab.set_viewport_size(PHONE)
    note["phone"] += await tab.evaluate(FITS)
    note["axe"] += await judge(tab, BOXES)
    await tab.set_viewport_size(DESKTOP)
    await tab.wait_for_function(f"(width) => ({COLUMN})() === width", arg=width)  # menus slide in
    await tab.evaluate(ONE_OF_EACH_LOOK)
    for theme in ["light", "dark"]:
        await tab.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        note["axe"] += [f"{theme}: {finding}" for finding in await judge(tab, COLOURS)]
    await tab.close()


async def visit_all(site, executable):
    """Notes of all pages, a few of which are open at a time."""
    from playwright.async_api import async_playwright

    subjects = ["errors", "desktop", "phone", "figures", "axe"]
    notes = {page: {subject: [] for subject in subjects} for page in PAGES}
    free = asyncio.Semaphore(AT_ONCE)

    async def visit_one(window, page):
        async with free:
            query = "?q=brier+score" if page == "search" else ""
            await visit(window, (site / f"{page}.html").as_uri() + query, notes[page])

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=executable,
            args=SWITCHES,
        )
        window = await browser.new_context(reduced_motion="reduce")  # one each would take longer
        await asyncio.gather(*(visit_one(window, page) for page in PAGES))
        await browser.close()
    return notes


@pytest.fixture(scope="session")
def executable():
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    return path or pytest.skip(f"none of {', '.join(BROWSERS)} is installed")


@pytest.fixture(scope="session")
def notes(site, executable):
    with ThreadPoolExecutor(1) as thread:  # in this one, `browser` may have a loop of its own
        return thread.submit(asyncio.run, visit_all(site, executable)).result()


@pytest.fixture(scope="module")
def browser(executable):
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=executable, args=SWITCHES)
        yield chromium
        chromium.close()


@pytest.mark.parametrize("page", PAGES)
def test_it_loads_without_errors_from_disk(notes, page):
    assert not notes[page]["errors"], "\n".join(notes[page]["errors"])


@pytest.mark.parametrize("page", PAGES)
def test_code_tables_and_formulas_fit_a_desktop(notes, page):
    assert not notes[page]["desktop"], "\n".join(notes[page]["desktop"])


@pytest.mark.parametrize("page", PAGES)
def test_it_fits_a_phone(notes, page):
    assert not notes[page]["phone"], "\n".join(notes[page]["phone"])


@pytest.mark.parametrize("page", PAGES)
def test_figures_are_sharp_and_described(notes, page):
    assert not notes[page]["figures"], "\n".join(notes[page]["figures"])


@pytest.mark.parametrize("page", PAGES)
def test_everybody_can_read_it(notes, page):
    assert not notes[page]["axe"], "\n".join(notes[page]["axe"])


@pytest.mark.parametrize("page", PAGES)
def test_it_is_light_and_does_not_jump(notes, page):
    assert notes[page]["bytes"] < HEAVY
    assert notes[page]["jumps"] < 0.1  # what web.dev calls good


SEARCHES = {  # what readers type: the page that they find first
    "which method": "book/which_method",
    "temperature scaling": "book/which_method",
    "reliability curve": "notebooks/01_what_calibration_is",
    "Brier": "notebooks/01_what_calibration_is",
    "ECE": "notebooks/02_measuring_it",
    "isotonic regression": "notebooks/06_platt_and_isotonic",
    "errata": "book/findings",
}
FOUND = """() => [...document.querySelectorAll("#search-results li")].map(item =>
  [item.querySelector("a").href, item.querySelector("p").textContent])"""


def test_search_finds_what_readers_ask_for_and_quotes_prose(site, browser):
    tab = browser.new_page()
    for query, page in SEARCHES.items():
        tab.goto(f"{(site / 'search.html').as_uri()}?q={quote(query)}")
        tab.wait_for_selector("#search-results li")
        found = tab.evaluate(FOUND)
        assert f"{page}.html" in found[0][0], query
        for address, excerpt in found:
            code = r"\\[a-z]|import (numpy|calib)|def \w+\(|#"
            assert not re.search(code, excerpt), (query, address, excerpt)
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
