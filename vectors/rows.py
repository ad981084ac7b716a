"""Rows of a sample: labels, probabilities or scores, and weights, as exact numbers."""

from dataclasses import dataclass
from fractions import Fraction

from vectors.exact import value_text


@dataclass(frozen=True)
class Rows:
    """Rows of a sample, in their order; weights are all 1 if none are given."""

    labels: tuple[int, ...]
    scores: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    weighted: bool

    def __iter__(self):
        return iter(zip(self.labels, self.scores, self.weights, strict=True))

    @property
    def total(self):
        """Sum of the weights."""
        return sum(self.weights)

    def unweighted(self):
        """Return the rows as a program sees them that ignores weights."""
        return rows(self.labels, self.scores)

    def given(self, name="probabilities"):
        """Input of a function in the file."""
        given = {"labels": list(self.labels), name: [value_text(score) for score in self.scores]}
        if self.weighted:
            given["weights"] = [value_text(weight) for weight in self.weights]
        return given


def rows(labels, scores, weights=None):
    """Make rows from a list of labels, or a text of them, and numbers or texts such as 3/8."""
    labels = tuple(int(label) for label in labels)
    scores = tuple(exactly(score) for score in numbers(scores))
    ones = [1] * len(labels)
    return Rows(
        labels=labels,
        scores=scores,
        weights=tuple(exactly(w) for w in numbers(ones if weights is None else weights)),
        weighted=weights is not None,
    )


def numbers(text):
    """Split a text of numbers; other sequences are left as they are."""
    return text.split() if isinstance(text, str) else text


def exactly(number):
    """Return the double that a program reads, as a fraction."""
    return Fraction(float(Fraction(number)))


def tied(rows):
    """Distinct scores of positive weight in order, with their weight and that of the positives."""
    found = {}
    for label, score, weight in rows:
        if weight > 0:
            total, hits = found.get(score, (0, 0))
            found[score] = (total + weight, hits + weight * label)
    return [(score, *found[score]) for score in sorted(found)]
