import re
import time
import warnings
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.calling import advice_of, text_of
from tools.arithmetic.evaluation import evaluate, shown
from tools.arithmetic.numbers import CalculationError
from tools.base import as_tool
from tools.calculate import calculate

CALCULATE = as_tool(calculate, touches="nothing", timeout_s=5)

EXACT = [
    ("23*19", "= 437"),
    ("0.1+0.2", "= 0.3"),
    ("1.1*1.1", "= 1.21"),
    ("10/4", "= 2.5"),
    ("1/3", "= 1/3 ≈ 0.333333333333333"),
    ("-1/8", "= -0.125"),
    ("1/3*3", "= 1"),
    ("2^10", "= 1024"),
    ("2**3**2", "= 512"),
    ("-2^2", "= -4"),
    ("2^-1", "= 0.5"),
    ("7//2", "= 3"),
    ("-7//2", "= -4"),
    ("-7 % 3", "= 2"),
    ("7 mod 3", "= 1"),
    ("123456789*987654321", "= 121932631112635269"),
    ("1e3 + 2E-2", "= 1000.02"),
    ("(1+2)*(3+4)", "= 21"),
    ("0.1**400", "≈ 1e-400"),
]

AS_PEOPLE_WRITE = [
    ("12 × 3 ÷ 4", "= 9"),
    ("3 x 4", "= 12"),
    ("100x5", "= 500"),
    ("１２＋３", "= 15"),
    ("（２＋３）＊４", "= 20"),
    ("5 − 7", "= -2"),
    ("5²", "= 25"),
    ("2⁻²", "= 0.25"),
    ("√16", "= 4"),
    ("√(2+2)", "= 2"),
    ("∛27", "= 3"),
    ("2*π", "≈ 6.28318530717959"),
    ("1,234,567.5 * 2", "= 2469135"),
    ("(1,200 + 300) * 2", "= 3000"),
    ("23*19=", "= 437"),
    ("= 23*19", "= 437"),
    ("23*19 = ?", "= 437"),
    ("1 +\n 2", "= 3"),
    ("math.sqrt(9)", "= 3"),
    ("15% of 80", "= 12"),
    ("80的15%", "= 12"),
    ("20%", "= 0.2"),
    ("5/20%", "= 25"),
    ("(5+5)%", "= 0.1"),
    ("50 + 20%", "= 60"),
    ("100 - 15%", "= 85"),
    ("200 + 5% * 100", "= 205"),
    ("10% + 5%", "= 0.15"),
    ("20 % 3", "= 2"),
    ("20% - 3", "= -2.8"),
    ("5!", "= 120"),
    ("(2+3)!", "= 120"),
    ("3!^2", "= 36"),
    ("sin(30°)", "≈ 0.5"),
]

FUNCTIONS = [
    ("sqrt(16)", "= 4"),
    ("sqrt(1/4)", "= 0.5"),
    ("sqrt(2)", "≈ 1.4142135623731"),
    ("27^(1/3)", "= 3"),
    ("4^1.5", "= 8"),
    ("cbrt(-27)", "= -3"),
    ("2^0.5", "≈ 1.4142135623731"),
    ("abs(-3.5)", "= 3.5"),
    ("round(2.5)", "= 3"),
    ("round(-2.5)", "= -3"),
    ("round(2.675, 2)", "= 2.68"),
    ("round(1234, -2)", "= 1200"),
    ("floor(-0.5) + ceil(0.5)", "= 0"),
    ("max(1, 2.5, -3)", "= 2.5"),
    ("max(1,200)", "= 200"),
    ("min(4)", "= 4"),
    ("sum(1, 2, 3)", "= 6"),
    ("mean(1, 2, 4)", "= 7/3 ≈ 2.33333333333333"),
    ("factorial(20)", "= 2432902008176640000"),
    ("comb(49, 6)", "= 13983816"),
    ("perm(5, 2)", "= 20"),
    ("gcd(12, 18) + lcm(4, 6)", "= 18"),
    ("hypot(3, 4)", "= 5"),
    ("log(8, 2)", "= 3"),
    ("log10(1000)", "= 3"),
    ("log2(1/8)", "= -3"),
    ("ln(e)", "≈ 1"),
    ("log(100)", "≈ 4.60517018598809"),
    ("exp(1)", "≈ 2.71828182845905"),
    ("sin(pi)", "≈ 0"),
    ("cos(pi/2)", "≈ 0"),
    ("cos(60°)", "≈ 0.5"),
    ("tan(45°)", "≈ 1"),
    ("degrees(pi)", "≈ 180"),
    ("atan2(1, 1)", "≈ 0.785398163397448"),
]

