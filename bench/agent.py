"""Right answers and rounds on simple prompts with the built-in model: our agent against LlamaIndex's ReActAgent.

Run from the project's root: `python -m bench.agent MODEL.gguf [PROMPTS.json]`. Each prompt is a chat of its own, the
tools are the app's with the services behind them made up, and the moment is fixed. Three ways, one after the other:

* guided: our agent as the app runs it on the built-in model, with `SmallModelGuide`;
* unguided: our agent as it runs on every other model;
* stock: `ReActAgent`, with the same client, system prompt, tools and limit.

The last two use the chat template inside the weights.
"""

import asyncio
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from llama_index.core.agent.workflow import AgentOutput, AgentWorkflow, ReActAgent, ToolCall
from llama_index.core.workflow import WorkflowRuntimeError

from agents.react import ReasoningReActAgent
from agents.react.prompt import ReActPrompt
from agents.react.small_model import SmallModelGuide
from agents.stream_events import GaveUp
from llm.client import DeepSeek
from llm.errors import LLMError
from llm.local.server import EXTRA_BODY, EXTRA_HEADERS, EngineServer, Model, open_server
from tools.base import Tool, as_tool
from tools.calculate import calculate
from tools.cards import DayForecast, Sky, WeatherCard
from tools.get_weather import Weather
from tools.http import ServiceError
from tools.search.engine import Hit, Query
from tools.search_web import WebSearch
from tools.weather.places import Place
from tools.weather.service import Units

NOW = datetime(2026, 3, 14, 15, 9)
CONTEXT_TOKENS = 8192
MAX_ROUNDS = 12
MAX_TOKENS = 1_000
SYSTEM_PROMPT = f"You are Thinkglass, a friendly assistant. It is {NOW:%A}, {NOW.day} {NOW:%B %Y}, {NOW:%H:%M}."
TEMPLATE = Path(__file__).parents[1] / "llm" / "local" / "think.jinja"
PROMPTS = Path(__file__).with_name("prompts.json")

_WEATHER: dict[str, tuple[Sky, str, float]] = {
    "Lisbon": ("clear", "clear sky", 21),
    "Tromsø": ("snow", "snow", -6),
    "Dakar": ("clear", "sunny", 29),
    "Paris": ("cloudy", "cloudy", 18),
    "London": ("rain", "light rain", 12),
    "Cairo": ("clear", "sunny", 35),
}


class MadeUpWeather:
    """A few places, always with the same weather."""

    async def places(self, name: str, regions: tuple[str, ...]) -> Sequence[Place]:
        """The place, if it is one of the few."""
        known = [place for place in _WEATHER if place.casefold()[:4] == name.casefold()[:4]]
        return [Place(name=place, latitude=0, longitude=0, country_code="XX", population=500_000) for place in known]

    async def forecast(self, place: Place, *, days: int, units: Units) -> WeatherCard:
        """The same each day."""
        sky, condition, degrees = _WEATHER[place.name]
        day = DayForecast(date=f"{NOW:%Y-%m-%d}", sky=sky, condition=condition, low=degrees - 4, high=degrees + 2)
        return WeatherCard(
            place=place.name,
            local_time=f"{NOW:%Y-%m-%dT%H:%M}",
            sky=sky,
            condition=condition,
            is_day=True,
            temperature=degrees,
            feels_like=degrees - 1,
            humidity_percent=60,
            wind_speed=12,
            temperature_unit="°C",
            wind_unit="km/h",
            precipitation_unit="mm",
            days=(day,),
            source="Open-Meteo",
        )


class NoSearch:
    """A search engine that is always down."""

    async def search(self, query: Query) -> list[Hit]:
        """Nothing, ever."""
        raise ServiceError("the search engines can't be reached")


@dataclass(frozen=True)
class Prompt:
    """What is asked, a pattern of right answers, and the tool it takes; with `?` the tool may be left out."""

    prompt: str
    answer: str
    tool: str = ""

    def is_decided_right(self, used: Sequence[str]) -> bool:
        """Whether the first tool used is the right one."""
        if not used:
            return not self.tool or self.tool.endswith("?")
        return used[0] == self.tool.removesuffix("?")


@dataclass(frozen=True)
class Outcome:
    """What one prompt came to."""

    answer: str
    used: tuple[str, ...]
    rounds: int
    seconds: float
    has_ended_well: bool


def built_tools() -> list[Tool]:
    """The tools with no service behind them."""
    weather, search = Weather(MadeUpWeather()), WebSearch(NoSearch())
    return [
        as_tool(search.search_web, touches="network", timeout_s=30),
        as_tool(weather.get_weather, touches="network", timeout_s=30),
        as_tool(calculate, touches="nothing", timeout_s=30),
    ]


def client(server: EngineServer) -> DeepSeek:
    """The same for all."""
    return DeepSeek(
        model=server.endpoint.model,
        api_base=server.endpoint.api_base,
        api_key=server.endpoint.api_key,
        context_window=CONTEXT_TOKENS,
        temperature=0.0,
        max_tokens=MAX_TOKENS,
        default_headers=dict(EXTRA_HEADERS),
        additional_kwargs={"extra_body": dict(EXTRA_BODY)},
    )


