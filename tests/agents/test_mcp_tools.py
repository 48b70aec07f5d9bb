"""Tools of a real MCP server in the hands of both agents."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.assistant import Assistant
from agents.events import AnswerDelta, ToolFinished, ToolStarted
from agents.native import ReasoningFunctionAgent
from agents.react import ReasoningReActAgent
from llm.client import DeepSeek
from tests.provider.replies import stream
from tests.provider.server import provider
from tests.tools.test_mcp import Journal, connected, stdio_config
from tools.cards import PictureCard


@pytest.mark.parametrize("kind", ["react", "native"])
async def test_they_are_told_of_called_and_answered_from(kind: str, tmp_path: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [("add", {"a": 3}), ("draw", {})]
    with provider() as server:
        for name, arguments in calls:
            as_text = f"Action: {name}\nAction Input: {json.dumps(arguments)}"
            native = stream(tool_calls=[(name, arguments)], finish="tool_calls")
            server.add(stream(as_text, size=100) if kind == "react" else native)
        server.add(stream("Answer: It is five." if kind == "react" else "It is five.", size=100))
        async with connected(stdio_config(Journal(tmp_path / "journal"))) as tools:
            llm = DeepSeek(api_base=server.api_base, api_key="x", max_retries=0)
            agent = (ReasoningReActAgent if kind == "react" else ReasoningFunctionAgent)(llm=llm, tools=tools)
            events = [event async for event in Assistant().reply("3 and 2?", agent=agent, turn_id="1")]
        told = json.dumps(server.requests[0].body)
    assert "Add two numbers." in told
    assert "<|im_start|>" not in told
    assert [(event.name, event.arguments) for event in events if isinstance(event, ToolStarted)] == calls
    added, drawn = [event for event in events if isinstance(event, ToolFinished)]
    assert (added.text, added.is_error) == ("5", False)
    assert [type(card) for card in drawn.display] == [PictureCard]
    assert "".join(event.text for event in events if isinstance(event, AnswerDelta)) == "It is five."
