import asyncio
import resource
import time
from collections.abc import Iterator
from ipaddress import ip_address

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.site import HTML, PUBLIC, Detour, Site, running_site
from tools.guarded_http import FetchError, GuardedTransport, Page, fetch_page, is_public, resolve_host

NAMES = {
    "inside.example.com": ["127.0.0.1"],
    "both.example.com": [PUBLIC, "10.0.0.7"],
    "six.example.com": ["2606:4700::1111"],
    "mapped.example.com": ["::ffff:10.0.0.1"],
    "nothing.example.com": [],
}


async def resolve(host: str) -> list[str]:
    """Names of the tests; what is an address in any notation goes to the system's own resolver."""
    if host.endswith((".example.com", "example.com", ".jp")):
        return NAMES.get(host, [PUBLIC])
    return await resolve_host(host)


@pytest.fixture
def site() -> Iterator[Site]:
    with running_site() as running:
        yield running


@pytest.fixture
def detour(site: Site) -> Detour:
    return Detour(site)


async def fetch(detour: Detour, url: str) -> Page:
    return await fetch_page(url, transport=GuardedTransport(detour, resolve=resolve))


REFUSED = [
    "http://127.0.0.1/",
    "http://127.0.0.1:80/",
    "http://127.1/",
    "http://127.255.255.254/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://100.100.100.200/",
    "http://169.254.169.254/",
    "http://169.254.170.2/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://192.0.2.1/",
    "http://198.19.255.255/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://192.88.99.1/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://[::]/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[::ffff:93.184.216.34]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[100::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[5f00::1]/",
    "http://localhost/",
    "http://LocalHost./",
    "http://a.localhost/",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "http://router.lan/",
    "http://nas.home.arpa/",
    "http://kubernetes.default.svc.cluster.local/",
    "http://inside.example.com/",
    "http://both.example.com/",
    "http://mapped.example.com/",
    "http://nothing.example.com/",
    "http://user@example.com/",
    "http://user:pw@example.com/",
    "http://example.com@127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    "http://127.0.0.1#@example.com/",
    "http://127.0.0.1?@example.com/",
    "http://example.com:22/",
    "http://example.com:8080/",
    "http://example.com:443/",
    "https://example.com:80/",
    "file:///etc/passwd",
    "gopher://example.com/_INFO",
    "ftp://example.com/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "//example.com/",
    "example.com",
    "http:///etc",
    "http://",
    "",
    "http://example.com/\r\nX: y",
    "http://exa mple.com/",
    "http://[::1/",
    "http://xn--a/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://" + "a" * 300 + ".com/",
    "http://example.com/" + "a" * 70_000,
]


@pytest.mark.parametrize("url", REFUSED)
async def test_refused_before_any_packet_leaves(detour: Detour, url: str) -> None:
    with pytest.raises(FetchError):
        await fetch(detour, url)
    assert detour.to == []


@pytest.mark.parametrize(
    ("url", "address", "host", "tls_name"),
    [
        ("http://example.com/", PUBLIC, "example.com", "example.com"),
        ("https://example.com/", PUBLIC, "example.com", "example.com"),
        ("https://EXAMPLE.com.:443/", PUBLIC, "example.com.", "example.com"),
        ("http://93.184.216.34/", PUBLIC, PUBLIC, PUBLIC),
        ("https://six.example.com/", "2606:4700::1111", "six.example.com", "six.example.com"),
        ("https://[2606:4700::1111]/", "2606:4700::1111", "[2606:4700::1111]", "2606:4700::1111"),
        ("https://例え.jp/", PUBLIC, "xn--r8jz45g.jp", "xn--r8jz45g.jp"),
    ],
)
async def test_goes_to_the_judged_address_under_its_own_name(
    detour: Detour, *, url: str, address: str, host: str, tls_name: str
) -> None:
    page = await fetch(detour, url)
    assert (page.content_type, page.body) == ("text/html", HTML)
    assert detour.to == [(address, host, tls_name)]


async def test_a_name_is_looked_up_once_so_that_a_later_answer_changes_nothing(detour: Detour) -> None:
    answers = [[PUBLIC], ["127.0.0.1"]]

    async def rebinding(_: str) -> list[str]:
        return answers.pop(0)

    await fetch_page("http://example.com/", transport=GuardedTransport(detour, resolve=rebinding))
    assert [address for address, *_ in detour.to] == [PUBLIC]
    assert answers == [["127.0.0.1"]]


