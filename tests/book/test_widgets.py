"""The widgets: they compute what calib computes, and react to the keyboard on the built site.

The first part gives methods.js and calib the same input, in a browser without any page. The second
part opens the pages; the site is that of test_site.py.
"""

import re
from contextlib import contextmanager

import nbformat
import numpy as np
import pytest
import test_site
from scipy.special import expit, logit

from calib import HistogramBinning, IsotonicCalibrator, NearIsotonicPath, VennAbers
from calib.kernels.adjacent_violators import pool_adjacent_violators
from calib.metrics import expected_calibration_error, maximum_calibration_error, reliability_curve
from calibkit.datasets import LAWS
from calibkit.theory import bin_bounds, mce_bound
from experiments.bounds import published_mce_bound
from experiments.naeini2014.kdd98 import COST

site, browser, executable = test_site.site, test_site.browser, test_site.executable  # its fixtures
SCRIPTS = test_site.ROOT / "book" / "_static" / "widgets"
PLACES = {  # page, and the figure that the widget extends
    "too-sure": ("book/intro", "fig-too-sure"),
    "ties": ("notebooks/02_measuring_it", "fig-c2-ties"),
    "bins": ("notebooks/03_mce_bound", "fig-c3-picture"),
    "pooling": ("notebooks/06_platt_and_isotonic", "fig-c6-csd"),
    "mailing": ("notebooks/22_decisions_and_money", "fig-c10-price"),
    "path": ("notebooks/10_near_isotonic_path", "fig-c13-merging"),
    "venn-abers": ("notebooks/13_venn_abers", "fig-c19-pair"),
}
AGAIN = {  # pages of the short book that show a widget of a chapter
    "book/hour/3_mend_it": ["pooling"],
    "book/hour/4_how_sure": ["venn-abers"],
    "book/hour/6_decisions": ["mailing"],
}
DRAWS, PANELS = "book/calibrate", ["widget"]  # a page that draws as the widgets do, and is none
one_class_is_fine = pytest.mark.filterwarnings("ignore::calib.OneClassWarning")
every_widget = pytest.mark.parametrize("name", PLACES)


def printed(name):
    """What the cells of the widget's chapter print."""
    notebook = nbformat.read(test_site.ROOT / f"{PLACES[name][0]}.ipynb", as_version=4)
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    return "".join(output.get("text", "") for output in outputs)


def points(scores, labels):
    both = zip(np.asarray(scores).tolist(), np.asarray(labels).tolist(), strict=True)
    return [{"score": score, "label": label} for score, label in both]


def column(rows, key):
    return [row[key] for row in rows]


# The methods


@pytest.fixture(scope="module")
def script(browser):
    """A function that calls JavaScript with `methods` at hand."""
    tab = browser.new_page()
    tab.add_script_tag(path=SCRIPTS / "methods.js")
    yield lambda function, *arguments: tab.evaluate(f"(a) => ({function})(...a)", list(arguments))
    tab.close()


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def tied_sample(rng, n):
    """Scores with ties and without, and labels."""
    scores = np.where(rng.random(n) < 0.5, rng.integers(0, 6, n) / 7, rng.random(n))
    return scores, (rng.random(n) < scores).astype(int)


@pytest.mark.parametrize("name", ["overconfident", "underconfident", "rare", "wave"])
def test_laws(script, name):
    y = np.linspace(0, 1, 41)
    for part in ["pi", "integral"]:
        function = f"(name, y) => methods.LAWS[name].{part} ? y.map(methods.LAWS[name].{part}) : []"
        found = script(function, name, y.tolist())
        if found:
            np.testing.assert_allclose(found, getattr(LAWS[name], part)(y), rtol=1e-12, atol=1e-15)
        else:
            assert part == "integral" and name in ["underconfident", "wave"]


def test_samples_follow_the_law_and_the_seed(script):
    scores, labels = script(DRAW, 5000, 1)
    assert [scores, labels] == script(DRAW, 5000, 1) != script(DRAW, 5000, 2)
    scores, labels = np.array(scores), np.array(labels)
    assert np.unique(scores).size == scores.size
    tenth = (10 * scores).astype(int)
    counts = np.bincount(tenth)
    assert np.all(np.abs(counts - 500) < 4 * np.sqrt(450))
    excess = np.bincount(tenth, labels - LAWS["overconfident"].pi(scores)) / counts
    assert np.abs(excess).max() < 4 * np.sqrt(0.25 / counts.min())


