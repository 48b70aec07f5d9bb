import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from llm.endpoint import Endpoint
from llm.local.detect import detect
from tests.llm.local.site import Site


def listing(*ids: str, owned_by: str = "organization_owner") -> dict[str, Any]:
    return {"object": "list", "data": [{"id": name, "object": "model", "owned_by": owned_by} for name in ids]}


def ollama(*names: str, **more: Any) -> dict[str, Any]:
    return {"/api/version": {"version": "0.12.3"}, "/api/tags": {"models": [{"name": n} for n in names]}, **more}


LLAMA_CPP = {"/health": {"status": "ok"}, "/v1/models": listing("gemma", owned_by="llamacpp")}
VLLM = {"/v1/models": listing("Qwen/Qwen3-8B", owned_by="vllm")}
CAN_THINK = {"capabilities": ["completion", "tools", "thinking"]}

RECOGNISED = [
    ("Ollama", ollama("llama3.2:3b"), "llama3.2:3b"),
    ("Ollama", ollama("a", "b", **{"/api/show": CAN_THINK}), "a"),
    ("Ollama", ollama("nomic-embed-text", "qwen3:4b"), "qwen3:4b"),
    ("LM Studio", {"/v1/models": listing("qwen3-4b")}, "qwen3-4b"),
    ("LM Studio", {"/v1/models": listing("text-embedding-nomic", "qwen3-4b")}, "qwen3-4b"),
    ("llama.cpp", LLAMA_CPP, "gemma"),
    ("vLLM", VLLM, "Qwen/Qwen3-8B"),
]

SOMETHING_ELSE = [
    ("Ollama", {"/api/version": {"version": "1"}, "/api/tags": {"models": []}}),
    ("Ollama", {"/api/version": {"version": "1"}}),
    ("Ollama", {"/api/tags": {"models": [{"name": "a"}]}}),
    ("Ollama", {**ollama("bge"), "/api/show": {"capabilities": ["embedding"]}}),
    ("Ollama", {"/api/version": b"<html>", "/api/tags": b"<html>"}),
    ("LM Studio", {"/v1/models": listing()}),
    ("LM Studio", {"/v1/models": listing("text-embedding-nomic")}),
    ("LM Studio", {"/v1/models": ["a", "b"]}),
    ("llama.cpp", {"/health": {"status": "ok"}, "/v1/models": listing("gemma", owned_by="someone")}),
    ("llama.cpp", {"/health": {"status": "loading model"}, "/v1/models": LLAMA_CPP["/v1/models"]}),
    ("llama.cpp", {"/v1/models": LLAMA_CPP["/v1/models"]}),
    ("vLLM", {"/v1/models": listing("x", owned_by="openai")}),
    ("vLLM", {"/v1/models": b"<!doctype html><title>Chainlit</title>"}),
    ("vLLM", {}),
]


@pytest.mark.parametrize(("server", "answers", "model"), RECOGNISED)
async def test_a_running_server_is_found_with_a_model_to_chat_with(
    server: str, answers: Mapping[str, Any], model: str
) -> None:
    with Site(answers).running() as site:
        found = await detect(addresses={server: site.url})
        assert found == Endpoint(f"{site.url}/v1", None, model, source="detected", server=server)


@pytest.mark.parametrize(("server", "answers"), SOMETHING_ELSE)
async def test_whatever_does_not_answer_as_its_kind_is_left_alone(server: str, answers: Mapping[str, Any]) -> None:
    with Site(answers).running() as site:
        assert await detect(addresses={server: site.url}) is None


async def test_of_ollamas_models_one_that_can_think_is_preferred() -> None:
    cards = {"plain": {"capabilities": ["completion"]}, "thinker": CAN_THINK}
    answers = ollama("plain", "thinker", **{"/api/show": lambda asked: cards[asked["model"]]})
    with Site(answers).running() as site:
        found = await detect(addresses={"Ollama": site.url})
        assert found
        assert found.model == "thinker"


async def test_a_model_that_ollama_passes_on_to_a_cloud_is_not_on_this_machine() -> None:
    answers = ollama()
    answers["/api/tags"] = {"models": [{"name": "big-cloud", "remote_host": "https://example.org"}, {"name": "small"}]}
    with Site(answers).running() as site:
        found = await detect(addresses={"Ollama": site.url})
        assert found
        assert found.model == "small"


async def test_the_order_of_the_addresses_is_the_order_of_preference() -> None:
    with ExitStack() as stack:
        sites = {
            server: stack.enter_context(Site(answers).running())
            for server, answers in {"llama.cpp": LLAMA_CPP, "vLLM": VLLM}.items()
        }
        addresses = {server: site.url for server, site in sites.items()}
        found = await detect(addresses=addresses)
        turned = await detect(addresses=dict(reversed(addresses.items())))
        assert found
        assert turned
        assert (found.server, turned.server) == ("llama.cpp", "vLLM")


async def test_our_own_port_is_not_even_asked() -> None:
    with Site(VLLM).running() as site:
        assert await detect(skip_ports={site.port}, addresses={"vLLM": site.url}) is None
        assert site.asked == []


async def test_a_server_that_never_finishes_its_answer_does_not_keep_the_others_waiting() -> None:
    with Site(ollama("a")).running() as slow, Site(VLLM).running() as quick:
        slow.hold("/api/version")
        async with asyncio.timeout(3):
            found = await detect(addresses={"Ollama": slow.url, "vLLM": quick.url})
        assert found
        assert found.server == "vLLM"


async def test_nothing_runs() -> None:
    with Site({}).running() as site:
        gone = site.url
    assert await detect(addresses={"Ollama": gone, "LM Studio": gone, "llama.cpp": gone, "vLLM": gone}) is None
