"""What the model is told when its reply or its call could not be used: exactly what to change, and nothing else."""

from agents.toolbox import Toolbox, ToolSpec

EMPTY = "(Your last reply was empty. Write your answer now.)"
THINKING_ONLY = "(You have been thinking but wrote no answer. Write your answer now.)"
CLOSING = (
    "(You can use no more tools. With what you know by now, write the best answer you can give, and say what you could "
    "not find out.)"
)
CUT = "The call was cut off by the limit of your reply's length, so it was not run. Make it again, with less text."

_MAX_NAME = 80


def for_unknown_tool(name: str, toolbox: Toolbox) -> str:
    """There is no such tool; these are the ones there are."""
    problem = f"There is no tool {name.strip()[:_MAX_NAME]!r}." if name.strip() else "The call names no tool."
    tools = "; ".join(spec.signature for spec in toolbox.specs.values())
    return f"{problem} Nothing was run. The tools are: {tools}."


def for_arguments(spec: ToolSpec, problem: str) -> str:
    """The tool exists, its arguments are wrong."""
    return f"{spec.name} was not run. {problem} The tool is {spec.signature}. Call it again with arguments that fit."
