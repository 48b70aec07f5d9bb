"""Layers around Chainlit's server. Each stands outside those that were added before."""

from collections.abc import Callable

import chainlit.server
from starlette.types import ASGIApp


def add_layer(layer: Callable[[ASGIApp], ASGIApp]) -> None:
    """Wrap everything, also the answers to errors that Chainlit does not catch. Made when the server starts."""
    server = chainlit.server.app
    inner = server.build_middleware_stack
    server.build_middleware_stack = lambda: layer(inner())
