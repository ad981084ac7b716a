"""Tables 1 to 3 of Naeini, Cooper and Hauskrecht (2014): our numbers for the printed cells."""

import numpy as np

from calib.experiments.contents import Cause, Ours, Table, mean_of, select
from calib.experiments.naeini2014.protocol import N_RUNS, SIZES
from calib.experiments.naeini2014.variants import BINS_AT

MEASURES = ["RMSE", "AUC", "ACC", "MCE", "ECE"]
METHODS = {
    "Hist": "Histogram",
    "Platt": "Platt",
    "IsoReg": "Isotonic",
    "KDE": "KDE",
    "DPM": "DPM",
}
VARIED = {
    "one Newton step": "Platt",
    "penalised slope": "Platt",
    "flat score": "SVM",
    "classes at random": "IsoReg",
}
PEOPLE = {"learning": (4843, 95_412), "validation": (4873, 96_367)}  # who answered, of how many


def rings(read, svm, ties, variant=None):
    """Table 1; with a variant, the one row that it is about."""
    if variant is not None:
        rows = read("naeini2014_rings_variants")
        names = {VARIED[variant]: {"variant": variant}}
    else:
        rows = read("naeini2014_rings")
        names = {short: {"method": name} for short, name in {"SVM": "Raw", **METHODS}.items()}
    found = {
        (short, measure): select(rows, measure, svm=svm, ties=ties, **where)
        for short, where in names.items()
        for measure in MEASURES
    }
    # the paper states no number of runs for this table
    return {cell: mean_of(values, 1) for cell, values in found.items() if values.size}


def calibration_size(
    read, svm, ties, n_bins="cube_root", sizes=SIZES, variant=None, at_random=False
):
    """Table 2; with a variant, the row of the raw score; or with random numbers of each class."""
    rows = read("naeini2014_calibration_size")
    measures = ["AUC", "MCE", "ECE"]
    if variant is not None:
        varied = read("naeini2014_rings_variants")
        raw = {m: select(varied, m, svm=svm, ties=ties, variant=variant) for m in measures}
        return {("base", m): mean_of(v, N_RUNS) for m, v in raw.items() if v.size}
    if at_random:
        rows, chosen = read("naeini2014_size_variants"), {"ties": ties}
    else:
        chosen = {"svm": svm, "n_bins": n_bins, "ties": ties}
    found = {
        (f"1e{len(str(size)) - 1}", m): select(rows, m, size=size, **chosen)
        for size in sizes
        for m in measures
    }
    if not at_random:
        found |= {("base", m): select(rows, m, svm=svm, n_bins="raw", ties=ties) for m in measures}
    return {cell: mean_of(values, N_RUNS) for cell, values in found.items()}


def mailing(read, classifier, short, ties, scored="same", margins=False, base_rate="learning"):
    """Table 3. `margins`: rows of methods fitted to margins; `base_rate`: the RMSE at another one.

    The ten halves share their people: their mean is about as uncertain as a single result on a file
    of the size of the paper's, the standard deviation of one half. For a profit it is recorded.
    """
    rows = read("naeini2014_kdd98")
    methods = {name: f"{METHODS[name]} on margins" for name in ["Platt", "DPM"]}
    found = {}
    for name, method in (methods if margins else {short: "Raw", **METHODS}).items():
        chosen = {"classifier": classifier, "scored": scored, "method": method, "ties": ties}
        for measure in MEASURES:
            values = select(rows, measure, **chosen)
            if measure == "RMSE":
                values = values + _deviation(base_rate) - _deviation("learning")
            found[name, measure] = _one_of_two(values, values.std(ddof=1))
        profits, errors = (select(rows, column, **chosen) for column in ["profit", "profit_se"])
        found[name, "Profit"] = _one_of_two(profits, errors.mean())
    if base_rate != "learning":
        return {cell: ours for cell, ours in found.items() if cell[1] == "RMSE"}
    return found


def _one_of_two(values, error):
    """Printed number and ours, each with this standard error."""
    spread = float(values.std(ddof=1))
    return Ours(float(values.mean()), spread, values.size, float(np.sqrt(2) * error))


def _deviation(file):
    """Standard deviation of the labels of a file."""
    answered, people = PEOPLE[file]
    share = answered / people
    return np.sqrt(share * (1 - share))


