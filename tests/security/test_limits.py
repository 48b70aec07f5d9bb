"""Nothing large is read into memory before it is refused."""

import socket
from collections.abc import Iterator

import pytest

from tests.e2e.running_app import RunningApp
from tests.security.attacker import connected, handshake

UPLOAD = "/project/file?session_id=00000000-0000-0000-0000-000000000000"


@pytest.mark.parametrize(
    ("path", "length"),
    [(UPLOAD, 500_000_000), (UPLOAD, 22_000_000), ("/project/action", 2_000_000), ("/login", 10**15)],
)
def test_an_announced_length_is_refused_before_the_body_is_sent(server: RunningApp, path: str, length: int) -> None:
    request = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Length: {length}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(request.encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 413")


def test_a_body_without_a_length_is_cut_off_when_it_grows_too_long(server: RunningApp) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 64 * 1024 * 1024:
            sent += 65536
            yield b"x" * 65536

    answer = server.request("POST", "/project/action", content=endless(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_a_body_within_the_limit_is_read(server: RunningApp) -> None:
    answer = server.request("POST", "/login", data={"username": "x" * 900_000, "password": "x"})
    assert answer.json() == {"detail": "No auth_callback defined"}


@pytest.mark.parametrize(
    ("name", "content", "kind", "status"),
    [
        ("a.txt", b"text", "text/plain", 200),
        ("empty.csv", b"", "text/csv", 200),  # the chat says what is wrong with it
        ("page.html", b"<script>", "text/html", 400),
        ("drawing.svg", b"<svg/>", "image/svg+xml", 400),
        ("files.zip", b"PK", "application/zip", 400),
    ],
)
async def test_only_kinds_that_can_be_used_are_taken(
    server: RunningApp, name: str, content: bytes, kind: str, status: int
) -> None:
    auth = handshake()
    async with connected(server, auth):
        file = {"file": (name, content, kind)}
        answer = server.request("POST", "/project/file", params={"session_id": auth["sessionId"]}, files=file)
        assert answer.status_code == status
