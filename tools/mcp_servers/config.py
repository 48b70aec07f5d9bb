"""Which MCP servers the operator has named: the JSON file that all MCP clients use, read and checked. Opens nothing."""

import json
from pathlib import Path
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

_Name: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,40}$")]
_Text: TypeAlias = Annotated[str, StringConstraints(strict=True, min_length=1)]


def _web_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be an address that begins with http:// or https://")
    if parts.username or parts.password:
        raise ValueError("must not hold a password; put it into headers")
    return url


class StdioServer(BaseModel):
    """A server that is started as a program and spoken to over its input and output."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    command: _Text
    args: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict, repr=False)
    cwd: str | None = None


class HttpServer(BaseModel):
    """A server that runs elsewhere and speaks streamable HTTP."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    url: Annotated[_Text, AfterValidator(_web_address)]
    headers: dict[str, str] = Field(default_factory=dict, repr=False)


ServerConfig: TypeAlias = StdioServer | HttpServer


class BrokenMcpConfig(ValueError):
    """The file can't be used. The message names it and says what is wrong there, without any value of it."""


class _File(BaseModel):
    servers: dict[_Name, dict[str, object]] = Field(alias="mcpServers")


def load_mcp_config(path: Path) -> dict[str, ServerConfig]:
    """The servers by their names. Raises `BrokenMcpConfig`.

    The file: `{"mcpServers": {"files": {"command": "npx", "args": [...], "env": {...}}, "wiki": {"url": "https://..."}}}`.
    A server with `"disabled": true` is left out.
    """
    try:
        content = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise BrokenMcpConfig(f"{path}: it can't be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise BrokenMcpConfig(f"{path}: line {error.lineno}: it is not JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError):
        raise BrokenMcpConfig(f"{path}: it is not JSON text in UTF-8") from None
    try:
        file = _File.model_validate(content)
    except ValidationError as error:
        raise BrokenMcpConfig(f"{path}: {_faults(error)}") from None
    enabled = {name: entry for name, entry in file.servers.items() if entry.get("disabled") is not True}
    return {name: _server_from(entry, f"{path}: {name}") for name, entry in enabled.items()}


def _server_from(entry: dict[str, object], where: str) -> ServerConfig:
    if ("command" in entry) == ("url" in entry):
        raise BrokenMcpConfig(f'{where}: it needs either "command" or "url"')
    if entry.get("type") == "sse":
        raise BrokenMcpConfig(f'{where}: "sse" is an old way to connect; use the server\'s address for streamable HTTP')
    kind = StdioServer if "command" in entry else HttpServer
    try:
        return kind.model_validate(entry)
    except ValidationError as error:
        raise BrokenMcpConfig(f"{where}: {_faults(error)}") from None


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_input=False, include_url=False)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'the file'}: {one['msg']}" for one in faults)
