"""Entries, batches and principals for tests, in a few words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from biblicus_context import stores
from biblicus_context.base.lazy import lazy
from biblicus_context.stores import (
    Batch,
    Block,
    Document,
    Entry,
    Hit,
    Principal,
    Readers,
    Related,
    Relation,
    Store,
    Vectors,
    View,
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


class Seen:
    """What a principal sees; each read is in a view of its own, as tests compare single reads."""

    def __init__(self, store: Store, principal: Principal, at: int | None = None) -> None:
        self._store = store
        self._principal = principal
        self._at = at

    def __getattr__(self, name: str) -> Any:
        """A method of a view, or an attribute of it."""
        if name.startswith("__"):
            raise AttributeError(name)
        attribute = getattr(View, name)
        if isinstance(attribute, property | lazy):
            with self._store.view(self._principal, at=self._at) as view:
                return getattr(view, name)

        def read(*args: Any, **options: Any) -> Any:
            with self._store.view(self._principal, at=self._at) as view:
                return getattr(view, name)(*args, **options)

        return read


def seen(store: Store, principal: Principal, at: int | None = None) -> Seen:
    """What a principal sees of a version, by default of the newest one."""
    return Seen(store, principal, at)


def blocks(
    store: Store, principal: Principal, ids: Sequence[str], *, at: int | None = None
) -> tuple[Block, ...]:
    """Blocks by id."""
    return tuple(each.block for each in seen(store, principal, at).evidence(ids))


def search_text(
    store: Store,
    principal: Principal,
    terms: Sequence[str],
    *,
    at: int | None = None,
    **options: Any,
) -> tuple[Hit, ...]:
    """A search by words in a view of its own."""
    with store.view(principal, at=at) as view:
        return stores.search_text(view, terms, **options)


def search_vectors(
    store: Store,
    principal: Principal,
    query: Vectors,
    *,
    at: int | None = None,
    **options: Any,
) -> tuple[Hit, ...]:
    """A search by meaning in a view of its own."""
    with store.view(principal, at=at) as view:
        return stores.search_vectors(view, query, **options)


def related_documents(
    store: Store,
    principal: Principal,
    start: str | Sequence[str],
    *,
    at: int | None = None,
    **options: Any,
) -> tuple[Related, ...]:
    """What relations lead to, in a view of its own."""
    with store.view(principal, at=at) as view:
        return view.related([start] if isinstance(start, str) else start, **options)


search_fuzzy = partial(search_text, similarity=0.75)
"""A text search that also finds misspelt words."""
