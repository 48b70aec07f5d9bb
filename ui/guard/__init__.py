"""What Chainlit 2.12.0 leaves open, closed before the server starts: who may call, what may be sent, what a page loads.

Knows Chainlit's insides, so that nothing else has to; must not know the agent, the model or what is said in a chat.
"""

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import chainlit.config
import chainlit.server
from chainlit.config import config
from chainlit.session import WebsocketSession
from starlette.types import ASGIApp

from ui.guard.address import KnownCallers, Origin
from ui.guard.files import claim_files_folder
from ui.guard.handshake import checked
from ui.guard.headers import SecurityHeaders, page_policy
from ui.guard.layers import add_layer
from ui.guard.limits import BodyLimit, ShutDoors
from ui.guard.page import NearestLanguage, inline_script_hashes, with_own_formula_style, without_foreign_links
from ui.guard.program import Program
from ui.language import texts_language

_MEBIBYTE = 1024 * 1024
_REQUEST_LIMIT = _MEBIBYTE
_UPLOAD_OVERHEAD = 64 * 1024
_SOCKET_MESSAGE_LIMIT = 16 * _MEBIBYTE
"""As much as uvicorn lets through. Chainlit's own limit of 1 MB kills the socket, and the message is lost unseen."""

_SHUT_PATHS = ("/docs", "/docs/oauth2-redirect", "/redoc", "/openapi.json")
"""The API's documentation."""
_SHUT_FOLDERS = ("/copilot/",)


def install(*, data_folder: Path, allowed_origins: Sequence[str]) -> None:
    """Guard the server. Called once, when `app.py` is loaded: Chainlit is imported then, and uvicorn not yet started.

    `allowed_origins` are further addresses that the page is served under, such as https://chat.example.org.
    Raises ValueError where one of them is no such address, or where Chainlit is set to run HTML that a model writes.
    """
    if config.features.unsafe_allow_html:
        raise ValueError(
            "unsafe_allow_html must stay false in .chainlit/config.toml: it runs scripts that models write."
        )
    if getattr(chainlit.server.app.state, "is_guarded", False):
        return  # `chainlit run -w` loads app.py again after every change
    origins = [_origin(address) for address in allowed_origins if address.strip()]
    _move_files(data_folder)
    _take_empty_files()
    _serve_own_page()
    _check_sockets()
    add_layer(lambda app: _guarded(app, origins))
    chainlit.server.app.state.is_guarded = True


def _origin(address: str) -> Origin:
    origin = Origin.parsed(address.strip().rstrip("/"))
    if origin is None:
        raise ValueError(f"ALLOWED_ORIGINS holds {address!r}, which is not an address such as https://chat.example.org")
    return origin


def _move_files(data_folder: Path) -> None:
    made_by_chainlit: Path = chainlit.config.FILES_DIRECTORY
    mine = claim_files_folder(data_folder)
    chainlit.config.FILES_DIRECTORY = mine
    chainlit.server.FILES_DIRECTORY = mine
    if made_by_chainlit.is_dir() and not any(made_by_chainlit.iterdir()):
        made_by_chainlit.rmdir()


def _take_empty_files() -> None:
    """Chainlit takes a file without content for no file and fails: nobody could tell the person what is wrong."""
    persist_file = WebsocketSession.persist_file

    async def persist_any_file(session: WebsocketSession, **file: Any) -> Any:
        if file.get("content") == b"":
            file = {**file, "content": None, "path": os.devnull}
        return await persist_file(session, **file)

    WebsocketSession.persist_file = persist_any_file


def _serve_own_page() -> None:
    template = chainlit.server.get_html_template

    @cache  # so that the inline scripts stay those whose hashes the policy names
    def get_html_template(root_path: str) -> str:
        return without_foreign_links(with_own_formula_style(template(root_path), root_path))

    chainlit.server.get_html_template = get_html_template
    chainlit.server.get_markdown_str = _readme


def _readme(root: str, language: str) -> str | None:
    name = "chainlit_zh-CN.md" if texts_language(language) == "zh" else "chainlit.md"
    path = Path(root) / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


def _check_sockets() -> None:
    sio = chainlit.server.sio
    sio.on("connect", handler=checked(sio.handlers["/"]["connect"]))
    sio.eio.max_http_buffer_size = _SOCKET_MESSAGE_LIMIT


def _guarded(app: ASGIApp, origins: Sequence[Origin]) -> ASGIApp:
    root: str = config.run.root_path
    translations = Path(chainlit.config.config_translation_dir).glob("*.json")
    app = NearestLanguage(
        app,
        paths=frozenset({f"{root}/project/translations", f"{root}/project/settings"}),
        available=frozenset(path.stem for path in translations),
    )
    app = Program(app, address=f"{root}/assets", folder=Path(chainlit.server.build_dir, "assets"))
    app = BodyLimit(app, limit_of=_body_limit)
    app = ShutDoors(
        app,
        paths=[prefix + path for path in _SHUT_PATHS for prefix in {"", root}],
        folders=[root + folder for folder in _SHUT_FOLDERS],
    )
    app = KnownCallers(app, names=[config.run.host], origins=origins)
    policy = page_policy(inline_script_hashes(chainlit.server.get_html_template(root)))
    return SecurityHeaders(app, page_policy=policy, files_paths=(f"{root}/project/file/", f"{root}/files/"))


def _body_limit(path: str) -> int | None:
    root: str = config.run.root_path
    if path.startswith(chainlit.server.SOCKET_IO_PATH):
        return None
    if path != f"{root}/project/file":
        return _REQUEST_LIMIT
    uploads = config.features.spontaneous_file_upload
    return int(uploads.max_size_mb) * _MEBIBYTE + _UPLOAD_OVERHEAD
