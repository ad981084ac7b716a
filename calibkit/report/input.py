"""The input of a report: its checks, its description, and the cautions that a reader must know."""

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from calib.base.arrays import check_labels, check_scores, check_weights, clip_rounding
from calib.metrics import score_decomposition
from calibkit.inference import change_test, copies_test
from calibkit.inference.clean_samples import check_whole_weights
from calibkit.inference.clusters import cluster_codes, codes_of
from calibkit.report.measures import area_under_curve
from calibkit.report.numbers_in_words import count, listed, number, percent, probability
from calibkit.report.records import Caution, Data
from calibkit.report.sample import MIN_ROWS_OF_CLASS, CleanSample, rarer

MAX_DECIMALS = 4  # beyond which scores do not count as rounded
DRIFT_LEVEL = 0.005  # p value of each of two series below which it is reported: 1 % of honest files
ROWS_PER_TIED_SCORE = 10  # rows a score, from which on scores are taken for classes of cases
NOTABLE_COPIES = 0.01  # fraction of the rows
MOST_MARKS = 2  # marks for missing values at either end of the scores
LEAST_OTHERS = 10  # distinct scores besides such marks
FAR_OFF = 3.0  # distance of a mark from all other scores, in units of their range
LEAST_PERCENTAGE = 10.0  # largest score, up to which scores in [0, 100] are no percentages
FREQUENT = 0.1  # fraction of the rarer class from which on scores below 1/2 should occur
CERTAIN_ERRORS = 3.0  # standard errors by which the mean score is significantly above the rate
SUSPICIOUS_AUC = 0.99  # no honest file had it together with the next one
SUSPICIOUS_GAIN = 0.5  # fraction of the Brier score that a map would remove


def clean(scores, labels, sample_weight, groups, clusters=None) -> tuple[CleanSample, int]:
    """Check the columns and leave out rows of weight 0; also return the number of these rows."""
    given = check_scores(scores)
    scores = clip_rounding(given, "scores")
    n_clipped = int(np.count_nonzero(scores != given))
    labels = check_labels(labels, size=scores.size)
    has_weight = np.ones(scores.size, bool)
    weights = None
    if sample_weight is not None:
        weights = check_weights(sample_weight, size=scores.size)
        if not np.any(weights % 1):
            check_whole_weights(weights)
        has_weight = weights > 0
        weights = weights[has_weight]
    names: tuple[str, ...] = ()
    group_codes = None
    if groups is not None:
        every_name, every_code = codes_of(groups, scores.size, name="groups")
        present, group_codes = np.unique(every_code[has_weight], return_inverse=True)
        names = tuple(str(name) for name in every_name[present].tolist())
    clusters = cluster_codes(clusters, scores.size, sample_weight, other="scores")
    labels = labels[has_weight]
    scores = scores[has_weight]
    sampled = False
    if weights is not None and clusters is None:
        is_fractional = bool(np.any(weights % 1))
        sampled = is_fractional or copies_test(labels, scores, sample_weight=weights).found
    if sampled:  # each row is one case, however large its weight
        clusters = np.arange(scores.size)
    sample = CleanSample(
        labels=labels,
        scores=scores,
        weights=weights,
        groups=group_codes,
        names=names,
        clusters=clusters,
        sampled=sampled,
        clipped=n_clipped,
    )
    return sample, int(np.count_nonzero(~has_weight))


def described(sample: CleanSample, left_out: int) -> Data:
    """Numbers of rows, and a summary of the scores."""
    scores, counts = sample.scores, sample.counts
    total = float(counts.sum())
    return Data(
        rows=scores.size,
        left_out=left_out,
        total=total,
        positives=float(np.dot(counts, sample.labels)),
        weighted=sample.weights is not None,
        distinct=np.unique(scores).size,
        decimals=_decimals_of(scores),
        lowest=float(scores.min()),
        highest=float(scores.max()),
        mean=float(np.dot(counts, scores) / total),
        n_groups=len(sample.names),
        probabilities=bool(scores.min() >= 0 and scores.max() <= 1),
    )


