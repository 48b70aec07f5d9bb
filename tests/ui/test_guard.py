"""The guard's pure parts, and what it takes from Chainlit's settings. The attacks themselves are in tests/security."""

import re
import tomllib
from pathlib import Path

import chainlit
import pytest

from ui.guard.address import Host, Origin
from ui.guard.files import claim_files_folder
from ui.guard.headers import page_policy
from ui.guard.page import inline_script_hashes, with_own_formula_style, without_foreign_links

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("localhost:8000", Host("localhost", 8000)),
        ("Chat.Example.org.", Host("chat.example.org", None)),
        ("[::1]:8000", Host("[::1]", 8000)),
        ("127.0.0.1", Host("127.0.0.1", None)),
        ("user@localhost", None),
        ("localhost/path", None),
        ("localhost:port", None),
        ("localhost\r\nX: y", None),
        ("", None),
    ],
)
def test_reading_a_host(text: str, host: Host | None) -> None:
    assert Host.parsed(text) == host


@pytest.mark.parametrize(
    ("name", "is_literal"),
    [("127.0.0.1", True), ("[::1]", True), ("10.0.0.7", True), ("localhost", False), ("127.0.0.1.evil.example", False)],
)
def test_an_address_cannot_be_pointed_elsewhere(name: str, is_literal: bool) -> None:
    assert Host(name, None).is_literal is is_literal


@pytest.mark.parametrize(
    ("origin", "host", "secure", "is_own"),
    [
        ("http://localhost:8000", "localhost:8000", False, True),
        ("http://LOCALHOST:8000", "localhost:8000", False, True),
        ("https://chat.example.org", "chat.example.org", False, True),
        ("https://chat.example.org:443", "chat.example.org", False, True),
        ("http://chat.example.org", "chat.example.org", True, False),
        ("http://localhost:8001", "localhost:8000", False, False),
        ("http://localhost", "localhost:8000", False, False),
        ("http://127.0.0.1:8000", "localhost:8000", False, False),
    ],
)
def test_a_page_and_its_server(origin: str, host: str, secure: bool, is_own: bool) -> None:
    page, server = Origin.parsed(origin), Host.parsed(host)
    assert page
    assert server
    assert page.is_at(server, secure=secure) is is_own


@pytest.mark.parametrize("text", ["null", "", "file://", "ftp://a.org", "https://a.org/", "https://u@a.org", "*"])
def test_what_is_no_origin(text: str) -> None:
    assert Origin.parsed(text) is None


def test_links_to_other_hosts_go_and_own_ones_stay() -> None:
    html = (
        '<link rel="icon" href="/favicon" /><link rel="preconnect" href="https://fonts.example" crossorigin />'
        '<link\n  href="//cdn.example/a.css"\n  rel="stylesheet"\n/><link rel="stylesheet" href="/assets/a.css">'
    )
    assert (
        without_foreign_links(html) == '<link rel="icon" href="/favicon" /><link rel="stylesheet" href="/assets/a.css">'
    )


def test_only_inline_scripts_are_named_in_the_policy() -> None:
    html = '<script src="/a.js"></script><script>1</script>'
    assert inline_script_hashes(html) == ["sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s="]
    assert "script-src 'self' 'unsafe-eval' 'sha256-a4ayc" in page_policy(inline_script_hashes(html))
    assert "'unsafe-inline'" not in page_policy([]).split("style-src")[0]


def test_each_claim_is_a_private_folder_of_its_own(tmp_path: Path) -> None:
    first, second = claim_files_folder(tmp_path), claim_files_folder(tmp_path)
    assert first != second
    assert first.is_dir(), "a living claim is not swept out"
    assert first.stat().st_mode & 0o077 == 0


def test_formulas_get_their_style_and_fonts_from_here() -> None:
    template = Path(chainlit.__file__).with_name("frontend") / "dist" / "index.html"
    html = without_foreign_links(with_own_formula_style(template.read_text(encoding="utf-8"), "/chat"))
    assert 'href="/chat/public/katex/katex.css"' in html
    folder = ROOT / "public" / "katex"
    fonts = re.findall(r"url\(([^)]*)\)", (folder / "katex.css").read_text(encoding="utf-8"))
    assert len(fonts) == len([font for font in fonts if (folder / font).is_file()]) == 20


def test_chainlits_settings_are_the_closed_ones() -> None:
    settings = tomllib.loads((ROOT / ".chainlit" / "config.toml").read_text(encoding="utf-8"))
    features, project, page = settings["features"], settings["project"], settings["UI"]
    assert project["allow_origins"] == []
    assert features["unsafe_allow_html"] is features["user_message_markdown"] is False
    assert features["mcp"]["enabled"] is features["mcp"]["user_servers"]["enabled"] is False
    uploads = features["spontaneous_file_upload"]
    assert (uploads["max_files"], uploads["max_size_mb"]) == (5, 20)
    assert not any("html" in kind or "svg" in kind or "*" in kind for kind in uploads["accept"])
    addresses = [value for key, value in page.items() if key.endswith("_url") or key.startswith("custom_")]
    assert all(not value or value.startswith("/") for value in addresses)
