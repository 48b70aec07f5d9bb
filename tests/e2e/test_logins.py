"""Who may come in, on the real app: passwords, a proxy's header, and nobody from the network without a login."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.e2e.running_app import ROOT, RunningApp, running_app
from ui.auth.attempts import MOST_PER_NAME
from ui.auth.passwords import PeopleFile

pytestmark = pytest.mark.e2e

PASSWORD = "a long password"
THREADS = {"pagination": {"first": 5}, "filter": {}}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    folder = tmp_path_factory.mktemp("app")
    people = PeopleFile(folder / "data" / "people.txt")
    for name in ("ada", "bob"):
        people.add(name, PASSWORD)
    with running_app(folder, AUTH="password") as running:
        yield running


@contextlib.contextmanager
def logged_in(app: RunningApp, name: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=app.url) as client:
        assert client.post("/login", data={"username": name, "password": PASSWORD}).status_code == 200
        yield client


def test_only_who_has_logged_in_sees_chats(app: RunningApp) -> None:
    assert app.request("POST", "/project/threads", json=THREADS).status_code == 401
    with logged_in(app, "ada") as ada:
        assert ada.get("/user").json()["identifier"] == "ada"
        assert ada.post("/project/threads", json=THREADS).status_code == 200


def test_a_page_alone_logs_nobody_in(app: RunningApp) -> None:
    page = app.get("/", headers={"Accept": "text/html"})
    assert "set-cookie" not in page.headers
    assert 'data-auth="password"' in page.text


def test_logging_out_ends_the_login_for_a_copied_cookie_too(app: RunningApp) -> None:
    with logged_in(app, "ada") as ada, httpx.Client(base_url=app.url, cookies=dict(ada.cookies)) as copied:
        assert copied.get("/user").status_code == 200
        assert ada.post("/logout").status_code == 200
        assert copied.get("/user").status_code == 401


def test_guessing_is_slowed_down_for_a_name_and_then_for_an_address(app: RunningApp) -> None:
    def attempt(password: str) -> int:
        return app.request("POST", "/login", data={"username": "bob", "password": password}).status_code

    assert {attempt(f"wrong {number}") for number in range(MOST_PER_NAME)} == {401}
    assert attempt(PASSWORD) == 401, "the name is locked for a while, even for the right password"
    assert 429 in {attempt("wrong") for _ in range(20)}


def test_a_proxys_header_names_the_person(tmp_path: Path) -> None:
    with running_app(tmp_path, AUTH="header") as app:
        assert app.request("POST", "/auth/header").status_code == 401
        with httpx.Client(base_url=app.url) as client:
            assert client.post("/auth/header", headers={"X-Forwarded-User": "eve"}).status_code == 200
            assert client.get("/user").json()["identifier"] == "eve"


@pytest.mark.parametrize(("auth", "says"), [("none", "AUTH=password"), ("header", "only the proxy")])
def test_the_network_is_not_let_in_without_a_login(tmp_path: Path, auth: str, says: str) -> None:
    variables = {
        "AUTH": auth,
        "THINKGLASS_DATA": str(tmp_path),
        "CHAINLIT_APP_ROOT": str(ROOT),
        "PATH": "/usr/bin:/bin",
    }
    command = [sys.executable, "-m", "chainlit", "run", "app.py", "--headless", "--host", "0.0.0.0", "--port", "1"]
    run = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode != 0
    assert says in run.stderr
    assert "Traceback" not in run.stderr
