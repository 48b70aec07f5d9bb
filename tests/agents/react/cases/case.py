"""How a case of the table is written."""

from dataclasses import dataclass
from typing import Any

NOK = '{"currency": "NOK"}'


@dataclass(frozen=True, slots=True)
class Case:
    """One reply, and what it means: exactly one of `call`, `answer` and `problem`."""

    id: str
    text: str
    call: tuple[str, dict[str, Any]] | None = None
    answer: str | None = None
    problem: str | None = None


def call(case_id: str, text: str, name: str, /, **arguments: Any) -> Case:
    """It calls a tool."""
    return Case(case_id, text, call=(name, arguments))


def rate(case_id: str, text: str) -> Case:
    """It asks for the rate of the krone."""
    return call(case_id, text, "exchange_rate", currency="NOK")


def answer(case_id: str, text: str, answer: str) -> Case:
    """It answers."""
    return Case(case_id, text, answer=answer)


def problem(case_id: str, text: str, problem: str = "unreadable") -> Case:
    """It is of no use."""
    return Case(case_id, text, problem=problem)
