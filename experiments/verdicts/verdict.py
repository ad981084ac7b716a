"""What is judged: the report's verdict and advice. No other module here knows how it is made."""

from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from calib import VennAbers
from calibkit.comparison import DEFAULTS
from calibkit.groups import MondrianVennAbers
from calibkit.report.calibrators import Offset
from calibkit.report.make import comparison_of, look_at
from calibkit.report.verdict import WITHHELD

FLAG_OF = {  # kinds of cautions
    "reversed scores": "reversed",
    "training rows": "training rows",
    "duplicated rows": "copies",
    "no probabilities": "no probabilities",
    "drift of calibration": "drift",
    "drift of base rate": "drift",
}
SEED = 0
BY_NAME = {default.name: default.calibrator for default in DEFAULTS}
BY_NAME |= {"Offset": Offset(), "Mondrian Venn-Abers": MondrianVennAbers()}


class Verdict(NamedTuple):
    """A verdict in the words of this benchmark.

    Attributes
    ----------
    outcome : {"no evidence", "miscalibrated", "cannot say"}
        The headline.
    ranges : tuple of pairs of float
        Of scores that it names as wrong.
    groups : tuple of str
        That it names as wrong.
    flags : frozenset of str
        Of the file itself: the keys of `truths.FAMILIES` say which there are.
    says_what_escapes : bool
        Whether a silent headline says what it could have missed.
    """

    outcome: str
    ranges: tuple = ()
    groups: tuple = ()
    flags: frozenset = frozenset()
    says_what_escapes: bool = True


class Advice(NamedTuple):
    """What a report says should be done.

    Attributes
    ----------
    kind : {"keep", "fit", "collect", "withhold", "base rate"}
    estimator : calibrator or None
        To fit to the file, if the advice is to fit.
    name : str
        Of the estimator.
    """

    kind: str
    estimator: Any = None
    name: str = "-"


def look_at_file(file):
    """What a report finds in a file before it measures and compares: see `verdict_of`."""
    columns = file.scores, file.labels, file.weights, file.groups, file.clusters
    return look_at(*columns, seed=SEED)


def verdict_of(look):
    """Today's verdict."""
    finding = look.finding
    ranges = () if finding.place is None else ((finding.place.lowest, finding.place.highest),)
    groups = tuple(look.sample.names[group] for group in finding.groups)
    flags = {FLAG_OF.get(caution.kind) for caution in look.cautions}
    return Verdict(finding.outcome, ranges, groups, frozenset(flags - {None}))


class OtherClass(BaseEstimator):
    """One less the score: the advice on reversed scores."""

    unit_scores = True

    def fit(self, scores, labels, sample_weight=None):
        """Learn nothing."""
        return self

    def predict(self, scores):
        """Probabilities of the other class."""
        return 1 - scores


def advice_of(look):
    """Today's advice, as `calibkit.report.verdict` words it."""
    data, outcome = look.data, look.finding.outcome
    withheld = [caution.kind for caution in look.cautions if caution.kind in WITHHELD]
    if withheld == ["reversed scores"] and data.probabilities:
        return Advice("fit", OtherClass(), "the other class")
    if withheld:
        return Advice("withhold")
    comparison = comparison_of(look, SEED)
    chosen = comparison and comparison.chosen
    if not data.probabilities:
        if comparison is not None and chosen is None:
            return Advice("base rate")
        return Advice("fit", BY_NAME.get(chosen, VennAbers()), chosen or "a calibrator")
    if outcome == "cannot say" or (outcome == "miscalibrated" and not chosen):
        return Advice("collect")
    return Advice("fit", BY_NAME[chosen], chosen) if chosen else Advice("keep")
