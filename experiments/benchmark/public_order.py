"""What the order of the book's first benchmark shares with CalArena's.

Compared are the eleven methods that both have, the scores themselves among them. In both the spline
is that of ``splinecalib`` and BBQ that of ``netcal``; 'benchmark_peers' ran them on the first
splits. CIR is left out: ours adds half an observation, theirs does not.
"""

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from experiments import recorded
from experiments.benchmark import public_record
from experiments.benchmark.analysis import cases_of, sources, wins
from experiments.benchmark.clipped import SHARED
from experiments.benchmark.data import BY_NAME
from experiments.benchmark.models import MODELS
from experiments.benchmark.public_record import LEVEL, N_RESAMPLES, SEED, TABARENA, TABREPO, family

# Data sets of both: our name, and their benchmarks and names. Diabetes130US has a part of the rows
# and perhaps other labels: left out of comparisons without shared data sets, and not paired.
SHARED_SETS = {
    "adult": {TABREPO: "adult"},
    "australian": {TABREPO: "Australian"},
    "bank_full": {TABREPO: "bank-marketing", TABARENA: "bank-marketing"},
    "coil2000": {TABARENA: "coil2000_insurance_policies"},
    "credit_default": {TABARENA: "credit_card_clients_default"},
    "diabetes": {TABREPO: "diabetes", TABARENA: "diabetes"},
    "diabetes130": {TABARENA: "Diabetes130US"},
    "german_numer": {TABREPO: "credit-g", TABARENA: "credit-g"},
    "mammography": {TABREPO: "mammography"},
}
OTHER_TASK = "diabetes130"
KEYS = ["dataset", "model", "cal_size", "test_size"]
# Base models of one kind: ours, and theirs.
SHARED_MODELS = {
    "logistic": "LinearModel",
    "forest": "RandomForest",
    "extra trees": "ExtraTrees",
    "boosting": "LightGBM",
    "network": "NeuralNetTorch",
}


def ours(measure="log_loss", *, clipped=False):
    """Losses of the shared methods in 'benchmark_peers', under their names.

    Parameters
    ----------
    measure : "log_loss" or "brier"
    clipped : bool
        Whether infinite log losses are replaced by those of 'benchmark_clipped'.

    Returns
    -------
    DataFrame
        ``dataset``, ``model``, ``cal_size``, ``test_size``, and a column a method; only cases with
        all of them.
    """
    names = list(SHARED.values())
    cases = cases_of(recorded("benchmark_peers"), measure, names, points=None, models=list(MODELS))
    values = cases.values.copy()
    if clipped:
        rows = recorded("benchmark_clipped")
        keys = zip(rows["dataset"], rows["model"], rows["calibrator"], strict=True)
        loss = dict(zip(keys, rows["clipped"], strict=True))
        for i, k in np.argwhere(np.isinf(values)):
            values[i, k] = loss[cases.datasets[i], cases.models[i], names[k]]
    found = pd.DataFrame(values, columns=list(SHARED))
    sizes = np.array([BY_NAME[name].sizes for name in cases.datasets])
    columns = [cases.datasets, cases.models, sizes[:, 1], sizes[:, 2]]
    for place, column in enumerate(zip(KEYS, columns, strict=True)):
        found.insert(place, *column)
    return found


def theirs(measure="log_loss", benchmark=TABREPO):
    """Their losses of the shared methods, in the form of `ours`."""
    return public_record.table(measure, benchmark)[[*KEYS, *SHARED]]


def without_shared(found, benchmark=None):
    """The cases of the other data sets; of theirs where a benchmark is named, else of ours."""
    shared = [theirs.get(benchmark) if benchmark else name for name, theirs in SHARED_SETS.items()]
    return found[~found["dataset"].isin(shared)]


def shares(found, methods=tuple(SHARED)):
    """Data sets, and the mean share of the other methods that each method beats in each."""
    losses = found[list(methods)].fillna(np.inf).to_numpy()
    beaten = (wins(losses[:, :, None], losses[:, None, :]).sum(axis=2) - 0.5) / (len(methods) - 1)
    return public_record.by_dataset(found["dataset"], beaten)


def agreement(first, second, methods=tuple(SHARED)):
    """Kendall's rank correlation of two orders by share of wins, and its interval.

    Parameters
    ----------
    first, second : DataFrame
        From `ours` and `theirs`: the data of both are redrawn, those of ours by their sources,
        theirs by their families.

    Returns
    -------
    value, lower, upper : float
        The percentiles are those of a redrawn rank correlation, which noise makes smaller.
    """
    rng = np.random.default_rng(SEED)
    means, draws = [], []
    for found, clusters in [(first, sources), (second, lambda n: [family(one) for one in n])]:
        datasets, values = shares(found, methods)
        names, of = np.unique(clusters(datasets), return_inverse=True)
        counts = rng.multinomial(names.size, np.full(names.size, 1 / names.size), N_RESAMPLES)
        weights = counts[:, of]
        means.append(values.mean(axis=0))
        draws.append(weights @ values / weights.sum(axis=1, keepdims=True))
    redrawn = [kendalltau(*pair).statistic for pair in zip(*draws, strict=True)]
    limits = np.quantile(redrawn, [LEVEL / 2, 1 - LEVEL / 2])
    return float(kendalltau(*means).statistic), *map(float, limits)


