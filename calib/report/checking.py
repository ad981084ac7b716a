"""What was read, and what a reader must know about it."""

import numpy as np

from calib.contract.validation import check_labels, check_scores, check_weights
from calib.metrics import change_test, copies_test, score_decomposition
from calib.metrics.clusters import cluster_codes, codes_of
from calib.metrics.samples import whole
from calib.report.contents import Caution, Data
from calib.report.measuring import FEW, Sample, area_under_curve, rarer
from calib.report.wording import count, listed, number, percent, probability

MOST_DECIMALS = 4  # beyond which scores do not count as rounded
DRIFTS = 0.005  # p value of each of two series below which it is remarked: 1 % of honest files
MANY_TIES = 10  # rows for a distinct score, from which on scores are those of classes of cases
NOTABLE_COPIES = 0.01  # share of the rows
TOO_GOOD = 0.99  # AUC; and a map would remove half of the Brier score: no honest file had both
HALF = 0.5


def clean(scores, labels, sample_weight, groups, clusters=None) -> tuple[Sample, int]:
    """Checked columns without the rows of weight 0, and the number of these rows."""
    scores = check_scores(scores)
    labels = check_labels(labels, size=scores.size)
    names, codes, weights = (), None, None
    kept = np.ones(scores.size, bool)
    if sample_weight is not None:
        weights = whole(check_weights(sample_weight, size=scores.size))
        kept = weights > 0
        weights = weights[kept]
    if groups is not None:
        names, codes = codes_of(groups, scores.size, name="groups")
        there, codes = np.unique(codes[kept], return_inverse=True)
        names = tuple(map(str, names[there].tolist()))
    labels, scores, left_out = labels[kept], scores[kept], int(np.count_nonzero(~kept))
    clusters = cluster_codes(clusters, kept.size, sample_weight, other="scores")
    sampled = weights is not None and clusters is None
    sampled = sampled and copies_test(labels, scores, sample_weight=weights).found
    if sampled:  # a row is one case, whatever it stands for
        clusters = np.arange(scores.size)
    return Sample(labels, scores, weights, codes, names, clusters, sampled=sampled), left_out


def described(sample: Sample, left_out: int) -> Data:
    """Numbers of rows, and the scores in short."""
    scores, counts = sample.scores, sample.counts
    total = float(counts.sum())
    return Data(
        rows=scores.size,
        left_out=left_out,
        total=total,
        positives=float(np.dot(counts, sample.labels)),
        weighted=sample.weights is not None,
        distinct=np.unique(scores).size,
        decimals=_decimals(scores),
        lowest=float(scores.min()),
        highest=float(scores.max()),
        mean=float(np.dot(counts, scores) / total),
        n_groups=len(sample.names),
        probabilities=bool(scores.min() >= 0 and scores.max() <= 1),
    )


def cautions_of(sample: Sample, data: Data) -> tuple[Caution, ...]:
    """Everything that limits what can be said."""
    return tuple(caution for look in LOOKS for caution in look(sample, data))


def _of_classes(_, data):
    for size, name in ((data.positives, "positive"), (data.total - data.positives, "negative")):
        if size == 0:
            yield Caution("one class", f"There is no {name} among the rows.")
        elif size < FEW:
            text = f"Only {count(size, name)}: little can be known from fewer than {FEW}."
            yield Caution("few of a class", text)


def _of_weights(sample, data):
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
        text = (
            "Weights do not count cases: those that a row would stand for all had its outcome, "
            "more often than chance explains. So they are taken as the weights of a sample: each "
            "row is one case, however many others it stands for."
        )
        yield Caution("sampling weights", text)


def _of_ranking(sample, data):
    """Scores that are higher where the outcome is 0, beyond chance."""
    if data.positives in (0, data.total):
        return
    area = area_under_curve(sample)
    if rarer(data) >= FEW and area.upper is not None and area.upper < 0.5:
        text = (
            f"Scores are higher where the outcome is 0 (AUC {number(area.value)}). Check which "
            "class counts as positive, and which of the two the scores are for; no increasing map "
            "mends that."
        )
        yield Caution("reversed scores", text)


