"""Area under the ROC curve, by all pairs of rows."""

from fractions import Fraction

from vectors.cases import case
from vectors.exact import UNDEFINED
from vectors.samples import EVERYWHERE, chosen

SOURCE = "Hanley and McNeil (1982): pairs of a positive and a negative, ties count one half"


def auc(rows, tie=Fraction(1, 2)):
    """Weight of the pairs whose positive has the higher score; a tie counts `tie`."""
    won = pairs = 0
    for label, score, weight in rows:
        for other, low, count in rows:
            if label == 1 and other == 0:
                pairs += weight * count
                won += weight * count * (1 if score > low else tie if score == low else 0)
    return Fraction(won) / pairs if pairs else UNDEFINED


def cases():
    """Yield the cases."""
    for name, rows, why in chosen(f"{EVERYWHERE} tiny calibrated"):
        area = auc(rows)
        answers = [({"one class": "refused"}, area)]
        if area == UNDEFINED:
            answers += [({"one class": "1/2"}, Fraction(1, 2)), ({"one class": "0"}, Fraction(0))]
        yield case(
            name,
            "auc",
            rows.given(),
            why=why,
            source=SOURCE,
            answers=answers,
            mistakes=[
                ("ties count for nothing", auc(rows, tie=0)),
                ("ties count as won", auc(rows, tie=1)),
                ("weights are ignored", auc(rows.unweighted())),
                ("the other class", area if area == UNDEFINED else 1 - area),
            ],
        )
