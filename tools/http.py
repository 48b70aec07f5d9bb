"""Plain HTTP to the fixed hosts of the settings, with every failure as one honest reason.

Pages named by a model are not fetched here but by `tools.guarded_http`.
"""

import functools
import ssl
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

CONNECT_TIMEOUT_S = 10

_Answer = TypeVar("_Answer", bound=BaseModel)


class ServiceError(Exception):
    """A service gave no usable answer. The words say why, for the middle of a sentence: "OpenWeather is down"."""


@functools.cache
def tls_context() -> ssl.SSLContext:
    """One for all clients: reading the certificate authorities takes some 20 ms each time."""
    return httpx.create_ssl_context()


class ServiceClient:
    """One service of the settings. Asks for JSON and gives it back parsed; own it with `async with`."""

    def __init__(self, name: str, base: str, *, secret_params: dict[str, str] | None = None) -> None:
        self._name = name
        transport = _SecretParams(secret_params) if secret_params else None
        self._http = httpx.AsyncClient(base_url=base, transport=transport, verify=tls_context(), timeout=_timeout())

    async def __aenter__(self) -> "ServiceClient":
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *exc_info: Any) -> None:
        await self._http.__aexit__(*exc_info)

    async def get(self, path: str, answer: type[_Answer], params: Mapping[str, str | int | float]) -> _Answer:
        """GET `path` and parse the body as `answer`.

        Raises:
            ServiceError: the service can't be reached, refuses, or answers what is not an `answer`.
        """
        try:
            response = await self._http.get(path, params=params)
            if response.status_code != httpx.codes.OK:
                raise ServiceError(reason_for_status(self._name, response.status_code))
            return answer.model_validate_json(response.content)
        except httpx.HTTPError as error:
            raise ServiceError(reason_for_fault(self._name, error)) from None
        except ValidationError:
            raise ServiceError(f"{self._name} answered something unreadable") from None


def plain_client() -> httpx.AsyncClient:
    """A client for a library that brings its own address and headers."""
    return httpx.AsyncClient(verify=tls_context(), timeout=_timeout())


def reason_for_status(service: str, status: int) -> str:
    """Why a service that answered with this status has not helped."""
    match status:
        case 401:
            return f"{service} did not accept the key in the settings"
        case 429:
            return f"{service} has had too many requests for now"
        case 432 | 433:
            return f"the plan at {service} is used up"
        case _ if status >= 500:
            return f"{service} is down at the moment (HTTP {status})"
        case _:
            return f"{service} refused the request (HTTP {status})"


def reason_for_fault(service: str, error: httpx.HTTPError) -> str:
    """Why a request that got no whole answer has not helped. Never the error's own words: they may hold the URL."""
    if isinstance(error, httpx.TimeoutException):
        return f"{service} took too long to answer"
    if isinstance(error, httpx.ConnectError):
        return f"{service} can't be reached from here"
    return f"the connection to {service} broke"


def _timeout() -> httpx.Timeout:
    """Only for connecting: how long a whole call may take is `as_tool`'s to say."""
    return httpx.Timeout(None, connect=CONNECT_TIMEOUT_S)


class _SecretParams(httpx.AsyncHTTPTransport):
    """Adds a key to the query on the wire only, because httpx logs each URL that its client asks for."""

    def __init__(self, params: dict[str, str]) -> None:
        super().__init__(verify=tls_context())
        self._params = params

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url.copy_merge_params(self._params)
        wire = httpx.Request(
            request.method, url, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        return await super().handle_async_request(wire)