def cautions_of(sample: CleanSample, data: Data) -> tuple[Caution, ...]:
    """All limits of the conclusions."""
    return tuple(caution for cautions in CHECKS for caution in cautions(sample, data))


def _class_cautions(_, data):
    """Too few rows of a class."""
    for size, name in ((data.positives, "positive"), (data.total - data.positives, "negative")):
        if size == 0:
            yield Caution("one class", f"There is no {name} among the rows.")
        elif size < MIN_ROWS_OF_CLASS:
            text = (
                f"Only {count(size, name)}: little can be known from fewer than "
                f"{MIN_ROWS_OF_CLASS}."
            )
            yield Caution("few of a class", text)


def _weight_cautions(sample, data):
    """Weights that leave nearly everything to one row."""
    if not data.weighted:
        return
    heaviest = float(sample.weights.max())
    if data.rows > 2 and heaviest > data.total / 2:
        text = (
            f"One row has {percent(heaviest / data.total)} of the weight, and every result is "
            "nearly its own. Weights are counts here: it stands for as many independent cases."
        )
        yield Caution("dominant weight", text)
    if sample.sampled:
        reason = (
            "they are no whole numbers"
            if np.any(sample.weights % 1)
            else "the cases that a row would stand for all had its outcome, more often than chance "
            "explains"
        )
        text = (
            f"Weights do not count cases: {reason}. So they are taken as the weights of a sample: "
            "each row is one case, however many others it stands for."
        )
        yield Caution("sampling weights", text)


def misread_cautions(
    sample: CleanSample, data: Data, *, is_ranked: bool = True
) -> tuple[Caution, ...]:
    """Signs that the scores are no scores of class 1, or not all of them, or percentages.

    Unless `is_ranked`, nothing is said of reversed scores, which takes most of the time.
    """
    checks = [_mark_cautions, _percentage_cautions]
    if is_ranked or _are_high_for_both(data):
        checks.append(_ranking_cautions)
    return tuple(caution for cautions in checks for caution in cautions(sample, data))


def _mark_cautions(sample, _):
    """Values far off that stand for missing ones, such as -999."""
    marks = marks_of_missing(sample.scores)
    if not marks:
        return
    rows = np.isin(sample.scores, marks)
    others = sample.scores[~rows]
    text = (
        f"Scores of {listed([f'{mark:g}' for mark in marks])}, in "
        f"{count(np.count_nonzero(rows), 'row')}, stand apart from all others, which reach from "
        f"{others.min():.4g} to {others.max():.4g}: they look like marks for missing values. "
        "Leave these rows out, or fill the scores in; an empty cell is a missing value here."
    )
    yield Caution("marks of missing values", text)


def marks_of_missing(scores: NDArray[np.float64]) -> list[float]:
    """Repeated scores outside [0, 1] that are far from all others, or alone outside [0, 1].

    At most two at either end. "Far" is three times the range of the others. Alone outside [0, 1]
    are whole numbers, such as -1 beside probabilities.
    """
    if scores.min() >= 0 and scores.max() <= 1:
        return []
    values, rows = np.unique(scores, return_counts=True)
    numbers = range(MOST_MARKS + 1)
    for low, high in sorted(product(numbers, numbers), key=sum)[1:]:
        others = values[low : values.size - high]
        marks = np.concatenate([values[:low], values[values.size - high :]])
        if others.size < LEAST_OTHERS:
            return []
        repeated = rows[np.isin(values, marks)].min() > 1
        if repeated and _are_apart(marks, others):
            return marks.tolist()
    return []


def _are_apart(marks, others):
    """Whether marks are outside [0, 1], and far from the others or alone there."""
    if np.any((marks >= 0) & (marks <= 1)):
        return False
    nearest, farthest = others[0], others[-1]
    if nearest >= 0 and farthest <= 1 and np.array_equal(marks, np.rint(marks)):
        return True
    gaps = np.where(marks < nearest, nearest - marks, marks - farthest)
    return bool(np.all(gaps > FAR_OFF * (farthest - nearest)))