_ONE_RUN = (
    "The number of runs is not stated: the printed number is taken to be one run, with the "
    "standard deviation of ours."
)
_TEN_RUNS = (
    "The paper says that it averaged ten runs; each is taken to have the standard deviation of "
    "ours."
)
_ONE_CAMPAIGN = (
    "The printed number is one result on one file; it and the mean of our ten halves, which share "
    "their people, are each given the standard deviation of one half, profits the recorded "
    "standard error of one campaign."
)
TABLES = (
    *(
        Table(
            name=f"table1{part}",
            title=f"six columns of scores on the rings, {svm} SVM",
            file=f"naeini2014_table1{part}_svm_{svm}",
            keys=("method",),
            chapter="08_rings",
            ours=rings,
            reading={"svm": svm, "ties": "group"},
            experiments=("naeini2014_rings",),
            uncertainty=_ONE_RUN,
        )
        for part, svm in [("a", "linear"), ("b", "quadratic")]
    ),
    *(
        Table(
            name=f"table2{part}",
            title=f"histogram binning on 100 to 1,000,000 points, {svm} SVM",
            file=f"naeini2014_table2{part}_svm_{svm}",
            keys=("calibration_size",),
            chapter="09_calibration_size",
            ours=calibration_size,
            reading={"svm": svm, "ties": "group"},
            experiments=("naeini2014_calibration_size",),
            uncertainty=_TEN_RUNS,
        )
        for part, svm in [("a", "linear"), ("b", "quadratic")]
    ),
    *(
        Table(
            name=f"table3{part}",
            title=f"the KDD-98 mailing, {title}",
            file=f"naeini2014_table3{part}_kdd98_{classifier.lower()}",
            keys=("method",),
            chapter="10_decisions_and_money",
            ours=mailing,
            reading={"classifier": classifier, "short": classifier, "ties": "group"},
            experiments=("naeini2014_kdd98",),
            uncertainty=_ONE_CAMPAIGN,
        )
        for part, classifier, title in [
            ("a", "LR", "logistic regression"),
            ("b", "NB", "naive Bayes"),
            ("c", "SVM", "support vector machine"),
        ]
    ),
)
_NAMES = [table.name for table in TABLES]
CAUSES = (
    Cause(
        name="ties-by-label",
        title="equal predictions are sorted by their label before they are cut into ten groups, as "
        "in the code that the authors published later",
        changes={"ties": "label"},
        tables=tuple(_NAMES),
        chapter="08_rings",
        experiments=("naeini2014_rings", "naeini2014_calibration_size", "naeini2014_kdd98"),
    ),
    Cause(
        name="ten-bins-at-100",
        title="ten bins, not the cube root of 100",
        changes={"n_bins": "10", "sizes": SIZES[:1]},
        tables=("table2a", "table2b"),
        chapter="09_calibration_size",
        experiments=("naeini2014_calibration_size",),
        after="ties-by-label",
    ),
    Cause(
        name="one-newton-step",
        setting="slope of Platt scaling",
        title="Platt scaling stopped after its first Newton step",
        changes={"variant": "one Newton step"},
        tables=("table1a", "table1b"),
        chapter="08_rings",
        experiments=("naeini2014_rings_variants",),
        after="ties-by-label",
    ),
    Cause(
        name="penalised-slope",
        title="Platt scaling with a penalty of 7 on half the square of its slope",
        changes={"variant": "penalised slope"},
        tables=("table1a", "table1b"),
        chapter="08_rings",
        experiments=("naeini2014_rings_variants",),
        after="ties-by-label",
        setting="slope of Platt scaling",
    ),
    Cause(
        name="flat-score",
        title="raw scores that are centred and flatter than the sigmoid of the margin",
        changes={"variant": "flat score"},
        tables=("table1a", "table2a"),
        chapter="08_rings",
        experiments=("naeini2014_rings_variants",),
        after="ties-by-label",
    ),
    Cause(
        name="classes-at-random",
        title="class sizes that are random, not exact halves",
        changes={"variant": "classes at random"},
        tables=("table1a",),
        chapter="08_rings",
        experiments=("naeini2014_rings_variants",),
        after="ties-by-label",
    ),
    Cause(
        name="class-sizes-at-random",
        title="class sizes that are random, not exact halves",
        changes={"at_random": True, "sizes": tuple(BINS_AT)},
        tables=("table2b",),
        chapter="09_calibration_size",
        experiments=("naeini2014_size_variants",),
        after="ten-bins-at-100",
    ),
    Cause(
        name="reversed-margin",
        title="an SVM without class weights whose margin points to the other class",
        changes={"classifier": "SVM reversed"},
        tables=("table3c",),
        chapter="10_decisions_and_money",
        experiments=("naeini2014_kdd98",),
        after="ties-by-label",
    ),
    Cause(
        name="base-rate",
        title="the share of answers in the validation file, which is larger than in ours",
        changes={"base_rate": "validation"},
        tables=("table3a", "table3b", "table3c"),
        chapter="10_decisions_and_money",
        experiments=("naeini2014_kdd98",),
    ),
    Cause(
        name="fitted-to-margins",
        title="Platt scaling and mixtures fitted to margins or log odds, where nothing saturates",
        changes={"margins": True},
        tables=("table3a", "table3b", "table3c"),
        chapter="10_decisions_and_money",
        experiments=("naeini2014_kdd98",),
        after="ties-by-label",
    ),
    Cause(
        name="scored-by-folds",
        title="calibrated on scores of models that have not seen the row",
        changes={"scored": "folds"},
        tables=("table3a", "table3b", "table3c"),
        chapter="10_decisions_and_money",
        experiments=("naeini2014_kdd98",),
        after="ties-by-label",
    ),
)
