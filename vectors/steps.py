"""Isotonic regression, parts of scores by it (CORP), and Venn-Abers pairs."""

from fractions import Fraction

from vectors.cases import case
from vectors.exact import INFINITY, UNDEFINED, decimal
from vectors.losses import brier, log_loss
from vectors.rows import exactly, numbers, rows, tied
from vectors.samples import chosen

ISOTONIC = "Robertson, Wright and Dykstra (1988), theorem 1.4.4: the max-min formula"
CORP = "Dimitriadis, Gneiting and Jordan (2021)"
VENN = "Vovk and Petej (2014): isotonic regression with the new object of either label"


def isotonic_fit(rows):
    """Value of the isotonic regression at each distinct score, by the max-min formula."""
    groups = tied(rows)
    n = len(groups)

    def mean(a, b):
        part = groups[a : b + 1]
        return Fraction(sum(hits for _, _, hits in part)) / sum(total for _, total, _ in part)

    values = [max(min(mean(a, b) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
    return {group[0]: value for group, value in zip(groups, values, strict=True)}


def at_rows(rows):
    """Values at the rows, in their order."""
    fit = isotonic_fit(rows)
    return [fit[score] for score in rows.scores]


def row_by_row(rows):
    """Values where ties are pooled only if they violate the order, in the order of rows: wrong."""
    order = sorted(range(len(rows.labels)), key=lambda i: (rows.scores[i], i))
    apart = type(rows)(
        labels=tuple(rows.labels[i] for i in order),
        scores=tuple(map(Fraction, range(len(order)))),
        weights=tuple(rows.weights[i] for i in order),
        weighted=rows.weighted,
    )
    values = at_rows(apart)
    return [values[order.index(i)] for i in range(len(order))]


def with_scores(rows, scores):
    """Return the rows with other scores."""
    return type(rows)(rows.labels, tuple(scores), rows.weights, rows.weighted)


def present(rows):
    """Return the rows whose weight is not 0."""
    part = [row for row in rows if row[2] > 0]
    labels, scores, weights = zip(*part, strict=True)
    return type(rows)(labels, scores, weights, rows.weighted)


def parts(rows, loss):
    """Miscalibration, discrimination and uncertainty of a loss."""
    rows = present(rows)
    base = sum(w * z for z, _, w in rows) / Fraction(rows.total)
    score = loss(rows)
    best = loss(with_scores(rows, at_rows(rows)))
    uncertainty = loss(with_scores(rows, [base] * len(rows.labels)))
    if score == INFINITY:
        return [INFINITY, decimal(uncertainty) - decimal(best), uncertainty]
    if all(isinstance(number, Fraction) for number in (score, best, uncertainty)):
        return [score - best, uncertainty - best, uncertainty]
    numbers = [decimal(number) for number in (score, best, uncertainty)]
    return [numbers[0] - numbers[1], numbers[2] - numbers[1], numbers[2]]


def pair(rows, new):
    """Return p0 and p1 of a new score: the fit there with the new object of each label."""
    both = []
    for label in (0, 1):
        more = type(rows)(
            labels=(*rows.labels, label),
            scores=(*rows.scores, new),
            weights=(*rows.weights, Fraction(1)),
            weighted=rows.weighted,
        )
        both.append(isotonic_fit(more)[new])
    return both


def merged(p0, p1):
    """Return the probability that has the smallest largest regret in log loss."""
    return p1 / (1 - p0 + p1)


def cases():
    """Yield the cases."""
    names = "plain ties ties-reordered weights weights-half one-row only-negatives all-equal"
    for name, rows_, why in chosen(f"{names} edges one-ulp tiny subnormal reversed"):
        yield case(
            name,
            "isotonic",
            rows_.given("scores"),
            why=f"{why}; the answer has the value at each row",
            source=ISOTONIC,
            answers=[({"ties": "one value"}, at_rows(rows_))],
            mistakes=[
                ("rows of a tie have different values", row_by_row(rows_)),
                ("weights are ignored", at_rows(rows_.unweighted())),
                ("labels are not pooled", list(map(Fraction, rows_.labels))),
            ],
        )
    yield from corp_cases(names)
    yield from venn_abers_cases()


def corp_cases(names):
    """Yield the parts of the Brier score and of the log loss."""
    losses = {"brier": brier, "log": log_loss}
    for loss, function in losses.items():
        for name, rows_, why in chosen(f"{names} weight-zero calibrated certain-and-wrong"):
            if loss == "log" and name not in ("plain", "ties", "weights", "certain-and-wrong"):
                continue
            found = parts(rows_, function)
            yield case(
                f"{loss}-{name}",
                "corp",
                rows_.given() | {"loss": loss},
                why=f"{why}; miscalibration, discrimination and uncertainty",
                source=CORP,
                answers=[({"parts": "by isotonic regression"}, found)],
                mistakes=[
                    ("weights are ignored", parts(rows_.unweighted(), function)),
                    ("resolution has the other sign", [found[0], minus(found[1]), found[2]]),
                ],
            )


def minus(number):
    """Return the number with the other sign."""
    return number if isinstance(number, str) else -number


CALIBRATION = {
    "plain": (rows("00101101", "1/16 3/16 5/16 7/16 9/16 11/16 13/16 15/16"), "distinct scores"),
    "ties": (rows("01011", "1/4 1/4 1/2 3/4 3/4"), "ties, and new scores on them"),
    "inverted": (rows("1100", "1/8 1/4 3/4 7/8"), "labels fall: one block, but for the new object"),
    "one-row": (rows("1", "1/2"), "a calibration set of one row"),
    "only-positives": (rows("111", "1/4 1/2 3/4"), "one class"),
}
NEW = numbers("0 1/4 3/8 1/2 15/16 1")


def venn_abers_cases():
    """Yield pairs, and the probabilities merged from them."""
    for name, (rows_, why) in CALIBRATION.items():
        pairs = [pair(rows_, exactly(new)) for new in NEW]
        given = rows_.given("scores") | {"new_scores": [float(exactly(new)) for new in NEW]}
        own = [[p1, p0] for p0, p1 in pairs]
        without = isotonic_fit(rows_)
        yield case(
            name,
            "venn_abers_pairs",
            given,
            why=f"{why}; p0 and p1 of each new score",
            source=VENN,
            answers=[({"order": "p0, p1"}, pairs)],
            mistakes=[("p1 before p0", own)],
        )
        last = [without.get(exactly(new), UNDEFINED) for new in NEW]
        yield case(
            name,
            "venn_abers",
            given,
            why=f"{why}; p1 / (1 - p0 + p1) of each new score",
            source=VENN,
            answers=[
                ({"merged": "log loss"}, [merged(p0, p1) for p0, p1 in pairs]),
                (
                    {"merged": "squared error"},
                    [p1 + p0**2 / 2 - p1**2 / 2 for p0, p1 in pairs],
                ),
            ],
            mistakes=[
                ("the middle of the pair", [(p0 + p1) / 2 for p0, p1 in pairs]),
                ("isotonic regression without the new object", last),
            ],
        )
