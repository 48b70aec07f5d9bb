"""What to do instead, where code failed because of what the confinement does not have. English: the model reads it."""

import traceback

from tools.sandbox.inside.attempt import Attempt

_NO_INSTALLING = "Nothing can be installed here: use the libraries that are there."
_NO_PROCESSES = "No other process can be started here: compute in this one, or in threads."
_NO_NETWORK = "There is no network here: work with the files of this chat."
_NOBODY_TYPES = "Nobody can type anything in here: write the values into the code."

_OF_PROCESSES = frozenset({"multiprocessing", "subprocess", "pty"})
_OF_NETWORK = frozenset(
    {"socket", "socketserver", "urllib", "urllib3", "http", "requests", "httpx", "ftplib", "smtplib"}
)


def hint_for(error: BaseException) -> str:
    """A line to put below the error, or nothing."""
    hint = ""
    with Attempt():
        hint = _hint(error)
    return f"\n{hint}" if hint else ""


def _hint(error: BaseException) -> str:
    match error:
        case ImportError() if isinstance(error, ModuleNotFoundError) or "install" in str(error):
            return _NO_INSTALLING
        case EOFError() if "reading a line" in str(error):
            return _NOBODY_TYPES
        case OSError() if _libraries_of(error) & _OF_PROCESSES:
            return _NO_PROCESSES
        case OSError() if _libraries_of(error) & _OF_NETWORK:
            return _NO_NETWORK
    return ""


def _libraries_of(error: BaseException) -> set[str]:
    """The top packages of the code that the error went through."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return {str(frame.f_globals.get("__name__")).partition(".")[0] for frame in frames}
