"""Slides: every label exists, lectures take 90 minutes, pages are offline and nothing overflows."""

import pytest
from playwright.sync_api import sync_playwright

from course.tools import slides
from course.tools.source import set_names
from tools import browsers

NAMES = [path.stem for path in sorted(slides.SOURCES.glob("[0-9]*.md"))]
OVERFLOWING = """() => Reveal.getSlides().filter(slide => {
    Reveal.slide(Reveal.getIndices(slide).h);
    const box = slide.getBoundingClientRect();
    return [slide, ...slide.querySelectorAll("*:not(.notes, .notes *)")].some(part => {
        if (part.closest("mjx-assistive-mml")) return false;
        const inner = part.getBoundingClientRect();
        return inner.bottom > box.bottom + 1 || inner.right > box.right + 1;
    });
}).map(slide => slide.querySelector("h1, h2").textContent)"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The built slides; a label that the chapters do not have would end the build."""
    folder = tmp_path_factory.mktemp("slides")
    slides.write(folder)
    return folder


@pytest.fixture(scope="module")
def page():
    """A page of a browser, of the size of a slide, that remembers what it asks for."""
    executable = browsers.chromium() or pytest.skip(browsers.MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.problems, page.addresses = [], []
        page.on("console", lambda message: page.problems.append(message.text))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("request", lambda request: page.addresses.append(request.url))
        yield page
        browser.close()


def test_each_set_has_a_lecture():
    assert [name[:2] for name in NAMES] == [name[:2] for name in set_names()]


@pytest.mark.parametrize("name", NAMES)
def test_ninety_minutes(name):
    lecture = slides.read_lecture(slides.SOURCES / f"{name}.md")
    assert sum(slide.minutes for slide in lecture.slides) == 90
    assert all(slide.notes for slide in lecture.slides)


@pytest.mark.parametrize("name", NAMES)
def test_every_slide_fits_and_nothing_is_fetched(folder, page, name):
    page.problems.clear()
    page.addresses.clear()
    page.goto((folder / f"{name}.html").as_uri())
    page.wait_for_function("Reveal.isReady()")
    assert page.evaluate(OVERFLOWING) == []
    broken = "Array.from(document.images).filter(image => !image.naturalWidth).map(i => i.src)"
    assert page.evaluate(broken) == []
    assert page.addresses
    assert all(address.startswith(("file:", "data:", "blob:")) for address in page.addresses)
    assert page.problems == []


def test_overflow_is_seen(folder, page):
    page.goto((folder / f"{NAMES[0]}.html").as_uri())
    page.wait_for_function("Reveal.isReady()")
    title = page.evaluate(
        "() => { const slide = Reveal.getSlides()[2]; const p = document.createElement('p');"
        " p.style.height = '600px'; slide.append(p); return slide.querySelector('h2').textContent }"
    )
    assert page.evaluate(OVERFLOWING) == [title]


def test_unknown_label(tmp_path):
    (tmp_path / "images").mkdir()
    notes = ":::{notes} 90\nSpeak.\n:::\n"
    path = tmp_path / "01_wrong.md"
    path.write_text(f"# Title\n\n:::{{statement}} thm-of-nobody\n:::\n\n{notes}")
    with pytest.raises(ValueError, match="01_wrong: no statement .* 'thm-of-nobody'"):
        slides.write_lecture(slides.read_lecture(path), tmp_path)


def test_a_slide_without_minutes(tmp_path):
    path = tmp_path / "01_wrong.md"
    path.write_text("# Title\n\nText\n")
    with pytest.raises(ValueError, match="'Title' has 0 notes"):
        slides.read_lecture(path)