async def test_another_address_is_tried_when_the_first_leads_nowhere() -> None:
    tried: list[str] = []

    class OnlyIPv4(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            tried.append(request.url.host)
            if ":" in request.url.host:
                raise httpx.ConnectError("no route", request=request)
            return httpx.Response(200, headers={"Content-Type": "text/plain"}, stream=httpx.ByteStream(b"here"))

    async def both(_: str) -> list[str]:
        return ["2606:4700::1111", PUBLIC]

    page = await fetch_page("https://example.com/", transport=GuardedTransport(OnlyIPv4(), resolve=both))
    assert page.body == b"here"
    assert tried == ["2606:4700::1111", PUBLIC]


async def test_a_redirect_to_a_public_page_is_followed(detour: Detour, site: Site) -> None:
    page = await fetch(detour, "http://example.com/hop")
    assert page.url == "https://other.example.com/"
    assert site.asked == ["example.com/hop", "other.example.com/"]


@pytest.mark.parametrize("path", ["inside", "inside-name", "metadata", "file", "protocol"])
async def test_a_redirect_inside_is_refused(detour: Detour, site: Site, path: str) -> None:
    with pytest.raises(FetchError):
        await fetch(detour, f"http://example.com/{path}")
    assert site.asked == [f"example.com/{path}"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("loop", "redirects too often"),
        ("binary", "not text but application/octet-stream"),
        ("image", "not text but image/png"),
        ("untyped", "not text but of no known kind"),
        ("missing", r"does not give it out \(HTTP 404\)"),
        ("broken", "is down at the moment"),
        ("large", "larger than 2 MB"),
        ("bomb", "larger than 2 MB"),
        ("badgzip", "packed wrongly"),
        ("twice", "unknown way"),
        ("brotli", "unknown way"),
    ],
)
async def test_what_is_no_small_text_is_refused(detour: Detour, path: str, reason: str) -> None:
    with pytest.raises(FetchError, match=reason):
        await fetch(detour, f"http://example.com/{path}")


async def test_redirects_end_after_three(detour: Detour, site: Site) -> None:
    with pytest.raises(FetchError):
        await fetch(detour, "http://example.com/loop")
    assert len(site.asked) == 4


@pytest.mark.parametrize(("path", "body"), [("json", b"{}"), ("gzip", b"packed")])
async def test_other_text_is_read(detour: Detour, path: str, body: bytes) -> None:
    assert (await fetch(detour, f"http://example.com/{path}")).body == body


async def test_a_bomb_is_not_unpacked(detour: Detour) -> None:
    with pytest.raises(FetchError):
        await fetch(detour, "http://example.com/bomb")  # whatever is loaded once is loaded
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FetchError):
        await fetch(detour, "http://example.com/bomb")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000  # kB


async def test_a_page_that_never_ends_is_given_up(detour: Detour) -> None:
    transport = GuardedTransport(detour, resolve=resolve)
    began = time.monotonic()
    with pytest.raises(FetchError, match="took longer than"):
        await fetch_page("http://example.com/endless", transport=transport, max_seconds=0.3)
    assert time.monotonic() - began < 1


async def test_cancelling_ends_at_once(detour: Detour) -> None:
    call = asyncio.create_task(fetch(detour, "http://example.com/endless"))
    await asyncio.wait_for(detour.reached.wait(), 5)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(call, 1)


async def test_the_default_client_asks_nobody_on_this_machine(site: Site) -> None:
    for url in (f"http://127.0.0.1:{site.port}/", "http://127.0.0.1/", "http://localhost/"):
        with pytest.raises(FetchError):
            await fetch_page(url)
    assert site.asked == []


async def test_the_environments_proxy_is_not_used(monkeypatch: pytest.MonkeyPatch, site: Site, detour: Detour) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{site.port}")
    with pytest.raises(FetchError):
        await fetch_page("http://127.0.0.1/")
    await fetch(detour, "http://example.com/")
    assert site.asked == ["example.com/"]


@given(st.ip_addresses(v=4))
def test_an_address_that_holds_another_is_refused(inner: object) -> None:
    for form in (f"::ffff:{inner}", f"::{inner}", f"64:ff9b::{inner}"):
        assert not is_public(ip_address(form))


@given(st.ip_addresses(v=4))
def test_nothing_is_public_that_python_knows_to_be_special(address: object) -> None:
    judged = ip_address(str(address))
    assert judged.is_global or not is_public(judged)


@given(st.ip_addresses(v=6))
def test_only_global_unicast_space_is_public(address: object) -> None:
    judged = ip_address(str(address))
    assert not is_public(judged) or judged.packed[0] >> 5 == 1


def test_errors_of_the_transport_seam_are_reasons() -> None:
    class Broken(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            raise httpx.ReadError("http://example.com/?key=canary", request=request)

    with pytest.raises(FetchError, match=r"^the connection to the site broke$"):
        asyncio.run(fetch_page("http://example.com/", transport=GuardedTransport(Broken(), resolve=resolve)))
