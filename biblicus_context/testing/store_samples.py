"""Entries, batches and principals for tests, in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Hit,
    Principal,
    Readers,
    Relation,
    Store,
    Vectors,
    search_text,
)

ANN = Principal("acme", user="ann", groups={"hr"})
BOB = Principal("acme", user="bob")
INDEXER = Principal("acme", sees_all=True)
STRANGER = Principal("other", user="ann", groups={"hr"}, sees_all=True)
ONLY_BOB = Readers(users=frozenset({"bob"}))

MODEL = "tiny"


def day(number: int) -> datetime:
    """A day of 2024."""
    return datetime(2024, 1, number, tzinfo=UTC)


def block(document_id: str, position: int, text: str, **fields: Any) -> Block:
    """A block whose id is that of its document and its position."""
    fields.setdefault("id", f"{document_id}#{position}")
    fields.setdefault("tokens", len(text.split()))
    return Block(document_id=document_id, position=position, text=text, **fields)


def entry(id_: str, *texts: str, vectors: Sequence[Sequence[float]] = (), **fields: Any) -> Entry:
    """A document with a block for each text."""
    blocks = tuple(block(id_, position, text) for position, text in enumerate(texts))
    embedded = (Vectors.of(MODEL, vectors),) if vectors else ()
    return Entry(Document(id=id_, **fields), blocks, embedded)


def put(*entries: Entry) -> Batch:
    """A batch of these documents."""
    return Batch(put=entries)


def relate(*arrows: tuple[str, str, str]) -> Batch:
    """A batch of relations: source, type, target."""
    return Batch(relate=tuple(Relation(source, target, kind) for source, kind, target in arrows))


def written(store: Store, *entries: Entry, principal: Principal = INDEXER) -> int:
    """The version in which these documents are written."""
    return store.write(principal, put(*entries))


def ids(hits: Iterable[Hit]) -> list[str]:
    """The blocks of hits."""
    return [hit.block_id for hit in hits]


def query(*numbers: float) -> Vectors:
    """One embedding to search with."""
    return Vectors.of(MODEL, [numbers])


search_fuzzy = partial(search_text, similarity=0.75)
"""A text search that also finds misspelt words."""
