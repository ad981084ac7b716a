"""The measures of a report: `calib.metrics` computes them, and this module explains them."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from calib import metrics
from calib.kernels.binning import prefix_sums
from calib.kernels.ties import ties
from calib.metrics.losses import logarithmic, squared
from calibkit import inference
from calibkit.inference import Interval, Simulated
from calibkit.inference.bands import band_of
from calibkit.inference.clean_samples import counted_ties_of
from calibkit.inference.cluster_tests import cluster_scan
from calibkit.inference.statistics import MAX_SCANNED_RANGES
from calibkit.report.records import (
    N_BINS,
    Bin,
    Curve,
    Data,
    Escape,
    Estimate,
    Group,
    ScoreRange,
    Test,
    Threshold,
)
from calibkit.report.sample import MIN_ROWS_OF_CLASS, RARE_FRACTION, CleanSample, rarer

Chance = dict[str, Simulated]  # errors of calibrated outcomes, by statistic
PValues = dict[int | None, float]  # p values of all rows (None) and of each group, by number
N_DRAWS = 99  # samples of outcomes that are drawn from the predictions to show the effect of chance
VERDICT_STATISTICS = ["kuiper", "scan"]
MIN_VERDICT_DRAWS = 999  # simulated samples of a test
DRAWS_PER_TEST = 20  # for the verdict: with fewer, one test among many could not reject
N_BLOCKS = 2000  # blocks of neighbours in all rows
MIN_BLOCKS = 100  # blocks of neighbours in a group
MAX_TESTED_GROUPS = 100  # the largest groups, which the verdict tells apart
N_RANGES = (
    MAX_SCANNED_RANGES * (MAX_SCANNED_RANGES + 1) // 2
)  # ranges of neighbours that the worst is chosen from
HUNDREDTHS = np.arange(1, 100) / 100  # thresholds: 0.01 to 0.99
N_COLUMNS = 25  # columns of the histogram
HISTOGRAM_QUANTILES = 0.001, 0.999  # quantiles of the predictions that bound the histogram
PER_ROWS = 1000  # rows that numbers of false alarms and of hits are given for
LN2 = math.log(2)  # log-odds of odds of 2


class ReportedMeasure(NamedTuple):
    """A measure of a report.

    Attributes
    ----------
    key : str
        Name for machines.
    name : str
        Name for readers.
    meaning : str
        A sentence for readers, or empty if the name is enough.
    """

    key: str
    name: str
    meaning: str = ""


REPORTED_MEASURES = (
    ReportedMeasure(key="mean_prediction", name="Mean prediction"),
    ReportedMeasure(
        key="observed_rate",
        name="Observed rate",
        meaning="Fraction of positives.",
    ),
    ReportedMeasure(
        key="bias",
        name="Bias (observed less predicted)",
        meaning="Above 0: the predictions are too low on the whole.",
    ),
    ReportedMeasure(
        key="observed_over_expected",
        name="Observed / expected",
        meaning="Positives over the sum of the predictions; the limits take that sum as fixed.",
    ),
    ReportedMeasure(key="log_loss", name="Log loss"),
    ReportedMeasure(key="brier", name="Brier score"),
    ReportedMeasure(
        key="miscalibration",
        name="Miscalibration (MCB)",
        meaning=(
            "Part of the Brier score that the best increasing map would remove; where forecasts "
            "are verified, reliability."
        ),
    ),
    ReportedMeasure(
        key="discrimination",
        name="Discrimination (DSC)",
        meaning="Gain of the best increasing map of the scores over the base rate; resolution.",
    ),
    ReportedMeasure(
        key="uncertainty",
        name="Uncertainty (UNC)",
        meaning="Brier score of the base rate.",
    ),
    ReportedMeasure(
        key="brier_skill",
        name="Brier skill score",
        meaning=(
            "1 less the Brier score over the score of the base rate, "
            "(DSC \N{MINUS SIGN} MCB) / UNC; below 0: worse than the base rate."
        ),
    ),
    ReportedMeasure(
        key="auc",
        name="AUC",
        meaning="Fraction of pairs of a positive and a negative in the right order.",
    ),
    ReportedMeasure(
        key="kuiper_error",
        name="Kuiper error",
        meaning="Largest bias over a range of predictions, as a fraction of all rows.",
    ),
    ReportedMeasure(
        key="ece",
        name="ECE, ten bins",
        meaning=(
            "Mean distance of the fraction of positives from the mean prediction, over ten bins of "
            "equal size."
        ),
    ),
    ReportedMeasure(
        key="smooth_ece",
        name="Smooth ECE",
        meaning="Expected calibration error by a kernel that chooses its own width.",
    ),
    ReportedMeasure(
        key="ici",
        name="Calibration index (ICI)",
        meaning="Mean distance of the predictions from a smooth curve.",
    ),
    ReportedMeasure(
        key="slope",
        name="Calibration slope",
        meaning="1 is right; below 1: predictions too far from the base rate.",
    ),
    ReportedMeasure(
        key="intercept",
        name="Calibration intercept",
        meaning="0 is right; it belongs to the same line of log-odds.",
    ),
    ReportedMeasure(
        key="in_the_large",
        name="Calibration in the large",
        meaning="Intercept where the slope is 1; above 0: too low on the whole.",
    ),
)
MEASURES_BY_KEY = {measure.key: measure for measure in REPORTED_MEASURES}


def simulated(sample: CleanSample, random_state: int) -> Chance:
    """Errors of the sample, compared with errors of calibrated outcomes."""
    return sample.measured(
        inference.calibration_test,
        statistic=["kuiper", "miscalibration", "ece", "smooth_ece"],
        n_resamples=N_DRAWS,
        random_state=random_state,
    )


def verdict_p_values(sample: CleanSample, random_state: int) -> PValues:
    """P values of all rows (None) and of the groups, by number: one test of all of them at once.

    Each p value is the smaller one of Kuiper's test and of the test of all ranges. Any of them is
    at most 0.05 in one of twenty calibrated samples. Neighbours of a group are put together, for
    speed. The test of their numbers of positives is as exact.
    """
    codes = _tested_groups(sample)
    tested = np.unique(codes)
    blocks = _neighbour_blocks(sample, codes, max(MIN_BLOCKS, N_BLOCKS // tested.size))
    n_tests = len(VERDICT_STATISTICS) * (1 + tested.size)
    results = inference.calibration_test(
        blocks.labels,
        blocks.probabilities,
        sample_weight=blocks.sample_weight,
        groups=blocks.groups,
        statistic=VERDICT_STATISTICS,
        n_resamples=max(MIN_VERDICT_DRAWS, DRAWS_PER_TEST * n_tests),
        random_state=random_state,
    )
    p_values: PValues = {None: min(results[name].adjusted for name in VERDICT_STATISTICS)}
    if sample.groups is not None:
        for group in tested.tolist():
            p_values[group] = min(results[name, group].adjusted for name in VERDICT_STATISTICS)
    if sample.impossible:
        p_values[None] = 0.0
    return p_values


def verdict_p_values_of_clusters(
    sample: CleanSample, by_cluster: inference.ClusterTests, random_state: int
) -> PValues:
    """The same p values where clusters are independent; Kuiper's where no range holds enough."""
    p_values: PValues = {None: by_cluster.kuiper.p_value}
    if sample.impossible or sample.clusters is None:
        return p_values
    return p_values | cluster_scan(
        sample.labels,
        sample.scores,
        sample.clusters,
        _tested_groups(sample),
        sample.counts,
        random_state=random_state,
    )


