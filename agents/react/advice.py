"""What the model is told when its reply could not be used: exactly what to change, and nothing else."""

from agents.toolbox import Toolbox, ToolSpec

EMPTY = "Your last reply was empty. Write your reply now."
NO_ANSWER = "You wrote a thought but no answer. Now write `Answer:` and then the answer itself, or call a tool."
THINKING_ONLY = "You have been thinking but wrote no reply. Now write it, beginning with `Thought:`."
PLAIN_ANSWER = "To answer, write `Answer:` and then the answer as plain text."

_MAX_NAME = 80


def for_unknown_tool(name: str, toolbox: Toolbox) -> str:
    """There is no such tool; these are the ones there are."""
    problem = f"There is no tool {name.strip()[:_MAX_NAME]!r}." if name.strip() else "You named no tool."
    return f"{problem} {choice_of(toolbox)}"


def for_broken_call(problem: str, toolbox: Toolbox) -> str:
    """Something like a call, but one cannot tell of what."""
    return f"Your tool call could not be read: {problem}. {choice_of(toolbox)}"


def for_call(spec: ToolSpec, problem: str) -> str:
    """The tool exists, its input is wrong."""
    parameters = ", ".join(f'"{name}"' for name in spec.properties)
    form = "one JSON object on the line of `Action Input:`" + (f" with {parameters}" if parameters else ": {}")
    return f"The call of {spec.name} was not run. {problem} The tool is {spec.signature}. Write its input as {form}."


def choice_of(toolbox: Toolbox) -> str:
    """Names and parameters of all tools."""
    if not toolbox.specs:
        return f"There are no tools now. {PLAIN_ANSWER}"
    tools = "; ".join(spec.signature for spec in toolbox.specs.values())
    return f"The tools are: {tools}. Use one of these names, or write `Answer:` and then the answer."


CUT = "Your reply was cut off by the limit of its length, so the call was not run. Make the call again, with less text."
