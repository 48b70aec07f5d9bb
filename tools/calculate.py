"""The tool `calculate`: exact arithmetic for models that guess at figures. Never runs Python."""

from typing import Annotated

from pydantic import Field

from tools.arithmetic.evaluation import evaluate, shown
from tools.arithmetic.numbers import CalculationError
from tools.base import Line, ToolError, ToolResult


async def calculate(
    expression: Annotated[Line, Field(description='What to work out: "23*19", "(1/3+2)^2", "15% of 80", "sqrt(2)".')],
) -> ToolResult:
    """Work out an arithmetic expression exactly.

    Takes + - * / // % ^, parentheses, pi, e, and sqrt, cbrt, abs, round, floor, ceil, min, max, sum, mean, exp, ln,
    log(x, base), log10, log2, sin, cos, tan, asin, acos, atan (in radians, or sin(30°)), factorial, comb, perm, gcd,
    lcm, hypot. 20% is 20/100; 50 + 20% is 60.
    """
    try:
        return ToolResult(f"{expression.rstrip('=?？＝ ')} {shown(evaluate(expression))}")
    except CalculationError as fault:
        raise ToolError(f"{expression[:200]!r} could not be worked out: {fault}.") from None
