"""The public record: CalArena's tables of two classes, by calibration size and base model.

CalArena is the benchmark of Berta, Holzmüller, Bach and Jordan (2026, arXiv 2605.30188). Its log
losses and Brier scores stand in ``results/published/calarena``, a row a data set and base model.
How they are read here:

* Numbers are means over data sets of means over base models. Intervals have confidence 95 % and
  come from drawing families of data sets with replacement: sets of one generator, or with the same
  rows, are drawn together. Fewer than five families have no interval: its limits are NaN.
* A loss that is missing beats nothing and is beaten by every number; it harms. Means of gains leave
  it out. CDF-Spline lacks more than half of the log losses and takes part by Brier score alone.
* Brier scores are halved, to be those of this book. Log losses are as published: a surprise at
  probability 0 costs 87.3 divided by the number of test rows.
"""

import numpy as np
import pandas as pd

from experiments.benchmark.analysis import wins
from experiments.recording import RESULTS

FOLDER = RESULTS / "published" / "calarena"
KEYS = ["benchmark", "dataset", "model", "cal_size", "test_size"]
TABREPO = "tabrepo-binary"
TABARENA = "tabarena-binary"
IMAGES = "cv-binary"
RAW = "Base-model"
MISSING = "CDF-Spline"
SIZES = ["below 500", "500 to 2000", "2000 to 10,000", "10,000 and more"]
_LIMITS = [0, 500, 2000, 10_000, np.inf]
KINDS = {
    "boosting": ["CatBoost", "LightGBM", "XGBoost"],
    "forests": ["RandomForest", "ExtraTrees"],
    "linear": ["LinearModel"],
    "networks": ["NeuralNetFastAI", "NeuralNetTorch"],
}
# Data sets of one generator, or with the same rows.
FAMILIES = ["fri_c", "OVA_", "GAMETES_", "cpu_", "puma", "bank8FM", "bank32nh"]
HARM, RELATIVE_HARM = 1e-4, 1e-3
SEED = 22
N_RESAMPLES = 5000
LEVEL = 0.05
FEWEST = 5  # families; with fewer families no interval is made


def table(measure, benchmark):
    """One measure of one benchmark: `KEYS`, size class and kind of model, a column a method.

    Parameters
    ----------
    measure : "log_loss" or "brier"
    benchmark : "tabrepo-binary", "tabarena-binary" or "cv-binary"
    """
    found = pd.read_csv(FOLDER / f"{measure}.csv")
    found = found[found["benchmark"] == benchmark].reset_index(drop=True)
    methods = found.columns[len(KEYS) :]
    if measure == "brier":
        found[methods] /= 2
    kinds = {model: kind for kind, models in KINDS.items() for model in models}
    found["size"] = pd.cut(found["cal_size"], _LIMITS, right=False, labels=SIZES).astype(str)
    found["kind"] = found["model"].map(kinds)
    return found.drop(columns=MISSING) if measure == "log_loss" else found


def methods_of(found):
    """The columns of a table that are methods, the base model first."""
    return [name for name in found.columns if name not in [*KEYS, "size", "kind"]]


def summary(found):
    """Wins, gain and harm of each method in the cases of a table.

    Returns
    -------
    DataFrame
        A row a method. ``wins`` is the share of the other methods that are beaten, ``gain`` the
        mean loss of the base model less that of the method, ``harm`` the share of cases with a loss
        above that of the base model by 1e-4, ``harm_relative`` by 0.1 %. Each has its interval,
        ``wins_lower`` and so on; ``gain_sure`` says whether the interval of the gain, widened by
        Bonferroni for the number of methods, leaves out 0.
    """
    names = methods_of(found)
    losses = found[names].to_numpy()
    raw = losses[:, :1]
    worse = np.where(np.isnan(losses), np.inf, losses)
    beaten = (wins(worse[:, :, None], worse[:, None, :]).sum(axis=2) - 0.5) / (len(names) - 1)
    parts = {
        "wins": beaten,
        "gain": raw - losses,
        "harm": worse > raw + HARM,
        "harm_relative": worse > raw * (1 + RELATIVE_HARM),
    }
    lines = pd.DataFrame(index=pd.Index(names, name="method"))
    lines["sets"] = found["dataset"].nunique()
    lines["cases"] = len(found)
    for key, values in parts.items():
        datasets, means = by_dataset(found["dataset"], values)
        draws = redrawn_means(datasets, means)
        lines[key] = np.nanmean(means, axis=0)
        lines[f"{key}_lower"], lines[f"{key}_upper"] = _limits(draws, LEVEL)
        if key == "gain":
            lower, upper = _limits(draws, LEVEL / (len(names) - 1))
            lines["gain_sure"] = (lower > 0) | (upper < 0)
    return lines


