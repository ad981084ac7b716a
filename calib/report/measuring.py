"""The measures of a report with limits that cost one pass over the data, at any size."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv, expit, logit, ndtri

from calib import metrics
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import group_ties
from calib.metrics.elementary import shares_at_thresholds
from calib.metrics.significance import brownian_range_tail
from calib.report.contents import N_BINS, Bin, Curve, Data, Estimate, Group, Test, Threshold

FEW = 20  # rows of a class: with fewer nothing is said but by simulation
CONFIDENCE = 0.95
REACH = float(ndtri((1 + CONFIDENCE) / 2))  # of limits, in standard errors
N_COLUMNS = 25  # of the histogram


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

    def rows(self, here):
        """Part of the sample, without groups."""
        columns = (self.labels, self.scores, self.weights)
        return Sample(*(None if column is None else column[here] for column in columns))


def rarer(data: Data) -> float:
    """Number of rows of the rarer class."""
    return min(data.positives, data.total - data.positives)


def estimates(sample, data: Data, chance) -> tuple[Estimate, ...]:
    """Every measure; for scores outside [0, 1] only the one that needs no probabilities."""
    if not data.probabilities:
        return (area_under_curve(sample),)
    return (
        *_means(sample, data),
        *_proper_scores(sample, chance),
        area_under_curve(sample),
        *_errors_without_bins(sample, chance),
        *_line(sample),
    )


def _means(sample, data):
    observed = data.positives / data.total
    lower, upper = binomial_limits(data.positives, data.total, CONFIDENCE)
    value, error = _mean(sample.labels - sample.scores, sample.counts)
    bias = "bias", "Bias (observed less predicted)", value
    note = "Above 0: the predictions are too low on the whole."
    return (
        Estimate("mean_prediction", "Mean prediction", data.mean),
        Estimate(
            "observed_rate", "Observed rate", observed, lower, upper, note="Share of positives."
        ),
        Estimate(*bias, note=f"{note} Limits need {FEW} rows of each class.")
        if rarer(data) < FEW
        else _wald(*bias, error, note=note),
    )


def _proper_scores(sample, chance):
    labels, scores, weights = sample[:3]
    columns = {"sample_weight": weights}
    parts = metrics.score_decomposition(labels, scores, **columns)
    _, brier_error = _mean(np.square(scores - labels), sample.counts)
    logarithmic = metrics.log_loss(labels, scores, **columns)
    if math.isfinite(logarithmic):
        with np.errstate(divide="ignore"):
            losses = -np.log(np.where(labels == 1, scores, 1 - scores))
        log = _wald("log_loss", "Log loss", logarithmic, _mean(losses, sample.counts)[1])
    else:
        note = "Infinite: an outcome was given probability 0."
        log = Estimate("log_loss", "Log loss", None, note=note)
    return (
        log,
        _wald("brier", "Brier score", parts.score, brier_error),
        Estimate(
            "miscalibration",
            "Miscalibration (MCB)",
            parts.miscalibration,
            by_chance=_largest_by_chance(chance, "miscalibration"),
            note="Part of the Brier score that the best increasing map would remove.",
        ),
        Estimate(
            "discrimination",
            "Discrimination (DSC)",
            parts.discrimination,
            note="What the scores gain over the base rate.",
        ),
        Estimate(
            "uncertainty",
            "Uncertainty (UNC)",
            parts.uncertainty,
            note="Brier score of the base rate.",
        ),
    )


def area_under_curve(sample) -> Estimate:
    """The AUC with its limits, if there are two rows of each class."""
    labels, scores, weights = sample[:3]
    of_class = np.bincount(labels, sample.counts, minlength=2)
    if of_class.min() == 0:
        return Estimate("auc", "AUC", None, note="Needs both classes.")
    note = "Share of pairs of a positive and a negative in the right order."
    if of_class.min() <= 1:
        area = metrics.roc_auc_score(labels, scores, sample_weight=weights)
        return Estimate("auc", "AUC", area, note=f"{note} Limits need two rows of each class.")
    area = metrics.auc_interval(labels, scores, sample_weight=weights)
    return Estimate("auc", "AUC", area.estimate, area.lower, area.upper, note=note)


def _errors_without_bins(sample, chance):
    labels, scores, weights = sample[:3]
    columns = {"sample_weight": weights}
    return (
        Estimate(
            "kuiper_error",
            "Kuiper error",
            *kuiper_interval(sample),
            _largest_by_chance(chance, "kuiper"),
            "Largest bias over a range of predictions, as a share of all rows.",
        ),
        Estimate(
            "smooth_ece",
            "Smooth ECE",
            metrics.smooth_ece(labels, scores, **columns),
            by_chance=_largest_by_chance(chance, "smooth_ece"),
            note="Expected calibration error by a kernel that chooses its own width.",
        ),
        Estimate(
            "ici",
            "Calibration index (ICI)",
            metrics.integrated_calibration_index(labels, scores, **columns),
            note="Mean distance of the predictions from a smooth curve.",
        ),
    )


def kuiper_interval(sample: Sample) -> tuple[float, float, float]:
    """The Kuiper error with limits that hold for calibrated predictions as well.

    The range of a path differs from that of its mean by at most the range of the noise between
    them. The variance of that noise is at most the Brier score, in expectation; that of few
    positives tells little, so what calibrated predictions would have is the least that is taken.
    """
    labels, scores, weights = sample[:3]
    error = metrics.kuiper_error(labels, scores, sample_weight=weights)
    brier = metrics.brier_score_loss(labels, scores, sample_weight=weights)
    if_calibrated = np.average(scores * (1 - scores), weights=weights)
    noise = critical_range() * math.sqrt(max(brier, if_calibrated) / sample.counts.sum())
    return error, max(error - noise, 0.0), min(error + noise, 1.0)


def _line(sample):
    labels, scores, weights = sample[:3]
    names = {
        "slope": (
            "Calibration slope",
            "1 is right; below 1: predictions too far from the base rate.",
        ),
        "intercept": ("Calibration intercept", "Of the same line of log-odds; 0 is right."),
        "in_the_large": (
            "Calibration in the large",
            "Intercept where the slope is 1; above 0: too low on the whole.",
        ),
    }
    try:
        line = metrics.recalibration_line(labels, scores, sample_weight=weights)
    except ValueError:
        certain = np.any((scores == 0) | (scores == 1))
        reason = (
            "predictions of 0 or 1 have no finite log-odds"
            if certain
            else "the predictions are all equal, or they separate the classes"
        )
        return tuple(
            Estimate(key, title, None, note=f"No finite line: {reason}.")
            for key, (title, _) in names.items()
        )
    errors = _line_errors(sample, line)
    return tuple(
        _wald(key, *(names[key][:1]), value, error, note=names[key][1])
        for key, value, error in zip(names, line, errors, strict=True)
    )


def _line_errors(sample, line):
    """Standard errors that hold for a bent truth as well (the "sandwich")."""
    counts, logits = sample.counts, logit(sample.scores)
    errors = []
    for shift, columns in (
        (line.intercept + (line.slope - 1) * logits, [logits, np.ones(logits.size)]),
        (line.in_the_large, [np.ones(logits.size)]),
    ):
        fitted = expit(logits + shift)
        design = np.stack(columns)
        bread = (design * (counts * fitted * (1 - fitted))) @ design.T
        filling = (design * (counts * np.square(sample.labels - fitted))) @ design.T
        inverse = np.linalg.inv(bread)
        errors.extend(np.sqrt(np.diag(inverse @ filling @ inverse)).tolist())
    return errors


def calibration_tests(sample, by_simulation) -> tuple[Test, ...]:
    """Tests of calibration; the p value of Kuiper's by simulation may be None."""
    labels, scores, weights = sample[:3]
    kuiper = metrics.kuiper_test(labels, scores, sample_weight=weights)
    spiegelhalter = metrics.spiegelhalter_test(labels, scores, sample_weight=weights)
    found = [
        _test("Kuiper", kuiper, "Finds every kind of error as the sample grows."),
        _test("Spiegelhalter", spiegelhalter, "Judges the Brier score: finds extreme predictions."),
    ]
    if by_simulation is not None:
        note = "The same, by outcomes drawn from the predictions: right for few rows, too."
        found.insert(1, Test("Kuiper, simulated", found[0].statistic, by_simulation, note))
    return tuple(found)


