"""Who somebody is: nobody has to log in by default, and the operator can ask for it.

Knows Chainlit's login; must not know the agent, the model or what is said in a chat.
"""

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Literal, TypeAlias

import chainlit.auth
import chainlit.auth.jwt
import chainlit.server
from chainlit.config import config

from ui.auth import logins
from ui.auth.attempts import LoginAttempts
from ui.auth.browser_identity import BrowserIdentity
from ui.auth.cookie import name_cookie_after
from ui.auth.logout import EndedLogins, WatchesLogouts, end_logins_for_good
from ui.auth.passwords import PeopleFile
from ui.auth.secret import signing_secret
from ui.data_layer.counts import Counts
from ui.data_layer.database import Database
from ui.guard.layers import add_layer

Mode: TypeAlias = Literal["none", "password", "oauth", "header"]

_YEAR_S = 365 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthConfig:
    """`header` is the one that a proxy puts the name into; `is_network_trusted` lets everybody in who can reach us."""

    mode: Mode
    secret: str | None = field(repr=False)
    data_folder: Path
    people_file: Path
    header: str
    is_network_trusted: bool


def install(auth: AuthConfig, database: Database) -> None:
    """Let people in as configured. Called whenever `app.py` is loaded, and before the guard, which stands outside.

    `database` holds what several processes have to know of logins: the attempts, and those that have ended.
    Raises ValueError with a sentence where that would let strangers in, or cannot work.
    """
    _refuse_strangers(auth)
    secret = signing_secret(auth.data_folder, given=auth.secret)
    chainlit.auth.get_jwt_secret = chainlit.auth.jwt.get_jwt_secret = lambda: secret  # its way is the environment
    name_cookie_after(secret)
    counts, state = Counts(database), chainlit.server.app.state
    _take_logins(auth, counts)
    if not hasattr(state, "auth"):  # `chainlit run -w` loads app.py again: callbacks are gone then, layers not
        state.auth, state.ended_logins = auth.mode, EndedLogins(database)
        _mark_page(auth.mode)
        _add_layers(auth.mode, counts, state.ended_logins)
    end_logins_for_good(state.ended_logins)


def _take_logins(auth: AuthConfig, counts: Counts) -> None:
    match auth.mode:
        case "none":
            config.project.user_session_timeout = _YEAR_S
            logins.everybody_is_welcome()
        case "password":
            logins.by_password(PeopleFile(auth.people_file), counts)
        case "header":
            logins.by_header(auth.header)
        case "oauth":
            _by_oauth()


def _add_layers(mode: Mode, counts: Counts, ended: EndedLogins) -> None:
    add_layer(lambda app: WatchesLogouts(app, ended))
    if mode == "none":
        add_layer(lambda app: BrowserIdentity(app, socket_path=chainlit.server.SOCKET_IO_PATH))
    if mode == "password":
        add_layer(lambda app: LoginAttempts(app, counts))


def _refuse_strangers(auth: AuthConfig) -> None:
    if auth.mode in ("password", "oauth") or auth.is_network_trusted or _is_this_computer(config.run.host):
        return
    if auth.mode == "header":
        raise ValueError(
            f"AUTH=header trusts whoever sends {auth.header}, so only the proxy may reach Thinkglass: listen on "
            "127.0.0.1, or set TRUSTED_NETWORK=true if nobody else can reach this address."
        )
    raise ValueError(
        f"Listening on {config.run.host} would let everybody on the network in. Set AUTH=password (python -m ui.auth "
        "add NAME makes the first person), or TRUSTED_NETWORK=true if that is what you want."
    )


def _is_this_computer(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _mark_page(mode: Mode) -> None:
    """The stylesheet hides the way to log out where nobody logs in: it would only lose the browser's chats."""
    template = chainlit.server.get_html_template
    chainlit.server.get_html_template = lambda root: template(root).replace("<html", f'<html data-auth="{mode}"', 1)


def _by_oauth() -> None:
    try:
        logins.by_oauth()
    except ValueError:
        raise ValueError(
            "AUTH=oauth needs a provider, such as OAUTH_GITHUB_CLIENT_ID and OAUTH_GITHUB_CLIENT_SECRET; "
            "Chainlit's documentation lists them all."
        ) from None
