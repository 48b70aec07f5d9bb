"""The value of an expression, and how to write it. Reads Python's syntax tree and never runs Python."""

import ast
import math
import operator
from collections.abc import Callable
from decimal import Context, Decimal
from fractions import Fraction
from typing import TypeAlias

from tools.arithmetic.functions import CONSTANTS, FUNCTIONS
from tools.arithmetic.numbers import TOO_LARGE, CalculationError, Number, bounded, power
from tools.arithmetic.reading import normalised

_MAX_CHARS = 1_000
_MAX_EXPONENT = 3_000
_EXACT_CHARS = 40
"""An exact decimal or fraction longer than this is shown rounded."""
_DIGITS = 15

_Operation: TypeAlias = Callable[[Number, Number], Number]


def evaluate(expression: str) -> Number:
    """The value of what was written: a `Fraction` where it is exact, else a float.

    Raises:
        CalculationError: it can't be read, has no real value, or would be too large.
    """
    if len(expression) > _MAX_CHARS:
        raise CalculationError(f"it is longer than {_MAX_CHARS:,} characters")
    text = normalised(expression)
    try:
        return bounded(_value(ast.parse(text, mode="eval").body, text))
    except ZeroDivisionError:
        raise CalculationError("it divides by zero") from None
    except OverflowError:
        raise CalculationError(TOO_LARGE) from None
    except (SyntaxError, MemoryError, RecursionError):
        raise CalculationError("it is not one complete expression") from None


def shown(value: Number) -> str:
    """The value with its sign: `= 437`, `= 0.3`, `= 1/3 ≈ 0.333333333333333`, `≈ 1.4142135623731`."""
    if isinstance(value, float):
        return f"≈ {value:.{_DIGITS}g}"
    if value.denominator == 1:
        return f"= {value.numerator}"
    decimal = _decimal(value)
    if decimal is not None and len(decimal) <= _EXACT_CHARS:
        return f"= {decimal}"
    exact = f"= {value} " if len(str(value)) <= _EXACT_CHARS else ""
    return f"{exact}≈ {_rounded(value)}"


def _value(node: ast.expr, text: str) -> Number:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return _literal(text[node.col_offset : node.end_col_offset])
        case ast.Name(id=name):
            return _constant(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, text)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right) if _is_share(right) and not _is_share(left):
            base, share = _value(left, text), _value(right, text)
            return bounded(base * (1 + share if isinstance(node.op, ast.Add) else 1 - share))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return bounded(_OPERATIONS[type(op)](_value(left, text), _value(right, text)))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, [_value(argument, text) for argument in arguments])
    raise CalculationError(_unreadable(node))


def _unreadable(node: ast.expr) -> str:
    match node:
        case ast.Call():
            return "write * between factors that stand side by side, as in 2*(3+4)"
        case ast.Tuple():
            return "it holds a comma; ask for one expression, and write decimals with a point"
        case ast.Compare():
            return "comparisons and equations are not worked out, only values"
        case _:
            return "only numbers, + - * / // % ^, parentheses and the known functions can be used"


def _literal(text: str) -> Fraction:
    exponent = text.partition("e")[2]
    if exponent and abs(int(exponent)) > _MAX_EXPONENT:
        raise CalculationError(TOO_LARGE)
    try:
        return Fraction(text)
    except ValueError:
        raise CalculationError(f"{text!r} is not a decimal number") from None


def _constant(name: str) -> float:
    if name in CONSTANTS:
        return CONSTANTS[name]
    raise CalculationError(f"the name {name!r} is not known; put in its value")


def _call(name: str, arguments: list[Number]) -> Number:
    function = FUNCTIONS.get(name)
    if function is None:
        raise CalculationError(f"there is no function {name!r}")
    try:
        return bounded(_exact(function(*arguments)))
    except TypeError:
        raise CalculationError(f"{name} takes another number of values (no commas inside numbers there)") from None
    except ValueError:
        raise CalculationError(f"{name} has no real value there") from None


def _exact(value: Number | int) -> Number:
    return Fraction(value) if isinstance(value, int) else value


def _is_share(node: ast.expr) -> bool:
    """Whether it is a percentage, so that 50 + 20% adds a fifth of 50 but 10% + 5% is 15%."""
    match node:
        case ast.Call(func=ast.Name(id="percent")):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _is_share(left) and _is_share(right)
    return False


def _floor_divided(left: Number, right: Number) -> Number:
    return Fraction(math.floor(left / right))


_OPERATIONS: dict[type[ast.operator], _Operation] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: _floor_divided,
    ast.Mod: operator.mod,
    ast.Pow: power,
}


def _decimal(value: Fraction) -> str | None:
    """All decimals of a fraction, if they end: if its denominator has no other factor than 2 and 5."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > _EXACT_CHARS:
        return None
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def _rounded(value: Fraction) -> str:
    context = Context(prec=_DIGITS, Emax=10**5, Emin=-(10**5))
    return f"{context.divide(Decimal(value.numerator), Decimal(value.denominator)):g}"
