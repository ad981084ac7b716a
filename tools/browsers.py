"""The browser that prints the book and tests the site: a Chromium that is installed already."""

import shutil

NAMES = ["chromium", "chromium-browser", "google-chrome"]
MISSING = f"none of the browsers {', '.join(NAMES)} is installed"


def chromium():
    """The path of the first of NAMES that is installed, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)
