"""Read the recorded rows of the benchmark: a table of cases, means of data sets, intervals."""

import functools
from typing import NamedTuple

import numpy as np

from experiments.benchmark.calibrators import RAW
from experiments.benchmark.data import BY_NAME, SEED

ALL = "all"
N_RESAMPLES = 2000
HIGHER_IS_BETTER = {"auc", "dsc"}


class Cases(NamedTuple):
    """One measure of the real tier: a row a case, a column a calibrator.

    Attributes
    ----------
    datasets, models, splits : ndarray of shape (n,), strings
    values : ndarray of shape (n, k)
        Smaller is better: measures that should be large have their sign changed.
    """

    datasets: np.ndarray
    models: np.ndarray
    splits: np.ndarray
    values: np.ndarray


class Estimate(NamedTuple):
    """A number and the limits of its 95 % interval."""

    value: float
    lower: float
    upper: float


def cases_of(rows, measure, calibrators, *, points=ALL, models=None, datasets=None):
    """A measure of some calibrators in every case that has them all.

    Parameters
    ----------
    rows : dict of arrays
        ``recorded("benchmark")`` or ``recorded("benchmark_cross")``.
    measure : str
    calibrators : list of str
    points : "all", 200 or None
        Calibration rows: all that the protocol allows, or few; None takes any.
    models, datasets : list of str, optional
        By default all.
    """
    kept = np.isin(rows["calibrator"], calibrators)
    if points == ALL:
        kept &= rows["points"] == [BY_NAME[name].sizes[1] for name in rows["dataset"]]
    elif points is not None:
        kept &= rows["points"] == points
    for key, chosen in [("model", models), ("dataset", datasets)]:
        if chosen is not None:
            kept &= np.isin(rows[key], chosen)
    splits = rows["split"][kept].astype(int).astype(str)
    keys = np.column_stack([rows["dataset"][kept], rows["model"][kept], splits])
    found, case = np.unique(keys, axis=0, return_inverse=True)
    column = {name: k for k, name in enumerate(calibrators)}
    values = np.full((len(found), len(calibrators)), np.nan)
    sign = -1.0 if measure in HIGHER_IS_BETTER else 1.0
    names = rows["calibrator"][kept]
    values[case.ravel(), [column[name] for name in names]] = sign * rows[measure][kept]
    whole = ~np.isnan(values).any(axis=1)
    datasets_of_cases, models_of_cases, splits_of_cases = found[whole].T
    return Cases(
        datasets=datasets_of_cases,
        models=models_of_cases,
        splits=splits_of_cases,
        values=values[whole],
    )


def paired(first, second, keys=("datasets", "models", "splits")):
    """The cases of the first that the second has too, and the values of both side by side.

    Without ``"models"`` among the `keys`, the second should have one model: it stands beside every
    model of the first.
    """
    names_of_first = _names_of_cases(first, keys)
    row_of_second = {name: row for row, name in enumerate(_names_of_cases(second, keys))}
    rows = [row for row, name in enumerate(names_of_first) if name in row_of_second]
    rows_of_second = [row_of_second[names_of_first[row]] for row in rows]
    return Cases(
        datasets=first.datasets[rows],
        models=first.models[rows],
        splits=first.splits[rows],
        values=np.column_stack([first.values[rows], second.values[rows_of_second]]),
    )


def _names_of_cases(cases, keys):
    """A tuple of the values of the keys for each case."""
    columns = [getattr(cases, key) for key in keys]
    return list(zip(*columns, strict=True))


def wins(first, second):
    """1 where the first value is smaller, 1/2 where both are equal (infinite ones too), else 0."""
    return (first < second) + 0.5 * (first == second)


def by_dataset(datasets, values):
    """Names of the data sets, and for each the mean of the values of its cases."""
    names, of = np.unique(datasets, return_inverse=True)
    values = np.asarray(values, np.float64)
    sums = np.zeros((names.size, *values.shape[1:]))
    np.add.at(sums, of, values)
    counts = np.bincount(of).reshape(-1, *[1] * (values.ndim - 1))
    return names, sums / counts


