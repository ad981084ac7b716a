"""What the second benchmark says: its expectations decided, and advice judged by its regret."""

from typing import NamedTuple

import numpy as np

from experiments.benchmark.analysis import Estimate, bootstrap, by_dataset, cases_of, sources, wins
from experiments.benchmark.calibrators import RAW
from experiments.benchmark.second import AVERAGE, CANDIDATES, CAUTIOUS, SIZES

ALL = [RAW, *CANDIDATES]
OTHERS = [name for name in CANDIDATES if name not in (AVERAGE, CAUTIOUS)]
NEVER_INFINITE = [AVERAGE, CAUTIOUS, "Spline", "Venn-Abers"]
HARM = 1e-4  # of log loss above that of the scores
LEVEL = 0.05


class Answer(NamedTuple):
    """An expectation at one number of calibration points, and what became of it.

    Attributes
    ----------
    points : int
    statement : str
    against : str
        With which calibrator the comparison is least as expected; empty if there is none.
    estimate : Estimate
        Above 0 if it is as expected; the interval allows for the number of comparisons.
    answer : str
        ``"yes"``, ``"no"`` or ``"undecided"``.
    """

    points: int
    statement: str
    against: str
    estimate: Estimate
    answer: str


def losses_of(rows, points, measure="log_loss"):
    """Data sets and base models of the cases, and the losses of `ALL`, a column each."""
    cases = cases_of(rows, measure, ALL, points=points)
    return cases.datasets, cases.models, cases.values


def answers(rows):
    """What became of the expectations of the protocol, at each of the `SIZES`."""
    return [expect(rows, points) for points in SIZES for expect in EXPECTED]


def wins_against_each(rows, points):
    """The average wins more than half of the cases against each of the others."""
    datasets, _, losses = losses_of(rows, points)
    ours = column(losses, AVERAGE)
    won = {name: (datasets, wins(ours, column(losses, name)) - 0.5) for name in OTHERS}
    return decided(points, "more than half of the cases", won)


def smallest_mean(rows, points, measure):
    """No other has a smaller mean loss than the average, for sure."""
    datasets, _, losses = losses_of(rows, points, measure)
    finite = [name for name in OTHERS if np.isfinite(column(losses, name)).all()]
    ours = column(losses, AVERAGE)
    more = {name: (datasets, column(losses, name) - ours) for name in finite}
    found = decided(points, f"mean {WORDS[measure]} smallest, or not apart", more)
    return found._replace(answer="no" if found.answer == "no" else "yes")


def harms_less(rows, points):
    """The average harms less often than every calibrator that gains as much."""
    datasets, _, losses = losses_of(rows, points)
    kept = np.isfinite(losses[:, 0])
    datasets, losses = datasets[kept], losses[kept]
    gain = by_dataset(datasets, losses[:, :1] - losses)[1].mean(axis=0)
    rivals = [name for name in OTHERS if gain[ALL.index(name)] >= gain[ALL.index(AVERAGE)]]
    harm = {name: column(losses, name) > losses[:, 0] + HARM for name in [AVERAGE, *rivals]}
    more = {name: (datasets, harm[name].astype(float) - harm[AVERAGE]) for name in rivals}
    statement = "harms less than who gains as much"
    return decided(points, statement, more) if rivals else unrivalled(points, statement)


def cautious_harms_rarely(rows, points):
    """The cautious average harms in less than 5 % of cases."""
    datasets, _, losses = losses_of(rows, points)
    harm = column(losses, CAUTIOUS) > losses[:, 0] + HARM
    return decided(points, "cautious: harm below 5 %", {CAUTIOUS: (datasets, 0.05 - harm)})


def never_infinite(rows, points):
    """Log losses that are never infinite: counts of the cases in which they are."""
    _, _, losses = losses_of(rows, points)
    counts = [0.0 - np.isinf(column(losses, name)).sum() for name in NEVER_INFINITE]
    worst = int(np.argmin(counts))
    count = counts[worst]
    return Answer(
        points=points,
        statement="never infinite",
        against=NEVER_INFINITE[worst],
        estimate=Estimate(value=count, lower=count, upper=count),
        answer="no" if count < 0 else "yes",
    )