def _of_scores(sample, data):
    if not data.probabilities:
        text = (
            f"Scores reach from {data.lowest:.4g} to {data.highest:.4g}: they are no "
            "probabilities. What needs probabilities is left out; calibrate the scores first."
        )
        if data.lowest >= 0 and 10 < data.highest <= 100:
            text += " If they are percentages, divide them by 100 instead."
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
    elif data.distinct * MANY_TIES <= data.rows:
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


def _of_origin(sample, data):
    """Rows that the classifier knew, or that repeat another one more than equal scores explain."""
    if _known(sample, data):
        text = (
            f"These look like rows that the classifier learned from, or a leak of the outcome: AUC "
            f"{number(area_under_curve(sample).value)}, and a map alone would take more than half "
            "off the Brier score, or nothing is left of it. Of new rows they tell nothing."
        )
        yield Caution("training rows", text)
        return
    if sample.weights is not None or sample.clusters is not None:
        return
    found = copies_test(sample.labels, sample.scores)
    if found.found and found.copies > NOTABLE_COPIES * data.rows:
        text = (
            f"{count(found.copies, 'row')} of {data.rows:,} repeat the score and the outcome of "
            "another row, where ties alone would leave the outcomes different. If cases stand in "
            "the file twice, drop the copies; if rows are of one patient or account, name the "
            "column of these as clusters (--cluster): limits here take rows as independent and "
            "would be too narrow."
        )
        yield Caution("duplicated rows", text)


def _known(sample, data):
    """Whether the order of the scores is too good for errors as large as theirs."""
    if not data.probabilities or rarer(data) < FEW or area_under_curve(sample).value < TOO_GOOD:
        return False
    parts = sample.measured(score_decomposition)
    return parts.miscalibration >= HALF * parts.score


def _of_groups(sample, _):
    if sample.groups is None:
        return
    rows = np.bincount(sample.groups)
    positives = np.bincount(sample.groups, sample.labels)
    alone = np.flatnonzero((positives == 0) | (positives == rows))
    if alone.size:
        shown = listed([sample.names[group] for group in alone])
        text = f"{count(alone.size, 'group')} with rows of one class only: {shown}."
        yield Caution("one class in a group", text)


def _of_order(sample, data):
    """Whether outcomes or residuals change along the file, and whether it was sorted."""
    labels, scores, weights = sample[:3]
    n_rows = labels.size
    if weights is not None or sample.clusters is not None or n_rows < 2 * FEW:
        return
    for column, name in ((scores, "score"), (labels, "outcome")):
        steps = np.diff(column.astype(np.float64))
        if steps.any() and (np.all(steps >= 0) or np.all(steps <= 0)):
            text = (
                f"The rows are sorted by {name}. That changes no number here, but whether "
                "calibration drifts with time cannot be seen."
            )
            yield Caution("sorted rows", text)
            return
    series = {"calibration": labels - scores} if data.probabilities else {}
    for name, values in (series | {"base rate": labels.astype(np.float64)}).items():
        _, p_value, row = change_test(values)
        if p_value < DRIFTS:
            before, after = values[:row].mean(), values[row:].mean()
            what = "observed less predicted" if name == "calibration" else "share of positives"
            text = (
                f"The {name} changes along the file ({probability(p_value)}): {what} is "
                f"{percent(before)} in the first {count(row, 'row')} and {percent(after)} in the "
                "others. If the rows are in order of time, judge the latest ones by themselves."
            )
            yield Caution(f"drift of {name}", text)


def _decimals(scores):
    """The fewest decimals that write all scores, or None if these are more than four."""
    tried = range(MOST_DECIMALS + 1)
    return next((d for d in tried if np.array_equal(np.round(scores, d), scores)), None)


LOOKS = (_of_classes, _of_weights, _of_scores, _of_ranking, _of_origin, _of_groups, _of_order)
