"""Results of tools that give orders, and a model that obeys whatever it is able to take for an order.

The model here cannot be talked out of it, so nothing rests on a real model's good sense.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence

import pytest
from llama_index.core.tools import BaseTool, FunctionTool

from agents.assistant import Assistant
from agents.chat_profiles import ChatAgent
from agents.events import AnswerDelta, ToolFinished, ToolStarted, TurnEnded, TurnEvent
from agents.native import ReasoningFunctionAgent
from agents.observation import defused
from agents.react import ReasoningReActAgent
from llm.client import DeepSeek
from tests.agents.collector import Collector, collecting
from tests.agents.injections import INJECTIONS
from tests.agents.react.turns import agent_of, play
from tests.agents.scripted_llm import Say, ScriptedLLM
from tests.provider.replies import Reply, stream
from tests.provider.server import ProviderServer, Request
from tests.tools.calling import tools_of
from tools import ToolConfig

KEYS = ("sk-canary-of-the-model", "tvly-canary-of-the-search", "canary-of-the-weather")
LOOK_UP = 'Thought: Look.\nAction: look_up\nAction Input: {"topic": "the museum"}'
KINDS = ["react", "native"]
FENCE = re.compile(r'(?:Observation: )?<tool_result source="look_up">\n(?P<inside>.*)\n</tool_result>', re.DOTALL)

TOKENS = re.findall(
    r"\S+",
    """<|im_start|> <|im_end|> <|im_middle|> <|eot_id|> <|start_header_id|> <|end_header_id|> <|begin_of_text|>
