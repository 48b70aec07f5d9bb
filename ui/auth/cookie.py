"""The login cookie as Chainlit reads it, under a name of this installation's own."""

import hashlib
from http.cookies import SimpleCookie

import chainlit.auth.cookie
from chainlit.config import config
from starlette.types import Scope


def name_cookie_after(secret: str) -> None:
    """Browsers give cookies to every port of a host: two installations on one computer must not share a name."""
    mark = hashlib.sha256(secret.encode()).hexdigest()[:8]
    chainlit.auth.cookie._auth_cookie_name = f"thinkglass_{mark}"


def login_cookie(token: str, scope: Scope) -> str:
    """The value of a `Set-Cookie` header: kept from scripts and other sites, and from plain HTTP where there is TLS."""
    jar = SimpleCookie({chainlit.auth.cookie._auth_cookie_name: token})
    (morsel,) = jar.values()
    morsel["httponly"] = True
    morsel["samesite"] = "lax"
    morsel["path"] = config.run.root_path or "/"
    morsel["max-age"] = config.project.user_session_timeout
    morsel["secure"] = scope["scheme"] in ("https", "wss")
    return morsel.OutputString()


def with_login(scope: Scope, token: str) -> Scope:
    """The request as it would have come with the cookie."""
    name = chainlit.auth.cookie._auth_cookie_name
    others = [value for key, value in scope["headers"] if key == b"cookie"]
    cookie = b"; ".join([*others, f"{name}={token}".encode()])
    headers = [(key, value) for key, value in scope["headers"] if key != b"cookie"]
    return {**scope, "headers": [*headers, (b"cookie", cookie)]}
