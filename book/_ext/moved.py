"""Old addresses of chapters that have another number now: a small page at each leads to the new.

``moved.csv`` has a row for each old page: the page where it goes on, and the one that was cut from
it, if any. The rows are those of two renumberings. An anchor leads to the same place, whatever
number its label has now.
"""

import csv
import json
import re
from pathlib import Path

TABLE = Path(__file__).with_suffix(".csv")
NUMBER = re.compile(r"(?<![a-z0-9])c\d+(?=-)")  # the chapter in a label
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>This chapter has moved</title>
<meta name="robots" content="noindex">
<script>
const places = {places};
const place = location.hash.slice(1).replace(/(?<![a-z0-9])c\\d+(?=-)/, "c");
location.replace(places[place] || "{new}");
</script>
<meta http-equiv="refresh" content="1; url={new}">
</head>
<body><p>This chapter has another number now: <a href="{new}">{new}</a></p></body>
</html>
"""


def rows():
    """Old page, its new one, and what was cut from it or an empty string."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return [(row["old"], row["new"], row["cut"]) for row in csv.DictReader(file)]


def places(folder, pages):
    """The anchors of pages, without the numbers of chapters: their addresses now."""
    found = {}
    for page in pages:
        text = (folder / f"{page}.html").read_text(encoding="utf-8")
        article = text[text.index("<article") : text.rindex("</article>")]
        for name in re.findall(r'\sid="([^"]+)"', article):
            found.setdefault(NUMBER.sub("c", name), f"{page}.html#{name}")
    return found


def write(app, failure):
    """A page at each old address, beside the pages of the chapters."""
    if failure or app.builder.name != "html":
        return
    folder = Path(app.outdir, "notebooks")
    chapters = app.env.found_docs
    for old, new, cut in rows():
        if f"notebooks/{new}" not in chapters:  # a site of some pages, as tests have
            continue
        anchors = json.dumps(places(folder, filter(None, [new, cut])))
        (folder / f"{old}.html").write_text(
            PAGE.format(new=f"{new}.html", places=anchors), encoding="utf-8"
        )


def setup(app):
    """Write when all pages are there."""
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
