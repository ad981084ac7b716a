"""Figures that the build draws from a program on a page look like those of the chapters."""

from matplotlib import cycler

from calibkit.diagrams import STYLE

# The colours of the widgets. A method has its own (experiments/styles.py).
COLORS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]


def configure(app, config):
    """Hand the style to Matplotlib's plot directive. The salt keeps the names inside a drawing."""
    colours = cycler(color=COLORS)
    config.plot_rcparams = STYLE | {"axes.prop_cycle": colours, "svg.hashsalt": "book"}


def setup(app):
    """Configure before pages are read."""
    app.connect("config-inited", configure)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