def _percentage_cautions(_, data):
    """Scores that may be percentages."""
    if data.lowest >= 0 and LEAST_PERCENTAGE < data.highest <= 100:
        text = (
            f"Scores from {data.lowest:.4g} to {data.highest:.4g} may be percentages. If they are, "
            "divide them by 100: with probabilities far more can be said."
        )
        yield Caution("percentages", text)


def _ranking_cautions(sample, data):
    """Scores that do not rank the outcomes: of the predicted class, or of class 0."""
    if rarer(data) < MIN_ROWS_OF_CLASS:
        return
    area = area_under_curve(sample)
    if _are_high_for_both(data):
        text = (
            f"No score is below 1/2, although {percent(1 - data.positives / data.total)} of the "
            f"outcomes are 0; their mean is {number(data.mean)}. Scores of the predicted class, "
            "whichever it is, look like that: see whether they are for class 1 in every row."
        )
        is_chance = area.lower <= 0.5
        yield Caution("predicted class" if is_chance else "high scores", text)
        if is_chance:
            return
    if area.upper is not None and area.upper < 0.5:
        remedy = (
            "no increasing map can correct that"
            if data.probabilities
            else "if more points stand for less of class 1, as in a scorecard, take minus the score"
        )
        text = (
            f"Scores are higher where the outcome is 0 (AUC {number(area.value)}). Check which "
            f"class counts as positive, and which of the two the scores are for; {remedy}."
        )
        yield Caution("reversed scores", text)


def _are_high_for_both(data):
    """Whether no score is below 1/2, far from what comes true, where both classes are frequent."""
    if not data.probabilities or data.lowest < 0.5 or data.distinct == 1:
        return False
    rate = data.positives / data.total
    error = math.sqrt(rate * (1 - rate) / data.total)
    return min(rate, 1 - rate) >= FREQUENT and data.mean - rate > CERTAIN_ERRORS * error


def _score_cautions(sample, data):
    """Scores that are no probabilities, or rounded, or refuted by an outcome."""
    if sample.clipped:
        are = "score was" if sample.clipped == 1 else "scores were"
        text = f"{sample.clipped:,} {are} beyond [0, 1] by rounding, and clipped."
        yield Caution("clipped scores", text)
    if not data.probabilities:
        text = (
            f"Scores reach from {data.lowest:.4g} to {data.highest:.4g}: they are no "
            "probabilities. Measures of probabilities are left out; calibrate the scores first."
        )
        yield Caution("no probabilities", text)
        return
    if data.distinct == 1:
        yield Caution("constant scores", "All scores are equal: they tell no two rows apart.")
    elif data.lowest == 0 and data.highest == 1 and data.distinct == 2:
        text = "All scores are 0 or 1: these are classes, not probabilities."
        yield Caution("classes for scores", text)
    elif data.decimals is not None:
        text = (
            f"Scores are rounded to {count(data.decimals, 'decimal')}: "
            f"{count(data.distinct, 'distinct value')} in {count(data.rows, 'row')}."
        )
        if data.lowest == 0 or data.highest == 1:
            text += " Scores of 0 and 1 may owe to that; write more decimals."
        yield Caution("rounded scores", text)
    elif data.distinct * ROWS_PER_TIED_SCORE <= data.rows:
        text = (
            f"Scores are tied: {count(data.distinct, 'distinct value')} in "
            f"{count(data.rows, 'row')}, as of trees or bins."
        )
        yield Caution("ties", text)
    if sample.impossible:
        text = (
            f"{count(sample.impossible, 'outcome')} had been given probability 0. No calibrated "
            "prediction does that; if the scores are rounded, write more decimals."
        )
        yield Caution("impossible outcomes", text)


