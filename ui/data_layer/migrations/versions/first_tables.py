"""The first tables. Tables of Chainlit's documented schema that are already there are taken over with their rows."""

import sqlalchemy as sa
from alembic import op

from ui.data_layer.migrations.chainlit_tables import copy_rows, set_aside

revision = "0001"
down_revision = None

_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create everything as version 1 had it; later versions change it in later files."""
    aside = set_aside(op.get_bind())
    _create_people()
    _create_steps()
    _create_what_hangs_on_steps()
    copy_rows(op.get_bind(), aside)


def _create_people() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("identifier", sa.Text, nullable=False, unique=True),
        sa.Column("createdAt", sa.Text, nullable=False),
        sa.Column("metadata", sa.Text, nullable=False),
    )
    op.create_table(
        "threads",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("userId", sa.Text, sa.ForeignKey("users.id", ondelete="CASCADE")),
        sa.Column("activity", sa.BigInteger, nullable=False),
        *(sa.Column("createdAt", sa.Text, nullable=False), *_texts("name", "tags", "metadata")),
    )
    op.create_index("threads_of_user", "threads", ["userId", "activity", "id"])


def _create_steps() -> None:
    op.create_table(
        "steps",
        sa.Column("seq", _ROW_NUMBER, primary_key=True, autoincrement=True),
        sa.Column("id", sa.Text, nullable=False, unique=True),
        _thread_id(),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        sa.Column("indexed", sa.Boolean, nullable=False),
        sa.Column("favorite", sa.Boolean, nullable=False),
        *_texts("parentId", "type", "name", "command"),
        *_flags("streaming", "waitForAnswer", "isError", "defaultOpen", "autoCollapse"),
        *_texts("language", "createdAt", "start", "end", "showInput", "modes", "tags", "metadata", "generation"),
        *_texts("extra", "input", "output"),
    )
    op.create_index("steps_of_thread", "steps", ["threadId", "position"])
    favorite, unindexed = sa.text("favorite"), sa.column("indexed", sa.Boolean) == sa.false()
    op.create_index("steps_favorite", "steps", ["threadId"], sqlite_where=favorite, postgresql_where=favorite)
    op.create_index("steps_unindexed", "steps", ["seq"], sqlite_where=unindexed, postgresql_where=unindexed)


def _create_what_hangs_on_steps() -> None:
    op.create_table(
        "elements",
        sa.Column("id", sa.Text, primary_key=True),
        _thread_id(),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("revision", sa.BigInteger, nullable=False),
        *_texts("forId", "type", "chainlitKey", "url", "objectKey", "name", "display", "size", "language", "mime"),
        sa.Column("page", sa.Integer),
        *_flags("autoPlay"),
        *_texts("props", "playerConfig", "extra"),
    )
    op.create_index("elements_of_thread", "elements", ["threadId", "position"])
    op.create_table(
        "feedbacks",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("forId", sa.Text, nullable=False, unique=True),
        _thread_id(),
        sa.Column("value", sa.Integer, nullable=False),
        *_texts("comment"),
    )
    op.create_index("feedbacks_of_thread", "feedbacks", ["threadId"])
    op.create_table("doomed_files", sa.Column("objectKey", sa.Text, primary_key=True))


def _thread_id() -> sa.Column[str]:
    return sa.Column("threadId", sa.Text, sa.ForeignKey("threads.id", ondelete="CASCADE"), nullable=False)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text) for name in names]


def _flags(*names: str) -> list[sa.Column[bool]]:
    return [sa.Column(name, sa.Boolean) for name in names]
