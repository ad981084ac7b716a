"""Our numbers on prose pages, computed from the recorded results when the site is built.

A page writes ``{{ name }}``; what is recorded anew is printed anew.
"""

import math

from calib.experiments import recorded
from calib.experiments.ledger import (
    AGREES,
    EXPLAINED,
    NOT_COMPARABLE,
    UNEXPLAINED,
    read_ledger,
    totals,
)


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
    """Counts of the ledger, for each paper that has tables and for all: ledger_vovk2014_agree."""
    found = read_ledger()
    for paper in ["all", *dict.fromkeys(entry.paper for entry in found)]:
        count = totals([entry for entry in found if paper in ("all", entry.paper)])
        comparable = count["all"] - count[NOT_COMPARABLE]
        settled = count[AGREES] + count[EXPLAINED]
        numbers = {
            "numbers": count["all"],
            "comparable": comparable,
            "agree": count[AGREES],
            "explained": count[EXPLAINED],
            "settled": settled,
            "unexplained": count[UNEXPLAINED],
            "not_comparable": count[NOT_COMPARABLE],
        }
        yield from ((f"ledger_{paper}_{name}", f"{n}") for name, n in numbers.items())
        yield f"ledger_{paper}_share", f"{settled / comparable:.0%}"
    infinite = sum(math.isinf(entry.published) and math.isinf(entry.ours) for entry in found)
    yield "ledger_both_infinite", f"{infinite}"


def configure(app, config):
    """Hand the numbers to MyST."""
    config.myst_substitutions = config.myst_substitutions | dict(rings()) | dict(ledger())


def setup(app):
    """Configure before pages are read."""
    app.connect("config-inited", configure, priority=1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