FAULTS = [
    ("1/0", "divides by zero"),
    ("5 % 0", "divides by zero"),
    ("0^-1", "divides by zero"),
    ("9**9**9", "too large"),
    ("9^9^9^9", "too large"),
    ("factorial(10^9)", "too large"),
    ("5!!!!", "too large"),
    ("comb(10^9, 10^8)", "too large"),
    ("perm(10^6)", "too large"),
    ("1e999999", "too large"),
    ("1e-999999", "too large"),
    ("10^4000", "too large"),
    ("exp(1000)", "too large"),
    ("2.5^(10^6)", "too large"),
    ("(-8)^0.5", "not real"),
    ("sqrt(-1)", "no real value"),
    ("log(0)", "no real value"),
    ("tan(90°)", "no value there"),
    ("3.5!", "whole numbers"),
    ("comb(2.5, 1)", "whole numbers"),
    ("sqrt(1,234)", "another number of values"),
    ("round(1,234)", "at most 100 decimals"),
    ("2(3+4)", "write *"),
    ("2pi", "write *"),
    ("(1)(2)", "write *"),
    ("3,14", "decimals with a point"),
    ("x + 1", "'x' is not known"),
    ("True + 1", "'true' is not known"),
    ("foo(1)", "no function 'foo'"),
    ("½ + 1", "the sign '½' is not known"),
    ("5 €", "the sign '€' is not known"),
    ("2 +", "not one complete expression"),
    ("(1", "not one complete expression"),
    ("1; 2", "not one complete expression"),
    ("", "not one complete expression"),
    ("%", "a number is missing"),
    ("1 < 2", "comparisons"),
    ("2x = 4", "write *"),
    ("(" * 400 + "1" + ")" * 400, "not one complete expression"),
    ("1+" * 600 + "1", "longer than 1,000 characters"),
    ("0x1F", "write *"),
    ("1j", "write *"),
]

ATTACKS = [
    "__import__('os').system('id')",
    "().__class__.__bases__[0].__subclasses__()",
    "[x for x in (1,2)]",
    "lambda: 1",
    "'a' * 10**9",
    "open('/etc/passwd')",
    "(lambda f: f(f))(lambda f: f(f))",
    "print(1)",
    "exec('1')",
    "{1: 2}",
    "f'{1}'",
    "1 if 1 else 2",
    "a := 5",
    "max(*[1, 2])",
    "round(number=2.5)",
    "sqrt.__globals__",
    "True",
    "None",
    "...",
]


@pytest.mark.parametrize(("expression", "result"), EXACT + AS_PEOPLE_WRITE + FUNCTIONS)
def test_values(expression: str, result: str) -> None:
    assert shown(evaluate(expression)) == result


@pytest.mark.parametrize(("expression", "reason"), FAULTS)
def test_faults_say_why_and_at_once(expression: str, reason: str) -> None:
    began = time.monotonic()
    with pytest.raises(CalculationError, match=reason.replace("*", r"\*")):
        evaluate(expression)
    assert time.monotonic() - began < 0.5


@pytest.mark.parametrize("code", ATTACKS)
def test_code_is_not_run(code: str) -> None:
    with pytest.raises(CalculationError):
        evaluate(code)


async def test_the_tool_repeats_the_expression_with_its_value() -> None:
    assert await text_of(CALCULATE, expression="23*19 = ?") == "23*19 = 437"
    assert await text_of(CALCULATE, expression="2^0.5") == "2^0.5 ≈ 1.4142135623731"
    assert await advice_of(CALCULATE, expression="9**9**9") == (
        "'9**9**9' could not be worked out: the result would be too large to write out; ask for its logarithm instead."
    )


NUMBERS = st.decimals(min_value=-(10**9), max_value=10**9, places=6).map(lambda number: f"({number:f})")
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_sums_and_products_of_decimals_are_exact(expression: str) -> None:
    assert evaluate(expression) == _by_fractions(expression)


def _by_fractions(expression: str) -> Fraction:
    """The same by Python itself over fractions."""
    return Fraction(eval(re.sub(r"\((-?\d+\.\d+)\)", r"(F('\1'))", expression), {"F": Fraction}))  # noqa: S307


@given(st.text(max_size=60) | st.text("0123456789.,()+-*/%^! eπ√²x°=", max_size=60))
def test_any_text_is_a_value_or_a_fault(text: str) -> None:
    with warnings.catch_warnings(record=True, action="always") as warned:
        assert outcome_of(text)
    assert warned == []


def outcome_of(text: str) -> str:
    try:
        return shown(evaluate(text))
    except CalculationError as fault:
        return str(fault)


@given(st.fractions(max_denominator=10**6))
def test_what_is_shown_exactly_is_exact(value: Fraction) -> None:
    text = shown(value)
    if text.startswith("="):
        assert Fraction(text.removeprefix("= ").partition(" ")[0]) == value
