"""What a call came to, and the sentences for the ways in which it can end badly. English: the model reads them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tools.cards import PictureCard, PlotlyCard, TableCard
from tools.sandbox.disk import MOST_ENTRIES
from tools.sandbox.limits import SandboxLimits

Breach: TypeAlias = Literal["time", "output", "disk", "written"]
"""A limit that the server watches."""

GONE = "Python will be started anew, so all variables are gone; files are kept."
ANEW = "Python was started anew for this call: variables of earlier calls are gone, files are kept."
KEPT = "The variables are kept."
BUSY = "Python is busy with other chats, so nothing was run. Tell the user to try again in a moment."
NOT_STARTED = "Python could not be started, so nothing was run. Tell the user so; do not make up its result."
TOO_LONG = "The code is too long to be run at once. Run it in parts: variables are kept between calls."


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one call gave. `printed` is for the model, `value` the last expression's; `error` says what went wrong.

    `files` are the names of the files in the chat's folder that were made or changed; `notices` is what else to tell.
    """

    printed: str = ""
    value: str | None = None
    figures: tuple[PictureCard | PlotlyCard, ...] = ()
    tables: tuple[TableCard, ...] = ()
    files: tuple[str, ...] = ()
    error: str | None = None
    notices: tuple[str, ...] = ()


def breach_words(breach: Breach, limits: SandboxLimits) -> str:
    """What the code did to be stopped."""
    match breach:
        case "time":
            return f"The code was stopped, because it took longer than {limits.seconds:g} s. Do less at once."
        case "output":
            return "The code was stopped, because it printed far too much. Print a summary."
        case "disk":
            return (
                f"The code was stopped, because the chat's folder may hold {limits.disk_mb:,} MB in {MOST_ENTRIES:,} "
                "files at most. The files that this call made were removed."
            )
        case "written":
            return f"The code was stopped, because it wrote more than {limits.written_mb:,} MB to files. Write less."


def memory_words(limits: SandboxLimits) -> str:
    """The code wanted more memory than there is for it."""
    return f"The code used too much memory: {limits.memory_mb:,} MB are the most. Work on less data at once."


def death_words(status: int | None) -> str:
    """How Python ended in the middle of the code; `status` as a shell would say it, None if it had to be killed."""
    match status:
        case None:
            return "The code disturbed Python's own work, so it was stopped."
        case 139 | 135 | 136 | 132 | 134:
            return "Python crashed in the middle of the code, most likely in a library's native part or out of memory."
        case 137:
            return "Python was killed by the system in the middle of the code, most likely for lack of memory."
    return "The code ended Python itself, so there is no result. Don't call os._exit or send signals."