DRAW = """(n, seed) => {
  const sample = methods.sample(methods.LAWS.overconfident, n, seed);
  return [sample.map((point) => point.score), sample.map((point) => point.label)];
}"""


@pytest.mark.parametrize("n", [1, 2, 7, 60])
def test_pooling(script, rng, n):
    for _ in range(10):
        weights = rng.integers(1, 4, n)
        positives = rng.integers(0, weights + 1)
        groups = [
            {"score": i, "weight": w, "positive": p}
            for i, (w, p) in enumerate(zip(weights.tolist(), positives.tolist(), strict=True))
        ]
        blocks = script("(groups) => methods.pool(groups)", groups)
        starts, totals, hits = pool_adjacent_violators(weights.astype(float), positives)
        assert column(blocks, "start") == starts[:-1].tolist()
        assert column(blocks, "end") == starts[1:].tolist()
        assert column(blocks, "weight") == totals.tolist()
        assert column(blocks, "positive") == hits.tolist()


@pytest.mark.parametrize("ties", ["group", "label"])
@pytest.mark.parametrize(("n", "n_bins"), [(1, 10), (7, 3), (100, 10), (103, 10), (1000, 7)])
def test_reliability(script, rng, n, n_bins, ties):
    for _ in range(5):
        predictions, labels = tied_sample(rng, n)
        found = script("methods.reliability", points(predictions, labels), n_bins, ties)
        expected = reliability_curve(labels, predictions, n_bins=n_bins, ties=ties)
        assert column(found["curve"], "count") == expected.counts.tolist()
        for key in ["predicted", "observed"]:
            values = getattr(expected, key)
            np.testing.assert_allclose(column(found["curve"], key), values, atol=1e-12)
        assert found["ece"] == pytest.approx(expected.ece, abs=1e-12)
        assert found["mce"] == pytest.approx(expected.mce, abs=1e-12)


@pytest.mark.parametrize(("n", "n_bins"), [(100, 50), (100, 7), (1000, 10), (103, 1)])
def test_histogram_and_its_bounds(script, rng, n, n_bins):
    scores, labels = LAWS["overconfident"].sample(n, rng)
    fitted = HistogramBinning(n_bins=n_bins).fit(scores, labels)
    bins = script("methods.histogram", points(scores, labels), n_bins)
    assert column(bins, "count") == fitted.counts_.tolist()
    assert column(bins, "positive") == fitted.positives_.tolist()
    np.testing.assert_allclose(column(bins, "lower"), [0, *fitted.cuts_], rtol=1e-15)
    np.testing.assert_allclose(column(bins, "upper"), [*fitted.cuts_, 1], rtol=1e-15)
    bounds = [script("methods.binBound", bin["count"], n_bins, 0.05) for bin in bins]
    expected = bin_bounds(fitted.counts_, 0.05, n_bins=n_bins)
    np.testing.assert_allclose(bounds, expected, rtol=1e-12)
    published = script("methods.publishedBound", n, n_bins, 0.05)
    assert published == pytest.approx(published_mce_bound(n, n_bins, 0.05), rel=1e-12)


@one_class_is_fine
@pytest.mark.parametrize("n", [1, 2, 30, 200])
def test_near_isotonic_path(script, rng, n):
    function = """(points, prices) => {
      const path = methods.nearIsotonicPath(methods.groupTies(points));
      const all = [...path.lambdas, ...prices];
      return { lambdas: path.lambdas, fits: all.map((lambda) => path.binsAt(lambda)) };
    }"""
    for _ in range(3):
        scores, labels = tied_sample(rng, n)
        path = NearIsotonicPath().fit(scores, labels)
        prices = rng.uniform(0, path.lambdas_[-1] + 1, 10).tolist()
        found = script(function, points(scores, labels), prices)
        np.testing.assert_allclose(found["lambdas"], path.lambdas_, rtol=1e-12)
        n_merges = path.lambdas_.size
        assert [len(bins) for bins in found["fits"][:n_merges]] == path.n_bins_.tolist()
        for price, bins in zip([*path.lambdas_, *prices], found["fits"], strict=True):
            sizes = np.subtract(column(bins, "end"), column(bins, "start"))
            values = np.repeat(column(bins, "value"), sizes)
            np.testing.assert_allclose(values, path.values_at(price), atol=1e-12)


