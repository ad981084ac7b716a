"""The page Teach names the sections of which lectures are made, and tells how long they are."""

import json
import re
from collections import Counter

from course.tools.chapters import NOTEBOOKS
from course.tools.slides import SOURCES
from course.tools.source import set_names
from experiments.chapter_numbers import number_of

TEACH = SOURCES.parents[1] / "book" / "teach.md"
ROW = re.compile(r"^\| (\d+) \| ([\d.]+) \| (\[C?\d+\]\(.*:.*) \|$", re.M)
LECTURE, SET, PACE = 1.5, 4, 2000  # hours, hours, words an hour
CHAPTER = re.compile(r"\[(C?\d+)\]\(\S+\): ([^;|]+)")


def chapters():
    """Words by chapter and section, and the section of each label."""
    words, places = Counter(), {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        section = number_of(path.stem), ""
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            figure = cell["metadata"].get("mystnb", {}).get("figure")
            if figure:
                places[figure["name"]] = section
            if cell["cell_type"] != "markdown":
                continue
            for part in re.split(r"^(?=## )", "".join(cell["source"]), flags=re.M):
                title = re.match(r"## (.*)", part)
                section = (section[0], title[1]) if title else section
                words[section] += len(part.split())
                places |= dict.fromkeys(re.findall(r"^:label: (\S+)", part, re.M), section)
    return words, places


def shown(places):
    """The sections whose statements and figures the lectures show, by week."""
    for path in sorted(SOURCES.glob("[0-9]*.md")):
        labels = re.findall(r"^:::\{(?:statement|figure)\} (\S+)", path.read_text("utf-8"), re.M)
        yield int(path.name[:2]), {places[label] for label in labels if places[label][1]}


def named():
    """Week, hours and sections, as the page names them."""
    for week, hours, row in ROW.findall(TEACH.read_text(encoding="utf-8")):
        pairs = CHAPTER.findall(row)
        yield (
            int(week),
            float(hours),
            {(n, title) for n, t in pairs for title in re.findall(r"\*(.+?)\*", t)},
        )


def test_the_sections_of_the_lectures_are_named():
    _, places = chapters()
    listed = {week: sections for week, _, sections in named()}
    assert list(listed) == [int(name[:2]) for name in set_names()]
    for week, sections in shown(places):
        assert sections <= listed[week], week


def test_a_week_has_as_many_words_as_the_page_says():
    words, _ = chapters()
    assert all(section in words for _, _, sections in named() for section in sections)
    lengths = [sum(words[section] for section in sections) for _, _, sections in named()]
    least, most = re.search(r"between ([\d,]+) and ([\d,]+) words", TEACH.read_text()).groups()
    assert int(least.replace(",", "")) <= min(lengths)
    assert max(lengths) <= int(most.replace(",", ""))


def test_the_hours_are_those_of_lecture_sections_and_set():
    words, _ = chapters()
    for week, hours, sections in named():
        needed = LECTURE + sum(words[section] for section in sections) / PACE + SET
        assert hours == round(2 * needed) / 2, week
