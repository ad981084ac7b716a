"""How numbers are written in sentences and tables."""

import math

SMALLEST_WRITTEN = 1e-5  # nearest number to 0 that is written out


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with three decimals, or two significant digits if small; None as a dash."""
    if value is None:
        return "\N{EN DASH}"
    if 0 < abs(value) < SMALLEST_WRITTEN:
        return (
            f"< {SMALLEST_WRITTEN:.5f}" if value > 0 else f"> \N{MINUS SIGN}{SMALLEST_WRITTEN:.5f}"
        )
    is_small = 0 < abs(value) < 10 ** (1 - digits)
    decimals = 1 - _exponent(value) if is_small else digits
    return f"{value:.{decimals}f}".replace("-", "\N{MINUS SIGN}")


def points(fraction: float) -> str:
    """Write a fraction in percentage points, with two significant digits if it is small."""
    value = 100 * fraction
    decimals = 1 if value == 0 or abs(value) >= 1 else 1 - _exponent(value)
    return f"{value:.{min(decimals, 6)}f}".replace("-", "\N{MINUS SIGN}")


def percent(fraction: float) -> str:
    """Write a fraction in per cent, with the digits of `points`."""
    return f"{points(fraction)}\N{NO-BREAK SPACE}%"


def probability(p_value: float) -> str:
    """Write a p value."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def count(value: float, thing: str) -> str:
    """Write a number of things, which may be a weight."""
    plural = "" if value == 1 else "s"
    return f"{amount(value)} {thing}{plural}"


def amount(value: float) -> str:
    """Write a number of rows; weights need not be whole."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def listed(names: list[str], most: int = 5) -> str:
    """Write the first few names, and the number of the others."""
    n_others = len(names) - most
    others = f" and {n_others:,} more" if n_others > 0 else ""
    return ", ".join(names[:most]) + others


def _exponent(value):
    return math.floor(math.log10(abs(value)))