@one_class_is_fine
@pytest.mark.parametrize("n", [1, 5, 60])
def test_venn_abers(script, rng, n):
    scores, labels = tied_sample(rng, n)
    fitted = VennAbers().fit(scores, labels)
    for score in [-1.0, *scores[:10].tolist(), *rng.random(10).tolist(), 2.0]:
        lower, upper = script("methods.vennAbers", points(scores, labels), score)
        (p0,), (p1,) = fitted.predict_interval([score])
        assert (lower["p"], upper["p"]) == pytest.approx((p0, p1), abs=1e-12)
        merged = script("methods.merged", lower["p"], upper["p"])
        assert merged == pytest.approx(fitted.predict([score])[0], abs=1e-12)
        for level_set, label in [(lower, 0), (upper, 1)]:
            inside = (level_set["first"] <= scores) & (scores <= level_set["last"])
            assert level_set["weight"] == inside.sum() + 1
            assert level_set["positive"] == labels[inside].sum() + label


def mailed(gift, cost, shift, n=100_000):
    """Share of letters, profit, loss and bound by the code of the chapter."""
    truth = LAWS["rare"].pi((np.arange(n) + 0.5) / n)
    estimate = expit(logit(truth) + shift)
    sent, best = estimate * gift > cost, truth * gift > cost
    earned = truth * gift - cost
    loss = np.mean(np.abs(earned) * (sent != best))
    return sent.mean(), np.mean(earned * sent), loss, gift * np.mean(np.abs(estimate - truth))


@pytest.mark.parametrize(("gift", "cost"), [(15, COST), (5, 2), (50, 0.1)])
@pytest.mark.parametrize("shift", [-3, -0.4, 0, 0.1, 2.9])
def test_mailing(script, gift, cost, shift):
    found = script("methods.mailing", gift, cost, shift)
    share, profit, loss, bound = mailed(gift, cost, shift)
    assert found["threshold"] == cost / gift
    assert 1 - found["cut"] == pytest.approx(share, abs=1e-5)
    assert found["profit"] == pytest.approx(profit, abs=1e-5)
    assert found["loss"] == pytest.approx(loss, abs=1e-5)
    assert found["bound"] == pytest.approx(bound, abs=1e-5)


# The pages


class Widget:
    """A widget in a tab."""

    def __init__(self, tab, name):
        self.tab, self.root = tab, tab.locator(f"#widget-{name}")
        self.controls = self.root.locator("input, button")

    @property
    def summary(self):
        return self.root.locator(".summary").inner_text()

    def numbers(self, pattern):
        """The groups of a pattern in the summary, as numbers."""
        found = re.search(pattern, self.summary)
        assert found, self.summary
        return [float(text.replace("\N{MINUS SIGN}", "-")) for text in found.groups()]

    def set(self, name, value):
        """Move a slider, or type into a field."""
        self.root.locator(f"[name={name}]").fill(str(value))
        self.root.locator(f"[name={name}]").blur()

    def press(self, label):
        self.root.get_by_role("button", name=label).press("Enter")


@pytest.fixture(scope="module")
def tab(browser):
    """A tab for all tests, which remembers the complaints: a new one for each would take longer."""
    tab = browser.new_page()
    tab.errors = []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on("console", lambda message: message.type == "error" and tab.errors.append(message.text))
    tab.on("requestfailed", lambda request: tab.errors.append(request.url))
    yield tab
    tab.close()


# A width in whole pixels hangs on where the panel begins, too: a panel that moves by half a pixel
# may have another one without a change of its size, and is then not drawn anew.
DRAWN_ANEW = f"""(width) => ({test_site.AS_WIDE_AS})(width) &&
  [...document.querySelectorAll(".widget .panel svg")].every(
    (svg) => Math.abs(svg.viewBox.baseVal.width - svg.parentNode.clientWidth) <= 1)"""


def resize(tab, width):
    """Give the tab a width and wait until the page, and then the panels, have it."""
    tab.set_viewport_size({"width": width, "height": 900})
    tab.wait_for_function(DRAWN_ANEW, arg=width, polling=50)


