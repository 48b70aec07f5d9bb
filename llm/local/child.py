"""The engine's own process: `python -m llm.local.child`. A llama.cpp server that lives as long as its parent.

Its one job arrives as a line of JSON on stdin (nothing secret is in its arguments); its first and only line on
stdout is {"port": ...} or {"error": ..., "missing": ...}. It ends when stdin does. Imports nothing of the app.
"""

import ctypes
import json
import os
import signal
import sys
from typing import Any

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve the job until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    answer_to = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever the engine prints is no answer
    job = json.loads(sys.stdin.readline())
    _die_with(job["parent"])
    answer, _server = _start(job)
    os.write(answer_to, json.dumps(answer).encode() + b"\n")
    if _server:
        sys.stdin.read()
    os._exit(0)  # a generation may be running; nothing here needs a farewell


def _die_with(parent: int) -> None:
    """On Linux the system ends us with the parent, even while the engine is loading and cannot read stdin."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _start(job: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """The answer to the parent and the running server, None where there is none."""
    # Read by libgomp when it loads. Spinning at its barriers lets generation collapse as soon as another process
    # wants a core (measured: 4.5 instead of 21 tokens a second).
    os.putenv("OMP_WAIT_POLICY", "PASSIVE")
    try:
        import xllamacpp
    except ImportError as error:
        return {"error": str(error), "missing": True}, None
    try:
        server = xllamacpp.Server(_params(xllamacpp.CommonParams(), job))
    except RuntimeError as error:
        return {"error": str(error), "missing": False}, None
    return {"port": int(server.listening_address.rpartition(":")[2])}, server


def _params(params: Any, job: dict[str, Any]) -> Any:
    params.model.path = job["model"]
    params.model_alias = {job["alias"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [job["api_key"]]
    params.ui = False
    params.verbosity = 1
    params.chat_template = job["chat_template"]
    params.slot_save_path = job["slot_folder"]
    params.n_ctx = job["context_tokens"]
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = 256  # a closed stream is noticed between batches only
    params.cache_ram_mib = 512
    params.cpuparams.n_threads = job["threads"]
    params.cpuparams_batch.n_threads = job["batch_threads"]
    return params


if __name__ == "__main__":
    main()
