"""The verdict in words, with its uncertainty, and what to do next."""

import math

from calib.metrics import detectable_bias, kuiper_range
from calib.report.contents import Compared, Curve, Data, Estimate, Group, Test, Verdict
from calib.report.measuring import FEW, Sample, rarer
from calib.report.wording import amount, count, listed, number, percent, points, probability

LEVEL = 0.05  # of the test that decides
POWER = 0.8
LITTLE = 0.01  # share of the rows, and the tenth of the rarer class, below which an error is small
WANTED = 0.2  # a bias of this part of the share of the rarer class should not escape a sample


def judge(
    sample: Sample,
    data: Data,
    measures: tuple[Estimate, ...],
    tests: tuple[Test, ...],
    curve: Curve | None,
) -> Verdict:
    """The verdict in words."""
    outcome, p_value = outcome_of(data, tests)
    if not data.probabilities:
        return _no_probabilities(data)
    by_key = {estimate.key: estimate for estimate in measures}
    detectable = detectable_bias(sample.scores, power=POWER, sample_weight=sample.weights)
    if outcome == "miscalibrated":
        return _miscalibrated(sample, data, by_key, p_value, detectable)
    if outcome == "cannot say":
        return _too_few(data, p_value, detectable)
    return _no_evidence(data, by_key, tests, curve, p_value, detectable)


def outcome_of(data: Data, tests: tuple[Test, ...]) -> tuple[str, float | None]:
    """Outcome at the 5 % level, and the p value that it rests on: that of Kuiper's test.

    With few rows of a class it is the simulated one, as the other is for large samples.
    """
    p_values = {test.name: test.p_value for test in tests}
    few = rarer(data) < FEW
    p_value = p_values.get("Kuiper, simulated" if few else "Kuiper")
    if p_value is not None and p_value <= LEVEL:
        return "miscalibrated", p_value
    return "cannot say" if few or p_value is None else "no evidence", p_value


def _no_probabilities(data):
    sentence = (
        "Cannot say: the scores are no probabilities, as they reach from "
        f"{number(data.lowest)} to {number(data.highest)}."
    )
    details = ("They can be ranked, and turned into probabilities by a calibrator.",)
    return Verdict("cannot say", sentence, details, None, None)


def _too_few(data, p_value, detectable):
    fewer = rarer(data)
    kind = "positive" if data.positives <= data.total - data.positives else "negative"
    sentence = (
        f"Cannot say: {count(fewer, kind)} among {count(data.total, 'row')} "
        f"{'is' if fewer == 1 else 'are'} too few to judge calibration."
    )
    details = []
    if p_value is not None:
        details.append(
            f"The test finds no miscalibration ({probability(p_value)}), but it is weak."
        )
    details.append(_what_escapes(detectable))
    return Verdict("cannot say", sentence, tuple(details), p_value, detectable)


def _no_evidence(data, by_key, tests, curve, p_value, detectable):
    sentence = (
        f"No evidence of miscalibration in {count(data.total, 'row')} with "
        f"{count(data.positives, 'positive')} (Kuiper test, {probability(p_value)})."
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


def _miscalibrated(sample, data, by_key, p_value, detectable):
    kuiper = by_key["kuiper_error"]
    worst = sample.measured(kuiper_range)
    seldom = kuiper.upper * data.total < 10 * LITTLE * rarer(data)
    little = kuiper.upper < LITTLE and seldom
    sentence = (
        f"Miscalibrated{', but by little' if little else ''} (Kuiper test, "
        f"{probability(p_value)}): {_direction(sample, data, by_key, worst)}."
    )
    brier, mcb = by_key["brier"].value, by_key["miscalibration"]
    details = [
        f"The largest error builds up over predictions {_ends(worst)}, which "
        f"{percent(worst.count / data.total)} of the rows have: "
        f"{percent(worst.predicted)} positives were predicted there, {percent(worst.observed)} "
        f"seen. That is {percent(kuiper.value)} of all rows (95\N{NO-BREAK SPACE}% interval "
        f"{percent(kuiper.lower)} to {percent(kuiper.upper)}).",
    ]
    share = f"The best increasing map would take {percent(mcb.value / brier)} off the Brier score"
    if mcb.by_chance is None:
        details.append(f"{share}, on these rows.")
    else:
        details.append(
            f"{share} on these rows; off calibrated predictions, chance takes up to "
            f"{percent(mcb.by_chance / brier)} in 95 of 100 samples."
        )
    return Verdict("miscalibrated", sentence, tuple(details), p_value, detectable)


def _direction(sample, data, by_key, worst):
    """What is wrong in a few words: bias and spread, or else where, then what cannot be."""
    bias, slope = by_key["bias"], by_key["slope"]
    found = []
    if bias.lower is not None and not bias.lower <= 0 <= bias.upper:
        smallest, largest = sorted((abs(bias.lower), abs(bias.upper)))
        found.append(
            f"{points(abs(bias.value))} percentage points too {'low' if bias.value > 0 else 'high'}"
            f" on average ({points(smallest)} to {points(largest)})"
        )
    many = rarer(data) >= FEW  # the limits of a slope are those of large samples
    if many and slope.lower is not None and not slope.lower <= 1 <= slope.upper:
        kind = "too extreme" if slope.value < 1 else "too timid"
        kind = "in reverse order" if slope.upper < 0 else kind
        limits = f"{number(slope.lower, 2)} to {number(slope.upper, 2)}"
        found.append(f"{kind} (slope {limits}, where 1 is right)")
    text = f"predictions are {', and '.join(found)}" if found else _where(worst)
    if sample.impossible:
        text += f"; {count(sample.impossible, 'outcome')} had been given probability 0"
    return text


def _where(worst):
    """The worst range in a few words, where no error holds for all predictions."""
    error = worst.observed - worst.predicted
    size = f"{points(abs(error))} percentage points too {'low' if error > 0 else 'high'}"
    return f"predictions {_ends(worst)} are {size} on average"


def _ends(worst):
    lowest, highest = number(worst.lowest), number(worst.highest)
    return f"of {lowest}" if lowest == highest else f"from {lowest} to {highest}"


def advise(
    data: Data, verdict: Verdict, groups: tuple[Group, ...], comparison: Compared | None
) -> tuple[str, ...]:
    """What to do next, in the order in which one does it."""
    advice = list(_on_calibrating(data, verdict, comparison))
    off = [g.name for g in groups if g.p_value <= LEVEL or not g.lower <= 0 <= g.upper]
    if off:
        advice.append(f"Look into the groups that seem miscalibrated: {listed(off)}.")
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
    elsewhere = (
        "Then judge the calibrated scores on rows that it has not seen: on its own rows every "
        "calibrator looks good."
    )
    if verdict.outcome == "cannot say" and data.probabilities:
        yield (
            f"Collect more rows: with about {amount(_rows_wanted(data))} of the same kind, a bias "
            "of a fifth of the share of the rarer class would be found in four of five samples."
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
        yield "Keep the scores as they are: as a whole, nothing here speaks for a calibrator."
    elif chosen or comparison is None:
        yield f"{fit}, on rows that the classifier was not trained on."
        yield elsewhere
    else:
        yield (
            "No calibrator gains for sure on these rows: keep the scores, knowing how they err, "
            "and collect more rows."
        )


def _rows_wanted(data):
    """Rows with which a bias of a fifth of the rarer class is found with a probability of 80 %."""
    rate = min(max(rarer(data), 1.0) / data.total, 0.5)
    needed = (detectable_bias([rate], power=POWER) / (WANTED * rate)) ** 2
    return float(math.ceil(needed / 100) * 100)
