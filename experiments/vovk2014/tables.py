"""Tables 1 to 3 of Vovk and Petej (2014): our numbers for the printed cells."""

from functools import partial
from itertools import product

import numpy as np
from scipy import stats

from experiments.contents import Cause, Ours, Table, mean_of, select
from experiments.vovk2014.classifiers import (
    CLASSIFIERS,
    FIRST,
    SHORT,
    TRAININGS,
    VARIANTS,
    WITH_FULL,
)
from experiments.vovk2014.data import DATASETS
from experiments.vovk2014.echocardiogram import DATASET, ECHO, READINGS
from experiments.vovk2014.protocol import METHODS, N_SPLITS

BLOCK = 10  # splits whose mean is recorded
PRINTED_FULL_SPLITS = 16
MEASURE = {"log": "log_loss", "square": "RMSE"}
LEVEL = 0.05  # of the test of counts of infinite losses
N_DRAWS = 1000


def losses(read, loss, echo="study", **ways):
    """Tables 1 and 2.

    Parameters
    ----------
    read : callable
    loss : {"log", "square"}
    echo : str
        A reading of Echocardiogram.
    **ways : str
        By the `SHORT` name of a classifier one of its `VARIANTS` or `TRAININGS`, or itself; by
        default the reading in `FIRST`, if it has one.

    Returns
    -------
    found : dict
        From (row, column) to `Ours`; only what is recorded.
    """
    found = {}
    for classifier, dataset, method in product(CLASSIFIERS, DATASETS, METHODS):
        way = _way(classifier, dataset, ways)
        reading = echo if dataset == DATASET else "study"
        values, size = _recorded(read, loss, dataset, way, reading, method)
        if values.size:
            printed_splits = PRINTED_FULL_SPLITS if method == "VA" else N_SPLITS
            row = f"{classifier} / {DATASETS[dataset]}"
            found[row, method] = _mean_of_blocks(values, size, printed_splits)
    return found


def _way(classifier, dataset, ways):
    """The reading of a classifier on a data set: a variant only where it differs."""
    way = ways.get(SHORT[classifier], FIRST.get(classifier, classifier))
    if way in VARIANTS and dataset not in VARIANTS[way].datasets:
        return classifier
    return way


def _recorded(read, loss, dataset, classifier, reading, method):
    """Losses of a cell from the experiment that has it, and of how many splits each is the mean."""
    full = method == "VA"
    cell = {"dataset": dataset, "classifier": classifier, "method": method}
    if classifier in TRAININGS and (full or reading != "study" or classifier not in VARIANTS):
        name, size = "vovk2014_trained_full" if full else "vovk2014_trained", 1
        cell["reading"] = reading
    elif reading != "study":
        name, size = ECHO.name, 1
        cell = {"reading": reading, "classifier": classifier, "method": method}
    else:
        name, size = ("vovk2014_full", 1) if full else ("vovk2014_splits", BLOCK)
    return select(read(name), MEASURE[loss], **cell), size


def _mean_of_blocks(values, size, printed_splits):
    """As `mean_of`, from means of some splits each; infinite if one of them is."""
    n_splits = size * len(values)
    if np.isinf(values).any():
        return Ours(np.inf, np.nan, n_splits, np.inf)
    blocks = mean_of(values, printed_splits / size)
    return blocks._replace(spread=blocks.spread * np.sqrt(size), repetitions=n_splits)


def log_losses(read, **choices):
    """Table 1: a mean that is infinite on one side only is judged by how often it is infinite.

    One split decides whether a mean is infinite. Fisher's exact test of the two counts tells
    whether that many splits need differ; where it does not, the two means cannot be compared.
    """
    found = losses(read, "log", **choices)
    if choices:
        return found
    rows = read("vovk2014_splits")
    datasets = {short: name for name, short in DATASETS.items()}
    for printed in TABLES[0].printed():
        place = printed.row, printed.column
        if np.isinf(printed.value) == np.isinf(found[place].value):
            continue
        classifier, short = printed.row.split(" / ")
        own = _way(classifier, datasets[short], {})
        cell = {"dataset": datasets[short], "classifier": own, "method": printed.column}
        count = int(select(rows, "infinite", **cell).sum())
        if np.isinf(printed.value):
            found[place] = (
                f"infinite in the paper, in one of its {N_SPLITS} splits or more, and in none of "
                "ours: a single split decides"
            )
        elif _chance(count) > LEVEL:
            found[place] = (
                f"ours is infinite in {count} of {N_SPLITS} splits, so few that the paper's need "
                "have none: the means cannot be compared"
            )
    return found


def _chance(count):
    """P value of so many infinite losses in our splits and none in the paper's."""
    table = [[count, N_SPLITS - count], [0, N_SPLITS]]
    return stats.fisher_exact(table).pvalue


def ranking(losses):
    """Table 3: the methods in the order of the loss that each has with its best classifier.

    Parameters
    ----------
    losses : dict
        From (method, classifier) to the loss on one data set.

    Returns
    -------
    ranks : list of (method, classifier)
        Best first, each with its best classifier; of equal ones, the first in `losses`.
    """
    best = {}
    for (method, classifier), loss in losses.items():
        if method not in best or loss < best[method][0]:
            best[method] = loss, classifier
    return [(method, best[method][1]) for method in sorted(best, key=lambda m: best[m][0])]


