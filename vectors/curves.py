"""Platt scaling, temperature scaling and beta calibration: fitted at the rows."""

from fractions import Fraction

from vectors.cases import SEARCH, case
from vectors.exact import decimal, expit, ln, logit
from vectors.newton import fit
from vectors.rows import rows
from vectors.samples import chosen

PLATT = "Platt (1999), with his targets (N+ + 1)/(N+ + 2) and 1/(N- + 2)"
TEMPERATURE = "Guo, Pleiss, Sun and Weinberger (2017): expit(logit(p) / T)"
BETA = "Kull, Silva Filho and Flach (2017), three parameters"
SATURATED = {
    "two-scores": (
        rows("00100111", "1/4 1/4 1/4 1/4 3/4 3/4 3/4 3/4"),
        "two scores: the fit at a score is the mean target there, a fraction",
    ),
    "two-scores-apart": (
        rows("0011", "1/4 1/4 3/4 3/4"),
        "separated classes: by the labels themselves the fit has a limit only, 0 and 1",
    ),
}
THREE = rows("0000100011011", "1/4 " * 5 + "1/2 " * 5 + "3/4 " * 3)
RISING = {
    "symmetric": (
        rows("0010011101", "1/8 1/4 1/4 3/8 1/2 1/2 5/8 3/4 3/4 7/8"),
        "rows that are the same if both classes are exchanged: a = b and c = 0",
    ),
    "ties": (rows("0001010111", "1/8 1/8 1/4 1/4 1/2 1/2 3/4 3/4 3/4 7/8"), "ties"),
    "weights": (rows("00101", "1/4 1/2 1/2 3/4 7/8", "3 1 2 1 3"), "weights are copies of rows"),
}
NINE_OF_TEN = rows("1111111110", "3/4 " * 10)


def targets_of(sample):
    """Platt's targets of the rows."""
    positive = sum(w * z for z, _, w in sample)
    negative = sample.total - positive
    high, low = (positive + 1) / Fraction(positive + 2), 1 / Fraction(negative + 2)
    return [high if z else low for z in sample.labels]


def fitted(columns, targets, weights):
    """Fitted probabilities of the rows, or None."""
    coefficients = fit(columns, targets, weights)
    if coefficients is None:
        return None
    return [
        expit(sum(b * decimal(x) for b, x in zip(coefficients, row, strict=True)))
        for row in zip(*columns, strict=True)
    ]


def line(sample, targets, scale):
    """Sigmoid of a line in the scores or their log-odds."""
    values = [logit(p) for p in sample.scores] if scale == "logit" else sample.scores
    return fitted([values, [1] * len(values)], targets, sample.weights)


def means(sample, targets):
    """Mean target at the score of each row: the fit where there are two scores."""
    found = {}
    for score, target in zip(sample.scores, targets, strict=True):
        found.setdefault(score, []).append(target)
    return [sum(found[score]) / Fraction(len(found[score])) for score in sample.scores]


def cases():
    """Yield the cases."""
    for name, (sample, why) in SATURATED.items():
        for scale in ("score", "logit"):
            own = means(sample, targets_of(sample))
            labels = means(sample, sample.labels)
            answers = [({"targets": "Platt"}, own)]
            answers.append(({"targets": "labels"}, labels))
            yield platt_case(f"{scale}-{name}", sample, scale, why, answers)
    for scale in ("score", "logit"):
        for name, sample, why in chosen("plain ties ties-reordered weights reversed"):
            answers = [
                ({"targets": "Platt"}, line(sample, targets_of(sample), scale)),
                ({"targets": "labels"}, line(sample, sample.labels, scale)),
            ]
            answers = [(kind, found) for kind, found in answers if found]
            yield platt_case(f"{scale}-{name}", sample, scale, why, answers)
    yield from temperature_cases()
    yield from beta_cases()


def platt_case(name, sample, scale, why, answers):
    """Make a case of Platt scaling."""
    swapped = [1 - t for t in targets_of(sample)]
    return case(
        name,
        "platt",
        sample.given("scores") | {"scale": scale},
        why=f"{why}; the probability of each row",
        source=PLATT,
        answers=answers,
        mistakes=[("the targets of the classes are exchanged", line(sample, swapped, scale))],
        tolerance=SEARCH,
    )


def temperature_cases():
    """Yield the cases of temperature scaling."""
    yield temperature_case(
        "closed-form",
        NINE_OF_TEN,
        "3/4 is right 9 times of 10, odds 3 become 9: T is 1/2",
        [Fraction(9, 10)] * 10,
    )
    for name, sample, why in chosen("plain ties ties-reordered weights weights-half"):
        found = fitted([[logit(p) for p in sample.scores]], sample.labels, sample.weights)
        yield temperature_case(name, sample, why, found)


def temperature_case(name, sample, why, answer):
    """Make a case of temperature scaling."""
    logits = [logit(p) for p in sample.scores]
    (slope,) = fit([logits], sample.labels, sample.weights)
    multiplied = [expit(decimal(x) / slope) for x in logits]
    with_level = line(sample, sample.labels, "logit")
    wrong = [("log-odds are multiplied by T", multiplied)]
    if with_level and len(set(sample.scores)) > 1:
        wrong.append(("an intercept is fitted, too", with_level))
    return case(
        name,
        "temperature",
        sample.given("scores"),
        why=f"{why}; the probability of each row",
        source=TEMPERATURE,
        answers=[({"scale": "logit"}, answer)],
        mistakes=wrong,
        tolerance=SEARCH,
    )


def beta_columns(sample):
    """Columns of a logistic regression whose coefficients are a, b and c."""
    return [
        [ln(p) for p in sample.scores],
        [-ln(1 - p) for p in sample.scores],
        [1] * len(sample.labels),
    ]


def beta_cases():
    """Yield the cases of beta calibration."""
    yield case(
        "three-scores",
        "beta",
        THREE.given("scores"),
        why="three scores and three parameters: the fit is the observed fraction, of each row",
        source=BETA,
        answers=[({"parameters": "three"}, means(THREE, THREE.labels))],
        mistakes=[("two parameters", line(THREE, THREE.labels, "logit"))],
        tolerance=SEARCH,
    )
    for name, (sample, why) in RISING.items():
        columns = beta_columns(sample)
        yield case(
            name,
            "beta",
            sample.given("scores"),
            why=f"{why}; both exponents are positive; the probability of each row",
            source=BETA,
            answers=[({"parameters": "three"}, fitted(columns, sample.labels, sample.weights))],
            mistakes=[("two parameters", line(sample, sample.labels, "logit"))],
            tolerance=SEARCH,
        )
