"""What is known of a block: the facts that its retriever gave it, else what its metadata says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from math import isfinite
from typing import Final

from biblicus_context.base.doors import door
from biblicus_context.base.surrogates import replaced
from biblicus_context.base.timestamps import moment
from biblicus_context.retrieval.candidate import Candidate
from biblicus_context.retrieval.origin import ORIGIN, Origin
from biblicus_context.retrieval.packs.pack import ContextPackBlock

_CREATED: Final = ("created", "created_at")
_UPDATED: Final = ("updated", "updated_at")
_TIMESTAMPS: Final = ("timestamp", "date")
"""Of a block that says neither when it was created nor when it was updated."""
_PATHS: Final = ("path", "file_path")
_SOURCES: Final = ("source", "source_uri")


@door
def facts_of(block: ContextPackBlock) -> Candidate:
    """The facts of a block; its text and its score are always those of the block itself.

    A block of a corpus carries them. Of another block they are read from its metadata, where what
    is missing or has another type is unknown; its tokens are not counted.

    >>> found = ContextPackBlock(evidence_item_id="a", text="Ask.", metadata={"kind": "note"})
    >>> facts_of(found).kind
    'note'
    """
    known = block.carried
    if known is None:
        return _said_by(block)
    score = known.score if block.score is None else block.score
    if (known.text, known.score) == (block.text, score):
        return known
    return known._replace(text=block.text, score=score)


def _said_by(block: ContextPackBlock) -> Candidate:
    said = block.metadata or {}
    path, lines = _first_text(said, _PATHS), _lines(said.get("lines"))
    source = _text(block.source) or _first_text(said, _SOURCES) or path
    session = _text(said.get("session"))
    created, updated = _first_moment(said, _CREATED), _first_moment(said, _UPDATED)
    if created is None and updated is None:
        created = _first_moment(said, _TIMESTAMPS)
    return Candidate(
        id=block.evidence_item_id,
        text=block.text,
        tokens=0,
        score=block.score if block.score is not None else _number(said.get("score")) or 0.0,
        parts=_parts(said.get("parts")),
        source=source,
        where=f"{source}:{lines[0]}-{lines[1]}" if source and lines else source,
        sequence=f"{source}\n{session}" if session else source,
        position=_integer(said.get("position")) or 0,
        is_turn=session is not None,
        kind=_first_text(said, ("kind", "type")) or "",
        title=_text(said.get("title")) or "",
        heading=_texts(said.get("heading")),
        path=path,
        lines=lines,
        session=session,
        origin=Origin.of(said.get(ORIGIN)).otherwise(Origin(session=session, file=path)),
        replaces=_texts(said.get("replaces")),
        contains=_texts(said.get("contains")),
        conversation=_first_text(said, ("conversation", "conversation_id")),
        parent=_first_text(said, ("parent", "parent_id")),
        created=created,
        updated=updated,
        accessed=moment(said.get("accessed")),
        tags=_texts(said.get("tags")),
        metadata=said,
        confidence=_number(said.get("confidence")),
        importance=_number(said.get("importance")),
    )


def _text(value: object) -> str | None:
    return replaced(value) if isinstance(value, str) and value else None


def _texts(value: object) -> tuple[str, ...]:
    """A list of texts; one text is a list of it."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _first_text(said: Mapping[str, object], names: Iterable[str]) -> str | None:
    return next((text for name in names if (text := _text(said.get(name)))), None)


def _first_moment(said: Mapping[str, object], names: Iterable[str]) -> datetime | None:
    return next((found for name in names if (found := moment(said.get(name)))), None)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:  # an integer larger than any float
        return None
    return number if isfinite(number) else None


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _lines(value: object) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)]:
            return first, last
        case _:
            return None


def _parts(value: object) -> dict[str, float]:
    if not isinstance(value, Mapping):
        return {}
    numbers = ((str(name), _number(part)) for name, part in value.items())
    return {name: part for name, part in numbers if part is not None}
