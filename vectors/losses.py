"""Brier score, log loss, and observed over expected positives."""

from fractions import Fraction

from vectors.cases import case
from vectors.exact import INFINITY, UNDEFINED, decimal, ln, root
from vectors.samples import EVERYWHERE, chosen

BRIER = "Brier (1950), with one term for two classes"
LOG = "Good (1952)"
OBSERVED = "Steyerberg (2009), Clinical Prediction Models: O/E of positives"
CLIPS = {
    "1e-15": Fraction(1, 10**15),
    "2^-52": Fraction(1, 2**52),
    "1e-12": Fraction(1, 10**12),
    "1e-7": Fraction(1, 10**7),
}


def brier(rows):
    """Mean squared difference of label and probability."""
    return sum(w * (z - p) ** 2 for z, p, w in rows) / rows.total


def log_loss(rows, clip=Fraction(0)):
    """Mean of minus the logarithm of the probability that the outcome was given."""
    total = Fraction(0)
    for label, p, weight in rows:
        inside = min(max(p, clip), 1 - clip)
        given = inside if label else 1 - inside
        if weight == 0 or given == 1:
            continue
        if given == 0:
            return INFINITY
        total = decimal(total) - decimal(weight) * ln(given)
    return total if total == 0 else total / decimal(rows.total)


def ratio(rows):
    """Observed number of positives over the expected number."""
    expected = sum(w * p for _, p, w in rows)
    return sum(w * z for z, _, w in rows) / expected if expected else UNDEFINED


def inverse(number):
    """Return 1 over a number, if there is one."""
    return UNDEFINED if number in (0, UNDEFINED) else 1 / number


def cases():
    """Yield the cases."""
    for name, rows, why in chosen(EVERYWHERE):
        score = brier(rows)
        yield case(
            name,
            "brier",
            rows.given(),
            why=why,
            source=BRIER,
            answers=[({"classes": "class 1"}, score), ({"classes": "both, added"}, 2 * score)],
            mistakes=[
                ("the root of the score", root(score)),
                ("weights are ignored", brier(rows.unweighted())),
            ],
        )
        exact = log_loss(rows)
        clipped = [({"clip": clip}, log_loss(rows, edge)) for clip, edge in CLIPS.items()]
        bits = exact if exact in (INFINITY, 0) else exact / ln(Fraction(2))
        swapped = log_loss(type(rows)(tuple(1 - z for z in rows.labels), *parts_of(rows)))
        yield case(
            name,
            "log_loss",
            rows.given(),
            why=why,
            source=LOG,
            answers=[({"clip": "none"}, exact), *clipped],
            mistakes=[
                ("logarithms to base 2", bits),
                ("the probability of the other class", swapped),
                ("weights are ignored", log_loss(rows.unweighted())),
            ],
        )
    for name, rows, why in chosen("plain weights weight-zero only-negatives all-equal-low certain"):
        found = ratio(rows)
        yield case(
            name,
            "observed_expected",
            rows.given(),
            why=why,
            source=OBSERVED,
            answers=[({"ratio": "O/E"}, found), ({"ratio": "E/O"}, inverse(found))],
            mistakes=[("weights are ignored", ratio(rows.unweighted()))],
        )


def parts_of(rows):
    """All of the rows but their labels."""
    return rows.scores, rows.weights, rows.weighted