def bootstrap(units, values, statistic=None, *, level=0.05):
    """A statistic of the mean over units, and its percentile interval when sources are redrawn.

    Parameters
    ----------
    units : array of str, shape (n,)
        The source of each row: those of one source are drawn together.
    values : ndarray of shape (n,) or (n, k)
    statistic : callable, optional
        From means, shape (k,), to a number; by default the mean itself.
    level : float
        Of error of the interval.
    """
    statistic = statistic or float
    draws = [statistic(mean) for mean in _redrawn_means(units, values)]
    return _estimate(statistic(np.mean(values, axis=0)), draws, level)


def intervals(units, values):
    """The mean over units of each column, with its interval: a list of `Estimate`."""
    draws = _redrawn_means(units, values)
    return [_estimate(*column) for column in zip(np.mean(values, axis=0), draws.T, strict=True)]


def _redrawn_means(units, values):
    """Means over the units when their sources are drawn with replacement, again and again."""
    counts = _redrawn(tuple(units), N_RESAMPLES)
    return counts @ values / counts.sum(axis=1).reshape(-1, *[1] * (np.ndim(values) - 1))


@functools.lru_cache(maxsize=64)  # the same units again and again, for another calibrator
def _redrawn(units, n_resamples):
    """How often each unit is drawn when sources are, a row a draw."""
    _, source = np.unique(units, return_inverse=True)
    rng = np.random.default_rng(SEED)
    n_sources = source.max() + 1
    drawn = [rng.integers(0, n_sources, n_sources) for _ in range(n_resamples)]
    return np.array([np.bincount(one, minlength=n_sources)[source] for one in drawn])


def _estimate(value, draws, level=0.05):
    lower, upper = np.quantile(draws, [level / 2, 1 - level / 2])
    return Estimate(value=float(value), lower=float(lower), upper=float(upper))


def sources(names):
    """The source of each data set."""
    return np.array([BY_NAME[name].source for name in names])


def win_shares(rows, first, second, measure, **where):
    """Data sets, and the share of the cases of each that the first of two calibrators wins."""
    cases = cases_of(rows, measure, [first, second], **where)
    return by_dataset(cases.datasets, wins(*cases.values.T))


def harm_shares(rows, calibrators, measure="log_loss", **where):
    """Data sets, and for each calibrator the share of cases with larger loss than raw."""
    cases = cases_of(rows, measure, [RAW, *calibrators], **where)
    return by_dataset(cases.datasets, cases.values[:, 1:] > cases.values[:, :1])


def infinite_shares(rows, calibrators, **where):
    """Data sets, and for each calibrator the share of cases with infinite log loss."""
    cases = cases_of(rows, "log_loss", calibrators, **where)
    return by_dataset(cases.datasets, np.isinf(cases.values))


def gains(rows, calibrators, measure="brier", *, over=RAW, **where):
    """Data sets, and the mean gain of each calibrator over one, in per cent of the uncertainty.

    The uncertainty is the score of a forecaster who always says the base rate: the number is what
    calibration adds to the skill.
    """
    return gains_over_first(cases_of(rows, measure, [over, *calibrators], **where), measure)


def gains_over_first(cases, measure="brier"):
    """`gains` of the later columns over the first."""
    names, means = by_dataset(cases.datasets, cases.values[:, :1] - cases.values[:, 1:])
    uncertainty = np.array([_uncertainty(name, measure) for name in names])
    return names, 100 * means / uncertainty[:, np.newaxis]


def _uncertainty(name, measure):
    rate = BY_NAME[name].minority / BY_NAME[name].rows
    if measure == "brier":
        return rate * (1 - rate)
    return -rate * np.log(rate) - (1 - rate) * np.log(1 - rate)


def truth_means(rows, measure, calibrators, **chosen):
    """Mean of a measure over the samples of the tier with known truth, for each calibrator.

    ``chosen`` fixes columns such as ``shape`` or ``points``.
    """
    kept = np.all([rows[key] == value for key, value in chosen.items()], axis=0)
    names = rows["calibrator"][kept]
    values = rows[measure][kept]
    return np.array([values[names == name].mean() for name in calibrators])