def simulated_p_value(sample, chance):
    """P value of the Kuiper error among the draws; None without draws.

    It is 0 if an outcome had probability 0: no draw does that.
    """
    if chance is None:
        return None
    if np.any(sample.scores == 1.0 - sample.labels):
        return 0.0
    kuiper = metrics.kuiper_error(sample.labels, sample.scores, sample_weight=sample.weights)
    as_large = np.count_nonzero(chance.kuiper >= kuiper * (1 - 1e-12))
    return float((1 + as_large) / (1 + chance.kuiper.size))


def curve_of(sample) -> Curve:
    """Corners of the CORP curve and of its confidence band, and a histogram."""
    labels, scores, weights = sample[:3]
    fit = metrics.corp_curve(labels, scores, sample_weight=weights)
    band = metrics.confidence_band(labels, scores, sample_weight=weights, confidence=CONFIDENCE)
    histogram, _ = np.histogram(scores, N_COLUMNS, (0, 1), weights=weights)
    on_curve, on_band = corners(fit.recalibrated), corners(band.lower, band.upper)
    columns = (
        fit.predicted[on_curve],
        fit.recalibrated[on_curve],
        band.predicted[on_band],
        band.lower[on_band],
        band.upper[on_band],
        histogram.astype(float),
    )
    return Curve(*(tuple(c.tolist()) for c in columns), band.holds_diagonal, band.crosses)


