"""The verdict and the advice in words."""

import math

from calibkit.comparison.guide import OTHERWISE, advice_to_calibrate
from calibkit.inference.digits import decimals_between
from calibkit.report.measures import PER_ROWS
from calibkit.report.numbers_in_words import (
    amount,
    count,
    listed,
    number,
    percent,
    points,
    probability,
)
from calibkit.report.records import (
    Bin,
    Caution,
    Compared,
    Data,
    Escape,
    Estimate,
    ScoreRange,
    Verdict,
)
from calibkit.report.sample import MIN_ROWS_OF_CLASS, CleanSample, rarer
from calibkit.report.verdict import (
    CANNOT_SAY,
    MISCALIBRATED,
    NO_EVIDENCE,
    POWER,
    Advice,
    Deviation,
    Doubt,
    Judgement,
    Spread,
    advice_of,
    asked_by,
    expects_little,
    rows_wanted,
    withheld_by,
)

UNSURE = (
    " The predicted value lies within these limits: the test finds an error, but its place and "
    "size are uncertain."
)
NO_VERDICT_REASONS = {  # keys: kinds of caution
    "training rows": "these look like rows that the classifier learned from, or like a leak",
    "duplicated rows": "cases stand in the file more than once, and no test here allows for that",
}
WITHHELD_ADVICE = {  # keys: kinds of caution
    "duplicated rows": (
        "Fit no calibrator to these rows, and choose none by them: keep one row of each case, or "
        "name the clusters (--cluster), and run the report again. Without a column that tells the "
        "cases apart, keep one of the rows that agree in all columns, or number these groups of "
        "rows and name the numbers as clusters."
    ),
    "marks of missing values": (
        "Fit no calibrator yet: leave out the rows whose score is a mark for a missing value, or "
        "fill them in, and run the report again."
    ),
    "predicted class": (
        "Fit no calibrator yet: find out whether these are scores of the predicted class. If so, "
        "take the score of class 1, which is 1 less the score where class 0 is predicted, and run "
        "the report again."
    ),
    "reversed scores": (
        "Fit no calibrator yet: find out which class counts as positive. If the scores are for the "
        "other one, take 1 less each score, and run the report again."
    ),
}
QUESTIONS = {  # keys: kinds of caution
    "training rows": (
        "First make sure that the classifier has not learned from these rows, and that no column "
        "told it the outcome: it looks like that. If so, fit no calibrator to them: score other "
        "rows, or each row by a model trained without it, and run the report again. If not, go on."
    ),
    "percentages": (
        "First see whether the scores are percentages. If so, divide them by 100, and run the "
        "report again. If not, go on."
    ),
}
NEARER = "StackedCalibrator(trust=0.7)"
FIT_IN_PYTHON = f"calib.{OTHERWISE.take}.fit(scores, labels)"
SPREAD_NAMES = {
    Spread.TOO_EXTREME: "too extreme",
    Spread.TOO_TIMID: "too timid",
    Spread.REVERSED: "in reverse order",
}
JUDGE_ELSEWHERE = (
    "Then judge the calibrated scores on rows that it has not seen: on its own rows every "
    "calibrator looks good."
)


def verdict_in_words(
    judgement: Judgement, sample: CleanSample, data: Data, measures: tuple[Estimate, ...]
) -> Verdict:
    """The verdict, with its uncertainty."""
    if not data.probabilities:
        return _no_probabilities(data)
    if judgement.withheld is not None:
        reason = NO_VERDICT_REASONS[judgement.withheld]
        return Verdict(outcome=CANNOT_SAY, sentence=f"Cannot say: {reason}.", details=())
    by_key = {estimate.key: estimate for estimate in measures}
    if judgement.finding.outcome == MISCALIBRATED:
        return _miscalibrated(judgement, sample, data, by_key)
    if judgement.finding.outcome == CANNOT_SAY:
        return _too_few(judgement, data)
    return _no_evidence(judgement, data, by_key)


