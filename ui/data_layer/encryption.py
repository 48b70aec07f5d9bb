"""How PostgreSQL's address says that the connection is encrypted, in libpq's words, as asyncpg takes it."""

import ssl
from typing import Any

from sqlalchemy import URL

from ui.data_layer.errors import UntrustedDatabase

_OF_LIBPQ = ("sslmode", "sslrootcert", "sslcert", "sslkey", "channel_binding")
"""Hosts hand them out; asyncpg's dialect knows them by other names."""
_CHECKING = {"verify-ca", "verify-full"}
_ENCRYPTING = {"require", "prefer", "allow"}


def for_asyncpg(url: URL) -> tuple[URL, dict[str, Any]]:
    """The address without libpq's options, and what asyncpg is told instead. Raises `UntrustedDatabase`.

    `sslrootcert` is the file of the authority that vouches for the server, without it any that this system trusts;
    `sslcert` and `sslkey` are what the server is shown of us.
    """
    options = {name: str(url.query[name]) for name in _OF_LIBPQ if name in url.query}
    mode = options.get("sslmode", "")
    if mode == "require" and "sslrootcert" in options:
        mode = "verify-ca"  # as libpq does
    url = url.difference_update_query(_OF_LIBPQ)
    if mode in _CHECKING or (mode == "require" and "sslcert" in options):
        return url, {"ssl": _context(options, mode)}
    return url, {"ssl": mode} if mode in {*_ENCRYPTING, "disable"} else {}


def _context(options: dict[str, str], mode: str) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=options.get("sslrootcert"))
        if certificate := options.get("sslcert"):
            context.load_cert_chain(certificate, options.get("sslkey"))
    except OSError as error:
        raise UntrustedDatabase(f"a certificate can't be read: {error}") from error
    context.check_hostname = mode == "verify-full"
    if mode not in _CHECKING:
        context.verify_mode = ssl.CERT_NONE
    return context
