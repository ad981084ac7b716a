"""The measures of a report: `calib.metrics` computes them, here stands what is said of them."""

import math
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from calib import metrics
from calib.kernels.binning import prefix_sums
from calib.kernels.grouping import ties
from calib.metrics import Interval, Simulated
from calib.metrics.bands import band_of
from calib.metrics.cluster_tests import cluster_scan
from calib.metrics.losses import logarithmic, squared
from calib.metrics.samples import counted_ties_of
from calib.metrics.statistics import MOST_RANGES
from calib.report.contents import N_BINS, Bin, Curve, Data, Escape, Estimate, Group, Test, Threshold

Chance = dict[str, Simulated]  # of several errors
PValues = dict[int | None, float]  # of the whole (None) and of groups, by number
N_DRAWS = 99  # of outcomes from the predictions
LOOKS = ["kuiper", "scan"]  # of the verdict
LEAST_DRAWS, DRAWS_OF_A_LOOK = 999, 20  # for the verdict: fewer could not find one look in many
N_BLOCKS, LEAST_BLOCKS = 2000, 100  # of neighbours: of all rows, and of those of a group
MOST_GROUPS = 100  # that the verdict tells apart: the largest
N_RANGES = MOST_RANGES * (MOST_RANGES + 1) // 2  # of neighbours, of which one looks worst
FEW = 20  # rows of a class: with fewer nothing is said but by simulation
HUNDREDTHS = np.arange(1, 100) / 100
N_COLUMNS = 25  # of the histogram
RARE = 0.05  # share of a class below which errors are ratios and the diagram has log-odds
NEARLY_ALL = 0.001, 0.999  # quantiles
LN2 = math.log(2)
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
    clusters : ndarray of shape (n,) of int, or None
        Number of the cluster of each row.
    effect : float
        How many rows of clusters tell as much as one independent row.
    sampled : bool
        Whether the weights were found to be those of a sample; each row is a cluster then.
    """

    labels: NDArray[np.uint8]
    scores: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    groups: NDArray[np.int64] | None = None
    names: tuple[str, ...] = ()
    clusters: NDArray[np.int64] | None = None
    effect: float = 1.0
    sampled: bool = False

    @property
    def counts(self):
        """Weight of each row."""
        return np.ones(self.labels.size) if self.weights is None else self.weights

    @property
    def impossible(self):
        """Number of rows whose outcome was given probability 0."""
        return int(np.count_nonzero(self.scores == 1.0 - self.labels))

    def rows(self, here):
        """Part of the sample."""
        columns = {k: v[here] for k, v in self._asdict().items() if isinstance(v, np.ndarray)}
        return self._replace(**columns)

    @property
    def independent(self):
        """As many independent rows as tell as much: what has no form for clusters takes these."""
        return self if self.clusters is None else self._replace(weights=self.counts / self.effect)

    def restored(self, counts):
        """Numbers of rows from those of `independent`."""
        return counts if self.clusters is None else np.round(counts * self.effect, 9)

    def measured(self, measure, **options):
        """A measure of the sample."""
        return measure(self.labels, self.scores, sample_weight=self.weights, **options)


def rarer(data: Data) -> float:
    """Number of rows of the rarer class."""
    return min(data.positives, data.total - data.positives)


def simulated(sample: Sample, random_state: int) -> Chance:
    """Errors beside those of calibrated outcomes."""
    return sample.measured(
        metrics.calibration_test,
        statistic=["kuiper", "miscalibration", "smooth_ece"],
        n_resamples=N_DRAWS,
        random_state=random_state,
    )


def p_values_of(sample: Sample, random_state: int) -> PValues:
    """P values of the whole (None) and of the groups, by number: one test of all of them at once.

    Each is the smaller one of Kuiper's test and of all ranges; any of them is at most 0.05 in one
    of twenty calibrated samples. Neighbours of a group are put together, for speed: the test of
    their numbers of positives is as exact.
    """
    codes = _largest(sample)
    shown = np.unique(codes)
    found = metrics.calibration_test(
        **_blocks(sample, codes, max(LEAST_BLOCKS, N_BLOCKS // shown.size)),
        statistic=LOOKS,
        n_resamples=max(LEAST_DRAWS, DRAWS_OF_A_LOOK * len(LOOKS) * (1 + shown.size)),
        random_state=random_state,
    )
    p_values = {None: min(found[look].adjusted for look in LOOKS)}
    if sample.groups is not None:
        p_values |= {g: min(found[look, g].adjusted for look in LOOKS) for g in shown.tolist()}
    return p_values | ({None: 0.0} if sample.impossible else {})


def p_values_of_clusters(
    sample: Sample, by_cluster: metrics.ClusterTests, random_state: int
) -> PValues:
    """The same where clusters are independent, and Kuiper's where no range holds enough."""
    kuiper = by_cluster.kuiper.p_value
    if sample.impossible:
        return {None: kuiper}
    columns = sample.labels, sample.scores, sample.clusters, _largest(sample), sample.counts
    return {None: kuiper} | cluster_scan(*columns, random_state=random_state)


