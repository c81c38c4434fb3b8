"""Rows of the tables become documents and blocks again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

from biblicus_context.stores.model import Block, Document
from biblicus_context.stores.principal import EVERYBODY, Readers
from biblicus_context.stores.sqlite.schema.moments import moment

DOCUMENTS: Final = (
    "SELECT d.id, d.kind, d.title, d.path, d.uri, d.text_hash, d.created, d.updated, d.accessed,"
    " d.confidence, d.importance, d.conversation, d.metadata,"
    " (SELECT json_group_array(t.tag) FROM tags t WHERE t.document = d.row),"
    " CASE WHEN d.restricted THEN"
    " (SELECT json_group_array(json_array(r.is_group, r.name)) FROM readers r"
    " WHERE r.document = d.row) END FROM documents d"
)
BLOCKS: Final = (
    "SELECT b.id, d.id, b.position, x.text, b.tokens, x.heading, x.first_line, x.last_line,"
    " b.session, x.metadata, x.indexed_text"
    " FROM blocks b JOIN documents d ON d.row = b.document JOIN texts x ON x.block = b.row"
)
EMBEDDINGS: Final = (
    " FROM vectors v JOIN models m ON m.number = v.row >> 40"
    " JOIN blocks b ON b.row = v.row & 0xFFFFFFFFFF JOIN documents d ON d.row = b.document"
)
"""Embeddings, each with its model, its block and its document; what is read of them goes before."""

_Made = TypeVar("_Made")


def _undamaged(made: Callable[[Sequence[Any]], _Made]) -> Callable[[Sequence[Any]], _Made]:
    """What no release writes, as metadata that is no JSON, is the damage of a file."""

    @wraps(made)
    def checked(row: Sequence[Any]) -> _Made:
        try:
            return made(row)
        except (TypeError, ValueError, OverflowError) as error:
            raise sqlite3.DatabaseError(f"a row is malformed: {error}") from error

    return checked


@_undamaged
def document(row: Sequence[Any]) -> Document:
    """A document from the columns of DOCUMENTS."""
    (
        id_, kind, title, path, uri, text_hash, created, updated, accessed,
        confidence, importance, conversation, metadata, tags, readers,
    ) = row  # fmt: skip
    return Document(
        id=id_,
        kind=kind,
        title=title,
        path=path,
        uri=uri,
        text_hash=text_hash,
        created=moment(created),
        updated=moment(updated),
        accessed=moment(accessed),
        confidence=confidence,
        importance=importance,
        conversation=conversation,
        tags=tuple(json.loads(tags)),
        metadata=json.loads(metadata),
        readers=_readers(readers),
    )


def _readers(listed: str | None) -> Readers:
    if listed is None:
        return EVERYBODY
    named = json.loads(listed)
    return Readers(
        users=frozenset(name for is_group, name in named if not is_group),
        groups=frozenset(name for is_group, name in named if is_group),
    )


@_undamaged
def block(row: Sequence[Any]) -> Block:
    """A block from the columns of BLOCKS."""
    (
        id_, document_id, position, text, tokens, heading,
        first_line, last_line, session, metadata, indexed_text,
    ) = row  # fmt: skip
    return Block(
        id=id_,
        document_id=document_id,
        position=position,
        text=text,
        tokens=tokens,
        heading=tuple(json.loads(heading)),
        lines=None if first_line is None else (first_line, last_line),
        session=session,
        metadata=json.loads(metadata),
        indexed_text=indexed_text,
    )


def heading_text(title: str, heading: Sequence[str]) -> str:
    """What is searched besides the text of a block."""
    return " ".join(filter(None, [title, *heading]))
