"""One suite over SQLite and PostgreSQL: every test that asks for `url` or `layer` runs on both."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from tests.ui.data_layer import postgres
from tests.ui.data_layer.postgres import Postgres
from ui.data_layer.history import History
from ui.data_layer.layer import DataLayer
from ui.data_layer.places import files_folder
from ui.data_layer.storage import LocalFiles

NewLayer = Callable[[], DataLayer]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    programs = postgres.programs()
    if programs is None:
        pytest.skip("POSTGRESQL IS NOT TESTED: it is not installed here")
    with postgres.running(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/history.db"
    server: Postgres = request.getfixturevalue("postgres_server")
    return server.emptied_database()


@pytest.fixture
async def new_layer(url: str, tmp_path: Path) -> AsyncIterator[NewLayer]:
    """Opens a further layer on the same database and files, as another process or a restart does."""
    opened: list[DataLayer] = []

    def open_layer() -> DataLayer:
        history = History(url, data_folder=tmp_path)
        opened.append(DataLayer(history, LocalFiles(files_folder(tmp_path))))
        return opened[-1]

    yield open_layer
    for layer in opened:
        await layer.close()


@pytest.fixture
async def layer(new_layer: NewLayer) -> DataLayer:
    layer = new_layer()
    await layer.start()
    return layer


@pytest.fixture
def count_files(tmp_path: Path) -> Callable[[], int]:
    """How many files of elements there are."""
    return lambda: sum(path.is_file() for path in files_folder(tmp_path).rglob("*"))
