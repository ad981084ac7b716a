"""The measures of a report: `calib.metrics` computes them, here stands what is said of them."""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calib import metrics
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import group_ties
from calib.metrics import Interval, Simulated, SimulatedErrors
from calib.report.contents import N_BINS, Bin, Curve, Data, Estimate, Group, Test, Threshold

FEW = 20  # rows of a class: with fewer nothing is said but by simulation
N_COLUMNS = 25  # of the histogram
MEASURES = {  # by key: the name, and after a colon what it means
    "mean_prediction": "Mean prediction",
    "observed_rate": "Observed rate: Share of positives.",
    "bias": "Bias (observed less predicted): Above 0: the predictions are too low on the whole.",
    "log_loss": "Log loss",
    "brier": "Brier score",
    "miscalibration": (
        "Miscalibration (MCB): Part of the Brier score that the best increasing map would remove."
    ),
    "discrimination": "Discrimination (DSC): What the scores gain over the base rate.",
    "uncertainty": "Uncertainty (UNC): Brier score of the base rate.",
    "auc": "AUC: Share of pairs of a positive and a negative in the right order.",
    "kuiper_error": (
        "Kuiper error: Largest bias over a range of predictions, as a share of all rows."
    ),
    "smooth_ece": "Smooth ECE: Expected calibration error by a kernel that chooses its own width.",
    "ici": "Calibration index (ICI): Mean distance of the predictions from a smooth curve.",
    "slope": "Calibration slope: 1 is right; below 1: predictions too far from the base rate.",
    "intercept": "Calibration intercept: Of the same line of log-odds; 0 is right.",
    "in_the_large": (
        "Calibration in the large: Intercept where the slope is 1; above 0: too low on the whole."
    ),
}


class Sample(NamedTuple):
    """Clean columns, without rows of weight 0.

    Attributes
    ----------
    labels, scores : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None
    groups : ndarray of shape (n,) of int, or None
        Place of the group of each row among the names.
    names : tuple of str
        Of the groups.
    """

    labels: NDArray[np.uint8]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    groups: NDArray[np.int64] | None = None
    names: tuple[str, ...] = ()

    @property
    def counts(self):
        """Weight of each row."""
        return np.ones(self.labels.size) if self.weights is None else self.weights

    @property
    def impossible(self):
        """Number of rows whose outcome was given probability 0."""
        return int(np.count_nonzero(self.scores == 1.0 - self.labels))

    def rows(self, here):
        """Part of the sample, without groups."""
        columns = (self.labels, self.scores, self.weights)
        return Sample(*(None if column is None else column[here] for column in columns))

    def measured(self, measure, **options):
        """A measure of the sample."""
        return measure(self.labels, self.scores, sample_weight=self.weights, **options)


def rarer(data: Data) -> float:
    """Number of rows of the rarer class."""
    return min(data.positives, data.total - data.positives)


def simulated(sample: Sample, random_state: int) -> SimulatedErrors | None:
    """Errors beside those of calibrated outcomes; None if weights are not whole numbers."""
    if sample.weights is not None and np.any(sample.weights != np.rint(sample.weights)):
        return None
    return sample.measured(metrics.simulated_errors, random_state=random_state)


def estimates(sample: Sample, data: Data, chance: SimulatedErrors | None) -> tuple[Estimate, ...]:
    """Every measure; for scores outside [0, 1] only the one that needs no probabilities."""
    if not data.probabilities:
        return (area_under_curve(sample),)
    labels, scores, weights = sample[:3]
    mean = partial(metrics.mean_interval, sample_weight=weights)
    limits = metrics.binomial_limits(min(data.positives, data.total), data.total)
    rate = Interval(data.positives / data.total, *map(float, limits), np.nan)
    parts = sample.measured(metrics.score_decomposition)
    kuiper = sample.measured(metrics.kuiper_interval)
    return (
        _estimate("mean_prediction", data.mean),
        _estimate("observed_rate", rate),
        _bias(mean(labels - scores), rarer(data)),
        _log_loss(sample, mean),
        _estimate("brier", mean(np.square(scores - labels))),
        _estimate("miscalibration", parts.miscalibration, chance and chance.miscalibration),
        _estimate("discrimination", parts.discrimination),
        _estimate("uncertainty", parts.uncertainty),
        area_under_curve(sample),
        _estimate("kuiper_error", kuiper, chance and chance.kuiper_error),
        _estimate("smooth_ece", sample.measured(metrics.smooth_ece), chance and chance.smooth_ece),
        _estimate("ici", sample.measured(metrics.integrated_calibration_index)),
        *_line(sample),
    )


def _bias(interval, fewer):
    if fewer >= FEW:
        return _estimate("bias", interval)
    return _estimate("bias", interval.estimate, more=f"Limits need {FEW} rows of each class.")


def _log_loss(sample, mean):
    if sample.impossible:
        return _estimate("log_loss", None, more="Infinite: an outcome was given probability 0.")
    of_outcome = np.where(sample.labels == 1, sample.scores, 1 - sample.scores)
    return _estimate("log_loss", mean(-np.log(of_outcome)))


