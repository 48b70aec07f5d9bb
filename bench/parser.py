"""How fast replies are read, ours against LlamaIndex's stock parser. Run: python -m bench.parser"""

import sys
import time
from collections.abc import Callable
from functools import partial

from llama_index.core.agent.react.output_parser import ReActOutputParser
from llama_index.core.tools import FunctionTool

from agents.react.splitter import Splitter, read_reply
from agents.toolbox import toolbox_of


def search_web(query: str, max_results: int = 5) -> str:
    """Search the web."""
    return query


def run_python(code: str) -> str:
    """Run a program."""
    return code


TOOLBOX = toolbox_of([FunctionTool.from_defaults(search_web), FunctionTool.from_defaults(run_python)])
STOCK = ReActOutputParser()

_CODE = "for n in range(10):\\n    print(n * n)\\n" * 60
_PROSE = "It rained all night, and in the morning the river stood at the door. " * 60
REPLIES = {
    "call, short": 'Thought: I must look it up.\nAction: search_web\nAction Input: {"query": "height of Ben Nevis"}',
    "call, 2 kB of code": f'Thought: I compute it.\nAction: run_python\nAction Input: {{"code": "{_CODE}"}}',
    "answer, short": "Thought: I can answer.\nAnswer: It is 1345 metres high.",
    "answer, 4 kB": f"Thought: I can answer.\nAnswer: {_PROSE}",
    "prose with a label, 4 kB": f"{_PROSE}\nAction: ",
}
_CHARACTERS_PER_TOKEN = 4
_RUN_FOR_S = 0.3


def microseconds(work: Callable[[], object]) -> float:
    """The mean time of `work`, over at least three runs."""
    began, runs = time.perf_counter(), 0
    while runs < 3 or time.perf_counter() - began < _RUN_FOR_S:
        work()
        runs += 1
    return (time.perf_counter() - began) / runs * 1e6


def _stock(text: str) -> None:
    try:
        STOCK.parse(text)
    except ValueError:
        return  # it cannot read the reply; that took its time too


def _live(text: str) -> None:
    splitter = Splitter(TOOLBOX)
    for at in range(0, len(text), _CHARACTERS_PER_TOKEN):
        splitter.feed(text[at : at + _CHARACTERS_PER_TOKEN])
    splitter.finish()


def main() -> None:
    """Print one line for each kind of reply."""
    write = sys.stdout.write
    write(f"{'reply':26}{'stock µs':>12}{'ours µs':>12}{'times':>8}{'ours MB/s':>12}{'live µs/token':>16}\n")
    for name, text in REPLIES.items():
        stock = microseconds(partial(_stock, text))
        ours = microseconds(partial(read_reply, text, TOOLBOX))
        live = microseconds(partial(_live, text)) / (len(text) / _CHARACTERS_PER_TOKEN)
        write(f"{name:26}{stock:12.0f}{ours:12.0f}{stock / ours:8.1f}{len(text) / ours:12.1f}{live:16.2f}\n")


if __name__ == "__main__":
    main()
