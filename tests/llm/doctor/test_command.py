"""`python -m llm.doctor` as people start it: a process with an environment, its exit status, and what it prints."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from llm.doctor.__main__ import report
from llm.local.weights import SMALL
from settings import Settings
from tests.provider.replies import Reply, error, stream
from tests.provider.server import provider

ROOT = Path(__file__).parents[3]
KEY, OTHER_KEY = "sk-4f7a1c9d2e8b6035-fjord", "tvly-d41d8cd98f00b204-heron"
ANSWER = stream("42", thinking="17 plus 25 is 42.")
OTHER_KEYS = ["Tavily key: not set (a keyless search is used)", "OpenWeather key: not set (Open-Meteo is used)"]


def doctor(folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """The command, in a folder that has no `.env`."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), **variables}
    command = [sys.executable, "-m", "llm.doctor"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=60)


def settings(**values: Any) -> Settings:
    return Settings(_env_file=None, **values)


def test_a_good_endpoint_ends_with_status_0_and_a_line_for_each_fact(tmp_path: Path) -> None:
    with provider(ANSWER) as server:
        run = doctor(tmp_path, LLM_API_BASE=server.api_base, LLM_API_KEY=KEY, TAVILY_API_KEY=OTHER_KEY)
    lines = run.stdout.splitlines()
    assert [
        line for line in lines if not line.startswith(("Reachable: yes, the first token came after ", "Python"))
    ] == [
        f"Endpoint: {server.api_base}",
        "Model: deepseek-flash",
        "Key: set",
        "Thinking: arrives in the field reasoning_content",
        "Native tool calls: not seen (tools work without them)",
        "Token counts: reported",
        "Tavily key: set",
        OTHER_KEYS[1],
        "The connection works.",
    ]
    assert (len(lines), run.returncode, run.stderr) == (11, 0, "")
    assert lines[-2].startswith("Python")
    assert KEY not in run.stdout
    assert OTHER_KEY not in run.stdout
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


FAULTS: list[tuple[dict[str, str], Reply, str]] = [
    ({"LLM_API_KEY": KEY}, error(401, f"your key {KEY} is wrong"), "does not accept the key"),
    ({}, error(401, "who are you"), "asks for a key, and none is set"),
    ({"LLM_MODEL": "no-such"}, error(404, "Model Not Exist"), "has no model named no-such"),
    ({"LLM_API_BASE": "http://127.0.0.1:9/v1", "LLM_MODEL": "some"}, ANSWER, "can't be reached"),
]


@pytest.mark.parametrize(("variables", "reply", "remedy"), FAULTS)
def test_a_fault_ends_with_status_1_and_its_remedy(
    tmp_path: Path, variables: dict[str, str], reply: Reply, remedy: str
) -> None:
    with provider(reply, reply) as server:
        run = doctor(tmp_path, **{"LLM_API_BASE": server.api_base, **variables})
    assert (run.returncode, run.stderr) == (1, "")
    assert remedy in run.stdout.splitlines()[-1]
    assert len(run.stdout.splitlines()) <= 10
    assert KEY not in run.stdout


def test_a_wrong_setting_is_said_in_one_line(tmp_path: Path) -> None:
    run = doctor(tmp_path, LLM_API_BASE="localhost")
    assert (run.returncode, run.stdout, len(run.stderr.splitlines())) == (1, "", 1)


async def test_the_default_provider_is_asked_where_only_its_key_is_set() -> None:
    with provider(ANSWER) as server:
        lines, works = await report(settings(deepseek_api_key=KEY, deepseek_api_base=server.api_base))
    assert works
    assert "Model: deepseek-flash" in lines


async def test_with_nothing_set_and_nothing_running_it_says_how_to_get_a_model(tmp_path: Path) -> None:
    lines, works = await report(settings(local_model="off", thinkglass_cache=tmp_path), addresses={})
    assert (lines[:-1], works) == (OTHER_KEYS, False)
    assert "No model is connected yet" in lines[-1]


def test_the_built_in_model_is_not_downloaded_for_it(tmp_path: Path) -> None:
    lines, works = asyncio.run(report(settings(local_model="small", thinkglass_cache=tmp_path), addresses={}))
    assert (lines[:-1], works) == (OTHER_KEYS, False)
    assert f"{SMALL.name} (491 MB)" in lines[-1]
    assert list(tmp_path.iterdir()) == []


async def test_a_server_on_this_machine_is_found() -> None:
    with provider(ANSWER) as server:
        url = server.api_base.removesuffix("/v1")
        lines, works = await report(settings(local_model="off"), addresses={"LM Studio": url})
    assert works
    assert lines[:3] == [f"Endpoint: {url}/v1 (LM Studio)", "Model: deepseek-flash", "Key: none set"]


async def test_a_model_file_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GIF89a")
    lines, works = await report(settings(local_model_path=path, thinkglass_cache=tmp_path), addresses={})
    assert not works
    assert str(path) in lines[-1]


@pytest.mark.builtin
def test_the_built_in_model_is_examined_and_ended(tiny_model: Path, tmp_path: Path) -> None:
    run = doctor(tmp_path, LOCAL_MODEL_PATH=str(tiny_model))
    lines = run.stdout.splitlines()
    assert lines[0].endswith("/v1 (built-in)")
    assert (lines[-1], run.returncode) == ("The connection works.", 0)
