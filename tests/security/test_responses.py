"""What the server sends: headers on everything, no trace of another host, and files that cannot run on the page."""

import base64
import hashlib
import re
import socket

import httpx
import pytest

from tests.e2e.running_app import RunningApp
from tests.security.attacker import connected, handshake

EVERYTHING = ["/", "/health", "/logo", "/public/thinkglass.css", "/user", "/no/such/page", "/project/translations"]


def policy_of(answer: httpx.Response) -> dict[str, list[str]]:
    directives = (part.split() for part in answer.headers["content-security-policy"].split(";"))
    return {name: sources for name, *sources in directives}


@pytest.mark.parametrize("path", EVERYTHING)
def test_every_response_carries_the_headers(server: RunningApp, path: str) -> None:
    headers = server.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-dns-prefetch-control"] == "off"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "content-security-policy" in headers


def test_the_pages_program_is_kept_by_browsers_and_is_the_same_compressed_or_not(server: RunningApp) -> None:
    files = re.findall(r'(?:src|href)="(/assets/[^"]+\.(?:js|css))"', server.get("/").text)
    assert {file.rpartition(".")[2] for file in files} == {"js", "css"}
    for file in files:
        compressed = server.get(file, headers={"Accept-Encoding": "gzip"})
        plain = server.get(file, headers={"Accept-Encoding": "identity"})
        assert compressed.headers["content-encoding"] == "gzip"
        assert compressed.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert compressed.headers["content-type"] == plain.headers["content-type"]
        assert compressed.content == plain.content
        assert "content-security-policy" in compressed.headers


@pytest.mark.parametrize("name", ["index-00000000.js", "%2e%2e/server.py", "index-00000000.js.map", ""])
def test_of_the_pages_program_there_is_nothing_but_its_files(server: RunningApp, name: str) -> None:
    assert server.get(f"/assets/{name}", headers={"Accept-Encoding": "gzip"}).status_code in (400, 404)


def test_a_refusal_carries_them_too(server: RunningApp) -> None:
    assert "content-security-policy" in server.get("/", headers={"Host": "evil.example"}).headers


def test_an_error_that_nobody_caught_carries_them_too(server: RunningApp) -> None:
    answer = server.request("POST", "/project/action", json={"sessionId": "unknown", "action": {}})
    assert answer.status_code == 500
    assert "content-security-policy" in answer.headers


def test_the_policy_names_no_other_host_and_no_inline_script_but_ours(server: RunningApp) -> None:
    page = server.get("/")
    policy = policy_of(page)
    here = f"127.0.0.1:{server.port}"
    allowed = {"'self'", "'none'", "data:", "blob:", "'unsafe-eval'", f"ws://{here}", f"wss://{here}"}
    assert policy["frame-ancestors"] == policy["object-src"] == ["'none'"]
    assert policy["base-uri"] == policy["form-action"] == ["'self'"]
    scripts = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(scripts) == 2
    hashes = {f"'sha256-{digest}'" for digest in digests}
    styles = policy.pop("style-src")
    assert {source for sources in policy.values() for source in sources} == allowed - {""} | hashes
    assert styles == ["'self'", "'unsafe-inline'"]


def test_an_address_that_is_no_host_name_stays_out_of_the_policy(server: RunningApp) -> None:
    assert policy_of(server.get("/", headers={"Host": "[::1]:8000"}))["connect-src"] == ["'self'"]


def test_the_page_asks_no_other_host(server: RunningApp) -> None:
    html = server.get("/").text
    assert re.findall(r"(?:https?:)?//[\w.-]+\.\w+", html) == []
    assert "<title>Thinkglass</title>" in html


@pytest.mark.parametrize(
    "path", ["/docs", "/docs/", "/docs/oauth2-redirect", "/redoc", "/openapi.json", "/copilot/x.js"]
)
def test_shut_doors(server: RunningApp, path: str) -> None:
    assert server.get(path).status_code == 404


@pytest.mark.parametrize(
    ("mime", "is_shown"),
    [
        ("text/html", False),
        ("image/svg+xml", False),
        ("application/xhtml+xml", False),
        ("text/xml", False),
        ("application/javascript", False),
        ("TEXT/HTML; charset=utf-8", False),
        ("image/png", True),
        ("text/plain", True),
        ("application/pdf", True),
    ],
)
async def test_a_served_file_cannot_run_on_the_page(server: RunningApp, mime: str, is_shown: bool) -> None:
    auth = handshake()
    async with connected(server, auth) as chat:
        await chat.say(f"file {mime}")
        element = await chat.next("element")
        answer = server.get(f"/project/file/{element['chainlitKey']}", params={"session_id": auth["sessionId"]})
    assert answer.status_code == 200
    assert policy_of(answer)["default-src"] == ["'none'"]
    assert policy_of(answer)["sandbox"] == []
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert ("attachment" in answer.headers.get("content-disposition", "")) is not is_shown


async def test_a_file_is_not_given_to_another_session(server: RunningApp) -> None:
    async with connected(server, handshake()) as chat:
        await chat.say("file text/plain")
        element = await chat.next("element")
        other = handshake()["sessionId"]
        assert server.get(f"/project/file/{element['chainlitKey']}", params={"session_id": other}).status_code == 401


def test_only_this_machine_reaches_the_server_by_default(server: RunningApp) -> None:
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", server.port), timeout=5)