def by(column, found):
    """`summary` of the cases with each value of a column, such as ``size`` or ``kind``."""
    order = {"size": SIZES, "kind": list(KINDS)}[column]
    values = [value for value in order if (found[column] == value).any()]
    parts = [summary(found[found[column] == value]) for value in values]
    return pd.concat(parts, keys=values, names=[column])


def against(found, first):
    """Share of cases that one method wins against each other, with Bonferroni's intervals.

    Returns
    -------
    DataFrame
        A row a rival: ``share``, ``lower``, ``upper``, at a level that allows for their number.
    """
    rivals = [name for name in methods_of(found) if name != first]
    losses = found[[first, *rivals]].fillna(np.inf).to_numpy()
    datasets, means = by_dataset(found["dataset"], wins(losses[:, :1], losses[:, 1:]))
    lower, upper = _limits(redrawn_means(datasets, means), LEVEL / len(rivals))
    columns = {"share": means.mean(axis=0), "lower": lower, "upper": upper}
    return pd.DataFrame(columns, index=pd.Index(rivals, name="rival"))


def leaders(found):
    """For each size class the method with most wins, and how many rivals it surely beats.

    Returns
    -------
    DataFrame
        A row a size class: ``leader``, ``wins``, ``rivals``, ``surely`` (of the rivals, by
        `against`), ``closest`` (the rival that it beats least often) and its ``share``.
    """
    lines = {}
    for size in [size for size in SIZES if (found["size"] == size).any()]:
        part = found[found["size"] == size]
        share = summary(part)["wins"]
        pairs = against(part, share.idxmax())
        lines[size] = {
            "leader": share.idxmax(),
            "wins": share.max(),
            "rivals": len(pairs),
            "surely": int((pairs["lower"] > 0.5).sum()),
            "closest": pairs["share"].idxmin(),
            "share": pairs["share"].min(),
        }
    return pd.DataFrame.from_dict(lines, orient="index")


def missing():
    """How many losses each benchmark lacks, by measure and method; methods that lack none left out.

    Returns
    -------
    DataFrame
        ``benchmark``, ``measure``, ``method``, ``missing``, ``cases``.
    """
    lines = []
    for measure in ["log_loss", "brier"]:
        found = pd.read_csv(FOLDER / f"{measure}.csv")
        for benchmark, part in found.groupby("benchmark", sort=False):
            counts = part[part.columns[len(KEYS) :]].isna().sum()
            lines += [
                (benchmark, measure, method, int(count), len(part))
                for method, count in counts.items()
                if count
            ]
    return pd.DataFrame(lines, columns=["benchmark", "measure", "method", "missing", "cases"])


def as_published(benchmark):
    """Shares of wins by log loss as their ``utils.py`` counts them: means over cases.

    There a loss that is missing neither wins nor is beaten, so that CDF-Spline lowers the share of
    every other method in each case in which its own loss is missing.
    """
    found = pd.read_csv(FOLDER / "log_loss.csv")
    losses = found.loc[found["benchmark"] == benchmark, found.columns[len(KEYS) :]]
    values = losses.to_numpy()
    won = (values[:, :, None] < values[:, None, :]).sum(axis=2).mean(axis=0)
    return pd.Series(won / (losses.shape[1] - 1), index=losses.columns)


def surprised(found):
    """Cases in which isotonic regression gave probability 0 to what happened, told by the loss.

    Venn-Abers prediction is nearly the same map and never says 0; one surprise makes the loss of
    isotonic regression larger than its by almost 87.3 divided by the number of test rows.
    """
    excess = (found["Isotonic"] - found["Venn-Abers"]) * found["test_size"]
    return (excess > 87.3 / 2).to_numpy()


def family(name):
    """What is drawn as one: the family of a data set, by default the set itself."""
    return next((one for one in FAMILIES if name.startswith(one)), name)


def by_dataset(datasets, values):
    """Names of data sets and the means of their cases; what is missing is left out of a mean."""
    means = pd.DataFrame(np.asarray(values, np.float64)).groupby(np.asarray(datasets)).mean()
    return means.index.to_numpy(), means.to_numpy()


def redrawn_means(datasets, means):
    """Means over data sets when their families are drawn with replacement, `N_RESAMPLES` times."""
    names, of = np.unique([family(one) for one in datasets], return_inverse=True)
    if names.size < FEWEST:
        return np.full((1, means.shape[1]), np.nan)
    rng = np.random.default_rng(SEED)
    counts = rng.multinomial(names.size, np.full(names.size, 1 / names.size), N_RESAMPLES)
    there = np.isfinite(means)

    def sums_by_family(values):
        return np.stack([np.bincount(of, column, names.size) for column in values.T], axis=1)

    totals = sums_by_family(np.where(there, means, 0.0))
    sizes = sums_by_family(there)
    return (counts @ totals) / (counts @ sizes)


def _limits(draws, level):
    return np.quantile(draws, [level / 2, 1 - level / 2], axis=0)