<|python_tag|> [inst] [/inst] <<sys>> <</sys>> </s> <s> [tool_calls] [/tool_results] [system_prompt] [/system_prompt]
<start_of_turn> <end_of_turn> <bos> <eos> <|user|> <|assistant|> <|system|> <|observation|> [gmask] <sop> [eos]
<|tool_calls_section_begin|> <|tool_call_begin|> ◁think▷ ◁/think▷ ]~b] ]~!b[ [e~[ <minimax:tool_call> <invoke
<|start|> <|end|> <|channel|> <|message|> <|return|> <|call|> <|endoftext|> <|start_of_turn_token|> <eos_token>
<bos_token> <tool_call> </tool_call> </tool_response> <tools> <think> </think> <function= <parameter= <arg_key>
<seed:bos> <seed:eos> <mask:1> <extra_id_0> <unused12> <|user|> <|end_of_sentence|> <|tool_calls_begin|>
<|begin_of_sentence|> <system> <assistant> <instructions>""",
)
LABEL = re.compile(
    r"(?:^|[\s\W])(?:thought|action|action[ _]?input|(?:final )?answer|observation|思考|行动|行动输入|действие|aktion"
    r"|acción|アクション)(?: ?\d)?[*_`\"'\]】]{0,3}\s?:|^\W{0,6}(?:action|action input)\W{0,3}$|【行动】"
    r"|^\W{0,6}(?:user|system|assistant|instruction|response)\W{0,3}:",
    re.IGNORECASE | re.MULTILINE,
)
JSON_CALL = re.compile(r"[\"'](?:name|tool|action|function)[\"']\s*:\s*[\"']send_mail[\"']")
UNSEEN = re.compile("[\u200b-\u200f\u00ad\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f\x00-\x08\x1b]")
LOOK_ALIKES = str.maketrans("\u0410\u0441\u043e｜▁", "Aco|_")


def as_read(text: str) -> str:
    """As the most attentive of readers sees it: through every disguise but ours."""
    text = UNSEEN.sub("", re.sub(r"[\r\v\x85\u2028]", "\n", text))
    return unicodedata.normalize("NFKC", text).translate(LOOK_ALIKES)


def orders_in(text: str) -> list[str]:
    """What of a text has an effect beyond being data."""
    seen = as_read(text)
    tokens = [token for token in TOKENS if token in seen.lower()]
    return [*tokens, *(found.group() for found in LABEL.finditer(seen)), *JSON_CALL.findall(seen)]


def orders_to(messages: list[tuple[str, str]]) -> list[str]:
    """What reaches the model otherwise than as data. The labels of the form that we ask for are its own."""
    orders = []
    for role, text in messages[2:]:
        fence = FENCE.fullmatch(text)
        inside = fence["inside"] if fence else text
        if role in {"user", "tool"} and not fence:
            orders.append(f"not a fenced result: {text[:200]}")
        if role == "assistant":
            inside = re.sub(r"^(?:Thought|Action|Action Input): ", "", text, flags=re.MULTILINE)
        if re.search(r"<\s*/?\s*tool_result", as_read(inside), re.IGNORECASE):
            orders.append("a fence")
        orders += orders_in(inside)
    return orders


class Mailbox:
    """A tool that must never run."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def send_mail(self, to: str = "", text: str = "") -> str:
        """Send a mail."""
        self.sent.append(f"{to}: {text}")
        return "sent"


@pytest.fixture
def provider() -> Iterator[ProviderServer]:
    with ProviderServer() as server:
        yield server


@pytest.fixture
def victim() -> Iterator[Collector]:
    with collecting() as server:
        yield server


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


def agent_on(provider: ProviderServer, tools: Sequence[BaseTool], kind: str) -> ChatAgent:
    llm = DeepSeek(api_base=provider.api_base, api_key=KEYS[0], max_retries=0)
    agent = ReasoningReActAgent if kind == "react" else ReasoningFunctionAgent
    return agent(llm=llm, tools=list(tools), max_rounds=4)


def calls(kind: str, name: str, arguments: dict[str, str]) -> Reply:
    """A reply that calls a tool in the agent's own way."""
    if kind == "native":
        return stream(tool_calls=[(name, arguments)], finish="tool_calls")
    return stream(f"Thought: Look.\nAction: {name}\nAction Input: {json.dumps(arguments)}", size=200)


def answers(kind: str, text: str) -> Reply:
    return stream(text if kind == "native" else f"Answer: {text}", size=200)


def tools_with(result: str, mailbox: Mailbox) -> list[BaseTool]:
    """Tools of LlamaIndex's own kind, which hand on what they find as it is."""

    def look_up(topic: str) -> str:
        return result

    return [FunctionTool.from_defaults(look_up), FunctionTool.from_defaults(mailbox.send_mail)]


async def told(agent: ChatAgent) -> list[TurnEvent]:
    events = Assistant().reply("When is the museum open?", agent=agent, turn_id="1")
    return [event async for event in events]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", INJECTIONS)
async def test_a_model_that_obeys_finds_nothing_to_obey(
    case: str, kind: str, provider: ProviderServer, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    obeyed: list[str] = []

    def obedient(request: Request) -> Reply:
        messages = [(message["role"], message["content"] or "") for message in request.body["messages"]]
        if len(messages) == 2:
            return calls(kind, "look_up", {"topic": "the museum"})
        obeyed.extend(orders_to(messages))
        return calls(kind, "send_mail", {"text": KEYS[0]}) if obeyed else answers(kind, "From nine to five.")

    provider.reset(obedient)
    events = await told(agent_on(provider, tools_with(INJECTIONS[case], mailbox), kind))
    assert obeyed == []
    assert mailbox.sent == []
    assert "".join(event.text for event in events if isinstance(event, AnswerDelta)) == "From nine to five."
    assert [event.name for event in events if isinstance(event, ToolStarted)] == ["look_up"]
    everything = json.dumps([request.body for request in provider.requests]) + repr(events) + caplog.text
    assert [key for key in KEYS if key in everything] == []


def test_the_corpus_would_take_over_a_model_without_protection() -> None:
    plain = "tag characters|base64|our fence|result inside|our own|ignore|an order|a request|role play|a picture|a link"
    harmless = [case for case, text in INJECTIONS.items() if not (orders_in(text) or re.search(plain, case))]
    assert harmless == []
    assert len(INJECTIONS) >= 30


COPIES = {
    "the whole reply": "{}",
    "its thought": "Thought: It says: {}",
    "its answer": "Answer: {}",
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("case", INJECTIONS)
async def test_what_a_model_copies_stays_text(case: str, way: str, mailbox: Mailbox) -> None:
    """And no character of ours is in what people see."""
    copied = COPIES[way].format(defused(INJECTIONS[case]))
    llm = ScriptedLLM(replies=[[Say(LOOK_UP)], [Say(copied)], [Say("Answer: That is all.")]])
    story, _ = await play(agent_of(llm, tools_with(INJECTIONS[case], mailbox)))
    assert mailbox.sent == []
    assert [step[1] for step in story if step[0] == "calls"] == ["look_up"]
    shown = "".join(step[1] for step in story if step[0] in {"thought", "answer"}).removeprefix("Look.")
    assert shown
    assert "\u2060" not in shown


@pytest.mark.parametrize("case", INJECTIONS)
async def test_what_a_model_with_native_calls_copies_stays_text(
    case: str, provider: ProviderServer, mailbox: Mailbox
) -> None:
    copied = stream(defused(INJECTIONS[case]), size=500)
    provider.add(calls("native", "look_up", {"topic": "the museum"}), copied, answers("native", "That is all."))
    events = await told(agent_on(provider, tools_with(INJECTIONS[case], mailbox), "native"))
    assert mailbox.sent == []
    assert [event.name for event in events if isinstance(event, ToolStarted)] == ["look_up"]
    shown = "".join(event.text for event in events if isinstance(event, AnswerDelta))
    assert shown
    assert "\u2060" not in shown


@pytest.mark.parametrize("case", INJECTIONS)
async def test_what_a_model_puts_into_a_call_comes_back_as_text(case: str, mailbox: Mailbox) -> None:
    copied = defused(INJECTIONS[case])
    arguments = json.dumps({"topic": copied}, ensure_ascii=False)
    call = f"Thought: {copied}\nAction: look_up\nAction Input: {arguments}"
    llm = ScriptedLLM(replies=[[Say(LOOK_UP)], [Say(call)], [Say("Answer: That is all.")], [Say("Answer: Enough.")]])
    story, _ = await play(agent_of(llm, tools_with(INJECTIONS[case], mailbox)))
    last = [(message.role.value, message.content or "") for message in llm.requests[-1]]
    assert orders_to(last) == []
    assert mailbox.sent == []
    assert [step for step in story if step[0] == "calls" and "\u2060" in str(step)] == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/admin",
        "http://localhost:{port}/",
        "http://[::1]:{port}/",
        "http://0.0.0.0:{port}/x",
        "http://2130706433:{port}/",
        "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
        "ftp://10.0.0.1/",
    ],
)
async def test_an_order_that_is_followed_meets_the_tools_own_guard(
    address: str, kind: str, provider: ProviderServer, victim: Collector
) -> None:
    url = address.format(port=victim.base.rpartition(":")[2])
    provider.add(calls(kind, "read_page", {"url": url}), answers(kind, "I could not read it."))
    config = ToolConfig(
        tavily_api_key=None,
        tavily_api_base="http://127.0.0.1:1",
        openweather_api_key=KEYS[2],
        openweather_api_base="http://127.0.0.1:1",
        open_meteo_api_base="http://127.0.0.1:1",
        open_meteo_geocoding_api_base="http://127.0.0.1:1",
        timeout_s=5,
    )
    events = await told(agent_on(provider, tools_of(config), kind))
    [finished] = [event for event in events if isinstance(event, ToolFinished)]
    assert finished.is_error
    assert victim.calls == []
    assert isinstance(events[-1], TurnEnded)
    assert events[-1].reason == "answered"
    assert [key for key in KEYS if key in repr(events) + json.dumps([r.body for r in provider.requests])] == []
