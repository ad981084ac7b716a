"""What the benchmark of drift says: its expectations decided, and what a shift costs."""

from typing import NamedTuple

import numpy as np
from scipy.special import logit

from experiments.benchmark.analysis import Estimate, by_dataset, cases_of, intervals, sources, wins
from experiments.benchmark.calibrators import RAW
from experiments.benchmark.drift import CANDIDATES, DOWN, DRIFT, QUARTER, SAME, SHIFTED, SIZES, UP
from experiments.benchmark.second import AVERAGE, CAUTIOUS
from experiments.benchmark.second_answers import HARM, decided

ALL = [RAW, *CANDIDATES, SHIFTED]
OTHERS = [name for name in CANDIDATES if name not in (AVERAGE, CAUTIOUS)]
ONE_PARAMETER = "Temperature"
TESTS = [SAME, DRIFT, DOWN, UP, QUARTER]


class Losses(NamedTuple):
    """Data sets, base models and splits of the cases, and a column of losses for each name."""

    cases: np.ndarray
    of: dict

    @property
    def datasets(self):
        """The data set of each case."""
        return self.cases[:, 0]

    def at(self, kept):
        """Some of the cases."""
        return Losses(self.cases[kept], {name: loss[kept] for name, loss in self.of.items()})


def losses_of(rows, points, test, measure="log_loss"):
    """The losses of `ALL` in the cases of one test, in the order of the names of the cases."""
    kept = rows["test"] == test
    rows = {key: column[kept] for key, column in rows.items()}
    found = cases_of(rows, measure, ALL, points=points)
    names = np.column_stack([found.datasets, found.models, found.splits])
    return Losses(names, dict(zip(ALL, found.values.T, strict=True)))


def both(rows, points, test):
    """The losses on rows of the same population, and of a test, in the cases that have the test."""
    first, second = losses_of(rows, points, SAME), losses_of(rows, points, test)
    has_it = {tuple(case) for case in second.cases}
    return first.at([tuple(case) in has_it for case in first.cases]), second


def answers(rows):
    """What became of the expectations of the protocol, at either of the `SIZES`."""
    return [expect(rows, points) for points in SIZES for expect in EXPECTED]


def gains_under_drift(rows, points):
    """Under drift the average beats the raw scores in more than half of the cases."""
    return decided(points, "drift: beats raw", {RAW: _won(rows, points, DRIFT, AVERAGE, RAW)})


def wins_under_drift(rows, points):
    """Under drift the average beats each of the others in more than half of the cases."""
    won = {name: _won(rows, points, DRIFT, AVERAGE, name) for name in OTHERS}
    return decided(points, "drift: beats each other", won)


def harms_more_under_drift(rows, points):
    """The average harms more often on drifted rows than on rows of the same population."""
    same, drifted = both(rows, points, DRIFT)
    datasets, after = _harm(drifted, AVERAGE)
    _, before = _harm(same, AVERAGE)
    return decided(points, "drift: harms more often", {SAME: (datasets, after - before)})


def cautious_harms_under_drift(rows, points):
    """The cautious average harms in more than 5 % of cases under drift."""
    datasets, harm = _harm(losses_of(rows, points, DRIFT), CAUTIOUS)
    return decided(points, "drift: cautious harms in over 5 %", {CAUTIOUS: (datasets, harm - 0.05)})


def one_parameter_rises_least(rows, points):
    """From the same population to the drifted one, one parameter loses less than more.

    Cases in which the loss of a calibrator is infinite are left out.
    """
    same, drifted = both(rows, points, DRIFT)
    names = [*OTHERS, AVERAGE, CAUTIOUS]
    same, drifted = _finite(same, drifted, names)
    rise = {name: drifted.of[name] - same.of[name] for name in names}
    least = rise.pop(ONE_PARAMETER)
    more = {name: (drifted.datasets, value - least) for name, value in rise.items()}
    return decided(points, "drift: one parameter rises least", more)


