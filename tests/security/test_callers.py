"""Other pages, other names and other ports must not reach the server; the own page and plain programs must."""

import socket

import pytest

from tests.e2e.running_app import RunningApp
from tests.security.attacker import upgrade_status

FOREIGN_ORIGINS = [
    "https://evil.example",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://localhost:{port}",
    "https://127.0.0.1.evil.example:{port}",
    "http://127.0.0.1:{port}.evil.example",
    "http://evil@127.0.0.1:{port}",
    "https://evil.chat.example.org",
    "http://chat.example.org",
    "file://",
    "null",
    "",
]
OWN_ORIGINS = ["http://127.0.0.1:{port}", "https://127.0.0.1:{port}", "https://chat.example.org"]
FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "a@localhost",
]
OWN_HOSTS = ["127.0.0.1:{port}", "localhost:{port}", "LocalHost", "[::1]:{port}", "192.168.1.7"]


def filled(server: RunningApp, text: str) -> str:
    return text.replace("{port}", str(server.port))


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
async def test_a_foreign_page_can_neither_open_the_socket_nor_send_a_request(server: RunningApp, origin: str) -> None:
    headers = {"Origin": filled(server, origin)}
    assert await upgrade_status(server, headers) == 403
    for method, path in [("GET", "/ws/socket.io/?EIO=4&transport=polling"), ("POST", "/logout"), ("GET", "/user")]:
        answer = server.request(method, path, headers=headers)
        assert answer.status_code == 403, path
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("origin", OWN_ORIGINS)
async def test_the_own_page_can(server: RunningApp, origin: str) -> None:
    headers = {"Origin": filled(server, origin)}
    assert await upgrade_status(server, headers) == 101
    assert server.request("POST", "/logout", headers=headers).status_code == 200


def test_a_preflight_of_a_foreign_page_is_refused(server: RunningApp) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = server.request("OPTIONS", "/project/action", headers=headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
async def test_a_name_that_was_pointed_at_this_machine_is_refused(server: RunningApp, host: str) -> None:
    name = filled(server, host)
    assert server.get("/", headers={"Host": name}).status_code == 403
    assert await upgrade_status(server, {"Host": name, "Origin": f"http://{name}"}) == 403


@pytest.mark.parametrize("host", OWN_HOSTS)
async def test_own_names_are_answered(server: RunningApp, host: str) -> None:
    name = filled(server, host)
    assert server.get("/", headers={"Host": name}).status_code == 200
    assert await upgrade_status(server, {"Host": name, "Origin": f"http://{name}"}) == 101


@pytest.mark.parametrize(("origin", "status"), [("https://chat.example.org", 101), ("http://chat.example.org", 403)])
async def test_an_allowed_address_is_taken_at_its_word(server: RunningApp, origin: str, status: int) -> None:
    assert server.get("/", headers={"Host": "chat.example.org"}).status_code == 200
    assert await upgrade_status(server, {"Host": "chat.example.org", "Origin": origin}) == status


@pytest.mark.parametrize("second", ["Host: evil.example", "Origin: https://evil.example"])
def test_two_hosts_or_two_origins_are_one_too_many(server: RunningApp, second: str) -> None:
    first = f"Host: 127.0.0.1:{server.port}\r\nOrigin: {server.url}"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(f"POST /logout HTTP/1.1\r\n{first}\r\n{second}\r\n\r\n".encode())
        assert connection.recv(4096).split()[1] in {b"400", b"403"}


async def test_programs_without_browser_headers_are_welcome(server: RunningApp) -> None:
    assert await upgrade_status(server, {}) == 101
    assert server.request("POST", "/logout").status_code == 200


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Referer": "https://evil.example/"}])
async def test_a_browser_that_hides_its_origin_is_not(server: RunningApp, headers: dict[str, str]) -> None:
    assert await upgrade_status(server, headers) == 403
    assert server.request("POST", "/logout", headers=headers).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_may_link_here_but_not_fetch_or_frame(server: RunningApp, site: str) -> None:
    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert server.get("/", headers=link).status_code == 200
    assert server.get("/", headers={**link, "Sec-Fetch-Dest": "iframe"}).status_code == 403
    assert (
        server.get("/logo", headers={**link, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}).status_code == 403
    )


def test_the_refusal_says_what_to_do(server: RunningApp) -> None:
    assert "ALLOWED_ORIGINS" in server.get("/", headers={"Host": "chat.example.net"}).text
