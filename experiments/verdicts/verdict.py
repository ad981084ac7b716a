"""What is judged: the report's verdict and advice. No other module here knows how it is made."""

from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from calib import StackedCalibrator
from calibkit.report import verdict as report
from calibkit.report.make import look_at

FLAG_OF = {  # kinds of cautions
    "reversed scores": "reversed",
    "training rows": "training rows",
    "duplicated rows": "copies",
    "no probabilities": "no probabilities",
    "drift of calibration": "drift",
    "drift of base rate": "drift",
    "marks of missing values": "marks",
    "predicted class": "predicted class",
    "high scores": "predicted class",
}
SEED = 0
DEFAULT_NAME = "Stacked"


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
    kind : {"fit", "collect", "withhold"}
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


def advice_of(look, learned=False):
    """Today's advice, by the rule of `calibkit.report.verdict`.

    Parameters
    ----------
    look : FirstLook
    learned : bool, default=False
        What the user answers if the report asks whether the classifier has learned from the rows.
    """
    if learned and report.asked_by(look.cautions):
        return Advice("withhold")
    match report.advice_of(look.data, look.cautions):
        case report.Advice.CALIBRATE:
            return Advice("fit", StackedCalibrator(), DEFAULT_NAME)
        case report.Advice.COLLECT:
            return Advice("collect")
    if report.withheld_by(look.data, look.cautions) == ["reversed scores"]:
        return Advice("fit", OtherClass(), "the other class")
    return Advice("withhold")
