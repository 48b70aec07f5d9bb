"""A session's id becomes a folder that is written to and deleted, so nothing but a UUID may be one."""

from typing import Any

import pytest
from socketio.exceptions import ConnectionError as Refused

from tests.e2e.running_app import RunningApp
from tests.security.attacker import connected, handshake

A_UUID = "7b1f0c52-5a3e-4c0e-9d57-3f1f6a6f2f10"
CROOKED_IDS = [
    "../../victim",
    "/tmp/victim",
    "..",
    ".",
    "",
    "a/b",
    "a\\b",
    "victim\0",
    None,
    7,
    ["a"],
    {"id": "a"},
    A_UUID + "\n",
    A_UUID + "/..",
    "{" + A_UUID + "}",
    "urn:uuid:" + A_UUID,
    A_UUID.replace("-", ""),
    "１" * 8 + A_UUID[8:],
]


@pytest.mark.parametrize("session_id", CROOKED_IDS)
async def test_a_crooked_session_id_is_refused_and_touches_nothing(server: RunningApp, session_id: Any) -> None:
    victim = server.data / "victim"
    victim.mkdir(exist_ok=True)
    with pytest.raises(Refused):
        async with connected(server, handshake(sessionId=session_id)):
            pass
    assert victim.is_dir()


@pytest.mark.parametrize(
    "auth",
    [
        None,
        [],
        "auth",
        7,
        {},
        {"sessionId": A_UUID},
        handshake(clientType="slack"),
        handshake(clientType="copilot"),
        handshake(threadId="../../victim"),
        handshake(threadId={"$ne": None}),
        handshake(chatProfile=["x"]),
        handshake(userEnv={}),
    ],
)
async def test_a_malformed_handshake_is_refused(server: RunningApp, auth: Any) -> None:
    with pytest.raises(Refused):
        async with connected(server, auth):
            pass
    assert server.get("/health").status_code == 200


async def test_a_browser_is_let_in_and_answered(server: RunningApp) -> None:
    async with connected(server, handshake()) as chat:
        await chat.say("hello")
        answer = await chat.next("new_message", step_type="assistant_message")
        assert answer["output"] == "You sent 5 characters."


async def test_two_megabytes_of_pasted_text_do_not_kill_the_socket(server: RunningApp) -> None:
    async with connected(server, handshake()) as chat:
        await chat.say("x" * 2_000_000)
        answer = await chat.next("new_message", step_type="assistant_message")
        assert answer["output"] == "You sent 2000000 characters."
