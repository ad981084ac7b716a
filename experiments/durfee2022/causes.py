"""Supposed causes of differences from Durfee, Gupta and Basu (2022).

Much of the protocol is lost from the text we have or was never in it; the page
``networks_cell_by_cell`` lists what. For each entry of that list which our records allow to read in
another way there is a cause for every other reading, so that what is tried does not depend on what
it yields. Each is tried on standardised numbers, on raw ones, and on raw ones after the paper's 100
epochs, wherever there are records. The paper's whole budget, five runs of 100 epochs on all
training rows, is a cause, too, with the other readings after it.
"""

from experiments.contents import Cause
from experiments.durfee2022.last import EPOCHS as LASTS
from experiments.durfee2022.protocol import TREES
from experiments.durfee2022.scores import BUDGETS
from experiments.durfee2022.tables import TABLES

_AREAS = tuple(table.name for table in TABLES if table.name != "table4")
_CHAPTER = "networks_cell_by_cell"
_LIFT, _EPOCHS, _LABEL = "durfee2022_lift", "durfee2022_epochs", "durfee2022_label"
_LAST, _FULL = "durfee2022_last", "durfee2022_full"
_RAW = Cause(
    name="raw-inputs",
    title="numbers that are not standardised",
    changes={"inputs": "raw"},
    tables=_AREAS,
    chapter=_CHAPTER,
    experiments=(_LIFT,),
)


def _epochs(given, suffix, numbers):
    """The paper's number of epochs, and the two readings of which one is kept."""
    shared = {
        "tables": _AREAS,
        "chapter": _CHAPTER,
        "experiments": (_EPOCHS,),
        "after": given,
        "setting": "epochs",
    }
    return (
        Cause(
            name=f"hundred-epochs{suffix}",
            title=f"100 epochs in place of 30, {numbers}",
            changes={"n_epochs": 100},
            **shared,
        ),
        Cause(
            name=f"last-epoch{suffix}",
            title=f"100 epochs, the last one in place of the best by validation AUC, {numbers}",
            changes={"n_epochs": 100, "kept": "last"},
            **shared,
        ),
    )


_SELECTION = {  # what is set, and its other readings: name, title, changes
    "rates": [  # lost, like the widths
        ("without-smallest-rate", "learning rates 0.001 and 0.01 only", {"rates": (1e-3, 1e-2)}),
        ("without-largest-rate", "learning rates 0.0001 and 0.001 only", {"rates": (1e-4, 1e-3)}),
        ("middle-rate", "learning rate 0.001 only", {"rates": (1e-3,)}),
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
    "half": [("half-down", "the smaller half of an odd number of variants", {"half": "down"})],
}
_RECORDED_WITH_LIFT = {
    "widths": [
        ("wider", "networks of our next larger size", {"wider": 1}),
        ("narrower", "networks of our next smaller size", {"wider": -1}),
    ],
    "tree": [
        (
            f"depth-{depth}-leaf-{leaf}",
            f"trees of depth {depth} with at least {leaf} training rows in a leaf, always",
            {"tree": f"depth {depth} leaf {leaf}"},
        )
        for depth, leaf in TREES
    ],
}


def _readings(settings, given, suffix, numbers, experiment=_LIFT):
    """A cause for each other reading, with what it takes as given."""
    return tuple(
        Cause(
            name=f"{name}{suffix}",
            title=f"{title}, {numbers}",
            changes=changes,
            tables=_AREAS,
            chapter=_CHAPTER,
            experiments=(experiment,),
            after=given,
            setting=setting,
        )
        for setting, others in settings.items()
        for name, title, changes in others
    )


_ALL_ROWS = tuple(
    Cause(
        name=f"{kept}-of-{n_epochs}-all-rows",
        title=f"the {kept} of {n_epochs} epochs on all training rows, standardised numbers",
        changes={"n_epochs": n_epochs, "kept": kept, "all_rows": True},
        tables=_AREAS,
        chapter=_CHAPTER,
        experiments=(_LAST,),
        setting="epochs",
    )
    for kept, n_epochs in [("best", max(LASTS)), *(("last", n) for n in LASTS)]
)


def _paper_budget(given, suffix, numbers):
    """The paper's budget, and the last of its epochs in place of the best."""
    budget = {"budget": "paper", "rates": BUDGETS["full"].rates}
    return tuple(
        Cause(
            name=f"paper-budget{kept}{suffix}",
            title=f"the paper's budget, {title} of 100 epochs, {numbers}",
            changes=budget | changes,
            tables=_AREAS,
            chapter=_CHAPTER,
            experiments=(_FULL,),
            after=given,
            setting="budget",
        )
        for kept, title, changes in [
            ("", "the best", {}),
            ("-last", "the last", {"kept": "last"}),
        ]
    )


CAUSES = (
    _RAW,
    *_ALL_ROWS,
    *_epochs(_RAW.name, "-raw", "raw numbers"),
    *_epochs("", "", "standardised numbers"),
    Cause(
        name="readmitted-early",
        title="readmission within 30 days as the label of Diabetes, not at any time",
        changes={"label": "early"},
        tables=_AREAS,
        chapter=_CHAPTER,
        experiments=(_LABEL,),
    ),
    *_paper_budget("", "", "standardised numbers"),
    *_paper_budget(_RAW.name, "-raw", "raw numbers"),
    *_readings(_SELECTION, "paper-budget", "-paper", "the paper's budget", _FULL),
    *_readings(
        _SELECTION, "paper-budget-raw", "-paper-raw", "raw numbers, the paper's budget", _FULL
    ),
    *_readings(_SELECTION, "hundred-epochs-raw", "-longer", "raw numbers, 100 epochs", _EPOCHS),
    *_readings(_SELECTION | _RECORDED_WITH_LIFT, _RAW.name, "-raw", "raw numbers"),
    *_readings(_SELECTION | _RECORDED_WITH_LIFT, "", "", "standardised numbers"),
)
