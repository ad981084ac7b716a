"""What the record of the default says: its expectations decided, and tables by kinds of cases."""

from typing import NamedTuple

import numpy as np

from experiments.benchmark import peers_answers
from experiments.benchmark.analysis import Estimate, cases_of
from experiments.benchmark.calibrators import RAW
from experiments.benchmark.default import BEFORE, DEFAULT, FOR_PROBABILITIES, SHARES, entropy
from experiments.benchmark.second import SIZES
from experiments.benchmark.second_answers import LEVEL, interval

CLEAR = 0.002  # of the entropy of the base rate: a larger difference helps or harms
FEW = 20  # rows of a class
ALL = [RAW, *FOR_PROBABILITIES]
PLATT = "Platt"
OF_MARGINS = [PLATT, DEFAULT, "Default, centred", "Average behind Platt", "Venn-Abers behind Platt"]
TRUSTS = ["Default, trust 0.3", "Default, trust 0.7"]


class Losses(NamedTuple):
    """Losses of some calibrators in cases of all sizes.

    Attributes
    ----------
    datasets, models : ndarray of shape (n,), strings
    points, rarer : ndarray of shape (n,)
        Calibration rows, and how many of them are of the rarer class.
    names : list of str
    values : ndarray of shape (n, len(names))
    """

    datasets: np.ndarray
    models: np.ndarray
    points: np.ndarray
    rarer: np.ndarray
    names: list
    values: np.ndarray

    @property
    def share(self):
        """Share of the rarer class."""
        return self.rarer / self.points

    def of(self, name):
        """The losses of one calibrator."""
        return self.values[:, self.names.index(name)]

    def where(self, kept):
        """Some of the cases."""
        columns = self._asdict()
        return Losses(
            **{key: column if key == "names" else column[kept] for key, column in columns.items()}
        )

    def difference(self, first, second):
        """Data sets, and the losses of the first less the losses of the second."""
        return self.datasets, self.of(first) - self.of(second)

    def harms(self, name, reference):
        """Where the loss of a calibrator is larger than the loss of the reference by `CLEAR`."""
        return (self.of(name) > self.of(reference) + CLEAR).astype(float)

    def helps(self, name, reference):
        """Where the loss of a calibrator is smaller than the loss of the reference by `CLEAR`."""
        return (self.of(name) < self.of(reference) - CLEAR).astype(float)


def of_kinds(rows, kinds):
    """The recorded rows of some kinds of scores."""
    kept = np.isin(rows["scores"], kinds)
    return {key: column[kept] for key, column in rows.items()}


def probabilities(rows, measure="log_loss"):
    """`Losses` of all calibrators of probabilities."""
    return _losses(of_kinds(rows, ["probabilities"]), ALL, measure)


def margins(rows, measure="log_loss"):
    """`Losses` of the calibrators of margins and scorecards."""
    return _losses(of_kinds(rows, ["margins", "scorecard"]), OF_MARGINS, measure)


def _losses(rows, names, measure):
    """The cases of each size in turn: the numbers of points are those of the rows."""
    parts = []
    for points in np.unique(rows["points"]):
        found = cases_of(rows, measure, names, points=points)
        here = {key: column[rows["points"] == points] for key, column in rows.items()}
        splits = here["split"].astype(int).astype(str)
        keys = zip(here["dataset"], here["model"], splits, strict=True)
        positives = dict(zip(keys, here["positives"], strict=True))
        own = np.array([positives[case] for case in zip(*found[:3], strict=True)])
        rarer = np.minimum(own, points - own)
        parts.append(
            Losses(
                datasets=found.datasets,
                models=found.models,
                points=np.full(own.size, points),
                rarer=rarer,
                names=names,
                values=found.values,
            )
        )
    joined = {
        key: np.concatenate([getattr(part, key) for part in parts])
        for key in Losses._fields
        if key != "names"
    }
    return Losses(names=names, **joined)


class Answer(NamedTuple):
    """An expectation of the protocol, and what became of it.

    Attributes
    ----------
    number : int
        In the protocol.
    statement : str
    estimate : Estimate
        Above 0 if all is as expected; a number of cases against it has no interval.
    answer : str
        ``"yes"`` or ``"no"``.
    """

    number: int
    statement: str
    estimate: Estimate
    answer: str


def surely(number, statement, estimate):
    """Expected to be above 0 surely."""
    return Answer(number, statement, estimate, "yes" if estimate.lower > 0 else "no")


def not_surely_below(number, statement, estimate):
    """Expected not to be below 0 surely."""
    return Answer(number, statement, estimate, "no" if estimate.upper < 0 else "yes")


def none_of(number, statement, against):
    """Expected of every case: the number of cases against it."""
    count = int(np.count_nonzero(against))
    return Answer(number, statement, Estimate(-count, np.nan, np.nan), "no" if count else "yes")


