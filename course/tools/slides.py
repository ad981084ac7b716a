"""Slides of the lectures, as pages that reveal.js shows without a network.

python -m course.tools.slides FOLDER

The sources are course/slides/NN_name.md. A line ``# Title`` begins a lecture and each line
``## Title`` a slide. ``:::{statement} label`` and ``:::{figure} label`` take a theorem or a picture
out of the chapters, ``:::{formula} label`` a formula; ``:::{notes} minutes`` is for the speaker,
once a slide, and says how long the slide takes.
"""

import re
import shutil
import sys
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path

from .chapters import Figure, find
from .markdown import (
    close,
    formula_fence,
    new_document,
    render,
    render_inline,
    statement_fence,
    with_outlines,
)

SOURCES = Path(__file__).resolve().parents[1] / "slides"
REVEAL = ["dist/reset.css", "dist/reveal.css", "dist/reveal.js", "plugin/notes/notes.js", "LICENSE"]
PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<link rel="stylesheet" href="reveal/reset.css">
<link rel="stylesheet" href="reveal/reveal.css">
<link rel="stylesheet" href="slides.css">
</head>
<body>
<div class="reveal"><div class="slides">
{slides}
</div></div>
<script src="reveal/reveal.js"></script>
<script src="reveal/notes.js"></script>
<script>
Reveal.initialize({{
  width: 1280, height: 720, margin: 0, center: false, hash: true, slideNumber: "c/t",
  controls: false, transition: "none", plugins: [RevealNotes],
}});
</script>
</body>
</html>
"""
INDEX = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lectures</title>
<link rel="stylesheet" href="slides.css">
</head>
<body class="page">
<h1>Lectures on calibration</h1>
<p>Arrow keys turn the slides, S opens the speaker's view with notes and a clock, O shows all
slides. To print, add <code>?print-pdf&amp;showNotes=separate-page</code> to the address and print
from the browser. Statements and figures are those of the chapters; CC BY 4.0.</p>
<ol>
{lectures}
</ol>
</body>
</html>
"""


@dataclass(frozen=True)
class Slide:
    """A slide: its title and text in Markdown, the minutes it takes and what the speaker says."""

    title: str
    text: str
    minutes: int
    notes: str


@dataclass(frozen=True)
class Lecture:
    """A lecture: its name, its title, and its slides, of which the first shows the title."""

    name: str
    title: str
    slides: list[Slide]


NOTES = re.compile(r"^:::\{notes\} (\d+)\n(.*?)^:::$\n?", re.M | re.S)


def read_slide(source):
    """A slide from its source, which begins with the title."""
    heading, _, text = source.partition("\n")
    title = heading.strip("# ")
    notes = NOTES.findall(text)
    if len(notes) != 1:
        raise ValueError(f"the slide {title!r} has {len(notes)} notes: write one, with its minutes")
    ((minutes, spoken),) = notes
    return Slide(title, NOTES.sub("", text).strip(), int(minutes), spoken.strip())


def read_lecture(path):
    """A lecture from its file."""
    sources = re.split(r"^(?=## )", path.read_text(encoding="utf-8"), flags=re.M)
    slides = [read_slide(source) for source in sources]
    return Lecture(path.stem, slides[0].title, slides)


def lectures():
    """All lectures, in order."""
    return [read_lecture(path) for path in sorted(SOURCES.glob("[0-9]*.md"))]


def figure_fence(label, content, env):
    """``{figure}``: a picture of the book with its caption, by its label."""
    found = find(label, Figure)
    env["figures"].append(found)
    return (
        f'<figure><img src="images/{label}.png" alt="{escape(found.description)}">'
        f'<figcaption>{render(found.caption, env)}<p class="chapter">chapter {found.chapter}</p>'
        "</figcaption></figure>\n"
    )


FENCES = {"statement": statement_fence, "formula": formula_fence, "figure": figure_fence}


def slide_html(slide, first, env):
    """A slide as reveal.js wants it; the seconds are for the clock of the speaker's view."""
    heading = "h1" if first else "h2"
    return (
        f'<section data-timing="{60 * slide.minutes}"{" class=title" if first else ""}>\n'
        f'<div class="slide">\n'
        f"<{heading}>{render_inline(slide.title)}</{heading}>\n{render(slide.text, env)}</div>\n"
        f'<aside class="notes"><p>{slide.minutes} minutes</p>\n{render(slide.notes, env)}</aside>\n'
        "</section>\n"
    )


def write_lecture(lecture, folder):
    """Write the page of a lecture and the pictures that it shows."""
    env = new_document(FENCES) | {"figures": []}
    try:
        slides = [slide_html(slide, i == 0, env) for i, slide in enumerate(lecture.slides)]
    except ValueError as error:
        raise ValueError(f"{lecture.name}: {error}") from error
    page = PAGE.format(title=escape(lecture.title), slides="\n".join(slides))
    (folder / f"{lecture.name}.html").write_text(with_outlines(page), encoding="utf-8")
    for figure in env["figures"]:
        (folder / "images" / f"{figure.label}.png").write_bytes(figure.png)


def write(folder):
    """Write all lectures, an index, and the copy of reveal.js that they use."""
    for part in ["images", "reveal"]:
        (folder / part).mkdir(parents=True, exist_ok=True)
    package = Path(find_spec("sphinx_revealjs").origin).parent / "_static" / "revealjs"
    for name in REVEAL:
        shutil.copy(package / name, folder / "reveal")
    shutil.copy(SOURCES / "slides.css", folder)
    items = []
    for lecture in lectures():
        write_lecture(lecture, folder)
        items.append(f'<li><a href="{lecture.name}.html">{render_inline(lecture.title)}</a></li>')
    (folder / "index.html").write_text(INDEX.format(lectures="\n".join(items)), encoding="utf-8")


def main(folder):
    """Write the slides; a problem of a source is told in one line."""
    problem = None
    try:
        write(Path(folder))
    except ValueError as error:
        problem = str(error)
    close()
    sys.exit(problem)


if __name__ == "__main__":
    main(sys.argv[1])