@contextmanager
def opened(site, tab, name):
    """The widget on its page, opened from disk; the page must not complain."""
    tab.errors.clear()
    resize(tab, test_site.WIDTHS["desktop"])
    tab.goto((site / f"{PLACES[name][0]}.html").as_uri())
    yield Widget(tab, name)
    assert not tab.errors


@every_widget
def test_every_control_reacts_to_the_keyboard_and_shows_its_focus(site, tab, name):
    with opened(site, tab, name) as widget:
        keys = {"range": "ArrowRight", "number": "ArrowUp", "button": "Enter"}
        widget.controls.first.focus()
        for i in range(widget.controls.count()):
            control = widget.controls.nth(i)
            if i > 0:
                widget.tab.keyboard.press("Tab")
            assert control.evaluate("(node) => node === document.activeElement"), i
            outline = "(node) => parseFloat(getComputedStyle(node).outlineWidth)"
            style = "(node) => getComputedStyle(node).outlineStyle"
            assert control.evaluate(outline) >= 2 and control.evaluate(style) == "solid"
            before = widget.root.inner_html()
            useful = control.get_attribute("aria-disabled") != "true"
            widget.tab.keyboard.press(keys[control.get_attribute("type")])
            if control.get_attribute("type") == "number":
                widget.tab.keyboard.press("Enter")
            assert (widget.root.inner_html() != before) == useful, i


@every_widget
def test_its_parts_have_names_and_a_place_and_stand_still(site, tab, name):
    with opened(site, tab, name) as widget:
        assert widget.root.get_attribute("aria-label")
        assert widget.root.locator(".summary").get_attribute("aria-live") == "polite"
        parts = {kind: widget.root.get_by_role(kind) for kind in ["slider", "spinbutton", "button"]}
        assert sum(found.count() for found in parts.values()) == widget.controls.count() > 0
        parts["img"] = widget.root.get_by_role("img")
        assert parts["img"].count() == widget.root.locator(".panel").count() > 0
        for kind, found in parts.items():
            for part in found.all():
                assert re.match(f"""- '?{kind} "\\w""", part.aria_snapshot()), part.aria_snapshot()
        assert widget.root.evaluate(FIGURE_BEFORE) == PLACES[name][1]
        assert not widget.root.evaluate(MOVING)


FIGURE_BEFORE = """(root) => {
  const figure = [...document.querySelectorAll("figure")].filter(
    (one) => one.compareDocumentPosition(root) & Node.DOCUMENT_POSITION_FOLLOWING
  ).at(-1);
  return figure.querySelector(":scope > span[id]")?.id ?? figure.id;  // drawn by the build, or not
}"""

MOVING = """(root) => [...root.querySelectorAll("*")].filter((node) => {
  const style = getComputedStyle(node);
  return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
}).map((node) => node.outerHTML)"""


def contrast(one, other):
    """Ratio of contrast of two colours as in WCAG 2."""

    def luminance(color):
        parts = np.array([int(part) for part in re.findall(r"\d+", color)[:3]]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722] + 0.05

    ratio = luminance(one) / luminance(other)
    return max(ratio, 1 / ratio)


LOOKS = """(root) => {
  const color = (node, key) => getComputedStyle(node)[key];
  const all = (selector) => [...root.querySelectorAll(selector)];
  const box = root.getBoundingClientRect();
  return {
    paper: color(document.body, "backgroundColor"),
    words: all("svg text").map((node) => color(node, "fill")),
    marks: all(".panel .line:not(.band), .panel .dot:not(.pale)")
      .map((node) => color(node, "color")),
    sizes: all("svg text").map((node) => parseFloat(color(node, "fontSize")) *
      Math.hypot(node.getScreenCTM().a, node.getScreenCTM().b)),
    outside: all("*:not(mjx-container *)").filter((node) => {
      const { left, right } = node.getBoundingClientRect();
      return left < box.left - 1 || right > box.right + 1;
    }).map((node) => node.outerHTML),
  };
}"""


