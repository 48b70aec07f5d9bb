"""Markdown tables that grow while they are printed."""

import sys


def say(line: str = "") -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def row(*cells: object) -> None:
    say(f"| {' | '.join(str(cell) for cell in cells)} |")


def head(title: str, *columns: str) -> None:
    say(f"\n{title}\n")
    row(*columns)
    row(*("---" for _ in columns))
