"""Rows of the tables become documents and blocks, and their integers become times."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from json.scanner import make_scanner
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
_scanned: Final[Callable[[str, int], tuple[Any, int]]] = make_scanner(
    json.JSONDecoder()  # type: ignore[arg-type] # it wants what a decoder has
)


def _decoded(text: str) -> Any:
    """What is written as JSON, without spaces around it."""
    try:  # the two methods of a decoder around this one take longer than it does
        value, end = _scanned(text, 0)
    except StopIteration:  # which would end a loop silently
        end, value = -1, None
    if end != len(text):
        raise ValueError("this is not JSON")
    return value


def _undamaged(
    made: Callable[[Sequence[Any]], _Made],
) -> Callable[[Iterable[Sequence[Any]]], list[_Made]]:
    """Turn errors of reading rows into an error of the database: no release writes such a row."""

    @wraps(made)
    def checked(rows: Iterable[Sequence[Any]]) -> list[_Made]:
        try:
            return [*map(made, rows)]
        except UnicodeDecodeError:  # of the database itself
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise sqlite3.DatabaseError(f"a row is malformed: {error}") from error

    return checked


@_undamaged
def documents(row: Sequence[Any]) -> Document:
    """Documents from the columns of DOCUMENTS."""
    (
        id_, kind, title, path, uri, text_hash, created, updated, accessed,
        confidence, importance, conversation, parent, position, superseded_by,
        valid_from, valid_to, own_readers, metadata, tags, readers,
    ) = row  # fmt: skip
    # Most metadata is empty, and a context reads hundreds: to parse it took a tenth of reading a row.
    return Document(
        id=id_,
        kind=kind,
        title=title,
        path=path,
        uri=uri,
        text_hash=text_hash,
        created=None if created is None else moment(created),
        updated=None if updated is None else moment(updated),
        accessed=None if accessed is None else moment(accessed),
        confidence=confidence,
        importance=importance,
        conversation=conversation,
        parent=parent,
        position=position,
        superseded_by=superseded_by,
        valid_from=None if valid_from is None else moment(valid_from),
        valid_to=None if valid_to is None else moment(valid_to),
        tags=_listed(tags),
        metadata={} if metadata == "{}" else _named(metadata),
        readers=_readers(readers),
        own_readers=None if own_readers is None else bool(own_readers),
    )


def _listed(listed: str) -> tuple[str, ...]:
    return () if listed == "[]" else tuple(_decoded(listed))


def _named(named: str) -> dict[str, Json]:
    found: dict[str, Json] = _decoded(named)
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
def blocks(row: Sequence[Any]) -> Block:
    """Blocks from the columns of BLOCKS."""
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
        metadata={} if metadata == "{}" else _named(metadata),
        indexed_text=indexed_text,
    )
