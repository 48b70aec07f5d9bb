"""Guides the built-in model, which is too small to keep a format or to know when a tool is of use by itself.

It gets a short prompt with examples instead of rules, and for each call a grammar that it cannot leave. Made for
`llm/local/think.jinja`: the examples are turns in that template's own markup, which the model follows far better than
examples that are only told about. Knows no endpoint and no tool by name but those of the examples.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from llama_index.core.tools import BaseTool

from agents.observation import fenced
from agents.toolbox import ToolSpec, toolbox_of

_MAX_TOKENS = 1_000

_HEADER = """\
You are Thinkglass, a friendly assistant that runs on the user's own computer, and no other assistant. You \
think briefly, then use one tool or answer, in the user's language.

{tools}

Use a tool only for what it is made for. Everything else needs no tool: greetings, talk about yourself or about this \
chat, common knowledge, the date and the time, writing, translating, code.
If a tool fails, say so honestly and do not make up its result. First come some examples."""

_BEGIN = "The examples end here. Now the chat with the user begins."


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a tool in an example, and the thinking about its result."""

    tool: str
    arguments: dict[str, str]
    result: str
    thinking: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class _Example:
    """What a user says, what the model is to think of it, and its answer."""

    user: str
    thinking: str
    answer: str
    use: _Use | None = None


_NOTE = "The date is Tuesday, 7 May 2024, the time is 08:30."
"""Stands in every example as the real one stands in every chat, or the model takes the note for the question."""

_EXAMPLES = (
    _Example(
        "Hello, I'm Tom.",
        "The user greets me and tells me a name. This needs no tool.",
        "Hello Tom! How can I help you?",
    ),
    _Example(
        "What do 14 tickets cost at 36 euros plus a fee of 2 each?",
        "The user asks for the price of 14 tickets at 36 + 2 euros. This needs the calculate tool.",
        "14 tickets cost 532 euros.",
        _Use("calculate", {"expression": "14*(36+2)"}, "14*(36+2) = 532", "The tool says that it is 532."),
    ),
    _Example(
        "Are you Alexa?",
        "The user asks who I am. This needs no tool.",
        "No, I am Thinkglass, an assistant that runs on this computer. I can chat, calculate, look up the weather and "
        "search the web.",
    ),
    _Example(
        "What is the largest city of Kenya?",
        "The user asks for a fact about Kenya that I know. This needs no tool.",
        "Nairobi is the largest city of Kenya.",
    ),
    _Example(
        "How is the weather in Quito?",
        "The user asks about the weather in Quito. This needs the get_weather tool.",
        "In Quito it is overcast now, at 14.2 °C. Today it will be 9 to 17 °C with a 60 % chance of rain.",
        _Use(
            "get_weather",
            {"city": "Quito"},
            "Weather for Quito, Ecuador, asked for as 'Quito'. Local time 2024-05-07 08:30. Source: Open-Meteo.\n"
            "Now: overcast, 14.2 °C (feels like 13.5), humidity 71 %, wind 9 km/h.\n"
            "Tuesday 2024-05-07 (today): rain, 9 to 17 °C, 60 % chance of precipitation.",
            "The tool says that it is overcast in Quito now, at 14.2 °C.",
        ),
    ),
    _Example(
        "And in La Paz?",
        "The user asks about the weather in La Paz. This needs the get_weather tool.",
        "I'm sorry, I could not look up the weather in La Paz, because the weather service could not be reached.",
        _Use(
            "get_weather",
            {"city": "La Paz"},
            "The weather could not be looked up: the service could not be reached.",
            "The tool failed, so I do not know the weather.",
            is_error=True,
        ),
    ),
    _Example(
        "《哈姆雷特》是谁写的？",
        "The user asks in Chinese about a famous book. This needs no tool.",
        "是莎士比亚写的。",
    ),
    _Example(
        "Who won the match last night?",
        "The user asks about recent news. This needs the search_web tool.",
        "City won 2:1 against United [1].",
        _Use(
            "search_web",
            {"query": "match result last night"},
            "[1] City beats United 2:1",
            "The tool says that City won.",
        ),
    ),
    _Example(
        'Say "thank you" in Spanish.',
        "The user asks for a translation. This needs no tool.",
        '"Thank you" is "gracias" in Spanish.',
    ),
    _Example(
        "And in Italian?", "The user asks for the same translation into Italian. This needs no tool.", '"Grazie".'
    ),
    _Example(
        "Which of the two words is longer?",
        "The user asks me to compare the two words. This needs no tool.",
        '"Gracias" is longer: it has seven letters.',
    ),
    _Example(
        "How late is it?",
        "The user asks for the current time, which I know. This needs no tool.",
        "It is 08:30 on Tuesday, 7 May 2024.",
    ),
    _Example("早上好！", "The user greets me in Chinese. This needs no tool.", "早上好！有什么可以帮你的吗？"),
    _Example("Great, see you!", "The user says goodbye. This needs no tool.", "Goodbye, and have a good day!"),
)


