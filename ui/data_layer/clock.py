"""The database's own time: processes on several machines then need no common clock."""

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class Now(FunctionElement[int]):
    """Milliseconds since 1970, at the moment of the statement, not of its transaction."""

    type = BigInteger()
    inherit_cache = True


@compiles(Now, "sqlite")
def _in_sqlite(_element: Now, _compiler: Any, **_options: Any) -> str:
    return "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"


@compiles(Now, "postgresql")
def _in_postgresql(_element: Now, _compiler: Any, **_options: Any) -> str:
    return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
