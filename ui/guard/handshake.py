"""What a browser sends when its websocket connects, checked before Chainlit makes folders and sessions from it."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, StringConstraints, ValidationError
from socketio.exceptions import ConnectionRefusedError as Refused

Connect: TypeAlias = Callable[[str, dict[str, Any], Any], Awaitable[Any]]
_Uuid = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$")
]


class _Handshake(BaseModel):
    """The ids become folder names and database keys, so nothing but a plain UUID will do."""

    sessionId: _Uuid  # noqa: N815 - the wire's name
    clientType: Literal["webapp"]  # noqa: N815 - the wire's name
    threadId: _Uuid | Literal[""] | None = None  # noqa: N815 - the wire's name
    chatProfile: str | None = None  # noqa: N815 - the wire's name
    userEnv: str | None = None  # noqa: N815 - the wire's name


def checked(connect: Connect) -> Connect:
    """Wrap Chainlit's connect handler so that it only ever sees a well-formed handshake."""

    async def connect_checked(sid: str, environ: dict[str, Any], auth: Any) -> Any:
        try:
            _Handshake.model_validate(auth, strict=True)
        except ValidationError as error:
            raise Refused("malformed handshake") from error
        return await connect(sid, environ, auth)

    return connect_checked
