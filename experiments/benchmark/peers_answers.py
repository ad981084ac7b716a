"""The average against other packages' calibrators, on the cases of the second benchmark."""

from typing import NamedTuple

import numpy as np

from experiments.benchmark.analysis import (
    Estimate,
    by_dataset,
    cases_of,
    intervals,
    paired,
    sources,
    wins,
)
from experiments.benchmark.second import AVERAGE, SIZES
from experiments.benchmark.second_answers import LEVEL, judged
from experiments.benchmark.second_peers import CANDIDATES


class Against(NamedTuple):
    """The average against one calibrator of another package, at one number of points.

    Attributes
    ----------
    name : str
    cases : int
        In which the calibrator was tried.
    failed, infinite : int
        Of these, in which it gave no probabilities, and an infinite log loss.
    won : Estimate
        Share of the cases with probabilities in which the average has the smaller log loss.
    log_loss, brier : Estimate
        Mean of the other's loss less that of the average, in cases with probabilities; of log
        losses where both are finite, which favours the other.
    """

    name: str
    cases: int
    failed: int
    infinite: int
    won: Estimate
    log_loss: Estimate
    brier: Estimate


def package_of(name):
    """The package of a calibrator."""
    return name.rpartition(", ")[2]


def method_of(name):
    """The name of a calibrator without its package."""
    return name.rpartition(", ")[0]


def against_each(rows, peers, points):
    """`Against` of each of the packages' calibrators; intervals allow for their number.

    Parameters
    ----------
    rows, peers : dict of arrays
        ``recorded("benchmark_second")`` and ``recorded("benchmark_second_peers")``.
    points : int
    """
    rows, peers = (_at(one, one["points"] == points) for one in (rows, peers))
    tried = [name for name in CANDIDATES if name in set(peers["calibrator"])]
    level = LEVEL / len(tried)
    return [_against(rows, _at(peers, peers["calibrator"] == name), name, level) for name in tried]


def _against(rows, theirs, name, level):
    datasets, ours, other = _losses(rows, theirs, name, "log_loss")
    finite = np.isfinite(ours) & np.isfinite(other)
    excess = (other - ours)[finite]
    (more,) = _means(datasets[finite], excess[:, np.newaxis], level)
    _, our_brier, brier = _losses(rows, theirs, name, "brier")
    won, worse = _means(datasets, np.column_stack([wins(ours, other), brier - our_brier]), level)
    return Against(
        name=name,
        cases=theirs["log_loss"].size,
        failed=int(np.isnan(theirs["log_loss"]).sum()),
        infinite=int(np.isinf(other).sum()),
        won=won,
        log_loss=more,
        brier=worse,
    )


def _losses(rows, theirs, name, measure):
    """Data sets, and the losses of the average and of the other, in cases that have both."""
    both = paired(
        cases_of(rows, measure, [AVERAGE], points=None),
        cases_of(theirs, measure, [name], points=None),
    )
    return both.datasets, *both.values.T


def _means(datasets, values, level):
    if not datasets.size:
        return [Estimate(np.nan, np.nan, np.nan)] * values.shape[1]
    names, means = by_dataset(datasets, values)
    return intervals(sources(names), means, level=level)


def _at(rows, kept):
    return {key: column[kept] for key, column in rows.items()}


def answers(found):
    """Whether the average is ahead of every calibrator of the packages, at each of the `SIZES`.

    Parameters
    ----------
    found : dict from int to list of Against
        By number of points.
    """
    return [
        judged(
            points,
            statement,
            {one.name: excess(one) for one in found[points] if one.failed < one.cases},
        )
        for points in SIZES
        for statement, excess in STATEMENTS.items()
    ]


def _over_one_half(one):
    return Estimate(*(share - 0.5 for share in one.won))


STATEMENTS = {
    "more than half of the cases": _over_one_half,
    "smaller mean log loss": lambda one: one.log_loss,
    "smaller mean Brier score": lambda one: one.brier,
}