def area_under_curve(sample: Sample) -> Estimate:
    """The AUC with its limits, if there are two rows of each class."""
    of_class = np.bincount(sample.labels, sample.counts, minlength=2)
    if of_class.min() == 0:
        return Estimate("auc", "AUC", None, note="Needs both classes.")
    if of_class.min() > 1:
        return _estimate("auc", sample.measured(metrics.auc_interval))
    area = sample.measured(metrics.roc_auc_score)
    return _estimate("auc", area, more="Limits need two rows of each class.")


def _line(sample):
    try:
        line = sample.measured(metrics.recalibration_intervals)
    except ValueError:
        reason = "the predictions are all equal, or they separate the classes"
        if np.any((sample.scores == 0) | (sample.scores == 1)):
            reason = "predictions of 0 or 1 have no finite log-odds"
        note = f"No finite line: {reason}."
        names = {key: MEASURES[key].partition(": ")[0] for key in metrics.RecalibrationLine._fields}
        return tuple(Estimate(key, name, None, note=note) for key, name in names.items())
    return tuple(map(_estimate, line._fields, line))


def _estimate(key, found, chance: Simulated | None = None, *, more=""):
    """What was found, an `Interval` or a number, with its name and meaning."""
    name, _, meaning = MEASURES[key].partition(": ")
    value, lower, upper = found, None, None
    if isinstance(found, Interval):
        value, limits = found.estimate, found[1:3]
        lower, upper = limits if all(map(math.isfinite, limits)) else (None, None)
    by_chance = None if chance is None else chance.by_chance()
    return Estimate(key, name, value, lower, upper, by_chance, f"{meaning} {more}".strip())


def calibration_tests(sample: Sample, chance: SimulatedErrors | None) -> tuple[Test, ...]:
    """Tests of calibration; Kuiper's by simulation as well, if there are draws."""
    kuiper = sample.measured(metrics.kuiper_test)
    spiegelhalter = sample.measured(metrics.spiegelhalter_test)
    found = [
        _test("Kuiper", kuiper, "Finds every kind of error as the sample grows."),
        _test("Spiegelhalter", spiegelhalter, "Judges the Brier score: finds extreme predictions."),
    ]
    if chance is not None:
        note = "The same, by outcomes drawn from the predictions: right for few rows, too."
        by_simulation = kuiper._replace(p_value=chance.kuiper_error.p_value)
        found.insert(1, _test("Kuiper, simulated", by_simulation, note))
    return tuple(found)


def curve_of(sample: Sample) -> Curve:
    """Corners of the CORP curve and of its confidence band, and a histogram."""
    fit = sample.measured(metrics.corp_curve)
    band = sample.measured(metrics.confidence_band)
    histogram, _ = np.histogram(sample.scores, N_COLUMNS, (0, 1), weights=sample.weights)
    on_curve, on_band = corners(fit.recalibrated), corners(band.lower, band.upper)
    curve = (fit.predicted[on_curve], fit.recalibrated[on_curve])
    limits = (band.predicted[on_band], band.lower[on_band], band.upper[on_band])
    columns = (tuple(c.tolist()) for c in (*curve, *limits, histogram.astype(float)))
    return Curve(*columns, band.holds_diagonal, band.crosses)


def corners(*lines):
    """Which points of step functions begin or end a flat piece: the others change no picture."""
    changes = np.any([np.diff(line) != 0 for line in lines], axis=0)
    return np.append(True, changes) | np.append(changes, True)


def bins_of(sample: Sample) -> tuple[Bin, ...]:
    """Ten bins of equal size, fewer if ties fill several."""
    bins = sample.measured(metrics.reliability_curve, n_bins=N_BINS)
    distinct = group_ties(sample.scores, sample.labels, sample.weights)
    ends = np.searchsorted(prefix_sums(distinct.weights), np.cumsum(bins.counts) * (1 - 1e-12))
    starts = np.append(0, ends[:-1])
    ranges = (distinct.scores[starts], distinct.scores[ends - 1])
    rates = (bins.counts, bins.predicted, bins.observed, bins.lower, bins.upper)
    return tuple(map(Bin, *(column.tolist() for column in ranges + rates)))


def groups_of(sample: Sample) -> tuple[Group, ...]:
    """Each group, in order."""
    if sample.groups is None:
        return ()
    found = sample.measured(metrics.calibration_by_group, groups=sample.groups)
    order = np.argsort(sample.groups, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(sample.groups))[:-1])
    areas = (area_under_curve(sample.rows(here)).value for here in parts)
    return tuple(map(Group, sample.names, *zip(*found.values(), strict=True), areas))


def decisions_of(sample: Sample) -> tuple[Threshold, ...]:
    """Net benefit at each hundredth, and what it gains over acting always or never."""
    curve = sample.measured(metrics.decision_curve)
    gains = sample.measured(metrics.decision_gains)
    columns = (column.tolist() for column in (*curve, *gains[1:]))
    return tuple(map(Threshold, *columns))


def _test(name, result, note):
    statistic = result.statistic if math.isfinite(result.statistic) else None
    return Test(name, statistic, result.p_value, note)
