"""The page *Calibrate your scores here*: its scripts, and the example that it offers.

A page that is opened from disk may fetch no file, so the example is a script, loaded when a reader
asks for it.
"""

import json
from pathlib import Path

import calib

PAGE = "book/calibrate"
BOOK = Path(__file__).parents[1]
FOLDER = "_static/calibrate"
EXAMPLE = "census_scores.csv"
# in the order in which they need one another
MODULES = (
    *("draws", "special", "fitting", "measures", "reading", "spline", "maps", "comparing"),
    *("verdict", "exporting", "offers", "answer"),
)


def add_assets(app, pagename, templatename, context, doctree):
    """Load the scripts on that page alone."""
    if pagename == PAGE:
        for name in ("widgets/widget.css", "calibrate/calibrate.css"):
            app.add_css_file(name)
        version = json.dumps(calib.__version__)
        app.add_js_file(None, body=f"const CALIB_VERSION = {version};")
        for name in ("widgets/widget", *(f"calibrate/{module}" for module in MODULES)):
            app.add_js_file(f"{name}.js", loading_method="defer")
        for name in ("fields", "page"):
            app.add_js_file(f"calibrate/{name}.js", loading_method="defer")


def write_example(app, exception):
    """Write the example as a script."""
    if exception is None and app.builder.format == "html":
        text = (BOOK / EXAMPLE).read_text(encoding="utf-8")
        example = {"name": EXAMPLE, "text": text, "score": "score", "label": "income"}
        script = f"const EXAMPLE = {json.dumps(example | {'positive': '>50K'})};\n"
        Path(app.outdir, FOLDER, "example.js").write_text(script, encoding="utf-8")


def setup(app):
    """Add the scripts, and write the example at the end."""
    app.connect("html-page-context", add_assets)
    app.connect("build-finished", write_example)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
