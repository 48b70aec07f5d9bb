"""Whether code can be confined here, how, and if not, why: in words for the log, the doctor and the page."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["bubblewrap", "landlock"]
Cause: TypeAlias = Literal[
    "switched_off", "not_linux", "processor", "exposed", "not_installed", "forbidden", "failing", "leaking"
]


@dataclass(frozen=True, slots=True)
class Confinement:
    """How code is confined; `mode` is None where none is run. `reason` is one plain line, empty if all is well.

    `cause` names the reason, so that it can be told in other languages; `detail` is what the system said, for the log.
    """

    mode: Mode | None
    reason: str = ""
    cause: Cause | None = None
    detail: str = ""


REASONS: dict[Cause, str] = {
    "switched_off": "Python is off: RUN_PYTHON=off is set. Take it out, or set it to auto.",
    "not_linux": "Python is off: code can be confined on Linux only. Run the server on Linux or in a Linux container.",
    "processor": "Python is off: code can be confined on x86_64 and aarch64 processors only.",
    "exposed": "Python is off: the server's folder lies among Python's own libraries, which code may read. Move it.",
    "not_installed": (
        "Python is off: bubblewrap is not installed, and this kernel has no Landlock. "
        "Install it (apt-get install bubblewrap) and start the server again."
    ),
    "forbidden": (
        "Python is off: this system does not let bubblewrap make namespaces, and its kernel has no Landlock. "
        "Allow user namespaces (Ubuntu: an AppArmor profile for bwrap; Docker: a seccomp profile), or use Linux 5.13+."
    ),
    "failing": "Python is off: the confined process does not start on this computer. The server's log says why.",
    "leaking": (
        "Python is off: code could get out of its confinement in the self-test. Please report this with the log."
    ),
}

SECOND_CHOICE = "Python is confined by Landlock alone, as bubblewrap does not work here. Installing it makes it safer."


def off(cause: Cause, detail: str = "") -> Confinement:
    """No code is run here."""
    return Confinement(None, REASONS[cause], cause, detail)
