"""Documents get their vectors: stored vectors are reused, and only new texts are embedded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from biblicus_context.ingest.documents import FileDocument
from biblicus_context.stores import Entry, Principal, Store, Vectors

if TYPE_CHECKING:  # loading the embedders takes longer than a small ingest without them
    from biblicus_context.embedders import Embedder


class EmbeddedBatch(NamedTuple):
    """A batch ready to be written, with the figures for the summary."""

    entries: tuple[Entry, ...]
    bytes: int
    embedded: int
    """Texts that were embedded."""
    reused: int
    """Blocks whose vectors were stored already, or belong to a block with the same text."""


@dataclass(frozen=True, slots=True)
class BatchEmbedder:
    """Turns documents into entries, with vectors if there is an embedder."""

    store: Store
    principal: Principal
    embedder: Embedder | None

    def embed(self, batch: Sequence[FileDocument]) -> EmbeddedBatch:
        """The documents as entries."""
        size = sum(each.size for each in batch)
        if self.embedder is None:
            entries = tuple(Entry(each.document, each.blocks) for each in batch)
            return EmbeddedBatch(entries, size, 0, 0)
        texts = [each.embedded_texts for each in batch]
        keys = [tuple(map(_key, own)) for own in texts]
        text_of = dict(zip(chain(*keys), chain(*texts), strict=True))
        with self.store.view(self.principal) as view:
            stored = view.known_vectors(self.embedder.model, [*text_of])
        fresh = {key: text for key, text in text_of.items() if key not in stored}
        rows = {**stored, **_embedded(fresh, self.embedder)}
        entries = tuple(_entries(batch, keys, rows, self.embedder))
        return EmbeddedBatch(entries, size, len(fresh), sum(map(len, keys)) - len(fresh))


def _embedded(texts: Mapping[str, str], embedder: Embedder) -> dict[str, bytes]:
    if not texts:
        return {}
    from biblicus_context.embedders import arrays  # loads numpy, which an embedder has loaded

    made = embedder.embed([*texts.values()])
    rows = arrays.sound_rows(
        made, count=len(texts), dimensions=embedder.dimensions, model=embedder.model
    )
    return dict(zip(texts, arrays.row_bytes(rows), strict=True))


def _entries(
    batch: Sequence[FileDocument],
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
