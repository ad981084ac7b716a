"""Names of the distributions: pages and chapters write ``-VERSION``, a reader sees the version."""

import calib

NAME = "calibrating_binary_classifiers-"


def name_version(app, docname, source):
    """Put in the version."""
    source[0] = source[0].replace(f"{NAME}VERSION", f"{NAME}{calib.__version__}")


def setup(app):
    """Run before the page is parsed."""
    app.connect("source-read", name_version)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
