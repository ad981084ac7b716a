"""The page of a report in a browser: in both themes, at both widths, and on paper."""

import numpy as np
import pytest
import test_pages
import test_site

from calibkit.report import make_report

executable, browser = test_site.executable, test_site.browser  # its fixtures
SIZES = {"desktop": test_pages.DESKTOP, "phone": test_pages.PHONE}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
CUT = """() => [...document.querySelectorAll("table, svg, p, li, dd")]
  .filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map(e => `${e.tagName}: ${e.textContent.trim().slice(0, 60)}`)"""


@pytest.fixture(scope="module", params=["probabilities", "margins"])
def page(request, tmp_path_factory):
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    labels = rng.random(400) < scores**2
    groups = np.array(["north", "<script>", "the hospital with a rather long name"])[
        rng.integers(0, 3, 400)
    ]
    if request.param == "margins":
        scores = 8 * scores - 4
    report = make_report(scores, labels, groups=groups, name="scores.csv", notes=["3 rows dropped"])
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report.to_html(), encoding="utf-8")
    return path


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_everybody_can_read_it(browser, page, theme, size):
    tab = browser.new_page(viewport=SIZES[size], color_scheme=theme)
    problems, loaded = [], []
    tab.on("request", lambda request: loaded.append(request.url))
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("console", lambda message: problems.append(message.text))
    tab.goto(page.as_uri())
    assert loaded == [page.as_uri()]
    assert not problems
    assert tab.evaluate(SIDEWAYS) == 0
    tab.evaluate(test_pages.axe())
    assert tab.evaluate(test_pages.SERIOUS, [test_pages.WHOLE, {}]) == []
    tab.close()


def test_paper_cuts_nothing_off(browser, page):
    tab = browser.new_page(viewport=test_pages.PAPER, color_scheme="dark")
    tab.goto(page.as_uri())
    tab.emulate_media(media="print")
    assert tab.evaluate(CUT) == []
    assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    tab.close()