def _origin_cautions(sample, data):
    """Rows that the classifier learned from, or that repeat other rows more often than by ties."""
    if _looks_learned(sample, data):
        text = (
            f"These look like rows that the classifier learned from, or a leak of the outcome: AUC "
            f"{number(area_under_curve(sample).value)}, and a map alone would take more than half "
            "off the Brier score, or nothing is left of it. Such rows say nothing about new ones."
        )
        yield Caution("training rows", text)
        return
    if sample.weights is not None or sample.clusters is not None:
        return
    test = copies_test(sample.labels, sample.scores)
    if test.found and test.copies > NOTABLE_COPIES * data.rows:
        text = (
            f"{count(test.copies, 'row')} of {data.rows:,} repeat the score and the outcome of "
            "another row, where ties alone would leave the outcomes different. If cases stand in "
            "the file twice, drop the copies: rows that agree in every column, those that the "
            "classifier learns from included. If rows are of one patient or account, or cases "
            "agree by nature, name the column of these as clusters (--cluster): limits here take "
            "rows as independent and would be too narrow."
        )
        yield Caution("duplicated rows", text)


def _looks_learned(sample, data):
    """Whether the order of the scores is too good for errors as large as theirs."""
    if not data.probabilities or rarer(data) < MIN_ROWS_OF_CLASS:
        return False
    if area_under_curve(sample).value < SUSPICIOUS_AUC:
        return False
    parts = sample.measured(score_decomposition)
    return parts.miscalibration >= SUSPICIOUS_GAIN * parts.score


def _group_cautions(sample, _):
    """Groups whose rows are of one class."""
    if sample.groups is None:
        return
    rows = np.bincount(sample.groups)
    positives = np.bincount(sample.groups, sample.labels)
    of_one_class = np.flatnonzero((positives == 0) | (positives == rows))
    if of_one_class.size:
        names = listed([sample.names[group] for group in of_one_class])
        text = f"{count(of_one_class.size, 'group')} with rows of one class only: {names}."
        yield Caution("one class in a group", text)


def _order_cautions(sample, data):
    """Rows that are sorted, or outcomes or residuals that change along the file."""
    n_rows = sample.labels.size
    if sample.weights is not None or sample.clusters is not None or n_rows < 2 * MIN_ROWS_OF_CLASS:
        return
    for name, column in {"score": sample.scores, "outcome": sample.labels}.items():
        steps = np.diff(column.astype(np.float64))
        if steps.any() and (np.all(steps >= 0) or np.all(steps <= 0)):
            text = (
                f"The rows are sorted by {name}. That changes no number here, but whether "
                "calibration drifts with time cannot be seen."
            )
            yield Caution("sorted rows", text)
            return
    if data.probabilities:
        residuals = sample.labels - sample.scores
        yield from _drift_cautions("calibration", "observed less predicted", residuals)
    outcomes = sample.labels.astype(np.float64)
    yield from _drift_cautions("base rate", "fraction of positives", outcomes)


def _drift_cautions(name, quantity, values):
    """A series whose mean changes along the file."""
    test = change_test(values)
    if test.p_value < DRIFT_LEVEL:
        before, after = values[: test.row].mean(), values[test.row :].mean()
        text = (
            f"The {name} changes along the file ({probability(test.p_value)}): {quantity} is "
            f"{percent(before)} in the first {count(test.row, 'row')} and {percent(after)} in the "
            "others. If the rows are in order of time, judge the latest ones by themselves."
        )
        yield Caution(f"drift of {name}", text)


def _decimals_of(scores):
    """The fewest decimals that write all scores, or None if these are more than four."""
    for decimals in range(MAX_DECIMALS + 1):
        if np.array_equal(np.round(scores, decimals), scores):
            return decimals
    return None


CHECKS = (
    _class_cautions,
    _weight_cautions,
    _score_cautions,
    misread_cautions,
    _origin_cautions,
    _group_cautions,
    _order_cautions,
)