def agreements():
    """`agreement` in several ways: a row a way, ``value``, ``lower``, ``upper``, ``sets``."""
    unclipped = ours()
    clipped = ours(clipped=True)
    brier = ours("brier")
    log = theirs()
    other = theirs(benchmark=TABARENA)
    few = tuple(name for name in SHARED if name not in ["BBQ", "TS"])  # as the first edition had
    apart = without_shared(clipped), without_shared(log, TABREPO)
    ways = {
        "log loss, infinite here": (unclipped, log),
        "log loss, clipped": (clipped, log),
        "clipped, without BBQ and temperature": (clipped, log, few),
        "clipped, without shared data sets": apart,
        "clipped, with TabArena": (clipped, other),
        "Brier score": (brier, theirs("brier")),
    }
    lines = {
        way: (*agreement(*pair), pair[0]["dataset"].nunique(), pair[1]["dataset"].nunique())
        for way, pair in ways.items()
    }
    columns = ["value", "lower", "upper", "our sets", "their sets"]
    return pd.DataFrame.from_dict(lines, orient="index", columns=columns)


def isotonic():
    """Why isotonic regression stands elsewhere: its share of wins with and without a surprise.

    Returns
    -------
    DataFrame
        Rows "here, infinite", "here, clipped", "TabRepo" and "TabArena"; ``surprised``, the share
        of cases in which probability 0 was refuted, ``wins`` over all cases, ``wins_surprised`` and
        ``wins_others``, and ``ratio``, the median of test rows by calibration rows. Means over
        cases, not over data sets.
    """
    infinite = ours()
    here = np.isinf(infinite["Isotonic"]).to_numpy()
    public = {"TabRepo": theirs(), "TabArena": theirs(benchmark=TABARENA)}
    lines = {}
    for name, found, surprised in [
        ("here, infinite", infinite, here),
        ("here, clipped", ours(clipped=True), here),
        *((name, found, public_record.surprised(found)) for name, found in public.items()),
    ]:
        losses = found[list(SHARED)].to_numpy()
        own = losses[:, [list(SHARED).index("Isotonic")]]
        share = (wins(own, losses).sum(axis=1) - 0.5) / (len(SHARED) - 1)
        lines[name] = {
            "surprised": surprised.mean(),
            "wins": share.mean(),
            "wins_surprised": share[surprised].mean(),
            "wins_others": share[~surprised].mean(),
            "ratio": (found["test_size"] / found["cal_size"]).median(),
        }
    return pd.DataFrame.from_dict(lines, orient="index")


def paired(measure="log_loss"):
    """The shared data sets side by side: our losses and theirs, by base models of one kind.

    Returns
    -------
    DataFrame
        A row a data set, kind of model, and method: ``benchmark``, ``dataset``, ``model``,
        ``method``, ``ours``, ``theirs``; clipped log losses. TabArena has no such models: its sets
        are paired by the mean over its models with the mean over ours, and ``model`` is ``"mean"``.
    """
    here = ours(measure, clipped=measure == "log_loss").melt(
        KEYS, var_name="method", value_name="ours"
    )
    lines = []
    for benchmark in [TABREPO, TABARENA]:
        names = {
            one[benchmark]: own
            for own, one in SHARED_SETS.items()
            if benchmark in one and own != OTHER_TASK
        }
        there = theirs(measure, benchmark)
        there = there[there["dataset"].isin(names)].assign(
            dataset=lambda table, names=names: table["dataset"].map(names)
        )
        there = there.melt(KEYS, var_name="method", value_name="theirs")
        mine = here[here["model"].isin(SHARED_MODELS)].assign(
            model=lambda table: table["model"].map(SHARED_MODELS)
        )
        keys = ["dataset", "model", "method"]
        if benchmark == TABARENA:
            keys = ["dataset", "method"]
            mine = mine.groupby(keys, as_index=False)["ours"].mean()
            there = there.groupby(keys, as_index=False)["theirs"].mean()
        both = mine[[*keys, "ours"]].merge(there[[*keys, "theirs"]], on=keys)
        lines.append(both.assign(benchmark=benchmark))
    return pd.concat(lines).fillna({"model": "mean"}).reset_index(drop=True)


def paired_agreement(measure="log_loss"):
    """Rank correlation of the methods' losses within each pair, by data set.

    Returns
    -------
    DataFrame
        A row a benchmark and data set: ``pairs`` (base models), ``tau``, their mean.
    """
    lines = []
    for (benchmark, dataset), part in paired(measure).groupby(["benchmark", "dataset"]):
        taus = [
            kendalltau(one["ours"], one["theirs"]).statistic for _, one in part.groupby("model")
        ]
        lines.append((benchmark, dataset, len(taus), float(np.mean(taus))))
    return pd.DataFrame(lines, columns=["benchmark", "dataset", "pairs", "tau"])
