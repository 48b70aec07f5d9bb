import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from settings import Settings

ROOT = Path(__file__).parent.parent


def test_the_example_shows_every_setting_once_and_nothing_else() -> None:
    example = (ROOT / ".env.example").read_text("utf-8")
    assert re.findall(r"^# ([A-Z0-9_]+)=", example, re.MULTILINE) == [name.upper() for name in Settings.model_fields]


def test_the_example_shows_the_real_defaults() -> None:
    example = (ROOT / ".env.example").read_text("utf-8")
    shown = dict(re.findall(r"^# ([A-Z0-9_]+)=(.*)$", example, re.MULTILINE))
    for name, field in Settings.model_fields.items():
        default = "" if field.default is None else str(field.default).rstrip("/")
        if default:
            assert shown[name.upper()].lower() == default.lower()


def test_every_setting_is_described() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("MAX_ROUNDS", "many", "valid integer"),
        ("TEMPERATURE", "5", "less than or equal to 2"),
        ("LLM_API_BASE", "localhost", "URL"),
        ("LOCAL_MODEL", "huge", "'auto', 'large', 'small' or 'off'"),
        ("IDLE_TIMEOUT", "0", "greater than 0"),
        ("LOCAL_MODEL_PATH", "/does/not/exist.gguf", "no such file"),
        ("FILES_S3_ENDPOINT", "http://localhost:9000", "needs FILES_S3_BUCKET"),
        ("FILES_S3_REGION", "eu-central-1", "needs FILES_S3_BUCKET"),
    ],
)
def test_a_wrong_value_stops_the_start_with_one_line_that_names_it(name: str, value: str, says: str) -> None:
    run = start({name: value})
    assert run.returncode != 0
    assert len(run.stderr.strip().splitlines()) == 1
    assert name in run.stderr
    assert says in run.stderr


def test_a_key_without_its_endpoint_is_refused_and_never_shown() -> None:
    run = start({"LLM_API_KEY": "sk-very-secret"})
    assert "LLM_API_BASE" in run.stderr
    assert "sk-very-secret" not in run.stdout + run.stderr


def start(variables: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    code = "from settings import load_settings; load_settings()"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


def test_keys_do_not_appear_when_settings_are_printed() -> None:
    settings = Settings(deepseek_api_key="sk-hush", tavily_api_key="tvly-hush", chainlit_auth_secret="hush")
    assert "hush" not in repr(settings) + str(settings)


@pytest.mark.parametrize(
    ("values", "endpoint"),
    [
        ({}, None),
        ({"llm_model": "m"}, None),
        ({"deepseek_api_key": "k"}, ("https://api.deepseek.com/", "k", "deepseek-flash")),
        ({"deepseek_api_key": "k", "llm_model": "m"}, ("https://api.deepseek.com/", "k", "m")),
        ({"llm_api_base": "http://a/v1"}, ("http://a/v1", None, None)),
        ({"llm_api_base": "http://a/v1", "deepseek_api_key": "k"}, ("http://a/v1", None, None)),
        ({"llm_api_base": "http://a/v1", "llm_api_key": "l", "llm_model": "m"}, ("http://a/v1", "l", "m")),
    ],
)
def test_the_endpoint_that_is_set_comes_with_its_own_key_only(
    values: dict[str, str], endpoint: tuple[str, str | None, str | None] | None
) -> None:
    assert Settings(_env_file=None, **values).endpoint == endpoint