def _no_probabilities(data):
    sentence = (
        "Cannot say: the scores are no probabilities, because they reach from "
        f"{number(data.lowest)} to {number(data.highest)}."
    )
    details = ("They can be ranked, and turned into probabilities by a calibrator.",)
    return Verdict(outcome=CANNOT_SAY, sentence=sentence, details=details)


def _too_few(judgement, data):
    p_value = judgement.finding.p_value
    n_rows = rarer(data)
    sentence = (
        f"Cannot say: {count(n_rows, _rarer_class(data))} among {count(data.total, 'row')} "
        f"{'is' if n_rows == 1 else 'are'} too few to judge calibration."
    )
    weak = f"The test finds no miscalibration ({probability(p_value)}), but it is weak."
    return Verdict(
        outcome=CANNOT_SAY,
        sentence=sentence,
        details=(weak, _what_escapes(judgement.detectable)),
        p_value=p_value,
        detectable=judgement.detectable,
    )


def _no_evidence(judgement, data, by_key):
    p_value = judgement.finding.p_value
    sentence = (
        f"No evidence of miscalibration in {count(data.total, 'row')} with "
        f"{count(data.positives, 'positive')} (all ranges and groups at once, "
        f"{probability(p_value)})."
    )
    details = [_what_escapes(judgement.detectable)]
    if judgement.doubts:
        names = {
            Doubt.BIAS: by_key["bias"].name.lower(),
            Doubt.SLOPE: by_key["slope"].name.lower(),
            Doubt.SPIEGELHALTER: "Spiegelhalter's test",
            Doubt.BAND: "the confidence band",
        }
        doubts = listed([names[doubt] for doubt in judgement.doubts])
        details.append(
            f"Looked at alone, this would speak against calibration: {doubts}. One of "
            "several looks does so by chance in more than one of twenty samples: see new data."
        )
    return Verdict(
        outcome=NO_EVIDENCE,
        sentence=sentence,
        details=tuple(details),
        p_value=p_value,
        detectable=judgement.detectable,
    )


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


def open_at(escape: Escape, total: float) -> str:
    """Consequences of the confidence band for decisions at a threshold, for so many rows."""
    at = f"At your threshold of {number(escape.threshold)}"
    if escape.loss == 0:
        return f"{at} nothing escapes: the confidence band puts every score on its own side."
    text = f"{at} the confidence band"
    if escape.wrong is not None:
        text = f"{at} {_significantly_wrong(escape, escape.wrong, total)}"
        if escape.open is None:
            return text
        text = f"{text} The band"
    if escape.open is not None:
        text += f" leaves open on which side scores {_range_in_words(escape.open)} belong"
    worth = _worth_in_words(escape.false_alarms, escape.hits)
    return (
        f"{text}: in all, the best increasing map can gain a net benefit of up to "
        f"{number(escape.loss)}, worth {worth} in {PER_ROWS:,} rows."
    )


def _significantly_wrong(escape, wrong, total):
    """Remarks about the scores on the wrong side."""
    if wrong.highest > escape.threshold:
        side = "below"
        now = "You act"
        change = "not to act on them"
    else:
        side = "above"
        now = "You do not act"
        change = "to act on them"
    worth = _worth_in_words(escape.least_false_alarms, escape.least_hits)
    return (
        f"scores {_range_in_words(wrong)} are significantly on the wrong side: the whole "
        f"confidence band is {side} the threshold there. {now} on {count(wrong.rows, 'row')} of "
        f"them, {number(PER_ROWS * wrong.rows / total, 1)} in {PER_ROWS:,}; {change} gains a net "
        f"benefit of at least {number(escape.least_loss)}, worth {worth} in {PER_ROWS:,} rows."
    )


def _worth_in_words(false_alarms, hits):
    parts = []
    if false_alarms > 0:
        parts.append(f"{number(false_alarms, 1)} fewer false alarms")
    if hits > 0 or not parts:
        parts.append(f"{number(hits, 1)} more hits")
    return " or ".join(parts)


