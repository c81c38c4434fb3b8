"""Rows of the tables become documents and blocks, and the other way round."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from biblicus_context.stores import checks
from biblicus_context.stores.model import Block, Document, Json
from biblicus_context.stores.moments import moment, optional_microseconds
from biblicus_context.stores.postgres.sql import kept, key_of, optional_key, shown
from biblicus_context.stores.principal import EVERYBODY, NOBODY, Readers

DOCUMENT: Final = (
    "d.id, d.kind, d.title, d.path, d.uri, d.text_hash, d.created, d.updated, d.accessed,"
    " d.confidence, d.importance, d.conversation, d.parent, d.position, d.superseded_by,"
    " d.valid_from, d.valid_to, d.own_readers, d.metadata, d.tags, d.restricted, d.users, d.groups"
)
BLOCK: Final = (
    "b.id, d.id, b.position, b.text, b.tokens, b.heading, b.first_line, b.last_line, b.session,"
    " b.metadata, b.indexed_text"
)
_ESCAPED: Final = re.compile(r"\\u00[01]0")
"""What the type jsonb refuses, or what stands for it, see `kept`."""
DOCUMENT_WIDTH: Final = DOCUMENT.count(",") + 1
BLOCK_WIDTH: Final = BLOCK.count(",") + 1


def document(row: Sequence[Any]) -> Document:
    """A document from the columns of DOCUMENT."""
    (
        id_, kind, title, path, uri, text_hash, created, updated, accessed,
        confidence, importance, conversation, parent, position, superseded_by,
        valid_from, valid_to, own_readers, metadata, tags, restricted, users, groups,
    ) = row  # fmt: skip
    return Document(
        id=id_,
        kind=kind,
        title=shown(title),
        path=path,
        uri=uri,
        text_hash=shown(text_hash),
        created=moment(created),
        updated=moment(updated),
        accessed=moment(accessed),
        confidence=confidence,
        importance=importance,
        conversation=conversation,
        parent=parent,
        position=position,
        superseded_by=superseded_by,
        valid_from=moment(valid_from),
        valid_to=moment(valid_to),
        tags=tuple(tags),
        metadata=_named(metadata),
        readers=_readers(users, groups) if restricted else EVERYBODY,
        own_readers=own_readers,
    )


def _readers(users: Sequence[str], groups: Sequence[str]) -> Readers:
    return Readers(frozenset(users), frozenset(groups)) if users or groups else NOBODY


def _named(named: str) -> dict[str, Json]:
    found: dict[str, Json] = {} if named == "{}" else json.loads(named)
    return found


def block(row: Sequence[Any]) -> Block:
    """A block from the columns of BLOCK."""
    (
        id_, document_id, position, text, tokens, heading,
        first_line, last_line, session, metadata, indexed_text,
    ) = row  # fmt: skip
    return Block(
        id=id_,
        document_id=document_id,
        position=position,
        text=shown(text),
        tokens=tokens,
        heading=tuple(map(shown, heading)),
        lines=None if first_line is None else (first_line, last_line),
        session=session,
        metadata=_named(metadata),
        indexed_text=None if indexed_text is None else shown(indexed_text),
    )


def document_row(document: Document, row: int, place: str) -> dict[str, object]:
    """The columns of a document by name, as JSON keeps them."""
    readers = document.readers
    return {
        "row": row,
        "restricted": not readers.are_everybody,
        "users": sorted(readers.users),
        "groups": sorted(readers.groups),
        "id": document.id,
        "id_key": _hex(key_of(document.id)),
        "kind": document.kind,
        "title": kept(document.title),
        "path": document.path,
        "uri": document.uri,
        "text_hash": kept(document.text_hash),
        "created": optional_microseconds(document.created),
        "updated": optional_microseconds(document.updated),
        "accessed": optional_microseconds(document.accessed),
        "confidence": document.confidence,
        "importance": document.importance,
        "conversation": document.conversation,
        "conversation_key": _hex(optional_key(document.conversation)),
        "parent": document.parent,
        "parent_key": _hex(optional_key(document.parent)),
        "position": document.position,
        "superseded_by": document.superseded_by,
        "superseded_key": _hex(optional_key(document.superseded_by)),
        "valid_from": optional_microseconds(document.valid_from),
        "valid_to": optional_microseconds(document.valid_to),
        "own_readers": document.own_readers,
        "tags": document.tags,
        **_metadata(document.metadata, f"{place}.document.metadata"),
    }


def block_row(block: Block, row: int, document: int, words: int, place: str) -> dict[str, object]:
    """The columns of a block by name."""
    first, last = block.lines or (None, None)
    return {
        "row": row,
        "document": document,
        "position": block.position,
        "tokens": block.tokens,
        "words": words,
        "session": block.session,
        "id": block.id,
        "id_key": _hex(key_of(block.id)),
        "first_line": first,
        "last_line": last,
        "heading": [kept(each) for each in block.heading],
        "text": kept(block.text),
        "indexed_text": None if block.indexed_text is None else kept(block.indexed_text),
        **_metadata(block.metadata, f"{place}.metadata"),
    }


def _metadata(metadata: Mapping[str, Json], place: str) -> dict[str, object]:
    if not metadata:
        return {"metadata": "{}", "facts": None}
    text = checks.json_text(dict(metadata), place)
    facts = json.loads(text)
    return {"metadata": text, "facts": _comparable(facts) if _ESCAPED.search(text) else facts}


def _comparable(value: Any) -> Any:
    if isinstance(value, str):
        return kept(value)
    if isinstance(value, list):
        return [_comparable(each) for each in value]
    if isinstance(value, dict):
        return {kept(key): _comparable(each) for key, each in value.items()}
    return value


def _hex(key: bytes | None) -> str | None:
    return None if key is None else f"\\x{key.hex()}"
