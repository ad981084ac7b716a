"""Our numbers on prose pages, computed from the recorded results when the site is built.

A page writes ``{{ name }}``; what is recorded anew is printed anew.
"""

import csv
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).resolve().parents[2] / "results"
RINGS = {"isotonic": "Isotonic", "histogram": "Histogram"}


def rows(table):
    """Rows of a recorded table, as dictionaries of strings."""
    with (RESULTS / f"{table}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rings():
    """Means over ten runs after the linear SVM, by method, measure and policy for ties."""
    recorded = [row for row in rows("naeini2014_rings") if row["svm"] == "linear"]
    for name, method in RINGS.items():
        for measure in ["ECE", "MCE", "AUC", "RMSE"]:
            for ties in ["label", "group"]:
                values = [
                    float(row[measure])
                    for row in recorded
                    if row["method"] == method and row["ties"] == ties
                ]
                yield f"rings_{name}_{measure}_{ties}".lower(), f"{np.mean(values):.2f}"


def numbers():
    """Every number by its name on the pages."""
    return dict(rings())


def configure(app, config):
    """Hand the numbers to MyST."""
    config.myst_substitutions = config.myst_substitutions | numbers()


def setup(app):
    """Configure before pages are read."""
    app.connect("config-inited", configure, priority=1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
