"""The picture that others see of the book where somebody shares a page: its first figure."""

import runpy
from pathlib import Path

import matplotlib as mpl

from calibkit.diagrams import STYLE

SIZE = (12, 6.3)  # inches of 100 pixels: what networks show
NAME = "preview.png"


def draw(app, exception):
    """Draw the first figure beside the title of the book."""
    if exception is not None or app.builder.format != "html":
        return
    style = STYLE | {"savefig.bbox": "standard", "figure.facecolor": "white", "savefig.dpi": 100}
    with mpl.rc_context(style):
        figure = runpy.run_path(str(Path(app.srcdir, "book", "first_figure.py")))["figure"]
        figure.set_size_inches(*SIZE)
        figure.get_layout_engine().set(rect=(0.46, 0.04, 0.5, 0.92))
        title = "\n".join(app.config.html_title.split())
        figure.text(0.05, 0.5, title, fontsize=44, fontweight="bold", va="center")
        path = Path(app.outdir, "_static", NAME)
        figure.savefig(path, metadata={"Software": None})
        mpl.pyplot.close(figure)


def setup(app):
    """Draw when all is written."""
    app.connect("build-finished", draw)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
