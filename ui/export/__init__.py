"""A chat, or one of its turns, as a file that people keep. Pure: steps in, text out."""

from ui.export.html_page import as_html
from ui.export.markdown import as_markdown
from ui.export.transcript import (
    ExportedSource,
    ExportedStep,
    ExportedTurn,
    Transcript,
    copyable,
    transcript_from_steps,
)

__all__ = [
    "ExportedSource",
    "ExportedStep",
    "ExportedTurn",
    "Transcript",
    "as_html",
    "as_markdown",
    "copyable",
    "transcript_from_steps",
]
