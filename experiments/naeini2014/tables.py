"""Tables 1 to 3 of Naeini, Cooper and Hauskrecht (2014): our numbers for the printed cells."""

from functools import partial

import numpy as np

from experiments.contents import Cause, Ours, Table, mean_of, select
from experiments.naeini2014.kdd98_variants import BOTH, ONCE, SOME
from experiments.naeini2014.kdd98_variants import PENALTIES as PENALTIES_OF_LR
from experiments.naeini2014.liblinear import LIBLINEAR, LIBLINEAR_CAUSES, TABLE_1
from experiments.naeini2014.program import FITTED_C, ONE_TABLE, PROGRAM
from experiments.naeini2014.protocol import N_RUNS, SIZES, SVMS
from experiments.naeini2014.variants import BINS_AT, penalty_causes

MEASURES = ["RMSE", "AUC", "ACC", "MCE", "ECE"]
METHODS = {
    "Hist": "Histogram",
    "Platt": "Platt",
    "IsoReg": "Isotonic",
    "KDE": "KDE",
    "DPM": "DPM",
}
ROWS = {"SVM": "Raw", **METHODS}
VARIED = {
    "one Newton step": "Platt",
    "penalised slope": "Platt",
    "flat score": "SVM",
    "classes at random": "IsoReg",
}
PEOPLE = {"learning": (4843, 95_412), "validation": (4873, 96_367)}  # who answered, of how many
SMOOTH = ("Platt", "KDE", "DPM")


def rings(
    read,
    svm,
    ties,
    variant=None,
    C=None,
    at_random=False,
    printed_runs=1,
    liblinear=False,
    least_bins=10,
    fitted=False,
):
    """Table 1; with a variant or random class sizes, the one row that it is about; or another SVM.

    The paper states no number of runs for this table; `printed_runs` says how many a printed number
    is taken to be the mean of. Its bins are ten, whatever the least number. The quadratic SVM is
    that of the authors' program; `fitted`: that with the C which the printed raw row chose.
    """
    variant = "classes at random" if at_random else variant
    methods = ROWS if variant is None else {VARIED[variant]: variant}
    if svm == "quadratic" and not fitted:
        rows, chosen = read(PROGRAM.name), {"size": ONE_TABLE, "classes": "halves"}
    elif liblinear:
        rows, chosen = read(LIBLINEAR.name), {"size": TABLE_1}
    elif C is not None:
        rows, chosen = read("naeini2014_rings_penalties"), {"C": float(C)}
    elif variant is not None:
        rows, chosen = read("naeini2014_rings_variants"), {"svm": svm}
    else:
        rows, chosen = read("naeini2014_rings"), {"svm": svm}
    key = "variant" if "variant" in rows else "method"
    found = {
        (short, measure): select(rows, measure, ties=ties, **chosen, **{key: name})
        for short, name in methods.items()
        for measure in MEASURES
    }
    return {cell: mean_of(values, printed_runs) for cell, values in found.items() if values.size}


def calibration_size(
    read,
    svm,
    ties,
    n_bins="cube_root",
    sizes=SIZES,
    variant=None,
    at_random=False,
    C=None,
    liblinear=False,
    least_bins=0,
    fitted=False,
):
    """Table 2; with a variant or another C, the raw row; or random class sizes, or another SVM.

    With `least_bins` 10 a calibration size whose cube root is smaller has ten bins. `fitted` as in
    `rings`. The raw row, which no calibration set can change, is of one training set.
    """
    measures = ["AUC", "MCE", "ECE"]
    if C is not None:
        varied = read("naeini2014_rings_penalties")
        raw = {"ties": ties, "C": float(C), "method": "Raw, 10,000 points"}
        return _raw_row(varied, measures, raw)
    if variant is not None:
        raw = {"svm": svm, "ties": ties, "variant": variant}
        return _raw_row(read("naeini2014_rings_variants"), measures, raw)
    own = svm == "quadratic" and not fitted
    if at_random:
        return _sizes_at_random(read, measures, ties, own)
    if own:
        rows, key, chosen = read(PROGRAM.name), "method", {"classes": "halves"}
    elif liblinear and svm == "linear":
        rows, key, chosen = read(LIBLINEAR.name), "method", {}
    else:
        rows, key, chosen = read("naeini2014_calibration_size"), "n_bins", {"svm": svm}
    found = {}
    for size in sizes:
        where = {"size": size, "ties": ties, key: "10" if size < least_bins**3 else n_bins}
        found |= {
            (_power(size), m): mean_of(select(rows, m, **chosen, **where), N_RUNS) for m in measures
        }
    return found | _raw_row(rows, measures, {"ties": ties, key: "raw", **chosen})