@every_widget
def test_it_is_legible_in_both_themes_at_both_widths(site, tab, name):
    with opened(site, tab, name) as widget:
        for theme in ["light", "dark"]:
            widget.tab.evaluate("(t) => { document.documentElement.dataset.theme = t; }", theme)
            for width in test_site.WIDTHS.values():
                resize(tab, width)
                found = widget.root.evaluate(LOOKS)
                assert len(found["words"]) > 10 and len(found["marks"]) > 1
                assert min(contrast(color, found["paper"]) for color in found["words"]) >= 4.5
                assert min(contrast(color, found["paper"]) for color in found["marks"]) >= 3
                assert min(found["sizes"]) >= 12
                assert not found["outside"]


@every_widget
def test_without_scripts_the_figure_stays_alone(site, browser, name):
    page, figure = PLACES[name]
    tab = browser.new_page(java_script_enabled=False)
    tab.goto((site / f"{page}.html").as_uri())
    assert not tab.locator(f"#widget-{name}").is_visible()
    assert tab.locator(f":is(#{figure}, :has(> #{figure})) > img, #{figure} img").first.is_visible()
    assert "needs JavaScript" in tab.locator("article").inner_text()
    tab.close()


@pytest.mark.parametrize("page", test_site.PAGES)
def test_only_pages_with_a_widget_load_scripts_for_it(site, page):
    html = (site / f"{page}.html").read_text(encoding="utf-8")
    loaded = re.findall(r'src="[^"]*_static/widgets/([\w-]+)\.js', html)
    named = re.findall(r'data-widget="([\w-]+)"', html)
    expected = PANELS if page == DRAWS else ["methods", "widget", *named] if named else []
    assert loaded == expected
    assert ("widget.css" in html) == bool(loaded)
    own = [name for name, (place, _) in PLACES.items() if place == page]
    assert named == own + AGAIN.get(page, [])


# The numbers on the pages


@pytest.mark.parametrize("factor", [0.4, 1, 2.5, 4])
def test_too_sure_numbers(site, tab, factor):
    truth = (np.arange(200_000) + 0.5) / 200_000
    said, other = expit(factor * logit(truth)), expit(-factor * logit(truth))
    losses = -(truth * np.log(said) + (1 - truth) * np.log(other)), (said - truth) ** 2
    brier = losses[1].mean() + 1 / 6
    expected = [90, 100 * expit(logit(0.9) / factor), losses[0].mean(), 0.5, brier, 1 / 6]
    with opened(site, tab, "too-sure") as widget:
        widget.set("factor", factor)
        pattern = (
            r"predicted at (\d+) %, (\d+) % are .*Log loss ([\d.]+), calibrated ([\d.]+); "
            r"Brier score ([\d.]+), calibrated ([\d.]+)\."
        )
        found = widget.numbers(pattern)
        assert found[:2] == pytest.approx(expected[:2], abs=0.51)
        assert found[2:] == pytest.approx(expected[2:], abs=6e-4)


@pytest.mark.parametrize(("n", "n_bins", "seed"), [(1000, 10, 1), (1000, 50, 7), (20_000, 10, 30)])
def test_bins_numbers(site, tab, n, n_bins, seed):
    with opened(site, tab, "bins") as widget:
        widget.set("size", {1000: 3, 20_000: 7}[n])
        widget.set("nBins", n_bins)
        widget.set("seed", seed)
        scores, labels = widget.tab.evaluate(f"([n, seed]) => ({DRAW})(n, seed)", [n, seed])
        fitted = HistogramBinning(n_bins=n_bins).fit(scores, labels)
        edges = np.concatenate([[0], fitted.cuts_, [1]])
        theta = LAWS["overconfident"].bin_probability(edges[:-1], edges[1:])
        errors = np.abs(fitted.probabilities_ - theta)
        expected = [n, n_bins, errors.argmax() + 1, errors.max()]
        pattern = r"(\d+) points in (\d+) bins: .* bin (\d+), is off by ([\d.]+\d)"
        assert widget.numbers(pattern) == pytest.approx(expected, abs=5.1e-4)
        bounds = [mce_bound(fitted.counts_, 0.05, n_bins=n_bins)]
        bounds.append(published_mce_bound(n, n_bins, 0.05))
        shown = [f"{bound:.3f}" if bound < 1 else "more than 1" for bound in bounds]
        assert f"no bin is off by more than {shown[0]}; " in widget.summary
        assert f"the published bound is {shown[1]}." in widget.summary


