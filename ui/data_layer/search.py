"""The index of what was said: filled a little later than the text is written, so that a growing text costs nothing.

Two databases, two ways to hold the same words: FTS5 without content in SQLite, tsvectors in PostgreSQL. Neither needs
an extension. A step is in the index exactly while its `indexed` is true.
"""

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, cast, column, delete, false, or_, select, text, true, update
from sqlalchemy.dialects.postgresql import TSQUERY, TSVECTOR
from sqlalchemy.ext.asyncio import AsyncConnection

from ui.data_layer.tables import SEARCH, STEPS, THREADS
from ui.data_layer.words import is_whole, phrases_of, words_of

MAX_CHARS = 200_000
"""So much of a step can be found."""
_PART, _OVERLAP = 12_000, 50
"""PostgreSQL knows no position beyond 16,383, so long texts go in several parts."""
_FTS_DELETE = text("INSERT INTO search(search, rowid, words) VALUES('delete', :seq, :words)")
_FTS_INSERT = text("INSERT INTO search(rowid, words) VALUES(:seq, :words)")
_TS_INSERT = text("INSERT INTO search(seq, part, words) VALUES(:seq, :part, CAST(:words AS tsvector))")


def steps_in(threads: Collection[str]) -> ColumnElement[bool]:
    return STEPS.c.threadId.in_(threads)


async def unindex(connection: AsyncConnection, which: ColumnElement[bool]) -> None:
    """Take steps out of the index, before their text changes or they are deleted."""
    found = select(STEPS.c.seq, STEPS.c.output).where(which, STEPS.c.indexed == true(), STEPS.c.output != "")
    rows = (await connection.execute(found)).all()
    if not rows:
        return
    if connection.dialect.name == "sqlite":
        await connection.execute(_FTS_DELETE, [{"seq": row.seq, "words": _fts_text(row.output)} for row in rows])
    else:
        await connection.execute(delete(SEARCH).where(SEARCH.c.seq.in_([row.seq for row in rows])))
    await _mark(connection, [row.seq for row in rows], indexed=False)


async def index_some(connection: AsyncConnection, *, most: int, before: int, user_id: str | None = None) -> int:
    """Index up to `most` steps, the newest first, that were last written before number `before`; returns how many."""
    pending = select(STEPS.c.seq, STEPS.c.output).where(STEPS.c.indexed == false(), STEPS.c.revision < before)
    if user_id is not None:
        pending = pending.join(THREADS, THREADS.c.id == STEPS.c.threadId).where(THREADS.c.userId == user_id)
    rows = (await connection.execute(pending.order_by(STEPS.c.seq.desc()).limit(most))).all()
    texts = [row for row in rows if row.output]
    if texts and connection.dialect.name == "sqlite":
        await connection.execute(_FTS_INSERT, [{"seq": row.seq, "words": _fts_text(row.output)} for row in texts])
    elif parts := [part for row in texts for part in _vectors(row.seq, row.output)]:
        await connection.execute(_TS_INSERT, parts)
    await _mark(connection, [row.seq for row in rows], indexed=True)
    return len(rows)


def matching(query: str, dialect: str) -> ColumnElement[bool]:
    """The condition for threads whose title holds the query as it stands, or one of whose steps holds all its words."""
    title = THREADS.c.name.icontains(query.strip(), autoescape=True)
    phrases = phrases_of(query)
    if not phrases:
        return title
    found = _fts_rows(phrases) if dialect == "sqlite" else _ts_rows(phrases)
    return or_(title, THREADS.c.id.in_(select(STEPS.c.threadId).where(STEPS.c.seq.in_(found))))


def _fts_rows(phrases: list[list[str]]) -> Select[Any]:
    quoted = (f'"{" ".join(words)}"{"" if is_whole(words[-1]) else " *"}' for words in phrases)
    matches = text("search MATCH :words").bindparams(words=" AND ".join(quoted))
    return select(column("rowid")).select_from(SEARCH).where(matches)


def _ts_rows(phrases: list[list[str]]) -> Select[Any]:
    wanted = " & ".join(f"({' <-> '.join(_ts_term(words))})" for words in phrases)
    query = cast(bindparam("words", wanted), TSQUERY)
    return select(SEARCH.c.seq).where(cast(SEARCH.c.words, TSVECTOR).op("@@")(query))


def _ts_term(words: list[str]) -> Iterator[str]:
    for index, word in enumerate(words):
        is_beginning = index == len(words) - 1 and not is_whole(word)
        yield f"'{word}'{':*' if is_beginning else ''}"


def _fts_text(output: str) -> str:
    return " ".join(words_of(output[:MAX_CHARS]))


def _vectors(seq: int, output: str) -> Iterator[dict[str, Any]]:
    words = words_of(output[:MAX_CHARS])
    for part, start in enumerate(range(0, len(words), _PART)):
        piece = words[start : start + _PART + _OVERLAP]
        yield {"seq": seq, "part": part, "words": " ".join(f"'{word}':{i + 1}" for i, word in enumerate(piece))}


async def tidy(connection: AsyncConnection) -> None:
    """Make the index forget what was taken out of it for good; it does so by itself only in time."""
    if connection.dialect.name == "sqlite":
        await connection.execute(text("INSERT INTO search(search) VALUES('optimize')"))


async def _mark(connection: AsyncConnection, numbers: list[int], *, indexed: bool) -> None:
    if numbers:
        await connection.execute(update(STEPS).where(STEPS.c.seq.in_(numbers)).values(indexed=indexed))