def _miscalibrated(judgement, sample, data, by_key):
    finding = judgement.finding
    place = finding.place
    names = tuple(sample.names[group] for group in finding.groups)
    by_little = ", but by little" if judgement.is_small else ""
    in_groups = f" in {_groups_in_words(names)}" if names else ""
    errors = _errors_in_words(judgement, sample, by_key["slope"], names)
    sentence = f"Miscalibrated{by_little}{in_groups} ({probability(finding.p_value)}): {errors}."
    of_group = f" of group {names[0]}" if names else ""
    digits = decimals_between(100 * place.lower, 100 * place.upper)
    unsure = "" if judgement.worst.is_certain else UNSURE
    details = (
        f"The worst range{of_group} are predictions {_range_in_words(place)}, "
        f"{count(place.count, 'row')}: "
        f"{percent(place.predicted, digits)} positives were predicted there, "
        f"{percent(place.observed, digits)} seen (limits {percent(place.lower, digits)} to "
        f"{percent(place.upper, digits)}, which allow for the choice among all ranges and groups)."
        f"{unsure}",
        _largest_range_in_words(by_key["kuiper_error"]),
        _removable_in_words(by_key["miscalibration"], by_key["brier"].value),
    )
    return Verdict(
        outcome=MISCALIBRATED,
        sentence=sentence,
        details=details,
        p_value=finding.p_value,
        detectable=judgement.detectable,
        place=place,
        groups=names,
    )


def _largest_range_in_words(kuiper):
    digits = decimals_between(100 * kuiper.lower, 100 * kuiper.upper)
    return (
        f"The error of one range comes to {percent(kuiper.value, digits)} of all rows at most "
        f"(95\N{NO-BREAK SPACE}% interval {percent(kuiper.lower, digits)} to "
        f"{percent(kuiper.upper, digits)})."
    )


def _removable_in_words(miscalibration, brier):
    """The part of the Brier score that a map would remove, and its size by chance if simulated."""
    part = f"The best increasing map would take {percent(miscalibration.value / brier)} off the"
    if miscalibration.by_chance is None:
        return f"{part} Brier score, on these rows."
    return (
        f"{part} Brier score on these rows; off calibrated predictions, chance takes up to "
        f"{percent(miscalibration.by_chance / brier)} in 95 of 100 samples."
    )


def _groups_in_words(names):
    return f"group{'s' if len(names) > 1 else ''} {listed(names)}"


def _errors_in_words(judgement, sample, slope, names):
    """Bias and spread of all predictions, then the worst range, then impossible outcomes."""
    overall = []
    if judgement.bias is not None:
        overall.append(f"{_deviation_in_words(judgement.bias)} on average")
    if judgement.spread is not None:
        digits = max(2, decimals_between(slope.lower, slope.upper))
        limits = f"{number(slope.lower, digits)} to {number(slope.upper, digits)}"
        overall.append(f"{SPREAD_NAMES[judgement.spread]} (slope {limits}, where 1 is right)")
    of_group = f"of group {names[0]} " if names else ""
    subject = "those" if overall else "predictions"
    text = f"{subject} {of_group}{_place_in_words(judgement.finding.place, judgement.worst)}"
    if overall:
        text = f"predictions are {' and '.join(overall)}; {text}"
    if sample.impossible:
        text += f"; {count(sample.impossible, 'outcome')} had been given probability 0"
    return text


def _place_in_words(place, deviation):
    """The worst range and how far it is off. The observed outcomes of predictions of 0."""
    if place.predicted > 0:
        return f"{_range_in_words(place)} are {_deviation_in_words(deviation)}"
    digits = max(1, decimals_between(100 * place.lower, 100 * place.upper))
    seen = f"of 0 had a positive outcome in {percent(place.observed, digits)} of the rows"
    if not deviation.is_certain:
        return f"{seen} here"
    return f"{seen} ({percent(place.lower, digits)} to {percent(place.upper, digits)})"