def corners(*lines):
    """Which points of step functions begin or end a flat piece: the others change no picture."""
    changes = np.any([np.diff(line) != 0 for line in lines], axis=0)
    return np.append(True, changes) | np.append(changes, True)


def bins_of(sample) -> tuple[Bin, ...]:
    """Ten bins of equal size, fewer if ties fill several."""
    labels, scores, weights = sample[:3]
    bins = metrics.reliability_curve(labels, scores, n_bins=N_BINS, sample_weight=weights)
    distinct = group_ties(scores, labels, weights)
    ends = np.searchsorted(prefix_sums(distinct.weights), np.cumsum(bins.counts) * (1 - 1e-12))
    starts = np.append(0, ends[:-1])
    columns = (
        distinct.scores[starts],
        distinct.scores[ends - 1],
        bins.counts,
        bins.predicted,
        bins.observed,
        bins.lower,
        bins.upper,
    )
    return tuple(Bin(*row) for row in zip(*(c.tolist() for c in columns), strict=True))


def groups_of(sample) -> tuple[Group, ...]:
    """Each group, in order; limits and p values are those of all groups at once (Sidak)."""
    if sample.groups is None:
        return ()
    order = np.argsort(sample.groups, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(sample.groups))[:-1])
    n_groups = len(sample.names)
    found = []
    for name, here in zip(sample.names, parts, strict=True):
        part = sample.rows(here)
        labels, scores, weights = part[:3]
        total, positives = float(part.counts.sum()), float(np.dot(part.counts, labels))
        predicted, observed = float(np.dot(part.counts, scores) / total), positives / total
        lower, upper = binomial_limits(positives, total, CONFIDENCE ** (1 / n_groups))
        p_value = metrics.kuiper_test(labels, scores, sample_weight=weights).p_value
        found.append(
            Group(
                name,
                total,
                positives,
                predicted,
                observed,
                observed - predicted,
                lower - predicted,
                upper - predicted,
                float(-np.expm1(n_groups * np.log1p(-p_value))) if p_value < 1 else 1.0,
                area_under_curve(part).value,
            )
        )
    return tuple(found)


def decisions_of(sample) -> tuple[Threshold, ...]:
    """Net benefit at each hundredth, and what it gains over acting always or never."""
    labels, scores, weights = sample[:3]
    curve = metrics.decision_curve(labels, scores, sample_weight=weights)
    shares = shares_at_thresholds(labels, scores, None, weights)
    thresholds, (false_alarms, hits, base_rate) = shares
    odds = thresholds / (1 - thresholds)
    of_all = curve.act_on_all > 0  # else never acting is the better default
    gain = curve.net_benefit - np.maximum(curve.act_on_all, 0.0)
    # of a row: 1 and minus the odds where it acts, against never; the reverse where it does not
    ones = np.where(of_all, base_rate - hits, hits)
    others = np.where(of_all, 1 - base_rate - false_alarms, false_alarms)
    squares = ones + np.square(odds) * others
    total = float(sample.counts.sum())
    variance = np.maximum(squares - np.square(gain), 0.0) / max(total - 1, 1)
    reach = REACH * np.sqrt(variance)
    columns = (*curve[:1], *curve[1:], gain, gain - reach, gain + reach)
    return tuple(Threshold(*row) for row in zip(*(c.tolist() for c in columns), strict=True))


def critical_range() -> float:
    """What the range of Brownian motion exceeds with a probability of 5 %."""
    return brentq(lambda x: brownian_range_tail(x) - (1 - CONFIDENCE), 1.6, 5.0)


def binomial_limits(positives: float, total: float, confidence: float) -> tuple[float, float]:
    """Exact limits of Clopper and Pearson for a share; weights are counts."""
    tail, negatives = (1 - confidence) / 2, max(total - positives, 0.0)
    lower = betaincinv(positives, negatives + 1, tail) if positives > 0 else 0.0
    upper = betaincinv(positives + 1, negatives, 1 - tail) if negatives > 0 else 1.0
    return float(lower), float(upper)


def _mean(values, counts):
    """Mean and its standard error."""
    total = counts.sum()
    mean = float(np.dot(counts, values) / total)
    variance = float(np.dot(counts, np.square(values - mean)) / total)
    return mean, math.sqrt(variance / (total - 1)) if total > 1 else math.inf


def _wald(key, name, value, error, note=""):
    if not math.isfinite(error):
        return Estimate(key, name, value, note=note)
    reach = REACH * error
    return Estimate(key, name, value, value - reach, value + reach, note=note)


def _largest_by_chance(chance, measure):
    if chance is None:
        return None
    return float(np.quantile(getattr(chance, measure), CONFIDENCE, method="higher"))


def _test(name, result, note):
    statistic = result.statistic if math.isfinite(result.statistic) else None
    return Test(name, statistic, result.p_value, note)
