"""Calibrators compared on the rows of a report."""

import math

import numpy as np
from scipy.special import ndtr
from sklearn.base import BaseEstimator

from calib.comparison import DEFAULTS, compare
from calib.comparison.defaults import fitting
from calib.comparison.result import LOSSES
from calib.metrics import recalibration_line
from calib.report.contents import Compared, Method
from calib.report.measuring import FEW, Sample
from calib.report.wording import number, percent
from calib.venn_abers.mondrian import MondrianVennAbers
from calib.wrappers.prior_shift import shift_odds

N_REPEATS = 3  # of the folds: a page should not take longer
LIKELY = 2.0  # standard errors of a gain from which on a map rarely harms
AVERAGE = "Average"  # of the defaults; takes the place of the others where no gain is as sure
LEAST_RISK = 0.001  # that is written out
MOST = 20_000  # rows: with more a sample of them tells which calibrator is best


class Offset(BaseEstimator):
    """The odds of the scores times one likeliest factor; scores of 0 and 1 have none."""

    unit_scores = True

    def fit(self, scores, labels, sample_weight=None):
        """Learn the factor."""
        line = recalibration_line(labels, scores, sample_weight=sample_weight)
        self.factor_ = math.exp(line.in_the_large)
        return self

    def predict(self, scores):
        """Multiply the odds."""
        return shift_odds(scores, self.factor_)


def compared(sample: Sample, seed: int, outcome: str) -> Compared | None:
    """The quick ones of the default calibrators by cross-validated log loss.

    Of very many rows they are compared on a part. Scores that the verdict rejects are compared
    with their odds times a factor and with a map for each group, too.
    """
    if _rarest(sample) < FEW:
        return None
    notes = []
    if sample.labels.size > MOST:
        rng = np.random.default_rng(seed)
        drawn = np.sort(rng.choice(sample.labels.size, MOST, replace=False))
        part = sample.rows(drawn)
        if _rarest(part) < FEW:
            return None
        notes.append(f"Compared on {MOST:,} rows drawn at random out of {sample.labels.size:,}.")
        sample = part
    is_probability = bool(sample.scores.min() >= 0 and sample.scores.max() <= 1)
    candidates = fitting(DEFAULTS, is_probability)
    candidates = {d.name: d.calibrator for d in candidates if math.isinf(d.most)}
    rejected = outcome == "miscalibrated"
    if rejected and 0 < sample.scores.min() <= sample.scores.max() < 1:
        candidates["Offset"] = Offset()
    if rejected and sample.groups is not None:
        candidates["Mondrian Venn-Abers"] = MondrianVennAbers()
    found = compare(
        sample.scores,
        sample.labels,
        candidates,
        calibrator_groups=sample.groups,
        sample_weight=sample.weights,
        groups=sample.clusters,
        n_repeats=N_REPEATS,
        random_state=seed,
    )
    chosen, recommendation = found.chosen, found.recommendation
    gain_in = "log" if math.isfinite(found.results[found.reference].log_loss) else "brier"
    if rejected:
        chosen, recommendation = _expected(found, gain_in)
        if chosen == "Offset":
            factor = Offset().fit(sample.scores, sample.labels, sample.weights).factor_
            recommendation += f" On these rows it multiplies the odds by {number(factor)}."
    return Compared(
        rows=sample.labels.size,
        reference=found.reference,
        gain_in=gain_in,
        chosen=chosen,
        recommendation=recommendation,
        notes=(*notes, *found.notes),
        methods=tuple(_method(name, result, gain_in) for name, result in found.results.items()),
    )


def _expected(found, gain_in):
    """The calibrator to take after a rejection, and why; those that predict 0 or 1 are left out.

    Of the gains that are certain for all at once it is the largest, as in `compare`. Where there
    is none, it is the largest less one standard error of those above two; and else the average,
    which rarely harms, if that gains more than one.
    """
    gains = {
        name: result.gain(gain_in)
        for name, result in found.results.items()
        if name != found.reference and not np.isin(found.predictions[name], [0, 1]).any()
    }
    certain = {name: gain.estimate for name, gain in gains.items() if gain.lower > 0}
    likely = {n: g.estimate - g.error for n, g in gains.items() if g.estimate > LIKELY * g.error}
    if certain or likely:
        name = max(certain or likely, key=(certain or likely).get)
        less = "" if certain else ", less its standard error,"
        return name, (
            f"{name} has the largest gain{less} of those that never predict 0 or 1: "
            f"{_told(gains[name], gain_in)}."
        )
    average = gains.get(AVERAGE)
    why = "No calibrator gains more than two standard errors"
    if average is None:
        return None, f"{why}: keep the scores for now."
    if average.estimate > average.error:
        return AVERAGE, f"{why}, but their average more than one: {_told(average, gain_in)}."
    return None, (
        f"{why}, and their average not one: {_told(average, gain_in)}. Keep the scores for now."
    )


def _told(gain, gain_in):
    """A gain with its error, and the chance that the true one is below 0 if it is normal."""
    errors = gain.estimate / gain.error if gain.error else math.copysign(math.inf, gain.estimate)
    risk = float(ndtr(-errors))
    risk = percent(risk) if risk >= LEAST_RISK else f"below {percent(LEAST_RISK)}"
    return (
        f"{number(gain.estimate)} in {LOSSES[gain_in]} (standard error {number(gain.error)}). The "
        f"chance that it harms is {risk}"
    )


def _rarest(sample):
    """Rows of the rarer class, or clusters with one."""
    rows = (sample.labels == 0, sample.labels == 1)
    units = np.arange(sample.labels.size) if sample.clusters is None else sample.clusters
    return min(np.unique(units[here]).size for here in rows)


def _method(name, result, gain_in):
    gain = result.gain(gain_in)
    numbers = (
        result.log_loss,
        result.brier,
        result.miscalibration,
        result.discrimination,
        result.auc,
        *((None, None, None) if gain is None else gain[:3]),
    )
    return Method(name, *map(_finite, numbers), result.harm)


def _finite(value):
    return None if value is None or not math.isfinite(value) else float(value)
