"""What is counted for all processes together, and the logins that were given back."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Times are milliseconds since 1970, by the database's clock."""
    op.create_table(
        "counts",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("whose", "kind", "id")),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_index("counts_by_end", "counts", ["until"])
    op.create_table(
        "ended_logins",
        sa.Column("mark", sa.Text, primary_key=True),
        sa.Column("endedAt", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_index("ended_logins_by_time", "ended_logins", ["endedAt"])
