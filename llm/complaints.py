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
    r"|exceed(?:s|ed)? (?:the )?(?:max|model token limit)|reduce the length|input length|max_seq_len|maximum context"
    r"|more than max tokens|maximum model length|input is too long|`inputs` tokens|上下文长度|超长|exceed_context",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model.{0,80}(?:not exist|not found|does ?n.t exist|unknown|not supported|invalid|not a valid|unavailable)"
    r"|(?:no such|unknown|invalid|unsupported) model|not found the model|model_not_found|not a valid model"
    r"|no models? loaded|no endpoints found for|deploymentnotfound|模型不存在",
    re.IGNORECASE | re.DOTALL,
)
_CANNOT = re.compile(r"does ?n[o']t support|that support|image|multimodal|mmproj", re.IGNORECASE)
"""The model is there, but can't do what was asked of it."""
_BALANCE = re.compile(
    r"insufficient.{0,3}(?:balance|quota|credit|funds)|balance is (?:insufficient|too low)|arrear|good standing"
    r"|exceeded.{0,3}(?:your )?current.{0,3}quota|billing details|余额|欠费",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"moderation|flagged|content.?(?:filter|policy|exists risk)|inspection|inappropriate|敏感|不安全", re.I
)
_BUSY = re.compile(r"overload|too busy|unavailable|no capacity|capacity exceeded|loading model|server.?busy", re.I)
_RATE = re.compile(r"rate.?limit|too many requests|tpm|rpm limit|request limit", re.I)
_KEY = re.compile(
    r"authenti|invalid.{0,8}api.?key|api.?key.{0,3}(?:is )?(?:not valid|invalid)|incorrect api key|unauthori|no auth",
    re.I,
)
_BY_WORDS: tuple[tuple[set[int], re.Pattern[str], type[LLMError]], ...] = (
    ({400, 403, 429}, _BALANCE, NoBalance),
    ({400, 403}, _FILTER, Filtered),
    ({400, 403}, _RATE, RateLimited),
    ({400, 404, 422}, _CANNOT, RequestRefused),
    ({400, 404, 422}, _MODEL, ModelUnknown),
    ({500}, _BUSY, ServerBusy),
)
"""What the words say, where the status alone says too little or the wrong thing. The first that fits counts."""
_SURE_LIMIT = re.compile(r"(?:> |tokens allowed \(|must be <= )(\d{3,})")
_LIMIT = re.compile(
    r"(?:maximum (?:context|model) length|context (?:size|window|length)|token limit|max_seq_len|limit)\D{0,12}(\d{3,})"
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
    for statuses, pattern, kind in _BY_WORDS:
        if status in statuses and pattern.search(words):
            return kind
    if status in {502, 503, 504, 529, 408}:
        return ServerBusy
    if status in {401, 403} or (status == 400 and _KEY.search(words)):
        return KeyRefused if peer.key else KeyMissing
    named = {402: NoBalance, 404: WrongAddress, 405: WrongAddress, 413: RequestTooLarge, 429: RateLimited}
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
    limit = _SURE_LIMIT.search(message) or _LIMIT.search(message)
    asked = _ASKED.search(message)
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