def test_bins_starts_with_the_bounds_that_the_chapter_prints(site, tab):
    with opened(site, tab, "bins") as widget:
        bounds = re.search(r"bound ([\d.]+), published bound ([\d.]+)", printed("bins")).groups()
        shown = widget.numbers(r"more than ([\d.]+); the published bound is ([\d.]+)\.$")
        assert shown == [float(bound) for bound in bounds]


def test_bins_promises_nothing_for_two_points_in_a_bin(site, tab):
    with opened(site, tab, "bins") as widget:
        widget.set("size", 0)
        widget.set("nBins", 50)
        assert "nothing can be promised" in widget.summary


def test_another_sample_is_the_next_seed(site, tab):
    with opened(site, tab, "bins") as widget:
        before = widget.summary
        widget.press("Another sample")
        after = widget.summary
        widget.set("seed", 1)
        assert widget.summary == before != after
        widget.set("seed", 2)
        assert widget.summary == after
        widget.set("seed", "")  # what is no seed changes nothing
        assert widget.summary == after
        assert widget.root.locator("[name=seed]").input_value() == "2"


@pytest.mark.parametrize(("percent", "size", "seed"), [(0, 1000, 1), (75, 1000, 1), (100, 300, 5)])
def test_ties_numbers(site, tab, percent, size, seed):
    with opened(site, tab, "ties") as widget:
        widget.set("percent", percent)
        widget.set("size", {300: 1, 1000: 2}[size])
        widget.set("seed", seed)
        chances = widget.tab.evaluate(
            """([seed, n]) => {
              const random = methods.generator(seed);
              return Array.from({ length: n }, random);
            }""",
            [seed, size],
        )
        p = 0.8 * (np.arange(size) + 0.5) / size
        labels = (chances < p).astype(int)
        tied = np.abs(np.arange(size) + 0.5 - size / 2) < percent / 100 * size / 2
        p[tied] = 0.4
        assert tied.sum() == percent / 100 * size
        errors = [
            measure(labels, p, ties=ties)
            for ties in ["group", "label"]
            for measure in [expected_calibration_error, maximum_calibration_error]
        ]
        both = r"together: ECE ([\d.]+), MCE ([\d.]+)\. .*label: ECE ([\d.]+), MCE ([\d.]+)\."
        shown = widget.numbers(rf"^{percent} % of {size} .*{both}")
        assert shown == pytest.approx(errors, abs=5.1e-4)


def test_pooling_steps_are_those_of_the_chapter(site, tab):
    labels = "0100110110"
    with opened(site, tab, "pooling") as widget:
        states = {}
        for _ in range(17):
            widget.press("Forward")
            means = re.search(r"blocks: (.*)\.$", widget.summary).group(1).split(", ")
            read = [int(point) for point in re.findall(r"Point (\d+)", widget.summary)]
            states[read[0] if read else max(states)] = means
        assert widget.summary.startswith("Step 17 of 17.")
        widget.press("Forward")
        assert widget.summary.startswith("Step 17 of 17.")
        chapter = re.findall(r"^new (\d) +(\[.*\]) ", printed("pooling"), re.M)
        assert "".join(new for new, _ in chapter) == labels
        for (_, blocks), means in zip(chapter, states.values(), strict=True):
            members = [[int(z) for z in block] for block in re.findall(r"\[(\d+)\]", blocks)]
            assert means == [f"{np.mean(block):.3f}" for block in members]


def test_pooling_of_other_labels(site, tab):
    with opened(site, tab, "pooling") as widget:
        widget.press("To the end")
        widget.press("Label 1: 0")
        assert widget.root.get_by_role("button", name="Label 1: 1").count() == 1
        widget.press("To the end")
        labels = [1, 1, 0, 0, 1, 1, 0, 1, 1, 0]
        fitted = IsotonicCalibrator().fit(range(10), labels).predict(range(10))
        means = ", ".join(f"{value:.3f}" for value in np.unique(fitted))
        assert widget.summary.endswith(f"Means of the blocks: {means}.")
        widget.press("From the start")
        assert "No point has been read" in widget.summary
        widget.press("Forward")
        widget.press("Back")
        assert "No point has been read" in widget.summary


