"""Our numbers on prose pages: those that the chapters glue into their own text.

A page writes ``{{ c14_same }}`` for what chapter 14 glues as ``c14-same``. Chapters compute it, and
the test suite runs them again and compares, so that no page can fall behind.
"""

import json
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
TEXT = "application/papermill.record/text/plain"


def glued():
    """Name and text of everything that a chapter glues as text."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                name = output.get("metadata", {}).get("scrapbook", {}).get("name")
                if name and TEXT in output["data"]:
                    yield name.replace("-", "_"), "".join(output["data"][TEXT]).strip("'")


def configure(app, config):
    """Hand the numbers to MyST."""
    config.myst_substitutions = config.myst_substitutions | dict(glued())


def setup(app):
    """Configure before pages are read."""
    app.connect("config-inited", configure, priority=1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
