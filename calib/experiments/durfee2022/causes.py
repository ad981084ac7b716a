"""Supposed causes of differences from Durfee, Gupta and Basu (2022).

The text does not say, or has lost, much of the protocol. Table 23.2 of chapter 23 lists what; for
each of its rows that our records allow to read otherwise there is a cause for every other reading,
tried on standardised numbers and on raw ones. So what is tried does not depend on what it yields.
"""

from itertools import product

from calib.experiments.contents import Cause
from calib.experiments.durfee2022.protocol import TREES
from calib.experiments.durfee2022.tables import TABLES

_AREAS = tuple(table.name for table in TABLES if table.name != "table4")
_RAW = Cause(
    name="raw-inputs",
    title="numbers that are not standardised",
    changes={"inputs": "raw"},
    tables=_AREAS,
    chapter="23_network_experiments",
    experiments=("durfee2022_lift",),
)
_OTHERS = {  # what is set, and its other readings: name, title, changes
    "label": [
        (
            "readmitted-early",
            "readmission within 30 days as the label of Diabetes, not at any time",
            {"label": "early"},
        ),
    ],
    "training": [
        ("hundred-epochs", "100 epochs in place of 30", {"n_epochs": 100}),
        (
            "last-epoch",
            "100 epochs, the last one in place of the best by validation AUC",
            {"n_epochs": 100, "kept": "last"},
        ),
    ],
    "widths": [
        ("wider", "networks of our next larger size", {"wider": 1}),
        ("narrower", "networks of our next smaller size", {"wider": -1}),
    ],
    "rates": [
        ("without-smallest-rate", "learning rates 0.001 and 0.01 only", {"rates": (1e-3, 1e-2)}),
        ("without-largest-rate", "learning rates 0.0001 and 0.001 only", {"rates": (1e-4, 1e-3)}),
    ],
    "tree": [
        (
            f"depth-{depth}-leaf-{leaf}",
            f"trees of depth {depth} with at least {leaf} training rows in a leaf, always",
            {"tree": f"depth {depth} leaf {leaf}"},
        )
        for depth, leaf in TREES
    ],
    "ranking": [
        ("best-on-test", "best variants by the test AUC", {"ranked_by": "network"}),
        (
            "best-calibrated-on-test",
            "best variants by the test AUC after calibration by leaf",
            {"ranked_by": "heterogeneous"},
        ),
        ("best-of-each-run", "best variants chosen anew in each run", {"each_run": True}),
    ],
    "variant": [
        ("best-rate", "a variant is a regularisation at its best learning rate", {"tuned": True}),
    ],
    "half": [("half-down", "the best four of nine as the best half", {"half": "down"})],
}
_RECORDS = {"training": "durfee2022_epochs", "label": "durfee2022_label"}


def _cause(setting, name, title, changes, *, raw):
    return Cause(
        name=f"{name}-raw" if raw else name,
        title=f"{title}, raw numbers" if raw else title,
        changes=changes,
        tables=_AREAS,
        chapter="23_network_experiments",
        experiments=(_RECORDS.get(setting, "durfee2022_lift"),),
        after=_RAW.name if raw else "",
        setting=setting,
    )


CAUSES = (
    _RAW,
    *(
        _cause(setting, *other, raw=raw)
        for setting, others in _OTHERS.items()
        for raw, other in product([True, False], others)
    ),
)
