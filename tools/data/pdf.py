"""PDFs, read in the reader's process: whether they are sound and still, and the text of a page."""

import logging
from typing import Any

from pypdf import PdfReader
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, IndirectObject, StreamObject

from tools.data.unreadable import Unreadable

_MAX_OBJECTS = 200_000
_RUNS = frozenset({"/JavaScript", "/Launch", "/ImportData", "/SubmitForm", "/RichMediaExecute"})
"""Actions (`/S`) by which a document does something by itself: ISO 32000-2, 12.6.4."""
_LEADS_AWAY = frozenset({"/URI", "/GoToR", "/GoToE"})
"""Harmless where a reader presses a link, and not where the document does it when it is opened."""
_HOLDS = frozenset({"/JS", "/EmbeddedFile", "/XFA", "/RichMediaContent"})


def check_pdf(descriptor: int) -> dict[str, Any]:
    """How many pages there are. Raises `Unreadable` for what is damaged, locked, or does things by itself."""
    reader = _opened(descriptor)
    _demand_still(reader)
    return {"pages": _page_count(reader)}


def pdf_text(descriptor: int, page: int, offset: int, max_chars: int) -> dict[str, Any]:
    """A piece of a page's text, counted from 1, and whether more follows; empty where there is no such page."""
    reader = _opened(descriptor)
    pages = _page_count(reader)
    text = reader.pages[page - 1].extract_text() if page <= pages else ""
    return {"text": text[offset : offset + max_chars], "more": len(text) > offset + max_chars, "pages": pages}


def _opened(descriptor: int) -> PdfReader:
    logging.disable()  # it tells of every oddity
    try:
        reader = PdfReader(open(descriptor, "rb", closefd=False))  # noqa: SIM115  # lives as long as the process
        is_locked = reader.is_encrypted and not reader.decrypt("")
    except (PyPdfError, ValueError, KeyError, TypeError):
        raise Unreadable("damaged") from None
    if is_locked:
        raise Unreadable("protected")
    return reader


def _page_count(reader: PdfReader) -> int:
    try:
        pages = len(reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError):
        raise Unreadable("damaged") from None
    if not pages:
        raise Unreadable("damaged")
    return pages


def _demand_still(reader: PdfReader) -> None:
    """Look at every object and not only at those that the document's beginning leads to: viewers find them, too."""
    numbers = {number for generation in reader.xref.values() for number in generation} | set(reader.xref_objStm)
    if len(numbers) > _MAX_OBJECTS:
        raise Unreadable("bomb")
    pending: list[Any] = [reader.trailer, *(IndirectObject(number, 0, reader) for number in numbers)]
    while pending:
        thing = pending.pop()
        if isinstance(thing, IndirectObject):
            thing = _resolved(thing)
        if isinstance(thing, DictionaryObject | StreamObject):
            if _acts(thing):
                raise Unreadable("active")
            pending += _inner(thing.values())
        elif isinstance(thing, list):
            pending += _inner(thing)


def _acts(thing: Any) -> bool:
    if thing.get("/S") in _RUNS or not _HOLDS.isdisjoint(thing) or thing.get("/Type") == "/EmbeddedFile":
        return True
    by_itself = [thing.get("/OpenAction"), *_as_dictionary(thing.get("/AA")).values()]
    return any(_as_dictionary(action).get("/S") in _LEADS_AWAY for action in by_itself)


def _as_dictionary(thing: Any) -> dict[str, Any]:
    found = _resolved(thing) if isinstance(thing, IndirectObject) else thing
    return found if isinstance(found, dict) else {}


def _inner(things: Any) -> list[Any]:
    """Those that are not objects of their own, which are looked at anyway."""
    return [thing for thing in things if isinstance(thing, dict | list)]


def _resolved(reference: IndirectObject) -> Any:
    try:
        return reference.get_object()
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError):
        return None
