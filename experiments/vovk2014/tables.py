"""Tables 1 to 3 of Vovk and Petej (2014): our numbers for the printed cells."""

from itertools import product

import numpy as np
from scipy import stats

from experiments.contents import Cause, Ours, Table, mean_of, select
from experiments.vovk2014.classifiers import CLASSIFIERS, VARIANTS
from experiments.vovk2014.data import DATASETS
from experiments.vovk2014.echocardiogram import DATASET, ECHO, READINGS
from experiments.vovk2014.protocol import METHODS, N_SPLITS

BLOCK = 10  # splits whose mean is recorded
PRINTED_FULL_SPLITS = 16
MEASURE = {"log": "log_loss", "square": "RMSE"}
LEVEL = 0.05  # of the test of counts of infinite losses
N_DRAWS = 1000


def losses(read, loss, variant=None, echo=None):
    """Tables 1 and 2; with a cause only the numbers that it may change.

    Parameters
    ----------
    read : callable
    loss : {"log", "square"}
    variant : str, optional
        The rows of this one's classifier, on the data sets on which the variant differs.
    echo : str, optional
        The rows of Echocardiogram, in this reading.

    Returns
    -------
    found : dict
        From (row, column) to `Ours`.
    """
    if echo is not None:
        return _losses_on_echo(read, loss, echo)
    found = {}
    for classifier in CLASSIFIERS if variant is None else [VARIANTS[variant].of]:
        for dataset in DATASETS if variant is None else VARIANTS[variant].datasets:
            row = f"{classifier} / {DATASETS[dataset]}"
            for method in METHODS if variant is None else ["W", "SVA", "DIR"]:
                name = "vovk2014_full" if method == "VA" else "vovk2014_splits"
                cell = {"dataset": dataset, "classifier": variant or classifier, "method": method}
                values = select(read(name), MEASURE[loss], **cell)
                if method == "VA":
                    found[row, method] = mean_of(values, PRINTED_FULL_SPLITS)
                else:
                    found[row, method] = _mean_of_blocks(values, N_SPLITS)
    return found


def _losses_on_echo(read, loss, reading):
    """Rows of Echocardiogram in another reading; recorded split by split."""
    rows, found = read(ECHO.name), {}
    for classifier, method in product(CLASSIFIERS, METHODS):
        cell = {"reading": reading, "classifier": classifier, "method": method}
        values = select(rows, MEASURE[loss], **cell)
        printed_splits = PRINTED_FULL_SPLITS if method == "VA" else N_SPLITS
        if np.isinf(values).any():
            ours = Ours(np.inf, np.nan, len(values), np.inf)
        else:
            ours = mean_of(values, printed_splits)
        found[f"{classifier} / {DATASETS[DATASET]}", method] = ours
    return found


def _mean_of_blocks(values, printed_splits):
    """As `mean_of`, from means of ten splits; infinite if one of them is."""
    n_splits = BLOCK * len(values)
    if np.isinf(values).any():
        return Ours(np.inf, np.nan, n_splits, np.inf)
    blocks = mean_of(values, printed_splits / BLOCK)
    return blocks._replace(spread=blocks.spread * np.sqrt(BLOCK), repetitions=n_splits)


def log_losses(read, **cause):
    """Table 1: a mean that is infinite on one side only is judged by how often it is infinite.

    One split decides whether a mean is infinite. Fisher's exact test of the two counts tells
    whether that many splits need differ; where it does not, the two means cannot be compared.
    """
    found = losses(read, "log", **cause)
    if cause:
        return found
    rows = read("vovk2014_splits")
    datasets = {short: name for name, short in DATASETS.items()}
    for printed in TABLES[0].printed():
        place = printed.row, printed.column
        if np.isinf(printed.value) == np.isinf(found[place].value):
            continue
        classifier, short = printed.row.split(" / ")
        cell = {"dataset": datasets[short], "classifier": classifier, "method": printed.column}
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


def ranks(read):
    """Table 3: the rank of each method, and how it varies as the losses behind it vary.

    Losses are drawn anew around our means, independently and with their standard errors; so both
    the printed rank and ours vary as much as those of the draws.
    """
    rng = np.random.default_rng(3)
    found = {}
    for loss in MEASURE:
        cells = losses(read, loss)
        for name in DATASETS.values():
            of = {(m, c): cells[f"{c} / {name}", m] for m in METHODS for c in CLASSIFIERS}
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
        chapter="21_venn_abers_experiments",
        ours=log_losses,
        experiments=("vovk2014_splits", "vovk2014_full"),
        uncertainty=_SPLITS,
    ),
    Table(
        name="table2",
        title="root mean square error of the same",
        file="vovk2014_table2_rmse",
        keys=("classifier", "dataset"),
        chapter="21_venn_abers_experiments",
        ours=lambda read, **cause: losses(read, "square", **cause),
        experiments=("vovk2014_splits", "vovk2014_full"),
        uncertainty=_SPLITS,
    ),
    Table(
        name="table3",
        title="the three best methods for each data set and loss",
        file="vovk2014_table3_ranking",
        keys=("dataset", "loss", "method"),
        columns=("rank",),
        chapter="21_venn_abers_experiments",
        ours=ranks,
        experiments=("vovk2014_splits", "vovk2014_full"),
        uncertainty="Ranks, printed and ours, vary as those of losses drawn around our means with "
        "their standard errors.",
        digits_by="",
    ),
)
CAUSES = tuple(
    Cause(
        name=name.lower().replace(" ", "-"),
        title=variant.title,
        changes={"variant": name},
        setting=variant.of,
        tables=("table1", "table2"),
        chapter="21_venn_abers_experiments",
        experiments=("vovk2014_splits",),
    )
    for name, variant in VARIANTS.items()
    if variant.title
) + tuple(
    Cause(
        name=f"echo-{reading.replace(' ', '-')}",
        title=title,
        changes={"echo": reading},
        setting="echo",
        tables=("table1", "table2"),
        chapter="21_venn_abers_experiments",
        experiments=(ECHO.name,),
    )
    for reading, title in READINGS.items()
)
