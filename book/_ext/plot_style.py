"""Figures that the build draws from a program on a page look like those of the chapters."""

from calibkit.diagrams import STYLE


def configure(app, config):
    """Hand the style to Matplotlib's plot directive; the same drawing has the same names inside."""
    config.plot_rcparams = STYLE | {"svg.hashsalt": "book"}


def setup(app):
    """Configure before pages are read."""
    app.connect("config-inited", configure)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
