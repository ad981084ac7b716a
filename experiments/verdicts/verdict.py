"""What is judged: the verdict of the report. No other module here knows how it is made."""

from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from calib.comparison import DEFAULTS
from calib.report import make_report
from calib.report.comparing import Offset
from calib.report.judging import WITHHELD
from calib.venn_abers.inductive import VennAbers
from calib.venn_abers.mondrian import MondrianVennAbers

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
    advice : {"keep", "fit", "collect", "withhold", "base rate"}
    estimator : calibrator or None
        To fit to the file, if the advice is to fit.
    name : str
        Of the estimator.
    says_what_escapes : bool
        Whether a silent headline says what it could have missed.
    """

    outcome: str
    ranges: tuple
    groups: tuple
    flags: frozenset
    advice: str
    estimator: Any = None
    name: str = ""
    says_what_escapes: bool = True


def verdict_of(file):
    """Today's report on a file."""
    report = make_report(
        file.scores,
        file.labels,
        sample_weight=file.weights,
        groups=file.groups,
        clusters=file.clusters,
        random_state=SEED,
    )
    outcome = report.verdict.outcome
    place = report.verdict.place
    ranges = () if place is None else ((place.lowest, place.highest),)
    flags = {FLAG_OF.get(caution.kind) for caution in report.cautions}
    advice = _advice(report, outcome)
    groups = report.verdict.groups
    return Verdict(outcome, ranges, groups, frozenset(flags - {None}), *advice)


class OtherClass(BaseEstimator):
    """One less the score: the advice on reversed scores."""

    unit_scores = True

    def fit(self, scores, labels, sample_weight=None):
        """Learn nothing."""
        return self

    def predict(self, scores):
        """Probabilities of the other class."""
        return 1 - scores


def _advice(report, outcome):
    """Kind, estimator and its name, as `calib.report.judging` words them."""
    data, comparison = report.data, report.comparison
    withheld = [caution.kind for caution in report.cautions if caution.kind in WITHHELD]
    if withheld == ["reversed scores"] and data.probabilities:
        return "fit", OtherClass(), "the other class"
    if withheld:
        return "withhold", None, ""
    chosen = comparison and comparison.chosen
    if not data.probabilities:
        if comparison is not None and chosen is None:
            return "base rate", None, ""
        return "fit", BY_NAME.get(chosen, VennAbers()), chosen or "a calibrator"
    if outcome == "cannot say" or (outcome == "miscalibrated" and not chosen):
        return "collect", None, ""
    if chosen:
        return "fit", BY_NAME[chosen], chosen
    return "keep", None, ""
