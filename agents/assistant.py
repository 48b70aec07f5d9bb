"""One chat's assistant: answers a turn after another and remembers them. The only user of AgentWorkflow."""

import time
from collections.abc import AsyncGenerator, Collection, Iterable
from contextlib import aclosing

from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.llms.llm import LLM
from llama_index.core.memory import ChatMemoryBuffer

from agents.chat_profiles import ChatAgent
from agents.events import EndReason, TurnEnded, TurnEvent
from agents.history import PastTurn, messages_from_turns
from agents.turn_reader import TurnReader
from llm.errors import LLMError

HISTORY_SHARE_OF_WINDOW = 0.5
"""How much of the model's window past turns may take; the rest is for the prompt, the tools' results and the reply."""

_SPARE_ITERATIONS = 5
"""The agent ends a turn by its own count of rounds; the workflow's count only has to be larger."""


class Assistant:
    """Answers questions and remembers what was said. Not for two turns at a time."""

    def __init__(self, history: Iterable[PastTurn] = ()) -> None:
        self._turns = list(history)

    async def reply(self, question: str, *, agent: ChatAgent, turn_id: str) -> AsyncGenerator[TurnEvent, None]:
        """Answer with `agent`. Yields the turn's events; the last is `TurnEnded`.

        A `turn_id` that is known means an edited question: that turn and all later ones are forgotten first.
        Closing the iterator early, or cancelling its task, stops the model and the tools; the turn is remembered as
        stopped, with what had been said.
        """
        self._forget_from(turn_id)
        began, reader = time.monotonic(), TurnReader()
        ended: EndReason = "stopped"
        error: LLMError | None = None
        try:
            async with aclosing(self._run(question, agent, reader)) as events:
                async for event in events:
                    yield event
            ended, error = "gave_up" if reader.gave_up else "answered", reader.shortfall
        except LLMError as failure:
            ended, error = "failed", failure
        finally:
            self._turns.append(PastTurn(turn_id, question, reader.answer, ended, tuple(reader.tools)))
        yield TurnEnded(ended, time.monotonic() - began, error)

    async def _run(self, question: str, agent: ChatAgent, reader: TurnReader) -> AsyncGenerator[TurnEvent, None]:
        workflow = AgentWorkflow(agents=[agent], timeout=None)
        run = workflow.run(
            user_msg=question,
            memory=self._memory(agent.llm),
            max_iterations=agent.max_rounds + _SPARE_ITERATIONS,
        )
        try:
            async for event in run.stream_events():
                for turn_event in reader.read(event):
                    yield turn_event
            await run
        finally:
            await run.cancel_run()

    def answer_to(self, turn_id: str) -> str | None:
        """The answer of a finished turn as the model wrote it; None for a turn that is not known."""
        return next((turn.answer for turn in self._turns if turn.turn_id == turn_id), None)

    def _memory(self, llm: LLM) -> ChatMemoryBuffer:
        """The past turns that fit, in a memory that trims nothing more itself."""
        room = round(llm.metadata.context_window * HISTORY_SHARE_OF_WINDOW)
        messages = messages_from_turns(self._turns, max_tokens=room)
        return ChatMemoryBuffer.from_defaults(chat_history=messages, token_limit=room, tokenizer_fn=_count_nothing)

    def forget(self, turn_ids: Collection[str]) -> None:
        """Turns that are no longer on the page."""
        self._turns[:] = [turn for turn in self._turns if turn.turn_id not in turn_ids]

    def _forget_from(self, turn_id: str) -> None:
        known = [turn.turn_id for turn in self._turns]
        if turn_id in known:
            del self._turns[known.index(turn_id) :]


def _count_nothing(_text: str) -> list[int]:
    return []
