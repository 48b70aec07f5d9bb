"""`python -m llm.doctor`: finds the endpoint as the app does, examines it, and says in ten lines how it stands.

The one place in `llm/` that may read the settings and know of the tools: a command, imported by nothing.
"""

import asyncio
import logging
import sys
from collections.abc import Mapping
from pathlib import Path

from llm.doctor.examination import examine
from llm.doctor.words import ENGLISH, facts
from llm.endpoint import Endpoint, configured_endpoint
from llm.errors import LLMError
from llm.local.connection import Connection
from llm.local.detect import USUAL_ADDRESSES, detect
from llm.local.errors import NoModel
from llm.local.fetch import is_fetched, weights_path
from llm.local.machine import free_memory
from llm.local.weights import Weights, choose_weights, in_words
from settings import Settings, load_settings
from tools.sandbox import Sandbox

_TO_BE_FETCHED = (
    "No model is set and none was found on this computer. The app would fetch its built-in model {name} ({size}) once, "
    "at its first start."
)


async def report(settings: Settings, *, addresses: Mapping[str, str] = USUAL_ADDRESSES) -> tuple[list[str], bool]:
    """The lines, and whether a chat would work. `addresses`: see `detect`. Starts the built-in engine if that is it."""
    endpoint = await _endpoint_outside(settings, addresses)
    weights = None if endpoint or settings.local_model_path else _weights(settings)
    if weights and not is_fetched(weights, settings.thinkglass_cache):
        verdict = _TO_BE_FETCHED.format(name=weights.name, size=in_words(weights.size))
        return [*_other_keys(settings), verdict], False
    built_in = weights_path(weights, settings.thinkglass_cache) if weights else settings.local_model_path
    try:
        lines, error = await _examined(settings, endpoint, built_in=built_in)
    except LLMError as failure:
        lines, error = [], failure
    return [*lines, *_other_keys(settings), error.user_message if error else ENGLISH.works], not error


async def _endpoint_outside(settings: Settings, addresses: Mapping[str, str]) -> Endpoint | None:
    """The endpoint that is set, else a server that runs on this machine."""
    if settings.endpoint:
        return configured_endpoint(*settings.endpoint)
    return None if settings.local_model_path else await detect(addresses=addresses)


def _weights(settings: Settings) -> Weights | None:
    return None if settings.local_model == "off" else choose_weights(settings.local_model, free_memory())


async def _examined(
    settings: Settings, endpoint: Endpoint | None, *, built_in: Path | None
) -> tuple[list[str], LLMError | None]:
    """The facts and what is wrong. A connection that is told the file of the weights downloads nothing."""
    if not endpoint and not built_in:
        raise NoModel
    connection = Connection(
        configured=endpoint, local_model="off", local_model_path=built_in, cache_folder=settings.thinkglass_cache
    )
    try:
        diagnosis = await examine(await connection.endpoint(), connect_timeout=settings.connect_timeout)
    finally:
        await connection.close()
    return facts(diagnosis), diagnosis.error


def _other_keys(settings: Settings) -> list[str]:
    """Which of the tools' keys are set; never the keys."""
    return [
        "Tavily key: set" if settings.tavily_api_key else "Tavily key: not set (a keyless search is used)",
        "OpenWeather key: set" if settings.openweather_api_key else "OpenWeather key: not set (Open-Meteo is used)",
    ]


async def _python(settings: Settings) -> str:
    """Whether the model may run code, and why not."""
    sandbox = Sandbox() if settings.run_python == "auto" else Sandbox(modes=())
    confinement = await sandbox.probe()
    await sandbox.close()
    return confinement.reason or "Python: confined by bubblewrap"


async def _all(settings: Settings) -> tuple[list[str], bool]:
    """The report, with the line on Python before the last one."""
    lines, works = await report(settings)
    return [*lines[:-1], await _python(settings), lines[-1]], works


def _main() -> int:
    logging.basicConfig(level=logging.CRITICAL)  # what goes wrong is told in the last line
    try:
        lines, works = asyncio.run(_all(load_settings()))
    except KeyboardInterrupt:
        return 130
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if works else 1


if __name__ == "__main__":
    sys.exit(_main())
