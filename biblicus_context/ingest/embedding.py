"""Documents get their vectors: stored vectors are reused, and only new texts are embedded."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple

from biblicus_context.ingest.documents import FileDocument
from biblicus_context.stores import Entry, Principal, Store, Vectors

if TYPE_CHECKING:  # loading the embedders takes longer than a small ingest without them
    from biblicus_context.embedders import Embedder

FEW: Final = 100
"""New texts that a slow embedder embeds in about a second: fewer do not wait."""


class EmbeddedBatch(NamedTuple):
    """A batch ready to be written, with the figures for the summary."""

    entries: tuple[Entry, ...]
    bytes: int
    embedded: int
    """Texts that were embedded."""
    reused: int
    """Blocks whose vectors were stored already, or belong to a block with the same text."""
    waiting: int = 0
    """Blocks that wait for the vectors of a slow embedder."""


@dataclass(frozen=True, slots=True)
class BatchEmbedder:
    """Turns documents into entries, with vectors if there is an embedder."""

    store: Store
    principal: Principal
    embedder: Embedder | None
    quick: Embedder | None = None
    """What embeds in the place of a slow embedder where there are many new texts: they wait for it."""
    at_once: int | None = FEW
    """New texts of a batch that do not wait; None: none do, however many there are."""

    def embed(self, batch: Sequence[FileDocument]) -> EmbeddedBatch:
        """The documents as entries."""
        size = sum(each.size for each in batch)
        if self.embedder is None:
            entries = tuple(Entry(each.document, each.blocks) for each in batch)
            return EmbeddedBatch(entries, size, 0, 0)
        texts = [each.embedded_texts for each in batch]
        keys = [tuple(map(key_of, own)) for own in texts]
        text_of = dict(zip(chain(*keys), chain(*texts), strict=True))
        rows = self._stored(self.embedder, text_of)
        fresh = text_of.keys() - rows.keys()
        if self.quick is not None and self.at_once is not None and len(fresh) > self.at_once:
            return self._some_waiting(batch, size, keys, text_of, rows, self.embedder, self.quick)
        rows |= embedded(
            {key: text for key, text in text_of.items() if key in fresh}, self.embedder
        )
        entries = tuple(
            entry_of(each, own, rows, self.embedder) for each, own in zip(batch, keys, strict=True)
        )
        return EmbeddedBatch(entries, size, len(fresh), sum(map(len, keys)) - len(fresh))

    def _some_waiting(
        self,
        batch: Sequence[FileDocument],
        size: int,
        keys: Sequence[tuple[str, ...]],
        text_of: Mapping[str, str],
        rows: Mapping[str, bytes],
        embedder: Embedder,
        quick: Embedder,
    ) -> EmbeddedBatch:
        """The documents with new texts by the quick embedder: what a document has is of one model."""
        known = [rows.keys() >= {*own} for own in keys]
        wanted = dict.fromkeys(
            chain(*(own for own, is_known in zip(keys, known, strict=True) if not is_known))
        )
        first = self._stored(quick, wanted)
        first |= embedded({key: text_of[key] for key in wanted if key not in first}, quick)
        entries = tuple(
            entry_of(each, own, rows, embedder) if is_known else entry_of(each, own, first, quick)
            for each, own, is_known in zip(batch, keys, known, strict=True)
        )
        reused = sum(len(own) for own, is_known in zip(keys, known, strict=True) if is_known)
        waiting = sum(map(len, keys)) - reused
        return EmbeddedBatch(entries, size, 0, reused, waiting)

    def _stored(self, embedder: Embedder, keys: Collection[str]) -> dict[str, bytes]:
        with self.store.view(self.principal) as view:
            return dict(view.known_vectors(embedder.model, [*keys]))


def embedded(texts: Mapping[str, str], embedder: Embedder) -> dict[str, bytes]:
    """The vectors of texts by the keys of the texts, as a store keeps them."""
    if not texts:
        return {}
    from biblicus_context.embedders import arrays  # loads numpy, which an embedder has loaded

    made = embedder.embed([*texts.values()])
    rows = arrays.sound_rows(
        made, count=len(texts), dimensions=embedder.dimensions, model=embedder.model
    )
    return dict(zip(texts, arrays.row_bytes(rows), strict=True))


def entry_of(
    document: FileDocument, keys: tuple[str, ...], rows: Mapping[str, bytes], embedder: Embedder
) -> Entry:
    """A document with its blocks and their vectors."""
    data = b"".join(rows[key] for key in keys)
    vectors = Vectors(embedder.model, embedder.dimensions, data, keys)
    return Entry(document.document, document.blocks, (vectors,))


def key_of(text: str) -> str:
    """Names a text that is embedded, so that its vector is found again."""
    return blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()