def guided(llm: DeepSeek) -> ReActAgent:
    """As the app does it."""
    guide = SmallModelGuide(now=lambda: NOW)
    return ReasoningReActAgent(llm=llm, tools=built_tools(), guide=guide, max_rounds=MAX_ROUNDS)


def unguided(llm: DeepSeek) -> ReActAgent:
    """Our prompt, no grammar."""
    formatter = ReActPrompt(context=SYSTEM_PROMPT, today=NOW.date())
    return ReasoningReActAgent(llm=llm, tools=built_tools(), formatter=formatter, max_rounds=MAX_ROUNDS)


def stock(llm: DeepSeek) -> ReActAgent:
    """LlamaIndex's own."""
    return ReActAgent(llm=llm, tools=built_tools(), system_prompt=SYSTEM_PROMPT)


WAYS: dict[str, tuple[Callable[[DeepSeek], ReActAgent], bool]] = {
    "guided": (guided, True),
    "unguided": (unguided, False),
    "stock": (stock, False),
}


async def played(agent: ReActAgent, prompt: Prompt) -> Outcome:
    """One chat of one question."""
    began, answer, ended_well = time.monotonic(), "", True
    used: list[str] = []
    rounds = 0
    run = AgentWorkflow(agents=[agent]).run(user_msg=prompt.prompt, max_iterations=MAX_ROUNDS)
    try:
        async for event in run.stream_events():
            rounds += isinstance(event, AgentOutput | GaveUp)
            ended_well = ended_well and not isinstance(event, GaveUp)
            if isinstance(event, ToolCall):
                used.append(event.tool_name)
        output = await run
        answer = (output.response.content or "") if isinstance(output, AgentOutput) else ""
    except (LLMError, WorkflowRuntimeError):
        ended_well = False
    return Outcome(answer, tuple(used), rounds, time.monotonic() - began, ended_well)


async def measured(way: str, model: Model, prompts: Sequence[Prompt], folder: Path) -> list[Outcome]:
    """All prompts in one way, on an engine of its own."""
    build, has_template = WAYS[way]
    model = model if has_template else replace(model, chat_template="")
    server = await open_server(model, folder)
    try:
        agent = build(client(server))
        await played(agent, Prompt("Hello.", ""))  # the prompt is read once, as the app does before anybody asks
        outcomes = []
        for prompt in prompts:
            outcome = await played(agent, prompt)
            outcomes.append(outcome)
            sys.stderr.write(_line(way, prompt, outcome))
        return outcomes
    finally:
        await server.close()


def _line(way: str, prompt: Prompt, outcome: Outcome) -> str:
    marks = ("" if _is_right(prompt, outcome) else "WRONG ") + ("" if outcome.has_ended_well else "GAVE UP ")
    said = f"{', '.join(outcome.used) or '-'} | {outcome.answer[:150]!r} | {outcome.rounds} rounds"
    return f"{way}: {marks}{prompt.prompt} | {said}, {outcome.seconds:.1f} s\n"


def _is_right(prompt: Prompt, outcome: Outcome) -> bool:
    return re.search(prompt.answer, outcome.answer) is not None


def _row(way: str, prompts: Sequence[Prompt], outcomes: Sequence[Outcome]) -> str:
    pairs = list(zip(prompts, outcomes, strict=True))
    right = sum(_is_right(*pair) for pair in pairs)
    decided = sum(prompt.is_decided_right(outcome.used) for prompt, outcome in pairs)
    both = sum(_is_right(*pair) and pair[0].is_decided_right(pair[1].used) for pair in pairs)
    rounds, needed = sum(o.rounds for o in outcomes), sum(1 + len(o.used) for o in outcomes)
    given_up = sum(not outcome.has_ended_well for outcome in outcomes)
    seconds = sorted(outcome.seconds for outcome in outcomes)[len(outcomes) // 2]
    cells = [way, right, decided, both, rounds, rounds - needed, given_up, f"{seconds:.1f}"]
    return f"| {' | '.join(map(str, cells))} |\n"


async def main(weights: Path, prompts: Sequence[Prompt], template: str) -> None:
    """Print the table; each answer goes to stderr."""
    model = Model(path=weights, name="", server="", context_tokens=CONTEXT_TOKENS, chat_template=template)
    heads = ["", "right answers", "right tool", "both", "rounds", "wasted", "given up", "median s"]
    sys.stdout.write(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}\n")
    with tempfile.TemporaryDirectory() as folder:
        for way in WAYS:
            sys.stdout.write(_row(way, prompts, await measured(way, model, prompts, Path(folder))))
            sys.stdout.flush()


def prompts_from(path: Path) -> list[Prompt]:
    """The prompts of a file like `prompts.json`."""
    return [Prompt(**one) for one in json.loads(path.read_text("utf-8"))]


if __name__ == "__main__":
    given = [Path(argument) for argument in sys.argv[1:]]
    asyncio.run(main(given[0], prompts_from(given[1] if given[1:] else PROMPTS), TEMPLATE.read_text("utf-8")))