def _sizes_at_random(read, measures, ties, own):
    """Table 2(b) with random class sizes, of the authors' machine or the fitted one."""
    if own:
        rows = raw_rows = read(PROGRAM.name)
        chosen = {"classes": "random", "method": "binned"}
        raw = {"classes": "random", "method": "raw, 10000 points"}
    else:
        rows, raw_rows = read("naeini2014_size_variants"), read("naeini2014_raw_variants")
        chosen, raw = {}, {"test_points": 10_000}
    found = {
        (_power(size), m): mean_of(select(rows, m, size=size, ties=ties, **chosen), N_RUNS)
        for size in BINS_AT
        for m in measures
    }
    return found | _raw_row(raw_rows, measures, {"ties": ties, **raw})


def _power(size):
    """The name of a calibration size in print."""
    return f"1e{len(str(size)) - 1}"


def _raw_row(rows, measures, chosen):
    """The raw score, of one training set in print."""
    values = {measure: select(rows, measure, **chosen) for measure in measures}
    return {("base", m): mean_of(own, 1) for m, own in values.items() if own.size}


def mailing(
    read,
    classifier,
    short,
    ties,
    scored="same",
    margins=False,
    base_rate="learning",
    variant=None,
    smooth=False,
    decisions=False,
):
    """Table 3.

    `margins`: rows of methods fitted to margins; `base_rate`: the RMSE at another one; `variant`:
    one of `kdd98_variants`; `smooth`: the rows of Platt scaling and the two densities; `decisions`:
    AUC and accuracy of the raw row by a margin of the right sign.

    The ten halves share their people: their mean is about as uncertain as a single result on a file
    of the size of the paper's, the standard deviation of one half. For a profit it is recorded.
    """
    rows = read("naeini2014_kdd98" if variant is None else "naeini2014_kdd98_variants")
    methods = {short: "Raw", **METHODS}
    if margins:
        methods = {name: f"{METHODS[name]} on margins" for name in ["Platt", "DPM"]}
    elif smooth:
        methods = {name: METHODS[name] for name in SMOOTH}
    chosen = {"classifier": classifier, "ties": ties}
    chosen |= {"scored": scored} if variant is None else {"variant": variant}
    found = {}
    for name, method in methods.items():
        for measure in MEASURES:
            values = select(rows, measure, method=method, **chosen)
            error = values.std(ddof=1)
            if variant == BOTH:  # its runs share all their people: twice as many as a half
                half = {"classifier": classifier, "ties": ties, "scored": "same", "method": method}
                halves = select(read("naeini2014_kdd98"), measure, **half)
                error = halves.std(ddof=1) / np.sqrt(2)
            if measure == "RMSE":
                values = values + _deviation(base_rate) - _deviation("learning")
            found[name, measure] = _one_of_two(values, error)
        money = {**chosen, "method": method}
        profits, errors = (select(rows, column, **money) for column in ["profit", "profit_se"])
        if not np.isnan(profits).any():
            found[name, "Profit"] = _one_of_two(profits, errors.mean())
    if decisions:
        right = {(short, m): found[short, m] for m in ["AUC", "ACC"]}
        return {cell: ours._replace(value=1 - ours.value) for cell, ours in right.items()}
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
    "The paper says that it averaged ten runs for each calibration set; each is taken to have the "
    "standard deviation of ours. Its raw row is of one training set, one run of ours."
)
_ONE_CAMPAIGN = (
    "The printed number is one result on one file; it and the mean of our ten halves, which share "
    "their people, are each given the standard deviation of one half, profits the recorded "
    "standard error of one campaign."
)
_RINGS, _SIZES, _MAILING = "naeini2014_rings", "naeini2014_calibration_size", "naeini2014_kdd98"
_TABLE3 = ("table3a", "table3b", "table3c")


def by_svm(paper, number, title, experiment, ties="group", **about):
    """The two parts of a table of rings; the quadratic one reads the authors' machine, too."""
    read_by = {"linear": (experiment,), "quadratic": (PROGRAM.name, experiment)}
    return [
        Table(
            name=f"table{number}{part}",
            title=f"{title}, {svm} SVM",
            file=f"{paper}_table{number}{part}_svm_{svm}",
            reading={"svm": svm, "ties": ties},
            experiments=read_by[svm],
            **about,
        )
        for part, svm in zip("ab", SVMS, strict=True)
    ]


