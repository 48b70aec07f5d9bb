"""The parts of a turn on the page; `ui/turn_view.py` puts them together. Knows no agent and no model."""
