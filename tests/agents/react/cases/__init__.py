"""Replies of the kinds that models write, and what each means. Texts and tools are our own."""

from tests.agents.react.cases.arguments import ARGUMENTS
from tests.agents.react.cases.case import Case
from tests.agents.react.cases.labels import LABELS, NAMES
from tests.agents.react.cases.notations import NOTATIONS
from tests.agents.react.cases.texts import ENDS, TEXT, THINKING

CASES = [*LABELS, *NAMES, *ARGUMENTS, *NOTATIONS, *ENDS, *TEXT, *THINKING]

__all__ = ["CASES", "Case"]