def _tested_groups(sample):
    """Number of the group of each row. All groups but the largest have the number -1."""
    if sample.groups is None:
        return np.zeros(sample.labels.size, np.int64)
    ranks = np.argsort(np.argsort(-np.bincount(sample.groups), kind="stable"))
    return np.where(ranks[sample.groups] < MAX_TESTED_GROUPS, sample.groups, -1)


class NeighbourBlocks(NamedTuple):
    """Negatives, then positives, of blocks of neighbours, with the mean prediction of the block."""

    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    sample_weight: NDArray[np.float64]
    groups: NDArray[np.int64] | None


def _neighbour_blocks(sample, codes, max_blocks):
    """At most so many blocks of rows with neighbouring scores in each group."""
    order = np.lexsort((sample.scores, codes))
    groups = codes[order]
    scores = sample.scores[order]
    labels = sample.labels[order]
    counts = sample.counts[order]
    firsts = np.append(0, np.flatnonzero(np.diff(groups)) + 1)  # first row of each group
    sizes = np.diff(np.append(firsts, groups.size))
    steps = np.repeat(-(-sizes // max_blocks), sizes)  # rows of a block, for each row
    starts = np.flatnonzero((np.arange(groups.size) - np.repeat(firsts, sizes)) % steps == 0)
    totals = np.add.reduceat(counts, starts)
    positives = np.add.reduceat(counts * labels, starts)
    sums = np.add.reduceat(counts * scores, starts)
    means = np.where(steps[starts] == 1, scores[starts], np.minimum(sums / totals, 1))
    return NeighbourBlocks(
        labels=np.repeat([0, 1], starts.size),
        probabilities=np.tile(means, 2),
        sample_weight=np.concatenate([totals - positives, positives]),
        groups=None if sample.groups is None else np.tile(groups[starts], 2),
    )


def place_of(sample: CleanSample, group: int | None) -> Bin:
    """The range that looks worst, of all rows or of a group. Its limits allow for the choice."""
    part = sample.independent
    if group is not None and part.groups is not None:
        part = part.rows(np.equal(part.groups, group))
    worst = part.measured(inference.worst_range)
    lower, upper = inference.binomial_limits(
        min(worst.observed * worst.count, worst.count),
        worst.count,
        confidence=1 - 0.05 / N_RANGES / (1 + len(sample.names)),
    )
    return Bin(
        lowest=worst.lowest,
        highest=worst.highest,
        count=float(sample.restored(worst.count)),
        predicted=worst.predicted,
        observed=worst.observed,
        lower=float(lower),
        upper=float(upper),
    )


def estimates(sample: CleanSample, data: Data, chance: Chance | None) -> tuple[Estimate, ...]:
    """Every measure. For scores outside [0, 1] only the AUC, which needs no probabilities."""
    if not data.probabilities:
        return (area_under_curve(sample),)
    by_chance: Chance = {} if chance is None else chance
    labels, scores = sample.labels, sample.scores
    parts = sample.measured(metrics.score_decomposition)
    rate = _observed_rate(sample, data)
    return (
        _estimate("mean_prediction", data.mean),
        _interval_estimate("observed_rate", rate),
        _bias_estimate(_mean_interval(sample, labels - scores), rarer(data)),
        _ratio_estimate(rate, data.mean),
        _log_loss_estimate(sample),
        _interval_estimate("brier", _mean_interval(sample, squared(labels, scores))),
        _estimate("miscalibration", parts.miscalibration, chance=by_chance.get("miscalibration")),
        _estimate("discrimination", parts.discrimination),
        _estimate("uncertainty", parts.uncertainty),
        _brier_skill(parts),
        area_under_curve(sample),
        _interval_estimate(
            "kuiper_error",
            sample.independent.measured(inference.kuiper_interval),
            chance=by_chance.get("kuiper"),
        ),
        _estimate(
            "ece",
            sample.measured(metrics.expected_calibration_error, n_bins=N_BINS),
            chance=by_chance.get("ece"),
        ),
        _estimate(
            "smooth_ece", sample.measured(inference.smooth_ece), chance=by_chance.get("smooth_ece")
        ),
        _estimate("ici", sample.measured(inference.integrated_calibration_index)),
        *_line_estimates(sample),
    )


def _brier_skill(parts):
    if parts.uncertainty == 0:
        return _estimate("brier_skill", None, more="Needs both classes.")
    return _estimate("brier_skill", 1 - parts.score / parts.uncertainty)


def _mean_interval(sample, values):
    return inference.mean_interval(values, sample_weight=sample.weights, clusters=sample.clusters)


def _observed_rate(sample, data):
    """The fraction of positives, with exact limits if rows are independent."""
    if sample.clusters is not None:
        return _mean_interval(sample, sample.labels)
    lower, upper = inference.binomial_limits(min(data.positives, data.total), data.total)
    return Interval(
        estimate=data.positives / data.total, lower=float(lower), upper=float(upper), error=np.nan
    )


def _ratio_estimate(rate, expected):
    """Observed over expected positives, with the limits of the observed."""
    if expected == 0:
        return _estimate("observed_over_expected", None, more="No positive is expected.")
    ratio = Interval(
        estimate=rate.estimate / expected,
        lower=max(rate.lower, 0) / expected,
        upper=rate.upper / expected,
        error=rate.error / expected,
    )
    return _interval_estimate("observed_over_expected", ratio)


def _bias_estimate(interval, rarer_rows):
    if rarer_rows >= MIN_ROWS_OF_CLASS:
        return _interval_estimate("bias", interval)
    more = f"Limits need {MIN_ROWS_OF_CLASS} rows of each class."
    return _estimate("bias", interval.estimate, more=more)


def _log_loss_estimate(sample):
    if sample.impossible:
        return _estimate("log_loss", None, more="Infinite: an outcome was given probability 0.")
    losses = logarithmic(sample.labels, sample.scores)
    return _interval_estimate("log_loss", _mean_interval(sample, losses))


def area_under_curve(sample: CleanSample) -> Estimate:
    """The AUC with its limits, if there are two rows of each class."""
    rows_of_class = np.bincount(sample.labels, sample.counts, minlength=2)
    if rows_of_class.min() == 0:
        return Estimate(key="auc", name="AUC", value=None, note="Needs both classes.")
    if rows_of_class.min() > 1:
        interval = sample.measured(inference.auc_interval, clusters=sample.clusters)
        return _interval_estimate("auc", interval)
    area = sample.measured(metrics.roc_auc_score)
    return _estimate("auc", area, more="Limits need two rows of each class.")


def _line_estimates(sample):
    """Slope and intercepts of the recalibration line, or the reason why there is none."""
    try:
        line = sample.measured(inference.recalibration_intervals, clusters=sample.clusters)
    except ValueError:
        reason = "the predictions are all equal, or they separate the classes"
        if np.any((sample.scores == 0) | (sample.scores == 1)):
            reason = "predictions of 0 or 1 have no finite log-odds"
        note = f"No finite line: {reason}."
        return tuple(
            Estimate(key=key, name=MEASURES_BY_KEY[key].name, value=None, note=note)
            for key in inference.RecalibrationLine._fields
        )
    return tuple(_interval_estimate(key, interval) for key, interval in line._asdict().items())


def _interval_estimate(key, interval, *, chance=None):
    """An `Interval` with the name and the meaning of the measure. Infinite limits are left out."""
    limits = (interval.lower, interval.upper)
    if not (math.isfinite(interval.lower) and math.isfinite(interval.upper)):
        limits = (None, None)
    return _estimate(key, interval.estimate, limits=limits, chance=chance)


def _estimate(key, value, *, limits=(None, None), chance: Simulated | None = None, more=""):
    """A number with the name and the meaning of the measure, and `more` that is to be said."""
    measure = MEASURES_BY_KEY[key]
    lower, upper = limits
    return Estimate(
        key=key,
        name=measure.name,
        value=value,
        lower=lower,
        upper=upper,
        floor=None if chance is None else chance.floor(),
        by_chance=None if chance is None else chance.by_chance(),
        note=f"{measure.meaning} {more}".strip(),
    )


def calibration_tests(
    sample: CleanSample, by_cluster: inference.ClusterTests | None = None
) -> tuple[Test, ...]:
    """Kuiper's test and Spiegelhalter's, each by itself."""
    if by_cluster is None:
        kuiper = sample.measured(inference.kuiper_test)
        spiegelhalter = sample.measured(inference.spiegelhalter_test)
    else:
        kuiper, spiegelhalter = by_cluster.kuiper, by_cluster.spiegelhalter
    return (
        _test("Kuiper", kuiper, "Finds every kind of error as the sample grows."),
        _test("Spiegelhalter", spiegelhalter, "Judges the Brier score: finds extreme predictions."),
    )


def _test(name, result, note):
    statistic = result.statistic if math.isfinite(result.statistic) else None
    return Test(name=name, statistic=statistic, p_value=result.p_value, note=note)


def curve_of(sample: CleanSample) -> Curve:
    """Corners of the CORP curve and of its confidence band, and a histogram."""
    fit = sample.measured(metrics.corp_curve)
    on_curve = flat_ends(fit.recalibrated)
    tied = counted_ties_of(sample.labels, sample.scores, sample.independent.weights)
    band = band_of(tied)
    on_band = flat_ends(band.lower, band.upper)
    edges, has_log_odds = _histogram_edges(sample)
    clipped = np.clip(sample.scores, edges[0], edges[-1])
    histogram, _ = np.histogram(clipped, edges, weights=sample.weights)
    return Curve(
        predicted=tuple(fit.predicted[on_curve].tolist()),
        recalibrated=tuple(fit.recalibrated[on_curve].tolist()),
        band_at=tuple(band.predicted[on_band].tolist()),
        lower=tuple(band.lower[on_band].tolist()),
        upper=tuple(band.upper[on_band].tolist()),
        histogram=tuple(histogram.astype(float).tolist()),
        edges=tuple(edges.tolist()),
        logit=has_log_odds,
        holds_diagonal=band.holds_diagonal,
        crosses=band.crosses,
    )


def _histogram_edges(sample):
    """Edges of the histogram, and whether they are equally far apart in log-odds.

    They are, if one class is rare. Then they reach from odds of half the smallest to odds of twice
    the largest of nearly all predictions and the observed rate.
    """
    rate = np.average(sample.labels, weights=sample.weights)
    inner_scores = sample.scores[(sample.scores > 0) & (sample.scores < 1)]
    if not 0 < min(rate, 1 - rate) < RARE_FRACTION or not inner_scores.size:
        return np.linspace(0, 1, N_COLUMNS + 1), False
    log_odds = logit([*np.quantile(inner_scores, HISTOGRAM_QUANTILES), rate])
    return expit(np.linspace(min(log_odds) - LN2, max(log_odds) + LN2, N_COLUMNS + 1)), True


def flat_ends(*lines):
    """Which points of step functions begin or end a flat piece: the others change no picture."""
    changes = np.any([np.diff(line) != 0 for line in lines], axis=0)
    return np.append(True, changes) | np.append(changes, True)


def reliability_bins(sample: CleanSample) -> tuple[Bin, ...]:
    """Ten bins of equal size, fewer if ties fill several."""
    sample = sample.independent
    bins = sample.measured(metrics.reliability_curve, n_bins=N_BINS)
    tied = ties(sample.scores, sample.labels, sample.weights)
    ends = np.searchsorted(prefix_sums(tied.weights), np.cumsum(bins.counts) * (1 - 1e-12))
    starts = np.append(0, ends[:-1])
    predicted, observed = bins.predicted, bins.observed
    lower, upper = bins.lower, bins.upper
    return tuple(
        Bin(
            lowest=float(tied.scores[starts[k]]),
            highest=float(tied.scores[ends[k] - 1]),
            count=float(sample.restored(bins.counts[k])),
            predicted=float(predicted[k]),
            observed=float(observed[k]),
            lower=float(lower[k]),
            upper=float(upper[k]),
        )
        for k in range(bins.counts.size)
    )


def groups_of(sample: CleanSample, p_values: PValues) -> tuple[Group, ...]:
    """Each group, in order. With the p value of the verdict, if it has one."""
    if sample.groups is None:
        return ()
    by_group = sample.independent.measured(inference.calibration_by_group, groups=sample.groups)
    order = np.argsort(sample.groups, kind="stable")
    rows_by_group = np.split(order, np.cumsum(np.bincount(sample.groups))[:-1])
    without_clusters = sample._replace(clusters=None)
    groups = []
    for number, (group, rows) in enumerate(zip(by_group.values(), rows_by_group, strict=True)):
        groups.append(
            Group(
                name=sample.names[number],
                total=float(sample.restored(group.count)),
                positives=float(sample.restored(group.positives)),
                predicted=group.predicted,
                observed=group.observed,
                bias=group.bias,
                lower=group.lower,
                upper=group.upper,
                p_value=p_values.get(number, group.p_value),
                auc=area_under_curve(without_clusters.rows(rows)).value,
            )
        )
    return tuple(groups)


def decisions_of(sample: CleanSample, thresholds: Iterable[float] = ()) -> tuple[Threshold, ...]:
    """Net benefit at each hundredth and others, and its gain over acting always or never."""
    every_threshold = np.union1d(HUNDREDTHS, np.fromiter(thresholds, np.float64))
    curve = sample.measured(inference.decision_curve, thresholds=every_threshold)
    gains = sample.measured(
        inference.decision_gains, clusters=sample.clusters, thresholds=every_threshold
    )
    return tuple(
        Threshold(
            threshold=float(curve.thresholds[k]),
            net_benefit=float(curve.net_benefit[k]),
            act_on_all=float(curve.act_on_all[k]),
            gain=float(gains.gain[k]),
            lower=float(gains.lower[k]),
            upper=float(gains.upper[k]),
        )
        for k in range(curve.thresholds.size)
    )


def escapes_of(sample: CleanSample, thresholds: Iterable[float]) -> tuple[Escape, ...]:
    """Consequences of the confidence band for decisions at each threshold."""
    tied = counted_ties_of(sample.labels, sample.scores, sample.independent.weights)
    band = band_of(tied)
    return tuple(_escape_at(threshold, sample, tied, band) for threshold in thresholds)


def _escape_at(threshold, sample, tied, band):
    acts = tied.scores > threshold
    total = tied.weights.sum()
    # of one row, where the decision changes, in hits
    gains = np.array(
        [
            np.where(acts, threshold - band.upper, band.lower - threshold),
            np.where(acts, threshold - band.lower, band.upper - threshold),
        ]
    ) / (1 - threshold)
    is_wrong, is_possible = gains > 0
    losses = np.maximum(gains, 0) * tied.weights / total
    of_acting = losses[:, acts].sum(axis=1)
    of_not_acting = losses[:, ~acts].sum(axis=1)
    least_loss, loss = np.maximum(of_acting, of_not_acting).tolist()
    negatives = (tied.weights - tied.positives)[acts].sum()
    positives = tied.positives[~acts].sum()
    false_alarms = PER_ROWS * np.minimum(of_acting * (1 - threshold) / threshold, negatives / total)
    hits = PER_ROWS * np.minimum(of_not_acting, positives / total)
    return Escape(
        threshold=threshold,
        wrong=_place_of_run(sample, tied, is_wrong),
        open=_place_of_run(sample, tied, is_possible & ~is_wrong),
        least_loss=least_loss,
        loss=loss,
        least_false_alarms=float(false_alarms[0]),
        false_alarms=float(false_alarms[1]),
        least_hits=float(hits[0]),
        hits=float(hits[1]),
    )


def _place_of_run(sample, tied, chosen):
    """Range of the chosen scores, or None if there are none."""
    if not np.any(chosen):
        return None
    scores = tied.scores[chosen]
    return ScoreRange(
        lowest=float(scores[0]),
        highest=float(scores[-1]),
        rows=float(sample.restored(tied.weights[chosen].sum())),
    )
