"""What one call, one chat and the whole server may use for Python. Pure data."""

from dataclasses import dataclass

START_S = 20
"""A process that isn't ready after this many seconds, which is long even on a very busy machine, never will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxLimits:
    """`seconds` holds for a call, `idle_s` for a chat between calls, `queue_s` for a call that waits for its turn.

    `memory_mb` is address space, most of which libraries only reserve; `disk_mb` is the chat's whole folder, and
    `written_mb` all that one process writes, as files that have no name any more take room where nobody sees it;
    `processes` counts threads, as no process can be started; `max_live` chats have a Python of their own at once.
    """

    seconds: float = 30
    memory_mb: int = 1536
    output_chars: int = 20_000
    disk_mb: int = 256
    written_mb: int = 1024
    processes: int = 64
    idle_s: float = 600
    max_live: int = 8
    queue_s: float = 10

    @property
    def longest_call_s(self) -> float:
        """After this many seconds even a call that waited for its turn and for a new process has ended by itself."""
        return self.queue_s + START_S + self.seconds + 10
