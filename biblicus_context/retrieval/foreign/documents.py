"""Documents of other libraries as blocks of evidence.

They are known by their fields: LangChain's have `page_content` and `metadata`, LlamaIndex' nodes
`get_content()`, `node_id` and `metadata`, Haystack's `content` and `meta`.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, Final, TypeGuard

from pydantic import ValidationError

from biblicus_context.base.validation import first_invalid
from biblicus_context.errors import nearest
from biblicus_context.retrieval.foreign.fields import field, first_field
from biblicus_context.retrieval.packs.pack import ContextPackBlock

TEXTS: Final = ("text", "page_content", "content")
_IDS: Final = ("evidence_item_id", "id", "node_id", "item_id")
_METADATA: Final = ("metadata", "meta")
_SOURCES: Final = ("source", "source_uri")
_SOURCES_IN_METADATA: Final = (*_SOURCES, "file_path", "path", "url", "file_name")


def block_of(document: object) -> ContextPackBlock | None:
    """A document as a block; None if it has no text. A TypeError if it is not a document.

    A document without an id gets one made of its source and its text: the same on every page.

    >>> block_of({"text": "Three days.", "metadata": {"source": "faq.md"}}).evidence_item_id
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
    text = get_content() if callable(get_content) else first_field(document, TEXTS)
    if isinstance(text, str):
        return text
    if text is None and _has_field_for_text(document):
        return ""
    if text is None:
        raise TypeError(_no_text(document))
    raise TypeError(f"text: found {type(text).__name__}")


def _has_field_for_text(document: object) -> bool:
    if isinstance(document, Mapping):
        return any(name in document for name in TEXTS)
    return any(hasattr(document, name) for name in TEXTS)


def _no_text(document: object) -> str:
    if not isinstance(document, Mapping):
        return "it is not text, a mapping with 'text', or a document"
    keys = [key for key in document if isinstance(key, str)]
    problem = f"no 'text' among its keys ({', '.join(keys[:8])})" if keys else "no 'text'"
    misspelt = [key for key in keys if nearest(key, TEXTS)]
    return f"{problem}; rename {misspelt[0]!r} to 'text'" if misspelt else problem


def _block(document: object, *, text: str, score: object = None) -> ContextPackBlock | None:
    if not text.strip():
        return None
    metadata = None if isinstance(document, str) else first_field(document, _METADATA)
    source = None if isinstance(document, str) else _source(document, metadata)
    known = None if isinstance(document, str) else first_field(document, _IDS)
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
    source = first_field(document, _SOURCES)
    if source is None and isinstance(metadata, Mapping):
        source = first_field(metadata, _SOURCES_IN_METADATA)
    return None if source is None else str(source)


def _id(text: str, source: str | None) -> str:
    import hashlib

    digest = hashlib.blake2b(text.encode(errors="replace"), digest_size=4).hexdigest()
    return f"{source or 'text'}#{digest}"
