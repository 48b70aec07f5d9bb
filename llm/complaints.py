"""Reads what endpoints say when they refuse or fail, in whatever envelope, and makes it one of our errors."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from llm.errors import (
    DEFAULT_WAIT_S,
    ContextTooLong,
    Filtered,
    KeyMissing,
    KeyRefused,
    LLMError,
    ModelRetired,
    ModelUnknown,
    NoBalance,
    RateLimited,
    RequestRefused,
    RequestTooLarge,
    ServerBusy,
    ServerFailed,
    WrongAddress,
)

MAX_REASON = 200
MAX_DETAIL = 2000


@dataclass(frozen=True, slots=True)
class Peer:
    """Whom we talk to: what an error sentence needs, and the key, which no sentence may hold."""

    address: str
    host: str
    model: str
    context_window: int
    successor: str | None = None
    """The id that took the place of `model`, if its maker has withdrawn it."""
    key: str = field(default="", repr=False)

    def facts(self, **more: object) -> dict[str, object]:
        return {"host": self.host, "model": self.model, "address": self.address, **more}

    def scrub(self, text: str) -> str:
        """`text` without the key, even where the endpoint repeats it in part or masked."""
        if len(self.key) >= 4:
            text = text.replace(self.key, "[key]")
        if len(self.key) >= 16:
            text = re.sub(rf"{re.escape(self.key[:8])}\S*|\S*{re.escape(self.key[-8:])}", "[key]", text)
        return _KEYS.sub("[key]", text)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What an endpoint said: its words, its code words (`type`, `code`) and the status it named, if any."""

    message: str
    code: str = ""
    status: int | None = None


_KEYS = re.compile(r"\b(?:sk|gsk|tp|pk|nvapi|xai|hf)[-_][\w*.-]{4,}|[\w-]*\*{2,}[\w*-]*|(?<=[Bb]earer )\S+")
_CONTEXT = re.compile(
    r"context.{0,20}(?:length|window|size)|context_length_exceeded|too many tokens|prompt is too long"
    r"|exceeds? (?:the )?(?:max|model token limit)|reduce the length|input length|max_seq_len|maximum context",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model.{0,80}(?:not exist|not found|does ?n.t exist|unknown|not supported|invalid|not a valid|unavailable)"
    r"|(?:no such|unknown|invalid|unsupported) model|model_not_found|not a valid model",
    re.IGNORECASE | re.DOTALL,
)
_BALANCE = re.compile(r"insufficient.{0,3}(?:balance|quota|credit|funds)|arrears|exceeded your current quota", re.I)
_FILTER = re.compile(r"moderation|flagged|content.?(?:filter|policy|exists risk)|inspection|inappropriate", re.I)
_BUSY = re.compile(r"overload|too busy|unavailable|no capacity|capacity exceeded|loading model|server.?busy", re.I)
_RATE = re.compile(r"rate.?limit|too many requests|tpm|rpm limit", re.I)
_KEY = re.compile(r"authenti|invalid.{0,8}api.?key|incorrect api key|unauthori|no auth", re.I)
_LIMIT = re.compile(
    r"(?:maximum context length|context (?:size|window|length)|token limit|max_seq_len|limit)\D{0,12}(\d{3,})"
    r"|(\d{3,}) maximum context|\[\d+, ?(\d{3,})\]",
    re.IGNORECASE,
)
_ASKED = re.compile(r"(?:requested|request has|request \(|contains|prompt_tokens \()\D{0,10}(\d{3,})", re.IGNORECASE)


def complaint_from(payload: object) -> Complaint | None:
    """The complaint in a JSON body, in any of the envelopes that hosts use, or None if it is none."""
    if isinstance(payload, list) and payload:
        return complaint_from(payload[0])
    if not isinstance(payload, Mapping):
        return None
    if error := payload.get("error"):
        return _from_error(error)
    base = payload.get("base_resp")
    if isinstance(base, Mapping) and base.get("status_code"):  # MiniMax, with HTTP 200
        return Complaint(str(base.get("status_msg") or "error"), str(base["status_code"]))
    for name in ("message", "msg", "detail", "error_msg"):  # SiliconFlow, FastAPI, vLLM's older servers
        if payload.get(name) and "choices" not in payload:
            return _from_error({**payload, "message": payload[name]})
    return None


