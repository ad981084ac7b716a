"""What a statement is: two sides that a law gives numbers to."""

from collections.abc import Callable
from dataclasses import dataclass

STATEMENTS = {}


@dataclass(frozen=True)
class Statement:
    """An inequality of the book.

    Attributes
    ----------
    name : str
        Its label in the chapter, and after a colon which part of it.
    chapter : str
    claim : str
        What it says, in words.
    sides : callable
        From a law to (value, bound), of which the book says value <= bound; None where the law
        does not satisfy the conditions.
    holds : bool
        False for what is attacked as an example of a statement that fails.
    """

    name: str
    chapter: str
    claim: str
    sides: Callable
    holds: bool = True

    @property
    def label(self):
        """The label without the part."""
        return self.name.split(":")[0]


def states(name, chapter, *, holds=True):
    """Put the decorated function into the table of statements; its docstring is the claim."""

    def enter(sides):
        claim = sides.__doc__.splitlines()[0].removesuffix(".")
        STATEMENTS[name] = Statement(name, chapter, claim, sides, holds)
        return sides

    return enter
