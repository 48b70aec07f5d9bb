"""Alembic's entry point. The app runs it inside a transaction of its own; see `ui/data_layer/schema.py`."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
