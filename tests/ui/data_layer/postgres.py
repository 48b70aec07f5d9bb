"""A PostgreSQL server of its own for one test run: on a unix socket, in a temporary folder, gone afterwards."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
NEEDED = ("initdb", "pg_ctl", "psql")
NEW_CLUSTER = ("-A", "trust", "-U", "test", "-E", "UTF8", "--no-sync")
EMPTY = (
    "-c", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'test' AND pid != pg_backend_pid()",
    "-c", "DROP SCHEMA public CASCADE", "-c", "CREATE SCHEMA public",
)  # fmt: skip
FAST = {"fsync": "off", "full_page_writes": "off", "listen_addresses": "", "max_connections": "200"}


class Postgres:
    """A running server with one database, for one test at a time."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.programs = programs
        self.folder = folder

    def emptied_database(self) -> str:
        """The address of the database, after throwing everybody and everything out of it."""
        run([self.programs / "psql", "-h", self.folder, "-U", "test", "-d", "postgres", "-q", *EMPTY])
        return f"postgresql://test@/postgres?host={self.folder}"

    def control(self, *arguments: str) -> None:
        """Have pg_ctl do something with the server, such as `stop`."""
        run([self.programs / "pg_ctl", "-D", f"{self.folder}/cluster", "-w", "-l", f"{self.folder}/log", *arguments])


def programs() -> Path | None:
    """Where its programs are; None where PostgreSQL is not installed."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent, *PLACES] if found else PLACES
    return next((place for place in places if all((place / name).exists() for name in NEEDED)), None)


@contextmanager
def running(folder_of_programs: Path, **settings: str) -> Iterator[Postgres]:
    """`settings` are those of postgresql.conf; a file that they name has to be readable by the server's user."""
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        server = Postgres(folder_of_programs, Path(folder))
        if os.getuid() == 0:
            shutil.chown(folder, "postgres")
        run([folder_of_programs / "initdb", "-D", f"{folder}/cluster", *NEW_CLUSTER])
        with Path(f"{folder}/cluster/postgresql.conf").open("a", encoding="utf-8") as configuration:
            for name, value in {**FAST, "unix_socket_directories": folder, **settings}.items():
                configuration.write(f"{name} = '{value}'\n")
        server.control("start")
        try:
            yield server
        finally:
            server.control("-m", "immediate", "stop")


def run(command: Sequence[str | Path]) -> None:
    """As an ordinary user: the server refuses to be run by root."""
    user = "postgres" if os.getuid() == 0 else None
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, user=user, cwd="/")
