"""Exact arithmetic on what people write. Pure: knows nothing of tools, services or agents."""
