"""Copy the built site to the place the reader chose, and say where to open it.

python tools/place_site.py PLACE
"""

import shutil
import sys
from pathlib import Path

SITE = Path(__file__).resolve().parents[1] / "book" / "_build" / "html"


def place(site, target):
    """Make `target` a copy of `site`; only an empty folder or an older copy is replaced."""
    if target.exists() and any(target.iterdir()):
        if not (target / "objects.inv").exists():
            sys.exit(f"{target} holds something else: choose an empty or a new folder as SITE")
        shutil.rmtree(target)
    shutil.copytree(site, target, dirs_exist_ok=True)


if __name__ == "__main__":
    target = Path(sys.argv[1]).expanduser().resolve()
    if target != SITE:
        place(SITE, target)
    print(f"The book is ready: open {(target / 'index.html').as_uri()}")
