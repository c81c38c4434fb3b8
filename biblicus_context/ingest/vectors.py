"""Documents get their vectors: those the store knows by their texts, and new ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from biblicus_context.ingest.entries import Drawn
from biblicus_context.stores import Entry, Principal, Store, Vectors

if TYPE_CHECKING:
    from biblicus_context.embedders import Embedder


class Written(NamedTuple):
    """A batch as it is written, and what it came from."""

    entries: tuple[Entry, ...]
    bytes: int
    embedded: int
    """Texts whose vectors the store did not have."""
    known: int
    """Blocks that got their vectors without that."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Makes entries of drawn documents, by an embedder or without one."""

    store: Store
    principal: Principal
    embedder: Embedder | None

    def of(self, batch: Sequence[Drawn]) -> Written:
        """The documents as entries, with vectors where there is an embedder."""
        size = sum(each.size for each in batch)
        if self.embedder is None:
            return Written(tuple(Entry(each.document, each.blocks) for each in batch), size, 0, 0)
        meanings = [each.meanings for each in batch]
        keys = [tuple(map(_key, own)) for own in meanings]
        texts = dict(zip(chain(*keys), chain(*meanings), strict=True))
        stored = self.store.known_vectors(self.principal, self.embedder.model, [*texts])
        fresh = {key: text for key, text in texts.items() if key not in stored}
        rows = {**stored, **_embedded(fresh, self.embedder)}
        entries = tuple(_entries(batch, keys, rows, self.embedder))
        return Written(entries, size, len(fresh), sum(map(len, keys)) - len(fresh))


def _embedded(texts: Mapping[str, str], embedder: Embedder) -> dict[str, bytes]:
    if not texts:
        return {}
    vectors = embedder.embed([*texts.values()]).astype("<f4")
    return dict(zip(texts, (row.tobytes() for row in vectors), strict=True))


def _entries(
    batch: Sequence[Drawn],
    keys: Sequence[tuple[str, ...]],
    rows: Mapping[str, bytes],
    embedder: Embedder,
) -> Iterator[Entry]:
    for each, own in zip(batch, keys, strict=True):
        data = b"".join(rows[key] for key in own)
        yield Entry(
            each.document,
            each.blocks,
            (Vectors(embedder.model, embedder.dimensions, data, own),),
        )


def _key(text: str) -> str:
    return blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