def answers(rows, rare, peers):
    """What became of the expectations of the protocol, in its order.

    Parameters
    ----------
    rows, rare, peers : dict of arrays
        ``recorded("benchmark_default")``, ``recorded("benchmark_default_rare")`` and
        ``recorded("benchmark_second_peers")``.
    """
    logs, briers = probabilities(rows), probabilities(rows, "brier")
    return [
        *_less_harm(logs),
        *_no_larger_loss(2, "mean log loss", logs, BEFORE),
        *_no_larger_loss(2, "mean Brier score", briers, BEFORE),
        none_of(3, "order kept", _order_lost(rows)),
        none_of(4, "sums within a standard error", _sums_off(rows)),
        _harms_no_more(5, "few of a class: harm", logs.where(logs.rarer < FEW)),
        *_no_larger_loss(6, "margins: mean log loss", margins(rows), PLATT),
        *_rare(rare),
        *_ahead_of_packages(rows, peers),
    ]


def less_harm(losses, name, level=LEVEL):
    """Share of harm of the earlier average less the share of another calibrator."""
    more = losses.harms(BEFORE, RAW) - losses.harms(name, RAW)
    return interval(losses.datasets, more, level)


def _less_harm(losses):
    yield surely(1, "harms less, all sizes", less_harm(losses, DEFAULT))
    for points in SIZES:
        here = losses.where(losses.points == points)
        yield _harms_no_more(1, f"harm, {points:,} points", here, LEVEL / len(SIZES))


def _harms_no_more(number, statement, losses, level=LEVEL):
    return not_surely_below(number, statement, less_harm(losses, DEFAULT, level))


def _no_larger_loss(number, statement, losses, reference):
    everywhere = interval(*losses.difference(reference, DEFAULT))
    yield not_surely_below(number, f"{statement}, all sizes", everywhere)
    for points in SIZES:
        here = losses.where(losses.points == points)
        found = interval(*here.difference(reference, DEFAULT), LEVEL / len(SIZES))
        yield not_surely_below(number, f"{statement}, {points:,} points", found)


def _order_lost(rows):
    """Whether predictions of the default go the wrong way anywhere, for each of its rows."""
    kept = rows["calibrator"] == DEFAULT
    wrong = np.where(rows["scores"] == "scorecard", rows["rises"], rows["falls"])
    return wrong[kept] > 0


def _sums_off(rows):
    """Whether a sum over the rows of the fit is off by more than a standard error."""
    both = (rows["positives"] > 0) & (rows["positives"] < rows["points"])
    kept = (rows["calibrator"] == DEFAULT) & both
    off = np.abs(rows["sum_of_fit"] - rows["positives"])[kept]
    rounding = 1e-4  # of sums that are recorded to five decimals
    return off > np.sqrt(rows["variance_of_fit"][kept]) + rounding


def excesses(rare, name, share):
    """Mean excess log loss of each sample with this share of positives."""
    kept = (rare["calibrator"] == name) & (rare["share"] == share)
    order = np.lexsort([rare[key][kept] for key in ("sample", "points", "law")])
    return rare["excess"][kept][order]


def _rare(rare):
    for share in SHARES:
        for other in (BEFORE, "Venn-Abers"):
            more = excesses(rare, other, share) - excesses(rare, DEFAULT, share)
            reach = 1.96 * more.std(ddof=1) / np.sqrt(more.size)
            mean = float(more.mean())
            found = Estimate(value=mean, lower=mean - reach, upper=mean + reach)
            answer = surely(7, f"{100 * share:g} % positives: less excess than {other}", found)
            if other == BEFORE:  # no more than the mean itself is expected to be smaller
                answer = answer._replace(answer="yes" if mean > 0 else "no")
            yield answer


def against_packages(rows, peers, points):
    """`peers_answers.Against` of each method of the packages, with the default as ours."""
    return peers_answers.against_each(in_nats(rows), peers, points, DEFAULT)


def in_nats(rows):
    """Recorded rows of probabilities with losses that are not divided by an entropy."""
    rows = of_kinds(rows, ["probabilities"])
    unit = entropy(rows["positives_of_test"] / rows["rows_of_test"])
    return rows | {"log_loss": rows["log_loss"] * unit, "brier": rows["brier"] * unit}


def _ahead_of_packages(rows, peers):
    for points in SIZES:
        won = [one.won for one in against_packages(rows, peers, points) if one.works]
        least = min(won, key=lambda one: one.value)
        found = Estimate(*(number - 0.5 for number in least))
        answer = "yes" if found.value > 0 else "no"
        yield Answer(8, f"each method of the packages, {points:,} points", found, answer)


def trusts(rows):
    """For each other `trust`: mean loss and share of harm, each less the value for 0.5."""
    losses = probabilities(rows)
    return {
        name: (
            interval(*losses.difference(name, DEFAULT)),
            interval(losses.datasets, losses.harms(name, RAW) - losses.harms(DEFAULT, RAW)),
        )
        for name in TRUSTS
    }
