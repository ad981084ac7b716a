"""The recalibration line: slope, intercept, and calibration in the large."""

from vectors.cases import SEARCH, case
from vectors.exact import INFINITY, UNDEFINED, decimal, expit, logit
from vectors.newton import fit
from vectors.rows import rows
from vectors.samples import chosen

SOURCE = "Cox (1958); Steyerberg (2009)"
TWO = rows("000100110111", "1/4 " * 4 + "1/2 " * 4 + "3/4 " * 4)
SAMPLES = "plain ties ties-reordered weights weights-half reversed calibrated"
CONSTANT = {
    "constant": (rows("1110", "1/2 1/2 1/2 1/2"), "equal predictions: no slope, but a level"),
    "constant-low": (rows("10", "1/8 1/8"), "one prediction: the difference of two log-odds"),
    "separated": (rows("0011", "1/8 1/4 3/4 7/8"), "separated classes: the level is finite"),
}


def coefficients(sample):
    """Slope and intercept."""
    if len(set(sample.scores)) == 1:
        return UNDEFINED
    logits = [logit(p) for p in sample.scores]
    found = fit([logits, [1] * len(logits)], sample.labels, sample.weights)
    return found or UNDEFINED


def in_the_large(sample):
    """Intercept with the slope fixed at 1, by halving intervals."""
    if len(set(sample.labels)) == 1:
        return UNDEFINED
    rate = sum(w * z for z, _, w in sample) / sample.total
    if len(set(sample.scores)) == 1:
        p = sample.scores[0]
        return logit(rate / (1 - rate) * (1 - p) / p / (1 + rate / (1 - rate) * (1 - p) / p))
    logits = [decimal(logit(p)) for p in sample.scores]
    weights = [decimal(w) for w in sample.weights]
    low, high = decimal(-100), decimal(100)
    while high - low > decimal(10) ** -50:
        middle = (low + high) / 2
        mean = sum(w * expit(x + middle) for x, w in zip(logits, weights, strict=True))
        low, high = (middle, high) if mean < decimal(rate * sample.total) else (low, middle)
    return (low + high) / 2


def cases():
    """Yield the cases."""
    for name, sample, why in [("two", TWO, "three scores"), *chosen(SAMPLES)]:
        found = coefficients(sample)
        large = in_the_large(sample)
        yield line_case(name, sample, why, found)
        mean = sum(w * (z - p) for z, p, w in sample) / sample.total
        wrong = [
            ("the difference of means", mean),
            ("the other sign", -large),
            ("weights are ignored", in_the_large(sample.unweighted())),
        ]
        if found != UNDEFINED:
            wrong.append(("the intercept of the line", found[1]))
        yield large_case(name, sample, why, large, wrong)
    for name, (sample, why) in CONSTANT.items():
        yield line_case(name, sample, why, UNDEFINED)
        mean = sum(z - p for z, p, _ in sample) / sample.total
        large = in_the_large(sample)
        yield large_case(name, sample, why, large, [("the difference of means", mean)])
    for name, sample, why in chosen("only-negatives"):
        yield large_case(name, sample, f"{why}: none, or minus infinity", UNDEFINED, [])


def line_case(name, sample, why, found):
    """Make a case of slope and intercept."""
    turned = found if found == UNDEFINED else [found[1], found[0]]
    return case(
        name,
        "slope_intercept",
        sample.given(),
        why=f"{why}; slope and intercept",
        source=SOURCE,
        answers=[({"scale": "logit"}, found)],
        mistakes=[("intercept before slope", turned)],
        tolerance=SEARCH,
    )


def large_case(name, sample, why, found, mistakes):
    """Make a case of calibration in the large."""
    answers = [({"one class": "refused"}, found)]
    if found == UNDEFINED:
        answers.append(({"one class": "infinite"}, f"-{INFINITY}"))
    return case(
        name,
        "in_the_large",
        sample.given(),
        why=f"{why}; the intercept with slope 1",
        source=SOURCE,
        answers=answers,
        mistakes=mistakes,
        tolerance=SEARCH,
    )
