"""Makes our errors of what the SDK and the HTTP library raise: the one place where foreign exceptions are caught."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx
import openai

from llm.complaints import Complaint, Peer, complaint_from, error_from
from llm.errors import LLMError, Stalled, StreamCut, Unreachable, UnreadableReply, WrongAddress

_IDS = ("x-ds-trace-id", "x-request-id", "request-id")
"""Headers by which a provider finds the request in its own logs (`ds`: the default provider; the others: most)."""
_NO_CONNECTION = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)


@contextmanager
def translated(peer: Peer, *, idle_timeout: float) -> Iterator[None]:
    """Raise what goes wrong inside as an `LLMError`. Its cause is dropped: it may hold the key."""
    try:
        yield
    except openai.APIStatusError as error:
        raise _from_status(error.response, peer) from None
    except openai.APIConnectionError as error:
        raise _from_transport(error.__cause__ or error, peer, idle_timeout) from None
    except httpx.HTTPStatusError as error:
        raise _from_status(error.response, peer) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _from_transport(error, peer, idle_timeout) from None


def _from_status(response: httpx.Response, peer: Peer) -> LLMError:
    try:
        complaint = complaint_from(response.json())
    except (ValueError, RecursionError, httpx.ResponseNotRead):
        complaint = None
    if not complaint:
        text = response.text if response.is_closed else ""
        complaint = Complaint(text[:2000])
    ids = " ".join(f"{name}={response.headers[name]}" for name in _IDS if name in response.headers)
    wait = _retry_after(response.headers)
    return error_from(complaint, peer, status=response.status_code, retry_after=wait, ids=ids)


def _from_transport(error: BaseException, peer: Peer, idle_timeout: float) -> LLMError:
    detail = peer.scrub(f"{type(error).__name__}: {error}")
    match error:
        case httpx.ReadTimeout() | httpx.WriteTimeout():
            return Stalled(detail, **peer.facts(seconds=round(idle_timeout)))
        case httpx.DecodingError():
            return UnreadableReply(detail, **peer.facts())
        case httpx.TooManyRedirects() | httpx.InvalidURL():
            return WrongAddress(detail, **peer.facts())
        case _ if isinstance(error, _NO_CONNECTION):
            return Unreachable(detail, **peer.facts())
        case _:
            return StreamCut(detail, **peer.facts())


def _retry_after(headers: httpx.Headers) -> float | None:
    """Seconds to wait, from `retry-after-ms`, or `retry-after` in seconds or as a date; never negative."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return max(0.0, milliseconds / 1000)
    value = headers.get("retry-after")
    if value is None or (seconds := _number(value)) is not None:
        return None if value is None else max(0.0, seconds or 0.0)
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
