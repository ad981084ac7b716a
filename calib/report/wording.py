"""How numbers are written in sentences and tables."""

import math

SMALLEST = 1e-5  # that is written out


def number(value: float | None, digits: int = 3) -> str:
    """Three decimals, or two significant digits of what is smaller; a dash for nothing."""
    if value is None:
        return "\N{EN DASH}"
    if 0 < abs(value) < SMALLEST:
        return f"< {SMALLEST:.5f}" if value > 0 else f"> \N{MINUS SIGN}{SMALLEST:.5f}"
    small = 0 < abs(value) < 10 ** (1 - digits)
    return f"{value:.{1 - _exponent(value) if small else digits}f}".replace("-", "\N{MINUS SIGN}")


def points(share: float) -> str:
    """A share in percentage points, with two significant digits where it is small."""
    value = 100 * share
    decimals = 1 if value == 0 or abs(value) >= 1 else 1 - _exponent(value)
    return f"{value:.{min(decimals, 6)}f}".replace("-", "\N{MINUS SIGN}")


def percent(share: float) -> str:
    """A share in per cent, written as `points` are."""
    return f"{points(share)}\N{NO-BREAK SPACE}%"


def probability(p_value: float) -> str:
    """A p value, as one writes it."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def count(value: float, thing: str) -> str:
    """A number of things, which may be a weight."""
    return f"{amount(value)} {thing}" + ("" if value == 1 else "s")


def amount(value: float) -> str:
    """A number of rows; weights need not be whole."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def listed(names: list[str], most: int = 5) -> str:
    """Names, the first few of them."""
    others = len(names) - most
    return ", ".join(names[:most]) + (f" and {others:,} more" if others > 0 else "")


def _exponent(value):
    return math.floor(math.log10(abs(value)))
