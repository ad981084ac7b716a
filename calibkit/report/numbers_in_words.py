"""How numbers are written in sentences and tables."""

import math

FEWEST_LAST_DECIMALS = 5  # decimals that a number near 0 may need


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with three decimals, or two significant digits if small; None as a dash.

    A whole number has no decimals.
    """
    if value is None:
        return "\N{EN DASH}"
    if float(value).is_integer():
        return f"{value + 0.0:.0f}".replace("-", "\N{MINUS SIGN}")
    last = max(digits, FEWEST_LAST_DECIMALS)
    if abs(value) < 10**-last:
        smallest = f"{10**-last:.{last}f}"
        return f"< {smallest}" if value > 0 else f"> \N{MINUS SIGN}{smallest}"
    is_small = 0 < abs(value) < 10 ** (1 - digits)
    decimals = 1 - _exponent(value) if is_small else digits
    return f"{value:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def points(fraction: float, digits: int = 1) -> str:
    """Write a fraction in percentage points, with two significant digits if it is small."""
    value = 100 * fraction
    decimals = 1 if value == 0 or abs(value) >= 1 else min(1 - _exponent(value), 6)
    return f"{value:.{max(decimals, digits)}f}".replace("-", "\N{MINUS SIGN}")


def percent(fraction: float, digits: int = 1) -> str:
    """Write a fraction in per cent, with the digits of `points`."""
    return f"{points(fraction, digits)}\N{NO-BREAK SPACE}%"


def probability(p_value: float) -> str:
    """Write a p value."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def count(value: float, thing: str) -> str:
    """Write a number of things, which may be a weight."""
    plural = "" if value == 1 else "s"
    return f"{amount(value)} {thing}{plural}"


def amount(value: float) -> str:
    """Write a number of rows. Weights need not be whole."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def listed(names: list[str], most: int = 5) -> str:
    """Write the first few names, and the number of the others."""
    n_others = len(names) - most
    others = f" and {n_others:,} more" if n_others > 0 else ""
    return ", ".join(names[:most]) + others


def _exponent(value):
    return math.floor(math.log10(abs(value)))
