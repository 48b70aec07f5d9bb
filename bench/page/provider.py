"""A provider in a process of its own that streams by a clock: what is late goes out at once, so that the pace holds.

What it is to stream stands in the question. A token can be its own stamp: the moment at which it was written.
"""

import contextlib
import json
import math
import multiprocessing
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from typing import Literal, cast

from tests.provider.replies import DONE, USAGE, Part, Pause, Reply, chunk
from tests.provider.server import ProviderServer, Request

STAMP = re.compile(r"T(\d{16})")
"""Microseconds since 1970."""
JOB = re.compile(r'\{"thinking".*?\}')
_PROSE = (
    "First I look at the numbers, and then I think about what they mean for the question at hand, for it is easy to "
    "take one for the other and then to wonder at the end why nothing fits together as it should have."
)
WORDS = _PROSE.split()
THOUGHT = re.findall(r"\S+\s", "Thought: I can answer without using any more tools.\nAnswer: ")
REPORT_LIMIT_S = 10


@dataclass(frozen=True, slots=True)
class Job:
    """So many tokens of thinking and of answer, so many a second, the first `wait_s` after the request.

    `stamps`: which tokens of a block are stamps.
    """

    thinking: int
    answer: int = 1
    pace: float = math.inf
    stamps: Literal["none", "first", "each"] = "none"
    wait_s: float = 0.0

    @property
    def question(self) -> str:
        return json.dumps(asdict(self))

    @property
    def seconds(self) -> float:
        return self.wait_s + (self.thinking + self.answer) / self.pace

    @property
    def text(self) -> str:
        """The thinking as it has to stand on the page, if no token of it is a stamp."""
        return "".join(word(number) for number in range(self.thinking))


@dataclass(frozen=True, slots=True)
class Streamed:
    """What the provider says of a stream that has ended: tokens written, seconds that took, time of its end."""

    tokens: int
    seconds: float
    ended: float

    @property
    def pace(self) -> float:
        return self.tokens / self.seconds


@dataclass(frozen=True, slots=True)
class Provider:
    """The running provider as the measuring process sees it."""

    api_base: str
    pipe: "Connection[object, object]"

    def streamed(self) -> Streamed:
        """Of the next stream, in the order of their ends."""
        if not self.pipe.poll(REPORT_LIMIT_S):
            raise TimeoutError("the provider's stream has not ended")
        return cast("Streamed", self.pipe.recv())


@contextlib.contextmanager
def providing() -> Iterator[Provider]:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield Provider(str(ours.recv()), ours)
    finally:
        process.terminate()
        process.join()


def _serve(pipe: "Connection[object, object]") -> None:
    with ProviderServer(responder=lambda request: _reply(request, pipe)) as server, contextlib.suppress(EOFError):
        pipe.send(server.api_base)
        pipe.recv()


def _reply(request: Request, pipe: "Connection[object, object]") -> Reply:
    found = JOB.search(request.question)
    job = Job(**json.loads(found[0])) if found else Job(1)
    return Reply(cast("tuple[Part, ...]", _parts(job, pipe)))  # each is made when its time has come


def _parts(job: Job, pipe: "Connection[object, object]") -> Iterator[Part]:
    """The whole stream by the clock; reports to the pipe, also when the client goes away in the midst."""
    yield chunk({"role": "assistant", "content": None, "reasoning_content": ""})
    yield Pause(job.wait_s)
    began, written, deltas = time.monotonic(), 0, _deltas(job)
    try:
        while True:
            ahead = began + written / job.pace - time.monotonic()
            if ahead > 0:
                yield Pause(ahead)
            if (delta := next(deltas, None)) is None:
                break
            yield chunk(delta)
            written += 1
    finally:
        pipe.send(Streamed(written, time.monotonic() - began, time.time()))
    yield chunk(finish="stop", usage=USAGE)
    yield DONE


def _deltas(job: Job) -> Iterator[dict[str, str]]:
    for number in range(job.thinking):
        yield {"reasoning_content": _token(job, number)}
    for text in THOUGHT:
        yield {"content": text}
    for number in range(job.answer):
        yield {"content": _token(job, number)}


def _token(job: Job, number: int) -> str:
    is_stamp = job.stamps == "each" or (job.stamps == "first" and number == 0)
    return f"T{time.time_ns() // 1000} " if is_stamp else word(number)


def word(number: int) -> str:
    """Prose in numbered paragraphs."""
    paragraph, place = divmod(number, len(WORDS))
    if place == 0:
        return f"Part {paragraph}: "
    return WORDS[place] + ("\n\n" if place == len(WORDS) - 1 else " ")
