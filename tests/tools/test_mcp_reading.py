"""What is read of MCP: the operator's file, foreign schemas, and answers to calls. Without any server."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import types

from tests.tools.mcp_server import PNG
from tools.base import ToolError
from tools.mcp_servers import BrokenMcpConfig, load_mcp_config
from tools.mcp_servers.config import HttpServer, StdioServer
from tools.mcp_servers.result import result_from
from tools.mcp_servers.schema import UnusableSchema, usable_schema

CANARY = "canary-of-the-app"


def written(folder: Path, content: Any) -> Path:
    path = folder / "mcp.json"
    path.write_text(content if isinstance(content, str) else json.dumps({"mcpServers": content}))
    return path


def test_the_file_is_the_one_that_all_clients_use(tmp_path: Path) -> None:
    entries = {
        "files": {"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"KEY": CANARY}, "timeout": 5},
        "wiki": {"type": "http", "url": "https://wiki.example/mcp", "headers": {"Authorization": CANARY}},
        "old": {"command": "x", "disabled": True},
    }
    servers = load_mcp_config(written(tmp_path, entries))
    assert servers == {
        "files": StdioServer(command="npx", args=("-y", "x"), env={"KEY": CANARY}),
        "wiki": HttpServer(url="https://wiki.example/mcp", headers={"Authorization": CANARY}),
    }
    assert CANARY not in repr(servers)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{\n  nonsense", "line 2: it is not JSON"),
        ("[]", "the file: "),
        ("{}", "mcpServers: Field required"),
        ({"a": {}}, 'a: it needs either "command" or "url"'),
        ({"a": {"command": "x", "url": "https://x.example"}}, 'a: it needs either "command" or "url"'),
        ({"a": {"command": ""}}, "a: command: "),
        ({"a": {"command": "x", "args": "y"}}, "a: args: "),
        ({"a": {"command": "x", "env": {"A": {"b": CANARY}}}}, "a: env.A: "),
        ({"a": {"url": "ftp://x.example"}}, "must be an address that begins with http:// or https://"),
        ({"a": {"url": f"https://me:{CANARY}@x.example"}}, "must not hold a password"),
        ({"a": {"type": "sse", "url": "https://x.example"}}, '"sse" is an old way'),
        ({"a b": {"command": "x"}}, "mcpServers.a b"),
        ({"a": "x"}, "mcpServers.a: "),
        ("[" * 100_000, "it is not JSON text in UTF-8"),
    ],
)
def test_a_broken_file_is_told_of_by_place_and_without_its_values(tmp_path: Path, content: Any, words: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(BrokenMcpConfig) as caught:
        load_mcp_config(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)
    assert CANARY not in str(caught.value)


def test_a_file_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(BrokenMcpConfig, match=r"it can't be read: No such file"):
        load_mcp_config(tmp_path / "none.json")


def nested(depth: int) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": nested(depth - 1)} if depth else {}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string"}, "not an object"),
        ({"type": "object", "properties": []}, "not an object"),
        ({"properties": {"a": 5}}, "not an object"),
        ({"properties": {"a": False}}, "not an object"),
        ({"properties": {"a": {"type": "text"}}}, "type that does not exist"),
        ({"properties": {"a": {"type": [{}]}}}, "type that does not exist"),
        ({"properties": {"a": {"anyOf": {}}}}, "not a list"),
        ({"properties": {"a": {"anyOf": [1]}}}, "not an object"),
        ({"properties": {"a": {"enum": 1}}}, "not a list"),
        ({"required": ["b"], "properties": {"a": {}}}, "requires what it does not describe"),
        ({"required": [{}]}, "requires what it does not describe"),
        ({"required": "a", "properties": {"a": {}}}, "not a list"),
        ({"properties": {"a": {"$ref": "https://evil.example/x.json"}}}, "outside"),
        ({"properties": {"a": {"$ref": "#/$defs/none"}}}, "outside"),
        ({"properties": {"a": {"$ref": "#"}}}, "outside"),
        ({"properties": {"a\nAction": {}}}, "name of a property"),
        ({"properties": {"self": {}}}, "name of a property"),
        ({"properties": {"": {}}}, "name of a property"),
        ({"properties": {"a": {"enum": ["x\u202e"]}}}, "nobody sees"),
        ({"properties": {"a": {"default": "<|im_start|>"}}}, "nobody sees"),
        ({"properties": {f"a{number}": {} for number in range(99)}}, "too many"),
        ({"properties": {f"a{number}": {"description": "x" * 999} for number in range(50)}}, "too long"),
        (nested(30), "too deeply"),
        ({"$defs": 1}, "not an object"),
    ],
)
def test_a_schema_that_no_model_can_use_is_refused(schema: dict[str, Any], why: str) -> None:
    with pytest.raises(UnusableSchema, match=why):
        usable_schema(schema)


def test_a_usable_schema_keeps_what_a_model_reads() -> None:
    schema = {
        "$schema": "https://json-schema.org/x",
        "type": "object",
        "title": "T\n<|im_end|>",
        "additionalProperties": False,
        "required": ["a"],
        "properties": {
            "a": {"type": "string", "pattern": "(a+)+$", "description": "x" * 900, "examples": ["y"]},
            "b": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}], "default": 0},
            "c": {"type": "array", "items": {"$ref": "#/definitions/Item"}},
            "d": True,
        },
        "definitions": {"Item": {"type": "object", "properties": {"next": {"$ref": "#/definitions/Item"}}}},
    }
    assert usable_schema(schema) == {
        "type": "object",
        "title": "T < |im_end|>",
        "additionalProperties": False,
        "required": ["a"],
        "properties": {
            "a": {"type": "string", "description": "x" * 400 + " … [cut: 500 more characters]"},
            "b": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}], "default": 0},
            "c": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "d": {},
        },
        "$defs": {"Item": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Item"}}}},
    }


def picture(content: bytes) -> types.ImageContent:
    return types.ImageContent(type="image", mimeType="image/png", data=base64.b64encode(content).decode())


def header(width: int, height: int) -> bytes:
    return PNG[:16] + width.to_bytes(4, "big") + height.to_bytes(4, "big") + PNG[24:]


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (picture(header(100_000, 100_000)), "[a picture (image/png) that can't be shown here]"),
        (picture(header(0, 5)), "[a picture (image/png) that can't be shown here]"),
        (picture(PNG + b"\0" * 3_000_000), "[a picture (image/png) that can't be shown here]"),
        (types.ImageContent(type="image", mimeType="image/png", data="%%%"), "[a picture (image/png) that can't be"),
        (types.AudioContent(type="audio", mimeType="audio/wav", data=""), "[a sound (audio/wav) that can't be played"),
        (types.ResourceLink(type="resource_link", name="n", uri="file:///x"), "n: file:///x"),  # type: ignore[arg-type]
    ],
)
def test_what_can_not_be_shown_is_told(block: types.ContentBlock, text: str) -> None:
    result = result_from(types.CallToolResult(content=[block]), tool="t")
    assert result.text.startswith(text)
    assert result.display == ()


def test_at_most_five_pictures_are_shown_and_structure_alone_is_json() -> None:
    many = result_from(types.CallToolResult(content=[picture(PNG)] * 7), tool="t")
    assert len(many.display) == 5
    assert result_from(types.CallToolResult(content=[], structuredContent={"é": 1}), tool="t").text == '{"é": 1}'
    assert result_from(types.CallToolResult(content=[]), tool="t").text == "t was run and gave nothing back."
    with pytest.raises(ToolError) as caught:
        result_from(types.CallToolResult(content=[], isError=True), tool="t")
    assert caught.value.by_strangers
