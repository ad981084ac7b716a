"""The verdict in words, with its uncertainty, and what to do next."""

import math
from typing import NamedTuple

from calib.metrics import detectable_bias
from calib.report.contents import (
    Bin,
    Caution,
    Compared,
    Curve,
    Data,
    Escape,
    Estimate,
    Test,
    Verdict,
)
from calib.report.measuring import FEW, RARE, PValues, Sample, place_of, rarer
from calib.report.wording import amount, count, listed, number, percent, points, probability

LEVEL = 0.05  # of the test that decides
POWER = 0.8
LITTLE = 0.01  # share of the rows, and the tenth of the rarer class, below which an error is small
WANTED = 0.2  # a bias of this part of the share of the rarer class should not escape a sample
UNSURE = (
    " These limits hold what was predicted: the test finds an error, but its place and size are "
    "not sure."
)
NO_VERDICT = {  # kinds of cautions
    "training rows": "these look like rows that the classifier learned from, or like a leak",
    "duplicated rows": "cases stand in the file more than once, and no test here allows for that",
}
WITHHELD = {
    "training rows": (
        "Fit no calibrator to these rows, and choose none by them: score rows that the classifier "
        "has not learned from, or each row by a model trained without it, look for a column that "
        "tells the outcome, and run the report again."
    ),
    "duplicated rows": (
        "Fit no calibrator to these rows, and choose none by them: keep one row of each case, or "
        "name the clusters (--cluster), and run the report again."
    ),
    "reversed scores": (
        "Fit no calibrator yet: find out which class counts as positive. If the scores are for the "
        "other one, take 1 less each score, and run the report again."
    ),
}
HOW_TO_FIT = {  # what is advised under names of the comparison that need words
    "Offset": "Multiply all odds by one factor (calib.shift_odds), which you learn",
    "Average": "Fit the average of calibrators (calib.StackedCalibrator)",
}


class Finding(NamedTuple):
    """What a verdict rests on, before it is put into words.

    Attributes
    ----------
    outcome : {"no evidence", "miscalibrated", "cannot say"}
    p_value : float or None
        None if nothing was tested.
    groups : tuple of int
        Those that are rejected by themselves, the surest first; none if all are.
    place : Bin or None
        The worst range, of the first of these groups or of all rows.
    """

    outcome: str
    p_value: float | None = None
    groups: tuple[int, ...] = ()
    place: Bin | None = None


def finding_of(
    sample: Sample, data: Data, cautions: tuple[Caution, ...], p_values: PValues
) -> Finding:
    """The outcome, and what is named as wrong."""
    if not data.probabilities or any(caution.kind in NO_VERDICT for caution in cautions):
        return Finding("cannot say")
    outcome, p_value = outcome_of(data, p_values)
    if outcome != "miscalibrated":
        return Finding(outcome, p_value)
    found = sorted((p, g) for g, p in p_values.items() if g is not None and g >= 0 and p <= LEVEL)
    groups = tuple(group for _, group in found) if len(found) < len(sample.names) else ()
    return Finding(outcome, p_value, groups, place_of(sample, groups[0] if groups else None))


def judge(
    sample: Sample,
    data: Data,
    finding: Finding,
    measures: tuple[Estimate, ...],
    tests: tuple[Test, ...],
    cautions: tuple[Caution, ...],
    curve: Curve | None,
) -> Verdict:
    """The verdict in words."""
    if not data.probabilities:
        return _no_probabilities(data)
    if finding.p_value is None:
        withheld = next(NO_VERDICT[c.kind] for c in cautions if c.kind in NO_VERDICT)
        return Verdict("cannot say", f"Cannot say: {withheld}.", ())
    by_key = {estimate.key: estimate for estimate in measures}
    detectable = detectable_bias(
        sample.scores, power=POWER, sample_weight=sample.independent.weights
    )
    if finding.outcome == "miscalibrated":
        return _miscalibrated(sample, data, finding, by_key, detectable)
    if finding.outcome == "cannot say":
        return _too_few(data, finding.p_value, detectable)
    return _no_evidence(data, by_key, tests, curve, finding.p_value, detectable)


def outcome_of(data: Data, p_values: PValues) -> tuple[str, float]:
    """Outcome at the 5 % level, and the p value that it rests on: the smallest one."""
    p_value = min(p_values.values())
    if p_value <= LEVEL:
        return "miscalibrated", p_value
    return "cannot say" if rarer(data) < FEW else "no evidence", p_value


def _no_probabilities(data):
    sentence = (
        "Cannot say: the scores are no probabilities, as they reach from "
        f"{number(data.lowest)} to {number(data.highest)}."
    )
    details = ("They can be ranked, and turned into probabilities by a calibrator.",)
    return Verdict("cannot say", sentence, details)


def _too_few(data, p_value, detectable):
    fewer = rarer(data)
    sentence = (
        f"Cannot say: {count(fewer, _rare(data))} among {count(data.total, 'row')} "
        f"{'is' if fewer == 1 else 'are'} too few to judge calibration."
    )
    weak = f"The test finds no miscalibration ({probability(p_value)}), but it is weak."
    return Verdict("cannot say", sentence, (weak, _what_escapes(detectable)), p_value, detectable)


