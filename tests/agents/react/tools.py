"""The tools that the replies in these tests call. They record their calls and do nothing else."""

from llama_index.core.tools import FunctionTool

from agents.toolbox import Toolbox, toolbox_of


def look_up(topic: str, limit: int = 3) -> str:
    """Find pages about a topic."""
    return f"{limit} pages about {topic}"


def exchange_rate(currency: str, days: int = 1) -> str:
    """The price of a currency in euros."""
    return f"{currency}: 0.09"


def run_code(code: str) -> str:
    """Run a program."""
    return "done"


def save_file(path: str, text: str) -> str:
    """Write a file."""
    return "saved"


def read_clock() -> str:
    """The time of day."""
    return "10:42"


def all_tools() -> list[FunctionTool]:
    """Fresh tools."""
    functions = (look_up, exchange_rate, run_code, save_file, read_clock)
    return [FunctionTool.from_defaults(function) for function in functions]


def toolbox() -> Toolbox:
    """The same as a toolbox."""
    return toolbox_of(all_tools())