def ranks(read, **choices):
    """Table 3: the rank of each method, and how it varies as the losses behind it vary.

    Losses are drawn anew around our means, independently and with their standard errors; so both
    the printed rank and ours vary as much as those of the draws.
    """
    rng = np.random.default_rng(3)
    found = {}
    for loss in MEASURE:
        cells = losses(read, loss, **choices)
        for name in DATASETS.values():
            places = {(m, c): (f"{c} / {name}", m) for m in METHODS for c in CLASSIFIERS}
            if not set(places.values()) <= set(cells):
                continue
            of = {key: cells[place] for key, place in places.items()}
            own = _ranks({key: ours.value for key, ours in of.items()})
            drawn = {
                key: ours.value + _own_error(ours) * rng.standard_normal(N_DRAWS)
                for key, ours in of.items()
            }
            draws = [_ranks({key: x[i] for key, x in drawn.items()}) for i in range(N_DRAWS)]
            for method, rank in own.items():
                spread = float(np.std([draw[method] for draw in draws]))
                ours = Ours(float(rank), spread, 1, float(np.sqrt(2) * spread))
                found[f"{name} / {loss} / {method}", "rank"] = ours
    return found


def _ranks(losses):
    return {method: k for k, (method, _) in enumerate(ranking(losses), start=1)}


def _own_error(ours):
    """Standard error of our mean alone."""
    return ours.spread / np.sqrt(ours.repetitions) if np.isfinite(ours.value) else 0.0


def _name(variant):
    return variant.lower().replace(" ", "-").replace(".", "")


_SPLITS = (
    "The paper says that its means are over 100 random splits (16 for VA); each is taken to have "
    "the standard deviation of ours."
)
TABLES = (
    Table(
        name="table1",
        title="log loss of four methods, six classifiers, nine data sets",
        file="vovk2014_table1_log_loss",
        keys=("classifier", "dataset"),
        chapter="24_venn_abers_experiments",
        exchanged="dataset",
        ours=log_losses,
        experiments=("vovk2014_splits", "vovk2014_full"),
        uncertainty=_SPLITS,
    ),
    Table(
        name="table2",
        title="root mean square error of the same",
        file="vovk2014_table2_rmse",
        keys=("classifier", "dataset"),
        chapter="24_venn_abers_experiments",
        exchanged="dataset",
        ours=lambda read, **choices: losses(read, "square", **choices),
        experiments=("vovk2014_splits", "vovk2014_full"),
        uncertainty=_SPLITS,
    ),
    Table(
        name="table3",
        title="the three best methods for each data set and loss",
        file="vovk2014_table3_ranking",
        keys=("dataset", "loss", "method"),
        columns=("rank",),
        chapter="24_venn_abers_experiments",
        exchanged="dataset",
        ours=ranks,
        experiments=("vovk2014_splits", "vovk2014_full"),
        uncertainty="Ranks, printed and ours, vary as those of losses drawn around our means with "
        "their standard errors.",
        digits_by="",
    ),
)
_tried = partial(
    Cause,
    tables=tuple(table.name for table in TABLES),
    chapter="24_venn_abers_experiments",
)


def _unused(place):
    """The full predictor and Echocardiogram, in Tables 1 and 2."""
    table, row, column = place
    return table != "table3" and (column == "VA" or row.endswith(f" / {DATASETS[DATASET]}"))


def _full_predictor(place):
    """VA in Tables 1 and 2, which was computed on indicators after the codes had been chosen."""
    return place[0] != "table3" and place[2] == "VA"


_TUNED = "W, SVA and DIR of eight data sets; not VA, nor Echocardiogram as survival for a year"
_OLDER = "rows drawn for the bags as Weka did until 2012, by sums of uniform numbers"
_TRAINED = {  # title, and whether printed losses chose a constant in it
    "NN rate 0.1": ("a network that learns at the rate 0.1, not 0.3", True),
    "J48 Bagging distinct": (
        "bagged trees, each row of a bag once, however often it is drawn",
        True,
    ),
    "J48 Bagging older draws": (_OLDER, False),
    "REPTree Bagging": ("Weka's Bagging of its own default trees, REPTree, not of J48", False),
    "REPTree Bagging older draws": (f"the same, and {_OLDER}", False),
}
CAUSES = (
    *(
        _tried(
            name=_name(variant),
            title=about.title,
            changes={SHORT[about.of]: variant},
            setting=about.of,
            experiments=("vovk2014_splits",),
        )
        for variant, about in VARIANTS.items()
        if about.title and variant not in FIRST.values()
    ),
    _tried(
        name="lr-codes",
        title="logistic regression on codes of categories, not on indicators",
        changes={"LR": "LR"},
        setting="LR",
        experiments=("vovk2014_splits", "vovk2014_full"),
        tuned="the codes: by the printed rows of logistic regression, W, SVA and DIR",
        unused=_full_predictor,
    ),
    *(
        _tried(
            name=_name(training),
            title=title,
            changes={SHORT[TRAININGS[training]]: training},
            setting=TRAININGS[training],
            experiments=(
                ("vovk2014_trained", "vovk2014_trained_full")
                if training in WITH_FULL
                else ("vovk2014_trained",)
            ),
            tuned=_TUNED if fits else "",
            unused=_unused if fits else None,
        )
        for training, (title, fits) in _TRAINED.items()
    ),
    *(
        _tried(
            name=f"echo-{reading.replace(' ', '-')}",
            title=title,
            changes={"echo": reading},
            setting="echo",
            exchanged="classifier",
            experiments=(ECHO.name,),
        )
        for reading, title in READINGS.items()
    ),
)
