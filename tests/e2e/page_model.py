"""A page to the letter: what Chainlit's own page makes of what it is sent, where `Page` is kind to the tests.

What stands on two pages can be compared, and what is left of a page after the end of its server.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.chat_client import Page

OF_STEPS = ("id", "type", "name", "output", "input", "isError", "language", "defaultOpen", "showInput", "metadata")
OF_ELEMENTS = ("id", "type", "name", "forId", "display", "mime", "language", "props", "size")
FLEETING_ICONS = {"hourglass", "unplug", "cpu"}
"""Of the lines that say that the model is waited for, or which one answers. They are of the moment."""
KEPT_TYPES = ("user_message", "assistant_message", "llm", "tool")


@dataclass(slots=True)
class WholePage(Page):
    """As in Chainlit's page, a step whose parent is not there is not shown, nor is a change to an unknown one.

    `grown` holds, for each step, when its text had which length, in seconds of `time.monotonic`.
    """

    grown: dict[str, list[tuple[float, int]]] = field(default_factory=dict)

    def say(self, message: dict[str, Any]) -> None:
        self.put(message)

    def put(self, step: dict[str, Any]) -> None:
        self.emits += 1
        if step["id"] in self.steps:
            self.change(step)
        elif not step.get("parentId") or step["parentId"] in self.steps:
            self._keep(dict(step))

    def change(self, step: dict[str, Any]) -> None:
        if step["id"] in self.steps:
            self._keep({**self.steps[step["id"]], **step})

    def add_token(self, token: dict[str, Any]) -> None:
        self.emits += 1
        if step := self.steps.get(token["id"]):
            before = "" if token["isSequence"] else step["output"]
            self._keep({**step, "output": before + token["token"]})

    def remove(self, step: dict[str, Any]) -> None:
        for inner in self.inside(step["id"]):
            self.remove(inner)
        self.steps.pop(step["id"], None)

    def resume(self, thread: dict[str, Any]) -> None:
        """A stored thread takes the place of all that was there, but for the buttons."""
        self.steps.clear()
        for step in thread["steps"]:
            self.put(step)
        self.elements = {element["id"]: element for element in thread["elements"]}

    @property
    def questions(self) -> list[dict[str, Any]]:
        return self.of_type("user_message")

    def inside(self, step_id: str | None) -> list[dict[str, Any]]:
        """The steps right below one, in their order."""
        return [step for step in self.steps.values() if (step.get("parentId") or None) == step_id]

    def from_on(self, question_id: str) -> list[dict[str, Any]]:
        """A question and what stands below it beside it, not in it."""
        roots = self.inside(None)
        return roots[roots.index(self.steps[question_id]) :]

    def answer_to(self, question_id: str) -> str:
        """The text of the answers to a question."""
        runs = [run["id"] for run in self.inside(question_id)]
        return "".join(step["output"] for step in self.of_type("assistant_message") if step["parentId"] in runs)

    def is_over(self, question_id: str) -> bool:
        """Whether the turn that answers a question has ended, one way or another."""
        return any(run.get("end") for run in self.inside(question_id))

    def ends(self) -> dict[str, str]:
        """How each turn ended, by the id of its run; a turn that was never begun has no end."""
        last_lines = [step for step in self.steps.values() if "turn" in (step.get("metadata") or {})]
        return {step["parentId"]: step["metadata"]["turn"]["ended"] for step in last_lines}

    def text_at(self, step_id: str, moment: float) -> str:
        """The text of a step as it was at a moment."""
        lengths = [length for at, length in self.grown[step_id] if at <= moment]
        return str(self.steps[step_id].get("output") or "")[: lengths[-1] if lengths else 0]

    def _keep(self, step: dict[str, Any]) -> None:
        self.steps[step["id"]] = step
        self.grown.setdefault(step["id"], []).append((time.monotonic(), len(step.get("output") or "")))


def standing(page: WholePage) -> list[tuple[int, dict[str, Any]]]:
    """All that lasts on a page, from top to bottom: how deep it stands, and what is seen of it."""
    return list(_standing_in(page, None, depth=0))


def _standing_in(page: WholePage, parent_id: str | None, *, depth: int) -> Iterator[tuple[int, dict[str, Any]]]:
    for step in page.inside(parent_id):
        if (step.get("metadata") or {}).get("icon") in FLEETING_ICONS:
            continue
        yield depth, {key: step.get(key) or None for key in OF_STEPS}
        yield from _standing_in(page, step["id"], depth=depth + 1)


def elements_of(page: WholePage) -> list[dict[str, Any]]:
    """What is seen of the elements, in their order: not those of a step that is gone, nor what no card holds."""
    elements = [element for element in page.elements.values() if element["forId"] in page.steps]
    held = {(element.get("props") or {}).get("held") for element in elements}
    seen = [element for element in elements if element["display"] != "page" or element["id"] in held]
    return [{key: element.get(key) or None for key in OF_ELEMENTS} for element in seen]


def losses(before: WholePage, after: WholePage, *, since: float) -> list[str]:
    """What stood on a page before its server ended and is not on the page that is there after it.

    What came after the moment `since` may be missing, but never a question that was taken up, nor anything's order.
    """
    missing = []
    for step in before.steps.values():
        if step["type"] not in KEPT_TYPES or not _was_taken_up(before, step):
            continue
        owed = step["output"] if step["type"] == "user_message" else before.text_at(step["id"], since)
        kept = after.steps.get(step["id"], {}).get("output") or ""
        if not kept.startswith(owed) and not owed.startswith(kept):
            missing.append(f"{step['type']}: {kept!r} stands where {owed!r} stood")
        elif len(kept) < len(owed):
            missing.append(f"{step['type']}: {owed[len(kept) :]!r} is gone after {kept!r}")
    order, new_order = ([seen["id"] for _, seen in standing(page)] for page in (before, after))
    if [step_id for step_id in order if step_id in new_order] != [step_id for step_id in new_order if step_id in order]:
        missing.append("the order")
    return missing


def _was_taken_up(page: WholePage, step: dict[str, Any]) -> bool:
    """A question is, once something stands under it in the run that answers it."""
    return step["type"] != "user_message" or any(page.inside(run["id"]) for run in page.inside(step["id"]))