def _from_error(error: object) -> Complaint:
    if not isinstance(error, Mapping):
        return Complaint(str(error))
    message = error.get("message") or error.get("msg") or json.dumps(dict(error), ensure_ascii=False, default=str)
    inner = error.get("metadata")
    if isinstance(inner, Mapping) and inner.get("raw"):  # OpenRouter: the words of the host behind it
        message = f"{message}: {inner['raw']}"
    numbers = [error.get(name) for name in ("code", "status", "status_code")]
    status = next((int(n) for n in map(str, numbers) if n.isdecimal() and 400 <= int(n) < 600), None)
    words = " ".join(str(error[name]) for name in ("type", "code") if error.get(name))
    return Complaint(_words(message), words, status)


def _words(message: object) -> str:
    """The message as text. FastAPI says a list of places and what is wrong there."""
    if isinstance(message, list) and all(isinstance(item, Mapping) and "msg" in item for item in message):
        return "; ".join(f"{item['loc'][-1]}: {item['msg']}" if item.get("loc") else item["msg"] for item in message)
    return message if isinstance(message, str) else json.dumps(message, ensure_ascii=False, default=str)


def error_from(
    complaint: Complaint, peer: Peer, *, status: int = 200, retry_after: float | None = None, ids: str = ""
) -> LLMError:
    """Our error for what the endpoint said. `status` is that of HTTP; with 200, the complaint's own counts."""
    if status < 400:
        status = complaint.status or _status_from_words(f"{complaint.code} {complaint.message}")
    words = peer.scrub(complaint.message).strip()
    detail = f"HTTP {status} {peer.scrub(complaint.code)} {ids}: {words}"[:MAX_DETAIL]
    facts = peer.facts(reason=_shortened(words), seconds=DEFAULT_WAIT_S)
    if retry_after is not None:
        facts |= {"seconds": max(1, round(retry_after)), "retry_after": retry_after}
    if _CONTEXT.search(complaint.message + complaint.code) and status in {400, 413, 422, 500}:
        return ContextTooLong(detail, **facts, **_context_numbers(complaint.message, peer))
    if peer.successor and status in {400, 404, 422}:
        return ModelRetired(detail, **facts, successor=peer.successor)
    return _class_for(status, f"{complaint.code} {complaint.message}", peer)(detail, **facts)


def _class_for(status: int, words: str, peer: Peer) -> type[LLMError]:
    if status == 402 or (status in {400, 403, 429} and _BALANCE.search(words)):
        return NoBalance
    if status in {400, 403} and _FILTER.search(words):
        return Filtered
    if status in {400, 404, 422} and _MODEL.search(words):
        return ModelUnknown
    if status in {502, 503, 504, 529, 408} or (status == 500 and _BUSY.search(words)):
        return ServerBusy
    if status in {401, 403}:
        return KeyRefused if peer.key else KeyMissing
    named = {404: WrongAddress, 405: WrongAddress, 413: RequestTooLarge, 429: RateLimited}
    if status in named:
        return named[status]
    return ServerFailed if status >= 500 else RequestRefused


def _status_from_words(words: str) -> int:
    """The HTTP status that an error inside a reply would have had."""
    for pattern, status in ((_BALANCE, 402), (_RATE, 429), (_BUSY, 503), (_KEY, 401), (_CONTEXT, 400), (_MODEL, 404)):
        if pattern.search(words):
            return status
    return 400 if "invalid_request" in words else 500


def _context_numbers(message: str, peer: Peer) -> dict[str, object]:
    limit, asked = _LIMIT.search(message), _ASKED.search(message)
    return {
        "limit": int(limit[limit.lastindex or 1]) if limit else peer.context_window,
        "tokens": int(asked[1]) if asked else None,
    }


def _shortened(words: str) -> str:
    """The endpoint's words as part of a sentence; nothing of a web page or of JSON."""
    line = " ".join(words.split())
    if not line or line.startswith(("<", "{", "[")):
        return "it gave no reason"
    return (line if len(line) <= MAX_REASON else line[: MAX_REASON - 1] + "…").rstrip(" .")
