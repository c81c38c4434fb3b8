"""Reads what a retriever returned: a pack, a text, or a list of texts and documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Final, TypeGuard

from pydantic import ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import nearest
from biblicus_context.retrieval.packs.pack import ContextPack, ContextPackBlock

_LISTS = ("blocks", "documents")
"""`documents` is what components of Haystack return."""


def pack_of(answer: object, most: int) -> tuple[ContextPack, bool]:
    """The answer as a pack of its first `most` blocks, and whether it has more of them.

    Raises a TypeError or a ValidationError if it is none.

    >>> pack, has_more = pack_of(["One.", {"content": "Two.", "meta": {"source": "b.md"}}], most=9)
    >>> pack.evidence_count, pack.blocks[1].source, has_more
    (2, 'b.md', False)
    """
    if isinstance(answer, list | tuple):
        return _pack("", answer, most, count=None)
    count, text = field(answer, "evidence_count"), field(answer, "text")
    entries = entries_of(answer)
    if count is None and not entries and (text or entries is None):
        return _pack("", [answer], most, count=None)  # one document
    return _pack("" if text is None else text, entries or (), most, count)


def entries_of(answer: object) -> Sequence[object] | None:
    """The blocks or documents that an answer lists; None if it lists none."""
    if isinstance(answer, list | tuple):
        return answer
    for name in _LISTS:
        found = field(answer, name)
        if isinstance(found, list | tuple):
            return found
        if found is not None:
            raise TypeError(f"{name}: found {type(found).__name__} instead of a list")
    return None


def _pack(
    text: str, entries: Sequence[object], most: int, count: int | None
) -> tuple[ContextPack, bool]:
    blocks = _blocks(entries[:most])
    found = len(blocks) if count is None else count
    return ContextPack(text=text, evidence_count=found, blocks=blocks), len(entries) > most


def _blocks(entries: Sequence[object]) -> list[ContextPackBlock]:
    blocks: list[ContextPackBlock] = []
    for number, entry in enumerate(entries):
        try:
            block = _block_of(entry)
        except TypeError as error:
            raise TypeError(f"blocks.{number}: {error}") from None
        if block is not None:
            blocks.append(block)
    return blocks


_TEXTS: Final = ("text", "page_content", "content")
_IDS: Final = ("evidence_item_id", "id", "node_id", "item_id")
_METADATA: Final = ("metadata", "meta")
_SOURCES: Final = ("source", "source_uri")
_SOURCES_IN_METADATA: Final = (*_SOURCES, "file_path", "path", "url", "file_name")


def _block_of(document: object) -> ContextPackBlock | None:
    """A document as a block; None if it has no text. A TypeError if it is not a document.

    A document without an id gets one made of its source and its text: the same on every page.

    >>> _block_of({"text": "Three days.", "metadata": {"source": "faq.md"}}).evidence_item_id
    'faq.md#80b15cae'
    """
    if isinstance(document, ContextPackBlock):
        return document
    if isinstance(document, str):
        return _block(document, text=document)
    if _is_scored(document):
        scored, score = document
        return _block(scored, text=_text(scored), score=float(score))
    return _block(document, text=_text(document), score=field(document, "score"))


def _is_scored(document: object) -> TypeGuard[tuple[Any, float]]:
    """Whether it is a document and its score, as `similarity_search_with_score` returns them."""
    return isinstance(document, tuple) and len(document) == 2 and isinstance(document[1], Real)


def _text(document: object) -> str:
    """The text; empty where the document has a field for it, but no text (a picture)."""
    if isinstance(document, str):
        return document
    get_content = None if isinstance(document, Mapping) else field(document, "get_content")
    text = get_content() if callable(get_content) else _first_field(document, _TEXTS)
    if isinstance(text, str):
        return text
    if text is None and _has_field_for_text(document):
        return ""
    if text is None:
        raise TypeError(_no_text(document))
    raise TypeError(f"text: found {type(text).__name__}")


def _has_field_for_text(document: object) -> bool:
    if isinstance(document, Mapping):
        return any(name in document for name in _TEXTS)
    return any(hasattr(document, name) for name in _TEXTS)


def _no_text(document: object) -> str:
    if not isinstance(document, Mapping):
        return "it is not text, a mapping with 'text', or a document"
    keys = [key for key in document if isinstance(key, str)]
    problem = f"no 'text' among its keys ({', '.join(keys[:8])})" if keys else "no 'text'"
    misspelt = [key for key in keys if nearest(key, _TEXTS)]
    return f"{problem}; rename {misspelt[0]!r} to 'text'" if misspelt else problem


def _block(document: object, *, text: str, score: object = None) -> ContextPackBlock | None:
    if not text.strip():
        return None
    metadata = None if isinstance(document, str) else _first_field(document, _METADATA)
    source = None if isinstance(document, str) else _source(document, metadata)
    known = None if isinstance(document, str) else _first_field(document, _IDS)
    try:
        return ContextPackBlock.model_validate(
            {
                "evidence_item_id": _id(text, source) if known in (None, "") else str(known),
                "text": text,
                "metadata": dict(metadata) if isinstance(metadata, Mapping) else metadata,
                "source": source,
                "score": float(score) if isinstance(score, Real) else score,
            }
        )
    except ValidationError as error:
        raise TypeError(str(first_invalid(error))) from None


def _source(document: object, metadata: object) -> str | None:
    source = _first_field(document, _SOURCES)
    if source is None and isinstance(metadata, Mapping):
        source = _first_field(metadata, _SOURCES_IN_METADATA)
    return None if source is None else str(source)


def _id(text: str, source: str | None) -> str:
    import hashlib

    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=4).hexdigest()
    return f"{source or 'text'}#{digest}"


def field(of: object, name: str) -> Any:
    """The value of a key or an attribute; None if there is none. A TypeError if reading it fails."""
    if isinstance(of, Mapping):
        return of.get(name)
    try:
        return getattr(of, name, None)
    except Exception as error:  # a property of another library may raise any error
        raise TypeError(f"{name}: {type(error).__name__}: {error}") from error


def _first_field(of: object, names: Iterable[str]) -> Any:
    """The first of these fields that is there; None if none is."""
    return next((value for name in names if (value := field(of, name)) is not None), None)
