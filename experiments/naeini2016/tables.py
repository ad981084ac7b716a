"""Tables I to VI of Naeini and Cooper (2016): our numbers for the printed cells."""

from functools import partial

import numpy as np
from scipy import stats

from experiments.contents import Cause, Ours, Table, mean_of, select
from experiments.naeini2014.program import FITTED_C, ONE_TABLE, PROGRAM
from experiments.naeini2014.protocol import N_RUNS
from experiments.naeini2014.tables import by_svm
from experiments.naeini2014.variants import penalty_causes
from experiments.naeini2016.data import DATA_SETS
from experiments.naeini2016.protocol import by_data_set
from experiments.naeini2016.recoded import CUT, CUT_SIZES, PUBLIC, RECODED, VERSIONS
from experiments.naeini2016.settings import NEAREST, SETTINGS
from experiments.statistics import relative_change

MEASURES = ["AUC", "ACC", "RMSE", "ECE", "MCE"]
METHODS = {"IsoRegC": "Isotonic", "BBQ": "BBQ", "ENIR": "ENIR"}
CLASSIFIERS = {"4": "LR", "5": "SVM", "6": "NB"}
N_DATA_SETS = 40  # of the paper
NEAREST_OF = "Isotonic nearest"
QUANTILES = {"min": 0, "q1": 0.25, "median": 0.5, "q3": 0.75, "max": 1}


def rings(read, svm, ties, C=None, fitted=False, folded=False):
    """Table I; with another C, the row of the raw score.

    `fitted` as in Table 1 of 2014; `folded`: an AUC below 1/2 is taken of the reversed score.
    """
    methods = {"SVM": "Raw", **METHODS}
    if C is not None:
        rows, methods = read("naeini2014_rings_penalties"), {"SVM": "Raw"}
        chosen = {"ties": ties, "C": float(C)}
    elif svm == "quadratic" and not fitted:
        rows = read(PROGRAM.name)
        chosen = {"ties": ties, "size": ONE_TABLE, "classes": "halves"}
    else:
        rows, chosen = read("naeini2016_rings"), {"ties": ties, "svm": svm}
    found = {
        (short, measure): select(rows, measure, method=method, **chosen)
        for short, method in methods.items()
        for measure in MEASURES
    }
    if folded:
        found = {
            cell: np.maximum(values, 1 - values)
            for cell, values in found.items()
            if cell[1] == "AUC"
        }
    return {cell: mean_of(values, N_RUNS) for cell, values in found.items()}


def values_of(
    read,
    classifier,
    measure,
    methods,
    ties,
    over="folds",
    scored="same",
    setting="study",
    recoded=False,
):
    """Measure by data set and method; in a setting of `SETTINGS` where it was tried, else ours.

    `recoded`: the two sets of `experiments.naeini2016.recoded` in their other versions.
    """
    column = f"{measure} {ties}" if measure in ["ECE", "MCE"] else measure
    rows, chosen = read("naeini2016_data_sets"), {"classifier": classifier, "over": over}
    if NEAREST_OF in methods:  # recorded for the first run: the others are taken of that, too
        nearest = by_data_set(read(NEAREST.name), column, [NEAREST_OF], **chosen)
        others = [name for name in methods if name != NEAREST_OF]
        found = by_data_set(rows, column, others, scored=scored, run=0, **chosen)
        return np.insert(found, [methods.index(NEAREST_OF)], nearest, axis=1)
    found = by_data_set(rows, column, methods, scored=scored, **chosen)
    if setting != "study":
        varied, chosen = read("naeini2016_settings"), {"classifier": classifier, "setting": setting}
        tried = np.isin(np.unique(rows["dataset"]), select(varied, "dataset", **chosen))
        found[tried] = by_data_set(varied, column, methods, over=over, **chosen)
    if recoded:
        other = {"classifier": classifier, "over": over, "scored": scored}
        those = np.isin(np.unique(rows["dataset"]), list(CUT))
        found[those] = by_data_set(read(RECODED.name), column, methods, **other)
    return found