def _no_evidence(data, by_key, tests, curve, p_value, detectable):
    sentence = (
        f"No evidence of miscalibration in {count(data.total, 'row')} with "
        f"{count(data.positives, 'positive')} (all ranges and groups at once, "
        f"{probability(p_value)})."
    )
    details = [_what_escapes(detectable)]
    doubts = _other_doubts(by_key, tests, curve)
    if doubts:
        details.append(
            f"Looked at alone, this would speak against calibration: {listed(doubts)}. One of "
            "several looks does so by chance in more than one of twenty samples: see new data."
        )
    return Verdict("no evidence", sentence, tuple(details), p_value, detectable)


def _other_doubts(by_key, tests, curve):
    """What besides the test of the verdict would reject by itself."""
    doubts = [
        estimate.name.lower()
        for estimate, right in ((by_key["bias"], 0), (by_key["slope"], 1))
        if estimate.lower is not None and not estimate.lower <= right <= estimate.upper
    ]
    doubts += ["Spiegelhalter's test"] * (tests[-1].p_value <= LEVEL)
    return doubts + ["the confidence band"] * (curve.crosses or not curve.holds_diagonal)


def _what_escapes(detectable):
    if detectable == 0:
        return (
            "That is no proof of calibration: predictions of 0 and 1 are refuted by the first one "
            "that is wrong."
        )
    if detectable >= 1:
        return (
            "That is no proof of calibration: with so little weight every bias can escape the test."
        )
    return (
        "That is no proof of calibration. If all predictions were off by "
        f"{points(detectable)} percentage points, the test would find it with a probability "
        f"of {100 * POWER:.0f}\N{NO-BREAK SPACE}% or more; smaller errors, and errors of few rows, "
        "can escape it."
    )


def open_at(escape: Escape) -> str:
    """What can have escaped at a threshold, in words."""
    at = f"At your threshold of {number(escape.threshold)}"
    if escape.loss == 0:
        return f"{at} nothing escapes: the confidence band puts every score on its own side."
    return (
        f"{at} the confidence band leaves open on which side scores from {number(escape.lowest)} "
        f"to {number(escape.highest)} belong: the best increasing map can gain a net benefit of up "
        f"to {number(escape.loss)} there, as much as {number(1000 * escape.loss, 1)} more hits in "
        "1,000 rows."
    )


def _miscalibrated(sample, data, finding, by_key, detectable):
    kuiper, p_value, groups, place = by_key["kuiper_error"], *finding[1:]
    names = tuple(sample.names[group] for group in groups)
    seldom = kuiper.upper * data.total < 10 * LITTLE * rarer(data)
    little = kuiper.upper < LITTLE and seldom and not groups
    sentence = f"Miscalibrated{', but by little' if little else ''}"
    if groups:
        sentence += f" in {_groups(names)}"
    sentence += f" ({probability(p_value)}): {_direction(sample, data, by_key, place, names)}."
    brier, mcb = by_key["brier"].value, by_key["miscalibration"]
    there = f" of group {names[0]}" if groups else ""
    unsure = UNSURE if place.lower <= place.predicted <= place.upper else ""
    details = [
        f"The worst range{there} are predictions {_ends(place)}, {count(place.count, 'row')}: "
        f"{percent(place.predicted)} positives were predicted there, {percent(place.observed)} "
        f"seen (limits {percent(place.lower)} to {percent(place.upper)}, which allow for the "
        f"choice among all ranges and groups).{unsure}",
        f"The error of one range comes to {percent(kuiper.value)} of all rows at most "
        f"(95\N{NO-BREAK SPACE}% interval {percent(kuiper.lower)} to {percent(kuiper.upper)}).",
    ]
    share = f"The best increasing map would take {percent(mcb.value / brier)} off the Brier score"
    if mcb.by_chance is None:  # of clusters nothing is drawn
        details.append(f"{share}, on these rows.")
    else:
        details.append(
            f"{share} on these rows; off calibrated predictions, chance takes up to "
            f"{percent(mcb.by_chance / brier)} in 95 of 100 samples."
        )
    return Verdict("miscalibrated", sentence, tuple(details), p_value, detectable, place, names)


def _groups(names):
    return f"group{'s' if len(names) > 1 else ''} {listed(names)}"


