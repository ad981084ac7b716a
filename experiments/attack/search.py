"""Search for a law that violates a statement: random draws, then hill-climbing on the margin.

The margin of a law is bound / value: 1 where the statement holds with equality, below 1 where it
fails. A search goes in rounds of `ROUND` laws, each with a generator of its own, so that it can
stop after any of them and go on later.
"""

import zlib
from dataclasses import dataclass

import numpy as np

from experiments.attack.laws import Law, draw, moved

ROUND, DRAWN = 100, 25  # laws in a round; how many of them are drawn before the climb
NOTHING = 1e-6  # smaller values have rounding in their digits, and are no evidence
ROUNDING = 1e-7  # what a margin may be below 1 by


@dataclass(frozen=True)
class Found:
    """What a search has seen: how many laws, the smallest margin, and the law that has it."""

    laws: int = 0
    margin: float = np.inf
    worst: Law | None = None

    @property
    def violated(self):
        """Whether the worst law is a counterexample."""
        return self.margin < 1 - ROUNDING


def margin_of(statement, law):
    """The margin of a law; infinite where the value is 0 or the law does not qualify."""
    sides = statement.sides(law)
    if sides is None or not sides[0] > NOTHING:
        return np.inf
    value, bound = sides
    return float(bound / value)


def search(statement, laws, seed, found=None):
    """Try laws until `laws` of them, rounded up to whole rounds, have been tried in all."""
    found = found or Found()
    while found.laws < laws and not found.violated:
        words = [seed, zlib.crc32(statement.name.encode()), found.laws]
        again = found.worst if found.laws // ROUND % 2 else None
        margin, worst = _round(statement, np.random.default_rng(words), again)
        if margin < found.margin or found.worst is None:
            found = Found(found.laws, margin, worst)
        found = Found(found.laws + ROUND, found.margin, found.worst)
    return found


def _round(statement, rng, again):
    """The best of some drawn laws, or the worst so far, and what is reached from it by moves."""
    drawn = [again] if again else [draw(rng) for _ in range(DRAWN)]
    margins = [margin_of(statement, law) for law in drawn]
    best = int(np.argmin(margins))
    law, margin, step = drawn[best], margins[best], 0.5
    for _ in range(ROUND - len(drawn)):
        other = moved(law, rng, step)
        reached = margin_of(statement, other)
        step = max(step * (1.3 if reached < margin else 0.97), 0.003)
        if reached <= margin:
            law, margin = other, reached
    return margin, law
