"""Running what strangers wrote: whatever it raises is kept and not passed on, SystemExit and Ctrl-C among it."""

from types import TracebackType


class Attempt:
    """`with Attempt() as attempt:` goes on after the block whatever happened in it; `attempt.error` says what did."""

    error: BaseException | None = None

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: TracebackType | None) -> bool:
        self.error = error
        return True
