"""How many decimals numbers with limits need."""

import math
from collections.abc import Iterable

MAX_SHOWN_DECIMALS = 12  # decimals beyond which rounding errors would be shown


def decimals_between(lower: float, upper: float, shown: int = 1) -> int:
    """Decimals that show half the distance of two limits with so many significant digits.

    With one digit the limits differ as they are written. It is 0 if the limits are equal or not
    finite.
    """
    half = (upper - lower) / 2
    if not 0 < half < math.inf:
        return 0
    return min(max(shown - 1 - math.floor(math.log10(half)), 0), MAX_SHOWN_DECIMALS)


def decimals_of_column(limits: Iterable[tuple[float, float]], shown: int = 1) -> int:
    """The same for numbers below one another: by the median distance of their limits."""
    widths = sorted(upper - lower for lower, upper in limits if 0 < upper - lower < math.inf)
    return decimals_between(0.0, widths[len(widths) // 2], shown) if widths else 0
