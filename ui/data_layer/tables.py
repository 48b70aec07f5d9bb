"""The tables as they are now, for building queries. How they came to be is in `migrations/`; a test compares the two.

The columns of steps, elements and feedback carry Chainlit's own names, so a row is what Chainlit calls a dict.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    column,
    false,
    table,
)

METADATA = MetaData()

ROW_NUMBER = BigInteger().with_variant(Integer, "sqlite")
"""SQLite numbers rows by itself only where the type is exactly INTEGER."""

USERS = Table(
    "users",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("identifier", Text, nullable=False, unique=True),
    Column("createdAt", Text, nullable=False),
    Column("metadata", Text, nullable=False),
)

THREADS = Table(
    "threads",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("userId", Text, ForeignKey("users.id", ondelete="CASCADE")),
    Column("activity", BigInteger, nullable=False),
    Column("createdAt", Text, nullable=False),
    Column("name", Text),
    Column("tags", Text),
    Column("metadata", Text),
    Index("threads_of_user", "userId", "activity", "id"),
)
"""`activity` is the number of the last step written, which is also the time in microseconds."""

STEPS = Table(
    "steps",
    METADATA,
    Column("seq", ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    Column("threadId", Text, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("indexed", Boolean, nullable=False),
    Column("favorite", Boolean, nullable=False),
    Column("parentId", Text),
    Column("type", Text),
    Column("name", Text),
    Column("command", Text),
    Column("streaming", Boolean),
    Column("waitForAnswer", Boolean),
    Column("isError", Boolean),
    Column("defaultOpen", Boolean),
    Column("autoCollapse", Boolean),
    Column("language", Text),
    Column("createdAt", Text),
    Column("start", Text),
    Column("end", Text),
    Column("showInput", Text),
    Column("modes", Text),
    Column("tags", Text),
    Column("metadata", Text),
    Column("generation", Text),
    Column("extra", Text),
    Column("input", Text),
    Column("output", Text),
)
"""`position` orders a thread as the page did; `revision` is the number of the write that was last."""
Index("steps_of_thread", STEPS.c.threadId, STEPS.c.position)
Index("steps_favorite", STEPS.c.threadId, sqlite_where=STEPS.c.favorite, postgresql_where=STEPS.c.favorite)
Index(
    "steps_unindexed",
    STEPS.c.seq,
    sqlite_where=STEPS.c.indexed == false(),
    postgresql_where=STEPS.c.indexed == false(),
)

ELEMENTS = Table(
    "elements",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("threadId", Text, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("revision", BigInteger, nullable=False),
    Column("forId", Text),
    Column("type", Text),
    Column("chainlitKey", Text),
    Column("url", Text),
    Column("objectKey", Text),
    Column("name", Text),
    Column("display", Text),
    Column("size", Text),
    Column("language", Text),
    Column("mime", Text),
    Column("page", Integer),
    Column("autoPlay", Boolean),
    Column("props", Text),
    Column("playerConfig", Text),
    Column("extra", Text),
    Index("elements_of_thread", "threadId", "position"),
)

FEEDBACKS = Table(
    "feedbacks",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("forId", Text, nullable=False, unique=True),
    Column("threadId", Text, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    Column("value", Integer, nullable=False),
    Column("comment", Text),
    Index("feedbacks_of_thread", "threadId"),
)

DOOMED_FILES = Table("doomed_files", METADATA, Column("objectKey", Text, primary_key=True))
"""Files whose rows are gone: a crash before they are deleted does not make them stay."""

COUNTS = Table(
    "counts",
    METADATA,
    Column("whose", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("amount", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False),
    Index("counts_by_end", "until"),
)
"""Of each `kind`, somebody has the sum of `amount` over the rows whose `until` is to come. `whose` is a keyed hash."""

ENDED_LOGINS = Table(
    "ended_logins",
    METADATA,
    Column("mark", Text, primary_key=True),
    Column("endedAt", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False),
    Index("ended_logins_by_time", "endedAt"),
)
"""Hashes of the tokens that were given back. After `until` they would have been refused anyway."""

SEARCH = table("search", column("seq"), column("part"), column("words"))
"""The words of `steps.output`: an FTS5 table with the row number as rowid in SQLite, tsvectors in PostgreSQL."""