def improvement(read, ties, over="folds", scored="same", of="", setting="study", recoded=False):
    """Table II: both ends of the interval of the mean relative change by ENIR.

    Of one classifier only, where a setting of it is given.
    """
    found = {}
    for measure in MEASURES:
        for classifier in [of] if of else CLASSIFIERS.values():
            how = ties, over, scored, setting, recoded
            enir, raw = values_of(read, classifier, measure, ["ENIR", "Raw"], *how).T
            changes = enir / raw - 1
            # the end of an interval inherits the error of the mean and that of its own width
            n, width = changes.size, stats.t.ppf(0.975, changes.size - 1)
            widened = np.sqrt(1 / n + 1 / N_DATA_SETS) * np.sqrt(1 + width**2 / (2 * (n - 1)))
            spread = float(changes.std(ddof=1))
            for end, value in zip(["low", "high"], relative_change(enir, raw), strict=True):
                found[f"{measure} / {classifier}", end] = Ours(value, spread, n, spread * widened)
    return found


def ranks(
    read,
    classifier,
    ties,
    over="folds",
    scored="same",
    isotonic="",
    of="",
    setting="study",
    recoded=False,
):
    """Tables IV to VI; `isotonic` tells how the map of isotonic regression is read.

    Nothing changes for another classifier than the one `of` which a setting is given.
    """
    setting = setting if of == classifier else "study"
    names = [f"{name}{isotonic if name == 'Isotonic' else ''}" for name in METHODS.values()]
    found = {}
    for measure in MEASURES:
        how = ties, over, scored, setting, recoded
        values = values_of(read, classifier, measure, names, *how)
        signs = -1 if measure in ["AUC", "ACC"] else 1
        own = stats.rankdata(signs * values, axis=1)
        for short, ranked in zip(METHODS, own.T, strict=True):
            found[measure, short] = mean_of(ranked, N_DATA_SETS)
    return found


def data_sets(read, versions=False, recoded=False):
    """Table III: quantiles of the sizes of the forty sets, three of them by their descriptions.

    `versions` and `recoded`: those of `experiments.naeini2016.recoded` that the table suggests.
    """
    sizes = {one.paper: (one.rows, one.minority) for one in DATA_SETS} | PUBLIC
    sizes |= VERSIONS if versions else {}
    sizes |= CUT_SIZES if recoded else {}
    rows, minority = np.array(list(sizes.values())).T
    return {
        (quantity, name): Ours(float(np.quantile(values, q, method="hazen")))
        for quantity, values in {"size": rows, "minority_share": minority / rows}.items()
        for name, q in QUANTILES.items()
    }


_TEN_RUNS = (
    "The printed numbers are taken to be means of ten runs, each with the standard deviation of "
    "ours."
)
_FORTY = (
    "The paper's 40 data sets are taken to vary as our 37 do, and to be other ones; most are the "
    "same, so that the real error is smaller."
)
_CHAPTER, _RINGS, _DATA_SETS = "23_many_data_sets", "naeini2016_rings", "naeini2016_data_sets"
_on_data_sets = partial(Table, chapter=_CHAPTER, experiments=(_DATA_SETS,), uncertainty=_FORTY)
TABLES = (
    *by_svm(
        "naeini2016",
        1,
        "four columns of scores on the rings",
        ties="width",
        keys=("method",),
        chapter="11_enir",
        ours=rings,
        experiment=_RINGS,
        uncertainty=_TEN_RUNS,
    ),
    _on_data_sets(
        name="table2",
        title="95 % intervals of the mean relative change by ENIR against the raw score",
        file="naeini2016_table2_improvement_ci",
        keys=("measure", "classifier"),
        ours=improvement,
        reading={"ties": "width"},
    ),
    Table(
        name="table3",
        title="quantiles of the sizes of the data sets and of the share of the rarer class",
        file="naeini2016_table3_datasets",
        keys=("quantity",),
        chapter=_CHAPTER,
        ours=data_sets,
        uncertainty="Nothing is random; a number agrees if ours rounds to it.",
        digits_by="row",
    ),
    *(
        _on_data_sets(
            name=f"table{number}",
            title=f"average ranks over the data sets, {classifier}",
            file=f"naeini2016_table{number}_ranks_{classifier.lower()}",
            keys=("measure",),
            columns=tuple(METHODS),
            ours=ranks,
            reading={"classifier": classifier, "ties": "width"},
        )
        for number, classifier in CLASSIFIERS.items()
    ),
)
CHANGED = {"LR": "logistic regression", "SVM": "support vector machine", "NB": "naive Bayes"}
_RANKS = ("table4", "table5", "table6")
_grouped = partial(
    Cause,
    setting="grouping",
    tables=("table1a", "table1b", "table2", *_RANKS),
    chapter=_CHAPTER,
    experiments=(_RINGS, PROGRAM.name, _DATA_SETS),
)
_by_label = partial(
    Cause,
    tables=("table2", *_RANKS),
    chapter=_CHAPTER,
    experiments=(_DATA_SETS,),
    after="ties-by-label",
)
_VERSIONS = {"versions": True}


