"""Our numbers on prose pages, taken from the record and the chapters when the site is built.

A page writes ``{{ name }}``; what is computed anew is printed anew. The names:

* ``rings_isotonic_ece_label``: a mean of chapter 8's experiment;
* ``ledger_vovk2014_agree``, ``ledger_all_share``: counts of the ledger;
* ``hour_ece``: numbers of the short book, book/hour/census.py;
* ``c15_same``: what chapter 15 glues into its own text as ``c15-same``. Chapters compute it, and
  the test suite runs them again and compares.
"""

import json
import math
import sys
from pathlib import Path

from experiments import recorded
from experiments.ledger import (
    AGREES,
    EXPLAINED,
    NOT_COMPARABLE,
    UNEXPLAINED,
    read_ledger,
    totals,
)

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
HOUR = Path(__file__).resolve().parents[1] / "hour"
TEXT = "application/papermill.record/text/plain"


def rings():
    """Means over ten runs after the linear SVM, by method, measure and policy for ties."""
    rows = recorded("naeini2014_rings")
    for method in ["Isotonic", "Histogram"]:
        for measure in ["RMSE", "AUC", "ECE", "MCE"]:
            for ties in ["label", "group"]:
                kept = (rows["svm"] == "linear") & (rows["method"] == method)
                mean = rows[measure][kept & (rows["ties"] == ties)].mean()
                yield f"rings_{method}_{measure}_{ties}".lower(), f"{mean:.2f}"


def ledger():
    """Counts of the ledger, for each paper that has tables and for all."""
    found = read_ledger()
    for paper in ["all", *dict.fromkeys(entry.paper for entry in found)]:
        count = totals([entry for entry in found if paper in ("all", entry.paper)])
        numbers = {
            "numbers": count.numbers,
            "comparable": count.comparable,
            "agree": count[AGREES],
            "explained": count[EXPLAINED],
            "settled": count.settled,
            "unexplained": count[UNEXPLAINED],
            "not_comparable": count[NOT_COMPARABLE],
        }
        yield from ((f"ledger_{paper}_{name}", f"{n}") for name, n in numbers.items())
        yield f"ledger_{paper}_share", f"{count.share:.0%}"
    infinite = sum(math.isinf(entry.published) and math.isinf(entry.ours) for entry in found)
    yield "ledger_both_infinite", f"{infinite}"


def glued():
    """Name and text of everything that a chapter glues as text."""
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                name = output.get("metadata", {}).get("scrapbook", {}).get("name")
                if name and TEXT in output["data"]:
                    yield name.replace("-", "_"), "".join(output["data"][TEXT]).strip("'")


def hour_numbers():
    """Those of the short book, whose programs stand beside its pages."""
    sys.path.insert(0, str(HOUR))
    import census

    return census.numbers()


def numbers():
    """All of them, by name."""
    return dict(rings()) | dict(ledger()) | dict(glued()) | hour_numbers()


def configure(app, config):
    """Hand the numbers to MyST."""
    config.myst_substitutions = config.myst_substitutions | numbers()


def setup(app):
    """Configure before pages are read."""
    app.connect("config-inited", configure, priority=1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
