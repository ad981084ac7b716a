"""Offer on the built site the books for paper and e-readers that have been made of it.

python tools/offer_downloads.py        copies them into the site, and fills its lists of downloads

Pages say where such a list is, with ``<div class="downloads"></div>``; it stays empty while there
is no book. The site is built anew without them: a book of older pages is not offered.
"""

import os
import re
import shutil

import checksums
from book_pages import CITATION, SHORT, SITE

PLACE = re.compile(r'<div class="downloads">.*?</div>', re.DOTALL)
FOLDER = "_downloads"
BOOKS = {"calibration-in-an-hour": SHORT, "calibrating-binary-classifiers": CITATION["title"]}
KINDS = {"pdf": "PDF", "epub": "EPUB"}


def made(folder):
    """Path, title and kind of each book that there is."""
    for stem, title in BOOKS.items():
        for suffix, kind in KINDS.items():
            if (path := folder / f"{stem}.{suffix}").exists():
                yield path, title, kind


def listed(books, page, site):
    """The list of the books for a page."""
    above = os.path.relpath(site / FOLDER, page.parent)
    items = {}
    for path, title, kind in books:
        size = path.stat().st_size / 1e6
        link = f'<a class="reference download" href="{above}/{path.name}" download>{kind}</a>'
        items.setdefault(title, []).append(f"{link} ({size:.1f} MB)")
    lines = [f"<li><em>{title}</em>: {', '.join(links)}</li>" for title, links in items.items()]
    text = f"<p>To read elsewhere:</p><ul>{''.join(lines)}</ul>" if lines else ""
    return f'<div class="downloads">{text}</div>'


def offer(site):
    """Copy the books beside the site into it, and list them where a page has a place for that."""
    books = list(made(site.parent))
    for path, _, _ in books:
        shutil.copy(path, site / FOLDER)
    for page in site.rglob("*.html"):
        html = page.read_text(encoding="utf-8")
        if PLACE.search(html):
            page.write_text(PLACE.sub(listed(books, page, site), html), encoding="utf-8")
    checksums.offer(site)
    return [path for path, _, _ in books]


if __name__ == "__main__":
    print(f"The site offers {', '.join(path.name for path in offer(SITE)) or 'no book'}.")
