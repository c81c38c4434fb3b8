"""Rows of the tables become documents and blocks, and their integers become times."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

from biblicus_context.stores.model import Block, Document, Json
from biblicus_context.stores.moments import moment
from biblicus_context.stores.principal import EVERYBODY, NOBODY, Readers

DOCUMENTS: Final = (
    "SELECT d.id, d.kind, d.title, d.path, d.uri, d.text_hash, d.created, d.updated, d.accessed,"
    " d.confidence, d.importance, d.conversation, d.parent, d.position, d.superseded_by,"
    " d.valid_from, d.valid_to, d.own_readers, d.metadata,"
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
"""The FROM clause of embeddings, each with its model, its block and its document."""

_Made = TypeVar("_Made")


def _undamaged(made: Callable[[Sequence[Any]], _Made]) -> Callable[[Sequence[Any]], _Made]:
    """Turn errors of reading a row into an error of the database: no release writes such a row."""

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
        confidence, importance, conversation, parent, position, superseded_by,
        valid_from, valid_to, own_readers, metadata, tags, readers,
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
        parent=parent,
        position=position,
        superseded_by=superseded_by,
        valid_from=moment(valid_from),
        valid_to=moment(valid_to),
        tags=_listed(tags),
        metadata=_named(metadata),
        readers=_readers(readers),
        own_readers=None if own_readers is None else bool(own_readers),
    )


def _listed(listed: str) -> tuple[str, ...]:
    return () if listed == "[]" else tuple(json.loads(listed))


def _named(named: str) -> dict[str, Json]:
    # Most are empty, and a context reads hundreds: to parse them took a tenth of reading a row.
    found: dict[str, Json] = {} if named == "{}" else json.loads(named)
    return found


def _readers(listed: str | None) -> Readers:
    if listed is None:
        return EVERYBODY
    named = json.loads(listed)
    if not named:
        return NOBODY
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
        heading=_listed(heading),
        lines=None if first_line is None else (first_line, last_line),
        session=session,
        metadata=_named(metadata),
        indexed_text=indexed_text,
    )
