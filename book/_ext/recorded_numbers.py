"""Our numbers on prose pages, computed from the recorded results when the site is built.

A page writes ``{{ name }}``; what is recorded anew is printed anew.
"""

from calib.experiments import recorded


def rings():
    """Means over ten runs after the linear SVM, by method, measure and policy for ties."""
    rows = recorded("naeini2014_rings")
    for method in ["Isotonic", "Histogram"]:
        for measure in ["RMSE", "AUC", "ECE", "MCE"]:
            for ties in ["label", "group"]:
                kept = (rows["svm"] == "linear") & (rows["method"] == method)
                mean = rows[measure][kept & (rows["ties"] == ties)].mean()
                yield f"rings_{method}_{measure}_{ties}".lower(), f"{mean:.2f}"


def configure(app, config):
    """Hand the numbers to MyST."""
    config.myst_substitutions = config.myst_substitutions | dict(rings())


def setup(app):
    """Configure before pages are read."""
    app.connect("config-inited", configure, priority=1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