def test_path_has_the_bins_that_the_chapter_prints(site, tab):
    with opened(site, tab, "path") as widget:
        rows = re.findall(r"^lambda ([\d.]+): (\d+) bins, (\d+) falls$", printed("path"), re.M)
        assert len(rows) == 6
        for price, bins, falls in rows[:-1]:
            widget.set("lambda", price)
            shown = widget.numbers(r"λ = ([\d.]+): (\d+) bins, (\d+) falls?\.")
            assert shown == [float(price), float(bins), float(falls)]
        widget.root.locator("[name=lambda]").press("End")
        assert widget.numbers(r"(\d+) bins, (\d+) falls\. This is isotonic regression") == [
            float(rows[-1][1]),
            float(rows[-1][2]),
        ]


def test_path_goes_from_merge_to_merge(site, tab):
    path = NearIsotonicPath().fit(*LAWS["wave"].sample(100, 12))
    with opened(site, tab, "path") as widget:
        shown = [widget.numbers(r"^λ = ([\d.]+): (\d+) bins")]
        for _ in path.lambdas_[1:]:
            widget.press("Next merge")
            shown.append(widget.numbers(r"^λ = ([\d.]+): (\d+) bins"))
        expected = np.column_stack([path.lambdas_, path.n_bins_])
        np.testing.assert_allclose(shown, expected, atol=5.1e-4)
        widget.press("Merge before")
        assert widget.numbers(r": (\d+) bins") == [path.n_bins_[-2]]


def test_venn_abers_numbers(site, tab):
    fitted = VennAbers().fit(*LAWS["underconfident"].sample(60, 17))
    with opened(site, tab, "venn-abers") as widget:
        for score in [0, 0.2, 0.46, 0.57, 0.66, 1]:
            widget.set("score", score)
            (p0,), (p1,) = fitted.predict_interval([score])
            expected = [score, p0, p1, fitted.predict([score])[0]]
            pattern = r"Score ([\d.]+)\..* = ([\d.]+)\..* = ([\d.]+)\. Merged: ([\d.]+)\.$"
            assert widget.numbers(pattern) == pytest.approx(expected, abs=5.1e-4)


def test_venn_abers_object_is_dragged_and_goes_on_by_arrow_keys(site, tab):
    with opened(site, tab, "venn-abers") as widget:
        widget.root.scroll_into_view_if_needed()
        handle, axis = widget.root.locator(".handle"), widget.root.locator(".axis").first
        place, line = handle.bounding_box(), axis.bounding_box()
        y = place["y"] + place["height"] / 2
        widget.tab.mouse.move(place["x"] + place["width"] / 2, y)
        widget.tab.mouse.down()
        widget.tab.mouse.move(line["x"] + 0.75 * line["width"], y, steps=5)
        widget.tab.mouse.up()
        [dragged] = widget.numbers(r"Score ([\d.]+)\.")
        assert dragged == pytest.approx(0.75, abs=0.01)
        widget.tab.mouse.move(line["x"], y)  # no button is down any more
        widget.tab.keyboard.press("ArrowLeft")
        assert widget.numbers(r"Score ([\d.]+)\.") == pytest.approx([dragged - 0.005])


def test_mailing_numbers(site, tab):
    pattern = (
        r"r > c/a = ([\d.]+), .*letters go to (\d+) %\. Profit (\S+) dollars per person; "
        r"([\d.]+) are lost, at most ([\d.]+) by the theorem\.$"
    )
    with opened(site, tab, "mailing") as widget:
        for shift, gift, cost in [(0.5, 15, COST), (0, 15, COST), (-3, 40, 0.5), (3, 5, 2)]:
            widget.set("shift", shift)
            widget.set("gift", gift)
            widget.set("cost", cost)
            share, profit, loss, bound = mailed(gift, cost, shift)
            threshold, *shown = widget.numbers(pattern)
            assert threshold == pytest.approx(cost / gift, abs=5.1e-4)
            assert shown[0] == pytest.approx(100 * share, abs=0.51)
            assert shown[1:] == pytest.approx([profit, loss, bound], abs=6e-5)


def test_mailing_loses_what_the_chapter_prints(site, tab):
    lines = re.findall(r"^shift ([\d.]+): loss ([\d.]+)", printed("mailing"), re.M)
    assert len(lines) > 2
    with opened(site, tab, "mailing") as widget:
        for shift, loss in np.array(lines, float):
            widget.set("shift", shift)
            assert widget.numbers(r"; ([\d.]+) are lost") == pytest.approx([loss], abs=1e-4)
