"""Keeps the chats: Chainlit's data layer on SQLite or PostgreSQL, with the files of elements beside it.

`layer.py` speaks Chainlit; `history.py` orders reads and writes; the rest is one part each. `python -m ui.data_layer`
exports, imports and erases what is kept for one person, without Chainlit.
"""
