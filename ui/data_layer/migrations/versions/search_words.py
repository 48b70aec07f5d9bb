"""The index for the search. It is filled from the steps while the app runs."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """FTS5 in SQLite; in PostgreSQL a table with an index that needs no extension."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("CREATE VIRTUAL TABLE search USING fts5(words, content='', columnsize=0, tokenize='unicode61')")
        return
    op.execute(
        "CREATE TABLE search (seq bigint NOT NULL REFERENCES steps(seq) ON DELETE CASCADE, part integer NOT NULL, "
        "words tsvector NOT NULL, PRIMARY KEY (seq, part))"
    )
    op.execute("CREATE INDEX search_words ON search USING gin (words)")
