"""The built site: no broken links, nothing fetched from the network, every page in a browser.

The site is the one that the environment variable SITE names, else it is built for these tests.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text())
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
PAGES = [TOC["root"], *(page["file"] for part in TOC["parts"] for page in part["chapters"])]
WIDTHS = {"desktop": 1280, "phone": 390}
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


@pytest.mark.parametrize("page", PAGES)
def test_it_has_an_address_only_if_there_is_one(site, page):
    html = (site / f"{page}.html").read_text(encoding="utf-8")
    assert ('<link rel="canonical"' in html) == ("Documentation" in URLS)
    buttons = html.split('<div class="article-header-buttons">')[1].split('<div id="jb-print')[0]
    assert "window.print()" in buttons
    assert ('href="http' in buttons) == ("Repository" in URLS)


def test_front_door_leads_to_the_first_page(site):
    assert f"url={TOC['root']}.html" in (site / "index.html").read_text()


@pytest.fixture(scope="module")
def browser():
    executable = next(filter(None, map(shutil.which, BROWSERS)), None)
    if executable is None:
        pytest.skip(f"none of {', '.join(BROWSERS)} is installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=executable,
            args=["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
        )
        yield chromium
        chromium.close()


# Solutions and hidden cells are opened, or their formulas would not be measured.
OPEN_EVERYTHING = """() => {
  document.querySelectorAll("details").forEach(e => { e.open = true; });
  document.querySelectorAll(".toggle-hidden").forEach(e => e.classList.remove("toggle-hidden"));
}"""

MATHS_IS_DONE = """() => {
  const typesetting = window.MathJax?.startup?.promise;
  return typesetting ? typesetting.then(() => true) : true;
}"""

# Formulas are judged by the box they are drawn in, not by the scrolling box around it.
FINDINGS = r"""() => {
  const findings = [];
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth)
    findings.push(`the page scrolls sideways: ${page.scrollWidth} > ${page.clientWidth}`);
  const article = document.querySelector("article");
  for (const math of article.querySelectorAll(".math")) {
    const drawing = math.querySelector("mjx-container > svg");
    const source = math.querySelector("mjx-assistive-mml")?.textContent ?? math.textContent;
    const name = `${math.id || math.closest("[id]")?.id}: ${source.trim().slice(0, 80)}`;
    if (!drawing) { findings.push(`raw TeX at ${name}`); continue; }
    // MathJax prints commands that it does not know in red.
    if (math.querySelector("mjx-merror, [data-mjx-error], [fill=red]"))
      findings.push(`TeX error at ${name}`);
    if (math.closest("td, th")) continue;  // wide tables scroll in a box of their own
    const block = math.closest("div, p, li, dd, figcaption, h1, h2, h3") ?? article;
    const excess = drawing.getBoundingClientRect().right - block.getBoundingClientRect().right;
    if (excess > 2) findings.push(`formula ${Math.ceil(excess)} px too wide at ${name}`);
  }
  const text = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (text.nextNode()) {
    const node = text.currentNode;
    if (node.parentElement.closest("pre, code, script, style, .math")) continue;
    const raw = node.data.search(/\\[(\[]|\$\$|\\[a-z]+\{|:::|\{(cite|prf|numref|eq):/);
    if (raw >= 0) findings.push(`raw markup: ${node.data.slice(Math.max(raw - 30, 0), raw + 40)}`);
  }
  return findings;
}"""


@pytest.mark.parametrize("page", PAGES)
def test_page_in_a_browser(site, browser, page):
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    findings = []
    tab.on("pageerror", lambda error: findings.append(f"script error: {error}"))
    tab.on("console", lambda m: m.type == "error" and findings.append(f"console: {m.text}"))
    tab.on("requestfailed", lambda r: findings.append(f"failed to load: {r.url}"))
    tab.on("request", lambda r: r.url.startswith("http") and findings.append(f"asks for {r.url}"))
    tab.goto((site / f"{page}.html").as_uri())
    tab.evaluate(OPEN_EVERYTHING)
    tab.wait_for_function(MATHS_IS_DONE)
    for name, width in WIDTHS.items():
        tab.set_viewport_size({"width": width, "height": 900})
        findings += [f"{name}: {finding}" for finding in tab.evaluate(FINDINGS)]
    tab.close()
    assert not findings, "\n".join(findings)
