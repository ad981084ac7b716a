"""Calibrators compared on the rows of a report."""

import math

import numpy as np
from scipy.special import ndtr
from sklearn.base import BaseEstimator

from calib.methods.prior_shift import shift_odds
from calibkit.comparison import DEFAULTS, Comparison, compare
from calibkit.comparison.defaults import fitting
from calibkit.comparison.result import LOSS_NAMES
from calibkit.groups.mondrian_venn_abers import MondrianVennAbers
from calibkit.inference import recalibration_line
from calibkit.report.numbers_in_words import number, percent
from calibkit.report.records import Compared, Method
from calibkit.report.sample import MIN_ROWS_OF_CLASS, CleanSample

N_REPEATS = 3  # draws of folds; with more, a page would take too long
LIKELY_ERRORS = 2.0  # standard errors; a map with a larger gain rarely harms
AVERAGE_NAME = "Average"  # the default that takes the place of the others if no gain is as likely
MIN_WRITTEN_RISK = 0.001  # probability below which a risk is not written out
MAX_COMPARED_ROWS = 20_000  # with more rows, a sample of them tells which calibrator is best


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


def compared(sample: CleanSample, seed: int, outcome: str) -> Compared | None:
    """Compare the quick ones of the default calibrators by cross-validated log loss.

    If there are very many rows, the calibrators are compared on a part of them. Scores that the
    verdict rejects are also compared with their odds times a factor, and with a map for each group.
    """
    if _rarest(sample) < MIN_ROWS_OF_CLASS:
        return None
    notes = []
    if sample.labels.size > MAX_COMPARED_ROWS:
        n_rows = sample.labels.size
        rng = np.random.default_rng(seed)
        sample = sample.rows(np.sort(rng.choice(n_rows, MAX_COMPARED_ROWS, replace=False)))
        if _rarest(sample) < MIN_ROWS_OF_CLASS:
            return None
        notes.append(f"Compared on {MAX_COMPARED_ROWS:,} rows drawn at random out of {n_rows:,}.")
    rejected = outcome == "miscalibrated"
    comparison = compare(
        sample.scores,
        sample.labels,
        _candidates(sample, rejected),
        sample_weight=sample.weights,
        groups=sample.groups,
        clusters=sample.clusters,
        n_repeats=N_REPEATS,
        random_state=seed,
    )
    chosen, recommendation = comparison.chosen, comparison.recommendation
    reference = comparison.results[comparison.reference]
    gain_in = "log" if math.isfinite(reference.log_loss) else "brier"
    if rejected:
        chosen, recommendation = _expected(comparison, gain_in)
        if chosen == "Offset":
            factor = Offset().fit(sample.scores, sample.labels, sample.weights).factor_
            recommendation += f" On these rows it multiplies the odds by {number(factor)}."
    return Compared(
        rows=sample.labels.size,
        reference=comparison.reference,
        gain_in=gain_in,
        chosen=chosen,
        recommendation=recommendation,
        notes=(*notes, *comparison.notes),
        methods=tuple(
            _method(name, result, gain_in) for name, result in comparison.results.items()
        ),
    )


def _candidates(sample, rejected):
    """Calibrators to be compared, by name."""
    scores = sample.scores
    is_probability = bool(scores.min() >= 0 and scores.max() <= 1)
    candidates = {
        default.name: default.calibrator
        for default in fitting(DEFAULTS, is_probability)
        if math.isinf(default.most)
    }
    if rejected and 0 < scores.min() <= scores.max() < 1:
        candidates["Offset"] = Offset()
    if rejected and sample.groups is not None:
        candidates["Mondrian Venn-Abers"] = MondrianVennAbers()
    return candidates


def _expected(comparison: Comparison, gain_in: str) -> tuple[str | None, str]:
    """The calibrator to take after a rejection, and why; those that predict 0 or 1 are left out.

    If some gains are certain for all calibrators at once, the largest of them is taken, as in
    `compare`. Otherwise, if some gains are above two standard errors, it is the largest of them
    less one standard error. Otherwise it is the average, which rarely harms, if its gain is above
    one standard error.
    """
    gains = {}
    for name, result in comparison.results.items():
        gain = result.gain(gain_in)
        if gain is not None and not np.isin(comparison.predictions[name], [0, 1]).any():
            gains[name] = gain
    certain = {name: gain.estimate for name, gain in gains.items() if gain.lower > 0}
    if certain:
        name = max(certain, key=lambda name: certain[name])
        return name, (
            f"{name} has the largest gain of those that never predict 0 or 1: "
            f"{_gain_in_words(gains[name], gain_in)}."
        )
    likely = {
        name: gain.estimate - gain.error
        for name, gain in gains.items()
        if gain.estimate > LIKELY_ERRORS * gain.error
    }
    if likely:
        name = max(likely, key=lambda name: likely[name])
        return name, (
            f"{name} has the largest gain, less its standard error, of those that never predict 0 "
            f"or 1: {_gain_in_words(gains[name], gain_in)}."
        )
    reason = "No calibrator gains more than two standard errors"
    if AVERAGE_NAME not in gains:
        return None, f"{reason}: keep the scores for now."
    average = gains[AVERAGE_NAME]
    gain_words = _gain_in_words(average, gain_in)
    if average.estimate > average.error:
        return AVERAGE_NAME, f"{reason}, but their average more than one: {gain_words}."
    return None, f"{reason}, and their average not one: {gain_words}. Keep the scores for now."


def _gain_in_words(gain, gain_in):
    """A gain with its error, and the chance that the true gain is below 0 if it is normal."""
    errors = gain.estimate / gain.error if gain.error else math.copysign(math.inf, gain.estimate)
    risk = float(ndtr(-errors))
    written = percent(risk) if risk >= MIN_WRITTEN_RISK else f"below {percent(MIN_WRITTEN_RISK)}"
    return (
        f"{number(gain.estimate)} in {LOSS_NAMES[gain_in]} (standard error {number(gain.error)}). "
        f"The chance that it harms is {written}"
    )


def _rarest(sample):
    """Number of rows of the rarer class, or of clusters with such a row."""
    units = np.arange(sample.labels.size) if sample.clusters is None else sample.clusters
    return min(np.unique(units[sample.labels == label]).size for label in (0, 1))


def _method(name, result, gain_in):
    gain = result.gain(gain_in)
    return Method(
        name=name,
        log_loss=_finite_or_none(result.log_loss),
        brier=_finite_or_none(result.brier),
        miscalibration=_finite_or_none(result.miscalibration),
        discrimination=_finite_or_none(result.discrimination),
        auc=_finite_or_none(result.auc),
        gain=None if gain is None else _finite_or_none(gain.estimate),
        lower=None if gain is None else _finite_or_none(gain.lower),
        upper=None if gain is None else _finite_or_none(gain.upper),
        harm=result.harm,
    )


def _finite_or_none(value):
    return float(value) if math.isfinite(value) else None
