"""From what people write (× ÷ ^ %, full-width digits, thousands commas) to an expression that Python's parser reads."""

import re

from tools.arithmetic.numbers import CalculationError

_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SIGNS = str.maketrans(
    _FULL_WIDTH
    | {ord(sign): "*" for sign in "×✕✖⋅·∙的"}
    | {ord(sign): "/" for sign in "÷∕⁄"}
    | {ord(sign): "-" for sign in "−–—‐‑"}
    | {ord("√"): "sqrt", ord("∛"): "cbrt", ord("π"): "pi", ord("\u3000"): " "}
)
_SUPERSCRIPT = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_REWRITES = (
    (re.compile(r"\s+"), " "),
    (re.compile(r"^[ =]+|[ =?]+$"), ""),
    (re.compile(r"\bmath\."), ""),
    (re.compile(r"% ?of\b"), "% *"),
    (re.compile(r"\bmod\b(?! ?\()"), "%"),
    (re.compile(r"(?<=[\d)])(?<!\b0) ?x ?(?=[\d(.])"), "*"),
    (re.compile(r"\b(sqrt|cbrt) ?(\d+(?:\.\d+)?)"), r"\1(\2)"),
    (re.compile(r"\^"), "**"),
)
_THOUSANDS = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")
_JUXTAPOSED = re.compile(r"(?<![a-z_\d])[\d.]+ ?(?!e[+-]?\d)[a-z_(]")
_POSTFIX = re.compile(r" ?(?:(!)(?!=)|(°)|%(?= ?(?:$|[-+*/),])))")
"""A percent sign before another operand is the remainder: 20 % 3. Before a sign it is a percentage: 20% - 3."""


def normalised(written: str) -> str:
    """The expression in ASCII on one line, with % ! and ° as calls.

    Raises:
        CalculationError: it holds a sign without a meaning here, or leaves a * out.
    """
    text = written.translate(_SIGNS)
    text = _SUPERSCRIPT.sub(lambda raised: f"**({raised[0].translate(_RAISED)})", text).lower()
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    text = _with_calls(_without_thousands(text))
    if not text.isascii():
        strange = next(sign for sign in text if not sign.isascii())
        raise CalculationError(f"the sign {strange!r} is not known")
    if _JUXTAPOSED.search(text):
        raise CalculationError("write * between factors that stand side by side, as in 2*(3+4)")
    return text


def _without_thousands(text: str) -> str:
    """1,234.5 as 1234.5, but not between the values of a function."""
    in_call = _in_call(text)
    return _THOUSANDS.sub(lambda number: number[0] if in_call[number.start()] else number[0].replace(",", ""), text)


def _in_call(text: str) -> list[bool]:
    """For each character, whether the innermost parenthesis around it belongs to a function."""
    open_calls, inside = [False], []
    for position, sign in enumerate(text):
        if sign == "(":
            open_calls.append(text[:position].rstrip()[-1:].isalnum())
        elif sign == ")" and len(open_calls) > 1:
            open_calls.pop()
        inside.append(open_calls[-1])
    return inside


def _with_calls(text: str) -> str:
    while found := _POSTFIX.search(text):
        start = _operand_start(text, found.start())
        operand = text[start : found.start()]
        call = "factorial" if found[1] else "radians" if found[2] else "percent"
        text = f"{text[:start]}{call}({operand}){text[found.end() :]}"
    return text


def _operand_start(text: str, end: int) -> int:
    """Where the operand before `end` begins: a number, a name, or parentheses with the function before them."""
    depth, start = 0, end
    while start > 0 and (depth or text[start - 1] == ")"):
        start -= 1
        depth += {")": 1, "(": -1}.get(text[start], 0)
        if depth == 0:
            break
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "._"):
        start -= 1
    if start == end:
        raise CalculationError("a number is missing before a %, ! or °")
    return start
