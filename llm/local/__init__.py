"""Models on this machine: servers that already run, and the built-in model with its weights and engine.

`connection.py` is the door; the rest serves it.
"""
