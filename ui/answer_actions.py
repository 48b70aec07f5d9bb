"""What can be done with the last answer: try again, in another way too, and save it. Older answers lose the buttons."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import chainlit as cl
from chainlit.chat_context import chat_context

from llm.effort import ThinkingChoice
from ui.stored_turns import is_answer
from ui.texts import Texts

TRY_AGAIN, GO_ON, EXPORT = "try_again", "go_on", "export_answer"


def actions_for(
    texts: Texts,
    turn_id: str,
    *,
    other_efforts: Sequence[ThinkingChoice] = (),
    has_answer: bool = True,
    is_cut: bool = False,
) -> list[cl.Action]:
    """The buttons under the last answer, or under the sentence that says why there is none.

    `is_cut`: the server ended while the answer was written.
    """
    words = texts.composer
    go_on = cl.Action(name=GO_ON, payload={}, label=words.go_on, icon="play")
    again = cl.Action(name=TRY_AGAIN, payload={"turn": turn_id}, label=words.try_again, icon="rotate-ccw")
    others = [
        cl.Action(
            name=TRY_AGAIN,
            payload={"turn": turn_id, "effort": effort},
            label=words.without_thinking if effort == "off" else words.more_effort,
            icon="zap" if effort == "off" else "brain",
        )
        for effort in other_efforts
    ]
    export = cl.Action(name=EXPORT, payload={"turn": turn_id}, label=words.export, icon="download")
    return [*([go_on] if is_cut else []), again, *others, *([export] if has_answer else [])]


@dataclass(slots=True)
class LastAnswer:
    """The buttons of a chat: those of one answer at most."""

    texts: Texts
    other_efforts: Sequence[ThinkingChoice] = ()
    _turn_id: str = ""
    _actions: list[cl.Action] = field(default_factory=list)

    def begin(self, turn_id: str) -> None:
        """A turn begins; nothing is known of its model yet."""
        self._turn_id = turn_id
        self.other_efforts = ()

    async def show_actions(self) -> None:
        """Put the buttons under the last message of the current run, if it has one."""
        if message := _last_message():
            await self.show_under(message.id, has_answer=is_answer(message.to_dict()))

    async def show_under(self, message_id: str, *, has_answer: bool = True, is_cut: bool = False) -> None:
        """Put the buttons under this message."""
        self._actions = actions_for(
            self.texts, self._turn_id, other_efforts=self.other_efforts, has_answer=has_answer, is_cut=is_cut
        )
        for action in self._actions:
            # A page that was open while the server began anew still has them; by the same ids they are the same.
            action.id = f"{message_id} {action.name} {action.payload.get('effort', '')}"
            await action.remove()
            await action.send(for_id=message_id)

    async def lose_actions(self) -> None:
        """Take the buttons away."""
        actions, self._actions = self._actions, []
        for action in actions:
            await action.remove()


def _last_message() -> cl.Message | None:
    run = cl.context.current_run
    answers = [message for message in chat_context.get() if message.type == "assistant_message"]
    return next((message for message in reversed(answers) if run and message.parent_id == run.id), None)
