"""Net benefit at a threshold: one acts above it, or at it, too."""

import operator
from fractions import Fraction

from vectors.cases import case
from vectors.rows import exactly, numbers
from vectors.samples import chosen

SOURCE = "Vickers and Elkin (2006): TP/n - FP/n t/(1 - t)"
THRESHOLDS = numbers("0 1/8 1/4 1/2 3/4")
ACTS = {"above the threshold": operator.gt, "at it, too": operator.ge}


def net_benefit(sample, threshold, acts):
    """Net benefit of acting on the rows whose score the threshold lets through."""
    true = sum(w * z for z, p, w in sample if acts(p, threshold))
    false = sum(w * (1 - z) for z, p, w in sample if acts(p, threshold))
    return (true - false * threshold / (1 - threshold)) / Fraction(sample.total)


def without_odds(sample, threshold):
    """Return true less false positives times t in place of its odds: wrong."""
    true = sum(w * z for z, p, w in sample if p > threshold)
    false = sum(w * (1 - z) for z, p, w in sample if p > threshold)
    return (true - false * threshold) / Fraction(sample.total)


def cases():
    """Yield the cases."""
    names = "plain ties weights weight-zero only-negatives all-equal certain-and-wrong edges"
    thresholds = [exactly(number) for number in THRESHOLDS]
    for name, sample, why in chosen(f"{names} one-row subnormal"):
        plain = sample.unweighted()
        yield case(
            name,
            "net_benefit",
            sample.given() | {"thresholds": list(map(float, thresholds))},
            why=f"{why}; at five thresholds",
            source=SOURCE,
            answers=[
                ({"acts": words}, [net_benefit(sample, t, acts) for t in thresholds])
                for words, acts in ACTS.items()
            ],
            mistakes=[
                (
                    "false positives count t, not t / (1 - t)",
                    [without_odds(sample, t) for t in thresholds],
                ),
                (
                    "weights are ignored",
                    [net_benefit(plain, t, operator.gt) for t in thresholds],
                ),
            ],
        )