def _direction(sample, data, by_key, place, groups):
    """What is wrong in a few words: bias and spread, the worst range, then what cannot be."""
    bias, slope = by_key["bias"], by_key["slope"]
    found = []
    if not groups and bias.lower is not None and not bias.lower <= 0 <= bias.upper:
        rates = (data.mean + error for error in (bias.value, bias.lower, bias.upper))
        found.append(f"{_error(data.mean, *rates)} on average")
    many = rarer(data) >= FEW and not groups  # the limits of a slope are those of large samples
    if many and slope.lower is not None and not slope.lower <= 1 <= slope.upper:
        kind = "too extreme" if slope.value < 1 else "too timid"
        kind = "in reverse order" if slope.upper < 0 else kind
        limits = f"{number(slope.lower, 2)} to {number(slope.upper, 2)}"
        found.append(f"{kind} (slope {limits}, where 1 is right)")
    error = _error(place.predicted, place.observed, place.lower, place.upper)
    where = f"those of group {groups[0]} {_ends(place)}" if groups else f"those {_ends(place)}"
    found = [f"predictions are {' and '.join(found)}"] if found else []
    text = "; ".join([*found, f"{where} are {error}"])
    text = text.replace("those", "predictions", 1) if not found else text
    if sample.impossible:
        text += f"; {count(sample.impossible, 'outcome')} had been given probability 0"
    return text


def _error(predicted, observed, lower, upper):
    """How far a mean prediction is off, with the limits of the share; as a ratio if it is rare.

    Limits that hold the prediction are left out: they are wider than the test that rejected it.
    """
    if max(predicted, observed) < RARE and lower > 0:
        size, *limits = (number(predicted / share, 1) for share in (observed, upper, lower))
        size = f"{size} times what came true"
    else:
        high = observed < predicted
        size, *limits = (
            predicted - share if high else share - predicted for share in (observed, lower, upper)
        )
        size = f"{points(size)} percentage points too {'high' if high else 'low'}"
        limits = map(points, sorted(limits))
    sure = not lower <= predicted <= upper
    return f"{size} ({' to '.join(limits)})" if sure else f"{size} on these rows"


def _ends(worst):
    lowest, highest = number(worst.lowest), number(worst.highest)
    return f"of {lowest}" if lowest == highest else f"from {lowest} to {highest}"


def advise(
    data: Data,
    verdict: Verdict,
    cautions: tuple[Caution, ...],
    comparison: Compared | None,
) -> tuple[str, ...]:
    """What to do next, in the order in which one does it."""
    withheld = [WITHHELD[caution.kind] for caution in cautions if caution.kind in WITHHELD]
    if withheld:
        return tuple(withheld)
    advice = list(_on_calibrating(data, verdict, comparison))
    if verdict.groups:
        advice.append(f"Look into {_groups(verdict.groups)}: a map for all rows mends no group.")
    if data.probabilities:
        advice.append(
            "Before deciding by these probabilities, read the decision curve at the threshold that "
            "your costs imply."
        )
        advice.append("Repeat this on new rows from time to time: populations change.")
    return tuple(advice)


def _on_calibrating(data, verdict, comparison):
    chosen = None if comparison is None else comparison.chosen
    fit = f"Fit {chosen}" if chosen else "Fit a calibrator"
    fit = HOW_TO_FIT.get(chosen, fit)
    elsewhere = (
        "Then judge the calibrated scores on rows that it has not seen: on its own rows every "
        "calibrator looks good."
    )
    if verdict.outcome == "cannot say" and data.probabilities:
        yield (
            f"Collect more rows: with about {_rows(data, _rows_wanted(data))} of the same kind, a "
            "bias of a fifth of the share of the rarer class would be found in four of five "
            "samples."
        )
        yield "Until then keep the scores, and do not decide by their exact values."
    elif not data.probabilities and comparison is not None and chosen is None:
        yield (
            "No calibrator gains for sure over the base rate: use the base rate, and collect more "
            "rows."
        )
    elif not data.probabilities:
        yield f"{fit} to these scores and outcomes, on rows that the classifier was not trained on."
        yield elsewhere
    elif verdict.outcome == "no evidence" and chosen:
        yield (
            f"The verdict gives no reason to calibrate, the comparison one for {chosen}: try it, "
            "and judge it on rows that it has not seen."
        )
    elif verdict.outcome == "no evidence":
        yield "Keep the scores as they are: the test of the verdict finds no error to mend."
    elif chosen:
        yield (
            f"{fit}, on rows that the classifier was not trained on. {comparison.recommendation}"
        )
        yield elsewhere
    else:
        why = "can be chosen by so few" if comparison is None else "gains clearly on these"
        yield (
            f"No calibrator {why} rows: keep the scores, knowing how they err, and collect "
            f"about {_rows(data, max(_rows_wanted(data), 4 * data.total))}: with four times the "
            "rows limits are half as wide."
        )


def _rows(data, rows):
    """So many rows, and what there would be of the rarer class among them."""
    return f"{amount(rows)} rows ({count(math.ceil(rows * rarer(data) / data.total), _rare(data))})"


def _rare(data):
    return "positive" if data.positives <= data.total - data.positives else "negative"


def _rows_wanted(data):
    """Rows with which a bias of a fifth of the rarer class is found with a probability of 80 %."""
    rate = min(max(rarer(data), 1.0) / data.total, 0.5)
    needed = (detectable_bias([rate], power=POWER) / (WANTED * rate)) ** 2
    return float(math.ceil(needed / 100) * 100)