def column(losses, name):
    """The losses of one calibrator."""
    return losses[:, ALL.index(name)]


def decided(points, statement, comparisons):
    """The answer to several comparisons: all intervals above 0, one below, or neither.

    Parameters
    ----------
    points : int
    statement : str
    comparisons : dict from str to tuple
        With whom: the data set of each case, and what is above 0 on average if all is as expected.
    """
    level = LEVEL / len(comparisons)
    return judged(
        points, statement, {name: interval(*cases, level) for name, cases in comparisons.items()}
    )


def unrivalled(points, statement):
    """The answer where there is nobody to be compared with."""
    nothing = Estimate(value=np.nan, lower=np.nan, upper=np.nan)
    return Answer(points=points, statement=statement, against="", estimate=nothing, answer="yes")


def judged(points, statement, found):
    """The answer to several comparisons, given the estimates of what should be above 0."""
    worst = min(found, key=lambda name: found[name].value)
    answer = "yes" if all(one.lower > 0 for one in found.values()) else "undecided"
    if any(one.upper < 0 for one in found.values()):
        answer = "no"
    return Answer(
        points=points, statement=statement, against=worst, estimate=found[worst], answer=answer
    )


def interval(datasets, values, level=LEVEL):
    """The mean over data sets of the means of their cases, with its interval over sources."""
    names, means = by_dataset(datasets, values)
    if not np.isfinite(means).all():  # infinite however the sources are drawn, but for luck
        return Estimate(value=float(means.mean()), lower=np.nan, upper=np.nan)
    return bootstrap(sources(names), means, level=level)


def policies(rows, points, measure="log_loss"):
    """Regret of fixed choices and of learned ones, in mean loss above the best of each case.

    A learned choice takes, for the cases of a source, the calibrator with the smallest mean loss in
    the data sets of other sources: over all base models, or over the same one.

    Returns
    -------
    regret : dict from str to Estimate
        Means over data sets, with intervals by drawing sources.
    """
    datasets, models, losses = losses_of(rows, points, measure)
    taken = {f"always {name}": column(losses, name) for name in ALL} | {
        name: losses[np.arange(len(losses)), chosen]
        for name, chosen in learned(datasets, models, losses).items()
    }
    best = losses.min(axis=1)
    return {name: interval(datasets, loss - best) for name, loss in taken.items()}


def gains_of_learning(rows, points):
    """Mean log loss of the average less that of learned advice, on the cases of other sources."""
    datasets, models, losses = losses_of(rows, points)
    ours = column(losses, AVERAGE)
    cases = np.arange(len(losses))
    return {
        name: interval(datasets, ours - losses[cases, chosen])
        for name, chosen in learned(datasets, models, losses).items()
    }


def learned(datasets, models, losses):
    """Columns of `losses` that learned advice takes in each case."""
    everywhere = np.zeros(datasets.size, int)
    return {
        "learned": _learned(datasets, losses, everywhere),
        "learned for each model": _learned(datasets, losses, models),
    }


def _learned(datasets, losses, kinds):
    """For each case the column of smallest mean in cases of its kind and of other sources."""
    source = sources(datasets)
    chosen = np.empty(datasets.size, int)
    for left_out in np.unique(source):
        for kind in np.unique(kinds):
            known = (source != left_out) & (kinds == kind)
            means = by_dataset(datasets[known], losses[known])[1].mean(axis=0)
            chosen[(source == left_out) & (kinds == kind)] = np.argmin(means)
    return chosen


WORDS = {"log_loss": "log loss", "brier": "Brier score"}
EXPECTED = [
    wins_against_each,
    lambda rows, points: smallest_mean(rows, points, "log_loss"),
    lambda rows, points: smallest_mean(rows, points, "brier"),
    harms_less,
    cautious_harms_rarely,
    never_infinite,
]
