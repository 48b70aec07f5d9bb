"""Puts the operators' routes into Chainlit's server. Called once, by `app.py`."""

from collections.abc import Mapping
from pathlib import Path

import chainlit.server
from chainlit.config import config

from ui.guard.layers import add_layer
from ui.monitoring import Monitoring
from ui.monitoring.routes import Check, OperatorRoutes, has_space


def answer_operators(
    monitoring: Monitoring, *, checks: Mapping[str, Check], data_folder: Path, token: str | None
) -> None:
    """Answer `/ready` and `/metrics`. `token` opens the figures to others than this computer."""
    server = chainlit.server.app
    if getattr(server.state, "answers_operators", False):
        return  # `chainlit run -w` loads app.py again after every change
    server.state.answers_operators = True
    add_layer(
        lambda app: OperatorRoutes(
            app,
            root_path=config.run.root_path,
            checks={**checks, "disk": has_space(data_folder)},
            metrics=monitoring.metrics,
            token=token,
        )
    )