def _not_counts(place):
    """All but Table III had no part in the choice of the cuts."""
    return place[0] != "table3"


CAUSES = (
    _grouped(
        name="ties-by-label",
        title="ten groups of equal size, equal predictions sorted by their label, as in the "
        "authors' code, not ten intervals of equal width",
        changes={"ties": "label"},
    ),
    _grouped(
        name="ties-together",
        title="ten groups of equal size, equal predictions kept together",
        changes={"ties": "group"},
    ),
    _by_label(
        name="pooled",
        title="measured once over all rows, not on each fold",
        changes={"over": "pooled"},
    ),
    *(
        _by_label(
            name=f"isotonic-{side}",
            setting="isotonic regression",
            title=f"isotonic regression read as steps, a score taking the value {which} it, ENIR "
            "interpolated",
            changes={"isotonic": f" {side}"},
            tables=_RANKS,
            experiments=(_DATA_SETS,) if which == side else (_DATA_SETS, NEAREST.name),
        )
        for side, which in {"above": "above", "below": "below", "nearest": "nearest to"}.items()
    ),
    _by_label(
        name="held-out",
        title="calibrated on held-out scores",
        changes={"scored": "folds"},
    ),
    *(
        _by_label(
            name=f"{classifier}-{setting.replace(',', '').replace(' ', '-')}".lower(),
            title=f"{CHANGED[classifier]}: {setting}",
            changes={"of": classifier, "setting": setting},
            tables=("table2", table),
            experiments=("naeini2016_settings",),
            setting=CHANGED[classifier],
        )
        for classifier, setting in SETTINGS
        for table in [f"table{number}" for number, one in CLASSIFIERS.items() if one == classifier]
        if setting != "study"
    ),
    *penalty_causes(["table1a"], chapter="11_enir"),
    FITTED_C(tables=("table1b",), experiments=(PROGRAM.name, _RINGS)),
    Cause(
        name="folded-auc",
        title="an AUC below 1/2 is that of the reversed score, max(AUC, 1 - AUC)",
        changes={"folded": True},
        tables=("table1a", "table1b"),
        chapter="11_enir",
        experiments=(_RINGS, PROGRAM.name),
        documented="BBQ/getAUC.m and enir.R in github.com/pakdaman/calibration",
    ),
    *(
        Cause(
            name=name,
            title=title,
            changes=changes,
            tables=("table3",),
            chapter=_CHAPTER,
            experiments=(RECODED.name,),
            setting="versions of the data sets",
            tuned="the versions: by the counts of Table III",
        )
        for name, title, changes in [
            ("other-versions", "five sets in the versions that the sizes suggest", _VERSIONS),
            (
                "other-versions-recoded",
                "the same, and satimage and pendigits cut into halves of their classes",
                _VERSIONS | {"recoded": True},
            ),
        ]
    ),
    _by_label(
        name="recoded",
        title="satimage and pendigits cut into halves of their classes, as Table III suggests",
        changes={"recoded": True},
        experiments=(_DATA_SETS, RECODED.name),
        tuned="the cuts: by the counts of Table III, which is no table here",
        unused=_not_counts,
    ),
)
