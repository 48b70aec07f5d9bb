"""What an MCP server answers to a call, as a tool's result. Pure."""

import base64
import binascii
import json
import struct

from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from tools.base import ToolError, ToolResult
from tools.cards import PictureCard

MAX_PICTURE_BYTES = 2_000_000
MAX_PICTURE_PIXELS = 40_000_000
MAX_PICTURES = 5

_PNG = b"\x89PNG\r\n\x1a\n"


def result_from(answer: CallToolResult, *, tool: str) -> ToolResult:
    """The texts for the model and the pictures for the person. Raises `ToolError` with the server's own words."""
    cards: list[PictureCard] = []
    texts = [_text_of(block, cards, tool) for block in answer.content]
    if answer.structuredContent and not any(isinstance(block, TextContent) for block in answer.content):
        texts.append(json.dumps(answer.structuredContent, ensure_ascii=False))
    text = "\n\n".join(text for text in texts if text.strip())
    if answer.isError:
        raise ToolError(text or f"{tool} failed and did not say why.", by_strangers=True)
    return ToolResult(text or f"{tool} was run and gave nothing back.", tuple(cards))


def _text_of(block: ContentBlock, cards: list[PictureCard], tool: str) -> str:
    """What the model reads of one part; a picture that can be shown is put to `cards`."""
    match block:
        case TextContent(text=text):
            return text
        case ImageContent(mimeType=kind):
            png = _png_from(block)
            if png is None or len(cards) == MAX_PICTURES:
                return f"[a picture ({kind}) that can't be shown here]"
            cards.append(PictureCard(png, alt=tool))
            return "[a picture, which the user sees]"
        case AudioContent(mimeType=kind):
            return f"[a sound ({kind}) that can't be played here]"
        case ResourceLink(name=name, uri=uri):
            return f"{name}: {uri}"
        case EmbeddedResource(resource=resource):
            return _text_of_resource(resource)


def _text_of_resource(resource: TextResourceContents | BlobResourceContents) -> str:
    if isinstance(resource, TextResourceContents):
        return f"{resource.uri}\n{resource.text}"
    return f"[a file ({resource.mimeType or 'of unknown kind'}) that can't be shown here: {resource.uri}]"


def _png_from(image: ImageContent) -> bytes | None:
    """The picture, if it is a PNG by its own bytes and of a size that a browser bears."""
    if len(image.data) > MAX_PICTURE_BYTES * 4 // 3 + 4:
        return None
    try:
        content = base64.b64decode(image.data, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(content) < 33 or not content.startswith(_PNG) or content[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", content[16:24])
    return content if 0 < width * height <= MAX_PICTURE_PIXELS else None