def gains_under_prior_shift(rows, points):
    """Under prior shift the average beats the raw scores in more than half of the cases."""
    won = {test: _won(rows, points, test, AVERAGE, RAW) for test in (DOWN, UP)}
    return decided(points, "prior shift: beats raw", won)


def correction_helps(rows, points):
    """Under prior shift the shifted average beats the average in more than half of the cases."""
    won = {test: _won(rows, points, test, SHIFTED, AVERAGE) for test in (DOWN, UP)}
    return decided(points, "prior shift: correction helps", won)


def correction_hurts_elsewhere(rows, points):
    """Elsewhere the shifted average loses to the average in more than half of the cases."""
    won = {test: _won(rows, points, test, AVERAGE, SHIFTED) for test in (SAME, QUARTER, DRIFT)}
    return decided(points, "elsewhere: correction hurts", won)


def _won(rows, points, test, first, second):
    """Data sets of the cases, and by how much each is won by more than half."""
    losses = losses_of(rows, points, test)
    return losses.datasets, wins(losses.of[first], losses.of[second]) - 0.5


def _harm(losses, name):
    """Data sets of the cases, and whether each is harmed; where raw is infinite, it is not."""
    return losses.datasets, (losses.of[name] > losses.of[RAW] + HARM).astype(float)


def _finite(first, second, names):
    """The cases in which all losses of the names are finite in both."""
    losses = [one.of[name] for one in (first, second) for name in names]
    kept = np.isfinite(losses).all(axis=0)
    return first.at(kept), second.at(kept)


class Cost(NamedTuple):
    """What a calibrator does in one test.

    Attributes
    ----------
    won : Estimate
        Share of cases with a smaller log loss than that of the scores.
    harmed : Estimate
        Share of cases with a log loss larger by more than `HARM`.
    rise : Estimate
        Of the mean log loss, from rows of the same population to those of the test. Cases in which
        a loss of any of `ALL` is infinite, here or there, are left out.
    """

    won: Estimate
    harmed: Estimate
    rise: Estimate


def costs(rows, points, test):
    """The `Cost` of each of `ALL`, with intervals by drawing sources."""
    same, tested = both(rows, points, test)
    before, after = _finite(same, tested, ALL)
    won = [wins(tested.of[name], tested.of[RAW]) for name in ALL]
    harmed = [_harm(tested, name)[1] for name in ALL]
    rises = [after.of[name] - before.of[name] for name in ALL]
    estimates = zip(
        ALL,
        _intervals_of(tested.datasets, won),
        _intervals_of(tested.datasets, harmed),
        _intervals_of(after.datasets, rises),
        strict=True,
    )
    return {
        name: Cost(won=share_won, harmed=share_harmed, rise=rise)
        for name, share_won, share_harmed, rise in estimates
    }


def _intervals_of(datasets, values):
    """An `Estimate` for each list of values, which has one value a case."""
    names, means = by_dataset(datasets, np.transpose(values))
    return intervals(sources(names), means)


def prior_errors(rows, points, test):
    """Of the estimated base rates: the mean distance of the log-odds, and how many are refused.

    Returns
    -------
    distance : float
        Mean over data sets of the distance between the log-odds of the estimate and of the test.
    refused : int
    cases : int
    """
    kept = (rows["test"] == test) & (rows["calibrator"] == SHIFTED) & (rows["points"] == points)
    prior, rate = rows["prior"][kept], rows["rate"][kept]
    known = np.isfinite(prior)
    with np.errstate(divide="ignore"):
        distance = np.abs(logit(prior[known]) - logit(rate[known]))
    means = by_dataset(rows["dataset"][kept][known], distance)[1]
    return float(means.mean()), int((~known).sum()), int(kept.sum())


EXPECTED = [
    gains_under_drift,
    wins_under_drift,
    harms_more_under_drift,
    cautious_harms_under_drift,
    one_parameter_rises_least,
    gains_under_prior_shift,
    correction_helps,
    correction_hurts_elsewhere,
]
