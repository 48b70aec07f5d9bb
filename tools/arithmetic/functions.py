"""The functions and constants that an expression may name: exact where the result can be, else floats."""

import math
from collections.abc import Callable
from fractions import Fraction

from tools.arithmetic.numbers import MAX_BITS, TOO_LARGE, CalculationError, Number, power, root

_TINY = 1e-15
_LARGEST_FACTORIAL = 1_300
_MOST_PLACES = 100


def _sqrt(value: Number) -> Number:
    exact = root(value, 2) if isinstance(value, Fraction) and value >= 0 else None
    return math.sqrt(value) if exact is None else exact


def _cbrt(value: Number) -> Number:
    exact = root(abs(value), 3) if isinstance(value, Fraction) else None
    if exact is None:
        return math.cbrt(value)
    return -exact if value < 0 else exact


def _round(value: Number, places: Number = Fraction(0)) -> Number:
    """Halves away from zero, as people round. A float is rounded as it would be written."""
    digits = _whole(places)
    if abs(digits) > _MOST_PLACES:
        raise CalculationError(f"round keeps at most {_MOST_PLACES} decimals")
    scale = Fraction(10) ** digits
    exact = value if isinstance(value, Fraction) else Fraction(repr(value))
    size = math.floor(abs(exact) * scale + Fraction(1, 2)) / scale
    return -size if exact < 0 else size


def _log(value: Number, base: Number | None = None) -> Number:
    if base is None:
        return math.log(value)
    nearest = Fraction(round(math.log(value, base)))
    is_exact = isinstance(value, Fraction) and isinstance(base, Fraction) and power(base, nearest) == value
    return nearest if is_exact else math.log(value, base)


def _sin(angle: Number) -> Number:
    return _without_noise(math.sin(angle), angle)


def _cos(angle: Number) -> Number:
    return _without_noise(math.cos(angle), angle)


def _tan(angle: Number) -> Number:
    if _cos(angle) == 0:
        raise CalculationError("the tangent has no value there")
    return _without_noise(math.tan(angle), angle)


def _without_noise(value: float, angle: Number) -> float:
    """Zero where a float's pi misses the true one: sin(pi) is 0, not 1.2e-16."""
    return 0.0 if abs(value) < _TINY * abs(float(angle)) else value


def _factorial(value: Number) -> Number:
    number = _whole(value)
    if number > _LARGEST_FACTORIAL:
        raise CalculationError(TOO_LARGE)
    return Fraction(math.factorial(number))


def _comb(total: Number, chosen: Number) -> Number:
    n, k = _whole(total), _whole(chosen)
    if min(n, min(k, abs(n - k)) * n.bit_length()) > MAX_BITS:
        raise CalculationError(TOO_LARGE)
    return Fraction(math.comb(n, k))


def _perm(total: Number, chosen: Number | None = None) -> Number:
    n = _whole(total)
    k = n if chosen is None else _whole(chosen)
    if k * n.bit_length() > 2 * MAX_BITS:
        raise CalculationError(TOO_LARGE)
    return Fraction(math.perm(n, k))


def _whole(value: Number) -> int:
    if value != math.floor(value):
        raise CalculationError("that function takes whole numbers only")
    return math.floor(value)


def _hypot(*values: Number) -> Number:
    squares: list[Number] = [value * value for value in values]
    return _sqrt(sum(squares, Fraction(0)))


def _mean(*values: Number) -> Number:
    return sum(values, Fraction(0)) / len(values)


CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e, "tau": math.tau}

FUNCTIONS: dict[str, Callable[..., Number]] = {
    "abs": abs,
    "acos": math.acos,
    "asin": math.asin,
    "atan": math.atan,
    "atan2": math.atan2,
    "average": _mean,
    "cbrt": _cbrt,
    "ceil": lambda value: Fraction(math.ceil(value)),
    "comb": _comb,
    "cos": _cos,
    "cosh": math.cosh,
    "degrees": math.degrees,
    "exp": math.exp,
    "factorial": _factorial,
    "floor": lambda value: Fraction(math.floor(value)),
    "gcd": lambda *values: Fraction(math.gcd(*map(_whole, values))),
    "hypot": _hypot,
    "lcm": lambda *values: Fraction(math.lcm(*map(_whole, values))),
    "lg": lambda value: _log(value, Fraction(10)),
    "ln": _log,
    "log": _log,
    "log10": lambda value: _log(value, Fraction(10)),
    "log2": lambda value: _log(value, Fraction(2)),
    "max": lambda *values: max(values),
    "mean": _mean,
    "min": lambda *values: min(values),
    "mod": lambda left, right: left % right,
    "percent": lambda value: value / 100,
    "perm": _perm,
    "pow": power,
    "radians": math.radians,
    "round": _round,
    "sin": _sin,
    "sinh": math.sinh,
    "sqrt": _sqrt,
    "sum": lambda *values: sum(values, Fraction(0)),
    "tan": _tan,
    "tanh": math.tanh,
    "trunc": lambda value: Fraction(math.trunc(value)),
}
"""By the name in an expression. They raise TypeError for a wrong count and ValueError where there is no real value."""
