"""Fetching a page that a model named: from public addresses only, text only, little and not for long.

A model may have been talked into naming an address inside: each hop is resolved here, all its addresses are judged,
and the connection goes to the address that was judged. Facts: OWASP SSRF cheat sheet; IANA special-purpose registries.
"""

import asyncio
import socket
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TypeAlias

import httpx

from tools.http import CONNECT_TIMEOUT_S, ServiceError, reason_for_fault, tls_context

MAX_BYTES = 2_000_000
MAX_SECONDS = 10
MAX_REDIRECTS = 3
_MOST_ADDRESSES = 3
"""How many addresses of a site are tried, one after the other: the first is often IPv6, which may lead nowhere."""

_PORTS = {"http": 80, "https": 443}
_INSIDE_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "arpa")
"""Last labels of names that only a network's own resolver knows."""

_REFUSED = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # carriers' private space; a cloud's metadata
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # a cloud's platform address, public by form
            "169.254.0.0/16",  # link-local; metadata of most clouds
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments; a cloud's metadata
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
            "2001::/23",  # Teredo and other protocol assignments
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: holds an IPv4 address
            "3fff::/20",  # documentation
        ),
    )
)
"""All of it spelled out: what `is_global` knows differs between Python's patch releases, and it never knew some."""
_GLOBAL_UNICAST = ip_network("2000::/3")
"""All other IPv6 space is mapped, translated (NAT64), site-local, link-local, private or unassigned."""

_TEXT_TYPES = ("text/", "application/json", "application/xml", "application/xhtml+xml")
_TEXT_SUFFIXES = ("+json", "+xml")

Address: TypeAlias = IPv4Address | IPv6Address
Resolve: TypeAlias = Callable[[str], Awaitable[list[str]]]
"""All addresses of a host name."""


class FetchError(ServiceError):
    """The page was not fetched, or not to its end. The words say why, for the middle of a sentence."""


@dataclass(frozen=True, slots=True)
class Page:
    """What was fetched. `url` is where it was found after redirects."""

    url: str
    content_type: str
    body: bytes


async def fetch_page(
    url: str, *, transport: httpx.AsyncBaseTransport | None = None, max_seconds: float = MAX_SECONDS
) -> Page:
    """Get one page of text.

    Raises:
        FetchError: the address is not public, or the page is not text, too large, too slow or not there.
    """
    transport = transport or GuardedTransport(httpx.AsyncHTTPTransport(verify=tls_context(), limits=_NO_REUSE))
    client = httpx.AsyncClient(
        transport=transport,
        headers=_HEADERS,
        timeout=CONNECT_TIMEOUT_S,
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        trust_env=False,
    )
    try:
        async with asyncio.timeout(max_seconds), client, client.stream("GET", url) as response:
            return await _page_from(response)
    except FetchError:
        raise
    except (httpx.InvalidURL, UnicodeError):  # the latter of a name that is no name in any script
        raise FetchError("that is not a web address") from None
    except httpx.TooManyRedirects:
        raise FetchError("it redirects too often") from None
    except httpx.HTTPError as error:
        raise FetchError(reason_for_fault("the site", error)) from None
    except TimeoutError:
        raise FetchError(f"it took longer than {max_seconds:g} s") from None


class GuardedTransport(httpx.AsyncBaseTransport):
    """Lets a request out to a public address only. httpx sends each redirect through here as well.

    `inner` gets requests whose host is the address that was judged; the Host header and the name for TLS stay.
    """

    def __init__(self, inner: httpx.AsyncBaseTransport, *, resolve: Resolve | None = None) -> None:
        self._inner = inner
        self._resolve = resolve or resolve_host

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Judge, then send.

        Raises:
            FetchError: the address may not be asked.
        """
        host = _host_of(request.url)
        *others, last = await self._public_addresses(host)
        for address in others:
            with suppress(httpx.ConnectError, httpx.ConnectTimeout):
                return await self._inner.handle_async_request(_request_to(address, host, request=request))
        return await self._inner.handle_async_request(_request_to(last, host, request=request))

    async def aclose(self) -> None:
        """Close what is inside."""
        await self._inner.aclose()

    async def _public_addresses(self, host: str) -> list[Address]:
        try:
            addresses = [ip_address(text) for text in await self._resolve(host)]
        except (OSError, ValueError, UnicodeError):
            raise FetchError("no such site was found") from None
        if not addresses:
            raise FetchError("no such site was found")
        if not all(map(is_public, addresses)):
            raise FetchError("its address is not on the public internet")
        return addresses[:_MOST_ADDRESSES]


def is_public(address: Address) -> bool:
    """Whether anybody on the internet could ask this address: neither inside a network nor special in any way."""
    if address.version == 6 and address not in _GLOBAL_UNICAST:
        return False
    return not any(address in network for network in _REFUSED)


async def resolve_host(host: str) -> list[str]:
    """The addresses of a host by the system's resolver, which also reads 127.1, 0x7f.1 and 2130706433."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


def _request_to(address: Address, host: str, *, request: httpx.Request) -> httpx.Request:
    return httpx.Request(
        request.method,
        request.url.copy_with(host=str(address)),
        headers=request.headers,
        stream=request.stream,
        extensions=request.extensions | {"sni_hostname": host},
    )


def _host_of(url: httpx.URL) -> str:
    """The host to ask, by the rules that need no look-up."""
    if url.scheme not in _PORTS or not url.host:
        raise FetchError("only http and https addresses can be read")
    if url.port not in (None, _PORTS[url.scheme]):
        raise FetchError("only the usual ports of the web are asked")
    if url.userinfo:
        raise FetchError("addresses with a user name are not asked")
    host = url.raw_host.decode("ascii").lower().rstrip(".")
    if host.rpartition(".")[2] in _INSIDE_NAMES:
        raise FetchError("its address is not on the public internet")
    return host


_HEADERS = {"Accept": "text/html, text/*;q=0.9, application/json;q=0.8", "Accept-Encoding": "gzip"}

_NO_REUSE = httpx.Limits(max_keepalive_connections=0)
"""Connections are pooled by address here, and one made for a site must not serve another on the same address."""


async def _page_from(response: httpx.Response) -> Page:
    if response.status_code != httpx.codes.OK:
        said = "is down at the moment" if response.is_server_error else "does not give it out"
        raise FetchError(f"the site {said} (HTTP {response.status_code})")
    content_type = response.headers.get("content-type", "").lower()
    kind = content_type.partition(";")[0].strip()
    if not (kind.startswith(_TEXT_TYPES) or kind.endswith(_TEXT_SUFFIXES)):
        raise FetchError(f"it is not text but {kind[:60] or 'of no known kind'}")
    body = b""
    async for part in _decoded(response):
        body += part
        if len(body) > MAX_BYTES:
            raise FetchError(f"it is larger than {MAX_BYTES // 1_000_000} MB")
    return Page(str(response.url), content_type, body)


async def _decoded(response: httpx.Response) -> AsyncIterator[bytes]:
    """The body, unpacked no further than is allowed: httpx would unpack a whole chunk, which may hold a bomb."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("identity", "gzip", "x-gzip", ""):
        raise FetchError("it is packed in an unknown way")
    unpack = zlib.decompressobj(wbits=31) if "gzip" in encoding else None
    async for chunk in response.aiter_raw():
        try:
            yield unpack.decompress(chunk, MAX_BYTES + 1) if unpack else chunk
        except zlib.error:
            raise FetchError("it is packed wrongly") from None
