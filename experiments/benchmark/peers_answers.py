"""The average against other packages' calibrators, on the cases of the second benchmark."""

from typing import NamedTuple

import numpy as np

from experiments.benchmark.analysis import Estimate, cases_of, paired, wins
from experiments.benchmark.calibrators import RAW
from experiments.benchmark.second import AVERAGE, SIZES
from experiments.benchmark.second_answers import HARM, LEVEL, interval, judged, unrivalled
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
        Mean of the other's loss less that of the average, in cases with probabilities.
    harm : Estimate
        Share of the cases in which the other makes the log loss larger than that of the scores,
        less that share of the average.
    """

    name: str
    cases: int
    failed: int
    infinite: int
    won: Estimate
    log_loss: Estimate
    brier: Estimate
    harm: Estimate

    @property
    def works(self):
        """Whether it gave probabilities in at least half of the cases."""
        return 2 * self.failed <= self.cases

    @property
    def may_gain_as_much(self):
        """Whether its mean log loss is not surely larger than that of the average."""
        return self.log_loss.lower <= 0


def package_of(name):
    """The package of a calibrator."""
    return name.rpartition(", ")[2]


def method_of(name):
    """The name of a calibrator without its package."""
    return name.rpartition(", ")[0]


def against_each(rows, peers, points, ours=AVERAGE):
    """`Against` of each of the packages' calibrators; intervals allow for their number.

    Parameters
    ----------
    rows, peers : dict of arrays
        ``recorded("benchmark_second")`` and ``recorded("benchmark_second_peers")``.
    points : int
    ours : str
        Our calibrator, in place of the average.
    """
    rows = _at(rows, rows["points"] == points)
    peers = _at(peers, peers["points"] == points)
    tried = [name for name in CANDIDATES if name in set(peers["calibrator"])]
    level = LEVEL / len(tried)
    return [
        _against(rows, _at(peers, peers["calibrator"] == name), (ours, name), level)
        for name in tried
    ]


def _against(rows, theirs, names, level):
    datasets, raw, ours, other = _losses(rows, theirs, names, "log_loss")
    _, _, our_brier, brier = _losses(rows, theirs, names, "brier")
    harm = 1.0 * (other > raw + HARM) - (ours > raw + HARM)
    finite = np.isfinite(raw)
    return Against(
        name=names[1],
        cases=theirs["log_loss"].size,
        failed=int(np.isnan(theirs["log_loss"]).sum()),
        infinite=int(np.isinf(other).sum()),
        won=_interval(datasets, wins(ours, other), level),
        log_loss=_interval(datasets, other - ours, level),
        brier=_interval(datasets, brier - our_brier, level),
        harm=_interval(datasets[finite], harm[finite], level),
    )


def _losses(rows, theirs, names, measure):
    """Data sets, and the losses of scores, ours and other, in cases that have all three."""
    ours, other = names
    both = paired(
        cases_of(rows, measure, [RAW, ours], points=None),
        cases_of(theirs, measure, [other], points=None),
    )
    return both.datasets, *both.values.T


def _interval(datasets, values, level):
    """As `interval`; NaN where a calibrator gave no probabilities in any case."""
    if datasets.size == 0:
        return Estimate(value=np.nan, lower=np.nan, upper=np.nan)
    return interval(datasets, values, level)


def _at(rows, kept):
    return {key: column[kept] for key, column in rows.items()}


def answers(found):
    """Whether the average is ahead of every calibrator that works, at each of the `SIZES`.

    A mean that is infinite is larger: no interval is asked for.  Harm is compared with the methods
    that may gain as much; where there is none, the answer is yes.

    Parameters
    ----------
    found : dict from int to list of Against
        By number of points.
    """
    judgements = []
    for points in SIZES:
        working = [one for one in found[points] if one.works]
        for statement, excess in STATEMENTS.items():
            estimates = {one.name: excess(one) for one in working}
            finite = {name: one for name, one in estimates.items() if np.isfinite(one.value)}
            judgements.append(judged(points, statement, finite))
        harms = {one.name: one.harm for one in working if one.may_gain_as_much}
        answer = judged(points, HARMS_LESS, harms) if harms else unrivalled(points, HARMS_LESS)
        judgements.append(answer)
    return judgements


def _over_one_half(one):
    won = one.won
    return Estimate(value=won.value - 0.5, lower=won.lower - 0.5, upper=won.upper - 0.5)


STATEMENTS = {
    "more than half of the cases": _over_one_half,
    "smaller mean log loss": lambda one: one.log_loss,
    "smaller mean Brier score": lambda one: one.brier,
}
HARMS_LESS = "harms less than who may gain as much"