TABLES = (
    *by_svm(
        "naeini2014",
        1,
        "six columns of scores on the rings",
        keys=("method",),
        chapter="20_rings",
        ours=rings,
        experiment=_RINGS,
        uncertainty=_ONE_RUN,
    ),
    *by_svm(
        "naeini2014",
        2,
        "histogram binning on 100 to 1,000,000 points",
        keys=("calibration_size",),
        chapter="21_calibration_size",
        ours=calibration_size,
        experiment=_SIZES,
        uncertainty=_TEN_RUNS,
    ),
    *(
        Table(
            name=name,
            title=f"the KDD-98 mailing, {title}",
            file=f"naeini2014_{name}_kdd98_{classifier.lower()}",
            keys=("method",),
            chapter="22_decisions_and_money",
            ours=mailing,
            reading={"classifier": classifier, "short": classifier, "ties": "group"},
            experiments=(_MAILING,),
            uncertainty=_ONE_CAMPAIGN,
        )
        for name, classifier, title in zip(
            _TABLE3,
            ["LR", "NB", "SVM"],
            ["logistic regression", "naive Bayes", "support vector machine"],
            strict=True,
        )
    ),
)
_BY_LABEL = Cause(
    name="ties-by-label",
    title="equal predictions are sorted by their label before they are cut into ten groups, as "
    "in the code that the authors published later",
    changes={"ties": "label"},
    tables=tuple(table.name for table in TABLES),
    chapter="20_rings",
    experiments=(_RINGS, _SIZES, _MAILING, PROGRAM.name),
)
_on_rings = partial(
    Cause,
    chapter="rings_cell_by_cell",
    experiments=("naeini2014_rings_variants", PROGRAM.name),
    after=_BY_LABEL.name,
)
_on_sizes = partial(Cause, chapter="21_calibration_size")
_on_mailing = partial(
    Cause,
    tables=_TABLE3,
    chapter="mailing_cell_by_cell",
    experiments=(_MAILING,),
    after=_BY_LABEL.name,
)
_on_varied_mailing = partial(_on_mailing, experiments=(f"{_MAILING}_variants",))
CAUSES = (
    _BY_LABEL,
    _on_sizes(
        name="ten-bins-at-100",
        title="ten bins, not the cube root of 100",
        changes={"n_bins": "10", "sizes": SIZES[:1]},
        tables=("table2a", "table2b"),
        experiments=(_SIZES, PROGRAM.name),
        after=_BY_LABEL.name,
    ),
    FITTED_C(tables=("table1b", "table2b"), experiments=(PROGRAM.name, _RINGS, _SIZES)),
    _on_rings(
        name="one-newton-step",
        setting="slope of Platt scaling",
        title="Platt scaling stopped after its first Newton step",
        changes={"variant": "one Newton step"},
        tables=("table1a", "table1b"),
    ),
    _on_rings(
        name="penalised-slope",
        setting="slope of Platt scaling",
        title="Platt scaling with a penalty of 7 on half the square of its slope",
        changes={"variant": "penalised slope"},
        tables=("table1a", "table1b"),
        tuned="the penalty: the best of six for the printed row of Table 1(a)",
    ),
    _on_rings(
        name="flat-score",
        title="raw scores that are centred and flatter than the sigmoid of the margin",
        changes={"variant": "flat score"},
        tables=("table1a", "table2a"),
        tuned="the factor: by the printed row of Table 1(a)",
    ),
    _on_rings(
        name="classes-at-random",
        title="class sizes that are random, not exact halves",
        changes={"at_random": True},
        tables=("table1a", "table2b"),
        experiments=(
            "naeini2014_rings_variants",
            "naeini2014_size_variants",
            "naeini2014_raw_variants",
            PROGRAM.name,
        ),
    ),
    *penalty_causes(["table1a", "table2a"], chapter="rings_cell_by_cell"),
    *LIBLINEAR_CAUSES,
    _on_mailing(
        name="reversed-margin",
        title="an SVM without class weights whose margin points to the other class",
        changes={"classifier": "SVM reversed"},
        tables=("table3c",),
    ),
    _on_mailing(
        name="base-rate",
        title="the share of answers in the validation file, 5.057 %, not that of the learning "
        "file, 5.076 %",
        changes={"base_rate": "validation"},
        after="",
    ),
    _on_mailing(
        name="fitted-to-margins",
        title="Platt scaling and mixtures fitted to margins or log odds, where nothing saturates",
        changes={"margins": True},
    ),
    _on_mailing(
        name="scored-by-folds",
        title="calibrated on scores of models that have not seen the row",
        changes={"scored": "folds"},
        setting="rows that are scored",
    ),
    _on_mailing(
        name="right-sign",
        title="AUC and accuracy of the raw row by the SVM's own decisions, the reversed margin for "
        "the errors only",
        changes={"decisions": True, "classifier": "SVM reversed"},
        tables=("table3c",),
        after="reversed-margin",
    ),
    _on_mailing(
        name="held-out-smooth",
        title="Platt scaling and the two densities fitted to scores of models that have not seen "
        "the row",
        changes={"scored": "folds", "smooth": True},
        setting="rows that are scored",
    ),
    _on_varied_mailing(
        name="test-size",
        title="Platt scaling and the two densities measured on as many people as in the paper",
        changes={"variant": BOTH, "smooth": True},
        tables=("table3a", "table3c"),
    ),
    *(
        _on_varied_mailing(
            name=variant.replace(" ", "-"),
            title="of the twelve donation codes, which repeat each other, " + which,
            changes={"variant": variant},
            setting="donation codes",
        )
        for variant, which in [(ONCE, "the latest only"), (SOME, "the seven of our other list")]
    ),
    *(
        _on_varied_mailing(
            name=f"logistic-penalty-{variant.split()[-1]}",
            title=f"{variant} of the logistic regression",
            changes={"variant": variant},
            tables=("table3a",),
            setting="penalty of the logistic regression",
        )
        for variant in PENALTIES_OF_LR
    ),
)
