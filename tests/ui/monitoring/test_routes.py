import asyncio
from collections.abc import Mapping

import httpx
import pytest
from starlette.responses import PlainTextResponse

from ui.monitoring.metrics import Metrics
from ui.monitoring.routes import Check, OperatorRoutes, has_space


async def well() -> None:
    return None


async def broken() -> str:
    return "no connection"


async def refused() -> str | None:
    raise ConnectionRefusedError("secret address")


async def hangs() -> str | None:
    await asyncio.Event().wait()
    return None


async def answer(
    path: str,
    *,
    checks: Mapping[str, Check] = {},
    token: str | None = None,
    client: str = "127.0.0.1",
    headers: Mapping[str, str] = {},
) -> httpx.Response:
    app = OperatorRoutes(PlainTextResponse("page"), root_path="/chat", checks=checks, metrics=Metrics(), token=token)
    transport = httpx.ASGITransport(app, client=(client, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as http:
        return await http.get(path, headers=headers)


async def test_ready_says_what_is_not() -> None:
    fine = await answer("/ready", checks={"database": well, "model": well})
    assert (fine.status_code, fine.json()) == (200, {"status": "ready", "database": "ok", "model": "ok"})
    bad = await answer("/chat/ready", checks={"database": refused, "model": broken, "disk": well})
    assert bad.status_code == 503
    assert bad.json() == {
        "status": "not ready", "database": "ConnectionRefusedError", "model": "no connection", "disk": "ok",
    }  # fmt: skip


async def test_a_check_that_hangs_is_a_check_that_failed() -> None:
    assert (await answer("/ready", checks={"model": hangs})).json()["model"] == "no answer"


@pytest.mark.parametrize(
    ("token", "client", "headers", "may"),
    [
        (None, "127.0.0.1", {}, True),
        (None, "::1", {}, True),
        (None, "203.0.113.9", {}, False),
        (None, "127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}, False),
        ("t", "203.0.113.9", {"Authorization": "Bearer t"}, True),
        ("t", "127.0.0.1", {}, False),
        ("t", "127.0.0.1", {"Authorization": "Bearer x"}, False),
    ],
)
async def test_figures_are_for_operators(token: str | None, client: str, headers: dict[str, str], may: bool) -> None:
    response = await answer("/metrics", token=token, client=client, headers=headers)
    assert response.status_code == (200 if may else 404)
    assert ("thinkglass_running_turns" in response.text) == may


async def test_other_paths_are_the_page() -> None:
    assert (await answer("/readyness")).text == "page"


async def test_there_is_space_here(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert await has_space(tmp_path_factory.getbasetemp())() is None
