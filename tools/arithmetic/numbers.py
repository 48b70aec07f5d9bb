"""The numbers of the arithmetic, how large they may grow, and why an expression has no value."""

import math
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = Fraction | float
"""A fraction as long as the value is exact, else a float."""

MAX_BITS = 13_000
"""About 3,900 digits: below the 4,300 from which on Python refuses to write an integer out."""


class CalculationError(ArithmeticError):
    """Why an expression has no value, for the end of a sentence."""


TOO_LARGE = "the result would be too large to write out; ask for its logarithm instead"


def bits(value: Fraction) -> int:
    """The size of the longer of numerator and denominator."""
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def bounded(value: Number) -> Number:
    """The value, unless it is too large or no number.

    Raises:
        CalculationError: it is.
    """
    too_large = not math.isfinite(value) if isinstance(value, float) else bits(value) > MAX_BITS
    if too_large:
        raise CalculationError(TOO_LARGE)
    return value


def power(base: Number, exponent: Number) -> Number:
    """`base` to the `exponent`: exact where it can be, also for roots such as 27^(1/3).

    Raises:
        CalculationError: too large, or not real.
        ZeroDivisionError: a negative power of zero.
    """
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        return _whole_power(base, exponent.numerator)
    if base < 0:
        raise CalculationError("a root of a negative number is not real")
    exact = root(base, exponent.denominator) if isinstance(base, Fraction) and isinstance(exponent, Fraction) else None
    if exact is not None and isinstance(exponent, Fraction):
        return _whole_power(exact, exponent.numerator)
    return float(float(base) ** float(exponent))


def root(value: Fraction, degree: int) -> Fraction | None:
    """The exact root of a value that is not negative, or None where it is no fraction."""
    top, bottom = _whole_root(value.numerator, degree), _whole_root(value.denominator, degree)
    return None if top is None or bottom is None else Fraction(top, bottom)


def _whole_power(base: Number, exponent: int) -> Number:
    if isinstance(base, Fraction) and abs(base) not in (0, 1) and bits(base) * abs(exponent) > MAX_BITS:
        raise CalculationError(TOO_LARGE)
    return Fraction(base**exponent) if isinstance(base, Fraction) else float(base**exponent)


def _whole_root(value: int, degree: int) -> int | None:
    if degree == 2:
        found = math.isqrt(value)
    elif value.bit_length() > 1_000 or degree > 1_000:  # a float could not hold the first guess
        return None
    else:
        found = round(value ** (1 / degree))
    return found if found**degree == value else None
