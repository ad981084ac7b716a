"""Numbers of the generator, fractions where an answer is rational, and how they are written."""

import math
from decimal import Decimal, getcontext
from fractions import Fraction

DIGITS = 30  # significant digits of a decimal in the file
WORKING_DIGITS = 60  # digits of the decimals that the generator computes with
LONGEST_FRACTION = 60  # characters of a fraction in the file
UNDEFINED = "undefined"
INFINITY = "infinity"
NEGLIGIBLE = Decimal("1e-45")  # what a search leaves of 0


def decimal(number):
    """Return the number as a decimal of the working precision."""
    if isinstance(number, Fraction):
        return Decimal(number.numerator) / Decimal(number.denominator)
    return Decimal(number)


def root(number):
    """Square root: a fraction if it is rational."""
    if isinstance(number, Fraction):
        top, bottom = math.isqrt(number.numerator), math.isqrt(number.denominator)
        if top * top == number.numerator and bottom * bottom == number.denominator:
            return Fraction(top, bottom)
    return decimal(number).sqrt()


def ln(number):
    """Natural logarithm; exactly 0 at 1."""
    return Fraction(0) if number == 1 else decimal(number).ln()


def logit(p):
    """Log-odds of a fraction inside (0, 1)."""
    return ln(p / (1 - p))


def expit(x):
    """Probability of log-odds."""
    return 1 / (1 + (-decimal(x)).exp())


def arctan_of_inverse(n):
    """Arc tangent of 1/n, by its series."""
    total, power, k = Decimal(0), Decimal(1) / n, 0
    while abs(power) > Decimal(10) ** -WORKING_DIGITS:
        total += power / (2 * k + 1) * (-1) ** k
        power /= n * n
        k += 1
    return total


def upper_tail(x):
    """Probability that a standard normal variable exceeds x, by a series."""
    pi = 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)  # Machin
    x = decimal(x)
    total, term, n = Decimal(0), x, 0
    while abs(term) > Decimal(10) ** -WORKING_DIGITS:
        total += term / (2 * n + 1)
        n += 1
        term *= -x * x / (2 * n)
    return Decimal("0.5") - total / (2 * pi).sqrt()


def fraction_text(answer):
    """Return an answer as a fraction, or None if it has none that is short enough to be read."""
    if isinstance(answer, list):
        texts = [fraction_text(part) for part in answer]
        return None if None in texts else texts
    if isinstance(answer, int | Fraction) and len(str(answer)) <= LONGEST_FRACTION:
        return str(answer)
    return None


def decimal_text(answer):
    """Return an answer as a decimal number of 30 digits at most, or the words for none."""
    if isinstance(answer, list):
        return [decimal_text(part) for part in answer]
    if isinstance(answer, str):
        return answer
    if abs(decimal(answer)) < NEGLIGIBLE:
        return "0"
    working = getcontext().copy()
    working.prec = DIGITS
    rounded = working.plus(decimal(answer))
    text = f"{rounded.normalize(working):f}" if abs(rounded.adjusted()) < DIGITS else str(rounded)
    return text


def value_text(number):
    """Return an input as the shortest number that is read as the same double."""
    value = float(number)
    return int(value) if value.is_integer() else value