def _deviation_in_words(deviation: Deviation) -> str:
    """How far a mean prediction is off; limits that hold the prediction are left out."""
    if deviation.is_ratio:
        digits = max(1, decimals_between(deviation.lower, deviation.upper))
        size = f"{number(deviation.size, digits)} times the observed fraction"
        limits = f"{number(deviation.lower, digits)} to {number(deviation.upper, digits)}"
    else:
        digits = max(1, decimals_between(100 * deviation.lower, 100 * deviation.upper))
        direction = "high" if deviation.is_high else "low"
        size = f"{points(deviation.size, digits)} percentage points too {direction}"
        limits = f"{points(deviation.lower, digits)} to {points(deviation.upper, digits)}"
    return f"{size} ({limits})" if deviation.is_certain else f"{size} on these rows"


def _range_in_words(place: Bin | ScoreRange) -> str:
    digits = max(3, decimals_between(place.lowest, place.highest))
    lowest, highest = number(place.lowest, digits), number(place.highest, digits)
    return f"of {lowest}" if lowest == highest else f"from {lowest} to {highest}"


def advise(
    data: Data,
    verdict: Verdict,
    cautions: tuple[Caution, ...],
    comparison: Compared | None,
    command: str = "",
) -> tuple[str, ...]:
    """The next steps, in order."""
    match advice_of(data, cautions):
        case Advice.WITHHOLD:
            return advice_withheld(data, cautions)
        case Advice.COLLECT:
            missing = "negative" if data.positives else "positive"
            sentences = [f"No calibrator can learn from one class: collect rows with a {missing}."]
        case Advice.CALIBRATE:
            how = _how_to_calibrate(data, verdict, comparison, command)
            sentences = [*questions(cautions), *how]
    if rarer(data) < MIN_ROWS_OF_CLASS:
        sentences.append(
            f"Collect more rows: with about {_rows_in_words(data, rows_wanted(data))} of the same "
            "kind, a bias of a fifth of the fraction of the rarer class would be found in four of "
            "five samples."
        )
    if verdict.groups:
        groups = _groups_in_words(verdict.groups)
        sentences.append(
            f"Look into {groups}: a map for all rows corrects no group, and "
            "calibkit.groups.MondrianVennAbers() learns one for each."
        )
    if data.probabilities:
        sentences.append(
            "Before deciding by these probabilities, read the decision curve at the threshold that "
            "your costs imply."
        )
        sentences.append("Repeat this on new rows from time to time: populations change.")
    return tuple(sentences)


def advice_withheld(data: Data, cautions: tuple[Caution, ...]) -> tuple[str, ...]:
    """The steps where some cautions withhold the advice to calibrate."""
    return tuple(WITHHELD_ADVICE[kind] for kind in withheld_by(data, cautions))


def questions(cautions: tuple[Caution, ...]) -> tuple[str, ...]:
    """Conditions that the user has to check before any calibrator is fitted."""
    return tuple(QUESTIONS[kind] for kind in asked_by(cautions))


def _how_to_calibrate(data, verdict, comparison, command):
    """The line of advice, the way to follow it, and its expected gain."""
    if comparison is None:
        line = advice_to_calibrate(None, "log", "Raw" if data.probabilities else "Base rate")
    else:
        line = comparison.recommendation
    on_the_command_line = f"{command}, or in Python: " if command else ""
    sentences = [
        line,
        "Fit it to rows that the classifier was not trained on: "
        f"{on_the_command_line}{FIT_IN_PYTHON}.",
    ]
    if expects_little(verdict):
        reason = (
            "the test of the verdict finds no error to correct"
            if verdict.outcome == NO_EVIDENCE
            else f"there are few {_rarer_class(data)}s"
        )
        sentences.append(f"Expect little: {reason}. {NEARER} stays nearer to the scores.")
    return [*sentences, JUDGE_ELSEWHERE]


def _rows_in_words(data, rows):
    """A number of rows, and how many of the rarer class there would be among them."""
    rarer_rows = math.ceil(rows * rarer(data) / data.total)
    return f"{amount(rows)} rows ({count(rarer_rows, _rarer_class(data))})"


def _rarer_class(data):
    return "positive" if data.positives <= data.total - data.positives else "negative"
