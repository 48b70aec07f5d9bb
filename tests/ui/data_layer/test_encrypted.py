"""PostgreSQL over TLS: a real server with a certificate of an authority of its own, named in the address."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from sqlalchemy import text

from tests.e2e.running_app import free_port
from tests.ui.data_layer import postgres
from tests.ui.data_layer.certificates import Authority, Certified
from tests.ui.data_layer.people import person, step, texts, thread_of
from ui.data_layer.errors import Unreachable, UntrustedDatabase
from ui.data_layer.history import History
from ui.data_layer.layer import DataLayer
from ui.data_layer.storage import LocalFiles

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Encrypted:
    """A server that talks by TLS alone, its authority, another authority, and the certificate of its user `test`."""

    port: int
    authority: Path
    stranger: Path
    user: Certified

    def address(self, host: str = HOST, **options: str | Path) -> str:
        return f"postgresql://test@{host}:{self.port}/postgres?{urlencode(options)}"


@pytest.fixture(scope="module")
def encrypted() -> Iterator[Encrypted]:
    """One user of the server, `test`, has to show a certificate."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("POSTGRESQL IS NOT TESTED: it is not installed here")
    with tempfile.TemporaryDirectory(prefix="tls") as name:
        folder, port = Path(name), free_port()
        own, other = Authority(folder, "authority"), Authority(folder, "stranger")
        server, user = own.certify("server", addresses=[HOST]), own.certify("test")
        if os.getuid() == 0:
            folder.chmod(0o755)
            shutil.chown(server.key, "postgres")
        access = folder / "pg_hba.conf"
        access.write_text("local all all trust\nhostssl all all 127.0.0.1/32 trust clientcert=verify-full\n", "utf-8")
        settings = {
            "listen_addresses": HOST, "port": str(port), "ssl": "on", "ssl_cert_file": str(server.certificate),
            "ssl_key_file": str(server.key), "ssl_ca_file": str(own.certificate), "hba_file": str(access),
        }  # fmt: skip
        with postgres.running(programs, **settings):
            yield Encrypted(port, own.certificate, other.certificate, user)


def options(encrypted: Encrypted, **others: str | Path) -> dict[str, str | Path]:
    """As libpq names them; `others` take their place."""
    own = {"sslmode": "verify-full", "sslrootcert": encrypted.authority}
    return {**own, "sslcert": encrypted.user.certificate, "sslkey": encrypted.user.key, **others}


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_chats_are_kept_over_an_encrypted_connection(encrypted: Encrypted, tmp_path: Path, mode: str) -> None:
    history = History(encrypted.address(**options(encrypted, sslmode=mode)), data_folder=tmp_path)
    layer = DataLayer(history, LocalFiles(tmp_path))
    await layer.start()
    thread = await thread_of(layer, await person(layer))
    await layer.create_step(step(thread, "a secret"))
    assert await texts(layer, thread) == ["a secret"]
    async with history.database.reading() as connection:
        in_use = text("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        assert (await connection.execute(in_use)).scalar() is True
    await layer.close()


async def test_verify_ca_takes_any_name_and_verify_full_does_not(encrypted: Encrypted, tmp_path: Path) -> None:
    by_name = encrypted.address("localhost", **options(encrypted, sslmode="verify-ca"))
    history = History(by_name, data_folder=tmp_path)
    await history.start()
    await history.close()
    history = History(by_name.replace("verify-ca", "verify-full"), data_folder=tmp_path)
    with pytest.raises(UntrustedDatabase) as refused:
        await history.start()
    assert "sslrootcert" in refused.value.user_message
    await history.close()


@pytest.mark.parametrize("mode", ["verify-ca", "verify-full"])
@pytest.mark.parametrize("authority", ["of a stranger", "of the system"])
async def test_a_server_that_nobody_vouches_for_is_refused_plainly(
    encrypted: Encrypted, tmp_path: Path, mode: str, authority: str
) -> None:
    named = options(encrypted, sslmode=mode, sslrootcert=encrypted.stranger)
    if authority == "of the system":
        del named["sslrootcert"]
    history = History(encrypted.address(**named), data_folder=tmp_path)
    with pytest.raises(UntrustedDatabase) as refused:
        await history.start()
    assert "sslrootcert" in refused.value.user_message
    await history.close()


@pytest.mark.parametrize("mode", ["disable", ""])
async def test_a_server_that_wants_tls_is_not_reached_without(encrypted: Encrypted, tmp_path: Path, mode: str) -> None:
    history = History(encrypted.address(**({"sslmode": mode} if mode else {})), data_folder=tmp_path)
    with pytest.raises(Unreachable):
        await history.start()
    await history.close()


@pytest.mark.parametrize("option", ["sslrootcert", "sslcert", "sslkey"])
@pytest.mark.parametrize("fault", ["missing", "no certificate"])
def test_a_file_that_is_no_certificate_is_named_plainly(
    encrypted: Encrypted, tmp_path: Path, option: str, fault: str
) -> None:
    file = tmp_path / "file.pem"
    if fault == "no certificate":
        file.write_text("hello", "utf-8")
    with pytest.raises(UntrustedDatabase) as refused:
        History(encrypted.address(**options(encrypted, **{option: file})), data_folder=tmp_path)
    assert "DATABASE_URL" in refused.value.user_message