def _largest(sample):
    """Number of the group of each row; the smallest of very many groups are one, -1."""
    if sample.groups is None:
        return np.zeros(sample.labels.size, np.int64)
    ranks = np.argsort(np.argsort(-np.bincount(sample.groups), kind="stable"))
    return np.where(ranks[sample.groups] < MOST_GROUPS, sample.groups, -1)


def _blocks(sample, codes, most):
    """Numbers of positives and negatives of at most so many blocks of neighbours in each group."""
    order = np.lexsort((sample.scores, codes))
    codes, scores, labels, counts = (
        column[order] for column in (codes, sample.scores, sample.labels, sample.counts)
    )
    firsts = np.append(0, np.flatnonzero(np.diff(codes)) + 1)
    sizes = np.diff(np.append(firsts, codes.size))
    steps = np.repeat(-(-sizes // most), sizes)
    starts = np.flatnonzero((np.arange(codes.size) - np.repeat(firsts, sizes)) % steps == 0)
    totals, hits, sums = (
        np.add.reduceat(column, starts) for column in (counts, counts * labels, counts * scores)
    )
    means = np.where(steps[starts] == 1, scores[starts], np.minimum(sums / totals, 1))
    return {
        "labels": np.repeat([0, 1], starts.size),
        "probabilities": np.tile(means, 2),
        "sample_weight": np.concatenate([totals - hits, hits]),
        "groups": None if sample.groups is None else np.tile(codes[starts], 2),
    }


def place_of(sample: Sample, group: int | None) -> Bin:
    """The range that looks worst, of all rows or of a group; its limits allow for the choice."""
    part = sample.independent
    if group is not None:
        part = part.rows(sample.groups == group)
    worst = part.measured(metrics.worst_range)
    confidence = 1 - 0.05 / N_RANGES / (1 + len(sample.names))
    positives = min(worst.observed * worst.count, worst.count)
    limits = metrics.binomial_limits(positives, worst.count, confidence=confidence)
    return Bin(*worst._replace(count=float(sample.restored(worst.count))), *map(float, limits))


def estimates(sample: Sample, data: Data, chance: Chance | None) -> tuple[Estimate, ...]:
    """Every measure; for scores outside [0, 1] only the one that needs no probabilities."""
    if not data.probabilities:
        return (area_under_curve(sample),)
    labels, scores, weights = sample[:3]
    mean = partial(metrics.mean_interval, sample_weight=weights, clusters=sample.clusters)
    limits = metrics.binomial_limits(min(data.positives, data.total), data.total)
    rate = Interval(data.positives / data.total, *map(float, limits), np.nan)
    rate = rate if sample.clusters is None else mean(labels)
    parts, smooth = map(sample.measured, (metrics.score_decomposition, metrics.smooth_ece))
    kuiper = sample.independent.measured(metrics.kuiper_interval)
    return (
        _estimate("mean_prediction", data.mean),
        _estimate("observed_rate", rate),
        _bias(mean(labels - scores), rarer(data)),
        _log_loss(sample, mean),
        _estimate("brier", mean(squared(labels, scores))),
        _estimate("miscalibration", parts.miscalibration, chance and chance["miscalibration"]),
        _estimate("discrimination", parts.discrimination),
        _estimate("uncertainty", parts.uncertainty),
        area_under_curve(sample),
        _estimate("kuiper_error", kuiper, chance and chance["kuiper"]),
        _estimate("smooth_ece", smooth, chance and chance["smooth_ece"]),
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
    return _estimate("log_loss", mean(logarithmic(sample.labels, sample.scores)))


def area_under_curve(sample: Sample) -> Estimate:
    """The AUC with its limits, if there are two rows of each class."""
    of_class = np.bincount(sample.labels, sample.counts, minlength=2)
    if of_class.min() == 0:
        return Estimate("auc", "AUC", None, note="Needs both classes.")
    if of_class.min() > 1:
        return _estimate("auc", sample.measured(metrics.auc_interval, clusters=sample.clusters))
    area = sample.measured(metrics.roc_auc_score)
    return _estimate("auc", area, more="Limits need two rows of each class.")


def _line(sample):
    try:
        line = sample.measured(metrics.recalibration_intervals, clusters=sample.clusters)
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


def calibration_tests(
    sample: Sample, by_cluster: metrics.ClusterTests | None = None
) -> tuple[Test, ...]:
    """Kuiper's test and Spiegelhalter's, each by itself."""
    if by_cluster is None:
        kuiper = sample.measured(metrics.kuiper_test)
        spiegelhalter = sample.measured(metrics.spiegelhalter_test)
    else:
        kuiper, spiegelhalter = by_cluster.kuiper, by_cluster.spiegelhalter
    return (
        _test("Kuiper", kuiper, "Finds every kind of error as the sample grows."),
        _test("Spiegelhalter", spiegelhalter, "Judges the Brier score: finds extreme predictions."),
    )


def curve_of(sample: Sample) -> Curve:
    """Corners of the CORP curve and of its confidence band, and a histogram."""
    fit = sample.measured(metrics.corp_curve)
    band = band_of(counted_ties_of(sample.labels, sample.scores, sample.independent.weights))
    edges, log_odds = _edges(sample)
    kept = np.clip(sample.scores, edges[0], edges[-1])
    histogram, _ = np.histogram(kept, edges, weights=sample.weights)
    on_curve, on_band = corners(fit.recalibrated), corners(band.lower, band.upper)
    curve = (fit.predicted[on_curve], fit.recalibrated[on_curve])
    limits = (band.predicted[on_band], band.lower[on_band], band.upper[on_band])
    columns = (tuple(c.tolist()) for c in (*curve, *limits, histogram.astype(float), edges))
    return Curve(*columns, log_odds, band.holds_diagonal, band.crosses)


def _edges(sample):
    """Edges of the histogram, and whether they are those of log-odds, as one class is rare.

    Log-odds reach from those of nearly all predictions, and of the observed rate, to odds of half
    and twice as much.
    """
    rate = np.average(sample.labels, weights=sample.weights)
    within = sample.scores[(sample.scores > 0) & (sample.scores < 1)]
    if not 0 < min(rate, 1 - rate) < RARE or not within.size:
        return np.linspace(0, 1, N_COLUMNS + 1), False
    ends = logit([*np.quantile(within, NEARLY_ALL), rate])
    return expit(np.linspace(min(ends) - LN2, max(ends) + LN2, N_COLUMNS + 1)), True


def corners(*lines):
    """Which points of step functions begin or end a flat piece: the others change no picture."""
    changes = np.any([np.diff(line) != 0 for line in lines], axis=0)
    return np.append(True, changes) | np.append(changes, True)


def bins_of(sample: Sample) -> tuple[Bin, ...]:
    """Ten bins of equal size, fewer if ties fill several."""
    sample = sample.independent
    bins = sample.measured(metrics.reliability_curve, n_bins=N_BINS)
    distinct = ties(sample.scores, sample.labels, sample.weights)
    ends = np.searchsorted(prefix_sums(distinct.weights), np.cumsum(bins.counts) * (1 - 1e-12))
    starts = np.append(0, ends[:-1])
    ranges = (distinct.scores[starts], distinct.scores[ends - 1])
    rates = (sample.restored(bins.counts), bins.predicted, bins.observed, bins.lower, bins.upper)
    return tuple(map(Bin, *(column.tolist() for column in ranges + rates)))


def groups_of(sample: Sample, p_values: PValues) -> tuple[Group, ...]:
    """Each group, in order; with the p value of the verdict, if it has one."""
    if sample.groups is None:
        return ()
    found = sample.independent.measured(metrics.calibration_by_group, groups=sample.groups)
    order = np.argsort(sample.groups, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(sample.groups))[:-1])
    rows = sample._replace(clusters=None).rows
    areas = (area_under_curve(rows(here)).value for here in parts)
    totals, positives, *others = zip(*found.values(), strict=True)
    counts = (sample.restored(np.array(n)).tolist() for n in (totals, positives))
    *others, alone = others
    alone = (p_values.get(group, p_value) for group, p_value in enumerate(alone))
    return tuple(map(Group, sample.names, *counts, *others, alone, areas))


def decisions_of(sample: Sample, thresholds: Iterable[float] = ()) -> tuple[Threshold, ...]:
    """Net benefit at each hundredth and others, and its gain over acting always or never."""
    every = {"thresholds": np.union1d(HUNDREDTHS, thresholds)}
    curve = sample.measured(metrics.decision_curve, **every)
    gains = sample.measured(metrics.decision_gains, clusters=sample.clusters, **every)
    columns = (column.tolist() for column in (*curve, *gains[1:]))
    return tuple(map(Threshold, *columns))


def escapes_of(sample: Sample, thresholds: Iterable[float]) -> tuple[Escape, ...]:
    """What the confidence band leaves open at each threshold."""
    ties = counted_ties_of(sample.labels, sample.scores, sample.independent.weights)
    band, shares = band_of(ties), ties.weights / ties.weights.sum()
    found = []
    for threshold in thresholds:
        acts = ties.scores > threshold
        worst = np.where(acts, threshold - band.lower, band.upper - threshold)
        open_ = np.append(ties.scores[worst > 0], threshold)
        losses = shares * np.maximum(worst, 0) / (1 - threshold)
        loss = max(losses[acts].sum(), losses[~acts].sum())
        found.append(Escape(threshold, float(open_.min()), float(open_.max()), float(loss)))
    return tuple(found)


def _test(name, result, note):
    statistic = result.statistic if math.isfinite(result.statistic) else None
    return Test(name, statistic, result.p_value, note)
