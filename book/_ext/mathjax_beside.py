"""Put MathJax into the site, so that formulas render from disk, without a network.

The PyPI package ``sphinx-mathjax-offline`` carries MathJax 3. Its own extension copies all 24 MB
of it; the pages need one file of 2 MB: SVG output needs no fonts.
"""

from importlib.util import find_spec
from pathlib import Path

from sphinx.util.fileutil import copy_asset_file

SCRIPT = "mathjax/tex-mml-svg.js"


def copy_script(app, exception):
    """Copy the script into the static folder of a finished site."""
    if exception is None and app.builder.format == "html":
        package = Path(find_spec("sphinx-mathjax-offline").origin).parent
        target = Path(app.outdir, "_static", SCRIPT)
        target.parent.mkdir(parents=True, exist_ok=True)
        copy_asset_file(package / "static" / SCRIPT, target)


def setup(app):
    """Point Sphinx at the copy."""
    app.config.mathjax_path = SCRIPT
    app.connect("build-finished", copy_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