class SmallModelGuide:
    """The `Guide` for the built-in model. `now` is the user's time."""

    tools: frozenset[str] = frozenset({"search_web", "read_page", "get_weather", "calculate"})

    def __init__(self, *, now: Callable[[], datetime] = datetime.now) -> None:
        self._now = now

    def usable(self, tools: Sequence[BaseTool]) -> list[BaseTool]:
        """Those of the tools that so small a model can cope with."""
        return [tool for tool in tools if tool.metadata.get_name() in self.tools]

    def system_prompt(self, tools: Sequence[BaseTool]) -> str:
        """The same for the same tools, so that a server can read it ahead."""
        specs = toolbox_of(tools).specs
        described = "\n".join(["Tools:", *map(_described, specs.values())]) if specs else "You have no tools."
        examples = [example for example in _EXAMPLES if example.use is None or example.use.tool in specs]
        told = "".join(turn for example in examples for turn in _turns(example))
        return f"{_HEADER.format(tools=described)}<|im_end|>\n{told}<|im_start|>system\n{_BEGIN}"

    def request_kwargs(self, tools: Sequence[BaseTool], *, observations: Sequence[str]) -> dict[str, Any]:
        """A grammar and the time. After a tool's result there is only an answer: small models go round in circles."""
        specs = [] if observations else list(toolbox_of(tools).specs.values())
        extra: dict[str, Any] = {"grammar": _grammar(specs, has_result=bool(observations))}
        if not observations:
            now = self._now()
            extra["chat_template_kwargs"] = {
                "note": f"The date is {now:%A}, {now.day} {now:%B %Y}, the time is {now:%H:%M}."
            }
        return {"extra_body": extra, "temperature": 0.0, "max_tokens": _MAX_TOKENS}


def _described(spec: ToolSpec) -> str:
    purpose = spec.description.strip().split("\n\n")[0]
    return f"- {spec.name}: {purpose} Input: {json.dumps(dict.fromkeys(spec.required, '...'))}"


def _turns(example: _Example) -> Iterator[str]:
    yield _message("user", example.user)
    yield _message("system", _NOTE)
    use = example.use
    if use is None:
        yield _reply(example.thinking, f"Answer: {example.answer}")
        return
    arguments = json.dumps(use.arguments)
    yield _reply(example.thinking, f"Action: {use.tool}\nAction Input: {arguments}")
    yield _message("user", f"Observation: {fenced(use.result, source=use.tool, is_error=use.is_error)}")
    yield _reply(use.thinking, f"Answer: {example.answer}")


def _reply(thinking: str, text: str) -> str:
    return _message("assistant", f"<think>\n{thinking}\n</think>\n\n{text}")


def _message(role: str, text: str) -> str:
    return f"<|im_start|>{role}\n{text}<|im_end|>\n"


_SHARED_RULES = r"""
words ::= ([^.\n<] | "." [^. \n<]){3,200} "."
end ::= "\n</think>\n\n"
answer ::= end "Answer: " [^ \n] [^\x00]*
string ::= "\"" [^"\\\x00-\x1F]{1,160} "\""
integer ::= "-"? [0-9]{1,9}
number ::= integer ("." [0-9]{1,9})?
boolean ::= "true" | "false"
value ::= string | number | boolean | "null" | "[" (value (", " value){0,19})? "]" | "{" (pair (", " pair){0,19})? "}"
pair ::= string ": " value
"""
"""Thinking is one or two sentences, so that a small model comes to the point; a dot within a number ends none."""


def _grammar(specs: Sequence[ToolSpec], *, has_result: bool) -> str:
    """GBNF for one reply: the thinking, its end, and a call of one of the tools or an answer."""
    if has_result:
        return f'root ::= "The tool " ("says that " | "failed, so ") words answer{_SHARED_RULES}'
    calls = [f'"the {spec.name} tool." end {_call(spec)}' for spec in specs]
    choices = " | ".join(['"no tool." answer', *calls])
    return f'root ::= "The user " words (" I " words)? " This needs " ({choices}){_SHARED_RULES}'


def _call(spec: ToolSpec) -> str:
    """Only what the tool requires: a small model sets options at random."""
    head = _literal(f"Action: {spec.name}\nAction Input: {{")
    pairs = [f"{_literal(f'{json.dumps(name)}: ')} {_value(spec.properties[name])}" for name in spec.required]
    return " ".join([head, *_separated(pairs), _literal("}")])


def _separated(pairs: Sequence[str]) -> Iterator[str]:
    for index, pair in enumerate(pairs):
        yield f'", " {pair}' if index else pair


def _value(schema: dict[str, Any]) -> str:
    """The rule for a parameter; one that its schema does not bind to a plain type may be any JSON."""
    if "enum" in schema:
        return f"({' | '.join(_literal(json.dumps(choice)) for choice in schema['enum'])})"
    kind = schema.get("type")
    return kind if kind in {"string", "integer", "number", "boolean"} else "value"


def _literal(text: str) -> str:
    """A GBNF literal; its escapes are those of JSON as far as they are needed here."""
    return json.dumps(text)
