"""Spiegelhalter's Z, and its p value: exact by enumeration of all outcomes, or normal."""

from fractions import Fraction
from itertools import product

from vectors.cases import case
from vectors.exact import UNDEFINED, root, upper_tail
from vectors.rows import rows
from vectors.samples import chosen

SOURCE = "Spiegelhalter (1986)"
FEW = {
    "six": (rows("010110", "1/8 7/8 7/8 7/8 7/8 7/8"), "six rows have 64 outcomes"),
    "eight": (rows("01011010", "1/8 1/4 3/8 5/8 3/4 7/8 1/4 3/4"), "eight rows have 256 outcomes"),
    "one-row": (rows("0", "7/8"), "one row has two outcomes"),
    "tied": (rows("1000", "1/4 1/4 1/4 1/4"), "as many positives as expected: p is 1"),
    "low": (rows("1110", "1/8 1/8 1/8 1/8"), "far too low"),
}


def numerator(sample):
    """Sum of (z - p)(1 - 2 p)."""
    return sum((z - p) * (1 - 2 * p) for z, p, _ in sample)


def variance(sample):
    """Return the variance of that sum, if the probabilities are right."""
    return sum((1 - 2 * p) ** 2 * p * (1 - p) for _, p, _ in sample)


def z_score(sample):
    """Spiegelhalter's Z."""
    spread = variance(sample)
    if not spread:
        return UNDEFINED
    size = root(numerator(sample) ** 2 / spread)
    return size if numerator(sample) >= 0 else -size


def exact_p(sample):
    """Probability of outcomes with as large a sum, by enumeration."""
    observed = abs(numerator(sample))
    total = Fraction(0)
    for outcome in product((0, 1), repeat=len(sample.labels)):
        drawn = rows(outcome, sample.scores)
        if abs(numerator(drawn)) >= observed:
            chance = Fraction(1)
            for label, p, _ in drawn:
                chance *= p if label else 1 - p
            total += chance
    return total


def upper_p(sample):
    """Probability of a larger Z by the normal law."""
    z = z_score(sample)
    return UNDEFINED if z == UNDEFINED else upper_tail(z)


def normal_p(sample):
    """Probability of a larger distance of Z from 0 by the normal law."""
    z = z_score(sample)
    return UNDEFINED if z == UNDEFINED else 2 * upper_tail(abs(z))


def cases():
    """Yield the cases."""
    for name, sample, why in chosen("plain ties ties-reordered all-equal-low calibrated reversed"):
        yield z_case(name, sample, why)
    for name, (sample, why) in FEW.items():
        yield z_case(name, sample, why)
        yield case(
            name,
            "spiegelhalter_p",
            sample.given(),
            why=why,
            source=f"{SOURCE}; the exact law by all outcomes",
            answers=[
                ({"law": "exact", "sides": "two"}, exact_p(sample)),
                ({"law": "normal", "sides": "two"}, normal_p(sample)),
                ({"law": "normal", "sides": "upper"}, upper_p(sample)),
            ],
            mistakes=[("the lower side", 1 - upper_p(sample))],
        )
    for name, sample, why in chosen("all-equal"):
        yield z_case(name, sample, f"{why}: Z is 0/0")


def z_case(name, sample, why):
    """Make a case of Z."""
    z = z_score(sample)
    answers = [({"0/0": "refused"}, z)]
    if z == UNDEFINED:
        answers.append(({"0/0": "0"}, Fraction(0)))
    turned = z if z == UNDEFINED else -z
    return case(
        name,
        "spiegelhalter_z",
        sample.given(),
        why=why,
        source=SOURCE,
        answers=answers,
        mistakes=[("the other sign", turned)],
    )
