"""Reads one reply of an endpoint, from bytes to responses. Pure: no network, no waiting, no retry.

Feed it network reads, cut anywhere; take the responses that have become certain; end it. What came in one read is
handed on as one delta of each kind, in order.
"""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from llm.chunk import choice_in, details_in, text_in, thinking_in, tool_calls_in, usage_in
from llm.complaints import Peer, complaint_from, error_from
from llm.endings import failure_at_end, shortfall_at_end
from llm.errors import LLMError, StreamCut, UnreadableReply, WrongAddress
from llm.half_characters import HalfCharacters
from llm.response import Moment, ReasoningChatResponse
from llm.sse import Event, EventStream
from llm.think_tags import Split, TagSplitter
from llm.thinking import ThinkingSoFar
from llm.tool_call_stream import ToolCallStream
from llm.usage import Usage

_TEXT, _THINKING, _TOOLS, _RECALL = "text", "thinking", "tools", "recall"


class Reply:
    """One reply. `family` goes on record with its thinking; `opened`: its content may begin inside a thinking block."""

    def __init__(self, peer: Peer, family: str, *, opened: bool = False) -> None:
        self.is_over = False
        """Whether nothing that follows counts, so that the connection can be closed."""
        self.failure: LLMError | None = None
        self.began_inside_block: bool | None = None
        """Whether the content began inside a thinking block that the prompt had opened; None: it showed neither."""
        self._peer = peer
        self._events = EventStream()
        self._splitter = TagSplitter(opened=opened)
        self._thinking = ThinkingSoFar(family)
        self._text: list[str] = []
        self._tools = ToolCallStream()
        self._new: list[tuple[str, str]] = []
        self._raw: Mapping[str, Any] | None = None
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._is_whole = False
        self._text_halves, self._thinking_halves = HalfCharacters(), HalfCharacters()

    def feed(self, read: bytes) -> list[ReasoningChatResponse]:
        """Take in one network read. The responses that it makes certain."""
        for event in self._events.feed(read):
            if not self.is_over:
                self._take(event)
        return self._responses() if self._new else []

    def silent(self, seconds: float) -> ReasoningChatResponse:
        """The response that says nothing but that nothing comes."""
        notice = {"silent_s": seconds}
        return ReasoningChatResponse.at(self._moment(), raw=notice, additional_kwargs=dict(notice), silent_s=seconds)

    def end(self, cut: LLMError | None = None) -> list[ReasoningChatResponse]:
        """The body has ended, or was `cut`. The last responses; from now on `failure` says whether the reply counts."""
        if not cut:
            for event in self._events.close():
                if not self.is_over:
                    self._take(event, is_tail=True)
        self.is_over = True
        if not self._is_whole and self._finish is None:
            self.failure = self.failure or cut or self._lacks_an_end()
        self._split(self._splitter.close(complete=not self.failure))
        responses = self._responses() if self._new else []
        last = self._response("", {}, ended=True)
        self.failure = self.failure or failure_at_end(last, self._peer)
        if self.failure and not self._says_anything():
            return []
        if self.failure:
            self.failure.partial = last
        return [*responses, last]

    def _says_anything(self) -> bool:
        return any(self._text) or any(self._thinking.pieces) or bool(self._tools.so_far())

    def _lacks_an_end(self) -> LLMError:
        if self._raw is not None and not self._raw.get("choices") and not self._says_anything():
            return UnreadableReply("no choices", **self._peer.facts())
        return StreamCut("no finish_reason and no [DONE]", **self._peer.facts())

    def _take(self, event: Event, *, is_tail: bool = False) -> None:
        data = event.data.strip()
        if data.strip(b'"').upper() == b"[DONE]":
            self.is_over = self._is_whole = True
            return
        try:
            payload = json.loads(data)
        except (ValueError, RecursionError):
            self._take_garbage(event.name, data, is_tail=is_tail)
            return
        if event.name == "error":
            payload = payload if isinstance(payload, dict) and payload.get("error") else {"error": payload}
        self._take_payload(payload)

    def _take_garbage(self, name: str, data: bytes, *, is_tail: bool) -> None:
        """Not JSON: a cut tail, a heartbeat under a name of its own, an error in words, a web page, or rubbish."""
        if not data or (is_tail and self._raw is not None) or name not in {"", "message", "error"}:
            return
        words = data[:1000].decode(errors="replace")
        self.is_over = True
        if name == "error":
            self._take_payload({"error": words})
        else:
            kind = WrongAddress if data.startswith(b"<") else UnreadableReply
            self.failure = kind(self._peer.scrub(words), **self._peer.facts())

    def _take_payload(self, payload: Any) -> None:
        choice = choice_in(payload) if isinstance(payload, dict) else None
        if (choice is None or "error" in payload) and (complaint := complaint_from(payload)):
            self.is_over = True
            self.failure = error_from(complaint, self._peer)
            return
        if not isinstance(payload, dict):
            return
        if self._raw is None:
            self._tools.seed = f"{payload.get('id')}/{payload.get('created')}"
        self._raw = payload
        if choice is not None:
            self._take_choice(choice)
        if later := usage_in(payload):
            self._usage = self._usage.updated(later) if self._usage else later

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        delta = choice.get("delta")
        if delta is None and isinstance(choice.get("message"), dict):
            self._is_whole = True
            delta = None if self._says_anything() else choice["message"]  # some repeat it all at a stream's end
        elif delta is None and isinstance(choice.get("text"), str):  # the old way of completions
            delta = {"content": choice["text"]}
        if isinstance(delta, dict):
            self._take_delta(delta)
        if finish := choice.get("finish_reason"):
            self._finish = str(finish)

    def _take_delta(self, delta: Mapping[str, Any]) -> None:
        thinking, field = thinking_in(delta)
        if thinking and (thinking := self._thinking_halves.joined(thinking)):
            self._splitter.stop_watching()
            self._add(_THINKING, self._thinking.from_field(thinking, field))
        if "reasoning_details" in delta:
            self._thinking.details += details_in(delta)
        if text := self._text_halves.joined(text_in(delta)):
            if self._splitter.is_done:
                self._text.append(text)
                self._add(_TEXT, text)
            else:
                self._split(self._splitter.feed(text))
        if (calls := tool_calls_in(delta)) and self._tools.feed(calls):
            self._add(_TOOLS, "+")

    def _split(self, split: Split) -> None:
        if split.whole:
            # Responses given out earlier keep the lists they know.
            self.began_inside_block = bool(split.whole[0])
            self._new = [(kind, text) for kind, text in self._new if kind != _TEXT] + [(_RECALL, "+")]
            self._thinking.rewrite(split.whole[0])
            self._text = [split.whole[1]]
            self._add(_THINKING, split.thinking)
        else:
            self._add(_THINKING, self._thinking.from_tags(split.thinking))
            self._text.append(split.text)
        self._add(_TEXT, split.text)

    def _add(self, kind: str, text: str) -> None:
        """Note what is new, joined to what is new of the same kind right before it."""
        if not text:
            return
        if self._new and self._new[-1][0] == kind:
            text = self._new.pop()[1] + text
        self._new.append((kind, text))

    def _responses(self) -> list[ReasoningChatResponse]:
        new, self._new = self._new, []
        more = {_THINKING: "thinking_delta", _RECALL: "recalls_text"}
        return [
            self._response(text if kind == _TEXT else "", {more[kind]: text} if kind in more else {})
            for kind, text in new
        ]

    def _response(self, delta: str, more: dict[str, Any], *, ended: bool = False) -> ReasoningChatResponse:
        moment = self._moment(ended=ended)
        if not ended:
            return ReasoningChatResponse.at(moment, delta=delta, raw=self._raw, additional_kwargs=more)
        if self._finish:
            more["finish_reason"] = self._finish
        if self._usage:
            more |= self._usage.token_counts()
        whole = moment.message()  # the last one is read by all, also by observers that know only the parent class
        return ReasoningChatResponse.at(
            moment, message=whole, shortfall=shortfall_at_end(self._finish, self._peer), delta=delta, raw=self._raw,
            additional_kwargs=more, finish_reason=self._finish, usage=self._usage,
        )  # fmt: skip

    def _moment(self, *, ended: bool = False) -> Moment:
        thinking, text, calls = self._thinking, self._text, self._tools.so_far()
        return Moment(
            thinking.pieces, len(thinking.pieces), text, len(text), thinking.details, len(thinking.details),
            thinking.source, partial(self._tools.calls, calls, ended=ended) if calls else list,
        )  # fmt: skip
