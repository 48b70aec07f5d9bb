"""Somebody with very many threads, put into the tables without going through the data layer: seconds, not hours."""

from sqlalchemy import text

from ui.data_layer.database import Database

FIRST_MOMENT_US = 1_700_000_000_000_000
ADD_THREADS = text("""
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)
    INSERT INTO threads ("id", "userId", "activity", "createdAt", "name", "metadata")
    SELECT '00000000-0000-4000-8000-' || (100000000000 + n),
        CAST(:user AS text),
        :first + 1000000 * CAST(n AS bigint),
        '2026-01-01T00:00:00Z',
        '一个很长的问题 about trams, number ' || n || CAST(:tail AS text),
        CAST(:metadata AS text)
    FROM numbers
""")
ADD_STEPS = text("""
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)
    INSERT INTO steps ("id", "threadId", "position", "revision", "indexed", "favorite", "type", "output")
    SELECT substr(t.id, 1, 24) || (100000000000 + t.activity / 1000000 % 100000 * 10000 + n),
        t.id, t.activity + n, t.activity + n, true, false, 'tool', CAST(:output AS text)
    FROM threads t CROSS JOIN numbers
""")


async def add_many_threads(
    database: Database, user_id: str, *, threads: int, steps_each: int, output: str = "text"
) -> None:
    """Thread number n has id `thread_id(n)`, its activity grows with n; each holds the same steps."""
    metadata = '{"chat_settings": "' + "x" * 500 + '"}'
    values = {"count": threads, "user": user_id, "first": FIRST_MOMENT_US, "tail": "字" * 200, "metadata": metadata}
    async with database.writing() as connection:
        await connection.execute(ADD_THREADS, values)
        await connection.execute(ADD_STEPS, {"count": steps_each, "output": output})
        await connection.execute(text("ANALYZE"))


def thread_id(number: int) -> str:
    return f"00000000-0000-4000-8000-{100_000_000_000 + number}"


def cursor_of(number: int) -> str:
    """What `list_threads` gives as the end of a page whose last thread is this one."""
    return f"{FIRST_MOMENT_US + 1_000_000 * number}.{thread_id(number)}"
