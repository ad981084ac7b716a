"""Every page of the built site in a browser, in both themes, at both widths and on paper.

Each page is opened once; the tests look at what was noted there. The site is that of test_site.py.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import test_site

site, executable = test_site.site, test_site.executable  # its fixtures
OBJECTS = [  # of the interface: one of each form; test_site.py looks at all
    *["calib.VennAbers", "calib.Calibrator", "calibkit.multiclass.DirichletCalibration"],
    *["calibkit.diagrams.forest_plot", "calib.metrics.reliability_curve", "calibkit.report.Report"],
    *["calibkit.theory.mce_bound", "experiments.record"],
]
PAGES = test_site.PAGES + [f"book/api/objects/{name}" for name in OBJECTS]
DESKTOP, PHONE = ({"width": width, "height": 900} for width in test_site.WIDTHS.values())
PAPER = {"width": 718, "height": 1047}  # A4 within the margins of a browser
AT_ONCE = 2
HEAVY = 3e6  # bytes of a page with all that it loads, figures left out

WATCH_LAYOUT = """
window.jumps = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.jumps += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""

# What is folded would not be laid out, and not be judged.
OPEN_PROOFS = 'if (location.protocol === "file:") localStorage.setItem("proofs", "shown");'

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

# What a sheet of paper would cut off: a printed page does not scroll.
CLIPPED = r"""() => [...document.querySelectorAll(
  "article :is(pre, table, img, .math mjx-container > svg, .admonition)")].filter(e => {
    const cut = getComputedStyle(e).overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1;
    const beyond = e.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
    return e.checkVisibility() && (cut || beyond);
  }).map(e => `${e.tagName} is cut in print: ${e.textContent.trim().slice(0, 70)}`)"""

COLUMN = "() => document.querySelector('article').clientWidth"
NAMED = """() => [...document.querySelectorAll(
  "article :is(pre, .pst-scrollable-table-container, .cell_output > .output, div.math)")
].every(e => e.scrollWidth <= e.clientWidth + 1 || e.tabIndex === 0)"""

RAW_MARKUP = r"""() => {
  const findings = [];
  const article = document.querySelector("article");
  const text = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (text.nextNode()) {
    const node = text.currentNode;
    if (node.parentElement.closest("pre, code, script, style, .math")) continue;
    const raw = node.data.search(/\\[(\[]|\$\$|\\[a-z]+\{|:::|`|\*\w+\*|\{(cite|prf|numref|eq):/);
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

DISTORTED = """() => [...document.querySelectorAll("article img")].filter(e => {
  const { width, height } = e.getBoundingClientRect();
  return width && Math.abs((width / height) / (e.naturalWidth / e.naturalHeight) - 1) > 0.02;
}).map(e => `${e.src.split("/").pop()} is out of proportion`)"""

# Drawings of formulas are hidden from screen readers: axe need not walk through them, and would for
# minutes.
EMPTY_DRAWINGS = """() => document.querySelectorAll("mjx-container > svg, svg.glyphs")
  .forEach(e => e.replaceChildren())"""
# What is read aloud, the MathML beside them, and most of the code may be plain text: it takes the
# same place. The rules of axe are on HTML and on attributes such as id, role, tabindex and aria-*;
# elements that have these stay. Of each kind of word in code one is left for the colours.
PLAIN_TEXT = """() => {
  const RULED = /^(id|role|tabindex|lang|title|href|aria-.*)$/;
  const ruled = (e) => e.getAttributeNames().some(name => RULED.test(name));
  for (const e of document.querySelectorAll("mjx-assistive-mml"))
    if (![...e.querySelectorAll("*")].some(ruled)) e.replaceChildren(e.textContent);
  const seen = new Set();
  for (const e of document.querySelectorAll("pre span[class]")) {
    if (seen.has(e.className) && ![e, ...e.querySelectorAll("*")].some(ruled))
      e.replaceWith(e.textContent);
    seen.add(e.className);
  }
  document.body.normalize();  // axe measures each piece of text
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
        await tab.wait_for_function(NAMED)
    return await tab.evaluate(SERIOUS, rules)


async def resize(tab, size):
    """Give the tab a size and wait until the page has it."""
    await tab.set_viewport_size(size)
    await tab.wait_for_function(test_site.AS_WIDE_AS, arg=size["width"])


async def visit(tab, address, note):
    """Open a page and note what is wrong with it, in lists by subject."""
    await tab.goto(address)
    note["bytes"] = size(note["loaded"])
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
    await tab.evaluate(PLAIN_TEXT)
    note["axe"] += await judge(tab, STRUCTURE)
    await tab.emulate_media(media="print")
    await resize(tab, PAPER)
    note["paper"] += await tab.evaluate(CLIPPED)
    await tab.emulate_media(media="screen")
    await resize(tab, PHONE)
    note["phone"] += await tab.evaluate(FITS) + await tab.evaluate(DISTORTED)
    note["axe"] += await judge(tab, BOXES)
    await resize(tab, DESKTOP)
    await tab.wait_for_function(f"(width) => ({COLUMN})() === width", arg=width)  # menus slide in
    await tab.evaluate(ONE_OF_EACH_LOOK)
    for theme in ["light", "dark"]:
        await tab.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
        note["axe"] += [f"{theme}: {finding}" for finding in await judge(tab, COLOURS)]


async def visit_in_turn(window, site, notes):
    """Open page after page in one tab and note what each asks for and complains about.

    The process of a new tab would take longer to start and to warm up.
    """
    tab = await window.new_page()
    await tab.set_viewport_size(DESKTOP)
    await tab.add_init_script(WATCH_LAYOUT + OPEN_PROOFS)
    tab.on("request", lambda request: note["loaded"].append(request.url))
    tab.on("pageerror", lambda error: note["errors"].append(f"script error: {error}"))
    tab.on("console", lambda m: m.type == "error" and note["errors"].append(f"console: {m.text}"))
    tab.on("requestfailed", lambda r: note["errors"].append(f"failed to load: {r.url}"))
    for page, note in notes:  # `note` is that of the page that is open
        query = "?q=brier+score" if page == "search" else ""
        await visit(tab, (site / f"{page}.html").as_uri() + query, note)
        asked = [f"asks for {url}" for url in note["loaded"] if url.startswith("http")]
        note["errors"] += asked


async def visit_all(site, executable):
    """Notes of all pages, a few of which are open at a time."""
    from playwright.async_api import async_playwright

    subjects = ["loaded", "errors", "desktop", "phone", "paper", "figures", "axe"]
    notes = {page: {subject: [] for subject in subjects} for page in PAGES}
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=executable,
            args=test_site.SWITCHES,
        )
        window = await browser.new_context(reduced_motion="reduce")  # one each would take longer
        waiting = iter(notes.items())
        await asyncio.gather(*(visit_in_turn(window, site, waiting) for _ in range(AT_ONCE)))
        await browser.close()
    return notes


@pytest.fixture(scope="session")
def notes(site, executable):
    with ThreadPoolExecutor(1) as thread:  # in this one, `browser` may have a loop of its own
        return thread.submit(asyncio.run, visit_all(site, executable)).result()


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
def test_print_cuts_nothing_off(notes, page):
    assert not notes[page]["paper"], "\n".join(notes[page]["paper"])


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
